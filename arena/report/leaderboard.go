package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"botarena/arena"
	"botarena/arena/rating"
)

// A Leaderboard ranks the bots of one event, or of all events of one game.
type Leaderboard struct {
	Event     string    `json:"event,omitempty"`
	Game      string    `json:"game"`
	Sides     [2]string `json:"sides"` // names of the sides
	Bots      []Row     `json:"bots"`
	Games     int       `json:"games"`    // with a result
	Unplayed  int       `json:"unplayed"` // planned, without a result
	DrawRate  float64   `json:"draw_rate"`
	Advantage *float64  `json:"advantage"` // of the first side, Elo; nil where not fitted
	// AdvantageError is the half-width of the advantage's 95 % interval.
	AdvantageError *float64   `json:"advantage_error"`
	Components     [][]string `json:"components"`
	Notes          []string   `json:"notes"`
}

// A Row is one bot's line.
type Row struct {
	Rank int    `json:"rank"`
	Bot  string `json:"bot"`
	// Elo is the maximum-likelihood rating, centred on the pool's mean unless the
	// leaderboard is anchored; Error the half-width of its 95 % interval, from
	// pairs. Both are nil for a bot that cannot be rated: see Bounds.
	Elo    *float64       `json:"elo"`
	Error  *float64       `json:"error"`
	Bounds []rating.Bound `json:"bounds,omitempty"`
	// LOSNext is the likelihood of superiority over the next bot.
	LOSNext *float64 `json:"los_next"`
	// EloIncremental is the rating updated game by game, in schedule order; nil
	// where several events are taken together.
	EloIncremental *float64 `json:"elo_incremental"`
	Counts
}

// Options choose how a leaderboard is rated.
type Options struct {
	Event       string
	Game        string
	Sides       [2]string
	Anchor      *rating.Anchor
	Incremental map[string]float64 // by bot; nil where there is none
}

// NewLeaderboard rates the games and ranks the bots. All games are of one game,
// in schedule order; bots keep their versions apart by their names. The error is
// that of an anchor which cannot be used.
func NewLeaderboard(games []arena.Game, o Options) (*Leaderboard, error) {
	var results rating.Results
	lb := &Leaderboard{Event: o.Event, Game: o.Game, Sides: o.Sides, Bots: []Row{}, Components: [][]string{}, Notes: []string{}}
	pairs := pairNumbers{}
	for i := range games {
		g := &games[i]
		score, played := g.Result.Score()
		if !played {
			lb.Unplayed++
			continue
		}
		lb.Games++
		if err := results.Add(rating.Game{First: g.First, Second: g.Second, Score: rating.Score(2 * score), Pair: pairs.of(g)}); err != nil {
			return nil, fmt.Errorf("game %d of %s: %w", g.Number, g.Event, err)
		}
	}
	table := &rating.Table{}
	if lb.Games > 0 {
		var err error
		if table, err = rating.Rate(&results, rating.Options{Pairs: true, Anchor: o.Anchor}); err != nil {
			return nil, err
		}
		lb.Advantage, lb.AdvantageError, lb.DrawRate = table.Advantage, table.AdvantageError, table.DrawRate
		lb.Components = table.Components
		lb.Notes = append(lb.Notes, table.Notes...)
	}
	tallies := count(games)
	for _, p := range table.Players {
		lb.add(p, tallies[p.Name].result(), o)
		delete(tallies, p.Name)
	}
	var idle []string
	for name := range tallies {
		idle = append(idle, name)
	}
	slices.Sort(idle)
	for _, name := range idle {
		lb.add(rating.Player{Name: name}, tallies[name].result(), o)
	}
	if _, note := repeats(games); note != "" {
		lb.Notes = append(lb.Notes, note)
	}
	return lb, nil
}

func (lb *Leaderboard) add(p rating.Player, c Counts, o Options) {
	row := Row{Rank: len(lb.Bots) + 1, Bot: p.Name, Elo: p.Elo, Error: p.Error, Bounds: p.Bounds, LOSNext: p.LOSNext, Counts: c}
	if r, ok := o.Incremental[p.Name]; ok {
		row.EloIncremental = &r
	}
	lb.Bots = append(lb.Bots, row)
}

