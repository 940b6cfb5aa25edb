package web

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"botarena/arena"
	"botarena/arena/analysis"
	"botarena/arena/config"
	"botarena/arena/replay"
	"botarena/arena/store"
	"botarena/arena/text"
	"botarena/engine"
	"botarena/engine/draw"
)

// replayRoutes returns a game's files.
func (s *Server) replayRoutes() []route {
	return []route{
		{"GET /games/{id}/game.pgn", s.gameFile(writePGN)},
		{"GET /games/{id}/board.svg", s.gameFile(writeSVG)},
		{"GET /games/{id}/dialogue.txt", s.gameFile(writeDialogue)},
		{"GET /games/{id}/stderr.txt", s.gameFile(writeStderr)},
	}
}

// replayView holds what the page of a game shows.
type replayView struct {
	*replay.Replay
	Game       *store.Game
	Frame      *replay.Frame
	Last       int
	Flip       bool
	Board      template.HTML
	Chart      template.HTML
	Players    [2]replayPlayer // top and bottom of the board
	Seats      [2]replayPlayer // first and second side
	Links      map[string]string
	Moves      []replayMove
	Marks      []markData
	Opening    string
	Ending     string
	Live       bool // it has no result yet, and may be followed
	InProgress bool
	Files      string
	Dialogue   []string // of the ply; nil: none is kept
	Stderr     [2]string
	HasTalk    bool
	Script     template.JS
	Expected   float64 // of the first side, 0 to 100, by the last opinion up to the ply
	BarTop     float64
	Attempts   []store.VoidAttempt
	OffTurn    []string
	Site       bool
	Cut        bool // not all of the dialogue is shown
	NoMove     *replayFault
	Ranked     bool      // there is a leaderboard with its event
	Goals      [2]string // what the board marks for both sides
	Scripts    []string  // of a page of a site
	Judge      string    // who analysed the game; "" if nobody has
	Unruled    string    // why there is no board
	analysis   *store.Analysis
}

// A replayPlayer is one side of the board.
type replayPlayer struct {
	Side    int
	Name    string
	Colour  string // the side's name
	Clock   string
	Timed   bool
	Control string
	ToMove  bool
	Now     string // of its last move up to the ply
	replay.Numbers
}

type replayMove struct {
	Ply, Side         int
	Move, Time, Score string
	Depth             int
	URL, Class, Glyph string // the kind of its mark, and an analysis's sign for it
	Current           bool
}

// A replayFault stands for the missing move of a bot at fault, after the last ply.
type replayFault struct {
	Side int    `json:"side"`
	Text string `json:"text"`
}

// gameOf finds the game of an address.
func (s *Server) gameOf(ctx context.Context, id string) (*store.Game, error) {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil || n <= 0 || id != strconv.FormatInt(n, 10) {
		return nil, notFound("A game's address ends in its number.")
	}
	list, err := s.config.Store.Games(ctx, store.Filter{ID: n, Moves: true})
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, notFound("There is no game of this number.")
	}
	list[0].Detail = s.detail(list[0].Detail)
	return &list[0], nil
}

// fromFeed fills in the moves so far of a game in progress, and reports whether it is
// one.
func (s *Server) fromFeed(g *store.Game) bool {
	if g.Result != arena.Unplayed || s.config.Live == nil {
		return false
	}
	now := s.config.Live.Snapshot()
	for _, p := range now.Of(g.Event) {
		if p.Number == g.Number && !p.Over {
			g.Moves, g.Start = p.Moves, p.Start
			return true
		}
	}
	return false
}

