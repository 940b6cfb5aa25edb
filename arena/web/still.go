package web

import (
	"bytes"
	"encoding/json"
	"fmt"
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
	v := &replayView{Replay: p, Game: &store.Game{Game: *g}, Frame: &p.Frames[0], Site: true}
	v.fill(0)
	if err := v.draw(); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := s.templates.ExecuteTemplate(&out, "shared", v); err != nil {
		return nil, err
	}
	text, err := json.Marshal(out.String())
	return fmt.Appendf(nil, "window.arena = Object.assign(window.arena || {}, { shared: %s });\n", text), err
}

// thin leaves out of frames what still.js finds out itself.
func (v *replayView) thin(frames []scriptFrame) {
	for n := len(frames) - 1; n >= 0; n-- {
		f := &frames[n]
		if n > 0 && *f.Turn == 1-*frames[n-1].Turn {
			f.Turn = nil
		}
		f.Said, f.Time, f.Who, f.Expected, f.Glyph = "", "", nil, nil, v.glyph(n)
		var changed []int
		for i := 0; i < len(f.Changes); i += 2 {
			changed = append(changed, f.Changes[i].(int)) //nolint:forcetypeassert // see changes
		}
		if slices.Equal(slices.Sorted(slices.Values(f.Last)), changed) {
			f.Last = nil
		}
	}
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
