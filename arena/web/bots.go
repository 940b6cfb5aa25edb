package web

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"botarena/arena"
	"botarena/arena/listing"
	"botarena/arena/standings"
	"botarena/arena/store"
	"botarena/engine/nearest"
)

// A botLine is a bot in the list of all.
type botLine struct {
	Bot      string    `json:"bot"`
	Versions int       `json:"versions"`
	Since    time.Time `json:"since"` // of the first version
	Latest   time.Time `json:"latest"`
}

func loadBots(ctx context.Context, r *request) (*content, error) {
	versions, err := r.versions(ctx)
	if err != nil {
		return nil, err
	}
	list := []botLine{}
	for i := range versions {
		v := &versions[i]
		if n := len(list); n == 0 || list[n-1].Bot != v.Bot {
			list = append(list, botLine{Bot: v.Bot, Since: v.Created})
		}
		l := &list[len(list)-1]
		l.Versions++
		l.Latest = v.Created
	}
	table := listing.Table{Columns: []listing.Column{{Name: "Bot", Left: true}, {Name: "Versions"}, {Name: "Since", Left: true}, {Name: "Latest", Left: true}}}
	for _, l := range list {
		table.Rows = append(table.Rows, []string{l.Bot, strconv.Itoa(l.Versions), l.Since.Format(time.DateOnly), l.Latest.Format(time.DateOnly)})
	}
	return &content{Title: "Bots", JSON: list, CSV: &table, Data: list}, nil
}

// What a bot's page shows.
const (
	mostRatingPoints = 200 // of each event's line
	mostOpponents    = 200
	mostOpenings     = 20
)

// botJSON is what a bot's page is made of.
type botJSON struct {
	Bot       string               `json:"bot"`
	Versions  []versionJSON        `json:"versions"`
	Events    []botEvent           `json:"events"`
	Ratings   []ratingJSON         `json:"ratings"`
	Games     standings.Tally      `json:"games"`
	Opponents []opponent           `json:"opponents"`
	BySide    []sideTally          `json:"by_side"`
	Openings  []openingTally       `json:"openings"`
	Forfeits  standings.Forfeits   `json:"forfeits"`
	Faults    []standings.GameLine `json:"faults"`
	lines     []store.RatingLine   // of the chart
}

type versionJSON struct {
	Version     int       `json:"version"`
	Label       string    `json:"label,omitempty"`
	Fingerprint string    `json:"fingerprint"`
	Since       time.Time `json:"since"`
}

// A botEvent is what a bot did in one event.
type botEvent struct {
	Event string `json:"event"`
	Game  string `json:"game"`
	standings.Tally
	// EloIncremental is after the last game that is rated.
	EloIncremental float64 `json:"elo_incremental"`
}

type ratingJSON struct {
	Event   string       `json:"event"`
	Version int          `json:"version"`
	Points  [][2]float64 `json:"points"` // rated games until then, and the rating
}

// An opponent is what a bot did against another one, in one game.
type opponent struct {
	Bot  string `json:"bot"`
	Game string `json:"game"`
	standings.Tally
}

// A sideTally is what a bot did as one side of a game.
type sideTally struct {
	Game string `json:"game"`
	Side string `json:"side"`
	standings.Tally
}

type openingTally struct {
	Event   string `json:"event"`
	Opening string `json:"opening"` // "" is the game's own start
	standings.Tally
}

