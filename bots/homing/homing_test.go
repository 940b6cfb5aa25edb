package homing_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"botarena/bots/bottest"
	"botarena/bots/eval"
	"botarena/bots/homing"
	"botarena/bots/weights"
	"botarena/engine/outwit"
)

func games() []string { return []string{"outwit", "outwit:jump", "outwit:push"} }

func random() []int16 {
	rng := rand.New(rand.NewPCG(1, 2))
	w := make([]int16, homing.Size)
	for i := range w {
		w[i] = int16(rng.IntN(401) - 200)
	}
	return w
}

// The weights of rules of thumb judge Outwit as package eval does.
func TestRulesOfThumb(t *testing.T) {
	judge := homing.NewJudge(homing.RulesOfThumb())
	for _, name := range games() {
		game := bottest.Open(t, name)
		want := eval.For(game)
		rapid.Check(t, func(rt *rapid.T) {
			pos := bottest.Random(rt, game)
			if got, want := judge.Evaluate(pos.(*outwit.Position)), want(pos); got != want {
				rt.Fatalf("%s: %d, %d by package eval", pos, got, want)
			}
		})
	}
}

// What is judged is the sum of the weights that Indexes names, which are all different,
// and the board turned round with the sides swapped is judged alike.
func TestJudgeSumsIndexes(t *testing.T) {
	w := random()
	judge := homing.NewJudge(w)
	for _, name := range games() {
		game := bottest.Open(t, name)
		rapid.Check(t, func(rt *rapid.T) {
			pos := bottest.Random(rt, game)
			indexes := judge.Indexes(nil, pos.(*outwit.Position))
			sum := 0
			for _, i := range indexes {
				sum += int(w[i])
			}
			if got := judge.Evaluate(pos.(*outwit.Position)); got != sum/weights.Unit {
				rt.Fatalf("%s: %d, the weights sum to %d", pos, got, sum/weights.Unit)
			}
			turned := bottest.Parse(t, name, turned(pos.String()))
			if again := judge.Indexes(nil, turned.(*outwit.Position)); !sameSet(again, indexes) {
				rt.Fatalf("%s has %v, turned round as %s %v", pos, indexes, turned, again)
			}
			slices.Sort(indexes)
			if n := len(indexes); n != len(slices.Compact(indexes)) {
				rt.Fatalf("%s: %d weights, some twice", pos, n)
			}
		})
	}
}

func sameSet(a, b []int32) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
}

// turned is the text of a position with the board turned by half a turn and the sides
// swapped.
func turned(text string) string {
	board, side, _ := strings.Cut(text, " ")
	var b strings.Builder
	for i := len(board) - 1; i >= 0; i-- {
		c := board[i]
		switch {
		case c >= 'a' && c <= 'z':
			c -= 'a' - 'A'
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		}
		b.WriteByte(c)
	}
	return b.String() + map[string]string{"l": " d", "d": " l"}[side]
}

// Near has the squares, and KingNear knows the kings, from which one slide by the rules
// leads home.
func TestNear(t *testing.T) {
	g := homing.NewGeometry()
	game := bottest.Open(t, "outwit")
	rapid.Check(t, func(rt *rapid.T) {
		pos := bottest.Random(rt, game).(*outwit.Position)
		if pos.Outcome().Over {
			return
		}
		side := pos.Turn()
		goes := map[outwit.Square]bool{}
		for _, m := range pos.Legal(nil) {
			if outwit.CornerOf(outwit.To(m)) == side {
				goes[outwit.From(m)] = true
			}
		}
		near := g.Near(pos, side)
		for set := pos.Soldiers(side); set.Len() > 0; {
			if s := set.Pop(); outwit.CornerOf(s) != side && goes[s] != near.Has(s) {
				rt.Fatalf("%s: the soldier on %s goes home: %v", pos, s, goes[s])
			}
		}
		if king := pos.King(side); outwit.CornerOf(king) != side && goes[king] != g.KingNear(pos, side, near) {
			rt.Fatalf("%s: the king on %s goes home: %v", pos, king, goes[king])
		}
	})
}

func BenchmarkEvaluate(b *testing.B) {
	pos := bottest.Open(b, "outwit").Start().(*outwit.Position)
	judge := homing.NewJudge(random())
	for b.Loop() {
		judge.Evaluate(pos)
	}
}
