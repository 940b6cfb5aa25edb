package nearest_test

import (
	"strings"
	"testing"

	"botarena/engine/nearest"
)

func TestOf(t *testing.T) {
	names := []string{"minimax", "mcts", "random", "über", "breakthrough"}
	for name, want := range map[string]string{
		"minmax": "minimax", "MCTS": "mcts", "mtcs": "mcts", "radnom": "random", "uber": "über", "brekthruogh": "breakthrough",
		"stockfish": "", "": "", "breakthrough" + strings.Repeat("x", 1000): "", "\xff": "",
	} {
		if got := nearest.Of(name, names); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if got := nearest.Of("x", nil); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}
