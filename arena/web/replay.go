package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/exchange"
	"botarena/arena/live"
	"botarena/arena/replay"
	"botarena/arena/store"
	"botarena/arena/text"
	"botarena/arena/tournament"
	"botarena/engine"
	"botarena/engine/draw"
)

// replayPages are those of one game.
func (s *Server) replayPages() []page {
	return []page{{pattern: "/games/{id}", template: "replay.html", load: loadReplay}}
}

// replayRoutes are a game's files.
func (s *Server) replayRoutes() []route {
	return []route{
		{"GET /games/{id}/game.pgn", s.gameFile(writePGN)},
		{"GET /games/{id}/board.svg", s.gameFile(writeSVG)},
		{"GET /games/{id}/dialogue.txt", s.gameFile(writeDialogue)},
		{"GET /games/{id}/stderr.txt", s.gameFile(writeStderr)},
	}
}

// A replayView is what the page of a game shows.
type replayView struct {
	*replay.Replay
	Game      *store.Game
	Frame     *replay.Frame
	Last      int
	Flip      bool
	Board     template.HTML
	Symbols   template.HTML
	Chart     template.HTML
	Players   [2]replayPlayer // top and bottom of the board
	Seats     [2]replayPlayer // first and second side
	Links     map[string]string
	Moves     []replayMove
	Marks     []replayMark
	Opening   string
	Ending    string
	Live      bool // it has no result yet, and may be followed
	InAir     bool
	Files     string
	Dialogue  []string // of the ply; nil: none is kept
	Stderr    [2]string
	HasTalk   bool
	Script    template.JS
	Expected  float64 // of the first side, 0 to 100, by the last opinion up to the ply
	BarTop    float64
	Attempts  []store.VoidAttempt
	OffTurn   []string
	SideNames [2]string
	Site      bool
	Cut       bool // not all of the dialogue is shown
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
	Ply, Side          int
	Move, Time, Score  string
	Depth              int
	URL, Class, Remark string
	Current            bool
}

type replayMark struct {
	Ply     int
	Fault   bool
	Text    string
	URL     string
	Current bool
}

// gameOf finds the game that an address names.
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
	return &list[0], nil
}

// fromAir fills in the moves so far of a game that is being played, and reports
// whether it is.
func (s *Server) fromAir(g *store.Game) bool {
	if g.Result != arena.Unplayed || s.config.Live == nil {
		return false
	}
	d := s.config.Live.Since(0, live.Filter{Event: g.Event, Number: g.Number})
	for i := range d.Games {
		if c := &d.Games[i]; !c.Over {
			g.Moves, g.Start = c.Moves, c.Start
			return true
		}
	}
	return false
}

// clocksOf are the clocks of a game's bots, as far as the event's settings tell.
func (s *Server) clocksOf(ctx context.Context, g *store.Game) ([2]arena.TimeControl, error) {
	e, err := s.config.Store.Event(ctx, g.Event)
	if err != nil {
		return [2]arena.TimeControl{}, err
	}
	settings, err := config.Decode(e.Config)
	var invalid *arena.InvalidError // recorded by an older version
	if err != nil && !errors.As(err, &invalid) {
		return [2]arena.TimeControl{}, nil
	}
	return clocksIn(&settings, g.First, g.Second), nil
}

// clocksIn are the clocks of two bots of an event.
func clocksIn(e *arena.Event, bots ...string) (clocks [2]arena.TimeControl) {
	for side, name := range bots {
		clocks[side] = e.Clock
		if i := slices.IndexFunc(e.Bots, func(b arena.Bot) bool { return b.Name == name }); i >= 0 && e.Bots[i].Clock != nil {
			clocks[side] = *e.Bots[i].Clock
		}
	}
	return clocks
}

// replayOf plays a game of the record.
func (s *Server) replayOf(ctx context.Context, g *store.Game) (*replay.Replay, error) {
	rules, err := s.config.Catalog.Lookup(g.Game.Game)
	if err != nil {
		return nil, err
	}
	clocks, err := s.clocksOf(ctx, g)
	if err != nil {
		return nil, err
	}
	p, err := replay.New(rules, &g.Game, clocks)
	if err != nil { // a record that another program wrote
		s.config.Log.Warn("game cannot be replayed", "game", g.ID, "error", err)
		return nil, &failure{status: http.StatusUnprocessableEntity, what: "This game cannot be replayed: its record has a position or a move that the rules refuse."}
	}
	return p, nil
}