// replayOf replays a game of the record. If its rules program is not available, the
// replay has no boards, and unruled says why.
func (s *Server) replayOf(g *store.Game, settings *arena.Event) (p *replay.Replay, unruled string, err error) {
	clocks := settings.Clocks(&g.Game)
	rules, err := s.rules(g.Game.Game)
	if err == nil {
		p, err = replay.New(rules, &g.Game, clocks)
	}
	var broken *engine.RulesError
	switch {
	case err == nil:
		return p, "", nil
	case errors.As(err, &broken), errors.Is(err, errNoRules):
		return replay.Bare(&g.Game, clocks), "There are no boards: the rules of this game are a program, which cannot be asked here.", nil
	case p == nil && rules == nil:
		return nil, "", err
	default: // a record that another program wrote
		s.config.Log.Warn("game cannot be replayed", "game", g.ID, "error", err)
		return nil, "", &failure{status: http.StatusUnprocessableEntity, what: "This game cannot be replayed: its record has a position or a move that the rules refuse."}
	}
}

// plyOf parses a ply of an address; it returns the last one if none is given or it lies
// beyond.
func plyOf(asked string, last int) (int, error) {
	if asked == "" {
		return last, nil
	}
	n, err := strconv.Atoi(asked)
	if err != nil || n < 0 {
		return 0, badRequest("A ply is a number from 0 on.")
	}
	return min(n, last), nil
}

func loadReplay(ctx context.Context, r *request) (*content, error) {
	g, err := r.gameOf(ctx, r.value("id"))
	if err != nil {
		return nil, err
	}
	event, settings, err := r.eventOf(ctx, g.Event)
	if err != nil {
		return nil, err
	}
	inProgress := r.fromFeed(g)
	p, unruled, err := r.replayOf(g, &settings)
	if err != nil {
		return nil, err
	}
	v := &replayView{
		Unruled: unruled, Ranked: !event.Archived && event.Played > 0,
		Replay: p, Game: g, Last: len(p.Frames) - 1, Flip: r.query.Get("flip") == "1", Live: g.Result == arena.Unplayed && r.config.Live != nil && !r.site, InProgress: inProgress,
		Ending: ending(&g.Game), Files: fmt.Sprintf("/games/%d", g.ID), Site: r.site,
	}
	ply, err := plyOf(r.query.Get("ply"), v.Last)
	if err != nil {
		return nil, err
	}
	v.Frame = &p.Frames[ply]
	if v.analysis, err = r.config.Store.Analysis(ctx, g.ID); err != nil {
		return nil, err
	}
	v.annotate()
	if v.Attempts, err = r.config.Store.Voids(ctx, g.Event, g.Number); err != nil {
		return nil, err
	}
	for i := range v.Attempts {
		v.Attempts[i].Detail = r.detail(v.Attempts[i].Detail)
	}
	v.Opening = strings.TrimSpace(strings.Join([]string{g.Opening.Name, g.Opening.Position, strings.Join(g.Opening.Moves, " ")}, " "))
	if m := p.Failed(); m != nil {
		v.NoMove = &replayFault{int(m.Side), "no move: " + string(g.Reason)}
	}
	v.fill(ply)
	if err := v.draw(); err != nil {
		return nil, err
	}
	if err := v.talk(r.logDir(), ply); err != nil {
		return nil, err
	}
	if v.Script, err = v.script(ply); err != nil {
		return nil, err
	}
	c := &content{
		Title: fmt.Sprintf("%s – %s, %s", g.First, g.Second, g.Event), Wide: true, Data: v,
		Live:   g.Result == arena.Unplayed,
		Crumbs: []crumb{{g.Event, eventURL(g.Event)}, {"Games", gamesURL(g.Event)}},
		Styles: []string{"pieces.css", "board.css"},
	}
	if r.site {
		board := boardsURL + segment(g.Game.Game) + ".js"
		v.Scripts = []string{board, r.assets.url("still.js"), r.assets.url("board.js"), r.assets.url("replay.js")}
	} else {
		c.JSON, c.Scripts = newGameData(p, g), []string{"board.js", "feed.js", "replayfeed.js", "replay.js"}
	}
	return c, nil
}

