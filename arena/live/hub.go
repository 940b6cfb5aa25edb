package live

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"botarena/arena"
)

// An Event describes a run of an event and its progress.
type Event struct {
	Name   string       `json:"event"`
	Game   string       `json:"game"` // canonical name of the game
	Format arena.Format `json:"format"`
	Before int          `json:"before"` // games that had a result when this run began
	Progress

	Since   time.Time `json:"since"`   // when this run began
	Running bool      `json:"running"` // false once the run has ended, or is lost
}

// Progress counts the games of an event.
type Progress struct {
	Planned int `json:"planned"` // games planned so far
	Played  int `json:"played"`  // games with a result
	Total   int `json:"total"`   // games in all; 0 if unknown
	Slots   int `json:"slots"`   // games at once
}

// A Game is a game in progress, or one that has just ended.
type Game struct {
	// Game is the planned game, its Moves those so far. Once it is Over, it has its
	// result; a void one has that reason, and is played again.
	arena.Game
	ID     uint64 // of this attempt at the game; set by Begin
	Clocks [2]arena.TimeControl
	Slot   int       // 0-based, where it is played
	Worker string    // the machine, "" for the one that runs the event
	At     time.Time // when the last move came, or the game began
	Over   bool
	// Brief reports that the game ended before another process received it. Its Moves
	// are left out; Plies counts them.
	Brief bool
}

// Newer reports whether g is to be shown rather than o, of the same key or the same place: a
// game in progress, else the one that began later.
func (g *Game) Newer(o *Game) bool {
	if g.Over != o.Over {
		return o.Over
	}
	return g.Start.After(o.Start) || g.Start.Equal(o.Start) && g.Number > o.Number
}

// A Key names a game in a view.
type Key struct {
	Event  string
	Number int
}

// Key returns the game's key.
func (g *Game) Key() Key { return Key{g.Event, g.Number} }

// Compare orders keys by event, then by number.
func (k Key) Compare(o Key) int {
	return cmp.Or(cmp.Compare(k.Event, o.Event), cmp.Compare(k.Number, o.Number))
}

// Limits of what is kept of ended runs and games.
const (
	keepOver = 32          // games of a run that are over
	keepFor  = time.Minute // games that are over, runs that have ended
)

// A Snapshot holds the events and games at one moment: events by name, games by event
// and number. It is immutable.
type Snapshot struct {
	Events []Event
	Games  []Game // in progress, and those that ended last
}

// Event returns the run of an event.
func (s *Snapshot) Event(name string) (Event, bool) {
	i := slices.IndexFunc(s.Events, func(e Event) bool { return e.Name == name })
	if i < 0 {
		return Event{}, false
	}
	return s.Events[i], true
}

// Of returns the games of an event.
func (s *Snapshot) Of(event string) []Game {
	from, _ := slices.BinarySearchFunc(s.Games, event, func(g Game, event string) int { return cmp.Compare(g.Event, event) })
	to := from
	for to < len(s.Games) && s.Games[to].Event == event {
		to++
	}
	return s.Games[from:to]
}

// equal reports whether two snapshots are equal.
func (s *Snapshot) equal(o *Snapshot) bool {
	return slices.Equal(s.Events, o.Events) && slices.EqualFunc(s.Games, o.Games, func(a, b Game) bool {
		return a.ID == b.ID && a.Over == b.Over && len(a.Moves) == len(b.Moves)
	})
}

// A Hub collects the games that the runs of one process play.
type Hub struct {
	id  string
	now func() time.Time

	looked atomic.Int64 // when somebody last looked, as UnixNano

	mu   sync.Mutex
	runs []*Run
}

// NewHub returns a hub that nobody watches.
func NewHub(now func() time.Time) *Hub { return &Hub{id: newID(), now: now} }

// look records that somebody is watching.
func (h *Hub) look() { h.looked.Store(h.now().UnixNano()) }

// watchedFor is how long after the last snapshot a hub counts as watched.
const watchedFor = 3 * time.Second

// Watched reports whether somebody watches the games: while nobody does, games on other
// machines need not be announced.
func (r *Run) Watched() bool {
	return r != nil && r.hub.now().Sub(time.Unix(0, r.hub.looked.Load())) < watchedFor
}

// Snapshot returns what the runs play now, and what has just ended.
func (h *Hub) Snapshot() Snapshot {
	h.mu.Lock()
	defer h.mu.Unlock()
	var s Snapshot
	now := h.now()
	h.runs = slices.DeleteFunc(h.runs, func(r *Run) bool { return !r.event.Running && now.Sub(r.ended) > keepFor })
	for _, r := range h.runs {
		s.Events = append(s.Events, r.event)
		for _, p := range r.playing {
			g := p.about
			g.Moves, g.At = p.played()
			s.Games = append(s.Games, g)
		}
		for _, p := range r.over {
			if now.Sub(p.ended) <= keepFor {
				s.Games = append(s.Games, p.about)
			}
		}
	}
	s.sort()
	return s
}

