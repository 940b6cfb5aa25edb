package rating

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func TestTail(t *testing.T) {
	if got := tail(3, 3, 0, 0.5); !near(got, 1.0/8, 1e-15) {
		t.Errorf("three wins of three: %g", got)
	}
	// One game as first with 3/4, one as second with 1/4: at least one win.
	if got := tail(1, 1, 1, 0.75); !near(got, 1-0.25*0.75, 1e-15) {
		t.Errorf("one win of two: %g", got)
	}
	if got := tail(0, 0, 0, 0.5); got != 1 {
		t.Errorf("no wins of no games: %g", got)
	}
}

// The tail against the distribution built up game by game.
func TestTailIsThatOfSingleGames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		as1, as2 := rapid.IntRange(0, 60).Draw(t, "as first"), rapid.IntRange(0, 60).Draw(t, "as second")
		share := rapid.OneOf(rapid.Float64Range(0.01, 0.99), rapid.SampledFrom([]float64{1e-9, 0.5, 1 - 1e-9})).Draw(t, "share")
		dist := []float64{1}
		for k := range as1 + as2 {
			p := share
			if k >= as1 {
				p = 1 - share
			}
			next := make([]float64, len(dist)+1)
			for w, q := range dist {
				next[w] += q * (1 - p)
				next[w+1] += q * p
			}
			dist = next
		}
		want := 0.0
		for wins := as1 + as2; wins >= 0; wins-- {
			want += dist[wins]
			if got := tail(wins, as1, as2, share); !near(got, want, 1e-12*want+1e-200) {
				t.Fatalf("%d wins: %g, want %g", wins, got, want)
			}
		}
	})
}

// Two bots' million games are many more numbers of wins than can be gone through
// game by game: against the normal distribution, whose error there is known to be
// below 1/sqrt(n) (Berry 1941, Esseen 1942).
func TestTailOfManyGames(t *testing.T) {
	const n = 500_000
	for _, share := range []float64{0.5, 0.6, 0.97} {
		sd := math.Sqrt(2 * n * share * (1 - share))
		for _, z := range []float64{-8, -2, -1, 0, 1, 2, 4, 8} {
			wins := int(n + z*sd)
			got, want := tail(wins, n, n, share), phi((n-float64(wins)+0.5)/sd)
			if !near(got, want, 2e-3) {
				t.Errorf("share %g, %d wins: %g, normal %g", share, wins, got, want)
			}
		}
	}
	// Far out relative precision holds too: 10,000 of 10,000 and 9,999 of them.
	if got, want := math.Log(tail(1000, 1000, 0, 0.5)), -1000*math.Ln2; !near(got, want, 1e-9) {
		t.Errorf("a sweep: ln %g, want %g", got, want)
	}
}

func TestCyclesAndNash(t *testing.T) {
	circle := repeat(20, "r-s 1", "s-r 0", "s-p 1", "p-s 0", "p-r 1", "r-p 0")
	lines := join(circle, repeat(20, "r-x 1", "x-r 0", "s-x 1", "x-s 0", "p-x 1", "x-p 0", "r-x 0", "s-x 0", "p-x 0"))
	r := games(t, lines...)
	table := rate(t, r, Options{})
	cycles := Cycles(r, table)
	if len(cycles) != 1 || cycles[0].Bots != [3]string{"r", "s", "p"} || cycles[0].LOS < 0.9999 {
		t.Fatalf("cycles %v", cycles)
	}
	nash := NashAverage(r, table)
	if nash[3].Name != "x" || nash[3].Share > 1e-6 || nash[3].Elo > -50 {
		t.Errorf("the bot outside the circle: %+v", nash[3])
	}
	for _, line := range nash[:3] {
		if !near(line.Share, 1.0/3, 1e-6) || !near(line.Elo, 0, 1e-3) {
			t.Errorf("in the circle: %+v", line)
		}
	}
	// A ladder of strength has no cycle and one bot for an equilibrium.
	g := rng(5)
	w := world{elo: []float64{150, 0, -150}, v: 1}
	ladder := w.randomGames(g, 600)
	table = rate(t, ladder, Options{})
	if c := Cycles(ladder, table); len(c) != 0 {
		t.Errorf("cycles in a ladder: %v", c)
	}
	if nash := NashAverage(ladder, table); nash[0].Name != "bot0" || !near(nash[0].Share, 1, 1e-6) {
		t.Errorf("Nash average of a ladder: %+v", nash)
	}
}

