package standings

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"botarena/arena"
	"botarena/arena/rating"
	"botarena/arena/rating/sprt"
	"botarena/arena/schedule"
)

// A Leaderboard ranks the bots of one event, or of events of one game that are rated
// together. In an event its format decides the places; over several, Elo does.
type Leaderboard struct {
	Event string `json:"event,omitempty"`
	Game  string `json:"game"`
	// Format is the format of the event.
	Format arena.Format `json:"format,omitempty"`
	Scope
	Sides [2]string `json:"sides"` // names of the sides
	// Order names the criteria that decide the places, first to last, such as "points"
	// and "wins".
	Order []string `json:"order"`
	// Method names how Elo was computed.
	Method    Method   `json:"method"`
	Bots      []Row    `json:"bots"`
	Games     int      `json:"games"`    // with a result
	Unplayed  int      `json:"unplayed"` // planned, without a result
	DrawRate  float64  `json:"draw_rate"`
	Advantage *float64 `json:"advantage"` // of the first side, Elo; nil if not fitted
	// AdvantageError is the half-width of the advantage's 95 % interval.
	AdvantageError *float64   `json:"advantage_error"`
	Components     [][]string `json:"components"`
	// Pools is the number of groups of bots that no chain of games links.
	Pools int `json:"pools"`
	// Fits holds the fit of each component if there are several; the advantage above is
	// then that of the one with the most games.
	Fits []*rating.Fit `json:"fits,omitempty"`
	// Anytime is, of two bots alone without a test, the difference of the better to the
	// other that holds at all times together.
	Anytime *Anytime `json:"anytime,omitempty"`
	// Prior is the standard deviation in Elo of the prior on the ratings; 0 for none.
	Prior float64 `json:"prior,omitempty"`
	// Links describes the links between versions; nil if there are none.
	Links *rating.VersionLinks `json:"version_links,omitempty"`
	// Bracket is the bracket of a knockout.
	Bracket *schedule.Bracket `json:"bracket,omitempty"`
	// Race is the state of a race.
	Race  *schedule.Race `json:"race,omitempty"`
	Notes []string       `json:"notes"`

	more   []string
	anchor *rating.Anchor
	pairs  bool
	round  int
	byes   bool
	nash   bool
	// test reports that an SPRT ends the event, which plans its games as they are wanted,
	// and undecided that one of two bots has not.
	test, undecided bool
	// foreign reports that the games were played elsewhere, so that less is known of
	// them.
	foreign bool
}

// A Method is a way to compute Elo.
type Method string

// The methods. For two bots the score of their pairs gives the difference between them,
// which is the Elo of each.
const (
	MaximumLikelihood Method = "maximum likelihood"
	OfTwo             Method = "head to head"
	AfterStop         Method = "median-unbiased after the test's stop"
)

// A Row is one bot's line.
type Row struct {
	// Rank is the place, shared where nothing decides. It starts at 1 in each pool, and
	// is 0 for an earlier version of a bot.
	Rank int    `json:"rank"`
	Bot  string `json:"bot"`
	// Elo is nil for a bot that cannot be rated: see Bounds. It is centred on the pool's
	// mean unless the leaderboard is anchored; of two bots it is the difference to the other.
	Elo    *float64       `json:"elo"`
	Error  *float64       `json:"elo_error"` // half-width of the 95 % interval, from pairs
	Bounds []rating.Bound `json:"bounds,omitempty"`
	// LOS is the likelihood of superiority over the next bot; nil if no games link them.
	LOS *float64 `json:"los"`
	// LOSOverLast is the likelihood of superiority over the bot's version before; nil if
	// there is none, or no games link them.
	LOSOverLast *float64 `json:"los_over_last,omitempty"`
	// Component is the piece of the pool that the bot is rated in: the index into
	// the leaderboard's components, -1 without games.
	Component int `json:"component"`
	Pool      int `json:"pool"` // from 1; bots of different pools cannot be compared; 0 without games
	// NashElo is the bot's expected difference to the maximum-entropy Nash average
	// of the pool, NashShare its share in it; nil unless asked for.
	NashElo   *float64 `json:"nash_elo,omitempty"`
	NashShare *float64 `json:"nash_share,omitempty"`
	// EloIncremental is the rating updated game by game, in schedule order: the history
	// of an event, not its outcome. It is nil if several events are rated together.
	EloIncremental *float64 `json:"elo_incremental"`
	TieBreaks
	Counts // in a Swiss event byes add points
	// Versions are the earlier versions of the bot, and the bots that it replaced, the
	// latest first.
	Versions []Row `json:"versions,omitempty"`

	version arena.BotVersion
}

