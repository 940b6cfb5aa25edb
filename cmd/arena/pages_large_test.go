package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"time"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/process"
	"botarena/arena/schedule"
	"botarena/arena/store"
	"botarena/engine"
	"botarena/engine/games"
)

// What the large record for pages has.
const (
	leagueBots, leagueGames = 30, 1_000_000
	swissBots, swissRounds  = 100, 12
	cupBots, cupPairs       = 64, 10
	testGames               = 60_000
	crowdBots, crowdRounds  = 1000, 10
)

// makePagesRecord records events as large as they come: a league of a million games
// beside a Swiss event, a knockout, a sequential test that is not decided, and a
// ladder of a thousand bots. All games are legal.
func makePagesRecord(path string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, path+".part", time.Now)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	self, err := process.Self()
	if err != nil {
		return err
	}
	g := &gameMaker{rng: rand.New(rand.NewPCG(3, 4)), strength: map[string]float64{}}
	if g.rules, err = games.All().Lookup("breakthrough:6x6"); err != nil {
		return err
	}
	const every = leagueBots * (leagueBots - 1)
	events := []struct {
		name   string
		format arena.Format
		bots   int
		set    func(*arena.Event)
		pairs  func(arena.Event) iter.Seq[arena.Game] // the first game of each pair
	}{
		{"league", arena.FormatRoundRobin, leagueBots, func(e *arena.Event) { e.Rounds = leagueGames / every }, everyone(leagueGames / every)},
		{"swiss", arena.FormatSwiss, swissBots, func(e *arena.Event) { e.Rounds = swissRounds }, atRandom(swissRounds)},
		{"cup", arena.FormatKnockout, cupBots, func(e *arena.Event) { e.Rounds = cupPairs }, nil},
		{"test", arena.FormatMatch, 2, func(e *arena.Event) {
			e.Rounds, e.SPRT = testGames, &arena.SPRT{Elo0: 0, Elo1: 1, Alpha: 0.001, Beta: 0.001, Model: "normalized"}
		}, everyone(testGames / 2)},
		{"crowd", arena.FormatLadder, crowdBots, func(e *arena.Event) { e.Ladder.Games = crowdBots * crowdRounds }, atRandom(crowdRounds)},
	}
	for _, x := range events {
		e := config.Default()
		e.Name, e.Game, e.Format = x.name, g.rules.Name(), x.format
		for i := range x.bots {
			b := config.DefaultBot()
			b.Name, b.Builtin = fmt.Sprintf("%s %04d", x.name, i+1), "random"
			b.Fingerprint = b.Name
			g.strength[b.Name] = g.rng.NormFloat64()
			e.Bots = append(e.Bots, b)
		}
		if x.name == "test" {
			g.strength["test 0001"], g.strength["test 0002"] = 0.0015, 0 // half way between the hypotheses
		}
		x.set(&e)
		text, err := config.Encode(e)
		if err != nil {
			return err
		}
		list := g.pairs(e, x.pairs)
		if x.pairs == nil {
			list = g.knockout(e)
		}
		if err := s.Import(ctx, []store.Import{{Event: e, Config: text, Games: list}}, self); err != nil {
			return err
		}
	}
	if err := s.Close(); err != nil {
		return err
	}
	return os.Rename(path+".part", path)
}

// everyone has all bots meet each other, so many times.
func everyone(rounds int) func(arena.Event) iter.Seq[arena.Game] {
	return func(e arena.Event) iter.Seq[arena.Game] {
		return func(yield func(arena.Game) bool) {
			for round := range rounds {
				for i := range e.Bots {
					for j := range i {
						if !yield(arena.Game{Round: round + 1, First: e.Bots[j].Name, Second: e.Bots[i].Name}) {
							return
						}
					}
				}
			}
		}
	}
}

// atRandom has each bot meet another one in each round.
func atRandom(rounds int) func(arena.Event) iter.Seq[arena.Game] {
	return func(e arena.Event) iter.Seq[arena.Game] {
		return func(yield func(arena.Game) bool) {
			rng := rand.New(rand.NewPCG(5, uint64(len(e.Bots))))
			for round := range rounds {
				order := rng.Perm(len(e.Bots))
				for i := 0; i+1 < len(order); i += 2 {
					if !yield(arena.Game{Round: round + 1, First: e.Bots[order[i]].Name, Second: e.Bots[order[i+1]].Name}) {
						return
					}
				}
			}
		}
	}
}

