package store

import (
	"fmt"
	"os"
	"testing"

	"botarena/arena"
)

func BenchmarkFinish(b *testing.B) {
	s := openTest(b)
	e := testEvent("e", "a", "b", "c")
	h := create(b, s, e, 20000)
	moves := someMoves(60)
	n := 0
	for b.Loop() {
		n++
		if err := h.Finish(b.Context(), &arena.Game{Number: n, Result: arena.Draw, Reason: arena.MoveLimit, Moves: moves, Plies: 60}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFinishTogether records games as a fleet brings them: many a transaction.
func BenchmarkFinishTogether(b *testing.B) {
	const games, together = 40_960, 512
	moves := someMoves(30)
	for b.Loop() {
		b.StopTimer()
		s := openTest(b)
		h := create(b, s, testEvent("e", "a", "b", "c"), games)
		b.StartTimer()
		for n := 0; n < games; {
			var list []*arena.Game
			for range together {
				n++
				list = append(list, &arena.Game{Number: n, Result: arena.FirstWins, Reason: arena.WinByRule, Moves: moves, Plies: len(moves)})
			}
			if err := h.Finish(b.Context(), list...); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(games*b.N), "µs/game")
}

func BenchmarkPlan20000(b *testing.B) {
	e := testEvent("e", "a", "b", "c")
	games := plan(e, 20000)
	s := openTest(b)
	i := 0
	for b.Loop() {
		e.Name = fmt.Sprintf("e%d", i)
		i++
		h, err := s.Create(b.Context(), e, []byte("c"), me(b))
		if err != nil {
			b.Fatal(err)
		}
		if err := h.Append(b.Context(), games); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead20000(b *testing.B) {
	s := openTest(b)
	e := testEvent("e", "a", "b", "c")
	games := plan(e, 20000)
	for i := range games {
		games[i].Result, games[i].Reason, games[i].Moves = arena.FirstWins, arena.WinByRule, someMoves(60)
	}
	if err := s.Import(b.Context(), []Import{imported(e, games)}, me(b)); err != nil {
		b.Fatal(err)
	}
	for _, moves := range []bool{false, true} {
		b.Run(fmt.Sprintf("moves=%t", moves), func(b *testing.B) {
			for b.Loop() {
				if list, err := s.Games(b.Context(), Filter{Moves: moves}); err != nil || len(list) != 20000 {
					b.Fatal(len(list), err)
				}
			}
		})
	}
	if st, err := os.Stat(s.path); err == nil {
		b.Logf("database of 20,000 games of 60 plies: %d KB", st.Size()/1024)
	}
}
