package submission_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"botarena/arena/submission"
)

// An entry is a member of an archive to be made.
type entry struct {
	name, text string
	kind       byte // as tar has it; 0: a file
	mode       int64
}

// fataler is what the tests and properties have in common.
type fataler interface {
	Helper()
	Fatal(...any)
}

func tarOf(t fataler, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Typeflag: e.kind, Mode: e.mode}
		switch e.kind {
		case 0, tar.TypeReg:
			h.Typeflag, h.Size = tar.TypeReg, int64(len(e.text))
		case tar.TypeXGlobalHeader:
			h.PAXRecords = map[string]string{"comment": e.text}
		default:
			h.Linkname = e.text
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			if _, err := io.WriteString(w, e.text); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipped(t fataler, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipOf(t fataler, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		mode := fs.FileMode(0o644 | e.mode)
		switch e.kind {
		case tar.TypeSymlink:
			mode |= fs.ModeSymlink
		case tar.TypeChar:
			mode |= fs.ModeDevice | fs.ModeCharDevice
		case tar.TypeDir:
			mode |= fs.ModeDir
		}
		h.SetMode(mode)
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, e.text); err != nil && !strings.HasSuffix(e.name, "/") {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// unpack hands in bytes under a name, and returns the folder that is made of them. It fails
// if there is anything beside it.
func unpack(t fataler, name string, data []byte, limits submission.Limits) (string, error) {
	t.Helper()
	above, err := os.MkdirTemp("", "submission")
	if err != nil {
		t.Fatal(err)
	}
	if c, ok := t.(interface{ Cleanup(func()) }); ok {
		c.Cleanup(func() { _ = os.RemoveAll(above) })
	}
	file, dir := filepath.Join(above, "handed in"), filepath.Join(above, "one", "bot")
	if err := os.WriteFile(file, data, 0o444); err != nil {
		t.Fatal(err)
	}
	err = submission.Unpack(context.Background(), file, name, dir, limits)
	var left []string
	for _, in := range []string{above, filepath.Dir(dir)} {
		entries, err := os.ReadDir(in)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			left = append(left, e.Name())
		}
	}
	want := []string{"handed in", "one"}
	if err == nil {
		want = append(want, "bot")
	}
	if !slices.Equal(left, want) {
		t.Fatal(fmt.Sprintf("there is %q, want %q", left, want))
	}
	return dir, err
}

// contents lists a folder: "name: text", a "*" behind the name of what can be executed,
// "name -> target", "name/" for an empty folder.
func contents(t fataler, dir string) []string {
	t.Helper()
	all := []string{}
	err := filepath.WalkDir(dir, func(at string, e fs.DirEntry, err error) error {
		if err != nil || at == dir {
			return err
		}
		rel, err := filepath.Rel(dir, at)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		info, err := e.Info()
		if err != nil {
			return err
		}
		switch {
		case e.IsDir():
			if entries, err := os.ReadDir(at); err != nil || len(entries) > 0 {
				return err
			}
			all = append(all, name+"/")
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(at)
			all = append(all, name+" -> "+target)
			return err
		default:
			text, err := os.ReadFile(at)
			if info.Mode()&0o111 != 0 && runtime.GOOS != "windows" {
				name += "*"
			}
			all = append(all, name+": "+string(text))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestUnpack(t *testing.T) {
	t.Parallel()
	both := []entry{
		{name: "bot.py", text: "import lib"},
		{name: "lib/", kind: tar.TypeDir},
		{name: "lib/__init__.py", text: ""},
		{name: "run.sh", text: "#!/bin/sh\n"},
		{name: "tool", text: "x", mode: 0o755},
		{name: "deep/er/ü.txt", text: "ü"},
	}
	want := []string{"bot.py: import lib", "deep/er/ü.txt: ü", "lib/__init__.py: ", "run.sh*: #!/bin/sh\n", "tool*: x"}
	var topped []entry
	for _, e := range both {
		e.name = "my bot/" + e.name
		topped = append(topped, e)
	}
	dross := append(slices.Clone(topped),
		entry{name: "__MACOSX/my bot/._bot.py", text: "x"}, entry{name: ".DS_Store", text: "x"},
		entry{name: "my bot/.git/config", text: "x"}, entry{name: "my bot/lib/__pycache__/x.pyc", text: "x"})
	for name, c := range map[string]struct {
		file string
		data []byte
		want []string
	}{
		"zip":            {"bot.zip", zipOf(t, both...), want},
		"tar":            {"bot.tar", tarOf(t, both...), want},
		"tar.gz":         {"bot.tgz", gzipped(t, tarOf(t, both...)), want},
		"another name":   {"bot", gzipped(t, tarOf(t, both...)), want},
		"top folder":     {"bot.zip", zipOf(t, topped...), want},
		"top folder tar": {"bot.tar", tarOf(t, topped...), want},
		"dross":          {"bot.zip", zipOf(t, dross...), want},
		"dots":           {"bot.tar", tarOf(t, entry{name: "./", kind: tar.TypeDir}, entry{name: "./a//bot.py", text: "x"}, entry{name: "./c", text: "y"}), []string{"a/bot.py: x", "c: y"}},
		"git archive":    {"bot.tar", tarOf(t, entry{name: "pax_global_header", kind: tar.TypeXGlobalHeader, text: "0123"}, entry{name: "bot.py", text: "x"}), []string{"bot.py: x"}},
		"links":          {"bot.tar", tarOf(t, entry{name: "a/x", text: "x"}, entry{name: "a/y", kind: tar.TypeSymlink, text: "x"}, entry{name: "z", kind: tar.TypeSymlink, text: "a"}, entry{name: "w", kind: tar.TypeLink, text: "a/x"}), []string{"a/x: x", "a/y -> x", "w: x", "z -> a"}},
		"link in a zip":  {"bot.zip", zipOf(t, entry{name: "x", text: "x"}, entry{name: "y", kind: tar.TypeSymlink, text: "x"}), []string{"x: x", "y -> x"}},
		"zip in a zip":   {"bot.zip", zipOf(t, entry{name: "bot.py", text: "x"}, entry{name: "net.zip", text: "PK"}), []string{"bot.py: x", "net.zip: PK"}},
		"backslashes":    {"bot.zip", zipOf(t, entry{name: `a\bot.py`, text: "x"}, entry{name: "c", text: "y"}), []string{"a/bot.py: x", "c: y"}},
		"a file":         {"bot.py", []byte("print()"), []string{"bot.py: print()"}},
		"a file's path":  {`C:\Users\me\bot.py`, []byte("print()"), []string{"bot.py: print()"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "backslashes" {
				c.data = bytes.ReplaceAll(c.data, []byte("PK\x01\x02\x14\x03"), []byte("PK\x01\x02\x14\x00")) // made on Windows
			}
			dir, err := unpack(t, c.file, c.data, submission.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if got := contents(t, dir); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
			if info, err := os.Stat(dir); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o755 {
				t.Errorf("%v, %v", info, err)
			}
		})
	}
}

// hostile are files that must be refused, each with words of the reason.
func hostile(t fataler) map[string]struct {
	data []byte
	want string
} {
	all := map[string]struct {
		data []byte
		want string
	}{}
	add := func(name, want string, data []byte) {
		all[name] = struct {
			data []byte
			want string
		}{data, want}
	}
	for name, c := range map[string]struct {
		want    string
		entries []entry
	}{
		"traversal":         {"leads out of the folder", []entry{{name: "../x"}}},
		"traversal inside":  {"leads out of the folder", []entry{{name: "a/../../x"}}},
		"absolute":          {"leads out of the folder", []entry{{name: "/tmp/x"}}},
		"backslash":         {"not every system takes", []entry{{name: `a/b\..\x`}}},
		"drive":             {"not every system takes", []entry{{name: "c:/x"}}},
		"device name":       {"device's name on Windows", []entry{{name: "a/nul.py"}}},
		"control character": {"not every system takes", []entry{{name: "a\x07b"}}},
		"long name":         {"cannot be written", []entry{{name: strings.Repeat("x", 300)}}},
		"long path":         {"is too long", []entry{{name: strings.Repeat("x/", 600) + "x"}}},
		"same name":         {"is there twice", []entry{{name: "x"}, {name: "y"}, {name: "x"}}},
		"case":              {"upper and lower case", []entry{{name: "bot.py"}, {name: "Bot.py"}}},
		"case of folders":   {"upper and lower case", []entry{{name: "src/x"}, {name: "Src/y"}}},
		"case of sigma":     {"upper and lower case", []entry{{name: "λόγος"}, {name: "λόγοσ"}}},
		"Unicode form":      {"how their letters are encoded", []entry{{name: "\u00fc.py"}, {name: "u\u0308.py"}}},
		"file and folder":   {"and something else", []entry{{name: "x"}, {name: "x/y"}}},
		"folder and file":   {"there twice", []entry{{name: "x/y"}, {name: "x"}}},
		"link out":          {"is a link to", []entry{{name: "x", kind: tar.TypeSymlink, text: "../../../etc/passwd"}, {name: "y"}}},
		"link to the root":  {"is a link to", []entry{{name: "x", kind: tar.TypeSymlink, text: "/etc"}, {name: "y"}}},
		"link to nowhere":   {"is a link to", []entry{{name: "x", kind: tar.TypeSymlink, text: "z"}, {name: "y"}}},
		"links in a circle": {"is a link to", []entry{{name: "x", kind: tar.TypeSymlink, text: "y"}, {name: "y", kind: tar.TypeSymlink, text: "x"}}},
		"through a link":    {"and something else", []entry{{name: "x", kind: tar.TypeSymlink, text: ".."}, {name: "x/y"}}},
		"above by a link":   {"is a link to", []entry{{name: "a/b"}, {name: "a/x", kind: tar.TypeSymlink, text: "../.."}}},
		"device":            {"device or a pipe", []entry{{name: "x", kind: tar.TypeChar}, {name: "y"}}},
		"too many":          {"more than 50 files", slices.Repeat([]entry{{name: "x"}}, 51)},
		"too many folders":  {"more than 50 files", []entry{{name: strings.Repeat("x/", 51) + "y"}}},
		"too large":         {"more than 1.0 MiB together", []entry{{name: "x", text: strings.Repeat("x", 600<<10)}, {name: "y", text: strings.Repeat("y", 600<<10)}}},
		"a bomb":            {"more than 1.0 MiB together", []entry{{name: "x", text: strings.Repeat("\x00", 20<<20)}}},
		"nothing":           {"is empty", nil},
		"nothing to keep":   {"is empty", []entry{{name: ".git/config", text: "x"}}},
		"folders":           {"only folders", []entry{{name: "a/b/", kind: tar.TypeDir}}},
		"only an archive":   {`another archive, "a/bot.tar.gz"`, []entry{{name: "a/bot.tar.gz", text: "x"}}},
		"not UTF-8":         {"is not UTF-8", []entry{{name: "M\xfcller.py"}}},
	} {
		if name == "too many" {
			for i := range c.entries {
				c.entries[i].name = fmt.Sprint(i)
			}
		}
		add(name+" in a zip", c.want, zipOf(t, c.entries...))
		add(name+" in a tar", c.want, gzipped(t, tarOf(t, c.entries...)))
	}
	good := zipOf(t, entry{name: "bot.py", text: strings.Repeat("print()\n", 1000)})
	good2 := gzipped(t, tarOf(t, entry{name: "bot.py", text: strings.Repeat("print()\n", 1000)}))
	add("a hard link out", "is a link to", tarOf(t, entry{name: "x", kind: tar.TypeLink, text: "../../handed in"}, entry{name: "y"}))
	add("a hard link to later", "is a link to", tarOf(t, entry{name: "x", kind: tar.TypeLink, text: "y"}, entry{name: "y"}))
	add("a hard link to a link", "is a link to", tarOf(t, entry{name: "a/x", text: "x"}, entry{name: "l", kind: tar.TypeSymlink, text: "a/x"}, entry{name: "a/h", kind: tar.TypeLink, text: "l"}))
	add("a cut zip", "damaged or was cut off", good[:len(good)-20])
	add("a cut tar.gz", "damaged or was cut off", good2[:len(good2)-20])
	add("a flipped zip", "damaged or was cut off", flipped(good, 40))
	add("a tar.gz without its sum", "damaged or was cut off", good2[:len(good2)-3])
	add("gzip of a file", "no tar archive", gzipped(t, []byte(strings.Repeat("print()", 100))))
	add("an encrypted zip", "without a password", encrypted(good))
	add("an unknown method", "usual method", bytes.ReplaceAll(good, []byte("\x14\x00\x08\x00\x08\x00"), []byte("\x14\x00\x08\x00\x63\x00")))
	add("7z", "a 7z archive", []byte("7z\xbc\xaf\x27\x1c"+"etc"))
	add("a program", "one kind of machine", []byte("\x7fELF..."))
	add("an empty file", "is empty", nil)
	add("text", "named as an archive and is none", []byte("hello"))
	return all
}

func flipped(data []byte, at int) []byte {
	data = slices.Clone(data)
	data[at] ^= 0xff
	return data
}

// encrypted sets the flag of a zip's member.
func encrypted(data []byte) []byte {
	data = bytes.ReplaceAll(data, []byte("PK\x03\x04\x14\x00\x08"), []byte("PK\x03\x04\x14\x00\x09"))
	return bytes.ReplaceAll(data, []byte("PK\x01\x02\x14\x03\x14\x00\x08"), []byte("PK\x01\x02\x14\x03\x14\x00\x09"))
}

func TestUnpackRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range hostile(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := unpack(t, "bot.zip", c.data, submission.Limits{Size: 1 << 20, Files: 50})
			var refused *submission.RefusedError
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want words %q", err, c.want)
			}
		})
	}
}

// A million members are refused before they are kept in memory.
func TestUnpackMillion(t *testing.T) {
	t.Parallel()
	data := bytes.Repeat([]byte("PK\x03\x04PK\x01\x02"), 1_000_000)
	before := allocated()
	_, err := unpack(t, "bot.zip", data, submission.Limits{})
	if err == nil || !strings.Contains(err.Error(), "more than 20000 files") {
		t.Error(err)
	}
	if used := allocated() - before; used > 64<<20 {
		t.Errorf("%d bytes of memory", used)
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// Ten gigabytes of zeros are ten megabytes of tar.gz: no more than the limit is written.
func TestUnpackBomb(t *testing.T) {
	t.Parallel()
	const size = 10 << 30
	r, w := io.Pipe()
	go func() {
		z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
		a := tar.NewWriter(z)
		_ = a.WriteHeader(&tar.Header{Name: "x", Size: size, Mode: 0o644})
		_, err := io.CopyN(a, zeros{}, 40<<20) // all the same from here on
		_ = z.Close()
		_ = w.CloseWithError(errors.Join(err, io.EOF))
	}()
	data, _ := io.ReadAll(r)
	_, err := unpack(t, "bot.tar.gz", data, submission.Limits{Size: 10 << 20})
	if err == nil || !strings.Contains(err.Error(), "more than 10 MiB") {
		t.Error(err)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// A second attempt finds what the first left, whole or in part.
func TestUnpackAgain(t *testing.T) {
	t.Parallel()
	above := t.TempDir()
	file, dir := filepath.Join(above, "f"), filepath.Join(above, "bot")
	if err := os.WriteFile(file, zipOf(t, entry{name: "bot.py", text: "x"}), 0o444); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir+".part", "bot.py", "cut off"), 0o755); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := submission.Unpack(t.Context(), file, "bot.zip", dir, submission.Limits{}); err != nil {
			t.Fatal(err)
		}
		if got := contents(t, above); !slices.ContainsFunc(got, func(s string) bool { return s == "bot/bot.py: x" }) || len(got) != 2 {
			t.Errorf("%q", got)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := submission.Unpack(ended, file, "bot.zip", dir+"2", submission.Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was cancelled", err)
	}
	if _, err := os.Stat(dir + "2"); err == nil {
		t.Error("what was cut off is there")
	}
}

// Archives of any members write nothing outside of their folder, keep to their limits, and
// come to the same each time.
func TestUnpackProperty(t *testing.T) {
	part := rapid.SampledFrom([]string{"a", "A", "b", "..", ".", "ü", "u\u0308", "", "c.py", "con", "x\\y", "\xff", ".git", strings.Repeat("l", 100)})
	rapid.Check(t, func(t *rapid.T) {
		var entries []entry
		for range rapid.IntRange(0, 8).Draw(t, "members") {
			name := strings.Join(rapid.SliceOfN(part, 1, 4).Draw(t, "name"), "/")
			kind := rapid.SampledFrom([]byte{tar.TypeReg, tar.TypeReg, tar.TypeReg, tar.TypeDir, tar.TypeSymlink, tar.TypeLink, tar.TypeFifo}).Draw(t, "kind")
			if kind != tar.TypeDir {
				name = cmp.Or(strings.TrimRight(name, "/"), "x") // no writer takes it for a file's
			}
			text := strings.Join(rapid.SliceOfN(part, 1, 4).Draw(t, "text"), "/")
			if kind == tar.TypeReg {
				text = strings.Repeat(text, rapid.IntRange(0, 50).Draw(t, "times"))
			}
			entries = append(entries, entry{name: name, text: text, kind: kind})
		}
		data := tarOf(t, entries...)
		if rapid.Bool().Draw(t, "zip") {
			data = zipOf(t, entries...)
		}
		if len(data) > 0 && rapid.Bool().Draw(t, "damaged") {
			data = flipped(data, rapid.IntRange(0, len(data)-1).Draw(t, "at"))
		}
		limits := submission.Limits{Size: 1000, Files: 10}
		dir, err := unpack(t, "x", data, limits)
		defer func() { _ = os.RemoveAll(filepath.Dir(filepath.Dir(dir))) }()
		sound(t, dir, limits, err)
		again, errAgain := unpack(t, "x", data, limits)
		defer func() { _ = os.RemoveAll(filepath.Dir(filepath.Dir(again))) }()
		if fmt.Sprint(err) != fmt.Sprint(errAgain) {
			t.Fatalf("%v, then %v", err, errAgain)
		}
		if err == nil && !slices.Equal(contents(t, dir), contents(t, again)) {
			t.Fatalf("%q, then %q", contents(t, dir), contents(t, again))
		}
	})
}

// sound checks what was made of a submission, or why nothing was.
func sound(t interface {
	fataler
	Fatalf(string, ...any)
}, dir string, limits submission.Limits, err error,
) {
	t.Helper()
	var refused *submission.RefusedError
	if err != nil && !errors.As(err, &refused) {
		t.Fatalf("neither taken nor refused: %v", err)
	}
	if err != nil {
		return
	}
	size, files := 0, 0
	walkErr := filepath.WalkDir(dir, func(at string, e fs.DirEntry, err error) error {
		if err != nil || at == dir {
			return err
		}
		files++
		info, err := e.Info()
		if err != nil {
			return err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			end, err := filepath.EvalSymlinks(at)
			if err != nil {
				return err
			}
			if real, err := filepath.EvalSymlinks(dir); err != nil || !strings.HasPrefix(end+"/", real+"/") {
				return fmt.Errorf("%s leads to %s: %w", at, end, err)
			}
			return nil
		}
		if !e.IsDir() && !info.Mode().IsRegular() {
			return fmt.Errorf("%s is %v", at, info.Mode())
		}
		if info.Mode().IsRegular() {
			size += int(info.Size())
		}
		return nil
	})
	// Hard links to one file count once each time they are read, and once in the limit.
	if walkErr != nil || size > int(limits.Size)*limits.Files || files > limits.Files {
		t.Fatalf("%d bytes, %d files: %v", size, files, walkErr)
	}
}

func FuzzUnpack(f *testing.F) {
	for _, c := range hostile(f) {
		if len(c.data) < 1<<16 {
			f.Add(c.data)
		}
	}
	f.Add(zipOf(f, entry{name: "a/bot.py", text: "x"}, entry{name: "y", kind: tar.TypeSymlink, text: "a"}))
	f.Add(tarOf(f, entry{name: "a/bot.py", text: "x"}, entry{name: "y", kind: tar.TypeLink, text: "a/bot.py"}))
	limits := submission.Limits{Size: 1 << 16, Files: 50}
	f.Fuzz(func(t *testing.T, data []byte) {
		dir, err := unpack(t, "x", data, limits)
		sound(t, dir, limits, err)
	})
}
