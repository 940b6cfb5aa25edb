package outwit

import (
	"strings"
	"testing"

	"botarena/engine"
	"botarena/engine/enginetest"
)

func TestOutcome(t *testing.T) {
	tests := []struct{ name, variant, position, line, want string }{
		{"the last chip goes home", "", "6SSS/6SSS/6SS1/9/9/9/9/8K/9/8s l", "i3i8", "light all chips in corner"},
		{"one chip short", "", "6SSS/6SSS/6SS1/9/9/9/9/8K/9/8s l", "i3i7", ""},
		{"Dark wins", "", "9/9/9/9/9/8S/9/s8/s8/s3s4 d", "e1b1", "dark all chips in corner"},
		{"composed, home and to move", "", "8S/9/9/9/9/9/9/9/9/8s l", "", "light all chips in corner"},
		{"composed, both home: who moved last wins", "", "8S/9/9/9/9/9/9/9/9/s8 l", "", "dark all chips in corner"},
		{"composed, both home, Dark to move", "", "8S/9/9/9/9/9/9/9/9/s8 d", "", "light all chips in corner"},
		{"a push that sends the enemy's last chip home", "push", "9/9/9/9/9/9/9/9/3sSS3/s8 l", "f2e2", "dark all chips in corner"},
		{"a lift that puts the enemy's last chip home", "push", "9/3SSs3/9/9/9/9/9/9/9/s8 l", "d9e9=c3", "dark all chips in corner"},
		{"a lift elsewhere", "push", "9/3SSs3/9/9/9/9/9/9/9/s8 l", "d9e9=d3", ""},
		{"no slide", "", "9/9/9/9/9/9/9/9/8s/7sS l", "", "draw no legal move"},
		{"no slide, but a jump", "jump", "9/9/9/9/9/9/9/9/8s/7sS l", "", ""},
		{"no slide and no jump", "jump", "9/9/9/9/9/9/9/8s/8s/6ssS l", "", "draw no legal move"},
		{"no slide and no push", "push", "9/9/9/9/9/9/9/9/8s/7sS l", "", "draw no legal move"},
		{"no slide, but a push", "push", "9/9/9/9/9/9/9/7ss/7sS/6ssS l", "", ""},
		{"the move that leaves none", "", "9/9/9/9/9/8s/9/9/9/7sS d", "i5i2", "draw no legal move"},
		{"a blocked king", "", "9/9/9/9/9/9/9/9/7ss/7sK l", "", "draw no legal move"},
		{"a king with a diagonal", "", "9/9/9/9/9/9/9/9/8s/7sK l", "", ""},
		{"a lone chip home, its square its last", "", "8S/9/9/9/9/9/9/9/8s/7sS l", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := parse(t, test.variant, test.position)
			enginetest.Play(t, p, test.line)
			if got := outcomeText(p); got != test.want {
				t.Errorf("%s after %q: outcome %q, want %q", test.position, test.line, got, test.want)
			}
			if over := len(p.Legal(nil)) == 0; over != (test.want != "") {
				t.Errorf("%s: no legal move: %v", p, over)
			}
		})
	}
}

