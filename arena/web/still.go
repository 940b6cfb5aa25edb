package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"botarena/arena"
	"botarena/arena/replay"
	"botarena/arena/store"
	"botarena/engine/draw"
)

// A game of a site is one small page: what is told of it, its moves and the last position
// as text, and data from which still.js makes the page that a server has. What all games
// of a kind share (the board, the buttons) is in one script for all of them.

// boardsURL begins the addresses of those scripts, which a site has and a server has not.
const boardsURL = "/boards/"

// boardScript returns the script with the parts of a replay that all games of a kind share.
func (s *Server) boardScript(segment string) ([]byte, error) {
	game, ok := unsegment(segment)
	if !ok {
		return nil, notFound("there is no such game")
	}
	rules, err := s.rules(game)
	g := &arena.Game{Game: game}
	p := replay.Bare(g, [2]arena.TimeControl{})
	if err == nil {
		if p, err = replay.New(rules, g, [2]arena.TimeControl{}); err != nil {
			return nil, err
		}
	}
	v := &replayView{Replay: p, Game: &store.Game{Game: *g}, Frame: &p.Frames[0], SideNames: p.Sides, Site: true}
	v.fill(0)
	if err := v.draw(); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := s.templates.of["replay.html"].ExecuteTemplate(&out, "shared", v); err != nil {
		return nil, err
	}
	text, err := json.Marshal(out.String())
	return fmt.Appendf(nil, "window.arena = Object.assign(window.arena || {}, { shared: %s });\n", text), err
}

// stillData is what still.js makes a replay of.
type stillData struct {
	Sides    [2]string         `json:"sides"`
	Names    map[string]string `json:"names"`
	Controls [2]string         `json:"controls"`
	Clocks   *[2]int64         `json:"clocks,omitempty"` // milliseconds at the beginning
	Numbers  [][2]string       `json:"numbers"`
	Marks    []markData        `json:"marks,omitempty"`
	NoMove   *replayFault      `json:"nomove,omitempty"`
	Start    stillStart        `json:"start"`
	Frames   [][]any           `json:"frames"`
}

// A stillStart is the position before the first ply.
type stillStart struct {
	Changes []any    `json:"c,omitempty"`
	Turn    int      `json:"u"`
	Text    []string `json:"x,omitempty"`
}

// stillMore holds the rare facts of a ply.
type stillMore struct {
	Turn  *int     `json:"u,omitempty"` // the side to move next, if it is not the other one
	Last  []int    `json:"l,omitempty"` // the cells of the move, if they are not those that changed
	Left  *int64   `json:"k,omitempty"` // on the mover's clock, in milliseconds
	Text  []string `json:"x,omitempty"`
	Glyph string   `json:"g,omitempty"`
}

func (v *replayView) still() (template.JS, error) {
	d := stillData{
		Sides: v.SideNames, Names: v.pieceNames(), Marks: v.markData(), NoMove: v.NoMove, Frames: [][]any{},
		Start: stillStart{Changes: changes(nil, &v.Frames[0].Board), Turn: int(v.Frames[0].Turn), Text: v.Frames[0].Board.Text},
	}
	timed := v.Clocks[0].Base > 0 || v.Clocks[1].Base > 0
	if timed {
		d.Clocks = &[2]int64{v.Frames[0].Left[0].Milliseconds(), v.Frames[0].Left[1].Milliseconds()}
	}
	for side := range v.Seats {
		d.Controls[side] = control(v.Clocks[side])
	}
	for _, row := range v.Numbers() {
		d.Numbers = append(d.Numbers, row.Values)
	}
	for n := 1; n < len(v.Frames); n++ {
		d.Frames = append(d.Frames, v.stillFrame(n, timed))
	}
	b, err := json.Marshal(d)
	return template.JS(b), err //nolint:gosec // JSON with markup escaped
}

// stillFrame returns a ply: its move, milliseconds, score, depth, changes and, if there
// is more to tell, a stillMore.
func (v *replayView) stillFrame(n int, timed bool) []any {
	f, before := &v.Frames[n], &v.Frames[n-1]
	cells := changes(&before.Board, &f.Board)
	var more stillMore
	told := false
	if f.Turn != f.Side.Other() {
		turn := int(f.Turn)
		more.Turn, told = &turn, true
	}
	var changed []int
	for i := 0; i < len(cells); i += 2 {
		changed = append(changed, cells[i].(int)) //nolint:forcetypeassert // see changes
	}
	if last := slices.Sorted(slices.Values(f.Board.Last)); !slices.Equal(last, changed) {
		more.Last, told = f.Board.Last, true
	}
	if timed {
		left := f.Left[f.Side].Milliseconds()
		more.Left, told = &left, true
	}
	if !slices.Equal(f.Board.Text, before.Board.Text) {
		more.Text, told = f.Board.Text, true
	}
	if more.Glyph = v.glyph(n); more.Glyph != "" {
		told = true
	}
	list := []any{f.Move.Move, f.Move.Time.Milliseconds(), replay.Score(f.Move), f.Move.Depth, cells}
	if told {
		list = append(list, more)
	}
	return list
}

// Plain returns the last position as text.
func (v *replayView) Plain() string {
	var b strings.Builder
	if v.Unruled != "" || draw.Text(&b, v.Frames[v.Last].Board, draw.Options{}) != nil {
		return ""
	}
	return b.String()
}

// PlainMoves returns the moves as text, two a number.
func (v *replayView) PlainMoves() string {
	var b strings.Builder
	for n := 1; n < len(v.Frames); n++ {
		if n%2 == 1 {
			fmt.Fprintf(&b, "%d. ", (n+1)/2)
		}
		b.WriteString(v.Frames[n].Move.Move + " ")
	}
	return strings.TrimSpace(b.String())
}
