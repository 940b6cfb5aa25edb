package standings

import (
	"fmt"
	"slices"
	"strings"

	"botarena/arena/listing"
	"botarena/arena/text"
)

// title names what the table is of.
func (lb *Leaderboard) title() string {
	parts := []string{lb.Game, text.Plural(lb.Games, "game")}
	if lb.Unplayed > 0 {
		parts[1] += fmt.Sprintf(" of %d", lb.Games+lb.Unplayed)
	}
	if lb.Event != "" {
		parts = slices.Insert(parts, 0, lb.Event)
	} else if lb.Pool != "" {
		parts = slices.Insert(parts, 1, lb.Pool)
	}
	if lb.round > 0 && lb.Unplayed > 0 {
		parts = append(parts, "round "+fmt.Sprint(lb.round))
	}
	return strings.Join(parts, " · ")
}

// Table returns the leaderboard as a table, without columns that say nothing (no draws,
// no forfeits).
func (lb *Leaderboard) Table() listing.Table {
	t := listing.Table{Title: lb.title()}
	rows := lb.All()
	t.Rows = make([][]any, len(rows))
	for _, c := range lb.columns(rows) {
		t.Columns = append(t.Columns, c.Column)
		for i, r := range rows {
			t.Rows[i] = append(t.Rows[i], c.cell(r))
		}
	}
	if lb.Games == 0 {
		t.Notes = []string{"No game has a result yet."}
		return t
	}
	t.Notes, t.More = lb.footer()
	return t
}

type column struct {
	listing.Column
	cell func(*Row) any
}

func (lb *Leaderboard) columns(rows []*Row) []column {
	var faults Forfeits
	for _, r := range rows {
		faults = faults.plus(r.Forfeits)
	}
	var list []column
	show := func(wanted bool, c listing.Column, cell func(*Row) any) {
		if wanted {
			list = append(list, column{c, cell})
		}
	}
	number := func(wanted bool, name, key string, cell func(*Row) any) {
		show(wanted, listing.Column{Name: name, Key: key}, cell)
	}
	number(true, "#", "rank", func(r *Row) any {
		if r.Rank == 0 {
			return ""
		}
		return r.Rank
	})
	show(true, listing.Column{Name: "Bot", Left: true}, func(r *Row) any {
		if r.Rank == 0 {
			return listing.Cell{Text: "  " + r.Bot, Value: r.Bot}
		}
		return r.Bot
	})
	number(lb.Pools > 1, "Pool", "", func(r *Row) any { return r.Pool + 1 })
	number(len(lb.Components) > max(1, lb.Pools), pieceColumn, "", func(r *Row) any { return r.Component + 1 })
	list = append(list, lb.decisive()...)
	show(true, listing.Column{Name: "Elo", As: listing.Signed}, func(r *Row) any { return eloCell(r.Elo, r.Bounds) })
	show(true, listing.Column{Name: "±", Key: "elo_error", As: listing.Whole}, func(r *Row) any { return r.Error })
	show(true, listing.Column{Name: "LOS", As: listing.Percent}, func(r *Row) any { return r.LOS })
	show(lb.nash, listing.Column{Name: "Nash", Key: "nash_elo", As: listing.Signed}, func(r *Row) any { return r.NashElo })
	show(lb.nash, listing.Column{Name: "Share", Key: "nash_share", As: listing.Percent}, func(r *Row) any { return r.NashShare })
	number(true, "Games", "", func(r *Row) any { return r.Games })
	number(true, "Wins", "", func(r *Row) any { return r.Wins })
	number(true, "Draws", "", func(r *Row) any { return r.Draws })
	number(true, "Losses", "", func(r *Row) any { return r.Losses })
	show(true, listing.Column{Name: "Score", As: listing.Percent}, func(r *Row) any { return r.Score })
	show(true, listing.Column{Name: "As " + lb.Sides[0], Key: "first_score", As: listing.Percent}, func(r *Row) any { return r.AsFirst })
	show(true, listing.Column{Name: "As " + lb.Sides[1], Key: "second_score", As: listing.Percent}, func(r *Row) any { return r.AsSecond })
	show(true, listing.Column{Name: "Plies", Key: "average_plies", As: listing.Tenths}, func(r *Row) any { return r.AveragePlies })
	number(faults.Time > 0, "Time forfeits", "", func(r *Row) any { return r.Forfeits.Time })
	number(faults.Illegal > 0, "Illegal moves", "", func(r *Row) any { return r.Forfeits.Illegal })
	number(faults.Crash > 0, "Crashes", "", func(r *Row) any { return r.Forfeits.Crash })
	number(faults.Stall > 0, "Stalls", "", func(r *Row) any { return r.Forfeits.Stall })
	number(faults.Protocol > 0, "Protocol errors", "", func(r *Row) any { return r.Forfeits.Protocol })
	return list
}

// decisive returns the columns of what decides the places, but for Elo.
func (lb *Leaderboard) decisive() []column {
	var list []column
	show := func(wanted bool, c listing.Column, cell func(*Row) any) {
		if wanted {
			list = append(list, column{c, cell})
		}
	}
	asked := func(name string) bool { return slices.Contains(lb.Order, name) }
	// Tie-breaks of a round robin are for people only where points are shared.
	level := map[float64]bool{}
	data := len(lb.Bots) < 3 || !asked("Buchholz") && !slices.ContainsFunc(lb.Bots, func(r Row) bool {
		seen := level[r.Points]
		level[r.Points] = true
		return seen
	})
	show(asked("stage reached"), listing.Column{Name: "Reached", Left: true}, func(r *Row) any { return r.Reached })
	show(asked("points"), listing.Column{Name: "Points"}, func(r *Row) any { return r.Points })
	show(asked("Buchholz"), listing.Column{Name: "Buchholz"}, func(r *Row) any { return r.Buchholz })
	show(asked("direct encounter"), listing.Column{Name: "Direct", Key: "direct_encounter", Data: data || asked("Buchholz")}, func(r *Row) any { return r.Direct })
	show(asked("Sonneborn-Berger"), listing.Column{Name: "Sonneborn-Berger", Key: "sonneborn_berger", Data: data}, func(r *Row) any { return r.SonnebornBerger })
	show(lb.byes, listing.Column{Name: "Byes"}, func(r *Row) any { return r.Byes })
	return list
}

// Decisive lists the headings of what decides the places, but for Elo, and for each row of
// [Leaderboard.All] the cells.
func (lb *Leaderboard) Decisive() (names []string, cells map[string][]string) {
	cells = map[string][]string{}
	for _, c := range lb.decisive() {
		if c.Data {
			continue
		}
		names = append(names, c.Name)
		for _, r := range lb.All() {
			cells[r.Bot] = append(cells[r.Bot], c.Text(c.cell(r)))
		}
	}
	return names, cells
}
