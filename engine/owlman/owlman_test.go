package owlman_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"botarena/engine"
	"botarena/engine/enginetest"
	"botarena/engine/owlman"

	"pgregory.net/rapid"
)

const start = "O7/8/8/3H1H1H/4H1H1/3H1H1H/4H1H1/3H1H1D w"

func open(t testing.TB, variant string) engine.Game {
	t.Helper()
	game, err := owlman.Family{}.Open(variant)
	if err != nil {
		t.Fatal(err)
	}
	return game
}

func parse(t testing.TB, game engine.Game, text string) engine.Position {
	t.Helper()
	pos, err := game.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return pos
}

func ending(pos engine.Position) (winner, reason string) {
	out := pos.Outcome()
	if out.Winner == engine.NoSide {
		return "", out.Reason
	}
	return pos.Game().SideNames()[out.Winner], out.Reason
}

func TestConformance(t *testing.T) { conformance(t) }

func conformance(t *testing.T, opts ...enginetest.Option) {
	for _, variant := range []string{"", "daybreak"} {
		game := open(t, variant)
		t.Run(game.Name(), func(t *testing.T) { enginetest.Run(t, game, opts...) })
	}
}

func FuzzPosition(f *testing.F) { enginetest.FuzzPosition(f, open(f, "")) }
func FuzzMove(f *testing.F)     { enginetest.FuzzMove(f, open(f, "")) }

func TestPerft(t *testing.T) {
	for depth, want := range []uint64{1, 9, 27, 271, 2140, 24894, 116587} {
		if got := engine.Perft(open(t, "").Start(), depth); got != want {
			t.Errorf("perft(%d) = %d, want %d", depth, got, want)
		}
	}
}

func TestSampleOpening(t *testing.T) {
	const moves = "d3c4 a8b7(xd5) f5e6 b7c6(xe4) d1c2 c6d5(xf3) h5g6 d5c8 e6d7 c8f7 c4b5 f7e4 g2f3 e4d3(xc2)"
	pos := open(t, "").Start()
	enginetest.Play(t, pos, moves)
	if want := "8/3H4/6H1/1H6/6H1/3O1H1H/4H3/5H1D w"; pos.String() != want {
		t.Errorf("after the sample opening: %s, want %s", pos, want)
	}
	for pos.Ply() > 0 {
		pos.Undo()
	}
	if pos.String() != start {
		t.Errorf("taken back: %s", pos)
	}
	// As the source prints it, with the second bracket wrong.
	enginetest.Play(t, pos, "d3-c4 a8-b7(xd5) f5-e6 b7-c6(xd5) d1-c2 c6-d5(xf3)")
}

func TestEndings(t *testing.T) {
	tests := []struct {
		position, moves string
		winner, reason  string
	}{
		{"D7/8/2H5/8/8/8/8/5O2 w", "c6b7", "doc", "lair reached"},
		{"2D5/1H6/8/8/8/8/8/5O2 w", "", "", ""}, // b7 and c8 are adjacent, but Doc is not home
		{"D7/1H6/8/8/8/8/8/5O2 w", "", "doc", "lair reached"},
		{"D7/1H6/8/8/8/8/8/7O b", "", "doc", "lair reached"},
		{"D7/1O6/2H5/8/8/8/8/8 w", "", "", ""},
		{"O7/1H6/2D5/8/8/8/8/8 w", "", "", ""},
		// a8 is empty of moves: b7 is taken, and so are the swoops' b5 and d7.
		{"O7/3D4/2H5/1H6/8/8/8/8 w", "c6b7", "doc", "owlman trapped"},
		{"O7/1H1D4/8/1H6/8/8/8/8 b", "", "doc", "owlman trapped"},
		// Captures of Doc by step, by swoop, and too late.
		{"8/8/8/8/8/7H/6O1/7D b", "g2h1", "owlman", "doc captured"},
		{"8/8/8/8/6O1/7H/8/7D b", "g4h1", "owlman", "doc captured"},
		{"8/8/8/8/6O1/7H/8/7D w", "h3g2 g4h1", "owlman", "doc captured"},
		{"8/8/8/8/8/7H/8/7O w", "", "owlman", "doc captured"},
		// The last helper, by step and by super swoop.
		{"D7/8/8/8/4O3/8/8/1H6 b", "e4d3", "owlman", "last helper captured"},
		{"D7/8/8/8/8/8/8/1H5O b", "h1b1", "owlman", "last helper captured"},
		{"D7/8/8/8/4O3/8/8/8 w", "", "owlman", "last helper captured"},
		{"D7/8/8/8/8/8/8/7O b", "", "owlman", "last helper captured"},
	}
	for _, tt := range tests {
		pos := parse(t, open(t, ""), tt.position)
		enginetest.Play(t, pos, tt.moves)
		if winner, reason := ending(pos); winner != tt.winner || reason != tt.reason {
			t.Errorf("%s %s: %q %q, want %q %q", tt.position, tt.moves, winner, reason, tt.winner, tt.reason)
		}
	}
}

