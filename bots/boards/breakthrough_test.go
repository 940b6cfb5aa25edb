package boards_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"botarena/bots/boards"
	"botarena/bots/bottest"
	"botarena/bots/eval"
	"botarena/bots/minimax"
	"botarena/bots/pattern"
	"botarena/engine"
	"botarena/engine/breakthrough"
)

func board(t testing.TB, game engine.Game) minimax.Board {
	t.Helper()
	made, err := boards.For(game, nil)
	if err != nil {
		t.Fatal(err)
	}
	return made()
}

func sizes() []string {
	return []string{"breakthrough", "breakthrough:5x5", "breakthrough:4x6", "breakthrough:2x4", "breakthrough:9x9", "breakthrough:6x12"}
}

// A board that has followed a game knows what one that is set to its position knows,
// and takes everything back; its moves are the legal ones but where one piece has to
// be captured, and those that it leaves out there lose.
func TestBoardFollowsTheGame(t *testing.T) {
	for _, name := range sizes() {
		t.Run(name, func(t *testing.T) {
			game := bottest.Open(t, name)
			follows, fresh := board(t, game), board(t, game)
			rapid.Check(t, func(rt *rapid.T) {
				pos := bottest.Random(rt, game)
				follows.Set(pos)
				type seen struct {
					key  uint64
					eval int
				}
				var past []seen
				rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "moves"), 0))
				for !pos.Outcome().Over {
					fresh.Set(pos)
					now := seen{follows.Key(), follows.Evaluate()}
					if want := (seen{fresh.Key(), fresh.Evaluate()}); now != want || follows.Turn() != pos.Turn() {
						rt.Fatalf("%s: %+v, set anew %+v", pos, now, want)
					}
					past = append(past, now)
					legal := pos.Legal(nil)
					if _, settled := follows.Settled(); !settled {
						checkMoves(rt, pos, follows, legal)
					}
					wander(rng, pos.Clone(), follows)
					m := legal[rng.IntN(len(legal))]
					pos.Play(m)
					follows.Play(m)
				}
				if score, ok := follows.Settled(); !ok || score != -minimax.Win {
					rt.Fatalf("%s: %d, %v, want a game that is lost", pos, score, ok)
				}
				for i := range past {
					follows.Undo()
					if now := (seen{follows.Key(), follows.Evaluate()}); now != past[len(past)-1-i] {
						rt.Fatalf("undone to %+v, was %+v", now, past[len(past)-1-i])
					}
				}
			})
		})
	}
}

// wander plays a few moves or passes, judges some of the positions that it comes by, and
// takes all back: what a board puts off it must not forget.
func wander(rng *rand.Rand, pos engine.Position, b minimax.Board) {
	steps := 0
	for range rng.IntN(5) {
		if rng.IntN(4) == 0 {
			b.(minimax.Passer).Pass()
			steps++
			b.Evaluate()
			break // pos knows of no passing
		}
		legal := pos.Legal(nil)
		if len(legal) == 0 {
			break
		}
		m := legal[rng.IntN(len(legal))]
		pos.Play(m)
		b.Play(m)
		steps++
		if _, settled := b.Settled(); !settled && rng.IntN(2) == 0 {
			b.Evaluate()
		}
	}
	for range steps {
		b.Undo()
	}
}

func checkMoves(rt *rapid.T, pos engine.Position, b minimax.Board, legal []engine.Move) {
	var all, noisy []engine.Move
	for _, c := range b.Moves(nil, false) {
		all = append(all, c.Move)
	}
	for _, c := range b.Moves(nil, true) {
		noisy = append(noisy, c.Move)
	}
	checkFind(rt, pos.(*breakthrough.Position), b)
	for _, m := range slices.Concat(all, noisy) {
		if !slices.Contains(legal, m) {
			rt.Fatalf("%s: %s is not legal", pos, pos.AppendMove(nil, m))
		}
	}
	captures := 0
	for _, m := range legal {
		if pos.(*breakthrough.Position).Captures(m) {
			captures++
		}
		if slices.Contains(all, m) {
			continue
		}
		if n := lostIn(pos, m); n == 0 || n > 2 {
			rt.Fatalf("%s: %s is left out and not lost at once", pos, pos.AppendMove(nil, m))
		}
	}
	if len(all) == len(legal) && len(noisy) != captures {
		rt.Fatalf("%s: %d noisy moves, %d captures", pos, len(noisy), captures)
	}
}

