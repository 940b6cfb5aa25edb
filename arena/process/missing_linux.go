//go:build linux && !portable

package process

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
)

// Missing lists files and folders that exist, that a strict sandbox does not show
// to the bot, and that what it said (on stderr, of its last moments) names: a file
// that it could not open, a module that it could not import. Those under Dir are
// relative to it, as Spec.Show takes them.
func (s *Starter) Missing(ctx context.Context, spec Spec, said string) ([]string, error) {
	program, err := FindProgram(spec.Command[0], spec.Dir, s.config.path())
	if err != nil {
		return nil, err
	}
	n, _, err := s.look(ctx, program, spec)
	if err != nil {
		return nil, err
	}
	words := strings.FieldsFunc(said, func(r rune) bool { return strings.ContainsRune(" \t\r\n'\"`()[]{}<>,;:=‘’“”", r) })
	var missing []string
	for _, word := range words {
		word = strings.TrimRight(word, ".!?")
		if word == "" {
			continue
		}
		names := []string{word + ".py", word + ".js", word + ".mjs", word + ".class", filepath.Join(word, "__init__.py")}
		if strings.ContainsAny(word, "./") {
			names = append(names, word, strings.ReplaceAll(word, ".", "/")+".py")
		}
		for _, name := range names {
			path := place(spec.Dir, name)
			end, _, err := real(path)
			if err != nil || own(end) || n.holdsHome(end) || n.sees(path) || under(spec.Dir, end) {
				continue
			}
			if strings.HasSuffix(name, "/__init__.py") {
				path = filepath.Dir(path)
			}
			if inside, err := filepath.Rel(spec.Dir, filepath.Clean(path)); err == nil && filepath.IsLocal(inside) {
				path = inside
			}
			if !slices.Contains(missing, path) {
				missing = append(missing, path)
			}
		}
	}
	return missing, nil
}
