package web

import (
	"encoding/json"
	"html/template"
	"slices"

	"botarena/arena/exchange"
	"botarena/arena/replay"
	"botarena/arena/store"
	"botarena/engine"
	"botarena/engine/draw"
)

// scriptFrame is a frame for the scripts of pages; names are short since there are many.
type scriptFrame struct {
	Changes  []any    `json:"c,omitempty"` // cells that changed, each with its owner and piece
	Last     []int    `json:"l,omitempty"`
	Move     string   `json:"m,omitempty"`
	Who      *int     `json:"w,omitempty"` // 0 or 1
	Turn     *int     `json:"u,omitempty"` // who is to move next; on a site only if it is not the other one
	Time     string   `json:"t,omitempty"`
	Millis   int64    `json:"ms,omitempty"`
	Score    string   `json:"s,omitempty"`
	Expected *float64 `json:"e,omitempty"` // of the first side, 0 to 1
	Depth    int      `json:"d,omitempty"`
	Left     []*int64 `json:"k,omitempty"` // milliseconds of both sides, null without a clock
	Said     string   `json:"y,omitempty"`
	Text     []string `json:"x,omitempty"` // a board without squares
	Glyph    string   `json:"g,omitempty"` // an analysis's sign for the move, on a site
}

// scriptFrames returns the frames from one on.
func scriptFrames(p *replay.Replay, from int) []scriptFrame {
	list := make([]scriptFrame, 0, len(p.Frames)-from)
	for n := from; n < len(p.Frames); n++ {
		var before *engine.Board
		if n > 0 {
			before = &p.Frames[n-1].Board
		}
		list = append(list, scriptFrameOf(p, n, before))
	}
	return list
}

// lastFrame returns the last frame with its whole board, the last expected score, and
// the current clocks of both sides.
func lastFrame(p *replay.Replay) scriptFrame {
	s := scriptFrameOf(p, len(p.Frames)-1, nil)
	s.Expected = lastExpected(p, len(p.Frames)-1)
	s.Left = make([]*int64, 2)
	for side := range s.Left {
		if left, timed := p.Left(engine.Side(side)); timed {
			ms := left.Milliseconds()
			s.Left[side] = &ms
		}
	}
	return s
}

// scriptFrameOf returns a frame with what it changes on the board before it, which is nil
// for an empty one.
func scriptFrameOf(p *replay.Replay, n int, before *engine.Board) scriptFrame {
	f := &p.Frames[n]
	turn := int(f.Turn)
	s := scriptFrame{Changes: changes(before, &f.Board), Last: f.Board.Last, Turn: &turn, Said: f.Said, Text: f.Board.Text}
	if before != nil && slices.Equal(f.Board.Text, before.Text) {
		s.Text = nil
	}
	if f.Move != nil {
		who := int(f.Side)
		s.Move, s.Who, s.Time, s.Millis, s.Score, s.Depth = f.Move.Move, &who, seconds(f.Move.Time), f.Move.Time.Milliseconds(), replay.Score(f.Move), f.Move.Depth
		s.Expected = expectedOf(f)
	}
	for side := range f.Left {
		if p.Clocks[side].Base > 0 {
			if s.Left == nil {
				s.Left = make([]*int64, 2)
			}
			left := f.Left[side].Milliseconds()
			s.Left[side] = &left
		}
	}
	return s
}

// expectedOf returns the expected score of a frame's mover, to three digits and seen
// from the first side; nil if it reported no score.
func expectedOf(f *replay.Frame) *float64 {
	if f.Move == nil || !f.Move.HasScore {
		return nil
	}
	e := float64(int(firstExpects(f)*1000)) / 1000
	return &e
}

// lastExpected returns the last expected score up to a ply, nil if no score was
// reported.
func lastExpected(p *replay.Replay, ply int) *float64 {
	for n := ply; n > 0; n-- {
		if e := expectedOf(&p.Frames[n]); e != nil {
			return e
		}
	}
	return nil
}

