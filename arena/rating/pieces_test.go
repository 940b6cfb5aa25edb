package rating

import (
	"fmt"
	"math"
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
			prob1, _ := whole.Predict(name, other)
			prob2, _ := alone.Predict(name, other)
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

func TestPiecesAreRatedByThemselves(t *testing.T) {
	g := rng(21)
	paired := func(w world, games int) *Results {
		r := &Results{}
		for k := range games / 2 {
			i := g.IntN(len(w.elo))
			j := (i + 1 + g.IntN(len(w.elo)-1)) % len(w.elo)
			r.mustAdd(i, j, w.score(g.Float64(), i, j), int64(k+1))
			r.mustAdd(j, i, w.score(g.Float64(), j, i), int64(k+1))
		}
		return r
	}
	one := paired(newWorld(g, 5, 150, 120, 1), 600)
	other := paired(newWorld(g, 7, 100, -200, 0), 900) // without draws
	both := &Results{}
	put(t, both, "x", one)
	put(t, both, "y", other)
	for _, o := range []Options{{}, {Pairs: true}, {NoAdvantage: true}} {
		table := rate(t, both, o)
		if len(table.Components) != 2 || len(table.Fits) != 2 {
			t.Fatalf("%+v: components %v, %d fits", o, table.Components, len(table.Fits))
		}
		sum := 0.0
		for c, prefix := range []string{"x", "y"} {
			part := &Results{}
			put(t, part, prefix, map[string]*Results{"x": one, "y": other}[prefix])
			if table.Components[0][0][0] == 'y' {
				c = 1 - c
			}
			alone := rate(t, part, o)
			asAlone(t, table, c, alone)
			sum += alone.LogLikelihood
			if f := table.Fits[c]; f.Games != part.Len() || !slices.Equal(f.Bots, table.Components[c]) {
				t.Errorf("%+v: fit of %v from %d games, want %v from %d", o, f.Bots, f.Games, table.Components[c], part.Len())
			}
			if prefix == "x" {
				continue
			}
			// The table's own are those of the piece with the most games.
			if !sameNumber(table.Advantage, alone.Advantage) || !sameNumber(table.AdvantageError, alone.AdvantageError) || table.DrawElo != 0 {
				t.Errorf("%+v: the table's advantage is not that of the larger piece", o)
			}
		}
		if !near(table.LogLikelihood, sum, 1e-9) {
			t.Errorf("%+v: log-likelihood %.12g, the sum is %.12g", o, table.LogLikelihood, sum)
		}
		if _, _, _, ok := table.Compare("xbot0", "ybot0"); ok {
			t.Errorf("%+v: bots of different pieces were compared", o)
		}
		if note := strings.Contains(strings.Join(table.Notes, "\n"), "each piece has a side advantage of its own: {ybot"); note == o.NoAdvantage {
			t.Errorf("%+v: notes %q", o, table.Notes)
		}
	}
	// The true advantages are 320 apart: shared, they could not both be near.
	table := rate(t, both, Options{})
	for _, f := range table.Fits {
		want := map[byte]float64{'x': 120, 'y': -200}[f.Bots[0][0]] * f.scale * perElo
		if math.Abs(*f.Advantage-want) > 2**f.AdvantageError {
			t.Errorf("%v: advantage %g +- %g, the truth is %g", f.Bots, *f.Advantage, *f.AdvantageError, want)
		}
	}
}

// Single bots above and below and a small piece beside it leave a large piece as
// it is, and bounds are on the scale of the piece that they are against.
func TestALargePieceIsNotMovedByItsSurroundings(t *testing.T) {
	g := rng(22)
	r, giant := &Results{}, &Results{}
	put(t, giant, "g", newWorld(g, 20, 150, 60, 1).randomGames(g, 3000))
	small := games(t, repeat(3, "s-t 0", "s-t 0", "t-s 0", "s-t 1", "t-s 1", "t-s =")...)
	put(t, r, "", games(t, "top-gbot1 1", "gbot2-top 0", "top-s 1", "top-s 1", "t-top 0", "t-top 0"))
	put(t, r, "", giant)
	put(t, r, "", small)
	put(t, r, "", games(t, "gbot3-low 1", "low-gbot4 0", "low-gbot5 0", "top-low 1"))
	table := rate(t, r, Options{})
	if len(table.Components) != 4 || len(table.Fits) != 2 {
		t.Fatalf("components %v", table.Components)
	}
	asAlone(t, table, player(t, table, "gbot0").Component, rate(t, giant, Options{}))
	asAlone(t, table, player(t, table, "s").Component, rate(t, small, Options{}))
	if f := table.fits[player(t, table, "gbot0").Component]; f != table.main || f.Games != giant.Len() {
		t.Errorf("the table stands for %v", table.main.Bots)
	}
	top := player(t, table, "top")
	if len(top.Bounds) != 1 || top.Bounds[0].Games != 4 || top.Bounds[0].Component != player(t, table, "s").Component {
		t.Fatalf("bounds of the perfect scorer: %+v", top.Bounds)
	}
	// At the bound the sweep of the small piece has probability 1/2 by its fit.
	f, p := table.fits[top.Bounds[0].Component], 1.0
	for _, m := range []struct {
		name string
		side float64
	}{{"s", 1}, {"s", 1}, {"t", -1}, {"t", -1}} {
		prob, _ := davidson((top.Bounds[0].Elo-*player(t, table, m.name).Elo)/f.scale+m.side*f.advantage, f.v)
		p *= prob[Win]
	}
	if !near(p, 0.5, 1e-9) {
		t.Errorf("sweep has probability %g at the bound", p)
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

// Any pool: each of its pieces is as if rated alone.
func TestAnyPieceIsAsAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &Results{}
		n := rapid.IntRange(2, 9).Draw(t, "bots")
		for range rapid.IntRange(1, 25).Draw(t, "games") {
			i := rapid.IntRange(0, n-1).Draw(t, "first")
			j := (i + rapid.IntRange(1, n-1).Draw(t, "second")) % n
			r.mustAdd(i, j, Score(rapid.IntRange(0, 2).Draw(t, "score")), int64(rapid.IntRange(0, 3).Draw(t, "pair")))
		}
		o := Options{Pairs: rapid.Bool().Draw(t, "pairs")}
		table, err := Rate(r, o)
		if err != nil {
			t.Fatal(err)
		}
		sound(t, table)
		for c, bots := range table.Components {
			if len(bots) == 1 {
				continue
			}
			alone, err := Rate(subset(t, r, bots), o)
			if err != nil {
				t.Fatal(err)
			}
			asAlone(t, table, c, alone)
		}
	})
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
