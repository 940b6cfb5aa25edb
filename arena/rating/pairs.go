package rating

import (
	"slices"

	"botarena/arena/rating/sprt"
)

// A HeadToHead is the games of two bots, counted from the view of the first.
type HeadToHead struct {
	Games     sprt.Trinomial
	AsFirst   sprt.Trinomial // where it moved first (in games with roles: had that role)
	AsSecond  sprt.Trinomial
	Pairs     sprt.Pentanomial
	Unpaired  int // games that are in no complete pair
	DrawnWon  int // pairs of one point each that are a win and a loss ...
	DrawnDraw int // ... and those that are two draws
}

// HeadToHead counts the games of a against b; all is 0 if they have not met.
func (r *Results) HeadToHead(a, b string) HeadToHead {
	var h HeadToHead
	i, okA := r.index[a]
	j, okB := r.index[b]
	if !okA || !okB {
		return h
	}
	h.count(r.games, 1, i, j)
	for k := range r.single {
		for _, c := range r.single[k].clusters() {
			h.count(c.games, c.times, i, j)
		}
	}
	for _, c := range r.groups {
		games := slices.Clone(c.games)
		for k := range games {
			games[k].pair = 1
		}
		h.count(games, c.times, i, j)
	}
	return h
}

// count adds the games between bots i and j, so many times.
func (h *HeadToHead) count(games []compact, times int, i, j int32) {
	open := map[int64]compact{}
	for _, g := range games {
		view := g.score
		switch {
		case g.first == i && g.second == j:
			h.AsFirst[view] += times
		case g.first == j && g.second == i:
			view = view.Swap()
			h.AsSecond[view] += times
		default:
			continue
		}
		h.Games[view] += times
		g.score = view
		one, ok := open[g.pair]
		if g.pair == 0 || !ok || one.first == g.first {
			h.Unpaired += times
			if g.pair != 0 {
				open[g.pair] = g
			}
			continue
		}
		delete(open, g.pair)
		h.Unpaired -= times
		h.Pairs[one.score+view] += times
		if one.score+view == 2 {
			if view == Draw {
				h.DrawnDraw += times
			} else {
				h.DrawnWon += times
			}
		}
	}
}
