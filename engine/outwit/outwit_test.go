package outwit

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"botarena/engine"
	"botarena/engine/enginetest"
)

func TestConformance(t *testing.T) { conformance(t) }

func conformance(t *testing.T, opts ...enginetest.Option) {
	for _, variant := range variants() {
		game := open(t, variant)
		t.Run(game.Name(), func(t *testing.T) { enginetest.Run(t, game, opts...) })
	}
}

func FuzzPosition(f *testing.F) { enginetest.FuzzPosition(f, open(f, "push")) }

func FuzzMove(f *testing.F) { enginetest.FuzzMove(f, open(f, "push")) }

// TestPerft holds the counts to those known of the game, and those of the
// variants to what the naive rules count.
func TestPerft(t *testing.T) {
	counts := map[string][]uint64{
		"":     {1, 27, 817, 24428, 783203, 24125827},
		"jump": {1, 42, 1802, 74578, 3145569},
		"push": {1, 27, 817, 24482, 786327},
	}
	for variant, want := range counts {
		for depth, nodes := range want {
			if got := engine.Perft(open(t, variant).Start(), depth); got != nodes {
				t.Errorf("outwit %q: perft %d = %d, want %d", variant, depth, got, nodes)
			}
		}
	}
}

func TestSourceLines(t *testing.T) {
	lines := map[string]string{
		// The example of the summary: Dark's king goes straight into its corner.
		"f4f1 e6b3": "s8/Ss7/1Ss6/2Ss5/3S5/4Ks3/6s2/1k4Ss1/7Ss/5S2S l",
		// Light walls in Dark's corner, in the reader's other spelling.
		"i1-d1 e6-e7 h2-d2 e7-e6 g3-d3 e6-e7 a9-a4 e7-e6 b8-b4 e6-e7 c7-c4": "s8/1s7/2s6/3sk4/3S5/4Ks3/SSS2Ss2/3S3s1/3S4s/3S5 d",
	}
	for line, want := range lines {
		p := open(t, "").Start()
		enginetest.Play(t, p, line)
		if got := p.String(); got != want {
			t.Errorf("after %s: %s, want %s", line, got, want)
		}
	}
}

// A moves test lists all moves from some square.
type movesTest struct{ name, position, from, want string }

func (test movesTest) run(t *testing.T, variant string) {
	t.Run(test.name, func(t *testing.T) {
		p := parse(t, variant, test.position)
		var got []string
		for _, text := range texts(p) {
			if strings.HasPrefix(text, test.from) {
				got = append(got, strings.TrimPrefix(text, test.from))
			}
		}
		slices.Sort(got)
		want := strings.Fields(test.want)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("moves from %s are %v, want %v", test.from, got, want)
		}
	})
}

