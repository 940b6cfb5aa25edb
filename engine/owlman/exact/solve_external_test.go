//go:build external

package exact_test

import "testing"

// The layers up to four helpers take seconds.
func TestExternalSolve(t *testing.T) {
	tables := solve(t, 4)
	if l := tables.Catch[3]; l.White != 1_626_123 || l.Owl != 1_788_818 {
		t.Errorf("three helpers: Owlman wins %d with White to move, %d with him to move", l.White, l.Owl)
	}
	starts(t, tables)
	verify(t, tables, 20_000)
}
