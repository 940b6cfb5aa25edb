package sandbox

import (
	"bufio"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// An Entry is a program as a bot's entry names it.
type Entry struct {
	Program   string   // the absolute path that the command means
	Arguments []string // of the command
	Dir       string   // where it is started, absolute
	Show      []string // what is shown beside, as process.Spec has it
	Within    []string // if it is not nil, the folders of a stranger's files, as process.Spec has it
	Tools     []string // programs of Path to be found, too, whoever asks for them
	Home      string   // the user's own folder; "" for none
	Path      string   // PATH
	// Find finds a program in Path; Ask runs a command in a folder, with additional
	// environment, and returns its output.
	Find func(name string) (string, error)
	Ask  func(dir string, env []string, command ...string) (string, error)
	// Known caches the answers of version managers.
	Known *sync.Map
}

// Look computes what a sandbox must show for a program: its file with what that needs,
// what its arguments name, and what its entry lists.
//
// Needed files may lie outside of the system's directories: the interpreter of a
// script, the program behind a version manager's shim, the libraries of an
// interpreter's installation, the base of a virtual environment, the libraries that an
// executable names.
func Look(e Entry) (*View, error) {
	n := &needs{View: newView(e.Home, e.Dir), entry: e, seen: map[string]bool{}}
	if e.Within != nil {
		n.within = []string{}
		for _, dir := range e.Within {
			if end, _, err := real(dir); err == nil {
				n.within = append(n.within, end)
			}
		}
	}
	err := n.shows(e.Show)
	if err == nil {
		n.Program, err = n.program(e.Program)
	}
	for _, name := range e.Tools {
		if err == nil {
			n.trusting = true
			err = n.fromPath(name)
			n.trusting = false
		}
	}
	if err == nil && launches(n.Program) {
		err = n.commandsIn(strings.Join(e.Arguments, " "))
	}
	for _, argument := range e.Arguments {
		for _, file := range Named(e.Dir, argument) {
			if err == nil {
				err = n.argument(file, isShell(n.Program))
			}
		}
	}
	return n.View, err
}

// behindShim resolves the shim of a version manager (pyenv, rbenv, nodenv and their
// like, asdf, mise, rustup, volta) by asking the manager once, and returns any other
// file unchanged. A manager runs outside of the sandbox, with arena's environment, so
// only a shim in the user's PATH can name one.
func (n *needs) behindShim(file string) (string, error) {
	if !n.inPath(file) {
		return file, nil
	}
	manager, exports, obeys := managerOf(file)
	if manager == "" {
		return file, nil
	}
	dir := n.entry.Dir
	if n.entry.Within != nil || obeys { // files of the folder tell it nothing
		dir = "/"
	}
	name := filepath.Base(file)
	key := strings.Join([]string{manager, name, dir}, "\x00")
	if found, ok := n.entry.Known.Load(key); ok {
		return found.(string), nil
	}
	said, err := n.entry.Ask(dir, exports, manager, "which", name)
	said = strings.TrimSpace(said)
	found := said[strings.LastIndexByte(said, '\n')+1:] // before it may be warnings
	if err == nil && !filepath.IsAbs(found) {
		err = errors.New("it named no file")
	}
	if again, _, _ := managerOf(found); err == nil && again != "" {
		err = errors.New("it named another shim")
	}
	if err != nil {
		if said == "" {
			said = err.Error()
		}
		why := fmt.Sprintf("%q in %s says: %s", manager+" which "+name, dir, said)
		return "", &Error{
			Why:  file + " is a shim of a version manager, and " + why,
			Hint: "name the program itself in the bot's command",
		}
	}
	n.entry.Known.Store(key, found)
	return found, nil
}

// managerOf returns the version manager whose shim a file is, and what the shim adds to
// its environment; "" if the file is not a shim. obeys reports that files of the folder
// in which the manager runs can make it run or fetch something, not only name a
// version.
func managerOf(file string) (manager string, exports []string, obeys bool) {
	if end, err := filepath.EvalSymlinks(file); err == nil && filepath.Base(end) != filepath.Base(file) {
		switch filepath.Base(end) {
		case "mise", "rustup":
			return end, nil, true
		case "volta-shim":
			return filepath.Join(filepath.Dir(end), "volta"), nil, true
		}
	}
	if filepath.Base(filepath.Dir(file)) == "shims" {
		// A shim script has the lines export PYENV_ROOT="/x", and at its end
		// exec "/x/pyenv" exec "$program" "$@".
		shimRoot := regexp.MustCompile(`(?m)^export ([A-Z]+_ROOT)="?([^"\s]+)"?$`)
		shimLine := regexp.MustCompile(`(?m)^exec "?([^"\s]+)"? exec "[^"]+" "\$@"`)
		text := head(file, 4<<10)
		if found := shimLine.FindStringSubmatch(text); found != nil {
			for _, root := range shimRoot.FindAllStringSubmatch(text, -1) {
				exports = append(exports, root[1]+"="+root[2])
			}
			return found[1], exports, false
		}
	}
	return "", nil, false
}

// head reads the beginning of a file, "" if it cannot be read.
func head(file string, most int64) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	text, _ := io.ReadAll(io.LimitReader(f, most))
	return string(text)
}

