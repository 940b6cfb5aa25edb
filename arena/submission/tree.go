package submission

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"botarena/arena/fleet/bundle"
)

const maxPath = 1024 // bytes of a path

// A tree writes the files of a submission below a root, within its limits.
type tree struct {
	ctx    context.Context
	root   *os.Root
	limits Limits
	size   int64             // bytes so far
	names  map[string]string // folded path -> the path as it was written
	links  bool
}

func newTree(ctx context.Context, root *os.Root, limits Limits) *tree {
	return &tree{ctx: ctx, root: root, limits: limits.orDefault(), names: map[string]string{}}
}

// A member is a file, a folder or a link as an archive names it.
type member struct {
	name       string
	executable bool
}

// folded returns a form of a path that is equal for paths that some file system treats
// as one.
func folded(name string) string {
	return norm.NFC.String(strings.ToLower(strings.ToUpper(norm.NFC.String(name))))
}

// enter checks the path of a member and makes the folders above it. It returns the path as
// it is written; "" for one that is left out.
func (t *tree) enter(name string) (string, error) {
	if err := t.ctx.Err(); err != nil {
		return "", err
	}
	if !utf8.ValidString(name) {
		return "", wrong("the name %q is not UTF-8; rename the file with letters that every system knows, and make the archive anew", name)
	}
	if slices.Contains(strings.Split(name, "/"), "..") || strings.HasPrefix(name, "/") {
		return "", wrong("%q leads out of the folder; make the archive from inside of the folder that it holds", name)
	}
	clean := path.Clean(name)
	if clean == "." || ignored(clean) {
		return "", nil
	}
	if err := bundle.PlainPath(clean); err != nil {
		return "", wrong("%v; rename it", err)
	}
	for i, c := range clean {
		if c == '/' {
			if err := t.mkdir(clean[:i]); err != nil {
				return "", err
			}
		}
	}
	return clean, nil
}

// claim reserves a path for a file, a folder or a link, once.
func (t *tree) claim(name string) error {
	key := folded(name)
	switch other, taken := t.names[key]; {
	case !taken:
	case other == name:
		return wrong("%q is there twice; make the archive anew", name)
	default:
		return wrong("%q and %q differ only by upper and lower case or by how their letters are encoded, and not every system tells them apart; rename one", other, name)
	}
	if len(t.names) >= t.limits.Files {
		return t.tooMany()
	}
	t.names[key] = name
	return nil
}

// mkdir makes a folder whose parent exists.
func (t *tree) mkdir(name string) error {
	if t.names[folded(name)] == name {
		if info, err := t.root.Lstat(name); err == nil && !info.IsDir() {
			return wrong("%q is a folder and something else as well; make the archive anew", name)
		}
		return nil
	}
	if err := t.claim(name); err != nil {
		return err
	}
	if err := t.root.Mkdir(name, 0o755); err != nil {
		return placing(name, err)
	}
	return t.root.Chmod(name, 0o755)
}

// placing separates errors of invalid names from those of the disk.
func placing(name string, err error) error {
	if errors.Is(err, fs.ErrExist) || strings.Contains(err.Error(), "file name too long") || strings.Contains(err.Error(), "not a directory") {
		return wrong("%q cannot be written (%v); rename it", name, err)
	}
	return err
}

func (t *tree) folder(m member) error {
	name, err := t.enter(m.name)
	if err != nil || name == "" {
		return err
	}
	return t.mkdir(name)
}

// file writes a file. Its owner may write to it, and anyone read it: the sandbox may run
// bots as another user. One that begins as a program does may be executed, too, since
// archives of Windows do not say so.
func (t *tree) file(m member, content io.Reader) error {
	name, err := t.enter(m.name)
	if err != nil || name == "" {
		return err
	}
	if err := t.claim(name); err != nil {
		return err
	}
	f, err := t.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return placing(name, err)
	}
	in := bufio.NewReader(reading{t.ctx, content})
	head, _ := in.Peek(4)
	executable := m.executable || bytes.HasPrefix(head, []byte("#!")) || bytes.HasPrefix(head, []byte("\x7fELF"))
	err = t.write(f, in)
	mode := fs.FileMode(0o644)
	if executable {
		mode = 0o755
	}
	return errors.Join(err, f.Chmod(mode), f.Close())
}

// write copies what the limit of size allows.
func (t *tree) write(f *os.File, content io.Reader) error {
	left := t.limits.Size - t.size
	source := &remembering{r: io.LimitReader(content, left+1)}
	n, err := io.Copy(f, source)
	t.size += n
	switch {
	case t.size > t.limits.Size:
		return t.tooLarge()
	case t.ctx.Err() != nil:
		return t.ctx.Err()
	case source.err != nil:
		return unreadable(source.err)
	}
	return err
}

// remembering separates errors of reading from those of writing.
type remembering struct {
	r   io.Reader
	err error
}

func (r *remembering) Read(b []byte) (int, error) {
	n, err := r.r.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

// link makes a symbolic link; whether it leads to something inside is seen at the end.
func (t *tree) link(m member, target string) error {
	name, err := t.enter(m.name)
	if err != nil || name == "" {
		return err
	}
	if target == "" || len(target) > maxPath || !utf8.ValidString(target) || path.IsAbs(target) || strings.ContainsAny(target, "\\:\x00") {
		return outside(name, target)
	}
	if err := t.claim(name); err != nil {
		return err
	}
	t.links = true
	return t.root.Symlink(filepath.FromSlash(target), name)
}

// hardLink makes another name of a file that is there.
func (t *tree) hardLink(m member, target string) error {
	name, err := t.enter(m.name)
	if err != nil || name == "" {
		return err
	}
	target = path.Clean(target)
	if t.names[folded(target)] != target {
		return outside(name, target)
	}
	if info, err := t.root.Lstat(target); err != nil || !info.Mode().IsRegular() {
		return outside(name, target)
	}
	if err := t.claim(name); err != nil {
		return err
	}
	return t.root.Link(target, name)
}

func outside(name, target string) error {
	return wrong("%q is a link to %q, which is no file of the archive; put the file itself in its place", name, target)
}

// finish checks what was unpacked as a whole.
func (t *tree) finish() error {
	if len(t.names) == 0 {
		return wrong("the archive is empty; put the sources of the bot into it")
	}
	if err := t.notNested(); err != nil || !t.links {
		return err
	}
	return fs.WalkDir(t.root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.Type()&fs.ModeSymlink == 0 {
			return err
		}
		if _, err := t.root.Stat(name); err != nil { // a Root follows no link out of it
			target, _ := t.root.Readlink(name)
			return outside(name, target)
		}
		return t.ctx.Err()
	})
}

// notNested refuses an archive that holds nothing but another one.
func (t *tree) notNested() error {
	inner := ""
	for _, name := range t.names {
		switch info, err := t.root.Lstat(name); {
		case err != nil:
			return err
		case info.IsDir():
		case inner != "" || !isArchive(name):
			return nil
		default:
			inner = name
		}
	}
	if inner == "" {
		return wrong("there are only folders in it, and no file; put the sources of the bot into it")
	}
	return wrong("there is nothing in it but another archive, %q; hand in that one", inner)
}

// readDir lists a folder of a root, at most n entries; all if n is 0.
func readDir(root *os.Root, dir string, n int) ([]fs.DirEntry, error) {
	f, err := root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	entries, err := f.ReadDir(n)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return entries, err
}
