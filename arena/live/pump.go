package live

import (
	"maps"
	"time"

	"botarena/arena"
)

// A batch is what a hub has to tell somebody since the last one.
type batch struct {
	events []Event
	begun  []Game // without moves, or over already
	moves  []moved
	over   []Game // without moves
	gone   []Key  // games that were in the air, and are not any more, without an end
}

// moved is moves of a game, from a ply on.
type moved struct {
	key   Key
	from  int
	at    time.Time
	moves []arena.MoveRecord
}

func (b *batch) empty() bool {
	return len(b.events) == 0 && len(b.begun) == 0 && len(b.moves) == 0 && len(b.over) == 0 && len(b.gone) == 0
}

// A pump finds out what one watcher has not been told. It looks; nobody wakes it.
type pump struct {
	hub   *Hub
	begun bool // the watcher knows something
	seen  uint64
	runs  map[*Run]uint64  // versions told
	told  map[*Playing]int // plies told of games in the air
	ended map[*Playing]bool
	air   []*Playing
}

func newPump(h *Hub) *pump {
	return &pump{hub: h, runs: map[*Run]uint64{}, told: map[*Playing]int{}, ended: map[*Playing]bool{}}
}

// next returns what is new.
func (p *pump) next() (b batch) {
	if over, changed := p.look(&b); changed {
		p.end(&b, over)
	}
	for _, g := range p.air {
		p.tellMoves(&b, g)
	}
	p.begun = true
	return b
}

// watch is next, noting whether somebody looks at what it returns.
func (p *pump) watch(looking bool) batch {
	if looking {
		p.hub.look()
	}
	return p.next()
}

// look takes what has changed but for moves, and returns the games that are over.
func (p *pump) look(b *batch) (over []*Playing, changed bool) {
	h := p.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.seen == p.seen {
		return nil, false
	}
	p.seen = h.seen
	p.air = p.air[:0]
	for _, r := range h.runs {
		if p.runs[r] != r.version {
			p.runs[r] = r.version
			b.events = append(b.events, r.event)
		}
		p.air = append(p.air, r.air...)
		over = append(over, r.over...)
	}
	return over, true
}

// end tells of games that are over, and of those that are gone.
func (p *pump) end(b *batch, over []*Playing) {
	still := map[*Playing]bool{}
	for _, g := range over {
		still[g] = true
		if p.ended[g] {
			continue
		}
		p.ended[g] = true
		about := g.about
		moves, at := g.played()
		if len(g.end.Moves) >= len(moves) {
			moves = g.end.Moves
		}
		about.Game, about.Over, about.At = *g.end, true, at
		about.Event, about.Moves = g.about.Event, nil
		if _, known := p.told[g]; known {
			p.tell(b, g, moves, at)
			b.over = append(b.over, about)
			delete(p.told, g)
			continue
		}
		if p.begun {
			about.Brief = true
		} else {
			about.Moves = moves
		}
		b.begun = append(b.begun, about)
	}
	maps.DeleteFunc(p.ended, func(g *Playing, _ bool) bool { return !still[g] })
	clear(still)
	again := map[Key]bool{}
	for _, g := range p.air {
		still[g] = true
		again[g.about.Key()] = true
	}
	for g := range p.told {
		if !still[g] {
			delete(p.told, g)
			if !again[g.about.Key()] {
				b.gone = append(b.gone, g.about.Key())
			}
		}
	}
}

// tellMoves tells of a game in the air.
func (p *pump) tellMoves(b *batch, g *Playing) {
	if _, known := p.told[g]; !known {
		p.told[g] = 0
		b.begun = append(b.begun, g.about)
	}
	moves, at := g.played()
	p.tell(b, g, moves, at)
}

func (p *pump) tell(b *batch, g *Playing, moves []arena.MoveRecord, at time.Time) {
	from := p.told[g]
	if len(moves) <= from {
		return
	}
	p.told[g] = len(moves)
	b.moves = append(b.moves, moved{key: g.about.Key(), from: from, at: at, moves: moves[from:]})
}