// Level pools must not show cycles more often than promised.
func TestCyclesRarelyAreFalse(t *testing.T) {
	found := 0
	const runs = 200
	for seed := range uint64(runs) {
		g := rng(seed)
		w := world{elo: make([]float64, 6), advantage: 100, v: 0.5}
		r := w.randomGames(g, 400)
		if len(Cycles(r, rate(t, r, Options{}))) > 0 {
			found++
		}
	}
	if found > runs/20 {
		t.Errorf("cycles in %d of %d pools of equals", found, runs)
	}
}

// The definition: no bot gains against the equilibrium, and copies of a bot share
// what it has alone.
func TestMaxEntropyNashProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "bots")
		a := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range i {
				// In steps of a half, to meet the degenerate cases as well.
				x := float64(rapid.IntRange(-6, 6).Draw(t, "log-odds")) / 2
				a.Set(i, j, x)
				a.Set(j, i, -x)
			}
		}
		p := maxEntropyNash(a)
		sum := 0.0
		for j := range n {
			sum += p[j]
			gain := 0.0
			for i := range n {
				gain -= p[i] * a.At(i, j)
			}
			if gain > 1e-4 {
				t.Fatalf("bot %d gains %g against %v of %v", j, gain, p, mat.Formatted(a))
			}
		}
		if !near(sum, 1, 1e-9) {
			t.Fatalf("shares sum to %g", sum)
		}
		twin := mat.NewDense(n+1, n+1, nil)
		for i := range n + 1 {
			for j := range n + 1 {
				twin.Set(i, j, a.At(i%n, j%n))
			}
		}
		q := maxEntropyNash(twin)
		if !near(q[0], q[n], 1e-3) {
			t.Fatalf("copies have shares %g and %g", q[0], q[n])
		}
	})
}

func TestChooserIsSeededAndSensible(t *testing.T) {
	g := rng(11)
	w := newWorld(g, 6, 200, 0, 1)
	r := w.randomGames(g, 120)
	r.Enter("new")
	table := rate2(t, r)
	for _, s := range []Strategy{Information, Thompson} {
		var last string
		for range 2 {
			c, err := NewChooser(s, 42)
			if err != nil {
				t.Fatal(err)
			}
			seen := ""
			for range 20 {
				a, b, err := c.Next(table)
				if err != nil || a == b {
					t.Fatalf("%s: %s, %s, %v", s, a, b, err)
				}
				seen += a + "-" + b + " "
			}
			if last != "" && last != seen {
				t.Errorf("%s: the same seed gave %s and %s", s, last, seen)
			}
			last = seen
		}
	}
	// The bot that has not played is the one to learn about.
	c, _ := NewChooser(Information, 1)
	if a, b, _ := c.Next(table); a != "new" && b != "new" {
		t.Errorf("most information: %s-%s, not the new bot", a, b)
	}
	if _, err := NewChooser("luck", 1); err == nil {
		t.Error("an unknown strategy was accepted")
	}
	c, _ = NewChooser(Thompson, 1)
	if _, _, err := c.Next(rate(t, games(t, "a-b 1"), Options{})); err == nil {
		t.Error("a pairing of bots that cannot be compared")
	}
}

func rate2(t testing.TB, r *Results) *Table {
	t.Helper()
	table, err := Rate(r, Options{Prior: 400, Strangers: true})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// The gain by formula against a fit with the games' information added.
func TestInformationGain(t *testing.T) {
	g := rng(12)
	r := newWorld(g, 4, 100, 30, 1).randomGames(g, 200)
	c, _ := NewChooser(Information, 1)
	table := rate2(t, r)
	a, b, err := c.Next(table)
	if err != nil {
		t.Fatal(err)
	}
	variance := func(t2 *Table) float64 {
		sum := 0.0
		for _, p := range t2.Players {
			sum += *p.Error * *p.Error
		}
		return sum
	}
	best, bestPair := math.Inf(1), ""
	for _, x := range r.names {
		for _, y := range r.names {
			if x >= y {
				continue
			}
			more := &Results{}
			for _, game := range gamesOf(r) {
				_ = more.Add(game)
			}
			// A pair shared evenly moves the ratings little: what is left is information.
			_ = more.Add(Game{x, y, Win, 0})
			_ = more.Add(Game{y, x, Win, 0})
			_ = more.Add(Game{x, y, Loss, 0})
			_ = more.Add(Game{y, x, Loss, 0})
			if v := variance(rate2(t, more)); v < best {
				best, bestPair = v, x+" "+y
			}
		}
	}
	if bestPair != a+" "+b && bestPair != b+" "+a {
		t.Errorf("formula takes %s-%s, the fits say %s", a, b, bestPair)
	}
}
