package standings

import (
	"fmt"
	"slices"
	"strings"

	"botarena/arena/listing"
	"botarena/arena/text"
)

// title returns the title of the table.
func (lb *Leaderboard) title() string {
	if lb.foreign {
		return fmt.Sprintf("%s · %s", text.Plural(len(lb.Bots), "player"), text.Plural(lb.Games, "game"))
	}
	pool, round := lb.Pool, ""
	if lb.Event != "" {
		pool = ""
	}
	if lb.round > 0 && lb.Unplayed > 0 {
		round = "round " + fmt.Sprint(lb.round)
	}
	unplayed := lb.Unplayed
	if lb.test {
		unplayed = 0
	}
	return titled(lb.Event, lb.Game, pool, played(lb.Games, unplayed), round)
}

// titled joins the parts of a title, except those that are empty.
func titled(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), " · ")
}

// played counts the games with a result: "3 games of 10".
func played(games, unplayed int) string {
	if unplayed == 0 {
		return text.Plural(games, "game")
	}
	return fmt.Sprintf("%s of %d", text.Plural(games, "game"), games+unplayed)
}

// Table returns the leaderboard as a table, without columns that would be empty (no
// draws, no forfeits).
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
		none := "No game has a result yet."
		if len(lb.LeftOut) > 0 {
			none = "No other game has a result yet."
		}
		t.Notes = append(lb.lines(), none)
		return t
	}
	t.Notes, t.More = lb.footer()
	return t
}

// A column is a heading and a function that returns the cell of a row, nil for none. Not
// all tables show it.
type column struct {
	shown bool
	listing.Column
	cell func(*Row) any
}

func wanted(columns ...column) []column {
	return slices.DeleteFunc(columns, func(c column) bool { return !c.shown })
}

func (lb *Leaderboard) columns(rows []*Row) []column {
	var faults Forfeits
	for _, r := range rows {
		f := &r.Forfeits
		faults.Time, faults.Illegal, faults.Crash = faults.Time+f.Time, faults.Illegal+f.Illegal, faults.Crash+f.Crash
		faults.Stall, faults.Protocol = faults.Stall+f.Stall, faults.Protocol+f.Protocol
	}
	list := []column{
		{true, listing.Column{Name: "#", Key: "rank"}, func(r *Row) any { return unlessZero(r.Rank) }},
		{true, listing.Column{Name: "Bot", Left: true}, func(r *Row) any {
			if r.Rank == 0 {
				return listing.Cell{Text: "  " + r.Bot, Value: r.Bot}
			}
			return r.Bot
		}},
	}
	if lb.foreign {
		list[1].Column = listing.Column{Name: "Player", Key: "bot", Left: true}
	}
	list = append(list, lb.groups()...)
	list = append(list, lb.decisive()...)
	return append(list, wanted(
		column{true, listing.Column{Name: "Elo", As: listing.Signed}, func(r *Row) any { return eloCell(r.Elo, r.Bounds) }},
		column{true, listing.Column{Name: "±", Key: "elo_error", As: listing.Whole}, func(r *Row) any { return r.Error }},
		column{true, listing.Column{Name: "LOS", As: listing.Percent}, func(r *Row) any { return r.LOS }},
		column{lb.nash, listing.Column{Name: "Nash", Key: "nash_elo", As: listing.Signed}, func(r *Row) any { return r.NashElo }},
		column{lb.nash, listing.Column{Name: "Share", Key: "nash_share", As: listing.Percent}, func(r *Row) any { return r.NashShare }},
		column{true, listing.Column{Name: "Games"}, func(r *Row) any { return r.Games }},
		column{true, listing.Column{Name: "Wins"}, func(r *Row) any { return r.Wins }},
		column{true, listing.Column{Name: "Draws"}, func(r *Row) any { return r.Draws }},
		column{true, listing.Column{Name: "Losses"}, func(r *Row) any { return r.Losses }},
		column{true, listing.Column{Name: "Score", As: listing.Percent}, func(r *Row) any { return r.Score }},
		column{!lb.foreign, listing.Column{Name: "As " + lb.Sides[0], Key: "first_score", As: listing.Percent}, func(r *Row) any { return r.AsFirst }},
		column{!lb.foreign, listing.Column{Name: "As " + lb.Sides[1], Key: "second_score", As: listing.Percent}, func(r *Row) any { return r.AsSecond }},
		column{!lb.foreign, listing.Column{Name: "Plies", Key: "average_plies", As: listing.Tenths}, func(r *Row) any { return r.AveragePlies }},
		column{faults.Time > 0, listing.Column{Name: "Time forfeits"}, func(r *Row) any { return r.Forfeits.Time }},
		column{faults.Illegal > 0, listing.Column{Name: "Illegal moves"}, func(r *Row) any { return r.Forfeits.Illegal }},
		column{faults.Crash > 0, listing.Column{Name: "Crashes"}, func(r *Row) any { return r.Forfeits.Crash }},
		column{faults.Stall > 0, listing.Column{Name: "Stalls"}, func(r *Row) any { return r.Forfeits.Stall }},
		column{faults.Protocol > 0, listing.Column{Name: "Protocol errors"}, func(r *Row) any { return r.Forfeits.Protocol }},
	)...)
}

