package standings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"botarena/arena"
	"botarena/arena/rating"
	"botarena/arena/schedule"
	"botarena/arena/text"
	"botarena/engine/nearest"
)

// A Leaderboard ranks the bots of one event, or of events of one game that are rated
// together. In an event its format decides the places; over several, Elo does.
type Leaderboard struct {
	Event string `json:"event,omitempty"`
	Game  string `json:"game"`
	// Format is that of the event.
	Format arena.Format `json:"format,omitempty"`
	Scope
	Sides [2]string `json:"sides"` // names of the sides
	// Order names what decides the places, first to last, such as "points" and "wins".
	Order []string `json:"order"`
	// Method names where Elo comes from.
	Method    Method   `json:"method"`
	Bots      []Row    `json:"bots"`
	Games     int      `json:"games"`    // with a result
	Unplayed  int      `json:"unplayed"` // planned, without a result
	DrawRate  float64  `json:"draw_rate"`
	Advantage *float64 `json:"advantage"` // of the first side, Elo; nil where not fitted
	// AdvantageError is the half-width of the advantage's 95 % interval.
	AdvantageError *float64   `json:"advantage_error"`
	Components     [][]string `json:"components"`
	// Pools is how many groups of bots there are that no chain of games links.
	Pools int `json:"pools"`
	// Fits are what each component by itself says, where there are several; the
	// advantage above is then that of the one with the most games.
	Fits []*rating.Fit `json:"fits,omitempty"`
	// Prior is the standard deviation in Elo of the prior that the ratings were
	// given; 0 for none.
	Prior float64 `json:"prior,omitempty"`
	// Bracket is that of a knockout.
	Bracket *schedule.Bracket `json:"bracket,omitempty"`
	Notes   []string          `json:"notes"`

	more   []string
	anchor *rating.Anchor
	pairs  bool
	round  int
	byes   bool
	nash   bool
}

// A Method is a way to compute Elo.
type Method string

// The methods. Of two bots alone the score of their pairs tells the difference between
// them, which is the Elo of each.
const (
	MaximumLikelihood Method = "maximum likelihood"
	OfTwo             Method = "head to head"
	AfterStop         Method = "median-unbiased after the test's stop"
)

// A Row is one bot's line.
type Row struct {
	// Rank is the place, shared where nothing decides. It begins anew in each pool, and is
	// 0 for an earlier version of a bot.
	Rank int    `json:"rank"`
	Bot  string `json:"bot"`
	// Elo is nil for a bot that cannot be rated: see Bounds. It is centred on the pool's
	// mean unless the leaderboard is anchored; of two bots it is the difference to the other.
	Elo    *float64       `json:"elo"`
	Error  *float64       `json:"elo_error"` // half-width of the 95 % interval, from pairs
	Bounds []rating.Bound `json:"bounds,omitempty"`
	// LOS is the likelihood of superiority over the next bot; nil if no games link them.
	LOS *float64 `json:"los"`
	// Component is the piece of the pool that the bot is rated in: the index into
	// the leaderboard's components, -1 without games.
	Component int `json:"component"`
	Pool      int `json:"pool"` // bots of different pools cannot be compared
	// NashElo is the bot's expected difference to the maximum-entropy Nash average
	// of the pool, NashShare its share in it; nil unless asked for.
	NashElo   *float64 `json:"nash_elo,omitempty"`
	NashShare *float64 `json:"nash_share,omitempty"`
	// EloIncremental is the rating updated game by game, in schedule order: the history of
	// an event, not its outcome. It is nil where several events are taken together.
	EloIncremental *float64 `json:"elo_incremental"`
	// Points are of all games; in a Swiss event byes add some.
	Points float64 `json:"points"`
	TieBreaks
	Counts
	// Versions are the earlier versions of the bot, and the bots that it replaced, the
	// latest first.
	Versions []Row `json:"versions,omitempty"`
}

