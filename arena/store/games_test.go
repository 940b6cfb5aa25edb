package store

import (
	"cmp"
	"database/sql"
	"slices"
	"strings"
	"testing"
	"time"

	"botarena/arena"
)

// TestGamesStream holds that no order of games needs a sort, which would hold all
// of them before the first.
func TestGamesStream(t *testing.T) {
	s := openTest(t)
	ctx := t.Context()
	h := create(t, s, testEvent("e", "a", "b", "c"), 12)
	must(t, h.Finish(ctx, &arena.Game{Number: 1, Result: arena.FirstWins, Reason: arena.Crash, Blame: "b", Start: time.Unix(1e9, 0)}))
	for name, c := range map[string]struct {
		filter Filter
		want   int
	}{
		"all":            {Filter{Moves: true}, 12},
		"event":          {Filter{Event: "e"}, 12},
		"bot":            {Filter{Bot: "b"}, 8},
		"bot in event":   {Filter{Bot: "b", Event: "e", Played: true}, 1},
		"against":        {Filter{Bot: "a", Against: "c"}, 4},
		"lost":           {Filter{Bot: "b", Outcome: Lost}, 1},
		"won":            {Filter{Bot: "a", Outcome: Won}, 1},
		"lost by others": {Filter{Bot: "a", Outcome: Lost}, 0},
		"reason":         {Filter{Reason: arena.Crash}, 1},
		"reason there":   {Filter{Event: "e", Reason: arena.Crash}, 1},
		"result there":   {Filter{Event: "e", Result: arena.FirstWins, Last: 5}, 1},
		"result of bot":  {Filter{Event: "e", Bot: "a", Result: arena.FirstWins, First: 5}, 1},
		"last there":     {Filter{Event: "e", Played: true, Last: 5}, 1},
		"since":          {Filter{Since: time.Unix(1e9, 0)}, 1},
		"since later":    {Filter{Since: time.Unix(1e9+1, 0)}, 0},
		"since the day":  {Filter{Since: time.Unix(1e9, 0).UTC().Truncate(24 * time.Hour)}, 1},
		"since the next": {Filter{Since: time.Unix(1e9, 0).UTC().Truncate(24*time.Hour).AddDate(0, 0, 1)}, 0},
		"game":           {Filter{Bot: "b", Game: "breakthrough", Number: 1}, 1},
		"last":           {Filter{Last: 3}, 3},
		"last of bot":    {Filter{Bot: "b", Last: 3}, 3},
		"nobody":         {Filter{Bot: "z"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			list, err := s.Games(ctx, c.filter)
			if err != nil || len(list) != c.want {
				t.Errorf("%d games, want %d: %v", len(list), c.want, err)
			}
			if !slices.IsSortedFunc(list, func(a, b Game) int { return cmp.Compare(a.Number, b.Number) }) {
				t.Error("not in order")
			}
			if c.filter.Last > 0 && c.want == c.filter.Last && list[len(list)-1].Number < 11 {
				t.Errorf("the last is game %d", list[len(list)-1].Number)
			}
			counts, err := s.CountGames(ctx, c.filter)
			total := 0
			for _, n := range counts {
				total += n.Games
			}
			if err != nil || c.filter.Last == 0 && total != c.want {
				t.Errorf("%d games counted, want %d: %v", total, c.want, err)
			}
			text, args, err := c.filter.query(ctx, s.read)
			must(t, err)
			if text == "" {
				return
			}
			sorts := 0
			err = each(ctx, s.read, "EXPLAIN QUERY PLAN "+text, args, func(rows *sql.Rows) error {
				var id, parent, unused int
				var detail string
				err := rows.Scan(&id, &parent, &unused, &detail)
				if strings.Contains(detail, "TEMP B-TREE") {
					sorts++
				}
				return err
			})
			if err != nil || sorts > min(1, c.filter.Last) { // the last ones themselves are turned round
				t.Errorf("sorted %d times, %v", sorts, err)
			}
		})
	}
}
