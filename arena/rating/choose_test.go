package rating

import (
	"fmt"
	"math"
	"testing"
)

// Without results to tell them apart, pairings chosen ahead meet every bot
// equally often and repeat none; without foresight the errors would stay as wide
// as they were.
func TestChooserSpreadsWhatIsUnderWay(t *testing.T) {
	var r Results
	const bots = 6
	for i := range bots {
		r.Enter(fmt.Sprint("bot", i))
	}
	table := rate2(t, &r)
	c, err := NewChooser(Information, 3)
	if err != nil {
		t.Fatal(err)
	}
	met := map[string]int{}
	var underWay [][2]string
	seen := map[[2]string]bool{}
	for range bots * (bots - 1) / 2 {
		a, b, err := c.Next(table, underWay...)
		if err != nil {
			t.Fatal(err)
		}
		met[a]++
		met[b]++
		key := [2]string{min(a, b), max(a, b)}
		if seen[key] {
			t.Errorf("%s and %s were chosen twice before all had met: %v", a, b, underWay)
		}
		seen[key] = true
		underWay = append(underWay, [2]string{a, b})
	}
	for name, n := range met {
		if n != bots-1 {
			t.Errorf("%s was chosen %d times, not %d", name, n, bots-1)
		}
	}
}

// What is foreseen of level bots is what a pair shared evenly brings.
func TestForeseenIsWhatComes(t *testing.T) {
	even := func(pairs int) *Results {
		var r Results
		for _, name := range []string{"a", "b", "c"} {
			r.Enter(name)
		}
		for range pairs {
			for _, g := range []Game{{First: "a", Second: "b", Score: Win}, {First: "b", Second: "a", Score: Win}} {
				if err := r.Add(g); err != nil {
					t.Fatal(err)
				}
			}
		}
		return &r
	}
	rate := func(r *Results) *Table {
		table, err := Rate(r, Options{Prior: 400, NoAdvantage: true, Strangers: true})
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	foreseen := rate(even(2)).foresee([][2]string{{"a", "b"}, {"b", "a"}, {"a", "nobody"}})
	come := rate(even(4))
	for _, pair := range [][2]string{{"a", "b"}, {"a", "c"}} {
		x, y := foreseen.deviation(foreseen.place[pair[0]], foreseen.place[pair[1]]), come.deviation(come.place[pair[0]], come.place[pair[1]])
		if math.Abs(x-y) > 1e-6*y {
			t.Errorf("%v: foreseen a standard error of %g, and it is %g", pair, x, y)
		}
	}
}
