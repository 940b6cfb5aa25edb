package rating

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"botarena/arena/rating/sprt"
)

// TestGroupsEqualGames feeds the same games in one by one and as counts.
func TestGroupsEqualGames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var one, counted Results
		n := rapid.IntRange(2, 5).Draw(t, "bots")
		for i := range n {
			one.Enter(fmt.Sprint(i))
			counted.Enter(fmt.Sprint(i))
		}
		groups, order := map[Group]int{}, []Group{} // in one order, so that a failure can be seen again
		for pair := range rapid.IntRange(0, 60).Draw(t, "pairs") {
			a := rapid.IntRange(0, n-2).Draw(t, "a")
			b := rapid.IntRange(a+1, n-1).Draw(t, "b")
			g := Group{A: fmt.Sprint(a), B: fmt.Sprint(b)}
			score := rapid.SampledFrom([]Score{Loss, Draw, Win})
			s := score.Draw(t, "score")
			g.AsFirst[s]++
			games := []Game{{First: g.A, Second: g.B, Score: s, Pair: int64(pair + 1)}}
			if rapid.IntRange(0, 3).Draw(t, "games") > 0 {
				s := score.Draw(t, "score")
				g.AsSecond[s]++
				games = append(games, Game{First: g.B, Second: g.A, Score: s.Swap(), Pair: int64(pair + 1)})
			}
			for _, x := range games {
				if err := one.Add(x); err != nil {
					t.Fatal(err)
				}
			}
			if groups[g]++; groups[g] == 1 {
				order = append(order, g)
			}
		}
		for _, g := range order {
			g.Times = groups[g]
			if err := counted.AddGroup(g); err != nil {
				t.Fatal(err)
			}
		}
		if one.Len() != counted.Len() {
			t.Fatalf("%d games, counted %d", one.Len(), counted.Len())
		}
		for _, o := range []Options{{}, {Pairs: true}, {Pairs: true, Prior: 400}} {
			x, err := Rate(&one, o)
			y, err2 := Rate(&counted, o)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			samePrinted(t, x, y)
			samePrinted(t, Cycles(&one, x), Cycles(&counted, y))
		}
		for i := range n {
			for j := range n {
				if x, y := one.HeadToHead(fmt.Sprint(i), fmt.Sprint(j)), counted.HeadToHead(fmt.Sprint(i), fmt.Sprint(j)); x != y {
					t.Fatalf("%d against %d: %+v, counted %+v", i, j, x, y)
				}
			}
		}
	})
}

// samePrinted compares what is printed of both, numbers but for rounding.
func samePrinted(t *rapid.T, x, y any) {
	var trees [2]any
	for i, v := range []any{x, y} {
		data, err := json.Marshal(v)
		if err == nil {
			err = json.Unmarshal(data, &trees[i])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	sameTree(t, "", trees[0], trees[1])
}

func sameTree(t *rapid.T, at string, x, y any) {
	switch x := x.(type) {
	case map[string]any:
		other, _ := y.(map[string]any)
		if len(x) != len(other) {
			t.Fatalf("%s: %v and %v", at, x, y)
		}
		for k := range x {
			sameTree(t, at+"."+k, x[k], other[k])
		}
	case []any:
		other, _ := y.([]any)
		if len(x) != len(other) {
			t.Fatalf("%s: %v and %v", at, x, y)
		}
		for i := range x {
			sameTree(t, fmt.Sprintf("%s[%d]", at, i), x[i], other[i])
		}
	case float64:
		if other, ok := y.(float64); !ok || math.Abs(x-other) > 1e-6*max(1, math.Abs(x)) {
			t.Fatalf("%s: %v and %v", at, x, y)
		}
	default:
		if x != y {
			t.Fatalf("%s: %v and %v", at, x, y)
		}
	}
}

func TestAddGroupRefuses(t *testing.T) {
	var r Results
	for _, g := range []Group{
		{A: "a", B: "a", Times: 1},
		{A: "a", B: "b", AsFirst: sprt.Trinomial{1}, Times: -1},
		{A: "a", B: "b", AsFirst: sprt.Trinomial{-1}, Times: 1},
	} {
		if err := r.AddGroup(g); err == nil {
			t.Errorf("%+v was taken", g)
		}
	}
	if r.Len() != 0 {
		t.Errorf("%d games", r.Len())
	}
}
