package boards_test

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"botarena/bots/boards"
	"botarena/bots/bottest"
	"botarena/bots/eval"
	"botarena/bots/learnt"
	"botarena/bots/minimax"
	"botarena/engine"
	"botarena/engine/breakthrough"
	"botarena/engine/enginetest"
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
			enginetest.Check(t, 12, func(rt *rapid.T) {
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
	for _, c := range b.Moves(nil, false) {
		if !c.Forced {
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

// What a board says is settled is so, in at most as many plies as it says: found again by
// looking at every line. But for the capture of a last piece, it knows all that is decided
// in two plies, and says exactly how many it takes up to three.
func TestSettledIsTrue(t *testing.T) {
	for name, want := range map[string][]int{
		"breakthrough:5x5": {1, 3, -2}, "breakthrough:6x4": {1, 3, -2},
		"breakthrough:4x6": {1, 3, 5, -2}, "breakthrough:3x8": {1, 3, 5, -2, -4},
	} {
		t.Run(name, func(t *testing.T) {
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
			for _, n := range want {
				if ends[n] == 0 {
					t.Errorf("no position that is won in %d plies: %v", n, ends)
				}
			}
		})
	}
}

func checkSettled(rt *rapid.T, pos engine.Position, b minimax.Board, ends map[int]int) {
	b.Set(pos)
	n, ok := settledIn(b)
	whole := !lastPiece(pos.(*breakthrough.Position))
	if !ok {
		if n := bottest.Solve(pos, 2); n != 0 && whole {
			rt.Errorf("%s is decided in %d, and not settled", pos, n)
		}
		return
	}
	ends[n]++
	if n >= -2 && n <= 3 && whole {
		if got := bottest.Solve(pos, max(n, -n)); got != n {
			rt.Errorf("%s: settled in %d plies, solved in %d", pos, n, got)
		}
	}
	known := proofs{}
	if n > 0 && !known.won(pos, n) || n < 0 && !known.lost(pos, -n) {
		rt.Errorf("%s is not settled in %d plies", pos, n)
	}
}

// settledIn is in how many plies a board says that the side to move wins, negative where it
// loses; ok is false if the board says nothing.
func settledIn(b minimax.Board) (plies int, ok bool) {
	score, ok := b.Settled()
	switch {
	case !ok:
		return 0, false
	case score < 0:
		return -minimax.Win - score, true
	}
	return minimax.Win - score, true
}

// lastPiece reports whether a side has one piece only.
func lastPiece(pos *breakthrough.Position) bool {
	for side := range engine.Side(2) {
		pieces := 0
		for _, word := range pos.Bits(side) {
			pieces += bits.OnesCount64(word)
		}
		if pieces == 1 {
			return true
		}
	}
	return false
}

// proofs remember what was found of positions, by how many plies were left: bottest.Solve,
// which does not, takes too long for more than a few.
type proofs map[proof]bool

type proof struct {
	hash  uint64
	plies int
}

// won reports whether the side to move wins in so many plies at most.
func (known proofs) won(pos engine.Position, plies int) bool {
	if plies <= 0 {
		return false
	}
	at := proof{pos.Hash(), plies}
	won, found := known[at]
	if !found {
		won = slices.ContainsFunc(foremostFirst(pos), func(m engine.Move) bool {
			pos.Play(m)
			defer pos.Undo()
			return known.lost(pos, plies-1)
		})
		known[at] = won
	}
	return won
}

// lost reports whether the side to move loses in so many plies at most.
func (known proofs) lost(pos engine.Position, plies int) bool {
	if out := pos.Outcome(); out.Over {
		return out.Winner != pos.Turn()
	}
	return plies > 0 && !slices.ContainsFunc(foremostFirst(pos), func(m engine.Move) bool {
		pos.Play(m)
		defer pos.Undo()
		return !known.won(pos, plies-1)
	})
}

// foremostFirst lists the moves, those nearest to the enemy's home first.
func foremostFirst(pos engine.Position) []engine.Move {
	moves := pos.Legal(nil)
	slices.SortStableFunc(moves, func(a, b engine.Move) int {
		if pos.Turn() == engine.First {
			a, b = b, a
		}
		return breakthrough.To(a) - breakthrough.To(b)
	})
	return moves
}

// So it is where few pieces are left, as random games seldom come to.
func TestSettledEndings(t *testing.T) {
	game := bottest.Open(t, "breakthrough:6x7")
	b := board(t, game)
	ends := map[int]int{}
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		for range 20 {
			rows := slices.Repeat([]string{"......"}, 7)
			for i := range 2 + rng.IntN(4) {
				row, file := 1+rng.IntN(5), rng.IntN(6)
				rows[row] = rows[row][:file] + "Pp"[i%2:i%2+1] + rows[row][file+1:]
			}
			text := strings.Join(rows, "/")
			for n := 6; n > 0; n-- {
				text = strings.ReplaceAll(text, strings.Repeat(".", n), strconv.Itoa(n))
			}
			pos, err := game.Parse(text + " " + string("wb"[rng.IntN(2)]))
			if err != nil {
				rt.Fatal(err)
			}
			if !pos.Outcome().Over {
				checkSettled(rt, pos, b, ends)
			}
		}
	})
	for _, n := range []int{1, 3, 5, 7, 9, -2, -4, -6, -8} {
		if ends[n] == 0 {
			t.Errorf("no position that is won in %d plies: %v", n, ends)
		}
	}
}

// A race is settled by who is ahead, and not where a piece can still be stopped.
func TestRace(t *testing.T) {
	for _, tt := range []struct {
		name, position string
		want           int // plies, negative where the side to move loses; 0 for not settled
	}{
		{"nobody in the way", "8/8/7p/8/P7/8/8/8 w", 7},
		{"behind", "8/8/8/7p/P7/8/8/8 b", 7},
		{"a move too late", "8/8/8/8/P6p/8/8/8 w", -6},
		{"as far, and to move", "8/8/8/p7/7P/8/8/8 b", 7},
		{"a guard at home who is near enough", "1p6/8/7p/8/P7/8/8/8 w", 0},
		{"a guard who is too far", "4p3/8/7p/8/P7/8/8/8 w", 7},
		{"a guard who is a move too late", "8/2p5/7p/8/P7/8/8/8 w", 7},
		{"and in time if it is his turn", "8/2p5/7p/8/P7/8/8/8 b", 0},
		{"a piece that is taken at once", "8/8/1p6/P7/8/8/8/8 b", 0},
		{"an own piece in the way, but another file is free", "8/8/P6p/P7/8/8/8/8 b", -4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pos := bottest.Parse(t, "breakthrough", tt.position)
			b := board(t, pos.Game())
			b.Set(pos)
			if got, _ := settledIn(b); got != tt.want {
				t.Errorf("%s: settled in %d plies, want %d", tt.position, got, tt.want)
			}
		})
	}
}

// The weights of rules of thumb judge as package eval does, on boards of every size and
// for both sides, but for what rounding each of them may add up to.
func TestBreakthroughRulesOfThumb(t *testing.T) {
	for _, name := range append(sizes(), "breakthrough:10x10", "breakthrough:12x12") {
		t.Run(name, func(t *testing.T) {
			game := bottest.Open(t, name)
			b, want := boards.RulesOfThumb(game)(), eval.For(game)
			first := game.Start().(*breakthrough.Position)
			windows := (first.Cols()-2)*(first.Rows()-1) + (first.Cols()-1)*(first.Rows()-2)
			off := 1 + windows/(2*learnt.Unit)
			enginetest.Check(t, 30, func(rt *rapid.T) {
				pos := bottest.Random(rt, game)
				b.Set(pos)
				if _, settled := b.Settled(); settled {
					return
				}
				if got, want := b.Evaluate(), want(pos); max(got-want, want-got) > off {
					rt.Fatalf("%s: %d by patterns, %d by rules of thumb", pos, got, want)
				}
			})
		})
	}
}
