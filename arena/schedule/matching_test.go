package schedule

import (
	"testing"

	"pgregory.net/rapid"
)

// perfectByTrial tells by trying everything whether all vertices can be matched.
func perfectByTrial(free []int, edge func(u, v int) bool) bool {
	if len(free) == 0 {
		return true
	}
	u, rest := free[0], free[1:]
	for i, v := range rest {
		if edge(u, v) && perfectByTrial(append(append([]int{}, rest[:i]...), rest[i+1:]...), edge) {
			return true
		}
	}
	return false
}

func checkMatching(t *rapid.T, m *matcher, edge func(u, v int) bool) {
	for u, v := range m.mate {
		if !m.gone[u] && (v < 0 || m.mate[v] != u || !edge(u, v)) {
			t.Fatalf("%d is matched with %d: %v", u, v, m.mate)
		}
	}
}

func TestMatcher(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := 2 * rapid.IntRange(1, 5).Draw(t, "half")
		edges := map[[2]int]bool{}
		density := rapid.IntRange(1, 9).Draw(t, "density")
		var free []int
		for u := range n {
			free = append(free, u)
			for v := range u {
				edges[[2]int{v, u}] = rapid.IntRange(0, 9).Draw(t, "edge") < density
			}
		}
		edge := func(u, v int) bool { return edges[[2]int{min(u, v), max(u, v)}] }
		m := newMatcher(n, edge)
		got := m.perfect()
		if want := perfectByTrial(free, edge); got != want {
			t.Fatalf("perfect matching: %v, want %v, in %v", got, want, edges)
		}
		if !got {
			return
		}
		checkMatching(t, m, edge)
		// Fixing a pair works exactly where the others can still be matched.
		for len(free) > 0 {
			u := free[0]
			done := false
			for i, v := range free[1:] {
				rest := append(append([]int{}, free[1:1+i]...), free[i+2:]...)
				want := edge(u, v) && perfectByTrial(rest, edge)
				if got := m.pair(u, v); got != want {
					t.Fatalf("pair %d and %d: %v, want %v, in %v", u, v, got, want, edges)
				}
				checkMatching(t, m, edge)
				if want {
					free, done = rest, true
					break
				}
			}
			if !done {
				t.Fatal("a perfect matching was lost")
			}
		}
	})
}
