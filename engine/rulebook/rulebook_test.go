package rulebook_test

import (
	"strings"
	"testing"

	"botarena/engine/games"
	"botarena/engine/rulebook"
)

// Each game brings rules that a player can read: with pictures of positions that it knows,
// with how a game ends, how a move is written, and each variant.
func TestEveryGameBringsItsRules(t *testing.T) {
	for _, family := range games.All() {
		for _, name := range family.Names() {
			blocks, err := rulebook.Of(games.All(), name)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			all, pictures := "", 0
			for _, b := range blocks {
				all += b.Text + "\n"
				if b.Kind == rulebook.Picture {
					pictures++
				}
			}
			if blocks[0].Kind != rulebook.Title || pictures < 2 {
				t.Errorf("%s: begins with a %s, and has %d pictures", name, blocks[0].Kind, pictures)
			}
			for _, want := range []string{"The end", "How a move is written"} {
				if !strings.Contains(all, want) {
					t.Errorf("%s: no %q", name, want)
				}
			}
			if !strings.Contains(name, "x") && strings.Contains(name, ":") && !strings.Contains(all, "`"+name+"`") {
				t.Errorf("%s: its rules do not name it", name)
			}
		}
	}
}

func TestUnknown(t *testing.T) {
	for name, want := range map[string]string{"owlmann": `did you mean "owlman"?`, "hex@0123": "who wrote a rules program"} {
		if _, err := rulebook.Of(games.All(), name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
