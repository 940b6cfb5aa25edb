package session_test

import (
	"fmt"
	"slices"
	"testing"

	"botarena/arena/session"
)

func TestTail(t *testing.T) {
	tail := &session.Tail{}
	for i := range 10_000 {
		fmt.Fprintf(tail, "line %d\t\x1b[2J\n", i)
	}
	if got := tail.Lines(2); !slices.Equal(got, []string{`line 9998    \x1b[2J`, `line 9999    \x1b[2J`}) {
		t.Errorf("%q", got)
	}
}
