package rating

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// games writes results down: "a-b 1", "a-b 0", "a-b =", a moving first.
func games(t interface{ Fatal(...any) }, lines ...string) *Results {
	r := &Results{}
	for _, line := range lines {
		names, score, _ := strings.Cut(line, " ")
		first, second, _ := strings.Cut(names, "-")
		s, ok := map[string]Score{"1": Win, "0": Loss, "=": Draw}[score]
		if !ok {
			t.Fatal("bad line", line)
		}
		if err := r.Add(Game{First: first, Second: second, Score: s}); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func repeat(n int, lines ...string) []string {
	var out []string
	for range n {
		out = append(out, lines...)
	}
	return out
}

func join(parts ...[]string) []string {
	var out []string
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

func player(t *testing.T, table *Table, name string) Player {
	t.Helper()
	for _, p := range table.Players {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("no player %s", name)
	return Player{}
}

// sound fails where a number is not finite or a player has neither a rating nor
// a bound.
func sound(t interface{ Fatalf(string, ...any) }, table *Table) {
	if _, err := json.Marshal(table); err != nil { // JSON knows no NaN and no infinity
		t.Fatalf("%v", err)
	}
	for _, p := range table.Players {
		if p.Elo == nil && len(p.Bounds) == 0 {
			t.Fatalf("%s has neither a rating nor a bound", p.Name)
		}
	}
}

func rate(t *testing.T, r *Results, o Options) *Table {
	t.Helper()
	table, err := Rate(r, o)
	if err != nil {
		t.Fatal(err)
	}
	sound(t, table)
	return table
}

var level = []string{"b-c 1", "c-b 1", "b-c 0", "c-b 0", "b-c =", "c-b =", "b-c 1"}

func TestPerfectScorerHasABound(t *testing.T) {
	table := rate(t, games(t, join(level, []string{"a-b 1", "c-a 0", "a-c 1", "d-b 0"})...), Options{})
	if got := strings.Join(table.Components[0], " ") + "; " + strings.Join(table.Components[2], " "); got != "a; d" {
		t.Fatalf("components %v", table.Components)
	}
	a := player(t, table, "a")
	if a.Elo != nil || a.Error != nil || len(a.Bounds) != 1 || a.Bounds[0].Kind != "lower" || a.Bounds[0].Games != 3 {
		t.Fatalf("perfect scorer: %+v", a)
	}
	if d := player(t, table, "d"); len(d.Bounds) != 1 || d.Bounds[0].Kind != "upper" {
		t.Errorf("loser of all: %+v", d)
	}
	notes := strings.Join(table.Notes, "\n")
	for _, want := range []string{"a above {b, c} above d", "bounds instead of ratings", "a at least ", "(won all 3 against {b, c})"} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes %q do not say %q", notes, want)
		}
	}
}

func TestDegeneratePools(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		note  string // part of the notes
	}{
		{"one game", []string{"a-b 1"}, "a above b"},
		{"one draw", []string{"a-b ="}, "taken as 0"},
		{"only draws", repeat(5, "a-b =", "b-a =", "b-c =", "c-b ="), "ln v is driven by a prior"},
		{"the first side always wins", repeat(5, "a-b 1", "b-a 1", "b-c 1", "c-b 1"), "advantage (no result"},
		{"the second side always wins", repeat(5, "a-b 0", "b-a 0"), "advantage (no result"},
		{"sides never swap", repeat(5, "a-b 1", "a-b 0", "a-b ="), "cannot tell the side advantage"},
		{"wins as first, draws as second", repeat(5, "a-b 1", "b-a ="), "driven by a prior"},
		{"two pools", join(level, []string{"x-y 1", "y-x 1", "x-y 0", "y-x ="}), "nothing links"},
		{"a ladder of sweeps", []string{"a-b 1", "b-c 1", "c-d 1", "d-e 1"}, "a above b"},
		{"a circle of sweeps", repeat(9, "a-b 1", "b-a 0", "b-c 1", "c-b 0", "c-a 1", "a-c 0"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for k, o := range []Options{{}, {Pairs: true}, {NoAdvantage: true}, {Prior: 400}} {
				table := rate(t, games(t, c.lines...), o)
				if notes := strings.Join(table.Notes, "\n"); k == 0 && !strings.Contains(notes, c.note) {
					t.Errorf("notes %q do not say %q", notes, c.note)
				}
				for _, p := range table.Players {
					if p.Elo != nil && math.Abs(*p.Elo) > 3000 {
						t.Errorf("%+v: %s is rated %g", o, p.Name, *p.Elo)
					}
				}
			}
		})
	}
	if table := rate(t, &Results{}, Options{}); len(table.Players) != 0 {
		t.Error("players without games")
	}
}

func TestAnchor(t *testing.T) {
	lines := join(level, []string{"a-b 1", "b-a 1", "c-a ="})
	plain := rate(t, games(t, lines...), Options{})
	table := rate(t, games(t, lines...), Options{Anchor: &Anchor{"b", 1500}})
	b := player(t, table, "b")
	if *b.Elo != 1500 || *b.Error != 0 {
		t.Errorf("anchor at %g +- %g", *b.Elo, *b.Error)
	}
	elo, e, _, _ := plain.Compare("a", "b")
	if a := player(t, table, "a"); !near(*a.Elo-1500, elo, 1e-9) || !near(*a.Error, e, 1e-9) {
		t.Errorf("a: %g +- %g, want %g +- %g", *a.Elo, *a.Error, 1500+elo, e)
	}
	var unknown *UnknownBotError
	if _, err := Rate(games(t, "random-minimax ="), Options{Anchor: &Anchor{"minmax", 0}}); !errors.As(err, &unknown) || unknown.Nearest != "minimax" {
		t.Errorf("unknown anchor: %v", err)
	}
	var unrated *UnratedBotError
	if _, err := Rate(games(t, "a-b 1"), Options{Anchor: &Anchor{"a", 0}}); !errors.As(err, &unrated) {
		t.Errorf("anchor without a rating: %v", err)
	}
	if err := new(Results).Add(Game{First: "a", Second: "a"}); err == nil {
		t.Error("a bot against itself was taken")
	}
}

func drawPool(t *rapid.T) *Results {
	g := rng(rapid.Uint64().Draw(t, "seed"))
	n := rapid.IntRange(2, 8).Draw(t, "bots")
	w := newWorld(g, n, 150, rapid.Float64Range(-200, 200).Draw(t, "advantage"), rapid.SampledFrom([]float64{0, 1, 4}).Draw(t, "v"))
	return w.randomGames(g, 60*n)
}

// same fails where two tables differ in more than rounding; factor is what b's
// errors are to be multiplied with, flip what b's advantage is.
func same(t *rapid.T, a, b *Table, factor, flip float64) {
	for _, p := range a.Players {
		q := b.Players[b.place[p.Name]]
		if (p.Elo == nil) != (q.Elo == nil) {
			t.Fatalf("%s: rated in one only", p.Name)
		}
		if p.Elo != nil && (!near(*p.Elo, *q.Elo, 1e-5) || !near(*p.Error, *q.Error*factor, 1e-5)) {
			t.Fatalf("%s: %g +- %g and %g +- %g", p.Name, *p.Elo, *p.Error, *q.Elo, *q.Error)
		}
	}
	if (a.Advantage == nil) != (b.Advantage == nil) {
		t.Fatalf("advantage fitted in one only")
	}
	if a.Advantage != nil && (!near(*a.Advantage, flip**b.Advantage, 1e-5) || !near(*a.AdvantageError, factor**b.AdvantageError, 1e-5)) {
		t.Fatalf("advantage %g +- %g and %g +- %g", *a.Advantage, *a.AdvantageError, *b.Advantage, *b.AdvantageError)
	}
}

func TestRateProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawPool(t)
		base, err := Rate(r, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(strings.Join(base.Notes, ""), "prior") {
			return // a prior is not data: it is not doubled
		}
		variant := func(change func(g Game) []Game, reverse bool) *Table {
			out := &Results{}
			all := gamesOf(r)
			for k := range all {
				g := all[k]
				if reverse {
					g = all[len(all)-1-k]
				}
				for _, x := range change(g) {
					if err := out.Add(x); err != nil {
						t.Fatal(err)
					}
				}
			}
			table, err := Rate(out, Options{})
			if err != nil {
				t.Fatal(err)
			}
			return table
		}
		same(t, base, variant(func(g Game) []Game { return []Game{g} }, true), 1, 1)
		same(t, base, variant(func(g Game) []Game { return []Game{g, g} }, false), math.Sqrt2, 1)
		// What was the first side is now the second.
		same(t, base, variant(func(g Game) []Game { return []Game{{g.Second, g.First, g.Score.Swap(), 0}} }, false), 1, -1)
		// Every result turned round turns the ratings round.
		turned := variant(func(g Game) []Game { g.Score = g.Score.Swap(); return []Game{g} }, false)
		for _, p := range base.Players {
			if q := turned.Players[turned.place[p.Name]]; p.Elo != nil && !near(*p.Elo, -*q.Elo, 1e-5) {
				t.Fatalf("%s: %g, turned round %g", p.Name, *p.Elo, *q.Elo)
			}
		}
		// Names are only names.
		renamed := variant(func(g Game) []Game { g.First, g.Second = "z"+g.First, "z"+g.Second; return []Game{g} }, false)
		for i, p := range base.Players {
			if q := renamed.Players[i]; "z"+p.Name != q.Name {
				t.Fatalf("place %d: %s, renamed %s", i, p.Name, q.Name)
			}
		}
	})
}

