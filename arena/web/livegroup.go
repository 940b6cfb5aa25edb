package web

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"botarena/arena/live"
	"botarena/engine"
)

const (
	// gameGap is the least time between two updates of one game.
	gameGap = 200 * time.Millisecond
	// frameGap is the least time between two messages of one stream, of which each
	// may be about other games; crowdGap is that where more than a crowd read.
	frameGap = 50 * time.Millisecond
	crowdGap = 200 * time.Millisecond
	crowd    = 100
	// keepFrames are kept for readers that are a little behind.
	keepFrames = 64
	// keepGames is how many games that are over are told of to who comes.
	keepGames = 16
)

// A liveGroup is all who read the same. Messages are made once for all of them.
type liveGroup struct {
	feed    *liveFeed
	filter  live.Filter
	readers atomic.Int64
	quit    chan struct{}

	mu       sync.Mutex
	to       uint64 // number of the view that games is at
	events   map[string]live.Event
	games    map[live.Key]*followed
	toldAir  []live.Key
	problems []string
	dirty    map[string]bool // events to be told of
	frames   [][]byte
	begin    int       // number of frames[0]
	made     time.Time // of the last of frames
	whole    []byte
	changed  chan struct{}
}

// A followed game is as the view has it, with all its moves, as far as it is drawn.
type followed struct {
	live.Game
	moves []liveMove
	board liveBoard // after the last of moves
	track *live.Track
	bad   bool // the rules refuse a move: no more of them is shown

	sent    int       // plies in frames
	fresh   bool      // not yet in a frame
	ended   bool      // told to be over
	pending bool      // something is to be told
	since   uint64    // the first change that is to be told
	at      time.Time // of the last frame that it was in
	changes uint64
}

func newLiveGroup(f *liveFeed, filter live.Filter) *liveGroup {
	g := &liveGroup{
		feed: f, filter: filter, quit: make(chan struct{}), changed: make(chan struct{}),
		events: map[string]live.Event{}, games: map[live.Key]*followed{}, dirty: map[string]bool{},
	}
	g.take()
	g.settle()
	return g
}

// settle has all that is known be told already: there is no reader yet.
func (g *liveGroup) settle() {
	clear(g.dirty)
	for _, f := range g.games {
		f.tell(time.Time{})
	}
	g.toldAir = g.inAir()
}

// tell notes that all that there is of a game is in a message now.
func (f *followed) tell(now time.Time) {
	f.sent, f.fresh, f.pending, f.ended, f.at = len(f.moves), false, false, f.Over, now
}

// inAir are the games that readers take to be in the air, and that are, or whose
// end is still to be told.
func (g *liveGroup) inAir() []live.Key {
	var list []live.Key
	for k, f := range g.games {
		if !f.fresh && !f.ended {
			list = append(list, k)
		}
	}
	slices.SortFunc(list, live.CompareKeys)
	return list
}

// run makes a message whenever something has changed, until nobody reads.
func (g *liveGroup) run() {
	release := g.feed.view.Attend()
	defer release()
	gap := time.NewTimer(0)
	defer gap.Stop()
	var later <-chan time.Time // something waits for its game's turn
	for {
		changed := g.feed.view.Changed()
		wait := g.step()
		later = nil
		if wait > 0 {
			gap.Reset(wait)
			later = gap.C
		}
		select {
		case <-changed:
		case <-later:
		case <-g.quit:
			return
		case <-g.feed.closed:
			return
		}
		pause := frameGap
		if g.readers.Load() > crowd {
			pause = crowdGap
		}
		if last := g.last(); !last.IsZero() {
			pause -= time.Since(last)
		} else {
			pause = 0
		}
		if pause <= 0 {
			continue
		}
		gap.Reset(pause)
		select {
		case <-gap.C:
		case <-g.quit:
			return
		case <-g.feed.closed:
			return
		}
	}
}

// last is when the last message was made.
func (g *liveGroup) last() time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.made
}

