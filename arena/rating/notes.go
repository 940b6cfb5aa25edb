package rating

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// bounds computes, for each bot that is a component of its own, a bound against each
// component that it swept: at most one of each kind, against the component with which
// it played most (the first of equals), by that component's fit; against another single
// bot, by the table's.
func (p *pool) bounds(r *Results, t *Table) {
	type kind struct {
		bot int32
		won bool
	}
	met := map[kind]map[int32][]meeting{} // by component
	add := func(bot, other int32, won bool, n, side float64) {
		if n == 0 || p.slot[bot] >= 0 || p.of[bot] == p.of[other] {
			return
		}
		f := t.scaleOf(int(p.of[other]))
		rating := 0.0
		if q := t.Players[t.place[r.names[other]]]; q.Elo != nil {
			rating = *q.Elo / f.scale
		}
		key := kind{bot, won}
		if met[key] == nil {
			met[key] = map[int32][]meeting{}
		}
		met[key][p.of[other]] = append(met[key][p.of[other]], meeting{rating, side * f.advantage, n})
	}
	for _, y := range p.tallies {
		add(y.first, y.second, true, y.n[Win], 1)
		add(y.first, y.second, false, y.n[Loss], 1)
		add(y.second, y.first, true, y.n[Loss], -1)
		add(y.second, y.first, false, y.n[Win], -1)
	}
	for bot := range r.names {
		q := &t.Players[t.place[r.names[bot]]]
		for _, won := range []bool{true, false} {
			best := Bound{Kind: "upper"}
			if won {
				best.Kind = "lower"
			}
			list := met[kind{int32(bot), won}]
			for c, games := range list {
				n := 0.0
				for _, m := range games {
					n += m.games
				}
				if int(n) > best.Games || (int(n) == best.Games && int(c) < best.Component) {
					best.Games, best.Component = int(n), int(c)
				}
			}
			if best.Games > 0 {
				f := t.scaleOf(best.Component)
				best.Elo = evenSweep(list[int32(best.Component)], won, f.v) * f.scale
				q.Bounds = append(q.Bounds, best)
			}
		}
	}
}

// scaleOf returns the fit on whose scale bounds against a component are.
func (t *Table) scaleOf(component int) *Fit {
	if f := t.fits[component]; f != nil {
		return f
	}
	return t.main
}

// meeting is so many games against an opponent, with the advantage that the bot
// itself had, in units of x.
type meeting struct{ rating, advantage, games float64 }

