package schedule

import (
	"cmp"
	"errors"
	"fmt"
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

// A Match is one encounter of a knockout, decided by the points of its games.
// First and Second are in the order of the bracket; "" is not known yet.
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

// knockout is the format in which the loser of a match is out.
type knockout struct{}

func (knockout) planner(event arena.Event) (planner, error) {
	return &stages{event: event, played: matches{}}, checkRounds(event)
}
func (knockout) pairsByResults() bool { return true }
func (knockout) order() []criterion   { return []criterion{byStage, byPoints} }

func (knockout) extends(old, now arena.Event) error {
	if len(now.Bots) != len(old.Bots) || now.Rounds != old.Rounds {
		return errors.New("a knockout has a fixed bracket: no bots or rounds can be added")
	}
	if len(now.Playing()) != len(old.Playing()) {
		return errors.New("a knockout has a fixed bracket: no bot can be withdrawn")
	}
	return nil
}

// gather tells how far each bot came: three steps a stage, so that the match for third
// place tells its two apart.
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

// total takes few matches to need tie-breaks.
func (knockout) total(event arena.Event, _, _ int) (games int, exact bool) {
	event.Knockout.TieBreaks = 0
	games, _ = event.Total()
	return games, false
}

// stages plans a stage at a time: what each of its matches needs to be decided
// at the earliest, then what the undecided ones still need. A match of N pairs
// ends when the one behind cannot catch up; level after N, it goes on one pair at
// a time up to the event's number of tie-breaks.
//
// No match plans more than mostAtOnce pairs beforehand.
type stages struct {
	event  arena.Event
	played matches
	open   int // games without a result
}

func (k *stages) add(g *arena.Game) {
	k.open++
	k.played.add(g)
}

func (k *stages) finish(g *arena.Game) {
	k.open--
	k.played.finish(g)
}

// next plans what the first open stage needs, once everything planned is played.
func (k *stages) next(b *book) State {
	if k.open > 0 {
		return Waiting
	}
	bracket := bracketOf(k.event, k.played)
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
				b.add(p)
			}
		}
		if len(b.games) > 0 {
			return Waiting
		}
	}
	return Complete
}

// BracketOf returns the bracket of a knockout event with its games so far. Bots
// are seeded by their Seed, those without one behind in order of entry; the best
// seeds have byes where the number is no power of two, and the two best meet in
// the final at the earliest.
func BracketOf(event arena.Event, games []arena.Game) Bracket {
	played := matches{}
	for i := range games {
		played.add(&games[i])
		if games[i].Result != arena.Unplayed {
			played.finish(&games[i])
		}
	}
	return bracketOf(event, played)
}

func bracketOf(event arena.Event, played matches) Bracket {
	seeds := seeding(event)
	rank := map[string]int{}
	for i, name := range seeds {
		rank[name] = i
	}
	slots := []string{}
	for _, i := range positions(len(seeds)) {
		name := ""
		if i < len(seeds) {
			name = seeds[i]
		}
		slots = append(slots, name)
	}
	var bracket Bracket
	for first := true; len(slots) > 1; first = false {
		stage := Stage{Name: stageName(len(slots))}
		var next []string
		for i := 0; i < len(slots); i += 2 {
			m := Match{First: slots[i], Second: slots[i+1]}
			if first && (m.First == "" || m.Second == "") {
				m.First, m.Second = cmp.Or(m.First, m.Second), ""
				m.Bye, m.Winner = true, m.First
			} else {
				m.decide(event, played, stage.Name, rank)
			}
			stage.Matches = append(stage.Matches, m)
			next = append(next, m.Winner)
		}
		bracket.Stages = append(bracket.Stages, stage)
		slots = next
	}
	if len(slots) == 1 {
		bracket.Winner = slots[0]
	}
	if n := len(bracket.Stages); event.Knockout.ThirdPlace && n >= 2 {
		third := Match{First: bracket.Stages[n-2].Matches[0].loser(), Second: bracket.Stages[n-2].Matches[1].loser()}
		// With three bots one semi-final is a bye: its loser does not exist, and
		// the other's is third without a game.
		switch semis := bracket.Stages[n-2].Matches; {
		case semis[0].Bye || semis[1].Bye:
			third.First, third.Second = cmp.Or(third.First, third.Second), ""
			third.Bye, third.Winner = true, third.First
		default:
			third.decide(event, played, ThirdPlaceStage, rank)
		}
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

// matches are the games of each match, counted: two bots meet once a stage.
type matches map[pairing]*score

// A score counts the games of a match.
type score struct {
	points map[string]float64
	pairs  int
	pair   int // the last one
	open   int // games without a result
}

// of returns the score of a match, an empty one where nothing is planned of it.
func (m matches) of(stage, a, b string) *score {
	if s, ok := m[matchKey(stage, a, b)]; ok {
		return s
	}
	return &score{}
}

func matchKey(stage, a, b string) pairing {
	return pairing{stage: stage, first: min(a, b), second: max(a, b)}
}

func (m matches) add(g *arena.Game) {
	key := matchKey(g.Stage, g.First, g.Second)
	s, ok := m[key]
	if !ok {
		s = &score{points: map[string]float64{}}
		m[key] = s
	}
	s.open++
	if g.Pair != s.pair {
		s.pair = g.Pair
		s.pairs++
	}
}

func (m matches) finish(g *arena.Game) {
	s := m.of(g.Stage, g.First, g.Second)
	points, _ := g.Result.Score()
	s.open--
	s.points[g.First] += points
	s.points[g.Second] += 1 - points
}

// decide takes the match's score and finds its winner or what it needs.
func (m *Match) decide(event arena.Event, played matches, stage string, rank map[string]int) {
	if m.First == "" || m.Second == "" {
		return
	}
	s := played.of(stage, m.First, m.Second)
	m.FirstPoints, m.SecondPoints = s.points[m.First], s.points[m.Second]
	m.Pairs = s.pairs
	m.TieBreaks = max(0, m.Pairs-event.Rounds)
	if s.open > 0 {
		return
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
		if rank[m.Second] < rank[m.First] {
			m.Winner = m.Second
		}
	}
}

// seeding lists the bots' names from the best seed on.
func seeding(event arena.Event) []string {
	bots := slices.Clone(event.Bots)
	slices.SortStableFunc(bots, func(a, b arena.Bot) int {
		return cmp.Or(cmp.Compare(boolInt(a.Seed == 0), boolInt(b.Seed == 0)), cmp.Compare(a.Seed, b.Seed))
	})
	list := make([]string, len(bots))
	for i, b := range bots {
		list[i] = b.Name
	}
	return list
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// positions returns the order of seeds (from 0) down a bracket for at least n bots:
// each stage pairs the best with the worst that is left.
func positions(n int) []int {
	order := []int{0}
	for len(order) < n {
		size := 2 * len(order)
		next := make([]int, 0, size)
		for _, s := range order {
			next = append(next, s, size-1-s)
		}
		order = next
	}
	return order
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
