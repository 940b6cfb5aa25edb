// Package bottest holds bots that search to what every one of them must do: play
// legal moves only, keep to the limits of the turn, repeat themselves with the
// same seed, win what is won and save what can be saved within a few plies.
package bottest

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"botarena/bots/kit"
	"botarena/engine"
	"botarena/engine/enginetest"
	"botarena/engine/games"
	"botarena/protocol"
)

// A Choose picks a move, as [kit.Bot] wants it.
type Choose func(*kit.Turn) engine.Move

// Games returns the names of the games that the suite plays, small boards where
// there are any.
func Games() []string {
	return []string{
		"breakthrough:5x5", "breakthrough:4x6", "outwit", "outwit:jump", "outwit:push",
		"owlman", "owlman:daybreak", "chess", "chess:960",
	}
}

// Open returns the game of that name.
func Open(t testing.TB, name string) engine.Game {
	t.Helper()
	game, err := games.All().Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return game
}

// Parse returns a position of the game of that name.
func Parse(t testing.TB, name, text string) engine.Position {
	t.Helper()
	pos, err := Open(t, name).Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return pos
}

// Random draws a position from a random game, not over and without a history.
func Random(rt *rapid.T, game engine.Game) engine.Position {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
	pos := game.Start()
	for range rapid.IntRange(0, 120).Draw(rt, "plies") {
		moves := pos.Legal(nil)
		pos.Play(moves[rng.IntN(len(moves))])
		if pos.Outcome().Over {
			pos.Undo()
			break
		}
	}
	again, err := game.Parse(pos.String())
	if err != nil {
		rt.Fatal(err)
	}
	return again
}

// Turned exchanges the sides of a position, called by two letters, and turns the board with
// them: the rows upside down, and each row of letters and single digits round if round is set.
func Turned(text string, round bool, sides string) string {
	board, turn, _ := strings.Cut(text, " ")
	var rows []string
	for row := range strings.SplitSeq(board, "/") {
		if round {
			letters := []byte(row)
			slices.Reverse(letters)
			row = string(letters)
		}
		rows = append([]string{row}, rows...)
	}
	swapped := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return r
	}, strings.Join(rows, "/"))
	other := sides[:1]
	if turn == other {
		other = sides[1:]
	}
	return swapped + " " + other
}

// Solve looks at every line of that many plies and returns n where the side to
// move wins within n plies, -n where it loses within n, and 0 if neither can
// be forced.
func Solve(pos engine.Position, plies int) int {
	if plies == 0 || pos.Outcome().Over {
		return 0
	}
	quickest, slowest, lost := 0, 0, true
	for _, m := range pos.Legal(nil) {
		switch n := after(pos, m, plies); {
		case n == 1:
			return 1
		case n > 0 && (quickest == 0 || n < quickest):
			quickest = n
		case n == 0:
			lost = false
		case n < 0:
			slowest = min(slowest, n)
		}
	}
	switch {
	case quickest > 0:
		return quickest
	case lost:
		return slowest
	}
	return 0
}

// after is Solve once m is played, for the side that plays it.
func after(pos engine.Position, m engine.Move, plies int) int {
	mover := pos.Turn()
	pos.Play(m)
	defer pos.Undo()
	if out := pos.Outcome(); out.Over {
		switch out.Winner {
		case mover:
			return 1
		case mover.Other():
			return -1
		}
		return 0
	}
	switch n := Solve(pos, plies-1); {
	case n > 0:
		return -n - 1
	case n < 0:
		return -n + 1
	}
	return 0
}

// A Problem is a position with something to find within Plies: a win, or where
// Saves is set the move that does not lose.
type Problem struct {
	Game, Position string
	Plies          int
	Saves          bool
}

// Best lists the moves that solve p, found by looking at every line. It fails
// where p is no such problem.
func (p Problem) Best(t testing.TB) (engine.Position, []engine.Move) {
	t.Helper()
	pos := Parse(t, p.Game, p.Position)
	moves := pos.Legal(nil)
	best := slices.DeleteFunc(slices.Clone(moves), func(m engine.Move) bool {
		n := after(pos, m, p.Plies)
		return p.Saves && n < 0 || !p.Saves && n <= 0
	})
	if len(best) == 0 || len(best) == len(moves) {
		t.Fatalf("%s, %s: %d of %d moves solve it, want some of them", p.Game, p.Position, len(best), len(moves))
	}
	return pos, best
}