// plyOf reads a ply of an address; the last one where none is asked for or it lies
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
	inAir := r.fromAir(g)
	p, err := r.replayOf(ctx, g)
	if err != nil {
		return nil, err
	}
	v := &replayView{
		Replay: p, Game: g, Last: len(p.Frames) - 1, Flip: r.query.Get("flip") == "1", Live: g.Result == arena.Unplayed && r.config.Live != nil && !r.site, InAir: inAir,
		Ending: ending(&g.Game), Files: fmt.Sprintf("/games/%d", g.ID), Site: r.site, SideNames: p.Rules.SideNames(),
	}
	ply, err := plyOf(r.query.Get("ply"), v.Last)
	if err != nil {
		return nil, err
	}
	v.Frame = &p.Frames[ply]
	if v.Attempts, err = r.config.Store.Voids(ctx, g.Event, g.Number); err != nil {
		return nil, err
	}
	v.Opening = strings.TrimSpace(strings.Join([]string{g.Opening.Name, g.Opening.Position, strings.Join(g.Opening.Moves, " ")}, " "))
	v.fill(ply)
	if err := v.draw(); err != nil {
		return nil, err
	}
	if err := v.talk(r.config.LogDir, ply); err != nil {
		return nil, err
	}
	if v.Script, err = v.script(ply); err != nil {
		return nil, err
	}
	return &content{
		Title: fmt.Sprintf("%s – %s, %s", g.First, g.Second, g.Event), Wide: true, Data: v, JSON: newGameData(p, g),
		Live:    g.Result == arena.Unplayed,
		Crumbs:  []crumb{{g.Event, eventURL(g.Event)}, {"Games", gamesURL(g.Event)}},
		Scripts: []string{"board.js", "feed.js", "replay.js"},
		Styles:  []string{"pieces.css", "board.css"},
	}, nil
}

// url is the address of a ply of the page.
func (v *replayView) url(ply int, flip bool) string {
	u := fmt.Sprintf("?ply=%d", ply)
	if flip {
		u += "&flip=1"
	}
	return u
}

// ending says how a game ended.
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

// fill sets all that needs no drawing.
func (v *replayView) fill(ply int) {
	v.Links = map[string]string{
		"first": v.url(0, v.Flip), "prev": v.url(max(0, ply-1), v.Flip), "next": v.url(min(v.Last, ply+1), v.Flip), "last": v.url(v.Last, v.Flip),
		"flip": v.url(ply, !v.Flip),
	}
	for side, name := range [2]string{v.Game.First, v.Game.Second} {
		p := replayPlayer{Side: side, Name: name, Colour: v.SideNames[side], Numbers: v.Bots[side], Now: "–", Control: control(v.Clocks[side])}
		p.Timed, p.Clock = v.Clocks[side].Base > 0, clockText(v.Frame.Left[side])
		p.ToMove = int(v.Frame.Turn) == side && (v.Game.Result == arena.Unplayed || ply < v.Last)
		for n := ply; n > 0; n-- {
			if f := &v.Frames[n]; int(f.Side) == side {
				p.Now = remark(f.Move)
				break
			}
		}
		v.Seats[side] = p
	}
	v.Players = [2]replayPlayer{v.Seats[1], v.Seats[0]}
	v.Expected = 50
	for n := ply; n > 0; n-- {
		if f := &v.Frames[n]; f.Move.HasScore {
			v.Expected = 100 * firstExpects(f)
			break
		}
	}
	v.BarTop = 100 - v.Expected
	if v.Flip {
		v.BarTop = 0
	}
	marked := map[int]string{}
	for _, m := range v.Replay.Marks {
		class := "swing"
		if m.Fault {
			class = "fault"
		}
		marked[m.Ply] = class
		v.Marks = append(v.Marks, replayMark{Ply: m.Ply, Fault: m.Fault, Text: text.Line(m.Text, 400), URL: v.url(m.Ply, v.Flip), Current: m.Ply == ply})
	}
	for n := 1; n <= v.Last; n++ {
		f := &v.Frames[n]
		v.Moves = append(v.Moves, replayMove{
			Ply: n, Side: int(f.Side), Move: f.Move.Move, Time: seconds(f.Move.Time), Score: replay.Score(f.Move), Depth: f.Move.Depth,
			URL: v.url(n, v.Flip), Class: marked[n], Current: n == ply,
		})
	}
	for side, p := range v.Seats {
		if t := v.Game.OffTurn[side]; t >= 100*time.Millisecond {
			v.OffTurn = append(v.OffTurn, fmt.Sprintf("%s used %.1f s of processor time, %.1f s of it while the other side was to move.", text.Line(p.Name, 80), v.Game.CPU[side].Seconds(), t.Seconds()))
		}
	}
}