// step takes in what is new and makes a message of what may be told now. It
// returns how long the rest has to wait, 0 for no rest.
func (g *liveGroup) step() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.take()
	now := time.Now()
	var ready []*followed
	var wait time.Duration
	upTo := g.to
	for _, f := range g.games {
		switch left := gameGap - now.Sub(f.at); {
		case !f.pending:
		case left <= 0:
			ready = append(ready, f)
		default:
			upTo = min(upTo, f.since-1)
			if wait == 0 || left < wait {
				wait = left
			}
		}
	}
	if len(ready) == 0 && len(g.dirty) == 0 && slices.Equal(g.inAir(), g.toldAir) {
		return wait
	}
	slices.SortFunc(ready, func(a, b *followed) int { return live.CompareKeys(a.Key(), b.Key()) })
	var games liveUpdate
	for _, f := range ready {
		games.addPart(f, f.fresh, f.sent, len(f.moves))
		f.tell(now)
	}
	u := g.update(false)
	u.Games = games.Games
	for name := range g.dirty {
		u.addEvent(g.events[name])
	}
	clear(g.dirty)
	g.toldAir = g.inAir()
	g.publish(u.message(g.feed.view.Epoch(), upTo))
	return wait
}

// publish hands a message to all readers, under mu.
func (g *liveGroup) publish(message []byte) {
	if len(g.frames) == keepFrames {
		g.frames = slices.Delete(g.frames, 0, 1)
		g.begin++
	}
	g.frames, g.made, g.whole = append(g.frames, message), time.Now(), nil
	close(g.changed)
	g.changed = make(chan struct{})
}

// since returns the messages from number next on, and what is closed when there
// are more. False: they are not kept any more.
func (g *liveGroup) since(next int) (frames [][]byte, changed <-chan struct{}, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if next < g.begin {
		return nil, nil, false
	}
	return slices.Clone(g.frames[next-g.begin:]), g.changed, true
}

// first returns what a reader is told first, and the number of the message that
// follows. A reader that knows the state at a number is told what has come since.
func (g *liveGroup) first(known uint64) (message []byte, next int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	next = g.begin + len(g.frames)
	epoch := g.feed.view.Epoch()
	if known == 0 || known > g.to {
		if g.whole == nil {
			u := g.update(true)
			for _, e := range g.events {
				u.addEvent(e)
			}
			for _, f := range g.ordered() {
				from := 0
				if g.filter.Number == 0 {
					from = max(0, f.sent-2) // a move of each side: what the grid shows
				}
				u.addPart(f, true, from, f.sent)
			}
			g.whole = u.message(epoch, g.told())
		}
		return g.whole, next
	}
	d := g.feed.view.Since(known, g.filter)
	u := g.update(false)
	for _, e := range d.Events {
		if e, ok := g.events[e.Name]; ok {
			u.addEvent(e)
		}
	}
	for i := range d.Games {
		c := &d.Games[i]
		if f, ok := g.games[c.Key()]; ok && !f.fresh {
			u.addPart(f, c.New, min(c.From, f.sent), f.sent)
		}
	}
	return u.message(epoch, g.told()), next
}

// told is the number up to which everything is told.
func (g *liveGroup) told() uint64 {
	to := g.to
	for _, f := range g.games {
		if f.pending {
			to = min(to, f.since-1)
		}
	}
	return to
}

// ordered are the games to tell of at first: all in the air, and the last that are
// over.
func (g *liveGroup) ordered() []*followed {
	var air, over []*followed
	for _, f := range g.games {
		switch {
		case f.fresh: // comes with the next message
		case f.Over:
			over = append(over, f)
		default:
			air = append(air, f)
		}
	}
	slices.SortFunc(over, func(a, b *followed) int { return live.CompareKeys(a.Key(), b.Key()) })
	list := slices.Concat(air, over[max(0, len(over)-keepGames):])
	slices.SortFunc(list, func(a, b *followed) int { return live.CompareKeys(a.Key(), b.Key()) })
	return list
}

