package web

import "testing"

func TestAfterDot(t *testing.T) {
	for title, want := range map[string]string{
		"e · élan · 4 games": "Élan · 4 games", "e · bots": "Bots", "bots": "Bots", "": "Table", "e · ": "Table",
	} {
		if got := afterDot(title); got != want {
			t.Errorf("%q: %q, want %q", title, got, want)
		}
	}
}