// TieBreaks holds what decides places after points. It is nil if the event's format
// does not ask for it.
type TieBreaks struct {
	Direct          *float64 `json:"direct_encounter,omitempty"`
	Buchholz        *float64 `json:"buchholz,omitempty"`
	SonnebornBerger *float64 `json:"sonneborn_berger,omitempty"`
	Byes            int      `json:"byes,omitempty"`
	Reached         string   `json:"reached,omitempty"` // the last stage of a knockout, or "winner"
}

// Options selects how a leaderboard is rated.
type Options struct {
	Event  string
	Game   string
	Scope  Scope
	Sides  [2]string
	Anchor *rating.Anchor
	Prior  float64 // standard deviation in Elo of a prior on each rating; 0: none
	// PriorIfApart is the prior where the results leave bots that cannot be
	// compared; 0: these are rated in pieces.
	PriorIfApart float64
	Nash         bool               // with the Nash average
	Incremental  map[string]float64 // by bot; nil if there is none
	Withdrawn    []string           // bots that play no more games of the event
	// Config is the event, whose format decides the places; nil for several.
	Config *arena.Event
	Played []arena.Game // of the event, where its format PairsByResults
	Test   *SPRTOutcome // of the event, where it has one
	// Replaced has for a bot the one that took its place.
	Replaced map[string]string
}

// NewLeaderboard rates the games that were counted and ranks the bots. All games
// are of one game; versions of a bot are apart (see [arena.Counts.Names]). The
// error is that of an anchor which cannot be used.
func NewLeaderboard(c *arena.Counts, o Options) (*Leaderboard, error) {
	lb := &Leaderboard{
		Event: o.Event, Game: o.Game, Scope: o.Scope, Sides: o.Sides, Order: []string{"Elo"}, Method: MaximumLikelihood,
		Bots: []Row{}, Components: [][]string{}, Notes: []string{}, anchor: o.Anchor,
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
		two := len(results.Names()) == 2 && o.Prior == 0
		ask := rating.Options{Pairs: true, Anchor: o.Anchor, Prior: o.Prior, PriorIfApart: o.PriorIfApart}
		if two {
			ask.Anchor, ask.PriorIfApart = nil, 0
		}
		if table, err = rating.Rate(results, ask); err != nil {
			return nil, err
		}
		lb.DrawRate, lb.Advantage, lb.AdvantageError = table.DrawRate, table.Advantage, table.AdvantageError
		if two {
			err = lb.ofTwo(results, table, &o)
		} else {
			lb.Fits, lb.Prior, lb.pairs = table.Fits, table.Prior, table.Pairs
		}
		if err != nil {
			return nil, err
		}
		lb.Components, lb.Pools = table.Components, table.Pools
		if _, note := repeats(c, names); note != "" {
			lb.Notes = append(lb.Notes, note)
		}
		if !two {
			lb.Notes, lb.more = append(lb.Notes, table.Notes...), table.Detail
		}
		if note := CycleNote(results, table); note != "" {
			lb.Notes = append(lb.Notes, note)
		}
	}
	lb.rows(c, table, names, &o)
	if o.Nash && lb.Games > 0 {
		lb.average(rating.NashAverage(results, table))
	}
	lb.line(names, &o)
	lb.place(table)
	return lb, nil
}

