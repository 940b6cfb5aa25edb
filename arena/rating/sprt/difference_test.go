package sprt_test

import (
	"math"
	"testing"

	"botarena/arena/rating/sprt"
)

// The change is the difference of the Elos, with the error of both, and as certain as
// that makes it.
func TestChange(t *testing.T) {
	old, now := sprt.Compare(sprt.Pentanomial{10, 20, 40, 20, 10}), sprt.Compare(sprt.Pentanomial{5, 15, 40, 25, 15})
	d := sprt.Change(old, now)
	if d == nil || math.Abs(d.Elo-*now.Elo) > 1e-9 || d.Error <= *now.EloError || d.Error >= *old.EloError+*now.EloError || d.LOS <= 0.9 || d.LOS >= *now.LOS {
		t.Errorf("%+v of %+v", d, now)
	}
	if back := sprt.Change(now, old); back.Elo != -d.Elo || math.Abs(back.LOS+d.LOS-1) > 1e-9 {
		t.Errorf("back %+v, forth %+v", back, d)
	}
	if d := sprt.Change(now, now); d.Elo != 0 || d.LOS != 0.5 {
		t.Errorf("of itself: %+v", d)
	}
	if d := sprt.Change(sprt.Compare(sprt.Pentanomial{0, 0, 0, 0, 5}), now); d != nil {
		t.Errorf("of a perfect score: %+v", d)
	}
}
