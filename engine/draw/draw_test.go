package draw_test

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"botarena/engine"
	"botarena/engine/breakthrough"
	"botarena/engine/draw"
)

var update = flag.Bool("update", false, "write the golden files anew")

func after(t *testing.T, cols, rows int, moves string) engine.Board {
	t.Helper()
	game, err := breakthrough.New(cols, rows)
	if err != nil {
		t.Fatal(err)
	}
	pos := game.Start()
	for text := range strings.FieldsSeq(moves) {
		m, err := pos.ParseMove(text)
		if err != nil {
			t.Fatal(err)
		}
		pos.Play(m)
	}
	return pos.Board()
}

// shades is a board with every shade, empty and with a piece, and a letter that
// XML must escape.
func shades() engine.Board {
	b := engine.Board{Cols: 5, Rows: 3, Last: []int{0, 11}}
	for row := range 3 {
		for shade := engine.Plain; shade <= engine.Off; shade++ {
			c := engine.Cell{Side: engine.NoSide, Shade: shade}
			switch row {
			case 1:
				c.Side, c.Piece = engine.First, 'D'
			case 2:
				c.Side, c.Piece = engine.Second, '<'
			}
			b.Cells = append(b.Cells, c)
		}
	}
	return b
}

func TestGolden(t *testing.T) {
	boards := map[string]engine.Board{
		"start":  after(t, 8, 8, ""),
		"middle": after(t, 6, 5, "b2c3 d4c3 b1b2 e4d3 c2d3 c3b2"),
		"large":  after(t, 26, 26, "m2n3 y25z24 a2a3"),
		"shades": shades(),
	}
	for name, board := range boards {
		drawings := map[string]func(io.Writer) error{
			".txt":  func(w io.Writer) error { return draw.Text(w, board, draw.Options{}) },
			".ansi": func(w io.Writer) error { return draw.Text(w, board, draw.Options{Color: true}) },
			".svg":  func(w io.Writer) error { return draw.SVG(w, board, draw.Picture{Title: name}) },
		}
		for ext, drawing := range drawings {
			t.Run(name+ext, func(t *testing.T) {
				var got bytes.Buffer
				if err := drawing(&got); err != nil {
					t.Fatal(err)
				}
				path := filepath.Join("testdata", name+ext)
				if *update {
					if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got.Bytes(), want) {
					t.Errorf("drawn otherwise than %s (go test -update writes it anew):\n%s", path, got.Bytes())
				}
			})
		}
	}
}

// In every text drawing, each file's letter stands over all of its squares.
func TestAligned(t *testing.T) {
	escape := regexp.MustCompile("\x1b\\[[0-9;]*m")
	for _, size := range [][2]int{{2, 4}, {8, 9}, {8, 10}, {26, 26}} {
		board := after(t, size[0], size[1], "")
		for i := range board.Cells {
			board.Cells[i] = engine.Cell{Piece: byte('a' + i%board.Cols), Side: engine.Side(i % 2)}
		}
		for _, color := range []bool{false, true} {
			var out bytes.Buffer
			if err := draw.Text(&out, board, draw.Options{Color: color}); err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSuffix(escape.ReplaceAllString(out.String(), ""), "\n"), "\n")
			if len(lines) != size[1]+2 || lines[0] != lines[len(lines)-1] {
				t.Fatalf("%v: %d lines, the first %q", size, len(lines), lines[0])
			}
			for _, line := range lines[1 : len(lines)-1] {
				for i, c := range lines[0] {
					if c != ' ' && rune(line[i]) != c {
						t.Fatalf("%v: %q is not under %q", size, line, lines[0])
					}
				}
			}
		}
	}
}

func TestBrokenBoards(t *testing.T) {
	for _, board := range []engine.Board{
		{},
		{Cols: 2, Rows: 2, Cells: make([]engine.Cell, 3)},
		{Cols: 27, Rows: 1, Cells: make([]engine.Cell, 27)},
		{Cols: 1, Rows: 1, Cells: make([]engine.Cell, 1), Last: []int{1}},
	} {
		if err := draw.Text(io.Discard, board, draw.Options{}); err == nil {
			t.Errorf("Text draws %+v", board)
		}
		if err := draw.SVG(io.Discard, board, draw.Picture{}); err == nil {
			t.Errorf("SVG draws %+v", board)
		}
	}
}
