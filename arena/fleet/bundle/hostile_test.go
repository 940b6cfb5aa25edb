package bundle_test

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"botarena/arena/fleet/bundle"
)

const manifest = "{\n \"format\": 1,\n \"command\": [\n  [\n   {\n    \"text\": \"python3\"\n   }\n  ]\n ],\n \"tools\": [\n  {\n   \"name\": \"python3\"\n  }\n ]\n}\n"

type hostileArchive struct {
	name  string
	bytes []byte
	taken bool
}

func archiveOf(headers []tar.Header, bodies []string) []byte {
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b, zstd.WithWindowSize(1<<20), zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err)
	}
	w := tar.NewWriter(z)
	for i, h := range headers {
		h.Size = int64(len(bodies[i]))
		if h.Typeflag == 0 {
			h.Typeflag = tar.TypeReg
		}
		if h.Typeflag != tar.TypeReg {
			h.Size = 0
		}
		if err := w.WriteHeader(&h); err != nil {
			panic(err)
		}
		if h.Size > 0 {
			_, _ = w.Write([]byte(bodies[i]))
		}
	}
	_ = w.Close()
	_ = z.Close()
	return b.Bytes()
}

// hostile are archives as someone who wants to do harm would write them.
func hostile() []hostileArchive {
	var all []hostileArchive
	add := func(name string, headers ...tar.Header) {
		bodies := []string{manifest}
		for range headers {
			bodies = append(bodies, "x")
		}
		all = append(all, hostileArchive{name, archiveOf(append([]tar.Header{{Name: "bundle.json", Mode: 0o644}}, headers...), bodies), false})
	}
	add("up", tar.Header{Name: "../evil"})
	add("up later", tar.Header{Name: "dir/../../evil"})
	add("absolute", tar.Header{Name: "/tmp/evil"})
	add("backslash", tar.Header{Name: `dir\..\..\evil`})
	add("drive", tar.Header{Name: "C:/evil"})
	add("link", tar.Header{Name: "dir/l", Typeflag: tar.TypeSymlink, Linkname: "/etc"}, tar.Header{Name: "dir/l/evil"})
	add("hard link", tar.Header{Name: "dir/l", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"})
	add("device", tar.Header{Name: "dir/d", Typeflag: tar.TypeChar})
	add("folder", tar.Header{Name: "dir/", Typeflag: tar.TypeDir})
	add("twice", tar.Header{Name: "dir/a"}, tar.Header{Name: "dir/a"})
	add("disorder", tar.Header{Name: "dir/b"}, tar.Header{Name: "dir/a"})
	add("file as folder", tar.Header{Name: "dir/a"}, tar.Header{Name: "dir/a/b"})
	add("beside", tar.Header{Name: "evil"})
	add("manifest again", tar.Header{Name: "bundle.json"})
	add("control", tar.Header{Name: "dir/a\x1b[2J"})
	add("windows device", tar.Header{Name: "dir/nul.txt"})
	add("set user id", tar.Header{Name: "dir/a", Mode: 0o4755})
	add("owner", tar.Header{Name: "dir/a", Mode: 0o644, Uid: 1000})
	noManifest := archiveOf([]tar.Header{{Name: "dir/a"}}, []string{"x"})
	all = append(all, hostileArchive{"no manifest", noManifest, false})
	for name, text := range map[string]string{
		"command outside":    strings.Replace(manifest, `"text": "python3"`, `"file": "../../bin/sh"`, 1),
		"tool is a path":     strings.ReplaceAll(manifest, "python3", "/bin/sh"),
		"command is no tool": strings.Replace(manifest, "python3", "/home/me/bin/private", 1),
		"shows the root":     strings.Replace(manifest, " \"tools\"", " \"show\": [\n  \"/\"\n ],\n \"tools\"", 1),
		"other format":       strings.Replace(manifest, "1", "2", 1),
		"no JSON":            "{",
		"more keys":          strings.Replace(manifest, "\n}\n", ",\n \"evil\": 1\n}\n", 1),
	} {
		all = append(all, hostileArchive{name, archiveOf([]tar.Header{{Name: "bundle.json", Mode: 0o644}}, []string{text}), false})
	}
	return append(all, hostileArchive{"nothing but a manifest", archiveOf([]tar.Header{{Name: "bundle.json", Mode: 0o644}}, []string{manifest}), true})
}

// unpackSafely unpacks an archive by the hash that it has, and returns the error.
func unpackSafely(t *testing.T, data []byte) error {
	t.Helper()
	limits := bundle.Limits{Size: 1 << 20, Files: 50}
	id := bundle.ID(strings.Repeat("0", 64))
	if plain, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderMaxMemory(8<<20), zstd.WithDecoderConcurrency(1)); err == nil {
		text, err := io.ReadAll(io.LimitReader(plain, 16<<20))
		if err == nil {
			sum := sha256.Sum256(text)
			id = bundle.ID(hex.EncodeToString(sum[:]))
		}
		plain.Close()
	}
	above := t.TempDir()
	root := filepath.Join(above, "root")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := bundle.Unpack(context.Background(), bytes.NewReader(data), id, root, limits)
	entries, readErr := os.ReadDir(above)
	if readErr != nil || len(entries) != 1 {
		t.Fatalf("it wrote beside its folder: %v, %v", entries, readErr)
	}
	_, verifyErr := bundle.Verify(context.Background(), root, id)
	if err == nil && verifyErr != nil {
		// It has the hash, and is not how arena writes it: never of any use.
		return verifyErr
	}
	return err
}

func TestHostile(t *testing.T) {
	for _, a := range hostile() {
		err := unpackSafely(t, a.bytes)
		var damaged *bundle.DamagedError
		if a.taken != (err == nil) || err != nil && !errors.As(err, &damaged) {
			t.Errorf("%s: %v", a.name, err)
		}
	}
}

// A few bytes that unfold to very many are refused before the disk is full.
func TestBomb(t *testing.T) {
	body := strings.Repeat("\x00", 3<<20)
	data := archiveOf([]tar.Header{{Name: "bundle.json", Mode: 0o644}, {Name: "dir/a", Mode: 0o644}}, []string{manifest, body})
	if len(data) > 2000 {
		t.Fatalf("%d bytes", len(data))
	}
	err := unpackSafely(t, data)
	if err == nil || !strings.Contains(err.Error(), "more than 1048576 bytes") {
		t.Error(err)
	}
}
