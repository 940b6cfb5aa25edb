package bundle

import (
	"archive/tar"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/klauspost/compress/zstd"

	"botarena/arena/process"
	"botarena/arena/process/sandbox"
)

// A Program describes the program to be packed.
type Program struct {
	Name    string   // for messages, such as `bot "emil"`
	Command []string // the program and its arguments
	Dir     string   // absolute; where it runs and finds its files
	Show    []string // more files and folders of its own, relative to Dir; "." is all of it
}

// A Packer makes bundles.
type Packer struct {
	Path string // the PATH in which programs are found
	Home string // the user's home, which no argument means as a folder to send; "" for none
	// Dir is a folder for archives, from which they are uploaded whenever the server
	// has lost them; made if it is missing.
	Dir string
	// BuiltinVersion returns the version of a built-in bot.
	BuiltinVersion func(name string) string
	Limits         Limits // zero: DefaultLimits
}

// An Info describes a bundle.
type Info struct {
	ID       ID
	Size     int64 // bytes of all files, not compressed
	Files    int
	Manifest Manifest
}

// Pack writes the bundle of a program to w, compressed. The error says why the program
// cannot be packed, or is that of reading a file or writing the archive.
func (p Packer) Pack(ctx context.Context, program Program, w io.Writer) (Info, error) {
	g := &gathering{Packer: p, program: program, files: map[string]string{}, outside: map[string]string{}}
	g.Limits = cmp.Or(g.Limits, DefaultLimits())
	if err := g.gather(); err != nil {
		return Info{}, err
	}
	packed, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return Info{}, err
	}
	sum := sha256.New()
	info := Info{Size: g.size, Files: len(g.files), Manifest: g.manifest}
	err = writeArchive(ctx, io.MultiWriter(sum, packed), g.manifest, g.list())
	if err := errors.Join(err, packed.Close()); err != nil {
		return info, fmt.Errorf("%s: %w", program.Name, err)
	}
	info.ID = ID(hex.EncodeToString(sum.Sum(nil)))
	return info, nil
}

// window is the window of the compression in bytes.
const window = 1 << 20

// A file is one of an archive.
type file struct {
	name       string // in the bundle
	source     string // on this machine
	executable bool
}

// writeArchive writes the canonical archive of a manifest and files in order.
func writeArchive(ctx context.Context, w io.Writer, m Manifest, files []file) error {
	archive := tar.NewWriter(w)
	data, err := encodeManifest(m)
	if err != nil {
		return err
	}
	if err := archive.WriteHeader(&tar.Header{Name: manifestName, Mode: 0o644, Size: int64(len(data)), Typeflag: tar.TypeReg}); err != nil {
		return err
	}
	if _, err := archive.Write(data); err != nil {
		return err
	}
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := writeFile(archive, f); err != nil {
			return err
		}
	}
	return archive.Close()
}

func writeFile(archive *tar.Writer, f file) error {
	from, err := os.Open(f.source)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	info, err := from.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no file any more", f.source)
	}
	mode := int64(0o644)
	if f.executable {
		mode = 0o755
	}
	if err := archive.WriteHeader(&tar.Header{Name: f.name, Mode: mode, Size: info.Size(), Typeflag: tar.TypeReg}); err != nil {
		return err
	}
	if n, err := io.Copy(archive, io.LimitReader(from, info.Size())); err != nil || n < info.Size() {
		return fmt.Errorf("read %s: %w", f.source, cmp.Or(err, errors.New("it became shorter meanwhile")))
	}
	return nil
}

// A gathering collects the files of a program.
type gathering struct {
	Packer
	program  Program
	manifest Manifest
	files    map[string]string // path in the bundle to that of a real file
	outside  map[string]string // real path of what is not in Dir to its path in the bundle
	starts   string            // the program's path in the bundle; "" for a tool
	size     int64
	largest  string
	bytes    int64
}

func (g *gathering) cannot(format string, args ...any) error {
	return fmt.Errorf("%s cannot be sent to other machines: %s; install it there (fleet: installed), or change its entry", g.program.Name, fmt.Sprintf(format, args...))
}

