package rating

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// put adds the games of a pool to another under a prefix, with pair numbers kept.
func put(t interface{ Fatal(...any) }, to *Results, prefix string, from *Results) {
	for _, g := range gamesOf(from) {
		g.First, g.Second = prefix+g.First, prefix+g.Second
		if err := to.Add(g); err != nil {
			t.Fatal(err)
		}
	}
}

// subset returns the games within a set of bots, in the same order: of bots that
// are level to the last digit, rounding says who comes first.
func subset(t interface{ Fatal(...any) }, r *Results, bots []string) *Results {
	out := &Results{}
	for _, name := range r.Names() {
		if slices.Contains(bots, name) {
			out.Enter(name)
		}
	}
	for _, g := range gamesOf(r) {
		if slices.Contains(bots, g.First) && slices.Contains(bots, g.Second) {
			if err := out.Add(g); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out
}

// sameNumber compares two numbers, or that both are missing.
func sameNumber(a, b *float64) bool {
	if a == nil || b == nil {
		return a == b
	}
	return near(*a, *b, 1e-9)
}

// asAlone fails where the component c of a table has other numbers than a table
// of the games within it alone.
func asAlone(t interface{ Fatalf(string, ...any) }, whole *Table, c int, alone *Table) {
	if len(alone.Components) != 1 || !slices.Equal(alone.Components[0], whole.Components[c]) {
		t.Fatalf("components %v alone, %v in the whole", alone.Components, whole.Components[c])
	}
	for _, name := range alone.Components[0] {
		p, q := whole.Players[whole.place[name]], alone.Players[alone.place[name]]
		if !sameNumber(p.Elo, q.Elo) || !sameNumber(p.Error, q.Error) || !sameNumber(p.LOSNext, q.LOSNext) || p.Elo == nil {
			t.Fatalf("%s: %+v in the whole, %+v alone", name, p, q)
		}
		for _, other := range alone.Components[0] {
			elo1, e1, los1, ok1 := whole.Compare(name, other)
			elo2, e2, los2, ok2 := alone.Compare(name, other)
			prob1, _ := whole.predict(name, other)
			prob2, _ := alone.predict(name, other)
			if ok1 != ok2 || !near(elo1, elo2, 1e-9) || !near(e1, e2, 1e-9) || !near(los1, los2, 1e-9) {
				t.Fatalf("%s and %s: %g +- %g, LOS %g in the whole; %g +- %g, %g alone", name, other, elo1, e1, los1, elo2, e2, los2)
			}
			for k := range prob1 {
				if !near(prob1[k], prob2[k], 1e-12) {
					t.Fatalf("%s and %s: predicted %v in the whole, %v alone", name, other, prob1, prob2)
				}
			}
		}
	}
	f := whole.fits[c]
	if !sameNumber(f.Advantage, alone.Advantage) || !sameNumber(f.AdvantageError, alone.AdvantageError) ||
		!near(f.DrawElo, alone.DrawElo, 1e-9) || !near(f.LogLikelihood, alone.LogLikelihood, 1e-9) {
		t.Fatalf("%v: fit %+v in the whole; advantage %v, draws %g, log-likelihood %g alone", f.Bots, *f, alone.Advantage, alone.DrawElo, alone.LogLikelihood)
	}
}

// What the games do not bound is held in the piece if they do not, alone.
func TestPriorsHoldOnePieceAlone(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		note  string
	}{
		{"the first side always wins", repeat(5, "x-y 1", "y-x 1"), "in {x, y}: the games do not bound the side advantage"},
		{"only draws", repeat(5, "x-y =", "y-x ="), "in {x, y}: the games do not bound how likely draws are"},
		{"sides never swap", repeat(5, "x-y 1", "x-y 0"), "in {x, y}: the games cannot tell the side advantage"},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := rate(t, games(t, join(level, c.lines)...), Options{})
			for _, bots := range [][]string{{"b", "c"}, {"x", "y"}} {
				asAlone(t, table, player(t, table, bots[0]).Component, rate(t, subset(t, games(t, join(level, c.lines)...), bots), Options{}))
			}
			if notes := strings.Join(table.Notes, "\n"); !strings.Contains(notes, c.note) {
				t.Errorf("notes %q do not say %q", notes, c.note)
			}
		})
	}
}