// A gameMaker makes games by random legal moves, whose results are drawn by how
// strong the bots are said to be.
type gameMaker struct {
	rules    engine.Game
	rng      *rand.Rand
	strength map[string]float64 // in units of a decade of odds
	number   int
	moves    [][]arena.MoveRecord
}

// pairs are both games of each pair.
func (m *gameMaker) pairs(e arena.Event, of func(arena.Event) iter.Seq[arena.Game]) iter.Seq2[*arena.Game, error] {
	m.number = 0
	return func(yield func(*arena.Game, error) bool) {
		pair := 0
		for first := range of(e) {
			pair++
			for k := range 2 {
				g := first
				g.Pair = pair
				if k == 1 {
					g.First, g.Second = g.Second, g.First
				}
				if !yield(m.play(&g), nil) {
					return
				}
			}
		}
	}
}

// knockout plays a bracket to its end.
func (m *gameMaker) knockout(e arena.Event) iter.Seq2[*arena.Game, error] {
	m.number = 0
	return func(yield func(*arena.Game, error) bool) {
		var played []arena.Game
		pair := 0
		for {
			b := schedule.BracketOf(e, played)
			if b.Winner != "" {
				return
			}
			before := len(played)
			for round, stage := range b.Stages {
				for _, x := range stage.Matches {
					if x.Winner != "" || x.First == "" || x.Second == "" {
						continue
					}
					for k := range 2 {
						if k == 0 {
							pair++
						}
						g := arena.Game{Round: round + 1, Stage: stage.Name, Pair: pair, First: x.First, Second: x.Second}
						if k == 1 {
							g.First, g.Second = g.Second, g.First
						}
						played = append(played, *m.play(&g))
						if !yield(&played[len(played)-1], nil) {
							return
						}
					}
				}
			}
			if len(played) == before {
				yield(nil, errors.New("the bracket does not go on"))
				return
			}
		}
	}
}

// play fills in a game.
func (m *gameMaker) play(g *arena.Game) *arena.Game {
	const different = 500
	m.number++
	if len(m.moves) < different {
		m.moves = append(m.moves, m.random())
	}
	g.Number, g.Game = m.number, m.rules.Name()
	g.Moves = m.moves[m.rng.IntN(len(m.moves))]
	g.Plies = len(g.Moves)
	g.Opening = arena.Opening{Name: fmt.Sprintf("opening %d", g.Pair%500+1)}
	g.Start = time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC).Add(time.Duration(g.Number) * time.Second)
	g.Wall, g.CPU = time.Second, [2]time.Duration{time.Second / 2, time.Second / 2}
	g.Result, g.Reason, g.Detail = arena.SecondWins, arena.WinByRule, "reached the last row"
	odds := 0.5 + (m.strength[g.First]-m.strength[g.Second])/4
	if m.rng.Float64() < min(max(odds, 0.02), 0.98) {
		g.Result = arena.FirstWins
	}
	if m.rng.IntN(1000) == 0 {
		g.Reason, g.Detail = arena.TimeForfeit, "0.2 s over"
		if g.Blame = g.First; g.Result == arena.FirstWins {
			g.Blame = g.Second
		}
	}
	return g
}

// random is a game of random legal moves, to its end.
func (m *gameMaker) random() []arena.MoveRecord {
	var list []arena.MoveRecord
	pos := m.rules.Start()
	for !pos.Outcome().Over {
		legal := pos.Legal(nil)
		x := legal[m.rng.IntN(len(legal))]
		list = append(list, arena.MoveRecord{
			Move: string(pos.AppendMove(nil, x)), Time: time.Duration(m.rng.IntN(100)) * time.Millisecond,
			Depth: 4 + m.rng.IntN(8), Nodes: int64(m.rng.IntN(1e6)), Score: m.rng.IntN(200) - 100, HasScore: true,
		})
		pos.Play(x)
	}
	return list
}
