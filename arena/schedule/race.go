package schedule

import (
	"errors"
	"fmt"
	"slices"

	"botarena/arena"
	"botarena/arena/rating/race"
	"botarena/arena/rating/sprt"
)

// FormatRace is the format in which candidates play a base until each of them is
// accepted or eliminated.
const FormatRace arena.Format = "race"

// racing is the format of a race: see package race. The first bot is the base.
type racing struct{ common }

func (racing) name() arena.Format                { return FormatRace }
func (racing) settings() []string                { return []string{"rounds", "race", "sprt"} }
func (racing) usualRounds(int) int               { return 20_000 }
func (racing) planner(event arena.Event) planner { return newHeats(event) }
func (racing) pairsByResults() bool              { return true }
func (racing) order() []criterion                { return []criterion{byVerdict, byScore} }

func (racing) check(event *arena.Event) (field, why string) {
	switch n := len(event.Bots); {
	case n == 2:
		return "bots", "a race has a base and two candidates or more; one candidate plays a match with a test (arena sprt)"
	case n > 2 && event.Bots[0].Withdrawn:
		return "bots[0].withdrawn", "all candidates of a race play the base: leave it in"
	case event.SPRT == nil:
		return "sprt", "missing; a race is decided by a test of each candidate, such as sprt: {elo1: 10}"
	}
	return "", ""
}

func (racing) most(event arena.Event) (games int, exact bool) {
	return max(0, len(event.Playing())-1) * event.Rounds * event.GamesPerPair(), false
}

func (racing) extends(old, now arena.Event) error {
	if len(now.Bots) != len(old.Bots) {
		return errors.New("a race has all of its candidates from the start: start an event of another name")
	}
	return nil
}

// heats plans rounds in which each candidate that is running plays some pairs against
// the base. A round waits for all games of the round before the last: it sees what
// these decided, and nothing of the last round, so that games do not depend on the
// concurrency, and there are always some to play. What a candidate plays after it was
// decided, in the rounds that were planned by then, does not count.
type heats struct {
	event      arena.Event
	race       *race.Race
	candidates map[string]int // by name
	open       []*heat        // planned and not judged, in order
	judged     int            // the last round that was judged
	end        int            // number of the last game that counts in rounds that were judged
	planned    int            // pairs of a candidate that is running
}

// A heat is one round.
type heat struct {
	round int
	pairs [][]*paired // by candidate
	byNo  map[int]*paired
	open  int // games without a result
}

// A paired is a pair of games of a candidate.
type paired struct {
	games, points int // with results, and the candidate's half points
	last          int // number of its last game
}

// atOnce is the number of pairs in a round, or few more; twice as many may be in
// progress.
const atOnce = 8

func newHeats(event arena.Event) *heats {
	h := &heats{event: event, candidates: map[string]int{}}
	for i, b := range event.Bots[1:] {
		h.candidates[b.Name] = i
	}
	h.race = race.New(race.Rules{Test: sprt.Of(event.SPRT), Best: event.Race.Best}, len(event.Bots)-1)
	return h
}

// candidate returns the candidate in a game with the base.
func (h *heats) candidate(g *arena.Game) int {
	name := g.First
	if name == h.event.Bots[0].Name {
		name = g.Second
	}
	return h.candidates[name]
}

func (h *heats) add(g *arena.Game, opens bool) {
	if n := len(h.open); n == 0 || h.open[n-1].round != g.Round {
		h.judge(g.Round - 2)
		h.open = append(h.open, &heat{round: g.Round, pairs: make([][]*paired, len(h.candidates)), byNo: map[int]*paired{}})
	}
	last, c := h.open[len(h.open)-1], h.candidate(g)
	last.open++
	if opens {
		longest := 0
		for _, pairs := range last.pairs {
			longest = max(longest, len(pairs))
		}
		p := &paired{}
		last.pairs[c], last.byNo[g.Pair] = append(last.pairs[c], p), p
		h.planned += max(0, len(last.pairs[c])-longest)
	}
	if p, ok := last.byNo[g.Pair]; ok {
		p.last = g.Number
	}
}