func (g *gathering) gather() error {
	g.manifest.Format = format
	p := g.program
	if len(p.Command) == 0 {
		return g.cannot("it has no command")
	}
	first, err := g.start(p.Command[0])
	if err != nil {
		return err
	}
	g.manifest.Command = []Word{first}
	for _, argument := range p.Command[1:] {
		word, err := g.word(argument)
		if err != nil {
			return err
		}
		g.manifest.Command = append(g.manifest.Command, word)
	}
	for _, show := range p.Show {
		if strings.HasPrefix(show, "~") || filepath.IsAbs(show) || !filepath.IsLocal(filepath.Clean(show)) {
			return g.cannot("sandbox_read names %s, which is not in its dir %s", show, p.Dir)
		}
		name := path.Clean(filepath.ToSlash(show))
		if err := g.add(filepath.Join(p.Dir, show), path.Join(inDir, name)); err != nil {
			return err
		}
		g.manifest.Show = append(g.manifest.Show, name)
	}
	for name, source := range g.files {
		if info, err := os.Stat(source); name == g.starts || err == nil && info.Mode()&0o100 != 0 || runtime.GOOS == "windows" && startsThere(name) {
			g.manifest.Executable = append(g.manifest.Executable, name)
		}
	}
	slices.Sort(g.manifest.Executable)
	return nil
}

// startsThere reports whether a file is a program by its name, on Windows, which has no
// executable mode.
func startsThere(name string) bool {
	return slices.Contains([]string{".exe", ".com", ".bat", ".cmd"}, strings.ToLower(path.Ext(name)))
}

// start returns the program: one in the bundle, or a tool.
func (g *gathering) start(program string) (Word, error) {
	found, err := process.FindProgram(program, g.program.Dir, g.Path)
	if err != nil {
		return nil, err
	}
	if sandbox.Interpreter(filepath.Base(program)) {
		if err := g.tool(program, found); err != nil {
			return nil, err
		}
		return Word{{Text: filepath.Base(program)}}, nil
	}
	name, err := g.place(found)
	if err != nil {
		return nil, err
	}
	if err := g.add(found, name); err != nil {
		return nil, err
	}
	g.manifest.Platform = platformOf(found)
	g.starts = name
	return Word{{File: name}}, g.firstLine(found)
}

// tool adds a program that the machine must have.
func (g *gathering) tool(program, found string) error {
	if venv := filepath.Join(filepath.Dir(filepath.Dir(found)), "pyvenv.cfg"); found != "" && isFile(venv) {
		return g.cannot("%s is the interpreter of a virtual environment, which works in its place only", program)
	}
	t := Tool{Name: filepath.Base(program)}
	if sum, err := hashFile(found); err == nil {
		t.SHA256 = sum
	}
	if !slices.ContainsFunc(g.manifest.Tools, func(o Tool) bool { return o.Name == t.Name }) {
		g.manifest.Tools = append(g.manifest.Tools, t)
	}
	return nil
}

// firstLine adds the tools that the first line of a script names.
func (g *gathering) firstLine(script string) error {
	f, err := os.Open(script)
	if err != nil {
		return fmt.Errorf("%s: %w", g.program.Name, err)
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, 256)
	n, _ := io.ReadFull(f, head)
	line, ok := strings.CutPrefix(string(head[:n]), "#!")
	if !ok {
		return nil
	}
	line, _, _ = strings.Cut(line, "\n")
	for _, word := range strings.Fields(line) {
		if strings.HasPrefix(word, "-") {
			continue
		}
		found, err := process.FindProgram(word, filepath.Dir(script), g.Path)
		if err != nil {
			return err
		}
		if err := g.tool(word, found); err != nil {
			return err
		}
		if filepath.Base(word) != "env" {
			break
		}
	}
	return nil
}

// word returns an argument, with the files that it names in the bundle.
func (g *gathering) word(argument string) (Word, error) {
	var w Word
	for _, part := range sandbox.Parts(g.program.Dir, argument) {
		piece, err := g.piece(part)
		if err != nil {
			return nil, err
		}
		w = append(w, piece)
	}
	return w, nil
}

func (g *gathering) piece(part sandbox.Part) (Piece, error) {
	piece := Piece{Text: part.Text}
	if !part.Path {
		return piece, nil
	}
	at := part.Text
	if !filepath.IsAbs(at) {
		at = filepath.Join(g.program.Dir, at)
	}
	if g.ofMachine(at) {
		return piece, nil
	}
	name, err := g.place(at)
	if err != nil {
		return piece, err
	}
	if err := g.add(at, name); err != nil {
		return piece, err
	}
	if !filepath.IsAbs(part.Text) && filepath.IsLocal(part.Text) {
		return piece, nil // as it is seen from dir
	}
	return Piece{File: name}, nil
}