// ofTwo gives two bots the Elo of their games against each other, or of their test, in
// place of the table's.
func (lb *Leaderboard) ofTwo(results *rating.Results, t *rating.Table, o *Options) error {
	a, b := &t.Players[0], &t.Players[1]
	h := results.HeadToHead(a.Name, b.Name)
	x := comparison(rating.Compare(h.Pairs), rating.Compare(h.Games))
	lb.Method, lb.pairs = OfTwo, h.Pairs != rating.Pentanomial{}
	if test := o.Test; test != nil && test.Observations > 0 {
		if x = test.Comparison; test.HeadToHead.Bots[0] != a.Name {
			a, b = b, a
		}
		if u := test.Unbiased; u != nil {
			half := (u.High - u.Low) / 2
			lb.Method, x.Elo, x.EloError, x.Low, x.High = AfterStop, &u.Elo, &half, &u.Low, &u.High
		}
		lb.Notes = append(lb.Notes, fmt.Sprintf("Elo is that of the test, after %s", text.Plural(test.Observations, "pair")))
	}
	minus := func(x *float64) *float64 {
		if x == nil {
			return nil
		}
		y := -*x
		return &y
	}
	bounds := func(kind string, elo *float64) []rating.Bound {
		if elo == nil {
			return nil
		}
		return []rating.Bound{{Kind: kind, Elo: *elo, Games: a.Games}}
	}
	if x.NElo == nil { // scores that are all the same say little of likelihoods
		x.LOS = nil
	}
	// The interval is not symmetric; half of its width is the error.
	a.Elo, a.Error, a.LOSNext, a.Bounds, a.Component = x.Elo, x.EloError, x.LOS, nil, 0
	b.Elo, b.Error, b.LOSNext, b.Bounds, b.Component = minus(x.Elo), x.EloError, nil, nil, 0
	if x.LOS != nil {
		los := 1 - *x.LOS
		b.LOSNext = &los
	}
	if x.Elo == nil {
		a.Bounds, b.Bounds = bounds("lower", x.Low), bounds("upper", minus(x.Low))
		if x.High != nil {
			a.Bounds, b.Bounds = bounds("upper", x.High), bounds("lower", minus(x.High))
		}
	}
	t.Components = [][]string{{a.Name, b.Name}}
	if o.Anchor == nil {
		return nil
	}
	if o.Anchor.Name != a.Name {
		a, b = b, a
	}
	switch {
	case o.Anchor.Name != a.Name:
		return &rating.UnknownBotError{Name: o.Anchor.Name, Nearest: nearest.Of(o.Anchor.Name, results.Names())}
	case a.Elo == nil:
		return &rating.UnratedBotError{Name: a.Name}
	}
	elo, other := o.Anchor.Elo, o.Anchor.Elo+*b.Elo
	a.Elo, b.Elo = &elo, &other
	return nil
}

// comparison returns the comparison of pairs if there are any, else that of games.
func comparison(pairs, games rating.Comparison) rating.Comparison {
	if pairs.Observations > 0 {
		return pairs
	}
	return games
}

// rows fills in a row for each bot, in the order of the table.
func (lb *Leaderboard) rows(c *arena.Counts, t *rating.Table, names map[arena.BotVersion]string, o *Options) {
	tallies := count(c, names)
	add := func(p rating.Player) {
		row := Row{Bot: p.Name, Elo: p.Elo, Error: p.Error, Bounds: p.Bounds, LOS: p.LOSNext, Component: p.Component, Pool: p.Pool}
		row.Counts, row.Points = tallies[p.Name].result()
		if r, ok := o.Incremental[p.Name]; ok {
			row.EloIncremental = &r
		}
		lb.Bots = append(lb.Bots, row)
		delete(tallies, p.Name)
	}
	for _, p := range t.Players {
		add(p)
	}
	var idle []string
	for name := range tallies {
		idle = append(idle, name)
	}
	slices.Sort(idle)
	for _, name := range idle {
		add(rating.Player{Name: name, Component: -1})
	}
	if o.Config == nil {
		return
	}
	lb.Format = o.Config.Format
	lb.standing(c, names, o)
}

