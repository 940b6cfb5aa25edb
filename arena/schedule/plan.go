package schedule

import (
	"slices"

	"botarena/arena"
)

// Chunk is the default maximum of games, or few more, that Next returns: a plan of a
// million games is recorded while it is made.
const Chunk = 1000

// A Plan holds an event's games so far, with their results, and plans those that
// follow. It keeps 16 bytes a game, and the format's counts; the cost of planning does
// not grow with the games.
//
// Add takes the games that were planned before, then Next returns further ones, and
// Finish takes results. The same games and results give the same plan, whatever was
// called in between.
type Plan struct {
	// Chunk is the maximum number of games, or few more, that Next returns.
	Chunk int

	event   arena.Event
	planner planner
	len     int
	open    int // games without a result
	names   []string
	stages  []string // a knockout's; few
	index   map[string]uint32
	games   []planned
	fresh   []arena.Game // what Next is to return
	told    arena.Game   // what the planner is told of: a game a call would be garbage
	pairs   int          // the highest number of a pair
	round   int          // the highest round
	over    bool
}

// planned holds a game of a plan; pair 0 is a gap in the numbers, left by a withdrawn
// bot.
type planned struct {
	first, second, pair uint32
	result, stage       uint8 // indexes into results and the plan's stages
}

//nolint:gochecknoglobals // a constant table
var results = [...]arena.Result{arena.Unplayed, arena.FirstWins, arena.SecondWins, arena.Draw}

// planner pairs the bots of one format, and counts what it needs for that.
type planner interface {
	// add takes a planned game without a result, in order, and does not keep g. opens
	// tells the first game of a pair.
	add(g *arena.Game, opens bool)
	// finish takes the result of such a game, and does not keep g.
	finish(g *arena.Game)
	// next adds meetings to the plan.
	next(p *Plan) State
}

// A State reports whether an event may get more games than those planned.
type State int

// The states.
const (
	// Waiting: more games may follow when games that are planned have results.
	// Call Next again after each result, or at least when nothing is left to play.
	Waiting State = iota
	// More: more games follow at once. Call Next again.
	More
	// Complete: all games of the event are planned. It is over when they are played.
	Complete
	// Ready: more games follow whenever they are wanted. Call Next again when those that
	// are planned have been given out.
	Ready
)

// String names the state.
func (s State) String() string {
	return [...]string{"waiting", "more", "complete", "ready"}[s]
}

func newPlan(event arena.Event, f planner) *Plan {
	return &Plan{Chunk: Chunk, event: event, planner: f, index: map[string]uint32{}}
}

// Add takes the next game of those planned before, in ascending order of their
// numbers, with its result if it has one. All are added before Next is called.
func (p *Plan) Add(g *arena.Game) {
	p.len++
	p.open++
	for len(p.games) < g.Number-1 {
		p.games = append(p.games, planned{})
	}
	p.games = append(p.games, planned{first: p.number(g.First), second: p.number(g.Second), pair: uint32(g.Pair), stage: p.stage(g.Stage)}) //nolint:gosec // there are far fewer
	p.told = *g
	p.told.Result = arena.Unplayed
	p.planner.add(&p.told, g.Pair > p.pairs)
	p.pairs, p.round = max(p.pairs, g.Pair), max(p.round, g.Round)
	if g.Result != arena.Unplayed {
		p.Finish(g)
	}
}

// Next returns the games to append to the plan, which are in it from now on. Of
// each Event, Game, Number, Round, Pair, Stage, First, Second and Options are set;
// Opening is the caller's.
func (p *Plan) Next() (more []arena.Game, state State) {
	if p.over {
		return nil, Complete
	}
	p.fresh = nil
	state = p.planner.next(p)
	return p.fresh, state
}

// full reports whether one call of Next has planned enough.
func (p *Plan) full() bool { return len(p.fresh) >= p.Chunk }

// A pairing is one meeting: a pair of games, or a single game with swap off.
type pairing struct {
	first, second string // first moves first in the meeting's first game
	round         int
	stage         string
	options       *[2][]arena.Option // of both, in these games; nil for none
}

// key returns the pairing without its direction.
func (m pairing) key() [2]string {
	return [2]string{min(m.first, m.second), max(m.first, m.second)}
}

// meet plans the games of one meeting.
func (p *Plan) meet(m pairing) {
	pair, first := p.pairs+1, m.first
	for range p.event.GamesPerPair() {
		g := arena.Game{
			Event: p.event.Name, Game: p.event.Game,
			Number: len(p.games) + 1, Round: m.round, Pair: pair, Stage: m.stage,
			First: m.first, Second: m.second,
		}
		if o := m.options; o != nil {
			if g.Options = *o; g.First != first {
				g.Options = [2][]arena.Option{o[1], o[0]}
			}
		}
		p.fresh = append(p.fresh, g)
		p.Add(&g)
		m.first, m.second = m.second, m.first
	}
}

// Finish takes a game of the plan that had no result: its Number, Result, Reason and
// Blame.
func (p *Plan) Finish(played *arena.Game) {
	row := &p.games[played.Number-1]
	for i, r := range results {
		if r == played.Result {
			row.result = uint8(i)
		}
	}
	p.open--
	p.told = p.Game(played.Number)
	p.told.Reason, p.told.Blame = played.Reason, played.Blame
	p.planner.finish(&p.told)
}

// Cut removes the games with numbers above after, none of which has a result, and
// plans no more.
func (p *Plan) Cut(after int) {
	for number := after + 1; number <= len(p.games); number++ {
		if p.Has(number) {
			p.len--
		}
	}
	p.games, p.over = p.games[:min(after, len(p.games))], true
}

// Len returns the number of games planned.
func (p *Plan) Len() int { return p.len }

// Last returns the highest number of a game planned.
func (p *Plan) Last() int { return len(p.games) }

// Has reports whether there is a game of that number, which is at most Last.
func (p *Plan) Has(number int) bool { return p.games[number-1].pair > 0 }

// Rounds returns the highest round planned.
func (p *Plan) Rounds() int { return p.round }

// Game returns the game of that number: its Number, Pair, Stage, First,
// Second and Result.
func (p *Plan) Game(number int) arena.Game {
	g := p.games[number-1]
	return arena.Game{
		Number: number, Pair: int(g.pair), Stage: p.stages[g.stage], First: p.names[g.first], Second: p.names[g.second], Result: results[g.result],
	}
}

// Result returns the result of the game of that number.
func (p *Plan) Result(number int) arena.Result { return results[p.games[number-1].result] }

func (p *Plan) stage(name string) uint8 {
	i := slices.Index(p.stages, name)
	if i < 0 {
		i = len(p.stages)
		p.stages = append(p.stages, name)
	}
	return uint8(i) //nolint:gosec // each halves the bots
}

func (p *Plan) number(name string) uint32 {
	i, ok := p.index[name]
	if !ok {
		i = uint32(len(p.names)) //nolint:gosec // there are far fewer
		p.index[name] = i
		p.names = append(p.names, name)
	}
	return i
}
