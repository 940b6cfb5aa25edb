package event

import (
	"testing"

	"botarena/arena"
)

// A number that belongs to a bot's name stays.
func TestNextName(t *testing.T) {
	for name, want := range map[string]string{"emil": "emil 2", "emil 2": "emil 3", "sf16": "sf16 2", "sf16 2": "sf16 3", "7": "7 2"} {
		if got := NextName([]arena.Bot{{Name: name}}, name); got != want {
			t.Errorf("%q is followed by %q, want %q", name, got, want)
		}
	}
}
