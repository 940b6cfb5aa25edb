package outwit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"botarena/engine"
)

func variants() []string { return []string{"", "jump", "push"} }

func open(t testing.TB, variant string) *Game {
	t.Helper()
	g, err := Family{}.Open(variant)
	if err != nil {
		t.Fatal(err)
	}
	return g.(*Game)
}

func parse(t testing.TB, variant, text string) *Position {
	t.Helper()
	p, err := open(t, variant).Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p.(*Position)
}

func texts(p engine.Position) []string {
	var list []string
	for _, m := range p.Legal(nil) {
		list = append(list, string(p.AppendMove(nil, m)))
	}
	return list
}

func outcomeText(p engine.Position) string {
	out := p.Outcome()
	if !out.Over {
		return ""
	}
	winner := "draw"
	if out.Winner != engine.NoSide {
		winner = p.Game().SideNames()[out.Winner]
	}
	return winner + " " + out.Reason
}

// compare holds a position to the naive rules.
func compare(t *testing.T, p *Position, n *naiveGame) {
	t.Helper()
	if got, want := p.String(), n.text(); got != want {
		t.Fatalf("position is %s, want %s", got, want)
	}
	if got, want := outcomeText(p), n.outcome(); got != want {
		t.Fatalf("%s %s: outcome %q, want %q", p.game.name, p, got, want)
	}
	got, want := texts(p), n.legal()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatalf("%s %s: legal moves are\n%v, want\n%v", p.game.name, p, got, want)
	}
	for side, letter := range []byte{'l', 'd'} {
		home := 0
		for s := range Square(squares) {
			x, y := s.File()+1, s.Rank()+1
			if owner(n.at[x][y]) == letter && inCorner(letter, x, y) {
				home++
			}
		}
		if got := p.Home(engine.Side(side)); got != home {
			t.Fatalf("%s: Home(%d) = %d, want %d", p, side, got, home)
		}
	}
}

// randomText composes a position: chips in heaps, so that they block and jump one
// another, often a row of both sides' chips to push, some sides nearly home, some
// with chips missing.
func randomText(rng *rand.Rand) string {
	n := newNaive("", strings.Repeat("9/", 9)+"9 l")
	n.turn = "ld"[rng.IntN(2)]
	supply := map[byte]string{'l': "SSSSSSSSK", 'd': "ssssssssk"}
	for _, side := range []byte{'l', 'd'} {
		shuffled := []byte(supply[side])
		rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if rng.IntN(4) == 0 {
			shuffled = shuffled[rng.IntN(9):]
		}
		supply[side] = string(shuffled)
	}
	put := func(side byte, x, y int) bool {
		if supply[side] == "" || !onBoard(x, y) || n.at[x][y] != '.' || inCorner(opponent(side), x, y) {
			return false
		}
		n.at[x][y], supply[side] = supply[side][0], supply[side][1:]
		return true
	}
	if rng.IntN(4) > 0 {
		// One to four chips of the side to move, then one to three enemies.
		steps := [][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}
		d := steps[rng.IntN(4)]
		x, y := 1+rng.IntN(9), 1+rng.IntN(10)
		own, enemies := 1+rng.IntN(4), 1+rng.IntN(3)
		for i := range own + enemies {
			side := n.turn
			if i >= own {
				side = opponent(side)
			}
			put(side, x+i*d[0], y+i*d[1])
		}
	}
	if rng.IntN(12) == 0 && supply[n.turn] != "" {
		// A lonely chip in an angle of the board, walled in.
		supply[n.turn] = supply[n.turn][:1]
		x, y := 9, 1
		if rng.IntN(2) == 0 {
			x, y = 1, 10
		}
		put(n.turn, x, y)
		for _, by := range [][2]int{{0, 1}, {1, 0}, {1, 1}, {0, 2}, {2, 0}, {2, 2}} {
			if x == 9 {
				put(opponent(n.turn), x-by[0], y+by[1])
			} else {
				put(opponent(n.turn), x+by[0], y-by[1])
			}
		}
	}
	centreX, centreY := 1+rng.IntN(9), 1+rng.IntN(10)
	spread := 1 + rng.IntN(9)
	for _, side := range []byte{'l', 'd'} {
		inside := 0
		if rng.IntN(2) == 0 {
			inside = rng.IntN(10)
		}
		for supply[side] != "" {
			x, y := 1+rng.IntN(9), 1+rng.IntN(10)
			if rng.IntN(8) > 0 {
				x, y = centreX+rng.IntN(2*spread+1)-spread, centreY+rng.IntN(2*spread+1)-spread
			}
			if rng.IntN(10) < inside {
				x, y = 1+rng.IntN(3), 1+rng.IntN(3)
				if side == 'l' {
					x, y = x+6, y+7
				}
			}
			put(side, x, y)
		}
	}
	return n.text()
}