func TestSlides(t *testing.T) {
	tests := []movesTest{
		{"soldier on an empty board", "9/9/9/9/9/4S4/9/9/9/3s5 l", "e5", "a5 e1 e10 i5"},
		{"soldier before the enemy's corner", "9/9/9/9/9/S8/9/9/9/3s5 l", "a5", "a4 a10 i5"},
		{"soldier before the enemy's corner along a rank", "9/9/9/9/9/9/9/5S3/9/3s5 l", "f3", "d3 f1 f10 i3"},
		{"soldier before chips", "9/9/9/4s4/9/S3S3s/4S4/9/9/9 l", "e5", "b5 h5 e6"},
		{"along rank 8 into the corner, to its far edge", "9/9/S8/9/9/9/9/9/9/3s5 l", "a8", "a4 a10 i8"},
		{"up file g into the corner, to its far edge", "9/9/9/9/9/9/9/9/9/3s2S2 l", "g1", "e1 i1 g10"},
		{"into the corner, up to a chip inside", "9/S6S1/9/9/9/9/9/9/9/3s5 l", "a9", "a4 a10 g9"},
		{"Dark along rank 2 into the corner", "9/9/9/9/9/9/9/9/7s1/8S d", "h2", "a2 h1 h7 i2"},
		{"Dark down file b into the corner", "9/9/9/9/9/1s7/9/9/9/8S d", "b5", "a5 b1 b10 i5"},
		{"soldier inside stays inside", "9/7S1/9/9/9/9/9/9/9/3s4S l", "h9", "g9 i9 h8 h10"},
		{"soldier inside at its border", "9/9/6S2/9/9/9/9/9/9/3s4S l", "g8", "i8 g10"},
		{
			"king stops inside its corner, and before the enemy's", "9/9/9/8K/9/9/9/9/9/3s5 l", "i7",
			"a7 b7 c7 d7 e7 f7 g7 h7 i1 i2 i3 i4 i5 i6 i8 i9 i10 h8 g9 h6 g5 f4 e3 d2",
		},
		{"king inside stays inside", "9/7K1/9/9/9/9/9/9/9/3s4S l", "h9", "g8 g9 g10 h8 h10 i8 i9 i10"},
		{"king enters from the other end", "5K3/9/9/4S4/4s4/9/9/9/9/9 l", "f10", "a10 b10 c10 d10 e10 g10 h10 i10 f1 f2 f3 f4 f5 f6 f7 f8 f9 e9 d8 c7 b6 a5 g9 h8"},
		{"king between two chips", "9/9/9/9/4sS3/4Ks3/3s1S3/9/9/9 l", "e5", "a5 b5 c5 d5 e1 e2 e3 e4 d6 c7 b8 a9"},
		{"king through the gap", "9/9/9/5s3/4s4/4Ks3/4s4/9/9/9 l", "e5", "a5 b5 c5 d5 d6 c7 b8 a9 d4 f6 g7 h8 i9 f4 g3 h2 i1"},
		{"nothing to slide", "S8/9/9/9/9/9/9/9/8s/7sS l", "i1", ""},
	}
	for _, test := range tests {
		test.run(t, "")
	}
}

// What evaluations ask of a position agrees with its pieces and its moves.
func TestAccess(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		p := open(t, "").Start().(*Position)
		for !p.Outcome().Over && p.Ply() < 300 {
			legal := p.Legal(nil)
			slides := map[Square][]Square{}
			for _, m := range legal {
				slides[From(m)] = append(slides[From(m)], To(m))
			}
			for set := p.Soldiers(p.Turn()); set.Len() > 0; {
				s := set.Pop()
				all := p.Ends(p.Turn(), s)
				ends := slices.DeleteFunc(all[:], func(e Square) bool { return e == s })
				if slices.Sort(ends); !slices.Equal(ends, slices.Sorted(slices.Values(slides[s]))) {
					t.Fatalf("%s: from %s to %v, the moves go to %v", p, s, ends, slides[s])
				}
			}
			for side, letters := range []string{"SK", "sk"} {
				soldiers, king := p.Soldiers(engine.Side(side)), p.King(engine.Side(side))
				if soldiers.Len() != 8 || p.PieceAt(king) != letters[1] {
					t.Fatalf("%s: %d soldiers of %d, the king on %s", p, soldiers.Len(), side, king)
				}
				for soldiers.Len() > 0 {
					if s := soldiers.Pop(); p.PieceAt(s) != letters[0] {
						t.Fatalf("%s: %c on %s", p, p.PieceAt(s), s)
					}
				}
			}
			for s := range Square(squares) {
				taken := p.PieceAt(s) != 0
				if p.Taken().Has(s) != taken || p.Rank(s.Rank())>>s.File()&1 != 0 != taken || p.File(s.File())>>s.Rank()&1 != 0 != taken {
					t.Fatalf("%s: a chip on %s is %v", p, s, taken)
				}
			}
			p.Play(legal[rng.IntN(len(legal))])
		}
	}
}