// changes lists the cells that differ, each followed by its owner (1 or 2) and its
// piece's letter, "" for an empty one.
func changes(before, after *engine.Board) []any {
	var list []any
	for i, c := range after.Cells {
		if before == nil && c.Piece == 0 || before != nil && len(before.Cells) == len(after.Cells) && before.Cells[i].Piece == c.Piece && before.Cells[i].Side == c.Side {
			continue
		}
		word := ""
		if c.Piece != 0 {
			word = string([]byte{'1' + byte(max(c.Side, 0))}) + string(rune(c.Piece))
		}
		list = append(list, i, word)
	}
	return list
}

// markData is a mark for the page's script.
type markData struct {
	Ply  int         `json:"p"`
	Kind replay.Kind `json:"k"`
	Text string      `json:"t"`
}

// pieceNames returns the names of all pieces of the game by their letters.
func (v *replayView) pieceNames() map[string]string {
	names := map[string]string{}
	for i := range v.Frames {
		for _, c := range v.Frames[i].Board.Cells {
			if c.Piece != 0 && names[string(rune(c.Piece))] == "" {
				names[string(rune(c.Piece))] = draw.PieceName(v.Game.Game.Game, c.Piece)
			}
		}
	}
	return names
}

// script returns the data of the page's script; on a site, only what still.js cannot
// compute itself.
func (v *replayView) script(ply int) (template.JS, error) {
	data := struct {
		Ply      int               `json:"ply"`
		Live     bool              `json:"live,omitempty"`
		Event    string            `json:"event,omitempty"`
		Number   int               `json:"number,omitempty"`
		Sides    [2]string         `json:"sides"`
		Names    map[string]string `json:"names"`
		Frames   []scriptFrame     `json:"frames"`
		Marks    []markData        `json:"marks"`
		NoMove   *replayFault      `json:"nomove,omitempty"`
		Controls []string          `json:"controls,omitempty"` // of both sides, on a site
		Numbers  [][2]string       `json:"numbers,omitempty"`  // of a site
	}{Ply: ply, Sides: v.Sides, Names: v.pieceNames(), Frames: scriptFrames(v.Replay, 0), Marks: v.Marks, NoMove: v.NoMove}
	if v.Site {
		data.Controls = []string{control(v.Clocks[0]), control(v.Clocks[1])}
		for _, row := range v.Numbers() {
			data.Numbers = append(data.Numbers, row.Values)
		}
		v.thin(data.Frames)
	} else {
		data.Live, data.Event, data.Number = v.Live, v.Game.Event, v.Game.Number
	}
	// Encoded with < and > as escapes, so that nothing in it ends the element.
	b, err := json.Marshal(data)
	return template.JS(b), err //nolint:gosec // JSON with markup escaped
}

// A gameData is a game as JSON.
type gameData struct {
	ID int64 `json:"id"`
	exchange.Line
	Ending string     `json:"-"`
	States []gamePly  `json:"states"`
	Marks  []gameMark `json:"marks"`
}

// A gamePly is the position after a ply.
type gamePly struct {
	Ply      int        `json:"ply"`
	Position string     `json:"position"`
	Left     [2]float64 `json:"clock_seconds"` // of the first and the second side, 0 if none counts down
}

type gameMark struct {
	Ply  int    `json:"ply"`
	Kind string `json:"kind"` // fault, swing, inaccuracy, mistake or blunder
	Text string `json:"text"`
}

func newGameData(p *replay.Replay, g *store.Game) *gameData {
	d := &gameData{ID: g.ID, Line: exchange.NewLine(&exchange.Game{Game: g.Game, Clocks: p.Clocks}), Marks: []gameMark{}}
	for i := range p.Frames {
		f := &p.Frames[i]
		d.States = append(d.States, gamePly{f.Ply, f.Position, [2]float64{f.Left[0].Seconds(), f.Left[1].Seconds()}})
	}
	for _, m := range p.Marks {
		d.Marks = append(d.Marks, gameMark{m.Ply, string(m.Kind), m.Text})
	}
	return d
}
