package live

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"botarena/arena"
)

// An Event is how far a run of an event is.
type Event struct {
	Name   string
	Game   string // canonical name of the game
	Format arena.Format
	Before int // games that had a result when this run began
	Progress

	Since   time.Time // when this run began
	Running bool      // false once the run has ended, or is lost
}

// Progress is how far an event is.
type Progress struct {
	Planned int // games planned so far
	Played  int // games with a result
	Total   int // games in all, as far as is known; 0 where nobody knows
	Slots   int // games at once
}

// A Game is one in the air, or one that has just ended.
type Game struct {
	// Game is the planned game, its Moves those so far. Once it is Over, it has its
	// result; one that was void has that reason, and is played again.
	arena.Game
	Clocks [2]arena.TimeControl
	Slot   int       // 0-based, where it is played
	Worker string    // the machine, "" for the one that runs the event
	At     time.Time // when the last move came, or the game began
	Over   bool
	// Brief games were over before they could be told of: their Moves are left out,
	// Plies tells how many they were.
	Brief bool
}

// A Key names a game in a view.
type Key struct {
	Event  string
	Number int
}

// Key is the game's.
func (g *Game) Key() Key { return Key{g.Event, g.Number} }

// keepOver is how many games that are over a hub remembers, for those who look
// seldom or begin to.
const keepOver = 32

// A Hub is what the runs of one process tell.
type Hub struct {
	id  string
	now func() time.Time

	looked atomic.Int64 // when somebody last looked, as UnixNano

	mu   sync.Mutex
	runs []*Run
	seen uint64 // changes of anything but moves, so far
}

// NewHub returns a hub that nobody watches.
func NewHub(now func() time.Time) *Hub { return &Hub{id: newID(), now: now} }

// look notes that somebody looks.
func (h *Hub) look() { h.looked.Store(h.now().UnixNano()) }

// stare is how long after a look somebody is taken to be watching.
const stare = 3 * time.Second

// Watched reports whether somebody looks at the games: where nobody does, those that
// are played elsewhere need not be told of.
func (r *Run) Watched() bool {
	return r != nil && r.hub.now().Sub(time.Unix(0, r.hub.looked.Load())) < stare
}

// Air returns the games in the air with their moves so far, in the order in which they
// began.
func (h *Hub) Air() []Game {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []Game
	for _, r := range h.runs {
		for _, p := range r.air {
			g := p.about
			g.Moves, g.At = p.played()
			list = append(list, g)
		}
	}
	return list
}

// A Run is one run of an event. The methods may be called by any goroutine, and on
// nil.
type Run struct {
	hub *Hub
	// Below hub.mu:
	event   Event
	listed  bool
	version uint64
	air     []*Playing
	over    []*Playing // the last ones
}

// Run begins a run of an event. It is told of from its first Progress or Begin on;
// one of the same name takes the place of an earlier one.
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

// list has the run told of, under the hub's mu.
func (r *Run) list() {
	if r.listed {
		return
	}
	h := r.hub
	r.listed, r.version = true, h.change()
	h.runs = slices.DeleteFunc(h.runs, func(o *Run) bool { return o.event.Name == r.event.Name })
	h.runs = append(h.runs, r)
}

func (h *Hub) change() uint64 {
	h.seen++
	return h.seen
}

// Progress says how far the event is.
func (r *Run) Progress(p Progress) {
	if r == nil {
		return
	}
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	r.list()
	if r.event.Progress != p {
		r.event.Progress = p
		r.version = r.hub.change()
	}
}

// Close says that the run has ended, and that no game of it is in the air.
func (r *Run) Close() {
	if r == nil {
		return
	}
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	r.event.Running, r.air = false, nil
	r.version = r.hub.change()
}

// A Playing is a game in the air. Only one goroutine tells of its moves.
type Playing struct {
	about Game               // without moves; not changed once the game has begun
	array []arena.MoveRecord // what moves points to

	moves atomic.Pointer[[]arena.MoveRecord] // at its whole capacity
	plies atomic.Int64                       // how many of moves are played; set after moves
	at    atomic.Int64                       // when the last one came, as UnixNano

	// Below the hub's mu:
	end *arena.Game // nil while it is in the air
}

// Begin announces a game: no moves, who plays, from where, with which clocks. One
// of the same number takes the place of an earlier attempt.
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
	p := &Playing{about: g}
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	if !r.event.Running {
		return nil
	}
	r.list()
	p.about.Event = r.event.Name
	same := func(p *Playing) bool { return p.about.Number == g.Number }
	r.air, r.over = slices.DeleteFunc(r.air, same), slices.DeleteFunc(r.over, same)
	r.air = append(r.air, p)
	r.hub.change()
	return p
}

// Moved says which moves were played so far, and when the last of them came. The
// moves there are must not change any more; more may be appended to them.
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

// played returns the moves so far and when the last of them came.
func (p *Playing) played() ([]arena.MoveRecord, time.Time) {
	n := p.plies.Load()
	if n == 0 {
		return nil, p.about.At
	}
	moves := *p.moves.Load() // at least as new as n
	return moves[:n:n], time.Unix(0, p.at.Load())
}

// End says how the game of g's number ended, or that the attempt was void. It
// does nothing where none of that number was begun.
func (r *Run) End(g *arena.Game) {
	if r == nil {
		return
	}
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	i := slices.IndexFunc(r.air, func(p *Playing) bool { return p.about.Number == g.Number })
	if i < 0 {
		return
	}
	p := r.air[i]
	end := *g
	p.end = &end
	r.air = slices.Delete(r.air, i, i+1)
	if len(r.over) == keepOver {
		r.over = slices.Delete(r.over, 0, 1)
	}
	r.over = append(r.over, p)
	r.hub.change()
}
