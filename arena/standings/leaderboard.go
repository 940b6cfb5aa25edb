package standings

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"botarena/arena"
	"botarena/arena/listing"
	"botarena/arena/rating"
	"botarena/arena/text"
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
	// Fits are what each component by itself says, where there are several; the
	// advantage above is then that of the one with the most games.
	Fits []*rating.Fit `json:"fits,omitempty"`
	// Prior is the standard deviation in Elo of the prior that the ratings were
	// given; 0 for none.
	Prior float64  `json:"prior,omitempty"`
	Notes []string `json:"notes"`

	method method
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
	// Component is the piece of the pool that the bot is rated in: the index into
	// the leaderboard's components, -1 without games.
	Component int `json:"component"`
	// NashElo is the bot's expected difference to the maximum-entropy Nash average
	// of the pool, NashShare its share in it; nil unless asked for.
	NashElo   *float64 `json:"nash_elo,omitempty"`
	NashShare *float64 `json:"nash_share,omitempty"`
	// EloIncremental is the rating updated game by game, in schedule order; nil
	// where several events are taken together.
	EloIncremental *float64 `json:"elo_incremental"`
	Counts
}

// Options choose how a leaderboard is rated.
type Options struct {
	Event  string
	Game   string
	Sides  [2]string
	Anchor *rating.Anchor
	Prior  float64 // standard deviation in Elo of a prior on each rating; 0: none
	// PriorIfApart is the prior where the results leave bots that cannot be
	// compared; 0: these are rated in pieces.
	PriorIfApart float64
	Nash         bool               // with the Nash average
	Incremental  map[string]float64 // by bot; nil where there is none
	Withdrawn    []string           // bots that play no more games of the event
}

// NewLeaderboard rates the games that were counted and ranks the bots. All games
// are of one game; versions of a bot are apart (see [arena.Counts.Names]). The
// error is that of an anchor which cannot be used.
func NewLeaderboard(c *arena.Counts, o Options) (*Leaderboard, error) {
	lb := &Leaderboard{
		Event: o.Event, Game: o.Game, Sides: o.Sides, Bots: []Row{}, Components: [][]string{}, Notes: []string{},
		method: method{anchor: o.Anchor},
	}
	for i := range c.Endings {
		if c.Endings[i].Result == arena.Unplayed {
			lb.Unplayed += c.Endings[i].Games
		}
	}
	lb.Games = c.Played()
	if len(o.Withdrawn) > 0 {
		lb.Notes = append(lb.Notes, "withdrawn, and playing no more games: "+strings.Join(o.Withdrawn, ", "))
	}
	names := c.Names()
	results, err := resultsOf(c, names)
	if err != nil {
		return nil, err
	}
	table := &rating.Table{}
	if lb.Games > 0 {
		if table, err = rating.Rate(results, rating.Options{Pairs: true, Anchor: o.Anchor, Prior: o.Prior, PriorIfApart: o.PriorIfApart}); err != nil {
			return nil, err
		}
		lb.Advantage, lb.AdvantageError, lb.DrawRate = table.Advantage, table.AdvantageError, table.DrawRate
		lb.Components, lb.Fits = table.Components, table.Fits
		lb.Prior, lb.method.prior, lb.method.pairs = table.Prior, table.Prior, table.Pairs
		if _, note := repeats(c, names); note != "" {
			lb.Notes = append(lb.Notes, note)
		}
		lb.Notes = append(lb.Notes, table.Notes...)
		if len(table.Players) == 2 {
			lb.Notes = append(lb.Notes, "Elo here is fitted with draws and the sides' advantage; head to head it is that of the score")
		}
		if note := CycleNote(results, table); note != "" {
			lb.Notes = append(lb.Notes, note)
		}
	}
	tallies := count(c, names)
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
		lb.add(rating.Player{Name: name, Component: -1}, tallies[name].result(), o)
	}
	if o.Nash && lb.Games > 0 {
		lb.nash(rating.NashAverage(results, table))
	}
	return lb, nil
}

func (lb *Leaderboard) add(p rating.Player, c Counts, o Options) {
	row := Row{Rank: len(lb.Bots) + 1, Bot: p.Name, Elo: p.Elo, Error: p.Error, Bounds: p.Bounds, LOSNext: p.LOSNext, Component: p.Component, Counts: c}
	if r, ok := o.Incremental[p.Name]; ok {
		row.EloIncremental = &r
	}
	lb.Bots = append(lb.Bots, row)
}