// needs collects in a view the files that a command needs.
type needs struct {
	*View
	entry Entry
	seen  map[string]bool   // programs and libraries
	named map[string]string // programs of PATH outside the system, once listed
}

// program shows a program's file with what it needs, and returns the file to start,
// which differs for a shim.
func (n *needs) program(file string) (string, error) {
	defer func(before bool) { n.trusting = before }(n.trusting)
	n.trusting = n.trusting || n.inPath(file) && (file == n.entry.Program || Interpreter(filepath.Base(file)))
	file, err := n.behindShim(file)
	if err != nil {
		return "", err
	}
	if n.seen[file] || !isProgram(file) { // else a file of the bot's could name any of the user's
		return file, nil
	}
	n.seen[file] = true
	if err := n.add(file); err != nil {
		return "", err
	}
	end, links, err := real(file)
	if err != nil {
		return "", err
	}
	n.installation(file)
	for link := range links {
		n.installation(link)
	}
	n.installation(end)
	n.libraries(end)
	if own(end) && file == n.entry.Program {
		n.try(filepath.Join("/etc", filepath.Base(end))) // an engine's book or settings
	}
	return file, n.interpreter(strings.Fields(Shebang(end)), end)
}

// Shebang returns the first line of a script without its "#!", "" for other files and for
// unreadable ones, which may be startable.
func Shebang(file string) string {
	line, script := strings.CutPrefix(head(file, 256), "#!")
	if !script {
		return ""
	}
	line, _, _ = strings.Cut(line, "\n")
	return line
}

func isFile(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular()
}

func isProgram(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

func (n *needs) inPath(file string) bool {
	return slices.Contains(filepath.SplitList(n.entry.Path), filepath.Dir(file))
}

// interpreter shows the interpreter that a script's first line names.
func (n *needs) interpreter(words []string, script string) error {
	if len(words) == 0 || !filepath.IsAbs(words[0]) {
		return nil
	}
	if _, err := n.program(words[0]); err != nil {
		return err
	}
	switch {
	case filepath.Base(words[0]) == "env":
		for _, word := range words[1:] {
			if !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
				return n.fromPath(word)
			}
		}
	case isShell(words[0]):
		return n.commandsIn(head(script, 64<<10))
	}
	return nil
}

// fromPath shows the program of a name, and makes it available by that name in the
// sandbox.
func (n *needs) fromPath(name string) error {
	file, err := n.entry.Find(name)
	if err != nil || own(file) || n.within != nil && !n.trusting && !Interpreter(name) {
		return nil //nolint:nilerr // the bot may never start it
	}
	if file, err = n.program(file); err != nil {
		return err
	}
	if dir := filepath.Dir(file); filepath.Base(file) == name && !slices.Contains(n.Path, dir) {
		n.Path = append(n.Path, dir)
	}
	return nil
}

// launches reports whether a program starts those that its arguments name.
func launches(program string) bool {
	return isShell(program) || slices.Contains([]string{"env", "nice", "timeout", "stdbuf", "taskset", "setsid", "ionice", "chrt"}, filepath.Base(program))
}

func isShell(program string) bool {
	return slices.Contains([]string{"sh", "bash", "dash", "zsh", "ksh", "ash"}, filepath.Base(program))
}

// commandsIn shows the programs outside of the system that a shell script may start:
// those of PATH whose names occur in its text.
func (n *needs) commandsIn(text string) error {
	if n.named == nil {
		n.named = map[string]string{}
		for _, dir := range filepath.SplitList(n.entry.Path) {
			if !filepath.IsAbs(dir) || own(dir) {
				continue
			}
			entries, _ := os.ReadDir(dir)
			for _, entry := range entries {
				if _, ok := n.named[entry.Name()]; !ok {
					n.named[entry.Name()] = dir
				}
			}
		}
	}
	words := strings.FieldsFunc(text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_-.+", r)
	})
	for _, word := range words {
		if n.named[word] == "" {
			continue
		}
		delete(n.named, word)
		if err := n.fromPath(word); err != nil {
			return err
		}
	}
	return nil
}

