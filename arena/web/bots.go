package web

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/analysis"
	"botarena/arena/listing"
	"botarena/arena/standings"
	"botarena/arena/store"
	"botarena/engine/nearest"
)

// botLine is a bot's row in the list of all bots.
type botLine struct {
	Bot      string      `json:"bot"`
	Versions int         `json:"versions"`
	Since    time.Time   `json:"since"` // of the first version
	Latest   time.Time   `json:"latest"`
	Games    int         `json:"games"`   // with a result
	Ratings  []botRating `json:"ratings"` // by game, that with the most games first
}

// A botRating holds a bot's row of a game's leaderboard, that of its version with the
// most games.
type botRating struct {
	Game  string   `json:"game"`
	Elo   *float64 `json:"elo"`
	Error *float64 `json:"elo_error"`
	Rank  int      `json:"rank"`
	Games int      `json:"games"`
	Score *float64 `json:"score"`
}

// Best returns the rating in the game that the bot played most; nil if it has none.
func (l *botLine) Best() *botRating {
	if len(l.Ratings) == 0 {
		return nil
	}
	return &l.Ratings[0]
}

// sortings returns the orders of the list of bots, by the address's word for them.
func sortings() map[string]func(a, b *botLine) int {
	return map[string]func(a, b *botLine) int{
		"bot":    func(a, b *botLine) int { return cmp.Compare(a.Bot, b.Bot) },
		"games":  func(a, b *botLine) int { return cmp.Compare(b.Games, a.Games) },
		"latest": func(a, b *botLine) int { return b.Latest.Compare(a.Latest) },
		"elo": func(a, b *botLine) int {
			x, y := a.Best(), b.Best()
			if x == nil || y == nil || x.Elo == nil || y.Elo == nil {
				return cmp.Compare(btoi(y != nil && y.Elo != nil), btoi(x != nil && x.Elo != nil))
			}
			return cmp.Or(cmp.Compare(x.Game, y.Game), cmp.Compare(*y.Elo, *x.Elo))
		},
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func loadBots(ctx context.Context, r *request) (*content, error) {
	order, search := r.query.Get("sort"), strings.TrimSpace(r.query.Get("q"))
	if _, known := sortings()[order]; order != "" && !known {
		return nil, badRequest("sort: bot, elo, games or latest.")
	}
	list, err := r.botLines(ctx)
	if err != nil {
		return nil, err
	}
	all := len(list)
	list = slices.DeleteFunc(list, func(l *botLine) bool { return !strings.Contains(strings.ToLower(l.Bot), strings.ToLower(search)) })
	slices.SortStableFunc(list, sortings()[cmp.Or(order, "bot")])
	table := listing.Table{Columns: []listing.Column{
		{Name: "Bot", Left: true},
		{Name: "Versions"},
		{Name: "Since", Left: true},
		{Name: "Latest", Left: true},
		{Name: "Games"},
		{Name: "Game", Left: true},
		{Name: "Elo"},
		{Name: "±"},
	}}
	for _, l := range list {
		row := []any{l.Bot, strconv.Itoa(l.Versions), l.Since.Format(time.DateOnly), l.Latest.Format(time.DateOnly), strconv.Itoa(l.Games), "", "", ""}
		if best := l.Best(); best != nil {
			row[5] = best.Game
			if best.Elo != nil {
				row[6] = fmt.Sprintf("%+.0f", *best.Elo)
			}
			if best.Error != nil {
				row[7] = fmt.Sprintf("%.0f", *best.Error)
			}
		}
		table.Rows = append(table.Rows, row)
	}
	from := r.rows("/bots?"+url.Values{"q": {search}, "sort": {order}}.Encode(), len(list))
	return &content{
		Title: "Bots", JSON: list, CSV: &table,
		Data: map[string]any{
			"Bots": list[from.From-1 : from.To], "All": all, "Search": search, "Sort": cmp.Or(order, "bot"), "Shown": from, "Site": r.site,
			"Orders": []choice{{"bot", "by name"}, {"elo", "by game and Elo"}, {"games", "by games"}, {"latest", "by latest version"}},
		},
	}, nil
}

// botLines lists all bots, with their places on the leaderboards.
func (r *request) botLines(ctx context.Context) ([]*botLine, error) {
	versions, err := r.versions(ctx)
	if err != nil {
		return nil, err
	}
	list, at := []*botLine{}, map[string]*botLine{}
	for i := range versions {
		v := &versions[i]
		l := at[v.Bot]
		if l == nil {
			l = &botLine{Bot: v.Bot, Since: v.Created, Ratings: []botRating{}}
			at[v.Bot] = l
			list = append(list, l)
		}
		l.Versions++
		l.Latest = v.Created
	}
	events, err := r.events(ctx)
	if err != nil {
		return nil, err
	}
	counts, err := r.config.Store.Counts(ctx, "", "") // of tests, too, which are in no leaderboard
	if err != nil {
		return nil, err
	}
	shown := map[string]bool{}
	for i := range events {
		shown[events[i].Name] = true
	}
	for i := range counts.Endings {
		n := &counts.Endings[i]
		if n.Result == arena.Unplayed || !shown[n.Event] {
			continue
		}
		for _, bot := range []string{n.First.Name, n.Second.Name} {
			if l := at[bot]; l != nil {
				l.Games += n.Games
			}
		}
	}
	rated := map[string]bool{}
	for i := range events {
		e := &events[i]
		if rated[e.Game] || e.Archived || e.Played == 0 {
			continue
		}
		rated[e.Game] = true
		k, err := r.board(ctx, e.Game)
		if err != nil {
			return nil, err
		}
		names := namesOf(&k.sel)
		latest := map[*botLine]botRating{}
		for j := range k.lb.Bots {
			row := &k.lb.Bots[j]
			if l := at[names.bot(row.Bot)]; l != nil {
				if known, ok := latest[l]; !ok || known.Games < row.Games {
					latest[l] = botRating{Game: e.Game, Elo: row.Elo, Error: row.Error, Rank: row.Rank, Games: row.Games, Score: row.Score}
				}
			}
		}
		for l, rating := range latest {
			l.Ratings = append(l.Ratings, rating)
		}
	}
	for _, l := range list {
		slices.SortFunc(l.Ratings, func(a, b botRating) int { return cmp.Or(b.Games-a.Games, cmp.Compare(a.Game, b.Game)) })
	}
	return list, nil
}

// Limits of the lists on a bot's page.
const (
	mostRatingPoints = 200 // of each event's line
	mostOpponents    = 200
	mostLastGames    = 15
	mostOpenings     = 20
)

// botJSON holds the data of a bot's page.
type botJSON struct {
	Bot       string               `json:"bot"`
	Versions  []versionJSON        `json:"versions"`
	Events    []botEvent           `json:"events"`
	Ratings   []ratingJSON         `json:"ratings"`
	Games     arena.Tally          `json:"games"`
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

// botEvent holds a bot's results in one event.
type botEvent struct {
	Event string `json:"event"`
	Game  string `json:"game"`
	arena.Tally
	// EloIncremental is after the last game that is rated.
	EloIncremental float64 `json:"elo_incremental"`
}

type ratingJSON struct {
	Event   string       `json:"event"`
	Version int          `json:"version"`
	Points  [][2]float64 `json:"points"` // rated games until then, and the rating
}

// opponent holds a bot's results against another one, in one game.
type opponent struct {
	Bot  string `json:"bot"`
	Game string `json:"game"`
	arena.Tally
}

// sideTally holds a bot's results as one side of a game.
type sideTally struct {
	Game string `json:"game"`
	Side string `json:"side"` // "first" or "second"
	Name string `json:"-"`    // the game's own
	arena.Tally
}

type openingTally struct {
	Event   string `json:"event"`
	Opening string `json:"opening_name"` // "" is the game's own start
	arena.Tally
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
	games, err := d.lastGames(ctx, r)
	if err != nil {
		return nil, err
	}
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
			"Bot": d, "Chart": chart, "Games": games,
			"Opponents": opponents, "More": len(d.Opponents) - len(opponents),
		},
	}, nil
}

// lastGames returns the bot's last games in the events that it is listed with, the latest
// first.
func (d *botJSON) lastGames(ctx context.Context, r *request) (list []standings.GameLine, err error) {
	for i := range d.Events {
		if len(list) >= mostLastGames {
			break
		}
		games, err := r.games(ctx, store.Filter{Event: d.Events[i].Event, Bot: d.Bot, Played: true, Last: mostLastGames - len(list)})
		if err != nil {
			return nil, err
		}
		slices.Reverse(games)
		list = append(list, games...)
	}
	return list, nil
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
		d.Games = d.Games.Plus(line.Tally)
		d.Events = append(d.Events, line)
		openings, err := r.config.Store.Openings(ctx, e.Name, d.Bot, "")
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
		at = slices.IndexFunc(d.BySide, func(s sideTally) bool { return s.Game == line.Game && s.Name == sides[side] })
		if at < 0 {
			at = len(d.BySide)
			d.BySide = append(d.BySide, sideTally{Game: line.Game, Side: analysis.Roles()[side], Name: sides[side]})
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

// chart draws the bot's incremental Elo, a piece for each event: it begins anew in each,
// so nothing links the pieces. Games have colours of their own.
func (d *botJSON) chart() *standings.LineChart {
	c := &standings.LineChart{Title: d.Bot + ": incremental Elo, anew in each event", Unit: "rated games, event after event"}
	all, games := 0, map[string]bool{}
	for _, l := range d.lines {
		if n := len(l.Points); n > 0 && (games[l.Game] || len(games) < mostLines) {
			games[l.Game] = true
			all += l.Points[n-1].Games
		}
	}
	gap, from := max(1, all/50), 0
	for _, l := range d.lines {
		if len(l.Points) == 0 || !games[l.Game] {
			continue
		}
		s := standings.Series{Name: l.Game, Label: l.Event, From: from, Start: l.Start}
		for _, p := range l.Points {
			s.Ratings, s.At = append(s.Ratings, p.Rating), append(s.At, from+p.Games)
		}
		c.Series = append(c.Series, s)
		from = s.At[len(s.At)-1] + gap
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
		t.Rows = append(t.Rows, []any{
			o.Bot, o.Game, strconv.Itoa(o.Games), strconv.Itoa(o.Wins), strconv.Itoa(o.Draws), strconv.Itoa(o.Losses), fmt.Sprintf("%g", o.Points),
		})
	}
	return t
}
