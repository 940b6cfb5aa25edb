package draw_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"botarena/engine"
	"botarena/engine/draw"
	"botarena/engine/games"
)

// An element of a picture.
type element struct {
	name string
	attr map[string]string
	text string
}

// elements reads a picture as XML.
func elements(t interface{ Fatalf(string, ...any) }, svg []byte) []element {
	var list []element
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
		switch x := token.(type) {
		case xml.StartElement:
			e := element{name: x.Name.Local, attr: map[string]string{}}
			for _, a := range x.Attr {
				e.attr[a.Name.Local] = a.Value
			}
			list = append(list, e)
		case xml.CharData:
			if len(list) > 0 {
				list[len(list)-1].text += string(x)
			}
		}
	}
}

func drawn(t interface{ Fatalf(string, ...any) }, b engine.Board, p draw.Picture) []byte {
	var out bytes.Buffer
	if err := draw.SVG(&out, b, p); err != nil {
		t.Fatalf("%v", err)
	}
	return out.Bytes()
}

// In any position of any game each piece is drawn once, on its square whichever
// way the board is turned, in a shape that the picture or the page has; nothing
// is styled but by classes.
func TestPieces(t *testing.T) {
	names := append(games.All().Names(), "breakthrough:3x9", "breakthrough:26x26")
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom(names).Draw(rt, "game")
		game, err := games.All().Lookup(name)
		if err != nil {
			rt.Fatal(err)
		}
		pos := game.Start()
		for range rapid.IntRange(0, 30).Draw(rt, "plies") {
			legal := pos.Legal(nil)
			if len(legal) == 0 {
				break
			}
			pos.Play(rapid.SampledFrom(legal).Draw(rt, "move"))
		}
		board := pos.Board()
		p := draw.Picture{Game: name, Flip: rapid.Bool().Draw(rt, "flip"), Bare: rapid.Bool().Draw(rt, "bare"), Embedded: rapid.Bool().Draw(rt, "embedded")}
		svg := drawn(rt, board, p)
		page := svg
		if p.Embedded {
			var symbols bytes.Buffer
			if err := draw.Symbols(&symbols, name); err != nil {
				rt.Fatal(err)
			}
			page = append([]byte("<body>"), append(symbols.Bytes(), append(svg, "</body>"...)...)...)
		}
		left := 20
		if p.Bare {
			left = 3
		}
		want, got, defined := map[string]string{}, map[string]string{}, map[string]bool{}
		for i, c := range board.Cells {
			if c.Piece == 0 {
				continue
			}
			col, row := i%board.Cols, i/board.Cols
			if p.Flip {
				col, row = board.Cols-1-col, board.Rows-1-row
			}
			want[fmt.Sprint(left+40*col, " ", 3+40*row)] = []string{"first", "second"}[c.Side] + " #piece-" + string(rune(c.Piece))
		}
		for _, e := range elements(rt, page) {
			if _, ok := e.attr["style"]; ok {
				rt.Fatalf("a style attribute on %s", e.name)
			}
			defined["#"+e.attr["id"]] = true
			if e.name == "use" && e.attr["href"] != "#tree" {
				got[e.attr["x"]+" "+e.attr["y"]] = e.attr["class"] + " " + e.attr["href"]
			}
			if e.name == "use" && !defined[e.attr["href"]] {
				rt.Fatalf("nothing defines %s", e.attr["href"])
			}
		}
		if fmt.Sprint(want) != fmt.Sprint(got) {
			rt.Fatalf("%s\ndrawn as %v\nwant %v", pos, got, want)
		}
	})
}

// Names from strangers are text in a picture, whatever they hold, and pieces of a
// game without shapes are their letters.
func TestStrangersText(t *testing.T) {
	hostile := "</title><script>alert(1)</script> \"'&<!-- ]]> \x00\x1b[31m \u0085 \ufffe \xff \u202e end"
	elems := elements(t, drawn(t, shades(), draw.Picture{Game: "made:up", Title: hostile, Desc: hostile}))
	counts, letters := map[string]int{}, ""
	for _, e := range elems {
		counts[e.name]++
		if e.name == "title" || e.name == "desc" {
			if !strings.HasPrefix(e.text, "</title><script>alert(1)</script> \"'&<!-- ]]>") || !strings.HasSuffix(strings.TrimSpace(e.text), "\u202e end") || strings.ContainsAny(e.text, "\x00\x1b\u0085\ufffe") {
				t.Errorf("%s is %q", e.name, e.text)
			}
		}
		if e.name == "text" && e.attr["y"] != "" {
			letters += strings.TrimSpace(e.text)
		}
	}
	if counts["script"] != 0 || counts["title"] != 1 || counts["desc"] != 1 || counts["circle"] != 10 {
		t.Errorf("elements %v", counts)
	}
	if letters != "DDDDD<<<<<abcde321" {
		t.Errorf("letters %q", letters)
	}
}

