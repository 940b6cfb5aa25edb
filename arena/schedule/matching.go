package schedule

import "slices"

// A matcher pairs the vertices of a graph (J. Edmonds, "Paths, trees, and
// flowers", 1965): it grows a matching by one augmenting path at a time.
type matcher struct {
	edge func(u, v int) bool // symmetric
	gone []bool              // vertices that take no part
	mate []int               // -1: unmatched
}

func newMatcher(n int, edge func(u, v int) bool) *matcher {
	m := &matcher{edge: edge, gone: make([]bool, n), mate: make([]int, n)}
	for i := range m.mate {
		m.mate[i] = -1
	}
	return m
}

// perfect matches all vertices that take part, or returns false.
func (m *matcher) perfect() bool {
	for u := range m.mate {
		if !m.gone[u] && m.mate[u] < 0 && !m.augment(u) {
			return false
		}
	}
	return true
}

// pair fixes u and v as a pair and takes them out, where the others can still
// be matched perfectly; else it changes nothing. The matching must be perfect.
func (m *matcher) pair(u, v int) bool {
	if m.gone[u] || m.gone[v] || !m.edge(u, v) {
		return false
	}
	before := slices.Clone(m.mate)
	a, b := m.mate[u], m.mate[v]
	m.gone[u], m.gone[v] = true, true
	m.mate[u], m.mate[v] = v, u
	if a == v {
		return true
	}
	m.mate[a], m.mate[b] = -1, -1
	if m.augment(a) {
		return true
	}
	m.gone[u], m.gone[v] = false, false
	copy(m.mate, before)
	return false
}

// augment looks for an alternating path from the unmatched root to another
// unmatched vertex and flips it. Odd cycles on the way (blossoms) are shrunk to
// their base.
func (m *matcher) augment(root int) bool {
	n := len(m.mate)
	parent, base := make([]int, n), make([]int, n)
	outer := make([]bool, n) // at an even distance from the root
	for i := range n {
		parent[i], base[i] = -1, i
	}
	outer[root] = true
	queue := []int{root}

	// common is the base that the paths from u and v to the root share first.
	common := func(u, v int) int {
		on := make([]bool, n)
		for {
			u = base[u]
			on[u] = true
			if m.mate[u] < 0 {
				break
			}
			u = parent[m.mate[u]]
		}
		for v = base[v]; !on[v]; v = base[parent[m.mate[v]]] {
			continue
		}
		return v
	}
	// mark turns the parents along the path from v to the base b, so that the
	// blossom can be left through any of its vertices.
	mark := func(in []bool, v, b, child int) {
		for base[v] != b {
			in[base[v]], in[base[m.mate[v]]] = true, true
			parent[v] = child
			child = m.mate[v]
			v = parent[child]
		}
	}
	for len(queue) > 0 {
		u := queue[0]
		queue = queue[1:]
		for v := range n {
			if v == u || m.gone[v] || base[u] == base[v] || m.mate[u] == v || !m.edge(u, v) {
				continue
			}
			switch {
			case v == root || m.mate[v] >= 0 && parent[m.mate[v]] >= 0:
				b, in := common(u, v), make([]bool, n)
				mark(in, u, b, v)
				mark(in, v, b, u)
				for w := range n {
					if in[base[w]] {
						base[w] = b
						if !outer[w] {
							outer[w] = true
							queue = append(queue, w)
						}
					}
				}
			case parent[v] < 0 && m.mate[v] < 0:
				parent[v] = u
				for v >= 0 {
					p := parent[v]
					next := m.mate[p]
					m.mate[v], m.mate[p] = p, v
					v = next
				}
				return true
			case parent[v] < 0:
				parent[v] = u
				outer[m.mate[v]] = true
				queue = append(queue, m.mate[v])
			}
		}
	}
	return false
}