func loadBot(ctx context.Context, r *request) (*content, error) {
	name, err := r.name("bot")
	if err != nil {
		return nil, err
	}
	d := &botJSON{
		Bot: name, Versions: []versionJSON{}, Events: []botEvent{}, Ratings: []ratingJSON{}, Opponents: []opponent{}, BySide: []sideTally{},
		Openings: []openingTally{},
	}
	versions, err := r.versions(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, v := range versions {
		names = append(names, v.Bot)
		if v.Bot == name {
			d.Versions = append(d.Versions, versionJSON{v.Number, v.Label, v.Fingerprint, v.Created})
		}
	}
	if len(d.Versions) == 0 {
		return nil, &store.UnknownBotError{Name: name, Nearest: nearest.Of(name, names)}
	}
	if err := d.tally(ctx, r); err != nil {
		return nil, err
	}
	if d.lines, err = r.config.Store.Ratings(ctx, name, mostRatingPoints); err != nil {
		return nil, err
	}
	d.lines = slices.DeleteFunc(d.lines, func(l store.RatingLine) bool {
		return !slices.ContainsFunc(d.Events, func(e botEvent) bool { return e.Event == l.Event })
	})
	for _, l := range d.lines {
		line := ratingJSON{Event: l.Event, Version: l.Version, Points: [][2]float64{}}
		for _, p := range l.Points {
			line.Points = append(line.Points, [2]float64{float64(p.Games), p.Rating})
		}
		d.Ratings = append(d.Ratings, line)
	}
	if d.Faults, err = r.games(ctx, store.Filter{Bot: name, Faults: true, Last: mostFaults}); err != nil {
		return nil, err
	}
	d.Faults = slices.DeleteFunc(d.Faults, func(g standings.GameLine) bool { return r.scope != nil && !slices.Contains(r.scope, g.Event) })
	slices.Reverse(d.Faults)
	chart, err := drawn(d.chart())
	if err != nil {
		return nil, err
	}
	if len(d.lines) == 0 {
		chart = ""
	}
	opponents := d.Opponents[:min(len(d.Opponents), mostOpponents)]
	table := d.table()
	return &content{
		Title: name, Crumbs: []crumb{{"Bots", "/bots"}}, JSON: d, CSV: &table,
		Data: map[string]any{
			"Bot": d, "Chart": chart, "Lines": min(len(d.lines), mostLines), "AllLines": len(d.lines),
			"Opponents": opponents, "More": len(d.Opponents) - len(opponents),
		},
	}, nil
}

// tally adds up the bot's games in events that are not archived.
func (d *botJSON) tally(ctx context.Context, r *request) error {
	events, err := r.events(ctx)
	if err != nil {
		return err
	}
	for i := range events {
		e := &events[i]
		at := slices.IndexFunc(e.Entries, func(b store.Entry) bool { return b.Name == d.Bot })
		if at < 0 || e.Archived {
			continue
		}
		c, err := r.config.Store.Counts(ctx, e.Name, "")
		if err != nil {
			return err
		}
		line := botEvent{Event: e.Name, Game: e.Game, EloIncremental: e.Entries[at].Rating}
		d.endings(&line, c.Endings, standings.SideNames(r.config.Catalog, e.Game))
		d.Games = sum(d.Games, line.Tally)
		d.Events = append(d.Events, line)
		openings, err := r.config.Store.OpeningsOf(ctx, e.Name, d.Bot, "")
		if err != nil {
			return err
		}
		d.openings(e.Name, openings)
	}
	slices.Reverse(d.Events)
	slices.SortStableFunc(d.Opponents, func(a, b opponent) int { return cmp.Or(b.Games-a.Games, cmp.Compare(a.Bot, b.Bot)) })
	slices.SortStableFunc(d.Openings, func(a, b openingTally) int { return b.Games - a.Games })
	d.Openings = d.Openings[:min(len(d.Openings), mostOpenings)]
	return nil
}

// endings adds up the bot's games of one event.
func (d *botJSON) endings(line *botEvent, endings []arena.Ending, sides [2]string) {
	for i := range endings {
		n := &endings[i]
		score, played := n.Result.Score()
		other, side := n.Second.Name, 0
		switch d.Bot {
		case n.First.Name:
		case n.Second.Name:
			other, side, score = n.First.Name, 1, 1-score
		default:
			continue
		}
		if !played {
			continue
		}
		line.Add(score, n.Games)
		at := slices.IndexFunc(d.Opponents, func(o opponent) bool { return o.Bot == other && o.Game == line.Game })
		if at < 0 {
			at = len(d.Opponents)
			d.Opponents = append(d.Opponents, opponent{Bot: other, Game: line.Game})
		}
		d.Opponents[at].Add(score, n.Games)
		at = slices.IndexFunc(d.BySide, func(s sideTally) bool { return s.Game == line.Game && s.Side == sides[side] })
		if at < 0 {
			at = len(d.BySide)
			d.BySide = append(d.BySide, sideTally{Game: line.Game, Side: sides[side]})
		}
		d.BySide[at].Add(score, n.Games)
		if n.Blame == d.Bot {
			d.Forfeits.Add(n.Reason, n.Games)
		}
	}
}

func (d *botJSON) openings(event string, list []arena.OpeningCount) {
	at := map[string]int{}
	for i := range list {
		o := &list[i]
		if o.A.Name != d.Bot && o.B.Name != d.Bot {
			continue
		}
		key := standings.OpeningName(o.Opening)
		if _, known := at[key]; !known {
			at[key] = len(d.Openings)
			d.Openings = append(d.Openings, openingTally{Event: event, Opening: key})
		}
		for score := range o.AsFirst {
			points := float64(score) / 2
			if o.A.Name != d.Bot {
				points = 1 - points
			}
			d.Openings[at[key]].Add(points, o.AsFirst[score]+o.AsSecond[score])
		}
	}
}

func sum(a, b standings.Tally) standings.Tally {
	return standings.Tally{Games: a.Games + b.Games, Wins: a.Wins + b.Wins, Draws: a.Draws + b.Draws, Losses: a.Losses + b.Losses, Points: a.Points + b.Points}
}

// chart draws the bot's last events.
func (d *botJSON) chart() *standings.LineChart {
	c := &standings.LineChart{Title: d.Bot + ": incremental Elo over games", Unit: "rated games"}
	for _, l := range d.lines[max(0, len(d.lines)-mostLines):] {
		s := standings.Series{Name: fmt.Sprintf("%s · %s · v%d", l.Event, l.Game, l.Version), Start: l.Start}
		for _, p := range l.Points {
			s.Ratings, s.At = append(s.Ratings, p.Rating), append(s.At, p.Games)
		}
		c.Series = append(c.Series, s)
	}
	return c
}

func (d *botJSON) table() listing.Table {
	t := listing.Table{Columns: []listing.Column{
		{Name: "Opponent", Left: true},
		{Name: "Game", Left: true},
		{Name: "Games"},
		{Name: "Wins"},
		{Name: "Draws"},
		{Name: "Losses"},
		{Name: "Points"},
	}}
	for _, o := range d.Opponents {
		t.Rows = append(t.Rows, []string{
			o.Bot, o.Game, strconv.Itoa(o.Games), strconv.Itoa(o.Wins), strconv.Itoa(o.Draws), strconv.Itoa(o.Losses), fmt.Sprintf("%g", o.Points),
		})
	}
	return t
}

// A comparison is two bots over a game.
type comparison struct {
	*standings.HeadToHead
	Events []string
	Table  listing.Table
	Names  [2]string // as pages know them
}

func loadCompare(ctx context.Context, r *request) (*content, error) {
	a, err := r.name("a")
	if err != nil {
		return nil, err
	}
	b, err := r.name("b")
	if err != nil {
		return nil, err
	}
	versions, err := r.versions(ctx)
	if err != nil {
		return nil, err
	}
	for _, bot := range []string{a, b} {
		var names []string
		for _, v := range versions {
			names = append(names, v.Bot)
		}
		if !slices.Contains(names, bot) {
			return nil, &store.UnknownBotError{Name: bot, Nearest: nearest.Of(bot, names)}
		}
	}
	if a == b {
		return nil, badRequest("A bot does not meet itself: name two.")
	}
	events, err := r.events(ctx)
	if err != nil {
		return nil, err
	}
	in := func(e *store.Event, bot string) bool {
		return slices.ContainsFunc(e.Entries, func(n store.Entry) bool { return n.Name == bot })
	}
	only := r.query.Get("event")
	byGame := map[string]*arena.Counts{}
	where := map[string][]string{}
	var order []string
	for i := range events {
		e := &events[i]
		if only != "" && e.Name != only || only == "" && e.Archived || !in(e, a) || !in(e, b) {
			continue
		}
		c, err := r.config.Store.Counts(ctx, e.Name, "")
		if err != nil {
			return nil, err
		}
		openings, err := r.config.Store.OpeningsOf(ctx, e.Name, a, b)
		if err != nil {
			return nil, err
		}
		if byGame[e.Game] == nil {
			byGame[e.Game] = &arena.Counts{}
			order = append(order, e.Game)
		}
		all := byGame[e.Game]
		c.Openings = openings
		add(all, &c.Counts)
		if met(c.Endings, a, b) {
			where[e.Game] = append(where[e.Game], e.Name)
		}
	}
	d := map[string]any{"A": a, "B": b}
	list := []*standings.HeadToHead{}
	var shown []comparison
	for _, game := range order {
		if len(where[game]) == 0 {
			continue
		}
		h, err := standings.NewHeadToHead(oneVersion(byGame[game]), a, b, game, standings.SideNames(r.config.Catalog, game))
		if err != nil {
			return nil, err
		}
		list = append(list, h)
		t := h.Table()
		t.Notes = paragraphs(t.Notes)
		shown = append(shown, comparison{HeadToHead: h, Events: where[game], Table: t, Names: [2]string{a, b}})
	}
	d["Games"] = shown
	c := &content{Title: a + " against " + b, Crumbs: []crumb{{"Bots", "/bots"}, {a, botURL(a)}}, Data: d}
	if !r.site { // which has them in the data of its events
		c.JSON = list
	}
	return c, nil
}

func met(endings []arena.Ending, a, b string) bool {
	return slices.ContainsFunc(endings, func(n arena.Ending) bool {
		return n.Result != arena.Unplayed && (n.First.Name == a && n.Second.Name == b || n.First.Name == b && n.Second.Name == a)
	})
}

// oneVersion takes all versions of a bot together, as a page of two bots does.
func oneVersion(c *arena.Counts) *arena.Counts {
	out := *c
	out.Endings, out.Pairs, out.Repeats, out.Openings = slices.Clone(c.Endings), slices.Clone(c.Pairs), slices.Clone(c.Repeats), slices.Clone(c.Openings)
	for i := range out.Endings {
		out.Endings[i].First.Version, out.Endings[i].Second.Version = 1, 1
	}
	for i := range out.Pairs {
		out.Pairs[i].A.Version, out.Pairs[i].B.Version = 1, 1
	}
	for i := range out.Repeats {
		out.Repeats[i].First.Version, out.Repeats[i].Second.Version = 1, 1
	}
	for i := range out.Openings {
		out.Openings[i].A.Version, out.Openings[i].B.Version = 1, 1
	}
	return &out
}