// Whatever is marked by colour is marked by an outline or a sign, too.
func TestMarks(t *testing.T) {
	for name, want := range map[string]map[string]int{
		"outwit":       {"first-edge": 1, "second-edge": 1, "first-goal": 1, "second-goal": 1, "last": 2, "grid": 1},
		"owlman":       {"first-edge": 1, "second-edge": 1, "first-goal": 1, "second-goal": 1, "sign": 2, "last": 2, "off": 1},
		"breakthrough": {"first-edge": 1, "second-edge": 1, "last": 2, "alternate": 1},
		"chess":        {"last": 2, "alternate": 1},
	} {
		game, err := games.All().Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		pos := game.Start()
		pos.Play(pos.Legal(nil)[0])
		got := map[string]int{}
		for _, e := range elements(t, drawn(t, pos.Board(), draw.Picture{Game: name})) {
			if c := e.attr["class"]; e.name == "path" && c != "plain" && c != "frame" && c != "board-tree" && !strings.HasPrefix(c, "piece-") && c != "" {
				got[c]++
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: marks %v, want %v", name, got, want)
		}
	}
}

// Rows of a board of hexagons are moved to the right, by half a square each, also where it
// is turned; a board that is text keeps its blanks.
func TestIndent(t *testing.T) {
	b := engine.Board{Cols: 2, Rows: 3, Cells: make([]engine.Cell, 6), Indent: []int{0, 1, 2}}
	b.Cells[0], b.Cells[5] = engine.Cell{Piece: 'x', Side: engine.First}, engine.Cell{Piece: 'o', Side: engine.Second}
	for flip, want := range map[bool]string{false: "126 0 1 2 x 23 30 o 103 110", true: "126 0 1 2 x 103 110 o 23 30"} {
		got := ""
		for _, e := range elements(t, drawn(t, b, draw.Picture{Game: "made:up", Bare: true, Flip: flip})) {
			switch e.name {
			case "svg":
				got += e.attr["width"] + " " + e.attr["data-indent"]
			case "text":
				got += " " + strings.TrimSpace(e.text) + " " + e.attr["x"] + " " + e.attr["y"]
			}
		}
		if got != want {
			t.Errorf("turned %t: %s, want %s", flip, got, want)
		}
	}
	text := string(drawn(t, engine.Board{Text: []string{"é¹ B²", "  c"}}, draw.Picture{Game: "made:up"}))
	if !strings.Contains(text, ">é¹ B²<") || !strings.Contains(text, ">  c<") || !strings.Contains(text, `xml:space="preserve"`) || !strings.Contains(text, `width="51"`) {
		t.Errorf("blanks are lost, or its width is not that of five letters:\n%s", text)
	}
}

func TestStyleKnowsTheClasses(t *testing.T) {
	classes := regexp.MustCompile(`\.([a-z-]+)`)
	styled := map[string]bool{"marks": true, "coordinates": true}
	for _, m := range classes.FindAllStringSubmatch(draw.Style(), -1) {
		styled[m[1]] = true
	}
	seen := 0
	for _, name := range games.All().Names() {
		game, err := games.All().Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		pos := game.Start()
		pos.Play(pos.Legal(nil)[0])
		for _, e := range elements(t, drawn(t, pos.Board(), draw.Picture{Game: name})) {
			for class := range strings.FieldsSeq(e.attr["class"]) {
				seen++
				if !styled[class] {
					t.Errorf("%s: no style for class %q of %s", name, class, e.name)
				}
			}
		}
	}
	if seen < 100 {
		t.Errorf("only %d classes seen", seen)
	}
}
