package weights_test

import (
	"slices"
	"strings"
	"testing"

	"botarena/bots/weights"
)

// A table is read as it was written; one that is cut, or is for another game, is refused.
func TestTable(t *testing.T) {
	const head = "arena pairs 1\nowlman"
	list := []int16{-32768, -1, 0, 1, 300, 32767}
	data := weights.Encode(head, list)
	if got, err := weights.Decode(data, head, len(list)); err != nil || !slices.Equal(got, list) {
		t.Errorf("read back %v: %v", got, err)
	}
	for cut := range data {
		if _, err := weights.Decode(data[:cut], head, len(list)); err == nil {
			t.Errorf("%d of %d bytes are a table", cut, len(data))
		}
	}
	if _, err := weights.Decode(data, "arena pairs 1\noutwit", len(list)); err == nil || !strings.Contains(err.Error(), "for another game") {
		t.Errorf("another game's table: %v", err)
	}
}