// TestThreefold plays lines at whose last move a position occurs for the third
// time, and at no earlier one.
func TestThreefold(t *testing.T) {
	tests := []struct{ name, position, line string }{
		{"the start, by its kings", StartText, strings.Repeat("e5d4 e6f7 d4e5 f7e6 ", 2)},
		// Two soldiers of Light change places: chips of a kind are alike.
		{
			"soldiers in each other's place", "9/9/4k4/9/9/S7S/s8/9/9/9 l",
			strings.Repeat("a5h5 e8e9 i5i1 e9d8 h5i5 d8e8 i1d1 e8e9 d1d10 e9e8 d10a10 e8e9 a10a5 e9e8 ", 2),
		},
		// After five and fifteen plies the same placement has the other side to move.
		{
			"with the same side to move", "s8/9/1k7/9/9/6K2/9/9/9/8S l",
			strings.Repeat("g5g6 b8b7 g6h6 b7b8 h6g5 b8b7 g5g6 b7c7 g6g5 c7b8 ", 2),
		},
		// A chip that goes home starts the count anew.
		{
			"after an irreversible move", "9/8K/9/7S1/9/9/9/k8/8s/8S l",
			"i9h9 a3b2 h7h8 " + strings.Repeat("b2b1 h9i9 b1b2 i9h9 ", 2),
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := parse(t, "", test.position)
			n := newNaiveGame("", p.String())
			moves := strings.Fields(test.line)
			for i, text := range moves {
				if got := outcomeText(p); got != "" {
					t.Fatalf("after %d plies: %s", i, got)
				}
				enginetest.Play(t, p, text)
				n.play(strings.ReplaceAll(text, "-", ""))
				compare(t, p, n)
			}
			if got := outcomeText(p); got != "draw "+Repetition {
				t.Errorf("after all plies: %q", got)
			}
			p.Undo()
			if got := outcomeText(p); got != "" {
				t.Errorf("after Undo: %s", got)
			}
			m, err := p.ParseMove(moves[len(moves)-1])
			if err != nil {
				t.Fatal(err)
			}
			p.Play(m)
			if got := outcomeText(p.Clone()); got != "draw "+Repetition {
				t.Errorf("a clone after Undo and Play: %q", got)
			}
		})
	}
}

func TestReversible(t *testing.T) {
	p := open(t, "").Start()
	for _, step := range []struct {
		move string
		want int
	}{{"f4f1", 1}, {"e6e7", 2}, {"e5h8", 0}, {"e7e6", 1}, {"h8i9", 2}, {"e6b3", 0}, {"i9h8", 1}} {
		enginetest.Play(t, p, step.move)
		if got := p.Reversible(); got != step.want {
			t.Errorf("Reversible after %s is %d, want %d", step.move, got, step.want)
		}
	}
	// A lifted chip that is put into its own corner never leaves it either.
	p = parse(t, "push", "9/2KSSs3/9/9/9/9/9/9/9/8k l").Clone().(*Position)
	enginetest.Play(t, p, "c9c10 i1h1 c10c9 h1i1")
	if got := p.Reversible(); got != 4 {
		t.Errorf("Reversible after four slides is %d", got)
	}
	enginetest.Play(t, p, "d9e9=a1")
	if got := p.Reversible(); got != 0 {
		t.Errorf("Reversible after d9e9=a1 is %d", got)
	}
}

func TestBoard(t *testing.T) {
	p := open(t, "").Start()
	b := p.Board()
	if b.Cols != 9 || b.Rows != 10 || b.Cells[0].Piece != 's' || b.Cells[0].Side != engine.Second || len(b.Last) != 0 {
		t.Errorf("the start is drawn %+v", b)
	}
	shades := make(map[engine.Shade]int)
	for _, c := range b.Cells {
		shades[c.Shade]++
	}
	if shades[engine.FirstGoal] != 9 || shades[engine.SecondGoal] != 9 || b.Cells[8].Shade != engine.FirstGoal {
		t.Errorf("shades %v", shades)
	}
	tests := []struct {
		position, move string
		want           string // the squares of Last
	}{
		{StartText, "f4f1", "f4 f1"},
		{"9/9/9/9/9/2SSs4/9/9/9/9 l", "c5d5", "c5 d5 e5 f5"},
		{"9/3SSs3/9/9/9/9/9/9/9/8s l", "d9e9=a5", "d9 e9 f9 a5"},
		{"9/3SSs3/9/9/9/9/9/9/9/8s l", "d9e9=d9", "d9 e9 f9"},
	}
	for _, test := range tests {
		p := parse(t, "push", test.position)
		enginetest.Play(t, p, test.move)
		var got []string
		for _, i := range p.Board().Last {
			got = append(got, SquareAt(i%9, 9-i/9).String())
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: last is %v, want %s", test.move, got, test.want)
		}
	}
}
