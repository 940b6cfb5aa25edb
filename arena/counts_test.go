package arena_test

import (
	"testing"

	"botarena/arena"
)

// Two versions of a bot are apart, from each other and from a bot that is called
// like one of them.
func TestCountsNames(t *testing.T) {
	x1, x2, named := arena.BotVersion{Name: "x", Version: 1}, arena.BotVersion{Name: "x", Version: 2}, arena.BotVersion{Name: "x v2", Version: 3}
	c := arena.Counts{Endings: []arena.Ending{{First: x1, Second: x2}, {First: named, Second: x1}}}
	names := c.Names()
	if len(names) != 3 || names[x1] != "x v1" || names[x2] != "x v2'" || names[named] != "x v2" {
		t.Errorf("names %v", names)
	}
	if names := (&arena.Counts{Endings: []arena.Ending{{First: x2, Second: named}}}).Names(); names[x2] != "x" {
		t.Errorf("the only version is called %q", names[x2])
	}
}
