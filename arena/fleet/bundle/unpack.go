package bundle

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// A DamagedError reports that an archive, or what was unpacked of it, is not what its
// ID names.
type DamagedError struct {
	ID  ID
	Why string
}

// Error reports what is wrong.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("bundle %s is damaged or was tampered with: %s", e.ID.Short(), e.Why)
}

// Unpack reads the compressed archive of a bundle and writes its files into the empty
// folder root. The input need not be trusted: the error is a *DamagedError unless it is
// ctx's or the disk's, and nothing is written outside of root. The caller removes what
// was written before an error.
func Unpack(ctx context.Context, r io.Reader, id ID, root string, limits Limits) (Manifest, error) {
	u := &unpacking{id: id, limits: limits, sum: sha256.New()}
	dir, err := os.OpenRoot(root)
	if err != nil {
		return Manifest{}, err
	}
	defer func() { _ = dir.Close() }()
	u.root = dir
	plain, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(window), zstd.WithDecoderMaxMemory(uint64(limits.Size)+uint64(2*mostManifest)+uint64(limits.Files)*2048))
	if err != nil {
		return Manifest{}, err
	}
	defer plain.Close()
	// Tar pads files to 512 bytes and writes long names twice.
	most := limits.Size + 2*mostManifest + int64(limits.Files)*4096
	u.from = &source{r: io.TeeReader(io.LimitReader(plain, most+1), u.sum), ctx: ctx}
	if err := u.all(); err != nil {
		return u.manifest, err
	}
	if got := ID(hex.EncodeToString(u.sum.Sum(nil))); got != id {
		return u.manifest, u.damaged("its contents have the hash %s", got.Short())
	}
	return u.manifest, nil
}

// A source separates errors of reading from those of the contents.
type source struct {
	r   io.Reader
	ctx context.Context
	err error
}

func (s *source) Read(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		s.err = err
		return 0, err
	}
	n, err := s.r.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

type unpacking struct {
	id       ID
	limits   Limits
	root     *os.Root
	from     *source
	sum      hash.Hash
	manifest Manifest
	last     string // path of the file before
	size     int64
	files    int
}

func (u *unpacking) damaged(format string, args ...any) error {
	return &DamagedError{u.id, fmt.Sprintf(format, args...)}
}

// unreadable returns the error of reading the archive.
func (u *unpacking) unreadable(err error) error {
	if ctxErr := u.from.ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	return u.damaged("it cannot be read: %v", err)
}

func (u *unpacking) all() error {
	archive := tar.NewReader(u.from)
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return u.unreadable(err)
		}
		if err := u.entry(archive, h); err != nil {
			return err
		}
	}
	if u.manifest.Format == 0 {
		return u.damaged("it is empty")
	}
	// What follows the archive counts for the hash, too.
	if _, err := io.Copy(io.Discard, u.from); err != nil {
		return u.unreadable(err)
	}
	return nil
}

func (u *unpacking) entry(archive io.Reader, h *tar.Header) error {
	if h.Typeflag != tar.TypeReg || h.Linkname != "" {
		return u.damaged("%q is no regular file", h.Name)
	}
	if u.manifest.Format == 0 {
		if h.Name != manifestName || h.Size > mostManifest {
			return u.damaged("it does not begin with %s", manifestName)
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			return u.unreadable(err)
		}
		if u.manifest, err = decodeManifest(data); err != nil {
			return u.damaged("%v", err)
		}
		return u.write(bytes.NewReader(data), manifestName, 0o444)
	}
	if err := PlainPath(h.Name); err != nil {
		return u.damaged("%v", err)
	}
	if !below(h.Name) {
		return u.damaged("%q lies beside its folders", h.Name)
	}
	if h.Name <= u.last {
		return u.damaged("%q is not in order", h.Name)
	}
	u.last = h.Name
	u.files++
	if h.Size < 0 || h.Size > u.limits.Size-u.size || u.files > u.limits.Files {
		return u.damaged("it has more than %d bytes or %d files", u.limits.Size, u.limits.Files)
	}
	u.size += h.Size
	mode := fs.FileMode(0o444)
	if _, ok := slices.BinarySearch(u.manifest.Executable, h.Name); ok {
		mode = 0o555
	}
	return u.write(archive, h.Name, mode)
}

// write makes a file that anyone may read and nobody write: a strict sandbox may
// run its bot as another user.
func (u *unpacking) write(r io.Reader, name string, mode fs.FileMode) error {
	if dir := path.Dir(name); dir != "." {
		if err := u.root.MkdirAll(dir, 0o755); err != nil {
			return u.place(name, err)
		}
	}
	f, err := u.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return u.place(name, err)
	}
	read := &source{r: r, ctx: u.from.ctx}
	_, err = io.Copy(f, read)
	if err == nil && runtime.GOOS != "windows" {
		err = f.Chmod(mode)
	}
	closeErr := f.Close()
	switch {
	case read.err != nil:
		return u.unreadable(read.err)
	case err != nil:
		return err
	}
	return closeErr
}

// place separates the errors of an inconsistent archive from those of the disk.
func (u *unpacking) place(name string, err error) error {
	if errors.Is(err, fs.ErrExist) || strings.Contains(err.Error(), "not a directory") || strings.Contains(err.Error(), "file name too long") {
		return u.damaged("%q cannot be placed: %v", name, err)
	}
	return err
}

// Verify checks the ID of the files unpacked in root. The error is a *DamagedError if
// it differs, or that of reading.
func Verify(ctx context.Context, root string, id ID) (Manifest, error) {
	damaged := func(format string, args ...any) (Manifest, error) {
		return Manifest{}, &DamagedError{id, fmt.Sprintf(format, args...)}
	}
	data, err := os.ReadFile(filepath.Join(root, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return damaged("%s is gone", manifestName)
	}
	if err != nil {
		return Manifest{}, err
	}
	m, err := decodeManifest(data)
	if err != nil {
		return damaged("%v", err)
	}
	var files []file
	err = filepath.WalkDir(root, func(at string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, at)
		if err != nil || rel == manifestName {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		if !info.Mode().IsRegular() {
			return &DamagedError{id, fmt.Sprintf("%q is no regular file", name)}
		}
		executable := info.Mode()&0o100 != 0
		if runtime.GOOS == "windows" {
			_, executable = slices.BinarySearch(m.Executable, name)
		}
		files = append(files, file{name, at, executable})
		return nil
	})
	if err != nil {
		return m, err
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	sum := sha256.New()
	if err := writeArchive(ctx, sum, m, files); err != nil {
		return m, err
	}
	if got := ID(hex.EncodeToString(sum.Sum(nil))); got != id {
		return damaged("its files have the hash %s", got.Short())
	}
	return m, nil
}
