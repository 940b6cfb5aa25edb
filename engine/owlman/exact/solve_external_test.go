//go:build external

package exact_test

import "testing"

// The layers up to four helpers take seconds.
func TestExternalSolve(t *testing.T) {
	tables := solve(t, 4)
	starts(t, tables)
	verify(t, tables, 20_000)
}