// TieBreaks holds the criteria that decide places after points. It is nil if the
// event's format does not use them.
type TieBreaks struct {
	Direct          *float64 `json:"direct_encounter,omitempty"`
	Buchholz        *float64 `json:"buchholz,omitempty"`
	SonnebornBerger *float64 `json:"sonneborn_berger,omitempty"`
	Byes            int      `json:"byes,omitempty"`
	Reached         string   `json:"reached,omitempty"` // the last stage of a knockout, or "winner"
	Verdict         string   `json:"verdict,omitempty"` // of a race, with the pair that decided it
}

// Leaderboard rates the selected games, which are of one game, and ranks the bots;
// versions of a bot are rated separately (see [arena.Counts.Names]). The error is about
// the anchor.
func (s *Selection) Leaderboard() (*Leaderboard, error) {
	c := &s.Counts
	lb := &Leaderboard{
		Event: s.Config.Name, Game: s.Game, Scope: s.Scope, Sides: s.Sides, Order: []string{"Elo"}, Method: MaximumLikelihood,
		Bots: []Row{}, Components: [][]string{}, Notes: []string{}, anchor: s.Anchor, test: s.Config.SPRT != nil,
		undecided: s.Test != nil && s.Test.Verdict == sprt.Continue && s.Failing == "",
	}
	for i := range c.Endings {
		if c.Endings[i].Result == arena.Unplayed {
			lb.Unplayed += c.Endings[i].Games
		}
	}
	lb.Games = c.Played()
	var withdrawn []string
	for _, b := range s.Config.Bots {
		if b.Withdrawn {
			withdrawn = append(withdrawn, b.Name)
		}
	}
	if len(withdrawn) > 0 {
		lb.Notes = append(lb.Notes, "withdrawn, and playing no more games: "+strings.Join(withdrawn, ", "))
	}
	names := c.Names()
	results, err := resultsOf(c, names)
	if err != nil {
		return nil, err
	}
	table := &rating.Table{}
	if lb.Games > 0 {
		ask := rating.Options{Pairs: true, Anchor: s.Anchor, Prior: s.Prior, PriorIfApart: s.PriorIfApart}
		if ask.Links, ask.Spread, err = s.links(names, results.Names()); err != nil {
			return nil, err
		}
		two := len(results.Names()) == 2 && s.Prior == 0 && len(ask.Links) == 0
		if two {
			ask.Anchor, ask.PriorIfApart = nil, 0
		}
		if table, err = rating.Rate(results, ask); err != nil {
			return nil, err
		}
		if _, note := repeats(c, names); note != "" {
			lb.Notes = append(lb.Notes, note)
		}
		if two {
			if err := lb.ofTwo(results, table, s); err != nil {
				return nil, err
			}
			table.Fits, table.Prior, table.Notes, table.Detail = nil, 0, nil, nil
		} else {
			lb.pairs = table.Pairs
		}
		lb.fitted(table)
		if note := CycleNote(results, table); note != "" {
			lb.Notes = append(lb.Notes, note)
		}
	}
	lb.rows(s, table, names)
	if lb.Links == nil && s.LinkVersions != "" && s.LinkVersions != arena.LinksOff {
		lb.Notes = slices.Insert(lb.Notes, 0, NothingToLink)
	}
	if s.Nash && lb.Games > 0 {
		lb.average(rating.NashAverage(results, table))
	}
	lb.line(s, table)
	lb.place(table)
	return lb, nil
}

