package standings

import (
	"strings"
	"testing"

	"botarena/arena/schedule"
)

func TestDrawBracket(t *testing.T) {
	match := func(first, second string, a, b float64, winner string) schedule.Match {
		return schedule.Match{First: first, Second: second, FirstPoints: a, SecondPoints: b, Winner: winner}
	}
	for _, c := range []struct {
		name    string
		bracket schedule.Bracket
		want    string
	}{
		{"final", schedule.Bracket{
			Stages: []schedule.Stage{{Name: "final", Matches: []schedule.Match{match("a", "bé", 2, 1.5, "a")}}},
			Winner: "a",
		}, `
final      winner
a 2 ────┐
        ├─ a
bé 1.5 ─┘
`},
		{"semi-finals", schedule.Bracket{
			Stages: []schedule.Stage{
				{Name: "semi-final", Matches: []schedule.Match{match("a", "b", 2, 0, "a"), {First: "c", Bye: true, Winner: "c"}}},
				{Name: "final", Matches: []schedule.Match{{First: "a"}}},
			},
		}, `
semi-final     final     winner
a 2 ────────┐
            ├─ a ─────┐
b 0 ────────┘         │
                      ├─ ?
c ──────────┐         │
            ├─ ? ─────┘
(bye) ──────┘
`},
		{"quarter-finals", schedule.Bracket{
			Stages: []schedule.Stage{
				{Name: "quarter-final", Matches: []schedule.Match{match("a", "h", 2, 0, "a"), match("d", "e", 0, 2, "e"), match("b", "g", 2, 0, "b"), match("c", "f", 2, 0, "c")}},
				{Name: "semi-final", Matches: []schedule.Match{match("a", "e", 2, 1, "a"), match("b", "c", 2, 1, "b")}},
				{Name: "final", Matches: []schedule.Match{match("a", "b", 0, 2, "b")}},
			},
			Winner: "b",
		}, `
quarter-final     semi-final     final     winner
a 2 ───────────┐
               ├─ a 2 ────────┐
h 0 ───────────┘              │
                              ├─ a 0 ───┐
d 0 ───────────┐              │         │
               ├─ e 1 ────────┘         │
e 2 ───────────┘                        │
                                        ├─ b
b 2 ───────────┐                        │
               ├─ b 2 ────────┐         │
g 0 ───────────┘              │         │
                              ├─ b 2 ───┘
c 2 ───────────┐              │
               ├─ c 1 ────────┘
f 0 ───────────┘
`},
	} {
		var got strings.Builder
		drawBracket(&got, &c.bracket)
		if "\n"+got.String() != c.want+"\n" {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got.String(), c.want)
		}
	}
}