func (s *Snapshot) sort() {
	slices.SortStableFunc(s.Events, func(a, b Event) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortStableFunc(s.Games, func(a, b Game) int { return a.Key().Compare(b.Key()) })
}

// InProgress returns the games in progress with their moves so far.
func (h *Hub) InProgress() []Game {
	return slices.DeleteFunc(h.Snapshot().Games, func(g Game) bool { return g.Over })
}

// A Run is one run of an event. The methods may be called by any goroutine, and on
// nil.
type Run struct {
	hub *Hub
	// Below hub.mu:
	event   Event
	listed  bool
	ended   time.Time
	playing []*Playing
	over    []*Playing // the last ones
}

// Run adds a run of an event. It is shown from its first Progress or Begin on, in place
// of an earlier run of the same name.
func (h *Hub) Run(e Event) *Run {
	if h == nil {
		return nil
	}
	e.Running = true
	if e.Since.IsZero() {
		e.Since = h.now()
	}
	return &Run{hub: h, event: e}
}

// list adds the run to the hub; the hub's mu is held.
func (r *Run) list() {
	if r.listed {
		return
	}
	h := r.hub
	r.listed = true
	h.runs = slices.DeleteFunc(h.runs, func(o *Run) bool { return o.event.Name == r.event.Name })
	h.runs = append(h.runs, r)
}

// Progress updates the counts of the event.
func (r *Run) Progress(p Progress) {
	if r == nil {
		return
	}
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	r.list()
	r.event.Progress = p
}

// Close ends the run. None of its games is in progress any more.
func (r *Run) Close() {
	if r == nil {
		return
	}
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	r.event.Running, r.playing, r.ended = false, nil, r.hub.now()
}

// A Playing is a game in progress. Only one goroutine calls Moved.
type Playing struct {
	about Game               // without moves until it is over
	array []arena.MoveRecord // what moves points to

	moves atomic.Pointer[[]arena.MoveRecord] // at its whole capacity
	plies atomic.Int64                       // how many of moves are played; set after moves
	at    atomic.Int64                       // when the last one came, as UnixNano

	ended time.Time // below the hub's mu
}

// Begin announces a game with its players, opening and clocks, before any move. It
// replaces an earlier attempt with the same number.
func (r *Run) Begin(g Game) *Playing {
	if r == nil {
		return nil
	}
	g.Moves, g.Over, g.Brief = nil, false, false
	g.Result, g.Reason, g.Detail, g.Blame, g.Plies = arena.Unplayed, "", "", "", 0
	if g.At.IsZero() {
		g.At = r.hub.now()
	}
	if g.Start.IsZero() {
		g.Start = g.At
	}
	g.ID = rand.Uint64()
	p := &Playing{about: g}
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	if !r.event.Running {
		return nil
	}
	r.list()
	p.about.Event = r.event.Name
	same := func(p *Playing) bool { return p.about.Number == g.Number }
	r.playing, r.over = slices.DeleteFunc(r.playing, same), slices.DeleteFunc(r.over, same)
	r.playing = append(r.playing, p)
	return p
}

// Moved sets the moves played so far and the time of the last one. The moves must not
// change afterwards; more may be appended to them.
func (p *Playing) Moved(moves []arena.MoveRecord, at time.Time) {
	if p == nil || len(moves) == 0 {
		return
	}
	if len(moves) > len(p.array) || &moves[0] != &p.array[0] {
		whole := moves[:cap(moves)]
		p.array = whole
		p.moves.Store(&whole)
	}
	p.at.Store(at.UnixNano())
	p.plies.Store(int64(len(moves)))
}

// played returns the moves so far and the time of the last one.
func (p *Playing) played() ([]arena.MoveRecord, time.Time) {
	n := p.plies.Load()
	if n == 0 {
		return nil, p.about.At
	}
	moves := *p.moves.Load() // at least as new as n
	return moves[:n:n], time.Unix(0, p.at.Load())
}

// End announces how the game with g's number ended, or that the attempt was void. It
// does nothing if no game of that number is in progress.
func (r *Run) End(g *arena.Game) {
	if r == nil {
		return
	}
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	i := slices.IndexFunc(r.playing, func(p *Playing) bool { return p.about.Number == g.Number })
	if i < 0 {
		return
	}
	p := r.playing[i]
	moves, at := p.played()
	if len(g.Moves) >= len(moves) {
		moves = g.Moves
	}
	event := p.about.Event
	p.about.Game = *g
	p.about.Event, p.about.Moves = event, moves
	p.about.Over, p.about.At, p.ended = true, at, r.hub.now()
	r.playing = slices.Delete(r.playing, i, i+1)
	if len(r.over) == keepOver {
		r.over = slices.Delete(r.over, 0, 1)
	}
	r.over = append(r.over, p)
}
