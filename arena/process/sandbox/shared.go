package sandbox

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"botarena/arena"
)

// SharedFolders says in words which folders bots in strict sandboxes can read that
// hold what other bots, or others, keep there: files that a rival's command names,
// a rival's folder. Others are further files by what they are, such as "the
// database". There is a line a folder.
func SharedFolders(bots []arena.Bot, others map[string]string) []string {
	readers, owners := map[string][]string{}, map[string][]string{}
	for i := range bots {
		if bots[i].Sandbox != arena.SandboxStrict {
			continue
		}
		for _, path := range bots[i].SandboxRead {
			if strings.HasPrefix(path, "~") || bots[i].Dir == "" {
				continue // what bots have in common there, such as networks, is meant
			}
			folder := resolved(place(bots[i].Dir, path))
			readers[folder] = append(readers[folder], bots[i].Name)
		}
	}
	for folder, by := range readers {
		for i := range bots {
			for _, file := range files(&bots[i]) {
				if inside(file, folder) && !slices.Contains(owners[folder], bots[i].Name) {
					owners[folder] = append(owners[folder], bots[i].Name)
				}
			}
		}
		if len(owners[folder]) == 1 && slices.Equal(owners[folder], by) {
			owners[folder] = nil
		}
		for what, file := range others {
			if inside(resolved(file), folder) {
				owners[folder] = append(owners[folder], what)
			}
		}
	}
	var lines []string
	for _, folder := range slices.Sorted(maps.Keys(readers)) {
		if len(owners[folder]) > 0 {
			lines = append(lines, fmt.Sprintf("the strict sandbox of %s shows %s, where there is what belongs to %s: give each bot a dir of its own, or list less in sandbox_read",
				some(readers[folder]), folder, some(owners[folder])))
		}
	}
	return lines
}

// files returns the files that a bot's command names; another bot may share a library or an
// interpreter with it, so of folders only its own counts.
func files(b *arena.Bot) []string {
	var all []string
	for _, word := range slices.Concat(b.Command, b.Args) {
		for _, file := range Named(b.Dir, word) {
			all = append(all, resolved(file))
		}
	}
	if slices.Contains(b.SandboxRead, ".") {
		all = append(all, resolved(b.Dir))
	}
	return all
}

func resolved(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

func inside(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// some joins names, a few of them.
func some(names []string) string {
	const most = 4
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d others", strings.Join(names[:most], ", "), len(names)-most)
}