// Any pool, however lopsided, gives finite numbers. Where nothing holds a parameter by a
// prior the fit is a maximum: points are matched. Each of its pieces is as if rated alone,
// and a bound is where the sweep of a piece had probability 1/2.
func TestAnyPool(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &Results{}
		n := rapid.IntRange(2, 9).Draw(t, "bots")
		for range rapid.IntRange(1, 25).Draw(t, "games") {
			i := rapid.IntRange(0, n-1).Draw(t, "first")
			j := (i + rapid.IntRange(1, n-1).Draw(t, "second")) % n
			r.mustAdd(i, j, Score(rapid.IntRange(0, 2).Draw(t, "score")), int64(rapid.IntRange(0, 3).Draw(t, "pair")))
		}
		o := Options{
			Pairs: rapid.Bool().Draw(t, "pairs"), NoAdvantage: rapid.Bool().Draw(t, "no advantage"),
			Prior: rapid.SampledFrom([]float64{0, 0, 400}).Draw(t, "prior"),
		}
		table, err := Rate(r, o)
		if err != nil {
			t.Fatal(err)
		}
		sound(t, table)
		if !strings.Contains(strings.Join(table.Notes, ""), "prior") {
			matched(t, r, table)
		}
		boundsAreEven(t, r, table)
		sum, most := 0.0, 0
		for c, bots := range table.Components {
			if len(bots) == 1 {
				continue
			}
			alone, err := Rate(subset(t, r, bots), o)
			if err != nil {
				t.Fatal(err)
			}
			asAlone(t, table, c, alone)
			sum, most = sum+alone.LogLikelihood, max(most, alone.Games)
			if f := table.fits[c]; f.Games != alone.Games || !slices.Equal(f.Bots, bots) {
				t.Fatalf("fit of %v from %d games, want %v from %d", f.Bots, f.Games, bots, alone.Games)
			}
		}
		if !near(table.LogLikelihood, sum, 1e-9) || most > 0 && (table.main.Games != most || !sameNumber(table.Advantage, table.main.Advantage)) {
			t.Fatalf("log-likelihood %g, the sum is %g; the table stands for %d games, the most are %d", table.LogLikelihood, sum, table.main.Games, most)
		}
		for _, p := range table.Players {
			for _, q := range table.Players {
				if _, _, _, ok := table.Compare(p.Name, q.Name); ok != (p.Name != q.Name && p.Component == q.Component) {
					t.Fatalf("%s and %s of pieces %d and %d: compared %v", p.Name, q.Name, p.Component, q.Component, ok)
				}
			}
		}
	})
}

// matched fails where bots are expected to make other points than they made.
func matched(t *rapid.T, r *Results, table *Table) {
	points, want := map[string]float64{}, map[string]float64{}
	for _, g := range gamesOf(r) {
		if p, ok := table.predict(g.First, g.Second); ok {
			points[g.First] += p[Win] + p[Draw]/2
			points[g.Second] += p[Loss] + p[Draw]/2
			want[g.First] += g.Score.Points()
			want[g.Second] += 1 - g.Score.Points()
		}
	}
	for name := range want {
		if !near(points[name], want[name], 1e-6) {
			t.Fatalf("%s: %g points expected, %g made; notes %q", name, points[name], want[name], table.Notes)
		}
	}
}