func (h *heats) finish(g *arena.Game) {
	for _, x := range h.open {
		p, ok := x.byNo[g.Pair]
		if !ok {
			continue
		}
		points, _ := g.Result.Score()
		if g.First == h.event.Bots[0].Name {
			points = 1 - points
		}
		p.games++
		p.points += int(2 * points)
		x.open--
	}
}

// judge steps through the rounds up to one, as far as they are played.
func (h *heats) judge(last int) {
	for len(h.open) > 0 && h.open[0].round <= last && h.open[0].open == 0 {
		if last, _ := h.run(h.race, h.open[0]); last > 0 { // nobody plays after the race is decided
			h.end = last
		}
		h.judged, h.open = h.open[0].round, h.open[1:]
	}
}

// run steps a race through a round, up to a step of which a pair is not played. It returns
// the number of the last game that counts, and whether that was the whole round.
func (h *heats) run(r *race.Race, x *heat) (last int, whole bool) {
	scores := make([]int, len(h.candidates))
	for step := 0; ; step++ {
		played, open, missing := 0, false, false
		for _, i := range r.Playing() {
			scores[i] = race.None
			switch pairs := x.pairs[i]; {
			case step < len(pairs) && pairs[step].games == h.event.GamesPerPair():
				scores[i], last = pairs[step].points, max(last, pairs[step].last)
				played++
			case !h.event.Bots[1+i].Withdrawn:
				open, missing = open || step < len(pairs), true
			}
		}
		switch {
		case open, missing && played > 0:
			return last, false
		case played == 0:
			return last, true
		}
		r.Step(scores)
	}
}

// decided returns the number of the last game that counts in a race that is decided.
func (h *heats) decided() (last int, ok bool) {
	r, whole := h.race.Clone(), true
	last = h.end
	for i := 0; i < len(h.open) && whole && len(r.Playing()) > 0; i++ {
		last, whole = h.run(r, h.open[i])
	}
	return last, last > 0 && len(r.Playing()) == 0
}

func (h *heats) next(p *Plan) State {
	for {
		h.judge(p.round - 1)
		if p.round > 1 && h.judged < p.round-1 {
			return Waiting
		}
		var playing []string
		for _, i := range h.race.Playing() {
			if b := h.event.Bots[1+i]; !b.Withdrawn {
				playing = append(playing, b.Name)
			}
		}
		pairs := min(h.event.Rounds-h.planned, (atOnce+len(playing)-1)/max(1, len(playing)))
		switch {
		case len(playing) == 0 || pairs <= 0:
			return Complete
		case p.full():
			return More
		}
		round := p.round + 1
		for range pairs {
			for _, name := range playing {
				p.meet(pairing{first: name, second: h.event.Bots[0].Name, round: round})
			}
		}
	}
}

// gather ranks those that were accepted first, then those that are running, then the
// base, then the others by when they were eliminated.
func (racing) gather(event arena.Event, games []arena.Game, s *Standings) {
	if event.SPRT == nil || len(event.Bots) < 2 {
		return // no valid event
	}
	s.Round = lastRound(games)
	h, pairs := newHeats(event), 0
	for i := range games {
		g := games[i]
		g.Result = arena.Unplayed
		h.add(&g, g.Pair > pairs)
		pairs = max(pairs, g.Pair)
		if games[i].Result != arena.Unplayed {
			h.finish(&games[i])
		}
	}
	h.judge(s.Round)
	for whole := true; whole && len(h.open) > 0; h.open = h.open[1:] {
		_, whole = h.run(h.race, h.open[0])
	}
	s.Race = h.state()
	const behind = 1 << 40
	for i := range s.Rows {
		r := &s.Rows[i]
		at := slices.IndexFunc(s.Race.Candidates, func(v RaceVerdict) bool { return v.Bot == r.Bot })
		if at < 0 {
			r.Verdict, r.stage = "base", behind
			continue
		}
		v := &s.Race.Candidates[at]
		r.Verdict, r.stage = string(v.State), v.Pairs
		switch v.State {
		case race.Accepted:
			r.stage = 3 * behind
		case race.Running:
			r.stage = 2 * behind
		}
		if v.State != race.Running {
			r.Verdict += fmt.Sprintf(" at pair %d", v.Pairs)
		}
	}
}