// control names a clock, as event files write it.
func control(c arena.TimeControl) string {
	if c == (arena.TimeControl{}) {
		return ""
	}
	return config.FormatClock(c)
}

// firstExpects is what a frame's mover expects, seen from the first side.
func firstExpects(f *replay.Frame) float64 {
	if f.Side == engine.Second {
		return 1 - replay.Expected(f.Move)
	}
	return replay.Expected(f.Move)
}

// remark tells a move with what its bot said of it.
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

// seconds writes the time of a move.
func seconds(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%.3f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return span(d)
}

// clockText writes a time as a clock does.
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

// picture is how the page draws its board.
func (v *replayView) picture() draw.Picture {
	return draw.Picture{
		Game: v.Game.Game.Game, Flip: v.Flip, Embedded: true,
		Title: fmt.Sprintf("Board after ply %d of %d", v.Frame.Ply, v.Last), Desc: replay.Describe(v.Rules, v.Frame.Board),
	}
}

func (v *replayView) draw() error {
	var board, symbols bytes.Buffer
	if err := draw.SVG(&board, v.Frame.Board, v.picture()); err != nil {
		return err
	}
	if err := draw.Symbols(&symbols, v.Game.Game.Game); err != nil {
		return err
	}
	v.Board, v.Symbols = template.HTML(board.String()), template.HTML(symbols.String()) //nolint:gosec // drawn by package draw, which escapes
	v.Chart = template.HTML(chart(v.Replay, v.Frame.Ply, v.Flip))                       //nolint:gosec // numbers alone
	return nil
}

// Most of what the page shows of a bot's words, in bytes: the rest is in the file.
const mostWords = 20_000

// talk reads what was logged of the game.
func (v *replayView) talk(logs string, ply int) error {
	if logs == "" {
		return nil
	}
	files := tournament.LogFiles(logs, v.Game.Event, v.Game.Number)
	for side, path := range files.Stderr {
		words, err := tail(path, mostWords)
		if err != nil {
			return err
		}
		v.Stderr[side] = words
	}
	lines, err := v.dialogue(files.Protocol, ply)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	v.HasTalk = true
	v.Dialogue = lines
	if n := 0; len(lines) > 0 {
		for i, line := range lines {
			if n += len(line); n > mostWords {
				v.Dialogue, v.Cut = lines[:i], true
				break
			}
		}
	}
	return nil
}

// dialogue is what was said at a ply, and after the last one what followed.
func (v *replayView) dialogue(path string, ply int) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return dialogueOf(f, &v.Game.Game, ply)
}