func TestOwlmanMoves(t *testing.T) {
	tests := []struct {
		name, position, want string
	}{
		{"steps and swoops", "8/8/8/3O4/8/8/8/5H1D b", "d5a4 d5a6 d5c2 d5c4 d5c6 d5c8 d5e2 d5e4 d5e6 d5e8 d5g4 d5g6"},
		{"no swoop onto a helper", "O7/3H4/8/8/8/8/8/7D b", "a8b5 a8b7"},
		{"no step onto Doc but on h1", "O7/1D6/8/8/8/8/8/5H2 b", "a8b5 a8d7"},
		{"on h1 only super swoops", "D7/8/8/1H6/8/7H/8/7O b", "h1b5 h1h3"},
		{"the empty tower is open", "D7/8/8/1H6/8/8/6O1/8 b", "g2d1 g2d3 g2f1 g2f3 g2f5 g2h1 g2h3 g2h5"},
	}
	for _, tt := range tests {
		if got := strings.Join(enginetest.Legal(parse(t, open(t, ""), tt.position)), " "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestCaptures(t *testing.T) {
	tests := []struct {
		name, position, move, want string
	}{
		{"far along the diagonal", "O7/8/8/8/8/5H2/8/1H5D b", "a8b7", "8/1O6/8/8/8/8/8/1H5D w"},
		{"the first met only", "O7/8/8/3H4/8/5H2/8/7D b", "a8b7", "8/1O6/8/8/8/5H2/8/7D w"},
		{"Doc shields", "O7/8/8/3D4/8/5H2/8/8 b", "a8b7", "8/1O6/8/3D4/8/5H2/8/8 w"},
		{"Doc on the tower is not faced down", "8/8/8/3O4/8/8/8/1H5D b", "d5e4", "8/8/8/8/4O3/8/8/1H5D w"},
		{"no other line", "8/8/8/3O4/8/5H2/8/1H5D b", "d5c4", "8/8/8/8/2O5/5H2/8/1H5D w"},
		{"by swoop none, though faced", "8/8/8/3O4/8/5H2/8/7D b", "d5e2", "8/8/8/8/8/5H2/4O3/7D w"},
		{"a super swoop takes one alone", "D7/8/8/3H4/4H3/5H2/8/7O b", "h1f3", "D7/8/8/3H4/4H3/5O2/8/8 w"},
		{"one step from the tower is a super swoop", "D7/8/8/8/8/5H2/6H1/7O b", "h1g2", "D7/8/8/8/8/5H2/6O1/8 w"},
	}
	for _, tt := range tests {
		pos := parse(t, open(t, ""), tt.position)
		enginetest.Play(t, pos, tt.move)
		if pos.String() != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, pos, tt.want)
		}
	}
}

// TestEndingWithoutEnd is the source's line (iii), Fig. 8.
func TestEndingWithoutEnd(t *testing.T) {
	const fig8 = "D1H5/1O6/8/8/8/8/8/8 w"
	pos := parse(t, open(t, ""), fig8)
	enginetest.Play(t, pos, "c8d7 b7a4 d7c8 a4b7 c8d7")
	var why *engine.MoveError
	if _, err := pos.ParseMove("b7a4"); !errors.As(err, &why) || !strings.Contains(why.Why, "vary") {
		t.Errorf("b7a4 again: %v", err)
	}
	if slices.Contains(enginetest.Legal(pos), "b7a4") {
		t.Error("b7a4 is legal again")
	}
	enginetest.Play(t, pos, "b7c6 d7c8 c6b7 c8d7")
	if got := enginetest.Legal(pos); slices.Contains(got, "b7a4") || slices.Contains(got, "b7c6") || len(got) == 0 {
		t.Errorf("after two tries: %v", got)
	}
	// In daybreak nothing is closed.
	pos = parse(t, open(t, "daybreak"), fig8)
	enginetest.Play(t, pos, "c8d7 b7a4 d7c8 a4b7 c8d7 b7a4 d7c8 a4b7 c8d7 b7a4")
}

// TestRepetitionCountsExactly: a history says nothing of Owlman's other
// positions, nor of those before a capture or Doc's leaving the tower.
func TestRepetitionCountsExactly(t *testing.T) {
	pos := parse(t, open(t, ""), "8/8/2O5/8/8/8/8/1H3H1D b")
	enginetest.Play(t, pos, "c6b7 b1c2 b7c6 c2b1") // c6 again, Owlman to move
	if got := enginetest.Legal(pos); slices.Contains(got, "c6b7") || !slices.Contains(got, "c6b5") {
		t.Errorf("c6 for the second time: %v", got)
	}
	before := enginetest.Legal(pos)
	enginetest.Play(t, pos, "c6b5 b1c2 b5c6 c2b1")
	if got := enginetest.Legal(pos); slices.Contains(got, "c6b7") || slices.Contains(got, "c6b5") {
		t.Errorf("c6 for the third time: %v", got)
	}
	for range 4 {
		pos.Undo()
	}
	if got := enginetest.Legal(pos); !slices.Equal(got, before) {
		t.Errorf("after Undo %v, want %v", got, before)
	}
	if got := pos.Reversible(); got != 4 {
		t.Errorf("Reversible = %d, want 4", got)
	}
	again := parse(t, open(t, ""), pos.String())
	if got := enginetest.Legal(again); !slices.Contains(got, "c6b7") {
		t.Errorf("a parsed position remembers: %v", got)
	}
}

func TestDaybreak(t *testing.T) {
	pos := parse(t, open(t, "daybreak"), "D1H5/1O6/8/8/8/8/8/8 w")
	for move := 1; move <= 49; move++ {
		if pos.Outcome().Over {
			t.Fatalf("over before White's move %d: %+v", move, pos.Outcome())
		}
		white, owl := "c8d7", "b7a4"
		if move%2 == 0 {
			white, owl = "d7c8", "a4b7"
		}
		enginetest.Play(t, pos, white)
		if move < 49 {
			enginetest.Play(t, pos, owl)
		}
	}
	if winner, reason := ending(pos); winner != "owlman" || reason != "daybreak" {
		t.Errorf("after 49 moves: %q %q", winner, reason)
	}
	if got := pos.Legal(nil); got != nil {
		t.Errorf("legal after daybreak: %v", got)
	}
	if got := pos.Reversible(); got != 97 {
		t.Errorf("Reversible = %d, want all 97 plies", got)
	}
	pos.Undo()
	if out := pos.Outcome(); out.Over {
		t.Errorf("before the 49th move: %+v", out)
	}
}

// TestDaybreakIsLast: the 49th move may still win, by either of Doc's wins.
func TestDaybreakIsLast(t *testing.T) {
	for _, tt := range []struct{ position, owl, back, last, reason string }{
		{"D7/8/8/7H/8/8/4O3/1H6 w", "e2d5", "d5e2", "", "daybreak"},
		{"D1H5/8/8/7H/8/8/4O3/8 w", "e2d5", "d5e2", "c8b7", "lair reached"},
	} {
		pos := parse(t, open(t, "daybreak"), tt.position)
		for move := 1; move <= 48; move++ {
			if move%2 == 1 {
				enginetest.Play(t, pos, "h5g6 "+tt.owl)
			} else {
				enginetest.Play(t, pos, "g6h5 "+tt.back)
			}
		}
		if tt.last == "" {
			tt.last = "h5g6"
		}
		enginetest.Play(t, pos, tt.last)
		if _, reason := ending(pos); reason != tt.reason {
			t.Errorf("%s: %q, want %q", tt.position, reason, tt.reason)
		}
	}
}

func TestPositionText(t *testing.T) {
	game := open(t, "")
	for _, text := range []string{
		"O7/8/8/3H1H1H/4H1H1/3H1H1H/4H1H1/3H1H1D   w", " " + start + "\n",
		"O7/8/44/3H1H1H/4H1H1/3H1H1H/4H1H1/3H1H1D w",
	} {
		if got := parse(t, game, text).String(); got != start {
			t.Errorf("%q reads as %s", text, got)
		}
	}
	for _, tt := range []struct {
		text, why string
		column    int
	}{
		{"", "empty", 0},
		{"O7/8/8/8/8/8/8/3H1H1D", "side to move is missing", 0},
		{"O7/8/8/8/8/8/8/3H1H1D w 7", "two fields", 0},
		{"O7/8/8/8/8/8/8/3H1H1D x", "w or b", 23},
		{"8/8/8/8/8/8/8/3H1H1D w", "Owlman is missing", 0},
		{"1O6/8/8/8/8/8/8/3H1H1D w", "b8 is a dark square", 2},
		{"O7/8/8/8/8/8/8/2H2H1D w", "c1 is a dark square", 17},
		{"O7/8/8/8/8/8/6D1/3H1H1D w", "second Doc", 0},
		{"O7/1O6/8/8/8/8/8/3H1H1D w", "second Owlman", 5},
		{"O7/8/8/8/8/8/8/3H1H1d w", "no piece", 0},
		{"O7/8/8/8/8/8/8 w", "7 ranks", 0},
		{"O7/8/8/8/8/8/8/8/8 w", "more than 8 ranks", 0},
		{"O7/8/8/8/8/8/7/3H1H1D w", "rank 2 has 7", 0},
		{"O7/8/8/8/8/8/8/3H1H1 w", "rank 1 has 7", 0},
		{"O8/8/8/8/8/8/8/3H1H1D w", "more than 8 squares", 2},
		{"O7/8/8/8/8/8/8/8H w", "more than 8 squares", 0},
		{"O1H1H1H1/1H1H1H1H/H1H1H1H1/1H1H1H1H/8/8/8/8 w", "more than 12 helpers", 0},
	} {
		_, err := game.Parse(tt.text)
		var bad *engine.PositionError
		if !errors.As(err, &bad) || !strings.Contains(bad.Why, tt.why) || tt.column > 0 && bad.Column != tt.column {
			t.Errorf("%q: %v, want %q at column %d", tt.text, err, tt.why, tt.column)
		}
	}
}

func TestMoveErrors(t *testing.T) {
	for _, tt := range []struct{ position, move, why string }{
		{start, "c3d4", "c3 is a dark square"},
		{start, "d3d4", "d4 is a dark square"},
		{start, "c4d5", "no helper or Doc on c4"},
		{start, "a8b7", "Owlman is not to move"},
		{start, "d3b5", "one square diagonally"},
		{start, "d3e4", "e4 is occupied"},
		{start, "d3", "not a move"},
		{start, "d3c4(xd5", "the bracket"},
		{start, "d3c4(d5)", "the bracket"},
		{"O7/8/8/8/8/3D4/6H1/8 w", "g2h1", "the tower h1 is closed to White"},
		{"O7/8/8/8/8/3D4/6H1/8 b", "g2f3", "Doc's side is not to move"},
		{"O7/8/8/8/8/3D4/6H1/8 b", "b7c6", "Owlman is on a8, not on b7"},
		{"O7/8/8/8/8/3D4/6H1/8 b", "a8c6", "steps one square diagonally or swoops"},
		{"O7/1D6/8/8/8/8/6H1/8 b", "a8b7", "b7 is occupied"},
		{"8/8/8/8/8/3D4/6H1/7O b", "h1g4", "must super-swoop"},
		{"8/8/8/8/8/3D4/8/7O b", "h1g4", "the game is over: last helper captured"},
	} {
		_, err := parse(t, open(t, ""), tt.position).ParseMove(tt.move)
		var bad *engine.MoveError
		if !errors.As(err, &bad) || !strings.Contains(bad.Why, tt.why) || bad.Move != tt.move {
			t.Errorf("%s %s: %v, want %q", tt.position, tt.move, err, tt.why)
		}
	}
	pos := open(t, "").Start()
	for _, text := range []string{"d3c4", "d3-c4", " d3c4 ", "d3-c4 (xd5)", "d3xc4"} {
		if m, err := pos.ParseMove(text); err != nil || string(pos.AppendMove(nil, m)) != "d3c4" {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// compare holds a position to the naive reading of the rules.
func compare(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, pos engine.Position, n *naive,
) {
	t.Helper()
	if pos.String() != n.text() {
		t.Fatalf("position %s, want %s", pos, n.text())
	}
	winner, reason := n.outcome()
	want := n.moves()
	if reason != "" {
		want = nil
	}
	if got := enginetest.Legal(pos); !slices.Equal(got, want) {
		t.Fatalf("%s: legal %v, want %v", pos, got, want)
	}
	if w, r := ending(pos); w != winner || r != reason {
		t.Fatalf("%s: ended %q %q, want %q %q", pos, w, r, winner, reason)
	}
}

func TestGames(t *testing.T) { compareGames(t, 12) }

// compareGames compares random games with the naive rules, in a small corner of
// the game too: few pieces repeat positions often.
func compareGames(t *testing.T, seeds uint64) {
	reasons, repeated := map[string]int{}, 0
	for _, variant := range []string{"", "daybreak"} {
		game := open(t, variant)
		for seed := range seeds {
			rng := rand.New(rand.NewPCG(seed, 11))
			text := start
			if seed%3 > 0 {
				text = randomPosition(rng, 1+rng.IntN(4))
			}
			pos, n := parse(t, game, text), newNaive(text, variant == "daybreak")
			for range 300 {
				compare(t, pos, n)
				moves := enginetest.Legal(pos)
				if len(moves) == 0 {
					break
				}
				move := moves[rng.IntN(len(moves))]
				if pos.Turn() == engine.Second {
					if len(n.made[n.text()]) > 0 {
						repeated++
					}
					if rng.IntN(2) == 0 {
						move = moves[0] // an Owlman of habits, whom the demand to vary meets often
					}
				}
				enginetest.Play(t, pos, move)
				n.play(move)
			}
			_, reason := n.outcome()
			reasons[reason]++
		}
	}
	if repeated == 0 {
		t.Error("no position came back")
	}
	t.Log(reasons, repeated)
	for _, reason := range []string{"lair reached", "doc captured", "last helper captured", "daybreak"} {
		if reasons[reason] == 0 {
			t.Errorf("no random game ended by %q", reason)
		}
	}
}

// randomPosition puts pieces on random light squares, either side to move.
func randomPosition(rng *rand.Rand, helpers int) string {
	var free []string
	for file := 'a'; file <= 'h'; file++ {
		for rank := 1; rank <= 8; rank++ {
			if (int(file-'a')+1+rank)%2 == 1 {
				free = append(free, fmt.Sprintf("%c%d", file, rank))
			}
		}
	}
	rng.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] })
	n := &naive{on: map[string]byte{free[0]: 'O', free[1]: 'D'}, turn: "wb"[rng.IntN(2)]}
	for _, square := range free[2 : 2+helpers] {
		n.on[square] = 'H'
	}
	return n.text()
}

func TestRandomPositions(t *testing.T) {
	game := open(t, "")
	enginetest.Check(t, 15, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 3))
		text := randomPosition(rng, rapid.IntRange(0, 12).Draw(rt, "helpers"))
		for range 10 {
			pos, n := parse(t, game, text), newNaive(text, false)
			compare(rt, pos, n)
			for _, m := range pos.Legal(nil) {
				move := string(pos.AppendMove(nil, m))
				child := newNaive(text, false)
				child.play(move)
				pos.Play(m)
				compare(rt, pos, child)
				pos.Undo()
			}
			compare(rt, pos, n)
			text = randomPosition(rng, rng.IntN(13))
		}
	})
}
