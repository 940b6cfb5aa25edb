package client

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// leftOut are files and folders that are no part of a bot, by their names, as
// filepath.Match has it.
func leftOut() []string {
	return []string{
		".git", ".gitignore", ".gitattributes", ".hg", ".svn", ".DS_Store", ".idea", ".vscode", ".venv", "venv", "__pycache__", "*.pyc",
		".pytest_cache", ".mypy_cache", ".ruff_cache", ".tox", ".gradle", "*.swp", "*~",
	}
}

// open opens what is handed in: a file as it is, a folder packed as a tar.gz. end closes
// it, and removes what was packed.
func (h *Host) open(field, path string) (file part, end func(), err error) {
	at, err := filepath.Abs(path)
	if err != nil {
		return file, nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return file, nil, err
	}
	file = part{field: field, name: filepath.Base(at)}
	switch {
	case info.Mode().IsRegular():
		file.content, err = os.Open(path)
		return file, func() { _ = file.content.Close() }, err
	case !info.IsDir():
		return file, nil, fmt.Errorf("%s is neither a file nor a folder", path)
	}
	file.name += ".tar.gz"
	if file.content, err = os.CreateTemp("", "arena-submit-*"); err != nil {
		return file, nil, err
	}
	end = func() {
		_ = file.content.Close()
		_ = os.Remove(file.content.Name())
	}
	skipped, err := packFolder(file.content, at, h.League.Size)
	if err == nil {
		_, err = file.content.Seek(0, io.SeekStart)
	}
	if err != nil {
		end()
		return file, nil, fmt.Errorf("pack %s: %w", path, err)
	}
	if len(skipped) > 0 {
		h.Warn("left out: " + strings.Join(skipped, ", "))
	}
	return file, end, nil
}

// packFolder writes the files of a folder as a tar.gz, always the same for the same files,
// and returns the names of what it leaves out. It ends early once it is larger than most bytes.
func packFolder(to io.Writer, dir string, most int64) (skipped []string, err error) {
	limited := &limitedWriter{w: to, most: most}
	z := gzip.NewWriter(limited)
	w := tar.NewWriter(z)
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		if isLeftOut(path, d) {
			if !slices.Contains(skipped, d.Name()) {
				skipped = append(skipped, d.Name())
			}
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		return packEntry(w, path, filepath.ToSlash(name), d)
	})
	return skipped, errors.Join(err, w.Close(), z.Close())
}

// isLeftOut reports whether a file or a folder is no part of a bot. What Cargo built is made
// anew where the bot is.
func isLeftOut(path string, d fs.DirEntry) bool {
	for _, pattern := range leftOut() {
		if ok, _ := filepath.Match(pattern, d.Name()); ok { // the patterns are good
			return true
		}
	}
	if d.IsDir() && d.Name() == "target" {
		_, err := os.Stat(filepath.Join(filepath.Dir(path), "Cargo.toml"))
		return err == nil
	}
	return !d.IsDir() && !d.Type().IsRegular() && d.Type()&fs.ModeSymlink == 0
}

func packEntry(w *tar.Writer, path, name string, d fs.DirEntry) error {
	info, err := d.Info()
	if err != nil {
		return err
	}
	h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Format: tar.FormatPAX}
	switch {
	case d.IsDir():
		h.Typeflag, h.Name, h.Mode = tar.TypeDir, name+"/", 0o755
	case d.Type()&fs.ModeSymlink != 0:
		h.Typeflag = tar.TypeSymlink
		h.Linkname, err = os.Readlink(path)
	default:
		if h.Size = info.Size(); info.Mode()&0o111 != 0 {
			h.Mode = 0o755
		}
	}
	if err = errors.Join(err, w.WriteHeader(h)); err != nil || h.Typeflag != tar.TypeReg {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	_, err = io.Copy(w, f)
	return err
}

// A limitedWriter fails when more is written than the league takes.
type limitedWriter struct {
	w             io.Writer
	written, most int64
}

func (l *limitedWriter) Write(p []byte) (int, error) {
	if l.written += int64(len(p)); l.written > l.most {
		return 0, fmt.Errorf("it has more than the %d bytes that the league takes: leave out what the bot does not need", l.most)
	}
	return l.w.Write(p)
}
