package sprt

import "math"

// A Difference is how much stronger one bot is than another, by their games against the
// same opponent.
type Difference struct {
	Elo   float64 `json:"elo"`
	Error float64 `json:"elo_error"` // half of the 95 % interval
	LOS   float64 `json:"los"`       // likelihood of superiority
}

// Change returns the difference of now from old, which are independent comparisons with
// the same opponent; nil if one of them has no Elo or no error. If both played the same
// openings the error is rather too large than too small.
func Change(old, now Comparison) *Difference {
	if old.Elo == nil || now.Elo == nil || old.EloError == nil || now.EloError == nil {
		return nil
	}
	d := &Difference{Elo: *now.Elo - *old.Elo, Error: math.Hypot(*old.EloError, *now.EloError)}
	d.LOS = phi(d.Elo / d.Error * z95)
	return d
}