// fitted copies the fitted parameters from the table.
func (lb *Leaderboard) fitted(t *rating.Table) {
	lb.DrawRate, lb.Advantage, lb.AdvantageError = t.DrawRate, t.Advantage, t.AdvantageError
	lb.Fits, lb.Prior, lb.Components, lb.Pools, lb.Links = t.Fits, t.Prior, t.Components, t.Pools, t.Links
	lb.Notes, lb.more = append(lb.Notes, t.Notes...), t.Detail
}

// Ratings returns the leaderboard of games that were played anywhere.
func Ratings(t *rating.Table, o rating.Options) *Leaderboard {
	lb := &Leaderboard{Method: MaximumLikelihood, Games: t.Games, anchor: o.Anchor, pairs: t.Pairs, foreign: true}
	lb.fitted(t)
	for i := range t.Players {
		p := &t.Players[i]
		row := newRow(p)
		row.Tally = arena.Tally{Games: p.Games, Wins: p.Wins, Draws: p.Draws, Losses: p.Losses, Points: p.Points}
		row.Score = row.Share()
		lb.Bots = append(lb.Bots, row)
	}
	lb.place(t)
	if len(lb.Bots) == 2 {
		a, b := lb.Bots[0].Bot, lb.Bots[1].Bot
		if elo, errorBar, _, ok := t.Compare(a, b); ok {
			lb.Notes = append(lb.Notes, fmt.Sprintf("%s stands %.0f ± %.0f Elo above %s", a, elo, errorBar, b))
		}
	}
	return lb
}

func newRow(p *rating.Player) Row {
	return Row{Bot: p.Name, Elo: p.Elo, Error: p.Error, Bounds: p.Bounds, LOS: p.LOSNext, Component: p.Component, Pool: p.Pool}
}

// rows fills in a row for each bot, in the order of the event's format, or of the table.
func (lb *Leaderboard) rows(s *Selection, t *rating.Table, names map[arena.BotVersion]string) {
	versions := map[string]arena.BotVersion{}
	for version, name := range names {
		versions[name] = version
	}
	counts, incremental := count(&s.Counts, names), map[string]*float64{}
	if s.Event != nil {
		for i := range s.Event.Entries {
			incremental[s.Event.Entries[i].Name] = &s.Event.Entries[i].Rating
		}
	}
	add := func(row Row) {
		row.Counts, row.version, row.EloIncremental = *counts[row.Bot], versions[row.Bot], incremental[row.Bot]
		lb.Bots = append(lb.Bots, row)
	}
	rated := map[string]bool{}
	for i := range t.Players {
		rated[t.Players[i].Name] = true
		add(newRow(&t.Players[i]))
	}
	for _, idle := range slices.Sorted(maps.Keys(counts)) {
		if !rated[idle] {
			add(Row{Bot: idle, Component: -1})
		}
	}
	if s.Config.Name != "" {
		lb.Format = s.Config.Format
		lb.standing(s)
	}
}

// standing sorts the rows in the order of the event's format, which may rank bots that
// have only had byes so far.
func (lb *Leaderboard) standing(sel *Selection) {
	at := map[string]*Row{} // by name in the event: several versions of one are not ranked apart
	for i := range lb.Bots {
		if r := &lb.Bots[i]; at[r.version.Name] == nil || at[r.version.Name].Games < r.Games {
			at[r.version.Name] = r
		}
	}
	st := schedule.StandingsOf(sel.Config, schedule.Played{Counts: &sel.Counts, Games: sel.Games, Elo: func(bot string) *float64 {
		if r := at[bot]; r != nil {
			return r.Elo
		}
		return nil
	}})
	lb.Order, lb.Bracket, lb.Race, lb.round = st.Order, st.Bracket, st.Race, st.Round
	var rows []Row
	in := map[string]bool{}
	for i := range st.Rows {
		s := &st.Rows[i]
		row := Row{Bot: s.Bot, Component: -1, version: arena.BotVersion{Name: s.Bot}}
		switch r := at[s.Bot]; {
		case r != nil:
			row = *r
		case len(lb.Bots) > 0 && s.Byes == 0 && s.Reached == "" && s.Verdict == "":
			continue // it has no game in the schedule yet
		}
		in[row.Bot] = true
		row.Rank, row.Points = s.Place, s.Points
		row.Byes, row.Reached, row.Verdict = s.Byes, s.Reached, s.Verdict
		lb.byes = lb.byes || s.Byes > 0
		if lb.decides("direct encounter") {
			row.Direct = &s.Direct
		}
		if lb.decides("Buchholz") {
			row.Buchholz = &s.Buchholz
		}
		if lb.decides("Sonneborn-Berger") {
			row.SonnebornBerger = &s.SonnebornBerger
		}
		rows = append(rows, row)
	}
	for _, r := range lb.Bots {
		if !in[r.Bot] {
			r.Rank = len(rows) + 1
			rows = append(rows, r)
		}
	}
	lb.Bots = rows
}

