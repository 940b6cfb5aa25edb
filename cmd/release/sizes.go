package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// printSizes prints how much code and data each module has in the program of this machine.
func (r *release) printSizes(ctx context.Context, out io.Writer) error {
	path := filepath.Join(r.work, "unstripped")
	if err := r.build(ctx, target{runtime.GOOS, runtime.GOARCH}, path, ""); err != nil {
		return err
	}
	symbols, err := r.command(ctx, r.work, nil, "go", "tool", "nm", "-size", path)
	if err != nil {
		return err
	}
	modules, err := r.command(ctx, r.root, nil, "go", "list", "-m", "-f", "{{.Path}}", "all")
	if err != nil {
		return err
	}
	stripped, err := os.Stat(r.native())
	if err != nil {
		return err
	}
	sizes := moduleSizes(string(symbols), strings.Fields(string(modules)))
	names := slices.SortedFunc(maps.Keys(sizes), func(a, b string) int { return cmp.Or(cmp.Compare(sizes[b].sum(), sizes[a].sum()), cmp.Compare(a, b)) })
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "code kB\tdata kB\tmodule or package\t")
	var all size
	for _, name := range names {
		s := sizes[name]
		all.code, all.data = all.code+s.code, all.data+s.data
		if s.sum() >= 50_000 {
			fmt.Fprintf(w, "%d\t%d\t%s\t\n", s.code/1000, s.data/1000, name)
		}
	}
	fmt.Fprintf(w, "%d\t%d\tall\t\n", all.code/1000, all.data/1000)
	if err := w.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "\nThe program has %.1f MB. What is neither code nor data are tables by which Go's runtime\nfinds functions and lines: about two thirds of the size of the code.\n", float64(stripped.Size())/1e6)
	return err
}

type size struct{ code, data int }

func (s size) sum() int { return s.code + s.data }

// A symbol is a line of go tool nm -size: address, size, kind and name.
var symbol = regexp.MustCompile(`^ *[0-9a-f]+ +(\d+) ([TtRrDd]) (.*)$`)

// moduleSizes adds symbols up by module, those of Go's library by the package's first name.
func moduleSizes(symbols string, modules []string) map[string]size {
	slices.SortFunc(modules, func(a, b string) int { return cmp.Compare(len(b), len(a)) }) // nested ones first
	sizes := map[string]size{}
	const zeroed = 32 << 20 // larger than anything that is in the file: memory that begins as zeros
	for line := range strings.Lines(symbols) {
		m := symbol.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		n, err := strconv.Atoi(m[1])
		if err != nil || n >= zeroed {
			continue
		}
		name := moduleOf(strings.ReplaceAll(m[3], "%2e", "."), modules)
		s := sizes[name]
		if strings.EqualFold(m[2], "t") {
			s.code += n
		} else {
			s.data += n
		}
		sizes[name] = s
	}
	return sizes
}

func moduleOf(name string, modules []string) string {
	for _, prefix := range []string{"type:.eq.", "type:.hash.", "go:itab.*", "go:itab."} {
		name = strings.TrimPrefix(name, prefix)
	}
	if strings.HasPrefix(name, "main.") {
		return "botarena"
	}
	for _, m := range modules {
		if strings.HasPrefix(name, m) {
			return m
		}
	}
	if first, _, ok := strings.Cut(name, "."); ok && !strings.ContainsAny(first, " :*(") {
		first, _, _ = strings.Cut(first, "/")
		return first
	}
	return "tables of types and functions"
}
