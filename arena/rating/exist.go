package rating

import "math"

// The likelihood has a finite maximum unless some direction in the space of
// parameters never lowers the probability of any result seen. Let dr, da and du
// be the direction's parts for the ratings, the advantage and ln v. A decisive
// game asks that dr(winner) - dr(loser) + s da >= 2 du, with s = 1 where the
// winner moved first and -1 otherwise; a drawn game that |dr + s da| <= 2 du; a link
// of versions that their ratings move together.
// These are difference constraints: they can be met if and only if the graph of
// the games has no negative cycle (Albert and Anderson's separation, 1984, in
// the special case of paired comparisons). With du = da = 0 there is no such
// direction inside a strongly connected component.

// demand is dr[from] - dr[to] + s*da >= b.
type demand struct {
	from, to int32
	s, b     float64
}

// demands lists what the games ask of a direction whose part for ln v is du
// (0 or 1). Where the ratings are held by a prior, all bots are one vertex.
func (p *problem) demands(du float64) []demand {
	var out []demand
	for k := range p.tallies {
		t := &p.tallies[k]
		i, j := t.first, t.second
		if p.prior > 0 {
			i, j = 0, 0
		}
		if t.n[Win] > 0 {
			out = append(out, demand{i, j, 1, 2 * du})
		}
		if t.n[Loss] > 0 {
			out = append(out, demand{j, i, -1, 2 * du})
		}
		if t.n[Draw] > 0 {
			out = append(out, demand{i, j, 1, -2 * du}, demand{j, i, -1, -2 * du})
		}
	}
	for _, l := range p.links {
		if p.prior == 0 {
			out = append(out, demand{l.older, l.newer, 0, 0}, demand{l.newer, l.older, 0, 0})
		}
	}
	return out
}

// advantageUnbounded reports whether the advantage grows without limit (sign 1)
// or falls without limit (-1) as the likelihood rises; 0 if neither.
func (p *problem) advantageUnbounded() int {
	d := p.demands(0)
	for _, sign := range []int{1, -1} {
		if _, _, ok := feasible(p.bots, d, float64(sign)); ok {
			return sign
		}
	}
	return 0
}

// drawsUnbounded reports whether v grows without limit as the likelihood rises.
func (p *problem) drawsUnbounded() bool {
	d := p.demands(1)
	da, low, high := 0.0, math.Inf(-1), math.Inf(1)
	// Each round that fails yields a cycle that cuts off the present da; there
	// are finitely many cycles, and in practice a handful of rounds.
	for range 200 {
		s, b, ok := feasible(p.bots, d, da)
		switch {
		case ok:
			return true
		case !p.advantage || s == 0:
			return false
		case s > 0:
			low = max(low, b/s)
			da = low
		default:
			high = min(high, b/s)
			da = high
		}
		if low > high+1e-9 {
			return false
		}
	}
	return false
}

// feasible is Bellman and Ford's algorithm. Where the demands cannot be met at
// da it returns the sums of s and b over a cycle that shows it.
func feasible(n int, demands []demand, da float64) (s, b float64, ok bool) {
	const tolerance = 1e-9
	dist := make([]float64, n)
	via := make([]int, n) // the demand that set dist
	for i := range via {
		via[i] = -1
	}
	for {
		changed := false
		for k, d := range demands {
			if reach := dist[d.from] + d.s*da - d.b; reach < dist[d.to]-tolerance {
				dist[d.to], via[d.to] = reach, k
				changed = true
			}
		}
		if !changed {
			return 0, 0, true
		}
		if at := cycle(demands, via); at >= 0 {
			for i := at; ; {
				d := demands[via[i]]
				s, b = s+d.s, b+d.b
				if i = d.from; i == at {
					return s, b, false
				}
			}
		}
	}
}

// cycle returns a vertex on a cycle of the predecessor graph, or -1.
func cycle(demands []demand, via []int) int32 {
	mark := make([]int, len(via))
	for start := range via {
		for i := int32(start); mark[i] == 0 || mark[i] == start+1; i = demands[via[i]].from {
			if mark[i] == start+1 {
				return i
			}
			mark[i] = start + 1
			if via[i] < 0 {
				break
			}
		}
	}
	return -1
}

// advantageKnown reports whether the games can tell the advantage from strength:
// not where every bot that moves second is one level above the bot that moves
// first, so that the advantage and the levels say the same thing.
func advantageKnown(n int, tallies []tally) bool {
	type step struct {
		to   int32
		rise int
	}
	adj := make([][]step, n)
	for _, t := range tallies {
		adj[t.first] = append(adj[t.first], step{t.second, 1})
		adj[t.second] = append(adj[t.second], step{t.first, -1})
	}
	level, seen := make([]int, n), make([]bool, n)
	for root := range int32(n) {
		if seen[root] {
			continue
		}
		seen[root] = true
		for queue := []int32{root}; len(queue) > 0; {
			i := queue[len(queue)-1]
			queue = queue[:len(queue)-1]
			for _, e := range adj[i] {
				switch {
				case !seen[e.to]:
					seen[e.to], level[e.to] = true, level[i]+e.rise
					queue = append(queue, e.to)
				case level[e.to] != level[i]+e.rise:
					return true
				}
			}
		}
	}
	return false
}