func TestJumps(t *testing.T) {
	tests := []movesTest{
		{"over an enemy", "9/9/9/9/4s4/4S4/9/9/9/9 l", "e5", "a5 i5 e1 e7"},
		{"not over a chip of its own", "9/9/9/9/4S4/4S4/9/9/9/3s5 l", "e5", "a5 i5 e1"},
		{"not over two", "9/9/9/4s4/4s4/4S4/9/9/9/9 l", "e5", "a5 i5 e1"},
		{"not over a distant one", "9/9/9/4s4/9/4S4/9/9/9/9 l", "e5", "a5 i5 e1 e6"},
		{"no soldier diagonally", "9/9/9/9/5s3/4S4/9/9/9/9 l", "e5", "a5 i5 e1 e10"},
		{"not off the board", "9/9/9/9/9/9/9/9/8S/4s3s l", "i2", "d2 i10"},
		{"not round the board's edge", "9/9/9/9/9/9/s8/7S1/9/9 l", "h3", "d3 i3 h1 h10"},
		{"not into the enemy's corner", "9/9/9/9/9/S8/s8/9/9/9 l", "a5", "a10 i5"},
		{"not within the enemy's corner", "9/9/9/9/9/9/9/9/2sS5/8s l", "d2", "i2 d1 d10"},
		{"into its own corner", "9/9/4Ss3/9/9/9/9/9/9/9 l", "e8", "a8 e1 e10 g8"},
		{"not out of its own corner", "9/9/5sS2/9/9/9/9/9/9/8S l", "g8", "i8 g10"},
		{"not out of its own corner, king", "9/9/5sK2/5s3/9/9/9/9/9/8S l", "g8", "h8 i8 g9 g10 h9 i10"},
		{"king over the enemy's corner", "9/9/9/9/9/9/1K7/2s6/9/8s l", "b4", "a4 c4 d4 e4 f4 g4 h4 i4 b5 b6 b7 b8 b9 b10 a5 c5 d6 e7 f8 g9 h10 d2"},
		{"king diagonally", "9/9/9/9/3S1s3/3SKS3/3SSs3/9/9/9 l", "e5", "e6 e7 e8 e9 e10 g7 g3"},
	}
	for _, test := range tests {
		test.run(t, "jump")
	}
}

func TestPushes(t *testing.T) {
	tests := []movesTest{
		{"2 push 1, right", "9/9/9/9/9/2SSs4/9/9/9/9 l", "c5", "a5 c10 c4 d5"},
		{"left", "9/9/9/9/9/2sSS4/9/9/9/9 l", "e5", "i5 e10 e1 d5"},
		{"up", "9/9/9/2s6/2S6/2S6/9/9/9/9 l", "c5", "a5 i5 c4 c6"},
		{"down", "9/9/9/4S4/4S4/4s4/9/9/9/9 l", "e7", "a7 i7 e10 e6"},
		{"1 pushes nothing", "9/9/9/9/9/2Ss5/9/9/9/9 l", "c5", "a5 c10 c4"},
		{"2 do not push 2", "9/9/9/9/9/2SSss3/9/9/9/9 l", "c5", "a5 c10 c4"},
		{"3 push 1", "9/9/9/9/9/2SSSs3/9/9/9/9 l", "c5", "a5 c10 c4 d5"},
		{"2 of 3 push 1", "9/9/9/9/9/2SSSs3/9/9/9/9 l", "d5", "d10 d1 e5"},
		{"3 push 2", "9/9/9/9/9/2SSSss2/9/9/9/9 l", "c5", "a5 c10 c4 d5"},
		{"2 of 3 do not push 2", "9/9/9/9/9/2SSSss2/9/9/9/9 l", "d5", "d10 d1"},
		{"3 do not push 3", "9/9/9/9/9/1SSSsss2/9/9/9/9 l", "b5", "a5 b10 b4"},
		{"4 do not push", "9/9/9/9/9/1SSSSs3/9/9/9/9 l", "b5", "a5 b10 b4"},
		{"3 of 4 push 2", "9/9/9/9/9/1SSSSss2/9/9/9/9 l", "c5", "c10 c4 d5"},
		{"not off the board", "9/9/9/9/9/6SSs/9/9/9/9 l", "g5", "a5 g10 g1"},
		{"not onto the next rank", "9/9/9/9/S8/6SSs/9/9/9/9 l", "g5", "a5 g10 g1"},
		{"not round the edge from behind", "9/9/9/9/Ss7/8S/9/9/9/9 l", "i5", "a5 i10 i1"},
		{"not against a chip of its own", "9/9/9/9/9/2SSsS3/9/9/9/9 l", "c5", "a5 c10 c4"},
		{"not against an enemy after its own", "9/9/9/9/9/2SSsSs2/9/9/9/9 l", "c5", "a5 c10 c4"},
		{"not across a gap", "9/9/9/9/9/2S1Ss3/9/9/9/9 l", "c5", "a5 c10 c4 d5"},
		{"king pushes a king as one chip", "9/9/9/9/9/2SKk4/9/9/9/9 l", "c5", "a5 c10 c4 d5"},
		{"into the enemy's own corner", "9/9/9/9/9/9/9/9/3sSS3/s8 l", "f2", "i2 f1 f10 e2"},
		{"not with a pusher into the enemy's corner", "9/9/9/9/9/9/9/9/2sSS4/8s l", "e2", "i2 e1 e10"},
		{"not with a pusher out of its corner", "9/9/5sSS1/9/9/9/9/9/9/8S l", "h8", "i8 h10"},
		{"not with the last pusher out of its corner", "9/9/4sSS2/9/9/9/9/9/9/8S l", "g8", "i8 g10"},
		{"with those outside its corner", "9/9/3sSSS2/9/9/9/9/9/9/8S l", "f8", "f1 f10 e8"},
		{"no lift into a taken square", "9/3SSsS2/9/9/9/9/9/9/9/9 l", "d9", "a9 d10 d1"},
	}
	for _, test := range tests {
		test.run(t, "push")
	}
}