func TestNaiveComposed(t *testing.T) { naiveComposed(t, 200) }

// naiveComposed compares both generators on composed positions, and the
// positions after every move of some of them.
func naiveComposed(t *testing.T, positions int) {
	for _, variant := range variants() {
		game := open(t, variant)
		rng := rand.New(rand.NewPCG(11, 1))
		seen := make(map[string]int)
		for i := range positions {
			text := randomText(rng)
			parsed, err := game.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			p := parsed.(*Position)
			compare(t, p, newNaiveGame(variant, text))
			seen[p.Outcome().Reason]++
			for _, m := range p.Legal(nil) {
				move := string(p.AppendMove(nil, m))
				pushers, pushed := Pushed(m)
				switch {
				case Lifted(m) != NoSquare:
					seen["lift"]++
				case pushers > 0:
					seen[fmt.Sprintf("%d push %d", pushers, pushed)]++
				}
				// A lift has dozens of alike moves: some will do.
				if i%10 != 0 && (pushers == 0 || i%3 != 0 || Lifted(m)%7 != 0) {
					continue
				}
				p.Play(m)
				next := &naiveGame{naive: newNaive(variant, text).after(move), seen: map[string]int{}}
				compare(t, p, next)
				p.Undo()
			}
			if p.String() != text {
				t.Fatalf("%s became %s", text, p)
			}
		}
		t.Logf("outwit %q: %v", variant, seen)
		// of 3000 positions
		wanted := map[string]int{AllHome: 50, NoMove: 10}
		if variant == "push" {
			wanted["lift"], wanted["2 push 1"], wanted["3 push 1"], wanted["3 push 2"] = 1000, 150, 50, 50
		}
		for kind, n := range wanted {
			if seen[kind] < n*positions/3000 {
				t.Errorf("outwit %q: %q only %d times in the composed positions", variant, kind, seen[kind])
			}
		}
	}
}

func TestNaivePlayed(t *testing.T) { naivePlayed(t, 9) }

func TestNoHash(t *testing.T) { noHash(t, 6) }

func naivePlayed(t *testing.T, games int) {
	for _, variant := range variants() {
		comparePlayed(t, open(t, variant), variant, games)
	}
}

// noHash plays the same games where every position has the same hash: the
// threefold rule must compare positions, not hashes.
func noHash(t *testing.T, games int) {
	for _, variant := range variants() {
		game := open(t, variant)
		game.board.keys = [2][2][squares]uint64{}
		comparePlayed(t, game, variant, games)
	}
}

// comparePlayed compares both through games from the start and from composed
// positions, with all that the history decides.
func comparePlayed(t *testing.T, game *Game, variant string, games int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(12, 1))
	reasons := make(map[string]int)
	for i := range games {
		text := StartText
		if i%3 > 0 {
			text = randomText(rng)
		}
		parsed, err := game.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		p := parsed.(*Position)
		n := newNaiveGame(variant, text)
		// The walk back and forth of some games is what repeats positions.
		restless := i%2 == 0
		for range 250 {
			compare(t, p, n)
			moves := p.Legal(nil)
			if len(moves) == 0 {
				break
			}
			m := moves[rng.IntN(len(moves))]
			if !restless && len(p.past) >= 2 && rng.IntN(4) > 0 {
				last := p.past[len(p.past)-1].move
				if back := newMove(To(last), From(last)); slices.Contains(moves, back) {
					m = back
				}
			}
			// Home where possible, for games that end.
			for _, home := range moves {
				if CornerOf(To(home)) == p.turn && CornerOf(From(home)) != p.turn && rng.IntN(2) == 0 {
					m = home
				}
			}
			n.play(string(p.AppendMove(nil, m)))
			p.Play(m)
		}
		_, reason, _ := strings.Cut(outcomeText(p), " ")
		reasons[reason]++
	}
	t.Logf("outwit %q: games ended by %v", variant, reasons)
	if reasons[AllHome] == 0 || reasons[Repetition] == 0 {
		t.Errorf("outwit %q: the games end too much alike: %v", variant, reasons)
	}
}
