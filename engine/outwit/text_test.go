package outwit

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"botarena/engine"
	"botarena/engine/enginetest"
)

func TestParseMoveErrors(t *testing.T) {
	const blocked = "9/9/9/9/4s4/4Ks3/S8/9/9/9 l"
	tests := []struct{ variant, position, move, want string }{
		{"", StartText, "", "not a move"},
		{"", StartText, "f4", "not a move"},
		{"", StartText, "F4F1", "not a move"},
		{"", StartText, "f4f1 ", "not a move"},
		{"", StartText, "f4f1=", "not a move"},
		{"", StartText, "f4--f1", "not a move"},
		{"", StartText, "f4f11", "not a move"},
		{"", StartText, "f04f1", "f0 is not on the board"},
		{"", StartText, "j4f1", "j4 is not on the board; files are a to i, ranks 1 to 10"},
		{"", StartText, "f1f4", "no chip of Light on f1"},
		{"", StartText, "e6e7", "e6 has a chip of Dark, and Light is to move"},
		{"", StartText, "f4f4", "a move changes the square"},
		{"", StartText, "f4f2", "a soldier slides as far as it can: from f4 down to f1"},
		{"", StartText, "f4e3", "a soldier moves along a rank or a file"},
		{"", StartText, "e5g6", "a king moves along a rank, a file or a diagonal"},
		{"", StartText, "e5b2", "b2 is in Dark's corner, which no chip of Light enters"},
		{"", StartText, "f4f5", "f5 is taken by a chip of Dark"},
		{"", StartText, "g3g5", "a chip of Dark on g4 is in the way"},
		{"", StartText, "f4g4", "g4 is taken by a chip of Dark"},
		{"", StartText, "d6c6", "a soldier slides as far as it can: from d6 left to a6"},
		{"", StartText, "f4f1=a5", "only a push that would force a chip into the pusher's corner lifts it, in outwit:push"},
		{"", "9/7S1/9/9/9/9/9/9/9/3s4S l", "h9h7", "a chip never leaves its own corner"},
		{"", "9/9/9/8K/9/9/9/9/9/3s5 l", "i7f10", "on g9 the chip is in its own corner, which it never leaves"},
		{"", "9/9/9/9/9/9/K8/9/9/3s5 l", "a4d1", "b3, on the way, is in Dark's corner"},
		{"", "9/9/S8/9/9/9/9/9/9/3s5 l", "a8g8", "a soldier slides as far as it can: from a8 right to i8"},
		{"", "9/9/S8/9/9/9/9/9/9/3s5 l", "a8a5", "a soldier slides as far as it can: from a8 down to a4"},
		{"", "S8/8S/9/9/9/9/9/9/9/s8 d", "a1a2", "the game is over: all chips in corner"},
		{"jump", blocked, "e5e8", "a chip of Dark on e6 is in the way"},
		{"jump", blocked, "a4a5", "a soldier slides as far as it can: from a4 up to a10"},
		{"push", "9/9/9/9/9/2SS1s3/9/9/9/9 l", "c5d5", "d5 is taken by a chip of Light, and no chip of Dark is there to push"},
		{"push", "9/9/9/9/9/2SSss3/9/9/9/9 l", "c5d5", "2 chips push fewer than 2, not 2"},
		{"push", "9/9/9/9/9/1SSSSs3/9/9/9/9 l", "b5c5", "2 or 3 chips push, not the 4 from b5 on"},
		{"push", "9/9/9/9/9/6SSs/9/9/9/9 l", "g5h5", "the chip on i5 would be pushed off the board"},
		{"push", "9/9/9/9/9/2SSsS3/9/9/9/9 l", "c5d5", "the square behind the pushed chips, f5, is taken"},
		{"push", "9/9/9/9/9/9/9/9/2sSS4/8s l", "e2d2", "the chip on d2 would enter Dark's corner"},
		{"push", "9/9/5sSS1/9/9/9/9/9/9/8S l", "h8g8", "the chip on g8 never leaves its own corner"},
		{"push", "9/3SSs3/9/9/9/9/9/9/9/8s l", "d9e9", "write its new square, such as d9e9=d9"},
		{"push", "9/3SSs3/9/9/9/9/9/9/9/8s l", "d9e9=h9", "a lifted chip is put outside Light's corner"},
		{"push", "9/3SSs3/9/9/9/9/9/9/9/8s l", "d9e9=f9", "f9 is not empty after the push"},
		{"push", "9/9/9/9/9/2SSs4/9/9/9/9 l", "c5d5=a5", "a push lifts a chip only where it would be forced into the pusher's corner"},
		{"push", "9/9/9/9/9/2SSs4/9/9/9/9 l", "d5e5", "e5 is taken by a chip of Dark"},
	}
	for _, test := range tests {
		p := parse(t, test.variant, test.position)
		_, err := p.ParseMove(test.move)
		var bad *engine.MoveError
		if !errors.As(err, &bad) || !strings.Contains(bad.Why, test.want) {
			t.Errorf("outwit %q, %s: ParseMove(%q): %v, want %q", test.variant, test.position, test.move, err, test.want)
		}
	}
	p := open(t, "").Start()
	enginetest.Play(t, p, strings.Repeat("e5d4 e6f7 d4e5 f7e6 ", 2))
	if _, err := p.ParseMove("f4f1"); err == nil || !strings.Contains(err.Error(), "the game is over: "+Repetition) {
		t.Errorf("ParseMove after the third occurrence: %v", err)
	}
}