// URL returns the address of a ply of the page. On a static site it is a fragment,
// which the page's script reads.
func (v *replayView) URL(ply int, flip bool) string {
	if v.Site {
		return fmt.Sprintf("#ply-%d", ply)
	}
	u := fmt.Sprintf("?ply=%d", ply)
	if flip {
		u += "&flip=1"
	}
	return u
}

// annotate marks the mistakes that the game's analysis found.
func (v *replayView) annotate() {
	if v.analysis == nil {
		return
	}
	v.Judge = v.analysis.Judge
	kinds := map[analysis.Mark]replay.Kind{analysis.Inaccuracy: replay.Inaccuracy, analysis.Mistake: replay.Mistake, analysis.Blunder: replay.Blunder}
	for i := range v.analysis.Plies {
		p := &v.analysis.Plies[i]
		kind := kinds[p.Mark]
		if kind == "" || p.Ply < 1 || p.Ply >= len(v.Frames) {
			continue
		}
		said := fmt.Sprintf("%s%s costs %.2f points", v.Frames[p.Ply].Move.Move, p.Mark, p.Loss)
		if p.Exact {
			said = fmt.Sprintf("%s%s gives %.2g points away for certain", v.Frames[p.Ply].Move.Move, p.Mark, p.Loss)
		}
		if p.Best != "" && p.Best != v.Frames[p.Ply].Move.Move {
			said += ", better " + p.Best
		}
		v.Add(replay.Mark{Ply: p.Ply, Kind: kind, Side: v.Frames[p.Ply].Side, Text: said})
	}
}

// glyph returns the analysis's sign for a move.
func (v *replayView) glyph(ply int) string {
	if v.analysis != nil {
		for i := range v.analysis.Plies {
			if v.analysis.Plies[i].Ply == ply {
				return string(v.analysis.Plies[i].Mark)
			}
		}
	}
	return ""
}

// ending reports how a game ended.
func ending(g *arena.Game) string {
	if g.Result == arena.Unplayed {
		return ""
	}
	line := string(g.Reason)
	if g.Blame != "" {
		line += " of " + g.Blame
	}
	if g.Detail != "" {
		line += ": " + g.Detail
	}
	return line
}

// fill sets everything that needs no drawing.
func (v *replayView) fill(ply int) {
	v.Links = map[string]string{
		"first": v.URL(0, v.Flip), "prev": v.URL(max(0, ply-1), v.Flip), "next": v.URL(min(v.Last, ply+1), v.Flip), "last": v.URL(v.Last, v.Flip),
		"flip": v.URL(ply, !v.Flip),
	}
	for side, name := range [2]string{v.Game.First, v.Game.Second} {
		p := replayPlayer{Side: side, Name: name, Colour: v.Sides[side], Numbers: v.Bots[side], Now: "–", Control: control(v.Clocks[side])}
		p.Timed, p.Clock = v.Clocks[side].Base > 0, clockText(v.Frame.Left[side])
		p.ToMove = int(v.Frame.Turn) == side && (v.Game.Result == arena.Unplayed || ply < v.Last)
		for n := ply; n > 0; n-- {
			if f := &v.Frames[n]; int(f.Side) == side {
				p.Now = remark(f.Move)
				break
			}
		}
		if v.NoMove != nil && v.NoMove.Side == side && ply == v.Last {
			p.Now = v.NoMove.Text
		}
		v.Seats[side] = p
	}
	v.Players = [2]replayPlayer{v.Seats[1], v.Seats[0]}
	v.Expected = 50
	if e := lastExpected(v.Replay, ply); e != nil {
		v.Expected = 100 * *e
	}
	v.BarTop = 100 - v.Expected
	if v.Flip {
		v.BarTop = 0
	}
	marked := map[int]replay.Kind{}
	for _, m := range v.Replay.Marks {
		if m.Kind != replay.Fault {
			marked[m.Ply] = m.Kind
		}
		v.Marks = append(v.Marks, markData{m.Ply, m.Kind, text.Line(m.Text, 400)})
	}
	for n := 1; n <= v.Last; n++ {
		f := &v.Frames[n]
		v.Moves = append(v.Moves, replayMove{
			Ply: n, Side: int(f.Side), Move: f.Move.Move, Time: seconds(f.Move.Time), Score: replay.Score(f.Move), Depth: f.Move.Depth,
			URL: v.URL(n, v.Flip), Class: string(marked[n]), Glyph: v.glyph(n), Current: n == ply,
		})
	}
	for side, p := range v.Seats {
		if t := v.Game.OffTurn[side]; t >= 100*time.Millisecond {
			v.OffTurn = append(v.OffTurn, fmt.Sprintf("%s used %.1f s of processor time, %.1f s of it while the other side was to move.", text.Line(p.Name, 80), v.Game.CPU[side].Seconds(), t.Seconds()))
		}
	}
}

