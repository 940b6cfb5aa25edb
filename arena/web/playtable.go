package web

import (
	"context"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/casual"
	"botarena/arena/replay"
	"botarena/arena/text"
	"botarena/engine"
	"botarena/engine/draw"
)

// A tableView holds what the page of a casual game shows.
type tableView struct {
	Table   *casual.Table
	State   casual.State
	URL     string
	Board   template.HTML
	Players [2]replayPlayer // top and bottom
	Moves   []replayMove
	Status  string
	Lines   []string // what the bot thought
	Script  template.JS
	Level   string
	Goals   [2]string // what the board marks for both sides
	Again   []playAgain
	Steps   []choice // through the plies, once the game is over
	Ply     int      // that is shown
	Last    int
}

// A playAgain is a form for another game like this one.
type playAgain struct {
	Text   string
	Fields map[string]string
}

// again offers the game once more, with the same sides and with the others.
func again(t *casual.Table) []playAgain {
	form := func(text string, side engine.Side) playAgain {
		f := map[string]string{
			"bot": strconv.Itoa(t.Offer), "level": t.Level, "game": t.Game.Name(), "clock": control(t.Clocks[1]), "my-clock": control(t.Clocks[0]),
			"side": []string{"first", "second"}[side],
		}
		if t.Position != nil {
			f["position"] = t.Position.String()
		}
		return playAgain{text, f}
	}
	return []playAgain{form("Rematch", t.Person), form("Rematch, sides swapped", t.Person.Other())}
}

// steps returns the links through the plies of a game.
func steps(ply, last int) []choice {
	list := []choice{}
	for _, to := range []struct {
		ply  int
		text string
	}{{0, "First"}, {max(ply-1, 0), "Previous"}, {min(ply+1, last), "Next"}, {last, "Last"}} {
		list = append(list, choice{strconv.Itoa(to.ply), to.text})
	}
	return list
}

// replayOfTable plays the moves so far.
func replayOfTable(t *casual.Table, state *casual.State) (*replay.Replay, error) {
	g := &arena.Game{Game: t.Game.Name(), First: "you", Second: t.Bot.Name, Moves: state.Moves}
	clocks := t.Clocks
	if t.Person == engine.Second {
		g.First, g.Second = g.Second, g.First
		clocks[0], clocks[1] = clocks[1], clocks[0]
	}
	if t.Position != nil {
		g.Opening.Position = t.Position.String()
	}
	return replay.New(t.Game, g, clocks)
}

// tableStatus describes the state of the game to the visitor.
func tableStatus(t *casual.Table, s *casual.State) string {
	if e := s.Ended; e != nil {
		if e.Reason == arena.Void {
			return "No result: " + e.Detail + "."
		}
		line := "A draw"
		switch e.Result {
		case arena.ResultFor(t.Person):
			line = "You win"
		case arena.ResultFor(t.Person.Other()):
			line = t.Bot.Name + " wins"
		}
		return fmt.Sprintf("%s: %s, %s.", line, e.Reason, e.Detail)
	}
	switch {
	case s.Said != "":
		return s.Said
	case !s.Begun:
		return t.Bot.Name + " is getting ready."
	case s.Thinking:
		return t.Bot.Name + " is thinking."
	}
	return "Your move."
}

// thought formats a bot's search facts.
func thought(h casual.Thought) string {
	var parts []string
	if h.Depth > 0 {
		parts = append(parts, fmt.Sprintf("depth %d", h.Depth))
	}
	if h.HasScore {
		parts = append(parts, replay.Score(&arena.MoveRecord{HasScore: true, Score: h.Score, Mate: h.Mate}))
	}
	if h.Nodes > 0 {
		parts = append(parts, fmt.Sprintf("%d nodes", h.Nodes))
	}
	for _, words := range []string{h.Line, h.Text} {
		if words != "" {
			parts = append(parts, words)
		}
	}
	return text.Line(fmt.Sprintf("ply %d: %s", h.Ply, strings.Join(parts, ", ")), 300)
}

func loadTable(_ context.Context, r *request) (*content, error) {
	t, err := r.table(r.value("table"))
	if err != nil {
		return nil, err
	}
	t.Seen()
	state := t.State()
	p, err := replayOfTable(t, &state)
	if err != nil {
		return nil, err
	}
	v := &tableView{Table: t, State: state, URL: "/play/" + t.ID, Status: tableStatus(t, &state), Level: t.Level, Again: again(t), Last: len(p.Frames) - 1}
	v.Ply = v.Last
	if state.Ended != nil {
		if v.Ply, err = plyOf(r.query.Get("ply"), v.Last); err != nil {
			return nil, err
		}
	}
	v.Steps = steps(v.Ply, v.Last)
	f := &p.Frames[v.Ply]
	if v.Board, err = boardOf(f.Board, draw.Picture{
		Game: t.Game.Name(), Flip: t.Person == engine.Second, Title: fmt.Sprintf("Board after ply %d", f.Ply), Desc: replay.Describe(t.Game, f.Board),
	}); err != nil {
		return nil, err
	}
	sides := t.Game.SideNames()
	v.Goals = goals(t.Game.Name(), v.Board, sides)
	for i, side := range [2]engine.Side{t.Person.Other(), t.Person} {
		player := replayPlayer{Side: int(side), Name: t.Bot.Name, Colour: sides[side], Timed: p.Clocks[side].Timed(), Clock: clockText(state.Left[side])}
		if i == 1 {
			player.Name = "You"
		}
		player.ToMove = state.Ended == nil && state.Turn == side
		player.Control = control(p.Clocks[side])
		v.Players[i] = player
	}
	for n := 1; n < len(p.Frames); n++ {
		m := p.Frames[n].Move
		v.Moves = append(v.Moves, replayMove{Ply: n, Side: int(p.Frames[n].Side), Move: m.Move, Time: seconds(m.Time), Score: replay.Score(m), Depth: m.Depth})
	}
	for _, h := range slices.Backward(state.Thoughts) {
		v.Lines = append(v.Lines, thought(h))
	}
	data, err := json.Marshal(tableData(t, &state, p, 0))
	if err != nil {
		return nil, err
	}
	v.Script = template.JS(data) //nolint:gosec // JSON with markup escaped
	return &content{
		Title: "Playing " + t.Bot.Name, Wide: true, Data: v, Crumbs: []crumb{{"Play", "/play"}},
		Scripts: []string{"board.js", "play.js"}, Styles: []string{"pieces.css", "board.css"},
	}, nil
}

