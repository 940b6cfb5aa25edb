package rating

import (
	"cmp"
	"slices"
)

// components splits n bots into the strongly connected components of the graph
// with an edge from the winner to the loser of a game, and both ways for a draw or a link
// of versions.
// They come in an order in which no bot of a later one ever beat or drew with a
// bot of an earlier one; where that leaves a choice, the better share of points
// comes first; pools are one after the other. of is the component's index by bot.
func components(n int, tallies []tally, versions []link, pool []int) (list [][]int32, of []int32) {
	adj := adjacency(n, tallies, versions)
	of = strong(n, adj)
	list = listed(of)
	order := topological(list, of, adj, tallies)
	slices.SortStableFunc(order, func(a, b int) int { return pool[list[a][0]] - pool[list[b][0]] })
	sorted := make([][]int32, len(list))
	for to, from := range order {
		sorted[to] = list[from]
		for _, i := range list[from] {
			of[i] = int32(to)
		}
	}
	return sorted, of
}

// listed lists the bots by their number.
func listed(of []int32) [][]int32 {
	var list [][]int32
	for i, c := range of {
		for len(list) <= int(c) {
			list = append(list, nil)
		}
		list[c] = append(list[c], int32(i))
	}
	return list
}

// byNumber makes each pool one component.
func byNumber(pool []int) (list [][]int32, of []int32) {
	of = make([]int32, len(pool))
	for i, c := range pool {
		of[i] = int32(c)
	}
	return listed(of), of
}

// groups are sets of bots that are joined one by one.
type groups []int

func newGroups(n int) groups {
	root := make([]int, n)
	for i := range root {
		root[i] = i
	}
	return root
}

// find returns the smallest number of a bot's group.
func (g groups) find(i int) int {
	for g[i] != i {
		g[i] = g[g[i]]
		i = g[i]
	}
	return i
}

// join makes one group of those of two bots, and reports whether they were two.
func (g groups) join(i, j int) bool {
	a, b := g.find(i), g.find(j)
	g[max(a, b)] = min(a, b)
	return a != b
}

// linked returns the pool of each bot: those with a chain of games, or of links between
// versions, between them have the same. The one with the most games is the first.
func linked(n int, tallies []tally, versions []link) []int {
	root := newGroups(n)
	for k := range tallies {
		root.join(int(tallies[k].first), int(tallies[k].second))
	}
	for _, l := range versions {
		root.join(int(l.older), int(l.newer))
	}
	games := make([]float64, n)
	for k := range tallies {
		games[root.find(int(tallies[k].first))] += tallies[k].games()
	}
	var roots []int
	for i := range root {
		if root.find(i) == i {
			roots = append(roots, i)
		}
	}
	slices.SortStableFunc(roots, func(a, b int) int { return cmp.Compare(games[b], games[a]) })
	number := make([]int, n)
	for k, r := range roots {
		number[r] = k
	}
	pool := make([]int, n)
	for i := range pool {
		pool[i] = number[root.find(i)]
	}
	return pool
}

// adjacency lists for each bot those that it beat or drew with, and the versions that it
// is linked to.
func adjacency(n int, tallies []tally, versions []link) [][]int32 {
	degree := make([]int, n)
	each := func(visit func(from, to int32)) {
		for k := range tallies {
			t := &tallies[k]
			if t.n[Win]+t.n[Draw] > 0 {
				visit(t.first, t.second)
			}
			if t.n[Loss]+t.n[Draw] > 0 {
				visit(t.second, t.first)
			}
		}
		for _, l := range versions {
			visit(l.older, l.newer)
			visit(l.newer, l.older)
		}
	}
	each(func(from, _ int32) { degree[from]++ })
	adj := make([][]int32, n)
	for i, d := range degree {
		adj[i] = make([]int32, 0, d)
	}
	each(func(from, to int32) { adj[from] = append(adj[from], to) })
	return adj
}

// strong returns the number of the strongly connected component of each bot, by
// Tarjan's algorithm.
func strong(n int, adj [][]int32) []int32 {
	const none = -1
	of, low := make([]int32, n), make([]int32, n) // low is 0 until the bot is visited
	for i := range of {
		of[i] = none
	}
	var stack []int32 // of bots not yet in a component
	var counter, found int32
	var visit func(i int32)
	visit = func(i int32) {
		counter++
		number := counter
		low[i] = number
		at := len(stack)
		stack = append(stack, i)
		for _, j := range adj[i] {
			if low[j] == 0 {
				visit(j)
			}
			if of[j] == none {
				low[i] = min(low[i], low[j])
			}
		}
		if low[i] < number {
			return
		}
		for _, j := range stack[at:] {
			of[j] = found
		}
		stack = stack[:at]
		found++
	}
	for i := range int32(n) {
		if low[i] == 0 {
			visit(i)
		}
	}
	return of
}

// topological orders components so that edges point from earlier to later ones.
func topological(list [][]int32, of []int32, adj [][]int32, tallies []tally) []int {
	points, games := make([]float64, len(list)), make([]float64, len(list))
	for k := range tallies {
		t := &tallies[k]
		n, won := t.games(), t.n[Win]+t.n[Draw]/2
		points[of[t.first]] += won
		points[of[t.second]] += n - won
		games[of[t.first]] += n
		games[of[t.second]] += n
	}
	above := make([]int, len(list)) // edges that come in
	for i, to := range adj {
		for _, j := range to {
			if of[i] != of[j] {
				above[of[j]]++
			}
		}
	}
	var free, order []int
	for c := range list {
		if above[c] == 0 {
			free = append(free, c)
		}
	}
	for len(free) > 0 {
		best := 0
		for k := range free {
			a, b := free[k], free[best]
			if d := points[a]*games[b] - points[b]*games[a]; d > 0 || (d == 0 && list[a][0] < list[b][0]) {
				best = k
			}
		}
		c := free[best]
		free = slices.Delete(free, best, best+1)
		order = append(order, c)
		for _, i := range list[c] {
			for _, j := range adj[i] {
				if of[j] == int32(c) {
					continue
				}
				if above[of[j]]--; above[of[j]] == 0 {
					free = append(free, int(of[j]))
				}
			}
		}
	}
	return order
}
