package live

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"botarena/arena"
)

// What a view remembers of games that are over, an event.
const (
	keepFor    = time.Minute
	keepEnded  = 64
	keepBriefs = 16
)

// A View is what the runs on one database do, merged. Its methods may be used by
// any goroutine. What they return is not changed any more.
type View struct {
	now   func() time.Time
	epoch string

	mu       sync.Mutex
	seq      uint64
	changed  chan struct{}
	events   map[string]*viewEvent
	games    map[Key]*viewGame
	problems map[string]string
	stopped  chan struct{}
	readers  int       // that attend
	asked    time.Time // when it was looked at last
}

// A source is where a view hears of events: one hub.
type source struct{ hub string }

type viewEvent struct {
	Event
	from  *source
	seq   uint64
	ended time.Time
}

type viewGame struct {
	Game  // without moves
	moves []arena.MoveRecord
	from  *source
	marks []mark // at which numbers moves came
	begun uint64
	seq   uint64 // of the last change
	ended time.Time
}

// A mark says how many moves there were from a number on.
type mark struct {
	seq   uint64
	plies int
}

// newView returns a view of nothing.
func newView(now func() time.Time) *View {
	return &View{
		now: now, epoch: newID(), changed: make(chan struct{}),
		events: map[string]*viewEvent{}, games: map[Key]*viewGame{},
		problems: map[string]string{}, stopped: make(chan struct{}),
	}
}

// Epoch names the view: numbers of one mean nothing to another.
func (v *View) Epoch() string { return v.epoch }

// Changed returns a channel that is closed at the next change. Call it before
// Since, and none is missed.
func (v *View) Changed() <-chan struct{} {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.changed
}

// attention is how long a look at a view keeps it up to date to the moment.
const attention = 10 * time.Second

// Attend has the view be up to date to the moment until release is called. A view
// that nobody attends to, and that nobody has looked at for some seconds, spares
// the runs and is a second late.
func (v *View) Attend() (release func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.readers++
	return sync.OnceFunc(func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.readers--
		v.asked = v.now()
	})
}

// attended reports whether somebody is looking.
func (v *View) attended() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.readers > 0 || v.now().Sub(v.asked) < attention
}

// Problems says why something may be missing, in lines for a person; none where
// all is well.
func (v *View) Problems() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Sorted(maps.Values(v.problems))
}

// problem sets or, by "", removes a problem.
func (v *View) problem(about, text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.problems[about] == text {
		return
	}
	if text == "" {
		delete(v.problems, about)
	} else {
		v.problems[about] = text
	}
	v.bump()
	v.wake()
}

// A Filter chooses what a watcher is told; the zero Filter is all.
type Filter struct {
	Event  string
	Number int // of a game of Event; 0 is all games
}

func (f Filter) event(name string) bool { return f.Event == "" || f.Event == name }

func (f Filter) game(k Key) bool { return f.event(k.Event) && (f.Number == 0 || f.Number == k.Number) }

// A Delta is how a view differs from what it was at an earlier number.
type Delta struct {
	From, To uint64
	// Reset says that this is all there is, and what was known before is void.
	Reset  bool
	Events []Event // that changed, by name
	// Games are those that changed, by event and number.
	Games []Change
	// Air is all games in the air now: one known to be there before, which is
	// neither in Air nor in Games, is gone, without a result, or out of sight.
	Air []Key
}

// A Change is what came of one game.
type Change struct {
	// Game is the game as it is now, but Moves are only those from ply From
	// (0-based) on.
	Game
	// New says that the game, or this attempt at it, was not known before.
	New  bool
	From int
}

// Empty reports whether there is nothing new. Air may still have become shorter.
func (d *Delta) Empty() bool { return !d.Reset && len(d.Events) == 0 && len(d.Games) == 0 }