// take brings the games up to the view, under mu.
func (g *liveGroup) take() {
	d := g.feed.view.Since(g.to, g.filter)
	if problems := g.feed.view.Problems(); !slices.Equal(problems, g.problems) {
		g.problems = problems
		g.whole = nil
		g.dirty[""] = true
	}
	if d.Reset {
		clear(g.games)
		clear(g.events)
	}
	for _, e := range d.Events {
		g.events[e.Name] = e
		g.dirty[e.Name] = true
	}
	for i := range d.Games {
		g.takeGame(&d.Games[i], d.To)
	}
	over := 0
	for k, f := range g.games {
		_, inAir := slices.BinarySearchFunc(d.Air, k, live.CompareKeys)
		if !f.Over && !inAir {
			delete(g.games, k)
		}
		if f.Over && !f.pending {
			over++
		}
	}
	for _, f := range g.oldest(over - 2*keepGames) {
		delete(g.games, f.Key())
	}
	g.to = d.To
}

// oldest returns so many games that have been over for longest.
func (g *liveGroup) oldest(n int) []*followed {
	if n <= 0 {
		return nil
	}
	var list []*followed
	for _, f := range g.games {
		if f.Over && !f.pending {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b *followed) int { return int(int64(a.changes) - int64(b.changes)) })
	return list[:min(n, len(list))]
}

// takeGame takes in what is new of a game.
func (g *liveGroup) takeGame(c *live.Change, to uint64) {
	f := g.games[c.Key()]
	if f == nil || c.New {
		f = &followed{fresh: true}
		f.begin(g.feed.rules, &c.Game)
		g.games[c.Key()] = f
	}
	f.Game, f.changes = c.Game, to
	f.Moves = nil
	if !f.pending {
		f.pending, f.since = true, to
	}
	if f.track == nil || f.bad {
		return
	}
	if c.From > len(f.moves) {
		f.bad = true
		return
	}
	f.bad = f.play(c, g.filter.Number > 0) != nil
}

// begin sets the board up, where the rules are to be had.
func (f *followed) begin(rules func(context.Context, string) (engine.Game, error), g *live.Game) {
	var err error
	defer func() {
		if err != nil {
			f.track = nil
		}
	}()
	defer engine.Catch(&err)
	const patience = 10 * time.Second // a program may have to be started
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	known, err := rules(ctx, g.Game.Game)
	if err != nil {
		return
	}
	if f.track, err = live.NewTrack(known, g); err == nil {
		f.board = boardOf(f.track)
	}
}

// play plays what is new of a game. The error is that its rules refuse it, or fail.
func (f *followed) play(c *live.Change, boards bool) (err error) {
	defer engine.Catch(&err)
	for i := range c.Moves {
		if c.From+i < len(f.moves) {
			continue
		}
		m, err := moveOf(f.track, &c.Moves[i], boards)
		if err != nil {
			return err
		}
		f.moves = append(f.moves, m)
	}
	f.board = boardOf(f.track)
	return nil
}

// A liveBoard is a board for a script: a letter a cell, "." for none, and whose it
// is, "1" or "2"; row by row from the top, each from the first file.
type liveBoard struct {
	Cols   int    `json:"cols"`
	Rows   int    `json:"rows"`
	Pieces string `json:"pieces"`
	Sides  string `json:"sides"`
	Last   []int  `json:"last,omitempty"` // cells of the last move
	// Text is a board without squares, row by row.
	Text     []string `json:"text,omitempty"`
	Position string   `json:"position"`
	Turn     int      `json:"turn"` // 0 for the first side
	// Left is what each side has for its next move, in seconds; null without time.
	Left [2]*float64 `json:"left"`
}

func boardOf(t *live.Track) liveBoard {
	b := t.Position.Board()
	pieces, sides := make([]byte, len(b.Cells)), make([]byte, len(b.Cells))
	for i, c := range b.Cells {
		pieces[i], sides[i] = '.', '.'
		if c.Piece != 0 {
			pieces[i] = c.Piece
		}
		switch c.Side {
		case engine.First:
			sides[i] = '1'
		case engine.Second:
			sides[i] = '2'
		}
	}
	l := liveBoard{
		Cols: b.Cols, Rows: b.Rows, Pieces: string(pieces), Sides: string(sides), Last: slices.Clone(b.Last), Text: b.Text,
		Position: t.Position.String(), Turn: int(t.Position.Turn()),
	}
	for side := range l.Left {
		if left, timed := t.Left(engine.Side(side)); timed {
			seconds := left.Seconds()
			l.Left[side] = &seconds
		}
	}
	return l
}