func TestWhyNot(t *testing.T) { whyNot(t, 5) }

// whyNot holds the explanations to the rules on composed positions: where
// one names the square that a soldier slides to, that move is legal, and no text
// of an illegal move is explained by a lift square that is empty.
func whyNot(t *testing.T, positions int) {
	for _, variant := range variants() {
		rng := rand.New(rand.NewPCG(21, 1))
		for range positions {
			p := parse(t, variant, randomText(rng))
			legal := make(map[string]bool)
			for _, text := range texts(p) {
				legal[text[:strings.IndexByte(text+"=", '=')]] = true
			}
			for from := range Square(squares) {
				for to := range Square(squares) {
					m := written{from, to, NoSquare}
					text := from.String() + to.String()
					_, err := p.ParseMove(text)
					if err == nil {
						continue
					}
					why := p.whyNot(m)
					if legal[text] != strings.Contains(why, "write its new square") {
						t.Fatalf("%s %s: %s: %s", p.game.name, p, text, why)
					}
					if _, end, slides := strings.Cut(why, "as far as it can: from "); slides {
						words := strings.Fields(end)
						if _, err := p.ParseMove(words[0] + words[3]); err != nil || words[0] != from.String() {
							t.Fatalf("%s %s: %s: %s, but %v", p.game.name, p, text, why, err)
						}
					}
					if strings.Contains(why, "?") || strings.Contains(why, "not empty after") {
						t.Fatalf("%s %s: %s: %s", p.game.name, p, text, why)
					}
				}
			}
		}
	}
}

func TestParseErrors(t *testing.T) {
	const rest = "/9/9/9/9/9/9/9/9/8s l"
	tests := []struct {
		text   string
		column int
		want   string
	}{
		{"", 1, "rank 10 has 0 squares instead of 9"},
		{"9/9 l", 4, "2 ranks instead of 10"},
		{"S7" + rest, 3, "rank 10 has 8 squares instead of 9"},
		{"S9" + rest, 2, "rank 10 has more than 9 squares"},
		{"9S" + rest, 2, "rank 10 has more than 9 squares"},
		{"S0" + rest, 2, "is no piece"},
		{"P8" + rest, 1, "'P' is no piece and no number of empty squares; use S K s k, and 1 to 9"},
		{"S8/9/9/9/9/9/9/9/9/8s/9 l", 22, "more than 10 ranks"},
		{"S8/9/9/9/9/9/9/9/9/8s", 22, "the side to move, l or d"},
		{"S8/9/9/9/9/9/9/9/9/8s w", 22, "the side to move, l or d"},
		{"S8/9/9/9/9/9/9/9/9/8s l 1", 22, "the side to move, l or d"},
		{"8s" + rest, 2, "Dark cannot stand on i10, in Light's corner"},
		{"9/9/9/9/9/9/9/9/9/K7s l", 19, "Light cannot stand on a1, in Dark's corner"},
		{"KK7" + rest, 2, "a second king of Light"},
		{"9/9/9/SSSSSSSSS" + strings.Repeat("/9", 5) + "/8s l", 15, "a ninth soldier of Light"},
		{"9" + rest, 0, "Light has no chip"},
	}
	for _, test := range tests {
		_, err := open(t, "").Parse(test.text)
		var bad *engine.PositionError
		if !errors.As(err, &bad) || bad.Column != test.column || !strings.Contains(bad.Why, test.want) {
			t.Errorf("Parse(%q): %v, want column %d: %s", test.text, err, test.column, test.want)
		}
	}
}

func TestText(t *testing.T) {
	for _, test := range [][2]string{
		{StartText, StartText},
		{"S8/45/9/9/9/9/9/9/9/8s  d ", "S8/9/9/9/9/9/9/9/9/8s d"},
	} {
		if got := parse(t, "", test[0]).String(); got != test[1] {
			t.Errorf("Parse(%q) is written %q, want %q", test[0], got, test[1])
		}
	}
	p := open(t, "").Start()
	for _, text := range []string{"a9a4", "a9-a4"} {
		m, err := p.ParseMove(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(p.AppendMove(nil, m)); got != "a9a4" {
			t.Errorf("%s is written %s", text, got)
		}
	}
	for _, name := range []string{"a1", "i10", "a10", "e9"} {
		x, y := unsquare(name)
		if got := SquareAt(x-1, y-1).String(); got != name {
			t.Errorf("%s is written %s", name, got)
		}
	}
}