// Nominal 95 % intervals must hold the truth in 93.5 to 96.5 % of all cases.
func TestCoverage(t *testing.T) { coverage(t, 200) }

func coverage(t *testing.T, runs int) {
	for _, c := range []struct {
		name  string
		bots  int
		games int
		a, v  float64
		pairs bool
	}{
		{"draws", 8, 800, 0, 2, false},
		{"advantage", 8, 800, 120, 1, false},
		{"pairs", 6, 1800, 40, 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := rng(uint64(c.games + c.bots))
			w := newWorld(g, c.bots, 120, c.a, c.v)
			var covered, total, naive, aCovered float64
			for range runs {
				r := &Results{}
				for k := range c.games / 2 {
					i := g.IntN(c.bots)
					j := (i + 1 + g.IntN(c.bots-1)) % c.bots
					one := g.Float64()
					other := g.Float64()
					// An opening that favours one side: in half of the pairs both
					// first sides have the same luck, while each game by itself is
					// as the model says.
					if c.pairs && g.IntN(2) == 0 {
						other = one
					}
					r.mustAdd(i, j, w.score(one, i, j), int64(k+1))
					r.mustAdd(j, i, w.score(other, j, i), int64(k+1))
				}
				table, err := Rate(r, Options{Pairs: c.pairs})
				if err != nil {
					t.Fatal(err)
				}
				plain := table
				if c.pairs {
					if plain, err = Rate(r, Options{}); err != nil {
						t.Fatal(err)
					}
				}
				for i, elo := range w.elo {
					p, q := table.Players[table.place[botName(i)]], plain.Players[plain.place[botName(i)]]
					total++
					truth := elo * perElo * table.main.scale
					if math.Abs(*p.Elo-truth) <= *p.Error {
						covered++
					}
					if math.Abs(*q.Elo-truth) <= *q.Error {
						naive++
					}
				}
				if math.Abs(*table.Advantage-c.a*perElo*table.main.scale) <= *table.AdvantageError {
					aCovered++
				}
			}
			t.Logf("ratings %.4f (as independent games %.4f), advantage %.4f", covered/total, naive/total, aCovered/float64(runs))
			if !near(covered/total, 0.95, 0.015) {
				t.Errorf("intervals cover %.4f, want 0.935 to 0.965", covered/total)
			}
			if c.pairs && naive/total < 0.97 {
				t.Errorf("games of a pair taken as independent cover %.4f: the pairs here do not depend on each other, and test nothing", naive/total)
			}
		})
	}
}