// decides reports whether a criterion, such as "points", decides places.
func (lb *Leaderboard) decides(by string) bool { return slices.Contains(lb.Order, by) }

// successor returns the bot that finally replaced another one, and the number of
// replacements.
func (s *Selection) successor(bot string) (latest string, steps int) {
	for steps <= len(s.Replaced) { // ends even where two are said to replace each other
		next, ok := s.Replaced[bot]
		if !ok {
			break
		}
		bot, steps = next, steps+1
	}
	return bot, steps
}

// line moves the earlier versions of a bot, and those that it replaced, below it, and
// compares each with the one before.
func (lb *Leaderboard) line(s *Selection, t *rating.Table) {
	groups := map[string][]Row{}
	for _, r := range lb.Bots {
		latest, _ := s.successor(r.version.Name)
		groups[latest] = append(groups[latest], r)
	}
	for _, group := range groups {
		slices.SortStableFunc(group, func(a, b Row) int {
			_, i := s.successor(a.version.Name)
			_, k := s.successor(b.version.Name)
			return cmp.Or(i-k, b.version.Version-a.version.Version)
		})
		for i := range group[1:] {
			if _, _, los, ok := t.Compare(group[i].Bot, group[i+1].Bot); ok && lb.Method == MaximumLikelihood {
				group[i].LOSOverLast = &los
			}
		}
	}
	rows := lb.Bots[:0]
	for _, r := range lb.Bots {
		latest, _ := s.successor(r.version.Name)
		if group := groups[latest]; group[0].Bot == r.Bot {
			r.LOSOverLast = group[0].LOSOverLast
			for _, old := range group[1:] {
				old.Rank, old.LOS = 0, nil
				r.Versions = append(r.Versions, old)
			}
			rows = append(rows, r)
		}
	}
	lb.Bots = rows
}

// place numbers the rows, and computes the likelihood that each is stronger than the
// next.
func (lb *Leaderboard) place(t *rating.Table) {
	first, before := 0, 0 // row of the pool's first, and place of the row before by the format
	for i := range lb.Bots {
		r := &lb.Bots[i]
		own := r.Rank
		if i > 0 && lb.Format == "" && r.Pool != 0 && r.Pool != lb.Bots[i-1].Pool {
			first = i
		}
		if lb.Format == "" || i == 0 || own != before {
			r.Rank = i + 1 - first
		} else {
			r.Rank = lb.Bots[i-1].Rank
		}
		before = own
		last := i+1 == len(lb.Bots)
		if last || lb.Method == MaximumLikelihood {
			r.LOS = nil
		}
		if last || lb.Method != MaximumLikelihood {
			continue
		}
		if _, _, los, ok := t.Compare(r.Bot, lb.Bots[i+1].Bot); ok {
			r.LOS = &los
		}
	}
}

// average fills in the Nash average.
func (lb *Leaderboard) average(lines []rating.NashLine) {
	lb.nash = true
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

// All returns the rows with those of earlier versions after each bot.
func (lb *Leaderboard) All() []*Row {
	var all []*Row
	for i := range lb.Bots {
		all = append(all, &lb.Bots[i])
		for k := range lb.Bots[i].Versions {
			all = append(all, &lb.Bots[i].Versions[k])
		}
	}
	return all
}

// Chart returns the ratings with their intervals as a chart.
func (lb *Leaderboard) Chart() Chart {
	t := lb.Table()
	c := Chart{Title: t.Title, Notes: t.Notes, More: t.More}
	for _, r := range lb.All() {
		c.Bars = append(c.Bars, r.Bar())
	}
	return c
}
