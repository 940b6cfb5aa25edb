package schedule

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"botarena/arena"
)

// A Bracket is the state of a knockout.
type Bracket struct {
	Stages     []Stage // from the first stage to the final
	ThirdPlace *Match  // nil if it is not played
	Winner     string  // "" while open
}

// A Stage is one column of a bracket.
type Stage struct {
	Name    string // "final", "semi-final", "quarter-final", "round of 16", ...
	Matches []Match
}

// A Match is one encounter of a knockout, decided by the points of its games. First and
// Second are in the order of the bracket; "" if not known yet.
type Match struct {
	First, Second string
	FirstPoints   float64
	SecondPoints  float64
	Pairs         int    // pairs of games (single games with swap off) planned
	TieBreaks     int    // how many of them are tie-breaks
	Bye           bool   // First goes on without a game
	Winner        string // "" while open
	BySeed        bool   // level after all tie-breaks: the better seed goes on

	want int // pairs to plan now
}

// ThirdPlaceStage is the stage of the games for third place.
const ThirdPlaceStage = "third place"

const mostAtOnce = 500

// FormatKnockout is the format of a bracket.
const FormatKnockout arena.Format = "knockout"

// knockout is the format in which the loser of a match is out.
type knockout struct{ common }

func (knockout) name() arena.Format                { return FormatKnockout }
func (knockout) settings() []string                { return []string{"rounds", "knockout"} }
func (knockout) planner(event arena.Event) planner { return newStages(event) }
func (knockout) pairsByResults() bool              { return true }
func (knockout) order() []criterion                { return []criterion{byStage, byPoints} }

func (knockout) extends(old, now arena.Event) error {
	if len(now.Bots) != len(old.Bots) || now.Rounds != old.Rounds {
		return errors.New("a knockout has a fixed bracket: no bots or rounds can be added")
	}
	if len(now.Playing()) != len(old.Playing()) {
		return errors.New("a knockout has a fixed bracket: no bot can be withdrawn")
	}
	return nil
}

// gather computes how far each bot came: three steps a stage, so that the match for
// third place separates its two.
func (knockout) gather(event arena.Event, games []arena.Game, s *Standings) {
	b := BracketOf(event, games)
	s.Bracket, s.Round = &b, lastRound(games)
	far := func(name, stage string, steps int) {
		for i := range s.Rows {
			if r := &s.Rows[i]; r.Bot == name {
				r.stage, r.Reached = steps, stage
			}
		}
	}
	for i, stage := range b.Stages {
		for _, m := range stage.Matches {
			far(m.First, stage.Name, 3*i)
			far(m.Second, stage.Name, 3*i)
		}
	}
	if last := len(b.Stages); last > 0 {
		far(b.Winner, "winner", 3*last)
		if b.ThirdPlace != nil {
			far(b.ThirdPlace.Winner, "third place", 3*(last-2)+1)
		}
	}
}

func (knockout) most(event arena.Event) (games int, exact bool) {
	n := len(event.Playing())
	matches := n - 1
	if event.Knockout.ThirdPlace && n >= 4 {
		matches++
	}
	return matches * (event.Rounds + event.Knockout.TieBreaks) * event.GamesPerPair(), false
}

// expected assumes that few matches need tie-breaks.
func (f knockout) expected(event arena.Event, _, _, _ int) int {
	event.Knockout.TieBreaks = 0
	games, _ := f.most(event)
	return games
}

// stages plans a stage at a time: the fewest games that can decide each of its matches,
// then what the undecided ones still need. A match of N pairs ends when one bot cannot
// catch up; if level after N, it goes on one pair at a time up to the event's number of
// tie-breaks.
//
// No match plans more than mostAtOnce pairs beforehand.
type stages struct {
	event  arena.Event
	scores map[pairing]*score // of each match: two bots meet once a stage
}

// A score counts the games of a match.
type score struct {
	points map[string]float64
	pairs  int
	open   int // games without a result
}

// of returns the score of a match, an empty one if no game of it is planned.
func (k *stages) of(stage, a, b string) *score {
	key := pairing{stage: stage, first: min(a, b), second: max(a, b)}
	s, ok := k.scores[key]
	if !ok {
		s = &score{points: map[string]float64{}}
		k.scores[key] = s
	}
	return s
}

func (k *stages) add(g *arena.Game, opens bool) {
	s := k.of(g.Stage, g.First, g.Second)
	s.open++
	if opens {
		s.pairs++
	}
}

func (k *stages) finish(g *arena.Game) {
	s := k.of(g.Stage, g.First, g.Second)
	points, _ := g.Result.Score()
	s.open--
	s.points[g.First] += points
	s.points[g.Second] += 1 - points
}