func unlessZero(n int) any {
	if n == 0 {
		return nil
	}
	return n
}

// groups returns the columns that number groups of bots whose ratings cannot be
// compared.
func (lb *Leaderboard) groups() []column {
	return wanted(
		column{lb.Pools > 1, listing.Column{Name: "Pool"}, func(r *Row) any { return unlessZero(r.Pool) }},
		column{len(lb.Components) > max(1, lb.Pools), listing.Column{Name: "Piece"}, func(r *Row) any { return r.Component + 1 }},
	)
}

// decisive returns the columns of the criteria that decide the places, except Elo.
func (lb *Leaderboard) decisive() []column {
	// Tie-breaks of a round robin are for people only where points are shared.
	level := map[float64]bool{}
	data := len(lb.Bots) < 3 || !lb.decides("Buchholz") && !slices.ContainsFunc(lb.Bots, func(r Row) bool {
		seen := level[r.Points]
		level[r.Points] = true
		return seen
	})
	return wanted(
		column{lb.decides("stage reached"), listing.Column{Name: "Reached", Left: true}, func(r *Row) any { return r.Reached }},
		column{lb.decides("verdict"), listing.Column{Name: "Verdict", Left: true}, func(r *Row) any { return r.Verdict }},
		column{lb.decides("points"), listing.Column{Name: "Points"}, func(r *Row) any { return r.Points }},
		column{lb.decides("Buchholz"), listing.Column{Name: "Buchholz"}, func(r *Row) any { return r.Buchholz }},
		column{lb.decides("direct encounter"), listing.Column{Name: "Direct", Key: "direct_encounter", Data: data || lb.decides("Buchholz")}, func(r *Row) any { return r.Direct }},
		column{lb.decides("Sonneborn-Berger"), listing.Column{Name: "Sonneborn-Berger", Key: "sonneborn_berger", Data: data}, func(r *Row) any { return r.SonnebornBerger }},
		column{lb.byes, listing.Column{Name: "Byes"}, func(r *Row) any { return r.Byes }},
	)
}

// Decisive returns the headings of the criteria that decide the places, except Elo, and
// the cells for each row of [Leaderboard.All].
func (lb *Leaderboard) Decisive() (names []string, cells map[string][]string) {
	return lb.cells(lb.decisive())
}

// Groups returns the same for the columns that number groups of bots whose ratings
// cannot be compared.
func (lb *Leaderboard) Groups() (names []string, cells map[string][]string) {
	return lb.cells(lb.groups())
}

func (lb *Leaderboard) cells(columns []column) (names []string, cells map[string][]string) {
	cells = map[string][]string{}
	for _, c := range columns {
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
