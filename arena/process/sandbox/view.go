package sandbox

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A View lists the files that a strict sandbox shows beside the system directories: files
// and folders under their real names, and the symbolic links that lead to them.
type View struct {
	Program string   // the file that is really to be started
	Path    []string // folders to be looked into before those of PATH

	home  string // real; "" for none
	told  string // the bot's folder, as the entry has it
	dir   string // the same, real
	shown map[string]bool
	links map[string]string // path to target, as the link has it

	within   []string // real folders that a stranger's files are in; nil: no stranger's
	trusting bool     // what is looked at is the user's own, a program of PATH
}

func newView(home, folder string) *View {
	dir := folder
	for _, path := range []*string{&home, &dir} {
		if end, err := filepath.EvalSymlinks(*path); err == nil && *path != "" {
			*path = end
		}
	}
	return &View{home: home, told: folder, dir: dir, shown: map[string]bool{}, links: map[string]string{}}
}

// own reports whether the sandbox has something of its own, or of the system's,
// at a path.
func own(path string) bool {
	if slices.ContainsFunc(SystemDirs(), func(dir string) bool { return under(path, dir) }) {
		return true
	}
	return isSetting(path) || under(path, "/proc") || under(path, "/dev")
}

// real follows a path as the kernel does, and returns where it ends and the
// links on the way, those among the system's own left out.
func real(path string) (end string, links map[string]string, err error) {
	links = map[string]string{}
	end = "/"
	rest := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for hops := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			end = filepath.Dir(end)
			continue
		}
		next := filepath.Join(end, name)
		info, err := os.Lstat(next)
		if err != nil {
			return "", nil, err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			end = next
			continue
		}
		if hops++; hops > 40 {
			return "", nil, &fs.PathError{Op: "follow", Path: path, Err: fmt.Errorf("too many symbolic links")}
		}
		target, err := os.Readlink(next)
		if err != nil {
			return "", nil, err
		}
		if !own(next) {
			links[next] = target
		}
		if filepath.IsAbs(target) {
			end = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return end, links, nil
}

// add shows an existing file or folder, an absolute path, with the links that lead to
// it. Folders that contain the user's home are refused.
func (v *View) add(path string) error {
	end, links, err := real(path)
	if err != nil {
		return err
	}
	if v.holdsHome(end) {
		return &Error{
			Why:  fmt.Sprintf("%s holds the user's home, which would be shown to the bot", path),
			Hint: "put the bot into a folder of its own and name that as its dir, or name less in sandbox_read",
		}
	}
	if !v.may(end) {
		return &Error{Why: fmt.Sprintf("%s is not among what the owner of this machine shares", path), Hint: "arena worker --share shares a folder"}
	}
	if !v.trusting && !v.covers(end) && v.private(end) {
		for link := range links {
			if under(link, v.dir) {
				return &Error{
					Why:  fmt.Sprintf("the symbolic link %s in the bot's folder leads to %s, which is kept from other users", link, end),
					Hint: "name that path itself in sandbox_read if the bot may read it",
				}
			}
		}
	}
	maps.Copy(v.links, links)
	if own(end) {
		return nil
	}
	if err := openToOthers(end); err != nil {
		return err
	}
	v.shown[end] = true
	return nil
}

// private reports whether a path is kept from other users, by its own permissions or
// those of a folder that holds neither the bot nor the user's home.
func (v *View) private(path string) bool {
	for at := path; !under(v.dir, at) && !under(v.home, at); at = filepath.Dir(at) {
		need := os.FileMode(0o004)
		info, err := os.Stat(at)
		if err == nil && info.IsDir() {
			need = 0o001
		}
		if err != nil || info.Mode()&need == 0 {
			return true
		}
	}
	return false
}

// may reports whether a real path may be shown.
func (v *View) may(path string) bool {
	return v.within == nil || v.trusting || own(path) || slices.ContainsFunc(v.within, func(dir string) bool { return under(path, dir) })
}

// try shows a path if that is possible.
func (v *View) try(path string) { _ = v.add(path) }

func (v *View) holdsHome(path string) bool {
	return path == "/" || (v.home != "" && under(v.home, path))
}

// sees reports whether a path can be reached in the sandbox.
func (v *View) sees(path string) bool {
	end, links, err := real(path)
	if err != nil {
		return false
	}
	for link, target := range links {
		if v.links[link] != target && !v.covers(filepath.Dir(link)) {
			return false
		}
	}
	return own(end) || v.covers(end)
}

// covers reports whether a real path is shown.
func (v *View) covers(path string) bool {
	for shown := range v.shown {
		if under(path, shown) {
			return true
		}
	}
	return false
}

// Arguments returns bwrap's arguments for the view, parents first: a folder is shown
// with everything in it, links included. The bot's own folder exists in the sandbox,
// with nothing more than the view shows of it.
func (v *View) Arguments() ([]string, error) {
	args, err := v.folder()
	if err != nil {
		return nil, err
	}
	made := map[string]bool{"/tmp": true}
	parents := func(path string) {
		var up []string
		for dir := filepath.Dir(path); dir != "/" && !own(dir); dir = filepath.Dir(dir) {
			up = append(up, dir)
		}
		for _, dir := range slices.Backward(up) {
			if !made[dir] && !v.covers(dir) {
				made[dir] = true
				args = append(args, "--perms", "0755", "--dir", dir) // bwrap would shut others out of it
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(v.shown)) {
		if !v.covers(filepath.Dir(path)) {
			parents(path)
			args = append(args, "--ro-bind", path, path)
		}
	}
	for _, link := range slices.Sorted(maps.Keys(v.links)) {
		if !v.covers(filepath.Dir(link)) {
			parents(link)
			args = append(args, "--symlink", v.links[link], link)
		}
	}
	return args, nil
}

// folder makes the folder in which the bot is started.
func (v *View) folder() (args []string, err error) {
	end, links, err := real(v.told)
	if err != nil {
		return nil, err
	}
	maps.Copy(v.links, links)
	if own(end) || v.covers(end) {
		return nil, nil
	}
	for at := end; at != "/" && at != "/tmp"; at = filepath.Dir(at) {
		args = append([]string{"--perms", "0755", "--dir", at}, args...)
	}
	return args, nil
}

// openToOthers returns an error if the user of a sandboxed bot cannot read a path; only
// as root does that user differ from arena's.
func openToOthers(path string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return &Error{Why: err.Error(), Hint: "correct the path"}
	}
	need := os.FileMode(0o004)
	if info.IsDir() {
		need = 0o005
	}
	if info.Mode()&need != need {
		return &Error{
			Why:  fmt.Sprintf("%s cannot be read by the unprivileged user that the bot runs as", path),
			Hint: "chmod -R o+rX " + path,
		}
	}
	return nil
}

// Missing lists existing files and folders that are not shown and that the bot's output
// names. Those under the bot's folder are relative to it.
func (v *View) Missing(said string) []string {
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
			path := place(v.told, name)
			end, _, err := real(path)
			if err != nil || own(end) || v.holdsHome(end) || v.sees(path) || under(v.told, end) {
				continue
			}
			if strings.HasSuffix(name, "/__init__.py") {
				path = filepath.Dir(path)
			}
			if inside, err := filepath.Rel(v.told, filepath.Clean(path)); err == nil && filepath.IsLocal(inside) {
				path = inside
			}
			if !slices.Contains(missing, path) {
				missing = append(missing, path)
			}
		}
	}
	return missing
}