// Table lays the leaderboard out. Columns that say nothing (no draws, no
// forfeits) are left out.
func (lb *Leaderboard) Table() Table {
	title := lb.Game
	if lb.Event != "" {
		title = lb.Event + " · " + lb.Game
	}
	t := Table{Title: fmt.Sprintf("%s · %s", title, plural(lb.Games, "game"))}
	if lb.Unplayed > 0 {
		t.Title += fmt.Sprintf(" of %d", lb.Games+lb.Unplayed)
	}
	var faults Forfeits
	for i := range lb.Bots {
		faults = faults.plus(lb.Bots[i].Forfeits)
	}
	for _, c := range columns(lb.Sides, faults) {
		t.Columns = append(t.Columns, Column{Name: c.name, Left: c.left})
		for i := range lb.Bots {
			if len(t.Rows) <= i {
				t.Rows = append(t.Rows, nil)
			}
			t.Rows[i] = append(t.Rows[i], c.cell(&lb.Bots[i]))
		}
	}
	t.Notes = lb.footer()
	return t
}

type column struct {
	name string
	left bool
	cell func(*Row) string
}

func columns(sides [2]string, faults Forfeits) []column {
	number := func(f func(*Row) int) func(*Row) string {
		return func(r *Row) string { return strconv.Itoa(f(r)) }
	}
	list := []column{
		{name: "#", cell: number(func(r *Row) int { return r.Rank })},
		{name: "Bot", left: true, cell: func(r *Row) string { return r.Bot }},
		{name: "Elo", cell: (*Row).elo},
		{name: "±", cell: func(r *Row) string { return decimal(r.Error, "%.0f") }},
		{name: "LOS", cell: func(r *Row) string { return percent(r.LOSNext) }},
		{name: "Games", cell: number(func(r *Row) int { return r.Games })},
		{name: "Wins", cell: number(func(r *Row) int { return r.Wins })},
		{name: "Draws", cell: number(func(r *Row) int { return r.Draws })},
		{name: "Losses", cell: number(func(r *Row) int { return r.Losses })},
		{name: "Score", cell: func(r *Row) string { return percent(r.Score) }},
		{name: "As " + sides[0], cell: func(r *Row) string { return percent(r.AsFirst) }},
		{name: "As " + sides[1], cell: func(r *Row) string { return percent(r.AsSecond) }},
		{name: "Plies", cell: func(r *Row) string { return fmt.Sprintf("%.1f", r.AveragePlies) }},
	}
	for _, f := range []struct {
		name  string
		total int
		count func(*Row) int
	}{
		{"Time forfeits", faults.Time, func(r *Row) int { return r.Forfeits.Time }},
		{"Illegal moves", faults.Illegal, func(r *Row) int { return r.Forfeits.Illegal }},
		{"Crashes", faults.Crash, func(r *Row) int { return r.Forfeits.Crash }},
		{"Stalls", faults.Stall, func(r *Row) int { return r.Forfeits.Stall }},
		{"Protocol errors", faults.Protocol, func(r *Row) int { return r.Forfeits.Protocol }},
	} {
		if f.total > 0 {
			list = append(list, column{name: f.name, cell: number(f.count)})
		}
	}
	return list
}

// elo is the rating, or its bound where there is one only.
func (r *Row) elo() string {
	if r.Elo != nil {
		return signed(*r.Elo)
	}
	if len(r.Bounds) == 0 {
		return "-"
	}
	sign := ">"
	if r.Bounds[0].Kind == "upper" {
		sign = "<"
	}
	return fmt.Sprintf("%s%+.0f", sign, r.Bounds[0].Elo)
}

func (lb *Leaderboard) footer() []string {
	if lb.Games == 0 {
		return []string{"No game has a result yet."}
	}
	line := "Elo: maximum likelihood around the pool's mean; ±: 95 % interval, from pairs; LOS: likelihood of superiority over the next."
	facts := []string{fmt.Sprintf("Draws: %.1f %%.", 100*lb.DrawRate)}
	if lb.Advantage != nil && lb.AdvantageError != nil {
		facts = append(facts, fmt.Sprintf("Playing %s is worth %+.0f ± %.0f Elo.", lb.Sides[0], *lb.Advantage, *lb.AdvantageError))
	}
	notes := []string{line, strings.Join(facts, " ")}
	for _, n := range lb.Notes {
		notes = append(notes, "Note: "+n+".")
	}
	return notes
}

func (f Forfeits) plus(g Forfeits) Forfeits {
	return Forfeits{f.Time + g.Time, f.Illegal + g.Illegal, f.Crash + g.Crash, f.Stall + g.Stall, f.Protocol + g.Protocol}
}

// signed rounds to a whole number with its sign; a rounded 0 has none to lose.
func signed(x float64) string { return fmt.Sprintf("%+.0f", math.Round(x)+0) }

func decimal(x *float64, format string) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf(format, *x)
}

func percent(x *float64) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100**x)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
