package learnt

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"botarena/bots/bottest"
)

// judged are games that tables judge, each of another kind.
func judged() []string {
	return []string{"breakthrough:2x4", "breakthrough:9x4", "outwit:push", "owlman"}
}

// A table is read as it was written; one that is cut, or is for another game, is refused.
func TestTable(t *testing.T) {
	for _, name := range judged() {
		game := bottest.Open(t, name)
		weights := random(formats(game)[0].size, 32767)
		data := Encode(game, weights)
		if got, err := Decode(game, data); err != nil || !slices.Equal(got, weights) {
			t.Errorf("%s: read back %d weights, %v", name, len(got), err)
		}
		for _, cut := range []int{0, 1, 5, 14, 17, 18, len(data) - 1} {
			if _, err := Decode(game, data[:cut]); err == nil {
				t.Errorf("%s: %d of %d bytes are a table", name, cut, len(data))
			}
		}
		for _, other := range append(judged(), "chess") {
			if other == name {
				continue
			}
			if _, err := Decode(bottest.Open(t, other), data); err == nil {
				t.Errorf("a table of %s is read for %s", name, other)
			}
		}
	}
	for data, want := range map[string]string{
		"arena patterns 2\n\x04\x02": "the table is for boards of 4x2, the game is breakthrough:2x4",
		"arena homing 1\n":           "begins otherwise",
	} {
		if _, err := Decode(bottest.Open(t, "breakthrough:2x4"), []byte(data)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", data, err)
		}
	}
	if _, err := Decode(bottest.Open(t, "owlman"), []byte("arena pairs 1\n\x06outwit")); err == nil || !strings.Contains(err.Error(), "for another game") {
		t.Errorf("another game's pairs: %v", err)
	}
}

// Whatever is in a file, it is a table as it was written or an error.
func FuzzDecode(f *testing.F) {
	game := bottest.Open(f, "breakthrough:2x4")
	f.Add(Encode(game, make([]int16, formats(game)[0].size)))
	for _, head := range []string{"", "arena patterns 1\n", "arena patterns 1\n\x05\x00", "arena patterns 2\n\x00\x00", "arena patterns 2\n\x02\x04"} {
		f.Add([]byte(head))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if weights, err := Decode(game, data); err == nil && len(weights) == formats(game)[0].size && !bytes.Equal(Encode(game, weights), data) {
			t.Errorf("%q was read as %v", data, weights)
		}
	})
}
