//go:build linux && !portable

package process

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// view lists the files that a strict sandbox shows beside the system directories: files
// and folders under their real names, and the symbolic links that lead to them.
type view struct {
	home  string // real; "" for none
	dir   string // the bot's folder, real
	shown map[string]bool
	links map[string]string // path to target, as the link has it
	path  []string          // folders to be looked into before those of PATH

	within   []string // real folders that a stranger's files are in; nil: no stranger's
	trusting bool     // what is looked at is the user's own, a program of PATH
}

func newView(home, dir string) *view {
	for _, path := range []*string{&home, &dir} {
		if end, err := filepath.EvalSymlinks(*path); err == nil && *path != "" {
			*path = end
		}
	}
	return &view{home: home, dir: dir, shown: map[string]bool{}, links: map[string]string{}}
}

// own reports whether the sandbox has something of its own, or of the system's,
// at a path.
func own(path string) bool {
	if slices.ContainsFunc(systemDirs(), func(dir string) bool { return under(path, dir) }) {
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

// add shows an existing file or folder, an absolute path, with the links that
// lead to it. Refused is what holds the user's home.
func (v *view) add(path string) error {
	end, links, err := real(path)
	if err != nil {
		return err
	}
	if v.holdsHome(end) {
		return &SandboxError{
			Why:  fmt.Sprintf("%s holds the user's home, which would be shown to the bot", path),
			Hint: "put the bot into a folder of its own and name that as its dir, or name less in sandbox_read",
		}
	}
	if !v.may(end) {
		return &SandboxError{Why: fmt.Sprintf("%s is not among what the owner of this machine shares", path), Hint: "arena worker --share shares a folder"}
	}
	if !v.trusting && !v.covers(end) && v.private(end) {
		for link := range links {
			if under(link, v.dir) {
				return &SandboxError{
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
func (v *view) private(path string) bool {
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
func (v *view) may(path string) bool {
	return v.within == nil || v.trusting || own(path) || slices.ContainsFunc(v.within, func(dir string) bool { return under(path, dir) })
}

// shows shows what a Spec lists.
func (n *needs) shows(list []string) error {
	for _, entry := range list {
		path := entry
		if entry == "~" || strings.HasPrefix(entry, "~/") {
			if n.home == "" {
				return &SandboxError{Why: "the user's home is not known, which sandbox_read asks for: " + entry, Hint: "write the whole path"}
			}
			path = n.home + entry[1:]
		}
		err := n.add(place(n.dir, path))
		if errors.Is(err, fs.ErrNotExist) {
			return &SandboxError{Why: fmt.Sprintf("sandbox_read names %q, which does not exist", entry), Hint: "correct it; paths are relative to the bot's dir"}
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
	if script && isFile("/", end) {
		return n.commandsIn(head(end, 64<<10))
	}
	return nil
}

// try shows what may be needed and can be shown.
func (v *view) try(path string) { _ = v.add(path) }

func (v *view) holdsHome(path string) bool {
	return path == "/" || (v.home != "" && under(v.home, path))
}

// sees reports whether a path can be reached in the sandbox.
func (v *view) sees(path string) bool {
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
func (v *view) covers(path string) bool {
	for shown := range v.shown {
		if under(path, shown) {
			return true
		}
	}
	return false
}

// arguments are bwrap's for the view, parents first: a folder that is shown
// shows what is in it, links included.
func (v *view) arguments() []string {
	var args []string
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
	return args
}

// folder returns where the bot is started: a path that must exist, of which nothing is
// shown.
func (v *view) folder(dir string) (args []string, err error) {
	end, links, err := real(dir)
	if err != nil {
		return nil, &DirError{Dir: dir, Err: err}
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

// openToOthers reports whether the user of a sandboxed bot can read a path; only
// under root is that another user than arena's.
func openToOthers(path string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return &SandboxError{Why: err.Error(), Hint: "correct the path"}
	}
	need := os.FileMode(0o004)
	if info.IsDir() {
		need = 0o005
	}
	if info.Mode()&need != need {
		return &SandboxError{
			Why:  fmt.Sprintf("%s cannot be read by the unprivileged user that the bot runs as", path),
			Hint: "chmod -R o+rX " + path,
		}
	}
	return nil
}
