package learnt

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"botarena/bots/bottest"
	"botarena/bots/eval"
	"botarena/engine/outwit"
)

func outwits() []string { return []string{"outwit", "outwit:jump", "outwit:push"} }

// random returns so many weights, up to most in size.
func random(n, most int) []int16 {
	rng := rand.New(rand.NewPCG(1, 2))
	w := make([]int16, n)
	for i := range w {
		w[i] = int16(rng.IntN(2*most+1) - most)
	}
	return w
}

// The weights of rules of thumb judge Outwit as package eval does.
func TestRulesOfThumb(t *testing.T) {
	judge := NewHoming(homingOfThumb())
	for _, name := range outwits() {
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

// What is judged is the sum of the weights that indexes names, which are all different,
// and the board turned round with the sides swapped is judged alike.
func TestHomingSumsIndexes(t *testing.T) {
	w := random(homingSize, 200)
	judge := NewHoming(w)
	for _, name := range outwits() {
		game := bottest.Open(t, name)
		rapid.Check(t, func(rt *rapid.T) {
			pos := bottest.Random(rt, game)
			indexes := judge.indexes(nil, pos)
			sum := 0
			for _, i := range indexes {
				sum += int(w[i])
			}
			if got := judge.Evaluate(pos.(*outwit.Position)); got != sum/Unit {
				rt.Fatalf("%s: %d, the weights sum to %d", pos, got, sum/Unit)
			}
			turned := bottest.Parse(t, name, bottest.Turned(pos.String(), true, "ld"))
			if again := judge.indexes(nil, turned); !sameSet(again, indexes) {
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

// Near has the squares, and KingNear knows the kings, from which one slide by the rules
// leads home.
func TestNear(t *testing.T) {
	g := newGeometry()
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
	judge := NewHoming(random(homingSize, 200))
	for b.Loop() {
		judge.Evaluate(pos)
	}
}
