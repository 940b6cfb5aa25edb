package web

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"math"
	"slices"

	"botarena/arena"
	"botarena/arena/live"
	"botarena/arena/replay"
	"botarena/arena/standings"
	"botarena/arena/store"
	"botarena/engine"
	"botarena/engine/draw"
)

// A gridView holds what the page of live boards shows.
type gridView struct {
	Event     *store.Event
	Line      standings.EventLine
	Tiles     []gridTile
	Empty     template.HTML // a board to copy
	SideNames [2]string
	Feed      bool
	Recent    []store.Game

	Board  *boardData // the first places
	Others int        // bots that are not listed
}

const gridStandings = 20 // lines

// gridTile is one board of the grid.
type gridTile struct {
	Number   int
	URL      string
	Stage    string
	Names    [2]string // of the first and the second side
	Clocks   [2]string
	Turn     int
	Board    template.HTML
	Last     string
	Expected float64
	BarTop   float64
}

func loadGrid(ctx context.Context, r *request) (*content, error) {
	name, err := r.name("event")
	if err != nil {
		return nil, err
	}
	e, err := r.config.Store.Event(ctx, name)
	if err != nil {
		return nil, err
	}
	v := &gridView{
		Event: e, Line: r.line(e),
		SideNames: [2]string{"first", "second"}, Feed: r.config.Live != nil && !r.site,
	}
	if err := v.set(r); err != nil {
		return nil, err
	}
	if v.Recent, err = r.config.Store.Games(ctx, store.Filter{Event: name, Played: true, Last: 8}); err != nil {
		return nil, err
	}
	slices.Reverse(v.Recent)
	if v.Tiles, _, err = r.tiles(name, e.Game, math.MaxInt); err != nil {
		return nil, err
	}
	k, err := r.ranked(ctx, name)
	if err != nil {
		return nil, err
	}
	v.Others = max(0, len(k.lb.Bots)-gridStandings)
	v.Board = newBoard(k, name, rowsShown{From: 1, To: gridStandings})
	return &content{
		Title: name + ", live", Wide: true, Data: v,
		Crumbs:  []crumb{{name, eventURL(name)}},
		Scripts: []string{"board.js", "feed.js", "grid.js"},
		Styles:  []string{"pieces.css", "board.css"},
	}, nil
}

// set sets an empty board of the event's game, unless its rules program is not available:
// then nothing is followed.
func (v *gridView) set(r *request) error {
	rules, err := r.rules(v.Event.Game)
	if err == nil {
		v.Empty, err = emptyBoard(rules)
	}
	var broken *engine.RulesError
	if errors.Is(err, errNoRules) || errors.As(err, &broken) {
		v.Feed = false
		return nil
	}
	if err == nil {
		v.SideNames = rules.SideNames()
	}
	return err
}

// emptyBoard draws the board of a game without its pieces.
func emptyBoard(rules engine.Game) (board template.HTML, err error) {
	defer engine.Catch(&err)
	b := rules.Start().Board()
	b.Cells = slices.Clone(b.Cells)
	for i := range b.Cells {
		b.Cells[i].Piece, b.Cells[i].Side = 0, engine.NoSide
	}
	b.Last = nil
	return boardOfGame(rules, b, "Board", "")
}

// boardOfGame draws a small board.
func boardOfGame(rules engine.Game, b engine.Board, title, desc string) (template.HTML, error) {
	return boardOf(b, draw.Picture{Game: rules.Name(), Bare: true, Title: title, Desc: desc})
}

// tileOf returns the tile of a game in progress.
func tileOf(rules engine.Game, g *live.Game, clocks [2]arena.TimeControl) (gridTile, error) {
	t := gridTile{Number: g.Number, URL: liveURL(g.Key()), Stage: g.Stage, Names: [2]string{g.First, g.Second}, Expected: 50}
	p, err := replay.New(rules, &g.Game, clocks)
	if err != nil {
		return t, err
	}
	f := p.Last()
	t.Turn = int(f.Turn)
	for side := range t.Clocks {
		if clocks[side].Base > 0 {
			t.Clocks[side] = clockText(f.Left[side])
		}
	}
	if f.Move != nil {
		t.Last = fmt.Sprintf("%d. %s", f.Ply, remark(f.Move))
	}
	if e := lastExpected(p, f.Ply); e != nil {
		t.Expected = 100 * *e
	}
	t.BarTop = 100 - t.Expected
	t.Board, err = boardOfGame(rules, f.Board, fmt.Sprintf("Game %d after ply %d", g.Number, f.Ply), replay.Describe(rules, f.Board))
	return t, err
}

// side returns one side of a tile, as its template takes it.
func (t gridTile) side(side int) map[string]any {
	return map[string]any{
		"Side": side, "Name": t.Names[side], "Clock": t.Clocks[side], "ToMove": t.Turn == side && t.Number > 0,
	}
}