// standing puts the rows in the order of the event's format, which may rank bots that
// have only rested so far.
func (lb *Leaderboard) standing(c *arena.Counts, names map[arena.BotVersion]string, o *Options) {
	at := map[string]*Row{} // by name in the event: several versions of one are not ranked apart
	byName := map[string]*Row{}
	for i := range lb.Bots {
		byName[lb.Bots[i].Bot] = &lb.Bots[i]
	}
	for version, name := range names {
		if r := byName[name]; at[version.Name] == nil || at[version.Name].Games < r.Games {
			at[version.Name] = r
		}
	}
	st := schedule.StandingsOf(*o.Config, schedule.Played{Counts: c, Games: o.Played, Elo: func(bot string) *float64 {
		if r := at[bot]; r != nil && r.Elo != nil {
			return r.Elo
		}
		return nil
	}})
	lb.Order, lb.Bracket, lb.round = st.Order, st.Bracket, st.Round
	var rows []Row
	in := map[string]bool{}
	for i := range st.Rows {
		s := &st.Rows[i]
		row := Row{Bot: s.Bot, Component: -1}
		switch r := at[s.Bot]; {
		case r != nil:
			row = *r
		case len(lb.Bots) > 0 && s.Byes == 0 && s.Reached == "":
			continue // it has no game in the schedule yet
		}
		in[row.Bot] = true
		row.Rank, row.Points = s.Place, s.Points
		row.Byes, row.Reached = s.Byes, s.Reached
		lb.byes = lb.byes || s.Byes > 0
		for name, to := range map[string]struct {
			field **float64
			value float64
		}{
			"direct encounter": {&row.Direct, s.Direct},
			"Buchholz":         {&row.Buchholz, s.Buchholz},
			"Sonneborn-Berger": {&row.SonnebornBerger, s.SonnebornBerger},
		} {
			if slices.Contains(st.Order, name) {
				*to.field = &to.value
			}
		}
		rows = append(rows, row)
	}
	for i := range lb.Bots {
		if r := lb.Bots[i]; !in[r.Bot] {
			r.Rank = len(rows) + 1
			rows = append(rows, r)
		}
	}
	lb.Bots = rows
}

// line puts the earlier versions of a bot, and those that it replaced, below it.
func (lb *Leaderboard) line(names map[arena.BotVersion]string, o *Options) {
	of := map[string]arena.BotVersion{}
	for v, name := range names {
		of[name] = v
	}
	latest := func(bot string) string {
		for range len(o.Replaced) { // ends even where two are said to replace each other
			next, ok := o.Replaced[bot]
			if !ok {
				break
			}
			bot = next
		}
		return bot
	}
	groups := map[string][]Row{}
	for _, r := range lb.Bots {
		name := cmp.Or(of[r.Bot].Name, r.Bot)
		groups[latest(name)] = append(groups[latest(name)], r)
	}
	if len(groups) == len(lb.Bots) {
		return
	}
	depth := func(r Row) int { // how often it was replaced
		n := 0
		for bot := cmp.Or(of[r.Bot].Name, r.Bot); n <= len(o.Replaced) && o.Replaced[bot] != ""; n++ {
			bot = o.Replaced[bot]
		}
		return n
	}
	var rows []Row
	for _, r := range lb.Bots {
		group := groups[latest(cmp.Or(of[r.Bot].Name, r.Bot))]
		slices.SortStableFunc(group, func(a, b Row) int {
			return cmp.Or(depth(a)-depth(b), of[b.Bot].Version-of[a.Bot].Version)
		})
		if group[0].Bot != r.Bot {
			continue
		}
		for _, old := range group[1:] {
			old.Rank, old.LOS = 0, nil
			r.Versions = append(r.Versions, old)
		}
		rows = append(rows, r)
	}
	lb.Bots = rows
}

// place numbers the rows, and says how likely each is stronger than the next.
func (lb *Leaderboard) place(t *rating.Table) {
	first, before := 0, 0
	for i := range lb.Bots {
		r := &lb.Bots[i]
		own := r.Rank
		if i > 0 && lb.Format == "" && r.Pool != lb.Bots[i-1].Pool {
			first = i
		}
		if lb.Format == "" || i == 0 || own != before {
			r.Rank = i + 1 - first
		} else {
			r.Rank = lb.Bots[i-1].Rank
		}
		before = own
		if lb.Method != MaximumLikelihood {
			continue
		}
		r.LOS = nil
		if i+1 < len(lb.Bots) {
			if _, _, los, ok := t.Compare(r.Bot, lb.Bots[i+1].Bot); ok {
				r.LOS = &los
			}
		}
	}
	if lb.Method != MaximumLikelihood && len(lb.Bots) > 0 {
		lb.Bots[len(lb.Bots)-1].LOS = nil
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

// All returns the rows with those of earlier versions below each bot.
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

// Ranking lists the bots from the first place on, earlier versions behind.
func (lb *Leaderboard) Ranking() []string {
	var bots, old []string
	for _, r := range lb.All() {
		if r.Rank == 0 {
			old = append(old, r.Bot)
		} else {
			bots = append(bots, r.Bot)
		}
	}
	return append(bots, old...)
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