// checkFind asks for every pair of squares: what Find knows is what Moves lists, unless
// a threat has to be answered.
func checkFind(rt *rapid.T, pos *breakthrough.Position, b minimax.Board) {
	listed := map[engine.Move]minimax.Candidate{}
	if !b.(minimax.Presser).Pressed() {
		for _, c := range b.Moves(nil, false) {
			listed[c.Move] = c
		}
	}
	squares := pos.Cols() * pos.Rows()
	for from := range squares {
		for to := range squares {
			m := breakthrough.NewMove(from, to)
			want, legal := listed[m]
			if got, ok := b.(minimax.Finder).Find(m); ok != legal || ok && got != want {
				rt.Fatalf("%s: found %+v, %v; listed %+v, %v", pos, got, ok, want, legal)
			}
		}
	}
}

// lostIn is in how many plies the side that plays m loses, up to two; 0 for more.
func lostIn(pos engine.Position, m engine.Move) int {
	pos.Play(m)
	defer pos.Undo()
	if n := bottest.Solve(pos, 1); n == 1 {
		return 2
	}
	return 0
}

// What a board says is settled is so, in as many plies as it says: found again by
// looking at every line.
func TestSettledIsTrue(t *testing.T) {
	for _, name := range []string{"breakthrough:5x5", "breakthrough:4x6", "breakthrough:6x4"} {
		game := bottest.Open(t, name)
		b := board(t, game)
		ends := map[int]int{}
		rapid.Check(t, func(rt *rapid.T) {
			pos := game.Start()
			rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
			for !pos.Outcome().Over {
				checkSettled(rt, pos, b, ends)
				moves := pos.Legal(nil)
				pos.Play(moves[rng.IntN(len(moves))])
			}
		})
		if ends[1] == 0 || ends[3] == 0 || ends[-2] == 0 {
			t.Errorf("%s: too few ends: %v", name, ends)
		}
	}
}

func checkSettled(rt *rapid.T, pos engine.Position, b minimax.Board, ends map[int]int) {
	b.Set(pos)
	score, ok := b.Settled()
	if !ok {
		if n := bottest.Solve(pos, 2); n != 0 {
			rt.Errorf("%s is decided in %d, and not settled", pos, n)
		}
		return
	}
	n := minimax.Win - score
	if score < 0 {
		n = -minimax.Win - score
	}
	ends[n]++
	if got := bottest.Solve(pos, max(n, -n)); got != n {
		rt.Errorf("%s: settled in %d plies, solved in %d", pos, n, got)
	}
}

// The weights of rules of thumb judge as package eval does, on boards of every size and
// for both sides, but for what rounding each of them may add up to.
func TestBreakthroughByHand(t *testing.T) {
	for _, name := range append(sizes(), "breakthrough:10x10", "breakthrough:12x12") {
		t.Run(name, func(t *testing.T) {
			game := bottest.Open(t, name)
			b, want := boards.ByHand(game)(), eval.For(game)
			first := game.Start().(*breakthrough.Position)
			off := 1 + pattern.NewLayout(first.Cols(), first.Rows(), false).Windows()/(2*pattern.Unit)
			rapid.Check(t, func(rt *rapid.T) {
				pos := bottest.Random(rt, game)
				b.Set(pos)
				if _, settled := b.Settled(); settled {
					return
				}
				if got, want := b.Evaluate(), want(pos); max(got-want, want-got) > off {
					rt.Fatalf("%s: %d by patterns, %d by hand", pos, got, want)
				}
			})
		})
	}
}

// A board of a table for another size is refused.
func TestTableOfAnotherSize(t *testing.T) {
	if _, err := boards.For(bottest.Open(t, "breakthrough:5x5"), pattern.ByHand(6, 6).Encode()); err == nil {
		t.Error("a table for 6x6 judges 5x5")
	}
	if _, err := boards.For(bottest.Open(t, "outwit"), pattern.ByHand(6, 6).Encode()); err == nil {
		t.Error("a table for Breakthrough judges Outwit")
	}
}
