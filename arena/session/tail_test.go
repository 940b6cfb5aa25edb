package session_test

import (
	"fmt"
	"slices"
	"strings"
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

// What is kept is passed on as well.
func TestTailPassesOn(t *testing.T) {
	var all strings.Builder
	tail := &session.Tail{Next: &all}
	fmt.Fprint(tail, "one\ntwo\n")
	if all.String() != "one\ntwo\n" || !slices.Equal(tail.Lines(1), []string{"two"}) || tail.Written() != 8 {
		t.Errorf("%q, %q, %d", all.String(), tail.Lines(1), tail.Written())
	}
}