// nash fills in the Nash average.
func (lb *Leaderboard) nash(lines []rating.NashLine) {
	of := map[string]rating.NashLine{}
	for _, l := range lines {
		of[l.Name] = l
	}
	for i := range lb.Bots {
		if l, ok := of[lb.Bots[i].Bot]; ok {
			lb.Bots[i].NashElo, lb.Bots[i].NashShare = &l.Elo, &l.Share
		}
	}
	lb.Notes = slices.Insert(lb.Notes, 0, "Nash: Elo expected against the pool's maximum-entropy equilibrium; Share: the bot's in it")
}

// Chart shows the ratings with their intervals.
func (lb *Leaderboard) Chart() Chart {
	t := lb.Table()
	c := Chart{Title: t.Title, Notes: t.Notes, Full: t.Full}
	for i := range lb.Bots {
		r := &lb.Bots[i]
		c.Bars = append(c.Bars, newBar(r.Bot, r.Elo, r.Error, r.Bounds, r.Component))
	}
	return c
}

// Table lays the leaderboard out. Columns that say nothing (no draws, no
// forfeits) are left out.
func (lb *Leaderboard) Table() listing.Table {
	title := lb.Game
	if lb.Event != "" {
		title = lb.Event + " · " + lb.Game
	}
	t := listing.Table{Title: fmt.Sprintf("%s · %s", title, text.Plural(lb.Games, "game"))}
	if lb.Unplayed > 0 {
		t.Title += fmt.Sprintf(" of %d", lb.Games+lb.Unplayed)
	}
	var faults Forfeits
	for i := range lb.Bots {
		faults = faults.plus(lb.Bots[i].Forfeits)
	}
	for _, c := range columns(lb.Sides, faults, len(lb.Components) > 1, slices.ContainsFunc(lb.Bots, func(r Row) bool { return r.NashElo != nil })) {
		t.Columns = append(t.Columns, listing.Column{Name: c.name, Left: c.left})
		for i := range lb.Bots {
			if len(t.Rows) <= i {
				t.Rows = append(t.Rows, nil)
			}
			t.Rows[i] = append(t.Rows[i], c.cell(&lb.Bots[i]))
		}
	}
	t.Notes, t.Full = lb.footer()
	return t
}

type column struct {
	name string
	left bool
	cell func(*Row) string
}

func columns(sides [2]string, faults Forfeits, pieces, nash bool) []column {
	number := func(f func(*Row) int) func(*Row) string {
		return func(r *Row) string { return strconv.Itoa(f(r)) }
	}
	list := []column{
		{name: "#", cell: number(func(r *Row) int { return r.Rank })},
		{name: "Bot", left: true, cell: func(r *Row) string { return r.Bot }},
		{name: "Elo", cell: func(r *Row) string { return eloCell(r.Elo, r.Bounds, 0) }},
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
	if nash {
		list = slices.Insert(list, 5,
			column{name: "Nash", cell: func(r *Row) string { return eloCell(r.NashElo, nil, 0) }},
			column{name: "Share", cell: func(r *Row) string { return percent(r.NashShare) }})
	}
	if pieces {
		list = slices.Insert(list, 2, column{name: pieceColumn, cell: number(func(r *Row) int { return r.Component + 1 })})
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

func (lb *Leaderboard) footer() (lines, full []string) {
	if lb.Games == 0 {
		return []string{"No game has a result yet."}, nil
	}
	return footer(lb.method, lb.DrawRate, lb.Advantage, lb.AdvantageError, "Playing "+lb.Sides[0], lb.Notes)
}

func (f Forfeits) plus(g Forfeits) Forfeits {
	return Forfeits{f.Time + g.Time, f.Illegal + g.Illegal, f.Crash + g.Crash, f.Stall + g.Stall, f.Protocol + g.Protocol}
}

// signed rounds to a whole number with its sign; a rounded 0 has none to lose.
func signed(x float64) string { return signedTo(x, 0) }

func signedTo(x float64, decimals int) string {
	unit := math.Pow(10, float64(decimals))
	return fmt.Sprintf("%+.*f", decimals, math.Round(x*unit)/unit+0)
}

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
