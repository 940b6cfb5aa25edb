package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// An ID identifies a bundle by its contents: 64 hexadecimal digits of SHA-256.
type ID string

// Valid reports whether the text is an ID.
func (id ID) Valid() bool {
	return len(id) == 64 && strings.Trim(string(id), "0123456789abcdef") == ""
}

// Short returns the beginning of the ID, for people.
func (id ID) Short() string { return string(id[:min(12, len(id))]) }

// Limits bounds a bundle, packed and unpacked.
type Limits struct {
	Size  int64 // bytes of all files together, not compressed
	Files int
}

// DefaultLimits returns limits that admit a neural network, and no disk image.
func DefaultLimits() Limits { return Limits{Size: 1 << 30, Files: 20_000} }

const (
	format       = 1
	manifestName = "bundle.json"
	mostManifest = 4 << 20 // bytes
	inDir        = "dir"   // the folder of what lies in the program's dir
	outside      = "out"   // the folder of the rest
)

// A Manifest says how to start what is in a bundle.
type Manifest struct {
	Format  int    `json:"format"`
	Command []Word `json:"command"`
	// Show lists what a strict sandbox shows beside what the command names, relative to
	// the program's dir.
	Show []string `json:"show,omitempty"`
	// Platform is the platform of the program, such as linux/amd64; "" if it runs on
	// any that has the Tools.
	Platform string `json:"platform,omitempty"`
	// Tools lists programs that the machine must have.
	Tools []Tool `json:"tools,omitempty"`
	// Executable lists the files that are executable, in order.
	Executable []string `json:"executable,omitempty"`
}

// A Word is an argument, in pieces of which some are paths in the bundle.
type Word []Piece

// A Piece is a text, or a path in the bundle.
type Piece struct {
	Text string `json:"text,omitempty"`
	File string `json:"file,omitempty"`
}

// A Tool is a program that a bundle needs and does not contain.
type Tool struct {
	Name   string `json:"name"`             // to be found in PATH
	SHA256 string `json:"sha256,omitempty"` // of the one where the bundle was made
}

// In returns the command's words for a bundle that was unpacked in root.
func in(root string, words []Word) []string {
	var command []string
	for _, w := range words {
		var b strings.Builder
		for _, p := range w {
			b.WriteString(p.Text)
			if p.File != "" {
				b.WriteString(filepath.Join(root, filepath.FromSlash(p.File)))
			}
		}
		command = append(command, b.String())
	}
	return command
}

// decodeManifest reads a manifest and refuses anything that Pack does not write.
func decodeManifest(data []byte) (Manifest, error) {
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("%s: %w", manifestName, err)
	}
	if m.Format != format {
		return m, fmt.Errorf("%s: format %d is not known here; use the same version of arena on both machines", manifestName, m.Format)
	}
	again, err := encodeManifest(m)
	if err != nil {
		return m, err
	}
	if string(again) != string(data) {
		return m, fmt.Errorf("%s is not written as arena writes it", manifestName)
	}
	if len(m.Command) == 0 {
		return m, fmt.Errorf("%s names no command", manifestName)
	}
	for _, w := range m.Command {
		for _, p := range w {
			if p.File != "" {
				if err := PlainPath(p.File); err != nil {
					return m, err
				}
			}
		}
	}
	if first := m.Command[0]; len(first) != 1 || first[0].File == "" && !slices.ContainsFunc(m.Tools, func(t Tool) bool { return t.Name == first[0].Text }) {
		return m, fmt.Errorf("%s names a command that is neither in the bundle nor one of its tools", manifestName)
	}
	for _, show := range m.Show {
		if show != "." {
			if err := PlainPath(show); err != nil {
				return m, err
			}
		}
	}
	for _, t := range m.Tools {
		if t.Name == "" || t.Name != filepath.Base(t.Name) || PlainPath(t.Name) != nil {
			return m, fmt.Errorf("%s asks for %q, which is no name of a program", manifestName, t.Name)
		}
	}
	if !slices.IsSorted(m.Executable) {
		return m, errors.New(manifestName + ": its executable files are not in order")
	}
	return m, nil
}

func encodeManifest(m Manifest) ([]byte, error) {
	data, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return nil, err
	}
	return append(data, '\n'), nil
}

// PlainPath reports what keeps a path from meaning the same file on every system.
func PlainPath(name string) error {
	bad := func(why string) error { return fmt.Errorf("path %q %s", name, why) }
	const longest = 1024
	switch {
	case !fs.ValidPath(name) || name == ".":
		return bad("is not a plain one, relative and without \"..\"")
	case len(name) > longest:
		return bad("is too long")
	case strings.ContainsAny(name, "\\:*?\"<>|"):
		return bad("has a character that not every system takes in a file's name")
	}
	for part := range strings.SplitSeq(name, "/") {
		if strings.ContainsFunc(part, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\uFFFD' }) {
			return bad("has a character that not every system takes in a file's name")
		}
		if strings.HasSuffix(part, ".") || strings.HasSuffix(part, " ") {
			return bad("ends in a dot or a space")
		}
		base, _, _ := strings.Cut(strings.ToUpper(part), ".")
		if slices.Contains([]string{"CON", "PRN", "AUX", "NUL"}, base) || len(base) == 4 && (base[:3] == "COM" || base[:3] == "LPT") && base[3] >= '0' && base[3] <= '9' {
			return bad("is a device's name on Windows")
		}
	}
	return nil
}

// below reports whether a path of a bundle is in a folder for files.
func below(name string) bool {
	first, rest, ok := strings.Cut(name, "/")
	return ok && rest != "" && (first == inDir || first == outside) && path.Clean(name) == name
}
