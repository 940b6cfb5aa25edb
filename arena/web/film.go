package web

import (
	"bytes"
	"fmt"
	"html"
	"html/template"
	"strings"

	"botarena/arena/replay"
	"botarena/engine"
	"botarena/engine/draw"
)

// film draws every ply of a game for a page that no server answers for and whose
// scripts may not run: the one that the address names (#ply-12) is shown in the place of
// the page's board, by the stylesheet alone. Each row of squares is drawn once and
// referred to, since a move changes two at most: some 60 bytes a row and ply.
func film(p *replay.Replay, game string) (template.HTML, error) {
	f := filmMaker{p: p, game: game, rows: map[string]int{}}
	for n := range p.Frames {
		if err := f.ply(n); err != nil {
			return "", err
		}
	}
	var out strings.Builder
	if f.ground != "" {
		fmt.Fprintf(&out, "<svg class=\"board symbols\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>%s%s</defs></svg>\n", f.ground, f.defs.String())
	}
	out.WriteString(f.plies.String())
	return template.HTML(out.String()), nil //nolint:gosec // drawn by package draw, which escapes, as does said
}

type filmMaker struct {
	p           *replay.Replay
	game        string
	ground      string // the board without pieces
	rows        map[string]int
	defs, plies strings.Builder
	open        string // the tag of a board
}

func (f *filmMaker) ply(n int) error {
	frame, last := &f.p.Frames[n], len(f.p.Frames)-1
	board, err := f.board(n)
	if err != nil {
		return err
	}
	fmt.Fprintf(&f.plies, "<section class=\"film-ply\" id=\"ply-%d\" aria-label=\"Ply %[1]d\">\n%s<nav class=\"stepper\" aria-label=\"Plies\">", n, board)
	for _, to := range []struct {
		ply  int
		text string
	}{{0, "First"}, {max(n-1, 0), "Previous"}, {min(n+1, last), "Next"}, {last, "Last"}} {
		fmt.Fprintf(&f.plies, "<a class=\"button\" href=\"#ply-%d\">%s</a> ", to.ply, to.text)
	}
	fmt.Fprintf(&f.plies, "</nav>\n<p class=\"said meta\">%s</p>\n</section>\n", html.EscapeString(frame.Said))
	return nil
}

// board draws a ply.
func (f *filmMaker) board(n int) (string, error) {
	b := f.p.Frames[n].Board
	picture := draw.Picture{Game: f.game, Embedded: true, Title: fmt.Sprintf("Board after ply %d", n)}
	if len(b.Text) > 0 {
		var out bytes.Buffer
		err := draw.SVG(&out, b, picture)
		return out.String(), err
	}
	if f.ground == "" {
		empty, err := f.draw(emptied(b), picture)
		if err != nil {
			return "", err
		}
		at := strings.IndexByte(empty, '>') + 1
		f.open = empty[:at]
		f.ground = `<g id="film-ground">` + between(empty[at:], "</title>\n", "</svg>") + "</g>"
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s<title>Board after ply %d</title><use href=\"#film-ground\"/>", f.open, n)
	marked, err := f.draw(b, picture)
	if err != nil {
		return "", err
	}
	out.WriteString(between(marked, `<g class="marks">`, "</g>"))
	for row := range b.Rows {
		one := emptied(b)
		copy(one.Cells[row*b.Cols:(row+1)*b.Cols], b.Cells[row*b.Cols:(row+1)*b.Cols])
		drawn, err := f.draw(one, picture)
		if err != nil {
			return "", err
		}
		pieces := between(drawn, `<g class="pieces">`, "</g>\n")
		if pieces == "" {
			continue
		}
		id, known := f.rows[pieces]
		if !known {
			id = len(f.rows)
			f.rows[pieces] = id
			fmt.Fprintf(&f.defs, "<g class=\"pieces\" id=\"row-%d\">%s</g>", id, pieces)
		}
		fmt.Fprintf(&out, "<use href=\"#row-%d\"/>", id)
	}
	out.WriteString("</svg>\n")
	return out.String(), nil
}

func (f *filmMaker) draw(b engine.Board, p draw.Picture) (string, error) {
	var out bytes.Buffer
	err := draw.SVG(&out, b, p)
	return out.String(), err
}

// between is what stands between two texts, "" where they are not there.
func between(s, from, to string) string {
	_, rest, found := strings.Cut(s, from)
	if !found {
		return ""
	}
	inner, _, found := strings.Cut(rest, to)
	if !found {
		return ""
	}
	return inner
}
