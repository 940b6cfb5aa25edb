package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/process"
	"botarena/arena/schedule"
	"botarena/arena/store"
	"botarena/bots/builtin"
)

// largeEvent records an event of so many games or a little more between bots
// b01, b02, ... , each a little stronger than the next, played over twelve weeks.
func largeEvent(ctx context.Context, s *store.Store, name string, bots, least int) (games int, err error) {
	self, err := process.Self()
	if err != nil {
		return 0, err
	}
	e := config.Default()
	e.Name, e.Game, e.Format = name, "breakthrough", schedule.FormatRoundRobin
	if bots == 2 {
		e.Format = schedule.FormatMatch
	}
	random, err := builtin.Find("random")
	if err != nil {
		return 0, err
	}
	for i := range bots {
		b := config.DefaultBot()
		b.Name, b.Builtin = fmt.Sprintf("b%02d", i+1), random.Name
		if b.Fingerprint, err = process.Fingerprint(b, "", random.Version); err != nil {
			return 0, err
		}
		e.Bots = append(e.Bots, b)
	}
	pairings := bots * (bots - 1) / 2
	e.Rounds = (least + 2*pairings - 1) / (2 * pairings)
	games = 2 * pairings * e.Rounds
	text, err := config.Encode(e)
	if err != nil {
		return 0, err
	}
	return games, s.Import(ctx, []store.Import{{Event: e, Config: text, Games: largeGames(e)}}, self)
}

// largeGames are the games of a round robin whose bots are each 20 Elo stronger
// than the next. Their moves mean nothing.
func largeGames(e arena.Event) func(yield func(*arena.Game, error) bool) {
	return func(yield func(*arena.Game, error) bool) {
		rng := rand.New(rand.NewPCG(1, 2))
		book := make([]arena.Opening, 500)
		for i := range book {
			step := func(n int, from, to byte) string { return string([]byte{'a' + byte(n%8), from, 'a' + byte(n%8), to}) }
			book[i] = arena.Opening{Name: fmt.Sprintf("opening %d", i+1), Moves: []string{step(i, '2', '3'), step(i/8, '7', '6'), step(i+1+i/64%7, '2', '3')}}
		}
		n := len(e.Bots)
		total := n * (n - 1) * e.Rounds
		step := 84 * 24 * time.Hour / time.Duration(total)
		start, number, pair := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC), 0, 0
		for round := range e.Rounds {
			for i := range n {
				for j := i + 1; j < n; j++ {
					pair++
					for k := range 2 {
						number++
						a, b := i, j
						if k == 1 {
							a, b = j, i
						}
						g := &arena.Game{
							Number: number, Round: round + 1, Pair: pair, Game: e.Game, First: e.Bots[a].Name, Second: e.Bots[b].Name,
							Opening: book[pair%len(book)], Result: arena.SecondWins, Reason: arena.WinByRule, Detail: "reached the last row",
							Start: start.Add(time.Duration(number) * step), Wall: time.Second, CPU: [2]time.Duration{time.Second / 2, time.Second / 2},
						}
						if rng.Float64() < 1/(1+math.Pow(10, float64(20*(a-b)-30)/400)) {
							g.Result = arena.FirstWins
						}
						if rng.IntN(1000) == 0 {
							g.Reason, g.Detail = arena.TimeForfeit, "0.2 s over"
							if g.Blame = g.First; g.Result == arena.FirstWins {
								g.Blame = g.Second
							}
						}
						for range 20 {
							g.Moves = append(g.Moves, arena.MoveRecord{Move: largeMove(rng), Time: 50 * time.Millisecond, Depth: 8, Nodes: 12345, Score: 17, HasScore: true})
						}
						g.Plies = len(g.Moves)
						if !yield(g, nil) {
							return
						}
					}
				}
			}
		}
	}
}

func largeMove(rng *rand.Rand) string {
	from, to := rng.IntN(64), rng.IntN(64)
	return string([]byte{'a' + byte(from%8), '1' + byte(from/8), 'a' + byte(to%8), '1' + byte(to/8)})
}