// Run holds a searching bot to the suite. choose returns a new one; nodes are
// enough for it to see three plies.
func Run(t *testing.T, nodes int64, choose func() Choose) {
	t.Helper()
	t.Run("problems", func(t *testing.T) {
		for _, p := range Problems() {
			pos, best := p.Best(t)
			turn := kit.NewTurn(pos, 1, nil)
			turn.Nodes = nodes
			if got := choose()(turn); !slices.Contains(best, got) {
				t.Errorf("%s, %s: played %s, want one of %d moves such as %s", p.Game, p.Position, turn.Text(got), len(best), turn.Text(best[0]))
			}
		}
	})
	RunPlain(t, choose)
	for _, name := range Games() {
		game := Open(t, name)
		t.Run("limits/"+name, func(t *testing.T) { testLimits(t, game, choose()) })
	}
}

// RunPlain holds any bot, one that does not search too, to legal moves and to the
// same move from the same seed.
func RunPlain(t *testing.T, choose func() Choose) {
	t.Helper()
	for _, name := range Games() {
		game := Open(t, name)
		t.Run("legal/"+name, func(t *testing.T) { testLegal(t, game, choose()) })
		t.Run("repeats/"+name, func(t *testing.T) { testRepeats(t, game, choose) })
	}
}

// testLegal asks one bot for moves here and there, as in many games one after
// another, and leaves the position as it was.
func testLegal(t *testing.T, game engine.Game, choose Choose) {
	enginetest.Check(t, 20, func(rt *rapid.T) {
		pos := Random(rt, game)
		text, legal := pos.String(), pos.Legal(nil)
		turn := kit.NewTurn(pos, rapid.Uint64().Draw(rt, "bot's seed"), nil)
		turn.Nodes = rapid.Int64Range(1, 120).Draw(rt, "nodes")
		turn.OnInfo(func(info protocol.Info) {
			line := pos.Clone()
			for name := range strings.FieldsSeq(string(info.PV)) {
				m, err := line.ParseMove(name)
				if err != nil {
					rt.Fatalf("info names a move of %q: %v", info.PV, err)
				}
				line.Play(m)
			}
		})
		if got := choose(turn); !slices.Contains(legal, got) {
			rt.Errorf("%s: %d is not legal", text, got)
		}
		if pos.String() != text || pos.Ply() != 0 {
			rt.Errorf("%s became %s at ply %d", text, pos, pos.Ply())
		}
	})
}

func testRepeats(t *testing.T, game engine.Game, choose func() Choose) {
	for seed := range uint64(4) {
		var got [2]engine.Move
		for i := range got {
			turn := kit.NewTurn(game.Start(), seed, nil)
			turn.Nodes = 200
			turn.SetOption("Hash", "1") // a large table takes long to empty
			got[i] = choose()(turn)
		}
		if got[0] != got[1] {
			t.Errorf("seed %d: %d, then %d", seed, got[0], got[1])
		}
	}
}

// testLimits counts readings of a clock that each reading moves on.
func testLimits(t *testing.T, game engine.Game, choose Choose) {
	const tick, budget = time.Millisecond, 20 * time.Millisecond
	now := time.Unix(0, 0)
	turn := kit.NewTurn(game.Start(), 1, func() time.Time {
		now = now.Add(tick)
		return now
	})
	began := now
	turn.Budget = budget
	choose(turn)
	// a last line of progress or two may follow the reading that ended the search
	if spent := now.Sub(began); spent > budget+3*tick {
		t.Errorf("a budget of %v: still at it after %v", budget, spent)
	}
	for _, limit := range []int64{1, 2, 300} {
		turn := kit.NewTurn(game.Start(), 1, nil)
		turn.Nodes = limit
		turn.OnInfo(func(info protocol.Info) {
			if info.Nodes > limit {
				t.Errorf("%d nodes of %d", info.Nodes, limit)
			}
		})
		choose(turn)
	}
	for depth := 1; depth <= 2; depth++ {
		turn := kit.NewTurn(game.Start(), 1, nil)
		turn.Depth = depth
		told := false
		turn.OnInfo(func(info protocol.Info) {
			told = true
			if info.Depth > int64(depth) {
				t.Errorf("depth %d of %d", info.Depth, depth)
			}
		})
		choose(turn)
		if !told {
			t.Errorf("depth %d: no word of progress", depth)
		}
	}
}