// installation shows the libraries of the interpreter's installation that a
// program is in (PREFIX/bin/NAME), and the base of a virtual environment.
func (n *needs) installation(program string) {
	bin := filepath.Dir(program)
	prefix := filepath.Dir(bin)
	if filepath.Base(bin) != "bin" && filepath.Base(bin) != "Scripts" || own(prefix) || n.holdsHome(prefix) || n.seen[prefix] {
		return
	}
	n.seen[prefix] = true
	if config := filepath.Join(prefix, "pyvenv.cfg"); isFile(config) {
		n.try(config)
		n.try(filepath.Join(prefix, "lib"))
		n.try(filepath.Join(prefix, "lib64"))
		for line := range strings.Lines(head(config, 16<<10)) {
			key, value, _ := strings.Cut(line, "=")
			value = strings.TrimSpace(value)
			switch strings.TrimSpace(key) {
			case "home":
				n.installation(filepath.Join(value, filepath.Base(program)))
			case "executable", "base-executable":
				_, _ = n.program(value)
			}
		}
		return
	}
	if _, err := os.Stat(filepath.Join(prefix, "pkg", "tool")); err == nil { // Go's
		for _, part := range []string{"VERSION", "go.env", "lib", "pkg", "src"} {
			n.try(filepath.Join(prefix, part))
		}
		return
	}
	// What tells an installation from any folder with a bin and a lib.
	for _, sign := range []string{"lib/python*", "lib/pypy*", "lib/node_modules", "lib/modules", "lib/server", "jre/lib", "lib/ruby", "lib/perl*", "lib/julia", "lib/rustlib", "lib/lua", "lib/ocaml", "lib/erlang", "lib/ghc*"} {
		if found, _ := filepath.Glob(filepath.Join(prefix, sign)); len(found) == 0 {
			continue
		}
		for _, part := range []string{"lib", "lib64", "libexec", "conf", "jre", "share/julia", "etc/julia"} {
			n.try(filepath.Join(prefix, part))
		}
		return
	}
}

// libraries shows the libraries and the loader that an executable names by path, and
// those that these need.
func (n *needs) libraries(file string) {
	f, err := elf.Open(file)
	if err != nil {
		return // no such program
	}
	defer func() { _ = f.Close() }()
	for _, part := range f.Progs {
		if part.Type == elf.PT_INTERP {
			name, _ := bufio.NewReader(part.Open()).ReadString(0)
			n.tryELF(strings.TrimSuffix(name, "\x00"))
		}
	}
	var places []string
	for _, tag := range []elf.DynTag{elf.DT_RPATH, elf.DT_RUNPATH} {
		entries, _ := f.DynString(tag)
		for _, entry := range entries {
			places = append(places, filepath.SplitList(entry)...)
		}
	}
	needed, _ := f.ImportedLibraries()
	for _, place := range places {
		place = strings.NewReplacer("$ORIGIN", filepath.Dir(file), "${ORIGIN}", filepath.Dir(file)).Replace(place)
		for _, name := range needed {
			library := filepath.Join(place, name)
			if !filepath.IsAbs(library) || own(library) || n.seen[library] || !isFile(library) {
				continue
			}
			n.seen[library] = true
			n.tryELF(library)
			if end, err := filepath.EvalSymlinks(library); err == nil {
				n.libraries(end)
			}
		}
	}
}

// tryELF shows a library or a loader, and no other file that an executable names.
func (n *needs) tryELF(file string) {
	if f, err := elf.Open(file); err == nil {
		_ = f.Close()
		n.try(file)
	}
}

// shows shows what the entry lists.
func (n *needs) shows(list []string) error {
	for _, entry := range list {
		path := entry
		if entry == "~" || strings.HasPrefix(entry, "~/") {
			if n.home == "" {
				return &Error{Why: "the user's home is not known, which sandbox_read asks for: " + entry, Hint: "write the whole path"}
			}
			path = n.home + entry[1:]
		}
		err := n.add(place(n.entry.Dir, path))
		if errors.Is(err, fs.ErrNotExist) {
			return &Error{Why: fmt.Sprintf("sandbox_read names %q, which does not exist", entry), Hint: "correct it; paths are relative to the bot's dir"}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// argument shows a file or folder that an argument names; script tells that it is
// a shell's. One that would show the user's home is meant otherwise.
func (n *needs) argument(file string, script bool) error {
	end, _, err := real(file)
	if err != nil || n.holdsHome(end) || own(end) || !n.may(end) {
		return nil //nolint:nilerr // the bot may never open it
	}
	if err := n.add(file); err != nil {
		return err
	}
	if script && isFile(end) {
		return n.commandsIn(head(end, 64<<10))
	}
	return nil
}
