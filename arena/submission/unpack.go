package submission

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/dustin/go-humanize"
)

// Unpack makes the folder dir, absolute, of a file that was handed in under a name. Where
// dir exists already, nothing is done: it is only ever there as a whole. The error is a
// *RefusedError, ctx's or the disk's.
func Unpack(ctx context.Context, file, name, dir string, limits Limits) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return place(dir, func(root *os.Root) error {
		t := newTree(ctx, root, limits)
		if err := t.take(f, baseName(name)); err != nil {
			return refusing(err)
		}
		return refusing(t.finish())
	})
}

// place makes a folder by filling one beside it, which then takes its place.
func place(dir string, fill func(*os.Root) error) error {
	part := dir + ".part"
	if err := os.RemoveAll(part); err != nil { // of an attempt that was cut off
		return err
	}
	if err := os.MkdirAll(part, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(part)
	if err != nil {
		return err
	}
	err = fill(root)
	from := part
	if err == nil {
		from, err = single(root, part)
	}
	err = errors.Join(err, root.Close())
	if err == nil {
		err = errors.Join(os.RemoveAll(dir), os.Rename(from, dir))
	}
	return errors.Join(err, os.RemoveAll(part))
}

// single returns the only folder in a root, if there is nothing else in it, else dir, which
// is the root's own path. Whichever it is gets open to the user of a sandbox.
func single(root *os.Root, dir string) (string, error) {
	entries, err := readDir(root, ".", 2)
	if err != nil {
		return "", err
	}
	if len(entries) == 1 && entries[0].IsDir() {
		return filepath.Join(dir, entries[0].Name()), nil
	}
	return dir, root.Chmod(".", 0o755)
}

// baseName returns the last part of a file's name as a browser of any system gives it.
func baseName(name string) string {
	return name[strings.LastIndexAny(name, `/\`)+1:]
}

// An invalid error says what is wrong with a submission: it becomes a RefusedError.
type invalid string

func (e invalid) Error() string { return string(e) }

func wrong(format string, args ...any) error { return invalid(fmt.Sprintf(format, args...)) }

// refusing makes a *RefusedError from an error about the submission; others stay.
func refusing(err error) error {
	var why invalid
	if errors.As(err, &why) {
		return &RefusedError{Reason: why.sentence(), why: why}
	}
	return err
}

// sentence returns what is wrong as a sentence. What begins with a name, as a problem of a
// file does, stays as it is.
func (e invalid) sentence() string {
	word, _, _ := strings.Cut(string(e), " ")
	if word == "" || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") != "" {
		return string(e)
	}
	return strings.ToUpper(word[:1]) + string(e)[1:] + "."
}

// A format is a file's, told by its first bytes.
type format struct {
	begin string
	at    int
	take  func(*tree, *os.File) error
	other string // the name of a format that is not taken
}

// formats lists the formats of files that are taken, and of others that are often handed in.
func formats() []format {
	return []format{
		{begin: "PK\x03\x04", take: (*tree).zip},
		{begin: "PK\x05\x06", take: (*tree).zip}, // empty
		{begin: "\x1f\x8b", take: (*tree).tarGzip},
		{begin: "ustar", at: 257, take: (*tree).tar},
		{begin: "7z\xbc\xaf\x27\x1c", other: "a 7z archive"},
		{begin: "Rar!\x1a\x07", other: "a RAR archive"},
		{begin: "\xfd7zXZ\x00", other: "compressed with xz"},
		{begin: "BZh", other: "compressed with bzip2"},
		{begin: "\x28\xb5\x2f\xfd", other: "compressed with zstd"},
		{begin: "\x7fELF", other: "a program for one kind of machine"},
		{begin: "MZ", other: "a program for Windows"},
		{begin: "\xca\xfe\xba\xbe", other: "a compiled Java class"},
	}
}

// take unpacks a file, or copies it where it is no archive.
func (t *tree) take(f *os.File, name string) error {
	head := make([]byte, 512)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if n == 0 {
		return wrong("%q is empty; hand in a source file, or a zip, tar or tar.gz archive of a folder", name)
	}
	for _, m := range formats() {
		switch head := head[:n]; {
		case len(head) < m.at || !bytes.HasPrefix(head[m.at:], []byte(m.begin)):
		case m.other != "":
			return wrong("%q is %s; hand in a source file, or a zip, tar or tar.gz archive with the sources", name, m.other)
		default:
			return m.take(t, f)
		}
	}
	if isArchive(name) {
		return wrong("%q is named as an archive and is none, or only a part of one; make it anew and hand in all of it", name)
	}
	return t.file(member{name: name}, f)
}

// isArchive reports whether a file has the extension of an archive.
func isArchive(name string) bool {
	name = strings.ToLower(name)
	for _, end := range []string{".zip", ".tar", ".tar.gz", ".tgz", ".gz", ".7z", ".rar", ".tar.xz", ".txz", ".tar.bz2", ".tbz", ".tar.zst"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// tarGzip unpacks a compressed tar archive.
func (t *tree) tarGzip(f *os.File) error {
	plain, err := gzip.NewReader(f)
	if err != nil {
		return unreadable(err)
	}
	if err := t.tarFrom(plain); err != nil {
		return err
	}
	// The checksum stands at the end; what may come before it is bounded as all is.
	if n, err := io.Copy(io.Discard, io.LimitReader(plain, t.limits.Size)); err != nil || n == t.limits.Size {
		return unreadable(err)
	}
	return nil
}

func (t *tree) tar(f *os.File) error { return t.tarFrom(f) }

// tarFrom unpacks a tar archive. What the reader gives is bounded whatever its headers say.
func (t *tree) tarFrom(r io.Reader) error {
	const header = 4096 // a name of 1 KiB, written twice, and padding
	bounded := &io.LimitedReader{R: reading{t.ctx, r}, N: t.limits.Size + int64(t.limits.Files+1)*header}
	archive := tar.NewReader(bounded)
	for first := true; ; first = false {
		h, err := archive.Next()
		switch {
		case errors.Is(err, io.EOF):
			return t.ctx.Err()
		case err != nil && t.ctx.Err() != nil:
			return t.ctx.Err()
		case err != nil && bounded.N <= 0:
			return t.tooLarge()
		case err != nil && first:
			return wrong("it is compressed, and what is inside is no tar archive (%v); hand in a source file as it is, or make the archive with tar -czf bot.tar.gz FOLDER", err)
		case err != nil:
			return unreadable(err)
		}
		if err := t.tarMember(archive, h); err != nil {
			return err
		}
	}
}

func (t *tree) tarMember(archive *tar.Reader, h *tar.Header) error {
	m := member{name: h.Name, executable: h.FileInfo().Mode()&0o111 != 0}
	switch h.Typeflag {
	case tar.TypeReg, tar.TypeGNUSparse:
		return t.file(m, archive)
	case tar.TypeDir:
		return t.folder(m)
	case tar.TypeSymlink:
		return t.link(m, h.Linkname)
	case tar.TypeLink:
		return t.hardLink(m, h.Linkname)
	case tar.TypeXGlobalHeader:
		return nil // git writes the commit there
	}
	return wrong("%q is a device or a pipe; an archive holds files, folders and links among them", h.Name)
}

// unreadable reports an archive that cannot be read to its end; nil if it is only longer
// than it should be.
func unreadable(err error) error {
	if err == nil {
		return wrong("something follows the end of the archive; make it anew")
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var of *fs.PathError
	if errors.As(err, &of) {
		var disk syscall.Errno
		if errors.As(of.Err, &disk) {
			return err
		}
		err = of.Err // the path is nobody's business
	}
	return wrong("the archive is damaged or was cut off (%v); make it anew and hand in all of it", err)
}

func (t *tree) tooLarge() error {
	return wrong("its files have more than %s together; leave out what the bot does not need", humanize.IBytes(uint64(t.limits.Size)))
}

func (t *tree) tooMany() error {
	return wrong("it has more than %d files and folders; leave out what the bot does not need", t.limits.Files)
}

// reading ends with its context.
type reading struct {
	ctx context.Context
	r   io.Reader
}

func (r reading) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(b)
}

// ignored reports whether a path is what version control, Python or macOS keep beside the
// files.
func ignored(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		switch part {
		case ".git", ".hg", ".svn", "__pycache__", "__MACOSX", ".DS_Store":
			return true
		}
	}
	return strings.HasPrefix(path.Base(name), "._") // macOS, in tar archives
}