// next plans what the first open stage needs, once everything planned is played.
func (k *stages) next(plan *Plan) State {
	if plan.open > 0 {
		return Waiting
	}
	bracket := k.bracket()
	for i, stage := range bracket.Stages {
		matches, names := stage.Matches, slices.Repeat([]string{stage.Name}, len(stage.Matches))
		if i == len(bracket.Stages)-1 && bracket.ThirdPlace != nil {
			matches, names = append(slices.Clone(matches), *bracket.ThirdPlace), append(names, ThirdPlaceStage)
		}
		for j, m := range matches {
			for n := range m.want {
				p := pairing{first: m.First, second: m.Second, round: i + 1, stage: names[j]}
				if (m.Pairs+n)%2 == 1 {
					p.first, p.second = p.second, p.first
				}
				plan.meet(p)
			}
		}
		if len(plan.fresh) > 0 {
			return Waiting
		}
	}
	return Complete
}

// BracketOf returns the bracket of a knockout event with its games so far. Bots are
// seeded by their Seed, those without one last, in order of entry; the best seeds have
// byes if the number is not a power of two, and the two best cannot meet before the
// final.
func BracketOf(event arena.Event, games []arena.Game) Bracket {
	k := newStages(event)
	plan := newPlan(event, k)
	for i := range games {
		plan.Add(&games[i])
	}
	return k.bracket()
}

func newStages(event arena.Event) *stages {
	return &stages{event: event, scores: map[pairing]*score{}}
}

func (k *stages) bracket() Bracket {
	seeds := seeding(k.event)
	slots := positions(seeds)
	var bracket Bracket
	for first := true; len(slots) > 1; first = false {
		stage := Stage{Name: stageName(len(slots))}
		var next []string
		for i := 0; i < len(slots); i += 2 {
			m := k.match(stage.Name, slots[i], slots[i+1], first && (slots[i] == "" || slots[i+1] == ""), seeds)
			stage.Matches = append(stage.Matches, m)
			next = append(next, m.Winner)
		}
		bracket.Stages = append(bracket.Stages, stage)
		slots = next
	}
	if len(slots) == 1 {
		bracket.Winner = slots[0]
	}
	if n := len(bracket.Stages); k.event.Knockout.ThirdPlace && n >= 2 {
		// With three bots one semi-final is a bye: its loser does not exist, and
		// the other's is third without a game.
		semis := bracket.Stages[n-2].Matches
		third := k.match(ThirdPlaceStage, semis[0].loser(), semis[1].loser(), semis[0].Bye || semis[1].Bye, seeds)
		bracket.ThirdPlace = &third
	}
	return bracket
}

func (m *Match) loser() string {
	switch {
	case m.Winner == "" || m.Bye:
		return ""
	case m.Winner == m.First:
		return m.Second
	}
	return m.First
}

// match returns a match with its score, its winner or the pairs that it needs. In a
// bye, one of the two is "".
func (k *stages) match(stage, first, second string, bye bool, seeds []string) Match {
	m := Match{First: first, Second: second}
	switch {
	case bye:
		m.First, m.Second, m.Bye = cmp.Or(first, second), "", true
		m.Winner = m.First
		return m
	case first == "" || second == "":
		return m
	}
	event := &k.event
	s := k.of(stage, first, second)
	m.FirstPoints, m.SecondPoints, m.Pairs = s.points[first], s.points[second], s.pairs
	m.TieBreaks = max(0, m.Pairs-event.Rounds)
	if s.open > 0 {
		return m
	}
	most := float64(event.GamesPerPair()) // points in a pair
	lead, left := max(m.FirstPoints-m.SecondPoints, m.SecondPoints-m.FirstPoints), max(0, event.Rounds-m.Pairs)
	switch {
	case lead > most*float64(left):
		m.Winner = m.First
		if m.SecondPoints > m.FirstPoints {
			m.Winner = m.Second
		}
	case left > 0:
		m.want = 1
		for m.want < mostAtOnce && lead+most*float64(m.want) <= most*float64(left-m.want) {
			m.want++
		}
	case m.TieBreaks < event.Knockout.TieBreaks:
		m.want = 1
	default:
		m.BySeed, m.Winner = true, m.First
		if slices.Index(seeds, m.Second) < slices.Index(seeds, m.First) {
			m.Winner = m.Second
		}
	}
	return m
}

// seeding lists the bots' names from the best seed on.
func seeding(event arena.Event) []string {
	event.Bots = slices.Clone(event.Bots)
	seed := func(b arena.Bot) int { return cmp.Or(b.Seed, math.MaxInt) }
	slices.SortStableFunc(event.Bots, func(a, b arena.Bot) int { return cmp.Compare(seed(a), seed(b)) })
	return arena.Names(event.Bots)
}

// positions returns the bots down a bracket, "" for a bye: each stage pairs the best
// seed with the worst that is left.
func positions(seeds []string) []string {
	order := []int{0}
	for len(order) < len(seeds) {
		size := 2 * len(order)
		next := make([]int, 0, size)
		for _, s := range order {
			next = append(next, s, size-1-s)
		}
		order = next
	}
	slots := make([]string, len(order))
	for i, seed := range order {
		if seed < len(seeds) {
			slots[i] = seeds[seed]
		}
	}
	return slots
}

func stageName(bots int) string {
	switch bots {
	case 2:
		return "final"
	case 4:
		return "semi-final"
	case 8:
		return "quarter-final"
	}
	return fmt.Sprintf("round of %d", bots)
}