func boundsAreEven(t *rapid.T, r *Results, table *Table) {
	for _, p := range table.Players {
		for _, b := range p.Bounds {
			f, swept, games := table.scaleOf(b.Component), 1.0, 0
			for _, g := range gamesOf(r) {
				side := 1.0
				if g.Second == p.Name {
					g.First, g.Second, g.Score, side = g.Second, g.First, g.Score.Swap(), -1
				}
				want := map[string]Score{"lower": Win, "upper": Loss}[b.Kind]
				q := table.Players[table.place[g.Second]]
				if g.First != p.Name || q.Component != b.Component || g.Score != want {
					continue
				}
				elo := 0.0
				if q.Elo != nil {
					elo = *q.Elo
				}
				prob, _ := davidson((b.Elo-elo)/f.scale+side*f.advantage, f.v)
				swept *= prob[want]
				games++
			}
			if games != b.Games || !near(swept, 0.5, 1e-6) {
				t.Fatalf("%s: %+v is from %d games, a sweep of probability %g there", p.Name, b, games, swept)
			}
		}
	}
}

// The side advantage that Cycles takes out is that of the bots' own piece.
func TestCyclesGoByTheAdvantageOfTheirPiece(t *testing.T) {
	// First sides win 80 %: with equals r, s, p that never swap sides in a circle,
	// the wins are the side's, not the bots'.
	var lines []string
	for _, pair := range []string{"r-s", "s-p", "p-r"} {
		lines = join(lines, repeat(48, pair+" 1"), repeat(12, pair+" 0"))
	}
	// Some with sides swapped, so that the advantage is known well.
	for _, pair := range []string{"s-r", "p-s", "r-p"} {
		lines = join(lines, repeat(16, pair+" 1"), repeat(4, pair+" 0"))
	}
	alone := games(t, lines...)
	if c := Cycles(alone, rate(t, alone, Options{})); len(c) != 0 {
		t.Fatalf("cycles of the side that moves first: %v", c)
	}
	g := rng(23)
	big := newWorld(g, 4, 50, -300, 1).randomGames(g, 2000)
	put(t, alone, "z", big)
	if c := Cycles(alone, rate(t, alone, Options{})); len(c) != 0 {
		t.Errorf("cycles by the advantage of another piece: %v", c)
	}
	circle := games(t, repeat(20, "r-s 1", "s-r 0", "s-p 1", "p-s 0", "p-r 1", "r-p 0")...)
	put(t, circle, "z", big)
	if c := Cycles(circle, rate(t, circle, Options{})); len(c) != 1 {
		t.Errorf("cycles beside another piece: %v", c)
	}
}

// Choosing pairings in a table of pieces keeps to the largest and leaves the
// table as it was.
func TestChooserAmongPieces(t *testing.T) {
	g := rng(24)
	r := &Results{}
	put(t, r, "x", newWorld(g, 3, 50, 100, 1).randomGames(g, 200))
	put(t, r, "y", newWorld(g, 5, 50, -100, 1).randomGames(g, 200))
	table := rate(t, r, Options{})
	before := fmt.Sprintf("%v %v", table.fits[0].cov, table.fits[1].cov)
	c, err := NewChooser(Information, 1)
	if err != nil {
		t.Fatal(err)
	}
	underWay := [][2]string{{"xbot0", "xbot1"}, {"xbot0", "ybot1"}}
	for range 10 {
		a, b, err := c.Next(table, underWay...)
		if err != nil || a[0] != 'y' || b[0] != 'y' {
			t.Fatalf("%s-%s, %v", a, b, err)
		}
		underWay = append(underWay, [2]string{a, b})
	}
	after := table.foresee(underWay)
	for _, pair := range [][2]string{{"xbot0", "xbot1"}, underWay[2]} {
		_, e1, _, _ := table.Compare(pair[0], pair[1])
		_, e2, _, _ := after.Compare(pair[0], pair[1])
		if e2 >= e1 {
			t.Errorf("%v: error %g before, %g foreseen", pair, e1, e2)
		}
	}
	if got := fmt.Sprintf("%v %v", table.fits[0].cov, table.fits[1].cov); got != before {
		t.Error("foresight changed the table")
	}
}