func dialogueOf(r io.ReadSeeker, g *arena.Game, ply int) ([]string, error) {
	names := [2]string{g.First, g.Second}
	lines, err := replay.Dialogue(r, names, ply, len(g.Moves))
	if err != nil || ply < len(g.Moves) {
		return lines, err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	// A fault comes after the last move.
	after, err := replay.Dialogue(r, names, ply+1, len(g.Moves))
	return append(lines, after...), err
}

// tail is the end of a file, "" where there is none.
func tail(path string, most int64) (string, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	cut := ""
	if info.Size() > most {
		cut = fmt.Sprintf("... (the first %d bytes are left out)\n", info.Size()-most)
		if _, err := f.Seek(-most, io.SeekEnd); err != nil {
			return "", err
		}
	}
	words, err := io.ReadAll(io.LimitReader(f, most))
	return cut + string(words), err
}

// A scriptFrame is a frame for the page's script; the names are short since there
// are many.
type scriptFrame struct {
	Changes  []any     `json:"c,omitempty"` // cells that changed, each with its owner and piece
	Last     []int     `json:"l,omitempty"`
	Move     string    `json:"m,omitempty"`
	Who      *int      `json:"w,omitempty"` // 0 or 1
	Turn     int       `json:"u"`
	Time     string    `json:"t,omitempty"`
	Millis   int64     `json:"ms,omitempty"`
	Score    string    `json:"s,omitempty"`
	Expected *float64  `json:"e,omitempty"` // of the first side, 0 to 1
	Depth    int       `json:"d,omitempty"`
	Left     *[2]int64 `json:"k,omitempty"` // milliseconds
	Said     string    `json:"y"`
}

// scriptFrames are frames from one on.
func scriptFrames(p *replay.Replay, from int) []scriptFrame {
	list := make([]scriptFrame, 0, len(p.Frames)-from)
	for n := from; n < len(p.Frames); n++ {
		f := &p.Frames[n]
		s := scriptFrame{Last: f.Board.Last, Turn: int(f.Turn), Said: f.Said}
		if n > 0 {
			s.Changes = changes(&p.Frames[n-1].Board, &f.Board)
			who := int(f.Side)
			s.Move, s.Who, s.Time, s.Millis, s.Score, s.Depth = f.Move.Move, &who, seconds(f.Move.Time), f.Move.Time.Milliseconds(), replay.Score(f.Move), f.Move.Depth
			if f.Move.HasScore {
				e := float64(int(firstExpects(f)*1000)) / 1000
				s.Expected = &e
			}
		} else {
			s.Changes = changes(nil, &f.Board)
		}
		if p.Clocks[0].Base > 0 || p.Clocks[1].Base > 0 {
			s.Left = &[2]int64{f.Left[0].Milliseconds(), f.Left[1].Milliseconds()}
		}
		list = append(list, s)
	}
	return list
}

// changes lists the cells that differ, each followed by its owner (1 or 2) and its
// piece's letter, "" for an empty one.
func changes(before, after *engine.Board) []any {
	var list []any
	for i, c := range after.Cells {
		if before == nil && c.Piece == 0 || before != nil && before.Cells[i].Piece == c.Piece && before.Cells[i].Side == c.Side {
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

// script is the data of the page's script.
func (v *replayView) script(ply int) (template.JS, error) {
	type mark struct {
		Ply   int    `json:"p"`
		Fault bool   `json:"f"`
		Text  string `json:"t"`
	}
	data := struct {
		Ply    int               `json:"ply"`
		Live   bool              `json:"live"`
		Event  string            `json:"event"`
		Number int               `json:"number"`
		Sides  [2]string         `json:"sides"`
		Names  map[string]string `json:"names"`
		Frames []scriptFrame     `json:"frames"`
		Marks  []mark            `json:"marks"`
	}{
		Ply: ply, Live: v.Live, Event: v.Game.Event, Number: v.Game.Number, Sides: v.SideNames, Names: map[string]string{},
		Frames: scriptFrames(v.Replay, 0), Marks: []mark{},
	}
	for i := range v.Frames {
		for _, c := range v.Frames[i].Board.Cells {
			if c.Piece != 0 {
				letter := string(rune(c.Piece))
				if _, known := data.Names[letter]; !known {
					data.Names[letter] = draw.PieceName(v.Game.Game.Game, c.Piece)
				}
			}
		}
	}
	for _, m := range v.Replay.Marks {
		data.Marks = append(data.Marks, mark{m.Ply, m.Fault, text.Line(m.Text, 400)})
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
	Left     [2]float64 `json:"clock_seconds"` // of the first and the second side, 0 where none counts down
}

type gameMark struct {
	Ply  int    `json:"ply"`
	Kind string `json:"kind"` // fault or swing
	Text string `json:"text"`
}

func newGameData(p *replay.Replay, g *store.Game) *gameData {
	d := &gameData{ID: g.ID, Line: exchange.NewLine(&exchange.Game{Game: g.Game, Clocks: p.Clocks}), Marks: []gameMark{}}
	for i := range p.Frames {
		f := &p.Frames[i]
		d.States = append(d.States, gamePly{f.Ply, f.Position, [2]float64{f.Left[0].Seconds(), f.Left[1].Seconds()}})
	}
	for _, m := range p.Marks {
		kind := "swing"
		if m.Fault {
			kind = "fault"
		}
		d.Marks = append(d.Marks, gameMark{m.Ply, kind, m.Text})
	}
	return d
}

// gameFile answers with a file of a game.
func (s *Server) gameFile(write func(ctx context.Context, w io.Writer, s *Server, g *store.Game, r *http.Request) (kind, name string, err error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), mostTime)
		defer cancel()
		g, err := s.gameOf(ctx, r.PathValue("id"))
		if err != nil {
			s.fail(w, r, err)
			return
		}
		var b bytes.Buffer
		kind, name, err := write(ctx, &b, s, g, r)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		w.Header().Set("Cache-Control", "no-cache")
		if name != "" {
			w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
		}
		newAnswer(http.StatusOK, kind, b.Bytes()).write(w, r)
	}
}

func writePGN(ctx context.Context, w io.Writer, s *Server, g *store.Game, _ *http.Request) (kind, name string, err error) {
	if g.Result == arena.Unplayed {
		return "", "", notFound("This game has no result yet.")
	}
	clocks, err := s.clocksOf(ctx, g)
	if err != nil {
		return "", "", err
	}
	out := text.NewWriter(w)
	pgn := exchange.NewPGN(out, s.config.Catalog, exchange.PGNOptions{Comments: true})
	if err := pgn.Write(&exchange.Game{Game: g.Game, Clocks: clocks}); err != nil {
		return "", "", err
	}
	return "application/x-chess-pgn; charset=utf-8", fmt.Sprintf("game-%d.pgn", g.ID), errors.Join(pgn.Flush(), out.Flush())
}

func writeSVG(ctx context.Context, w io.Writer, s *Server, g *store.Game, r *http.Request) (kind, name string, err error) {
	p, err := s.replayOf(ctx, g)
	if err != nil {
		return "", "", err
	}
	ply, err := plyOf(r.URL.Query().Get("ply"), len(p.Frames)-1)
	if err != nil {
		return "", "", err
	}
	err = draw.SVG(w, p.Frames[ply].Board, draw.Picture{
		Game: g.Game.Game, Flip: r.URL.Query().Get("flip") == "1",
		Title: text.Line(fmt.Sprintf("%s - %s, %s, after ply %d", g.First, g.Second, g.Game.Game, ply), 300), Desc: p.Frames[ply].Position,
	})
	return "image/svg+xml", fmt.Sprintf("game-%d-ply-%d.svg", g.ID, ply), err
}

func writeDialogue(_ context.Context, w io.Writer, s *Server, g *store.Game, r *http.Request) (kind, name string, err error) {
	const kindText = "text/plain; charset=utf-8"
	none := notFound("No dialogue of this game is kept.")
	if s.config.LogDir == "" {
		return "", "", none
	}
	f, err := os.Open(tournament.LogFiles(s.config.LogDir, g.Event, g.Number).Protocol)
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", none
	}
	if err != nil {
		return "", "", err
	}
	defer func() { _ = f.Close() }()
	out := text.NewWriter(w)
	if asked := r.URL.Query().Get("ply"); asked != "" {
		ply, err := plyOf(asked, len(g.Moves))
		if err != nil {
			return "", "", err
		}
		lines, err := dialogueOf(f, &g.Game, ply)
		if err != nil {
			return "", "", err
		}
		for _, line := range lines {
			fmt.Fprintln(out, line)
		}
		return kindText, "", out.Flush()
	}
	if _, err := io.Copy(out, f); err != nil {
		return "", "", err
	}
	return kindText, "", out.Flush()
}

func writeStderr(_ context.Context, w io.Writer, s *Server, g *store.Game, r *http.Request) (kind, name string, err error) {
	side := 0
	if r.URL.Query().Get("side") == "second" {
		side = 1
	}
	none := notFound("Nothing that this bot wrote to stderr is kept.")
	if s.config.LogDir == "" {
		return "", "", none
	}
	const most = 4 << 20
	words, err := tail(tournament.LogFiles(s.config.LogDir, g.Event, g.Number).Stderr[side], most)
	if err != nil {
		return "", "", err
	}
	if words == "" {
		return "", "", none
	}
	out := text.NewWriter(w)
	if _, err := io.WriteString(out, words); err != nil {
		return "", "", err
	}
	return "text/plain; charset=utf-8", "", out.Flush()
}

// NodesText is the bot's nodes, for people.
func (p replayPlayer) NodesText() string { return humanize.Comma(p.Nodes) }

// SpeedText is the bot's nodes a second, for people.
func (p replayPlayer) SpeedText() string { return humanize.Comma(int64(p.PerSec)) }

// LastScore is the bot's last opinion.
func (p replayPlayer) LastScore() string {
	if !p.HasScore {
		return "–"
	}
	return replay.Score(&p.Score)
}