// TestPushResult plays pushes and looks at the position, before and after Undo.
func TestPushResult(t *testing.T) {
	tests := []struct{ position, move, want string }{
		{"9/9/9/9/9/2SSs4/9/9/9/9 l", "c5d5", "9/9/9/9/9/3SSs3/9/9/9/9 d"},
		{"9/9/9/9/9/2KSk4/9/9/9/9 l", "c5d5", "9/9/9/9/9/3KSk3/9/9/9/9 d"},
		{"9/9/9/9/9/2SKs4/9/9/9/9 l", "c5d5", "9/9/9/9/9/3SKs3/9/9/9/9 d"},
		{"9/9/9/9/9/2SSSks2/9/9/9/9 l", "c5d5", "9/9/9/9/9/3SSSks1/9/9/9/9 d"},
		{"9/9/9/9/9/2SSSs3/9/9/9/9 l", "d5e5", "9/9/9/9/9/2S1SSs2/9/9/9/9 d"},
		{"9/9/9/4S4/4K4/4s4/9/9/9/9 l", "e7e6", "9/9/9/9/4S4/4K4/4s4/9/9/9 d"},
		{"9/9/9/9/9/9/9/9/3sSS3/8s l", "f2e2", "9/9/9/9/9/9/9/9/2sSS4/8s d"},
		// The lifted chip: onto a free square, the one that the push vacates, or
		// into its own corner.
		{"9/3SSs3/9/9/9/9/9/9/9/8s l", "d9e9=a5", "9/4SS3/9/9/9/s8/9/9/9/8s d"},
		{"9/3SSk3/9/9/9/9/9/9/9/8s l", "d9-e9=d9", "9/3kSS3/9/9/9/9/9/9/9/8s d"},
		{"9/3SSs3/9/9/9/9/9/9/9/8s l", "d9e9=a1", "9/4SS3/9/9/9/9/9/9/9/s7s d"},
		{"9/1SSKsk3/9/9/9/9/9/9/9/9 l", "b9c9=i1", "9/2SSKs3/9/9/9/9/9/9/9/8k d"},
		{"9/9/9/7k1/7S1/7S1/9/9/9/9 l", "h5h6=h5", "9/9/9/7S1/7S1/7k1/9/9/9/9 d"},
		{"9/9/9/9/1s7/1s7/1S7/9/9/9 d", "b6b5=i10", "8S/9/9/9/9/1s7/1s7/9/9/9 l"},
	}
	for _, test := range tests {
		p := parse(t, "push", test.position)
		enginetest.Play(t, p, test.move)
		if got := p.String(); got != test.want {
			t.Errorf("%s after %s: %s, want %s", test.position, test.move, got, test.want)
		}
		if again := parse(t, "push", p.String()); again.Hash() != p.Hash() {
			t.Errorf("%s after %s: hash differs from that of its text", test.position, test.move)
		}
		p.Undo()
		if got := p.String(); got != test.position {
			t.Errorf("%s after %s and Undo: %s", test.position, test.move, got)
		}
	}
}
