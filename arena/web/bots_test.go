package web

import (
	"slices"
	"testing"

	"botarena/arena/store"
)

// A bot's rating goes on from event to event of a game, though each counts from its own
// beginning.
func TestRatingGoesOn(t *testing.T) {
	points := func(ratings ...float64) (list []store.RatingPoint) {
		for i, r := range ratings {
			list = append(list, store.RatingPoint{Games: i + 1, Rating: r})
		}
		return list
	}
	d := &botJSON{Bot: "ann", lines: []store.RatingLine{
		{Event: "spring", Game: "outwit", Start: 1500, Points: points(1510, 1530)},
		{Event: "cup", Game: "chess", Start: 1500, Points: points(1490)},
		{Event: "autumn", Game: "outwit", Start: 1500, Points: points(1490, 1505)},
	}}
	c := d.chart()
	if len(c.Series) != 2 || !slices.Equal(c.Series[0].Ratings, []float64{1510, 1530, 1520, 1535}) || !slices.Equal(c.Series[0].At, []int{1, 2, 3, 4}) {
		t.Errorf("%+v", c.Series)
	}
}
