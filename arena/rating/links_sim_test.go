package rating

import (
	"math"
	"math/rand/v2"
	"testing"
)

// lines are versions of bots: number bot*versions+version.
type lines struct {
	world
	versions int // of each bot
}

// newLines draws versions that differ from those before them as by N(0, spread²).
func newLines(g *rand.Rand, count, versions int, spread float64) lines {
	l := lines{newWorld(g, count*versions, 150, 30, 0.6), versions}
	for i := range l.elo {
		if i%versions > 0 {
			l.elo[i] = l.elo[i-1] + spread*g.NormFloat64()/l.scale()
		}
	}
	return l
}

// scale returns the Elo on the score scale for one of the world's.
func (l lines) scale() float64 { return 2 / (2 + l.v) }

func (l lines) links() (links []Link) {
	for i := range l.elo {
		if i%l.versions > 0 {
			links = append(links, Link{botName(i - 1), botName(i)})
		}
	}
	return links
}

// enter adds games of a bot in pairs, their numbers from one on, against bots of other
// lines below number most; an odd last game is single.
func (l lines) enter(rng *rand.Rand, r *Results, bot, most, games, from int) {
	for k := 0; k < games; k += 2 {
		other := rng.IntN(most)
		for other/l.versions == bot/l.versions {
			other = rng.IntN(most)
		}
		r.mustAdd(bot, other, l.score(rng.Float64(), bot, other), int64(from+k+1))
		if k+1 < games {
			r.mustAdd(other, bot, l.score(rng.Float64(), other, bot), int64(from+k+1))
		}
	}
}

// newVersion draws a pool of 8 bots with 4 versions each that have some 400 games, but for
// the last one: it has so few, and is stronger than the one before it by jump or, if that is
// NaN, as any other version. It returns the pool, its results and how far above the mean of
// the others the new version truly is.
func newVersion(seed uint64, games int, jump, spread float64) (l lines, r *Results, truth float64) {
	g := rng(seed<<20 + uint64(games))
	l, r = newLines(g, 8, 4, spread), &Results{}
	last := len(l.elo) - 1
	if !math.IsNaN(jump) {
		l.elo[last] = l.elo[last-1] + jump/l.scale()
	}
	truth = l.elo[last] * l.scale()
	for i := range last {
		l.enter(g, r, i, last, 200, i*1000)
		truth -= l.elo[i] * l.scale() / float64(last)
	}
	l.enter(g, r, last, last, games, last*1000)
	return l, r, truth
}

// missed returns how far a new version's rating above the mean of the others is from the
// truth, and whether its interval holds that.
func missed(t *testing.T, r *Results, o Options, bot string, truth float64) (off float64, held bool, spread float64) {
	t.Helper()
	table, err := Rate(r, o)
	if err != nil {
		t.Fatal(err)
	}
	p := table.Players[table.place[bot]]
	n := float64(len(table.Players))
	share := n / (n - 1) // of the distance to the mean of all
	if table.Links != nil {
		spread = table.Links.Spread
	}
	off = *p.Elo*share - truth
	return off, math.Abs(off) <= *p.Error*share, spread
}

// A new version's rating after few games is nearer to the truth with links than without,
// and its interval as right.
func TestLinksHelpNewVersions(t *testing.T) {
	t.Parallel()
	const worlds, games, spread = 20, 10, 25.0
	plain, linked, held, mean := 0.0, 0.0, 0, 0.0
	for seed := range uint64(worlds) {
		l, r, truth := newVersion(seed, games, math.NaN(), spread)
		name := botName(len(l.elo) - 1)
		off, _, _ := missed(t, r, Options{Pairs: true, PriorIfApart: UsualPrior}, name, truth)
		plain += off * off / worlds
		off, in, s := missed(t, r, Options{Pairs: true, PriorIfApart: UsualPrior, Links: l.links()}, name, truth)
		linked += off * off / worlds
		mean += s / worlds
		if in {
			held++
		}
	}
	if plain, linked := math.Sqrt(plain), math.Sqrt(linked); linked > 0.6*plain || held < 16 || !near(mean, spread, 5) {
		t.Errorf("error %.0f Elo without links, %.0f with; %d of %d intervals hold; s = %.1f", plain, linked, held, worlds, mean)
	}
}