// ofMachine reports whether a path that an argument names is a folder of the system, or
// one that is hardly meant.
func (g *gathering) ofMachine(at string) bool {
	real, err := filepath.EvalSymlinks(at)
	if err != nil || isFile(real) {
		return false
	}
	if rel, err := filepath.Rel(g.program.Dir, at); err == nil && filepath.IsLocal(rel) && rel != "." {
		return false
	}
	return sandbox.OfSystem(real) || g.holdsHome(real)
}

// holdsHome reports whether a folder contains the user's home.
func (g *gathering) holdsHome(folder string) bool {
	if folder == filepath.VolumeName(folder)+string(filepath.Separator) {
		return true
	}
	if g.Home == "" {
		return false
	}
	home := g.Home
	if real, err := filepath.EvalSymlinks(home); err == nil {
		home = real
	}
	rel, err := filepath.Rel(folder, home)
	return err == nil && filepath.IsLocal(rel)
}

// place returns the path of a file or folder in the bundle.
func (g *gathering) place(at string) (string, error) {
	at = filepath.Clean(at)
	if rel, err := filepath.Rel(g.program.Dir, at); err == nil && filepath.IsLocal(rel) {
		return path.Join(inDir, filepath.ToSlash(rel)), nil
	}
	if name, ok := g.outside[at]; ok {
		return name, nil
	}
	base := filepath.Base(at)
	if err := PlainPath(base); err != nil {
		return "", g.cannot("%v", err)
	}
	name := path.Join(outside, fmt.Sprint(len(g.outside)), base)
	g.outside[at] = name
	return name, nil
}

// add adds a file, or all of a folder.
func (g *gathering) add(at, name string) error {
	info, err := os.Stat(at)
	if err != nil {
		return fmt.Errorf("%s: %w", g.program.Name, err)
	}
	if !info.IsDir() {
		return g.addFile(at, name)
	}
	if real, err := filepath.EvalSymlinks(at); err == nil {
		at = real // a link that is named itself is meant
	}
	if g.holdsHome(at) {
		return g.cannot("%s holds your home, which would be sent", at)
	}
	return filepath.WalkDir(at, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("%s: %w", g.program.Name, err)
		}
		if entry.IsDir() {
			if file != at && slices.Contains([]string{".git", ".hg", ".svn", "__pycache__"}, entry.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(at, file)
		if err != nil {
			return err
		}
		return g.addFile(file, path.Join(name, filepath.ToSlash(rel)))
	})
}

func (g *gathering) addFile(at, name string) error {
	if _, ok := g.files[name]; ok {
		return nil
	}
	info, err := os.Stat(at)
	if err != nil {
		if link, linkErr := os.Readlink(at); linkErr == nil {
			return g.cannot("%s is a link to %s, which cannot be read", at, link)
		}
		return fmt.Errorf("%s: %w", g.program.Name, err)
	}
	switch {
	case info.IsDir():
		return g.cannot("%s is a link to a folder; put the folder there", at)
	case !info.Mode().IsRegular():
		return g.cannot("%s is neither a file nor a folder", at)
	}
	if _, err := os.Stat(at + "-wal"); err == nil {
		// If it is this program's, to read it beside SQLite would drop its locks.
		return g.cannot("%s is a database in use; list less in sandbox_read, or move it", at)
	}
	if err := PlainPath(name); err != nil {
		return g.cannot("%v", err)
	}
	g.files[name] = at
	g.size += info.Size()
	if info.Size() >= g.bytes {
		g.largest, g.bytes = at, info.Size()
	}
	if g.size > g.Limits.Size || len(g.files) > g.Limits.Files {
		return fmt.Errorf("%s: its files are more than a bundle may have (%s in %d files): there are %s in %d files or more, the largest being %s with %s; list less in sandbox_read, or install it on the workers (fleet: installed)",
			g.program.Name, humanize.IBytes(uint64(g.Limits.Size)), g.Limits.Files, humanize.IBytes(uint64(g.size)), len(g.files), g.largest, humanize.IBytes(uint64(g.bytes)))
	}
	return nil
}

// list returns the files in the order of the archive.
func (g *gathering) list() []file {
	list := make([]file, 0, len(g.files))
	for name, source := range g.files {
		_, executable := slices.BinarySearch(g.manifest.Executable, name)
		list = append(list, file{name, source, executable})
	}
	slices.SortFunc(list, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return list
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

func hashFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
