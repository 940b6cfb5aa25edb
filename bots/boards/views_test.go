package boards_test

import (
	"testing"

	"pgregory.net/rapid"

	"botarena/bots/boards"
	"botarena/bots/bottest"
	"botarena/bots/eval"
)

// The weights of rules of thumb judge Outwit as package eval does.
func TestOutwitByHand(t *testing.T) {
	for _, name := range []string{"outwit", "outwit:jump", "outwit:push"} {
		game := bottest.Open(t, name)
		view, ok := boards.Pairs(game)
		if !ok {
			t.Fatal("no pairs")
		}
		judged, want := view.NewJudge(view.ByHand()).Evaluator(), eval.For(game)
		rapid.Check(t, func(rt *rapid.T) {
			pos := bottest.Random(rt, game)
			if got, want := judged(pos), want(pos); got != want {
				rt.Fatalf("%s: %d by pairs, %d by hand", pos, got, want)
			}
		})
	}
}
