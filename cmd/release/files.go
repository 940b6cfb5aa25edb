package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A file goes into archives and packages.
type file struct {
	name string // with slashes
	mode fs.FileMode
	data []byte
}

// common returns what is in the archives of all platforms: documents, event files, example
// bots, manual pages and completions.
func (r *release) common(ctx context.Context) ([]file, error) {
	files, err := r.tracked(ctx, "LICENSE", "README.md", "configs", "bots/examples", "cmd/release/README.md")
	if err != nil {
		return nil, err
	}
	for i := range files {
		if files[i].name == "cmd/release/README.md" {
			files[i].name = "CHANGELOG.md"
			files[i].data = changelog(files[i].data)
		}
	}
	pages := filepath.Join(r.work, "man")
	if err := os.MkdirAll(pages, 0o777); err != nil {
		return nil, err
	}
	if _, err := r.command(ctx, r.work, nil, r.native(), "man-pages", pages); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(pages)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		page, err := os.ReadFile(filepath.Join(pages, e.Name()))
		if err != nil {
			return nil, err
		}
		files = append(files, file{"man/" + e.Name(), 0o644, page})
	}
	for shell, name := range map[string]string{"bash": "arena.bash", "zsh": "_arena", "fish": "arena.fish", "powershell": "arena.ps1"} {
		script, err := r.command(ctx, r.work, nil, r.native(), "completion", shell)
		if err != nil {
			return nil, err
		}
		files = append(files, file{"completions/" + name, 0o644, script})
	}
	return files, nil
}

// changelog returns the part of the release's README that tells users what has changed.
func changelog(readme []byte) []byte {
	_, text, _ := bytes.Cut(readme, []byte("\n## Changelog\n"))
	text, _, _ = bytes.Cut(text, []byte("\n## "))
	return append([]byte("# Changelog\n"), bytes.ReplaceAll(text, []byte("\n### "), []byte("\n## "))...)
}

// tracked returns files of the commit below those paths; all files without one.
func (r *release) tracked(ctx context.Context, paths ...string) (files []file, err error) {
	list, err := r.command(ctx, r.root, nil, "git", append([]string{"ls-files", "-z", "--"}, paths...)...)
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		path := filepath.Join(r.root, filepath.FromSlash(name))
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		files = append(files, file{name, modeOf(info.Mode()), data})
	}
	return files, nil
}

// modeOf returns the mode of a file whatever the umask was when it was checked out.
func modeOf(m fs.FileMode) fs.FileMode {
	if m&0o100 != 0 {
		return 0o755
	}
	return 0o644
}

// source returns the commit's files, and the modules that it is built from: it builds
// without a network.
func (r *release) source(ctx context.Context) ([]file, error) {
	files, err := r.tracked(ctx)
	if err != nil {
		return nil, err
	}
	vendor := filepath.Join(r.work, "vendor")
	if _, err := r.command(ctx, r.root, []string{"GOFLAGS=", "GOWORK=off"}, "go", "mod", "vendor", "-o", vendor); err != nil {
		return nil, err
	}
	err = filepath.WalkDir(vendor, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, relErr := filepath.Rel(r.work, path)
		files = append(files, file{filepath.ToSlash(name), 0o644, data})
		return cmp.Or(err, relErr)
	})
	return files, err
}

// sorted returns the files by name.
func sorted(files []file) []file {
	return slices.SortedFunc(slices.Values(files), func(a, b file) int { return cmp.Compare(a.name, b.name) })
}

// tarball packs files below a folder.
func tarball(files []file, folder string, at time.Time) ([]byte, error) {
	packed, err := tarred(func(w *tar.Writer) error {
		for _, f := range sorted(files) {
			if err := addTo(w, folder+"/"+f.name, f, at, 0); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return compressed(packed)
}

// tarred returns an archive of what add adds to it.
func tarred(add func(*tar.Writer) error) ([]byte, error) {
	var packed bytes.Buffer
	w := tar.NewWriter(&packed)
	err := cmp.Or(add(w), w.Close())
	return packed.Bytes(), err
}

// compressed packs a file as packages are to have it: without a name and a time.
func compressed(data []byte) ([]byte, error) {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(data)
	err = cmp.Or(err, w.Close())
	return packed.Bytes(), err
}

// addTo adds a file, or a folder where its mode says so, which a user owns.
func addTo(w *tar.Writer, name string, f file, at time.Time, user int) error {
	h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: int64(f.mode.Perm()), Size: int64(len(f.data)), ModTime: at, Uid: user, Gid: user}
	if f.mode.IsDir() {
		h.Typeflag, h.Name = tar.TypeDir, name+"/"
	}
	if f.mode&fs.ModeSticky != 0 {
		h.Mode |= 0o1000
	}
	if err := w.WriteHeader(h); err != nil {
		return err
	}
	_, err := w.Write(f.data)
	return err
}

// zipped packs files below a folder.
func zipped(files []file, folder string, at time.Time) ([]byte, error) {
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	for _, f := range sorted(files) {
		h := &zip.FileHeader{Name: folder + "/" + f.name, Method: zip.Deflate, Modified: at}
		h.SetMode(f.mode)
		to, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := to.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return packed.Bytes(), err
}