// evenSweep returns the rating, in units of x, at which winning (or losing) all
// these games has probability 1/2.
func evenSweep(games []meeting, won bool, v float64) float64 {
	short := func(r float64) float64 { // rises where won, falls where lost
		ll := math.Ln2
		for _, m := range games {
			// The logarithm of the probability itself loses its digits far out.
			x := r - m.rating + m.advantage
			if !won {
				x = -x
			}
			_, z := davidson(x, v)
			ll += m.games * (x/2 - logarithm(x, z))
		}
		return ll
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, m := range games {
		low, high = min(low, m.rating-m.advantage), max(high, m.rating-m.advantage)
	}
	for step := 1.0; (short(low) > 0) == (short(high) > 0); step *= 2 {
		low, high = low-step, high+step
	}
	for range 200 {
		mid := (low + high) / 2
		if (short(mid) > 0) == won {
			high = mid
		} else {
			low = mid
		}
	}
	return (low + high) / 2
}

// notes explains in words what the numbers leave out.
func (p *pool) notes(t *Table, o Options, apart string) {
	say := func(format string, args ...any) { t.Notes = append(t.Notes, fmt.Sprintf(format, args...)) }
	// of says something of the pieces for which it holds, by name where these are
	// not all that are rated.
	of := func(holds func(*piece) bool, what string) {
		var names []string
		rated := 0
		for c, q := range p.pieces {
			if q == nil {
				continue
			}
			rated++
			if holds(q) {
				names = append(names, t.label(c))
			}
		}
		switch len(names) {
		case 0:
		case rated:
			say("%s", what)
		default:
			say("in %s: %s", strings.Join(some(names), ", "), what)
		}
	}
	switch {
	case apart != "":
		say("some won or lost all their games against others, so far: ratings are drawn to the middle (a prior of ±%g Elo) and will move with more games", o.Prior)
		t.Detail = append(t.Detail, "without the prior these cannot be compared: "+apart)
	case o.Prior > 0:
		say("driven by a prior: each rating is drawn to 0 as by N(0, %g^2)", o.Prior)
	}
	of(func(q *piece) bool { return !o.NoAdvantage && !q.known },
		"the games cannot tell the side advantage from strength (no two bots met with sides swapped): taken as 0")
	of(func(q *piece) bool { return q.problem.holdAdvantage },
		"the games do not bound the side advantage (no result speaks against it): driven by a prior N(0, 400^2)")
	of(func(q *piece) bool { return q.problem.holdDraws },
		"the games do not bound how likely draws are: ln v is driven by a prior N(0, (ln 10)^2), as 400 Elo")
	of(func(q *piece) bool { return q.few > 0 },
		fmt.Sprintf("errors are from games, as if these were independent: %s", p.fewPairs()))
	if len(p.list) > 1 {
		own := ""
		if advantages := t.advantages(); advantages != nil {
			own = "; each piece has a side advantage of its own: " + strings.Join(some(advantages), ", ")
		}
		groups := fmt.Sprintf("the pool is in %d pieces", len(p.list))
		switch p.pools {
		case 1:
		case len(p.list):
			groups = fmt.Sprintf("no games link the %d pools", p.pools)
		default:
			groups = fmt.Sprintf("the %d pools are in %d pieces", p.pools, len(p.list))
		}
		say("%s, each rated around its own mean: %s%s", groups, strings.Join(some(p.relations(t.label)), "; "), own)
	}
	var idle, bounds []string
	for _, q := range t.Players {
		if q.Games == 0 {
			idle = append(idle, q.Name)
		}
		for _, b := range q.Bounds {
			what, than := "won", "at least"
			if b.Kind == "upper" {
				what, than = "lost", "at most"
			}
			bounds = append(bounds, fmt.Sprintf("%s %s %+.0f (%s all %d against %s)", q.Name, than, math.Round(b.Elo)+0, what, b.Games, t.label(b.Component)))
		}
	}
	if idle != nil {
		say("without a game: %s", strings.Join(some(idle), ", "))
	}
	if bounds != nil {
		say("bounds instead of ratings, on the scale of those met: %s", strings.Join(some(bounds), "; "))
	}
}

// advantages describes the side advantage of each piece if several are rated and one
// has any; the table's own comes first.
func (t *Table) advantages() []string {
	var out []string
	fitted := false
	for c, f := range t.fits {
		if f == nil || len(t.Fits) < 2 {
			continue
		}
		line := t.label(c) + " none"
		if f.Advantage != nil {
			fitted = true
			line = fmt.Sprintf("%s %+.0f ± %.0f", t.label(c), math.Round(*f.Advantage)+0, *f.AdvantageError)
		}
		if f == t.main {
			out = slices.Insert(out, 0, line+" (the table's: it has the most games)")
		} else {
			out = append(out, line)
		}
	}
	if !fitted {
		return nil
	}
	return out
}

// some joins a list for a note, shortened.
func some(list []string) []string {
	const most = 8
	if len(list) <= most {
		return list
	}
	return append(list[:most-1:most-1], fmt.Sprintf("and %d more", len(list)-most+1))
}

// relations describes the order of the pieces: for each the next ones below without a
// third between, or that nothing links it.
func (p *pool) relations(label func(c int) string) []string {
	n := len(p.list)
	if n > 200 {
		return []string{"too many to list"}
	}
	beats := make([][]bool, n)
	for c := range beats {
		beats[c] = make([]bool, n)
	}
	for _, y := range p.tallies {
		a, b := p.of[y.first], p.of[y.second]
		if a != b { // the order of components is that of the results already
			beats[min(a, b)][max(a, b)] = true
		}
	}
	for k := range n { // transitive closure
		for a := range k {
			for b := k + 1; b < n; b++ {
				beats[a][b] = beats[a][b] || (beats[a][k] && beats[k][b])
			}
		}
	}
	var names []string
	whole := true // each piece is above the next
	for c := range n {
		names = append(names, label(c))
		whole = whole && (c == 0 || beats[c-1][c])
	}
	if whole {
		return []string{strings.ReplaceAll(strings.Join(some(names), " above "), "above and ", "above ")}
	}
	var out []string
	linked := make([]bool, n)
	for a := range n {
		var below []string
		for b := a + 1; b < n; b++ {
			direct := beats[a][b]
			for k := a + 1; k < b && direct; k++ {
				direct = !beats[a][k] || !beats[k][b]
			}
			if direct {
				below = append(below, names[b])
				linked[a], linked[b] = true, true
			}
		}
		if len(below) > 0 {
			out = append(out, names[a]+" above "+strings.Join(below, " and "))
		}
	}
	for c := range n {
		if !linked[c] {
			out = append(out, "nothing links "+names[c]+" to the others")
		}
	}
	return out
}

// apart describes the components of the results, and their order.
func (p *pool) apart(r *Results) string {
	return strings.Join(some(p.relations(func(c int) string {
		var names []string
		for _, i := range p.list[c] {
			names = append(names, r.names[i])
		}
		slices.Sort(names)
		return labelOf(names)
	})), "; ")
}

// fewPairs explains why errors could not be computed from pairs, "" if they could.
func (p *pool) fewPairs() string {
	for _, q := range p.pieces {
		switch {
		case q == nil || q.few == 0:
		case q.few > q.problem.size():
			return "a parameter is not bounded"
		case q.few == 1:
			return fmt.Sprintf("1 pair is too few for %d parameters", q.problem.size())
		default:
			return fmt.Sprintf("%d pairs are too few for %d parameters", q.few, q.problem.size())
		}
	}
	return ""
}

// label names a component by its bots.
func (t *Table) label(c int) string { return labelOf(t.Components[c]) }

func labelOf(names []string) string {
	const most = 4
	if len(names) == 1 {
		return names[0]
	}
	if len(names) > most {
		return fmt.Sprintf("{%s and %d more}", strings.Join(names[:most-1], ", "), len(names)-most+1)
	}
	return "{" + strings.Join(names, ", ") + "}"
}
