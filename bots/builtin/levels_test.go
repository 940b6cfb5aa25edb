package builtin_test

import (
	"strconv"
	"testing"

	"botarena/bots/bottest"
	"botarena/bots/builtin"
	"botarena/bots/kit"
	"botarena/engine"
	"botarena/engine/games"
	"botarena/protocol"
)

// A level looks at no more positions than it says, whatever the turn allows, and at
// fewer where the turn allows fewer; with the same seed it plays the same.
func TestLevelsKeepToTheirNodes(t *testing.T) {
	for _, name := range bottest.Games() {
		game := bottest.Open(t, name)
		for i, level := range builtin.LevelsOf(name) {
			var moves [2]engine.Move
			for again := range moves {
				b := bot(t, "minimax")
				turn := kit.NewTurn(game.Start(), 7, nil)
				turn.Nodes = 1 << 40
				turn.SetOption("Hash", "1")
				turn.SetOption(builtin.OptionLevel, strconv.Itoa(i+1))
				turn.OnInfo(func(info protocol.Info) {
					if info.Nodes > level.Nodes {
						t.Errorf("%s, level %d: %d nodes of %d", name, i+1, info.Nodes, level.Nodes)
					}
				})
				moves[again] = b.Choose(turn)
				if turn.Nodes != 1<<40 {
					t.Errorf("%s, level %d: the turn was changed", name, i+1)
				}
			}
			if moves[0] != moves[1] {
				t.Errorf("%s, level %d: %d, then %d", name, i+1, moves[0], moves[1])
			}
		}
	}
}

// Higher levels look at more, or play fewer random moves, and random moves are for the
// lower half only.
func TestLevelsAreInOrder(t *testing.T) {
	for _, name := range games.All().Names() {
		levels := builtin.LevelsOf(name)
		for i := 1; i < len(levels); i++ {
			a, b := levels[i-1], levels[i]
			if b.Nodes < a.Nodes || b.Random > a.Random || a == b {
				t.Errorf("%s: level %d is %+v, level %d %+v", name, i, a, i+1, b)
			}
		}
		if levels[builtin.Levels/2].Random > 0 {
			t.Errorf("%s: level %d moves at random: %+v", name, builtin.Levels/2+1, levels[builtin.Levels/2])
		}
	}
}

// Where a game was calibrated, its ratings have every level as it is now, neighbours 50
// to 200 Elo apart, random at the bottom.
func TestRatings(t *testing.T) {
	for _, name := range games.All().Names() {
		pool, err := builtin.Ratings(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(pool) == 0 {
			continue
		}
		elo := map[int]float64{}
		for _, r := range pool {
			if r.Bot == "minimax" || r.Bot == "random" {
				elo[r.Level] = r.Elo
			}
			if r.Error <= 0 || r.Games == 0 {
				t.Errorf("%s: %+v", name, r)
			}
			if r.Level > 0 && r.At != builtin.LevelsOf(name)[r.Level-1] {
				t.Errorf("%s: level %d is %+v and was rated at %+v: go run ./cmd/calibrate %s", name, r.Level, builtin.LevelsOf(name)[r.Level-1], r.At, name)
			}
		}
		if len(elo) != builtin.Levels+1 {
			t.Errorf("%s: ratings of %d bots", name, len(elo))
		}
		for level := 1; level <= builtin.Levels; level++ {
			if gap := elo[level] - elo[level-1]; gap < 50 || gap > 200 {
				t.Errorf("%s: from level %d to %d it is %.0f Elo, want 50 to 200", name, level-1, level, gap)
			}
		}
	}
}
