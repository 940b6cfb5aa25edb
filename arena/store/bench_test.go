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
