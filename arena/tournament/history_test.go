package tournament

import (
	"testing"

	"botarena/engine/games"
	"botarena/protocol"
)

// Only chess engines, which all read FEN, are spared the whole game.
func TestShortHistory(t *testing.T) {
	both := [2]protocol.Dialect{protocol.UCI, protocol.UCI}
	for _, c := range []struct {
		game     string
		dialects [2]protocol.Dialect
		want     bool
	}{
		{"chess", both, true},
		{"chess", [2]protocol.Dialect{protocol.UCI, protocol.UGI}, false},
		{"chess", [2]protocol.Dialect{}, false},
		{"breakthrough", both, false},
		{"owlman", both, false},
	} {
		game, err := games.All().Lookup(c.game)
		if err != nil {
			t.Fatal(err)
		}
		if got := shortHistory(game, c.dialects); got != c.want {
			t.Errorf("%s, %v: %v", c.game, c.dialects, got)
		}
	}
}