// goals describes what a board marks for both sides; "" if it marks nothing.
func goals(game string, board template.HTML, sides [2]string) [2]string {
	if strings.Contains(string(board), `class="first-edge"`) {
		return draw.GoalNames(game, sides)
	}
	return [2]string{}
}

// A tableUpdate is the state of a casual game as the script reads it.
type tableUpdate struct {
	Version  uint64            `json:"version"`
	Frames   []scriptFrame     `json:"frames,omitempty"` // from one on; those before stay
	From     int               `json:"from"`
	Plies    int               `json:"plies"`
	Person   int               `json:"person"`
	Sides    [2]string         `json:"sides"`
	Names    map[string]string `json:"names"`
	Turn     int               `json:"turn"`
	Legal    []tableMove       `json:"legal"`
	Left     [2]*int64         `json:"left"`  // milliseconds, null without a clock
	Since    int64             `json:"since"` // milliseconds for which the side to move has been thinking
	Thinking bool              `json:"thinking"`
	Lines    []string          `json:"lines"`
	Hint     *tableMove        `json:"hint"`
	Status   string            `json:"status"`
	Undo     bool              `json:"undo"`
	Over     bool              `json:"over"`
}

// A tableMove is a legal move with the cells that it names, -1 for none.
type tableMove struct {
	Move string `json:"m"`
	From int    `json:"f"`
	To   int    `json:"t"`
}

func tableData(t *casual.Table, s *casual.State, p *replay.Replay, from int) *tableUpdate {
	b := p.Last().Board
	u := &tableUpdate{
		Version: s.Version, From: from, Plies: len(p.Frames) - 1, Person: int(t.Person), Sides: t.Game.SideNames(), Turn: int(s.Turn),
		Names: map[string]string{}, Legal: []tableMove{}, Since: max(0, t.Now().Sub(s.Since).Milliseconds()), Thinking: s.Thinking, Lines: []string{},
		Status: text.Line(tableStatus(t, s), 400), Undo: s.CanUndo, Over: s.Ended != nil,
	}
	if from < len(p.Frames) {
		u.Frames = scriptFrames(p, from)
	}
	for _, c := range p.Frames[0].Board.Cells {
		if c.Piece != 0 {
			u.Names[string(rune(c.Piece))] = draw.PieceName(t.Game.Name(), c.Piece)
		}
	}
	move := func(m string) tableMove {
		f, to, _ := replay.Squares(m, b.Cols, b.Rows)
		return tableMove{m, f, to}
	}
	for _, m := range s.Legal {
		u.Legal = append(u.Legal, move(m))
	}
	for side := range u.Left {
		if p.Clocks[side].Timed() {
			left := s.Left[side].Milliseconds()
			u.Left[side] = &left
		}
	}
	for _, h := range slices.Backward(s.Thoughts) {
		u.Lines = append(u.Lines, thought(h))
	}
	if s.Hint != nil {
		m := move(s.Hint.Move)
		u.Hint = &m
	}
	return u
}

// tableEvents streams a casual game to its visitor, who is there as long as that
// is read.
func (s *Server) tableEvents(w http.ResponseWriter, r *http.Request) {
	t, err := s.table(r.PathValue("table"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer t.Watch()()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no")
	out := &stream{w: w, rc: http.NewResponseController(w), slow: slowReader}
	_ = out.rc.SetReadDeadline(time.Time{}) // nothing more is read but the end
	// Thoughts come fast; send them a few times a second.
	const pause = 100 * time.Millisecond
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	told, plies := uint64(0), -1
	var p *replay.Replay
	var moves []arena.MoveRecord
	for {
		changed := t.Changed()
		state := t.State()
		if state.Version != told || plies < 0 {
			if p == nil || !sameMoves(moves, state.Moves) {
				if p, err = replayOfTable(t, &state); err != nil {
					s.config.Log.Error("casual game", "error", err)
					return
				}
				if plies >= 0 && !sameMoves(moves, state.Moves[:min(len(moves), len(state.Moves))]) || len(state.Moves) < len(moves) {
					plies = -1
				}
				moves = state.Moves
			}
			data, err := json.Marshal(tableData(t, &state, p, plies+1))
			if err != nil || out.write(fmt.Appendf(nil, "event: update\ndata: %s\n\n", data)) != nil {
				return
			}
			told, plies = state.Version, len(p.Frames)-1
			if state.Ended == nil {
				select {
				case <-time.After(pause):
				case <-r.Context().Done():
					return
				}
			}
		}
		select {
		case <-changed:
		case <-beat.C:
			if out.write([]byte(": still here\n\n")) != nil {
				return
			}
		case <-r.Context().Done():
			return
		case <-s.live.closed:
			return
		}
	}
}

func sameMoves(a, b []arena.MoveRecord) bool {
	return slices.EqualFunc(a, b, func(x, y arena.MoveRecord) bool { return x.Move == y.Move })
}