// control formats a time control as event files write it.
func control(c arena.TimeControl) string {
	if c == (arena.TimeControl{}) {
		return ""
	}
	return config.FormatClock(c)
}

// firstExpects returns the expected score of a frame's mover, seen from the first side.
func firstExpects(f *replay.Frame) float64 {
	if f.Side == engine.Second {
		return 1 - replay.Expected(f.Move)
	}
	return replay.Expected(f.Move)
}

// remark describes a move with its bot's search facts.
func remark(m *arena.MoveRecord) string {
	parts := []string{m.Move}
	if s := replay.Score(m); s != "" {
		parts = append(parts, s)
	}
	if m.Depth > 0 {
		parts = append(parts, fmt.Sprintf("depth %d", m.Depth))
	}
	return strings.Join(append(parts, seconds(m.Time)), " · ")
}

// seconds formats the time of a move.
func seconds(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%.3f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return span(d)
}

// clockText formats a time like a clock.
func clockText(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1f", max(d, 0).Seconds())
	}
	s := int(d.Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// draw draws the board and the chart.
func (v *replayView) draw() (err error) {
	p := draw.Picture{Game: v.Game.Game.Game, Flip: v.Flip, Title: fmt.Sprintf("Board after ply %d of %d", v.Frame.Ply, v.Last)}
	if v.Rules != nil {
		p.Desc = replay.Describe(v.Rules, v.Frame.Board)
	}
	if v.Board, err = boardOf(v.Frame.Board, p); err != nil {
		return err
	}
	v.Goals = goals(v.Game.Game.Game, v.Board, v.Sides)
	v.Chart = template.HTML(chart(v.Replay, v.Frame.Ply, func(n int) string { return v.URL(n, v.Flip) })) //nolint:gosec // numbers alone
	return nil
}

// A numberRow holds a statistic of both bots.
type numberRow struct {
	Label  string
	Values [2]string // of the first and the second side
}

// Numbers compares the bots.
func (v *replayView) Numbers() []numberRow {
	rows := []numberRow{
		{Label: "Moves"},
		{Label: "Clock"},
		{Label: "Time, all moves"},
		{Label: "Longest move"},
		{Label: "Mean depth"},
		{Label: "Nodes"},
		{Label: "Nodes a second"},
		{Label: "Last score"},
		{Label: "Changes of mind"},
	}
	known := func(told bool, text string) string {
		if !told || text == "" {
			return "–"
		}
		return text
	}
	for side := range v.Seats {
		p := &v.Seats[side]
		for i, text := range []string{
			strconv.Itoa(p.Moves), known(true, p.Control), span(p.Time), span(p.Longest), known(p.Depth > 0, fmt.Sprintf("%.1f", p.Depth)),
			known(p.Nodes > 0, humanize.Comma(p.Nodes)), known(p.PerSec > 0, humanize.Comma(int64(p.PerSec))), known(p.HasScore, replay.Score(&p.Score)),
			strconv.Itoa(p.Swings),
		} {
			rows[i].Values[side] = text
		}
	}
	return rows
}