// Since returns what is new since a number, which is the To of an earlier Delta, or
// 0 for all there is. A game that began and ended in between comes without its
// moves, unless the filter names it. A number that is not of this view is like 0.
func (v *View) Since(seq uint64, f Filter) Delta {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.asked = v.now()
	d := Delta{From: seq, To: v.seq, Reset: seq == 0 || seq > v.seq}
	if d.Reset {
		d.From, seq = 0, 0
	}
	for name, e := range v.events {
		if e.seq > seq && f.event(name) {
			d.Events = append(d.Events, e.Event)
		}
	}
	for k, g := range v.games {
		if !f.game(k) {
			continue
		}
		if !g.Over {
			d.Air = append(d.Air, k)
		}
		if g.seq <= seq {
			continue
		}
		c := Change{Game: g.Game, New: g.begun > seq}
		if !c.New {
			c.From = g.known(seq)
		}
		if c.New && c.Over && !d.Reset && f.Number == 0 {
			c.Brief = true
		} else {
			c.Moves = slices.Clip(g.moves[c.From:])
		}
		d.Games = append(d.Games, c)
	}
	slices.SortFunc(d.Events, func(a, b Event) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(d.Games, func(a, b Change) int { return CompareKeys(a.Key(), b.Key()) })
	slices.SortFunc(d.Air, CompareKeys)
	return d
}

// CompareKeys is the order of games in a Delta: by event, then by number.
func CompareKeys(a, b Key) int {
	return cmp.Or(cmp.Compare(a.Event, b.Event), cmp.Compare(a.Number, b.Number))
}

// known is how many moves a watcher at that number has.
func (g *viewGame) known(seq uint64) int {
	i, exact := slices.BinarySearchFunc(g.marks, seq, func(m mark, seq uint64) int { return cmp.Compare(m.seq, seq) })
	if exact {
		return g.marks[i].plies
	}
	if i == 0 {
		return 0
	}
	return g.marks[i-1].plies
}

// bump begins a change, under mu.
func (v *View) bump() uint64 {
	v.seq++
	return v.seq
}

// wake tells everyone who waits, under mu.
func (v *View) wake() {
	close(v.changed)
	v.changed = make(chan struct{})
}

// apply takes in what a source says. False: it makes no sense.
func (v *View) apply(s *source, b *batch) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	seq := v.bump()
	defer v.wake()
	now := v.now()
	for _, e := range b.events {
		v.setEvent(s, e, seq, now)
	}
	for _, g := range b.begun {
		moves := slices.Clip(g.Moves)
		g.Moves = nil
		n := &viewGame{Game: g, moves: moves, from: s, begun: seq, seq: seq}
		n.marks = append(n.marks, mark{seq, len(moves)})
		if g.Over {
			n.ended = now
		}
		v.games[g.Key()] = n
	}
	for _, m := range b.moves {
		g := v.games[m.key]
		if g == nil || g.from != s || g.Over || len(g.moves) != m.from {
			return false
		}
		g.moves = append(g.moves, m.moves...)
		g.At, g.seq = m.at, seq
		if last := &g.marks[len(g.marks)-1]; last.seq == seq {
			last.plies = len(g.moves)
		} else {
			g.marks = append(g.marks, mark{seq, len(g.moves)})
		}
	}
	for _, o := range b.over {
		g := v.games[o.Key()]
		if g == nil || g.from != s {
			return false
		}
		o.Moves = nil
		g.Game, g.seq, g.ended = o, seq, now
	}
	for _, k := range b.gone {
		if g := v.games[k]; g != nil && g.from == s && !g.Over {
			delete(v.games, k)
		}
	}
	v.forget(now)
	return true
}

func (v *View) setEvent(s *source, e Event, seq uint64, now time.Time) {
	old := v.events[e.Name]
	if old != nil && old.from != s && old.Running && !e.Running {
		return // the one that has ended is not the one that is running
	}
	n := &viewEvent{Event: e, from: s, seq: seq}
	if !e.Running {
		n.ended = now
	}
	v.events[e.Name] = n
}

// drop forgets what is in the air at a source that is lost.
func (v *View) drop(s *source) {
	v.mu.Lock()
	defer v.mu.Unlock()
	seq := v.bump()
	defer v.wake()
	now := v.now()
	maps.DeleteFunc(v.games, func(_ Key, g *viewGame) bool { return g.from == s && !g.Over })
	for _, e := range v.events {
		if e.from == s && e.Running {
			e.Running, e.seq, e.ended = false, seq, now
		}
	}
}

// forget removes what has been over for long, under mu.
func (v *View) forget(now time.Time) {
	type ended struct {
		key Key
		at  time.Time
		seq uint64
	}
	kept := map[string]*[2][]ended{} // by event: others, briefs
	for k, g := range v.games {
		switch {
		case !g.Over:
			continue
		case now.Sub(g.ended) > keepFor:
			delete(v.games, k)
			continue
		}
		lists := kept[k.Event]
		if lists == nil {
			lists = new([2][]ended)
			kept[k.Event] = lists
		}
		kind := 0
		if g.Brief {
			kind = 1
		}
		lists[kind] = append(lists[kind], ended{k, g.ended, g.seq})
	}
	for _, lists := range kept {
		for kind, most := range [...]int{keepEnded, keepBriefs} {
			list := lists[kind]
			if len(list) <= most {
				continue
			}
			slices.SortFunc(list, func(a, b ended) int {
				return cmp.Or(cmp.Compare(a.seq, b.seq), cmp.Compare(a.key.Number, b.key.Number))
			})
			for _, e := range list[:len(list)-most] {
				delete(v.games, e.key)
			}
		}
	}
	for name, e := range v.events {
		if !e.Running && now.Sub(e.ended) > keepFor {
			delete(v.events, name)
		}
	}
}
