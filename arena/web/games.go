package web

import (
	"context"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"

	"botarena/arena"
	"botarena/arena/listing"
	"botarena/arena/standings"
	"botarena/arena/store"
	"botarena/engine/nearest"
)

// The maximum number of games in a list: as a page, and as data.
const (
	gamesOnPage = 100
	gamesAsData = 10_000
)

type gamesData struct {
	Event     string
	Games     []standings.GameLine
	Bots      []string
	Filter    gamesFilter
	Reasons   []arena.Reason
	Results   []choice
	Sides     []choice
	Total     int
	Why       []store.ReasonCount
	SideNames [2]string
	FirstURL  string // "" if this is the first page
	BackURL   string
	NextURL   string
	LastURL   string
	Narrowed  bool
	Site      bool
}

// A choice is an option of a form.
type choice struct{ Value, Text string }

// gamesFilter holds the query of a list of games.
type gamesFilter struct {
	Bot, Against, Side, Result, Reason string
	Faults                             bool
	After, Before                      int
	Limit                              int
}

// query returns the filter as parameters of an address, without the place in the list.
func (f *gamesFilter) query() url.Values {
	q := url.Values{}
	for name, value := range map[string]string{"bot": f.Bot, "against": f.Against, "side": f.Side, "result": f.Result, "reason": f.Reason} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if f.Faults {
		q.Set("faults", "1")
	}
	return q
}

// gamesQuery reads a filter. The error says which part is wrong.
func gamesQuery(q url.Values) (f gamesFilter, s store.Filter, err error) {
	f = gamesFilter{
		Bot: q.Get("bot"), Against: q.Get("against"), Side: q.Get("side"), Result: q.Get("result"), Reason: q.Get("reason"),
		Faults: q.Get("faults") != "",
	}
	s = store.Filter{Bot: f.Bot, Against: f.Against, Faults: f.Faults, Reason: arena.Reason(f.Reason)}
	for name, to := range map[string]*int{"after": &f.After, "before": &f.Before, "limit": &f.Limit} {
		text := q.Get(name)
		if text == "" {
			continue
		}
		if *to, err = strconv.Atoi(text); err != nil || *to < 0 {
			return f, s, badRequest(fmt.Sprintf("%s: give a number from 0.", name))
		}
	}
	if f.Bot == "" && (f.Against != "" || f.Side != "") {
		return f, s, badRequest("against and side go with bot.")
	}
	sides := map[string]store.Side{"": store.AnySide, "first": store.AsFirst, "second": store.AsSecond}
	side, known := sides[f.Side]
	if !known {
		return f, s, badRequest("side: first or second.")
	}
	s.Side = side
	outcomes := map[string]store.Outcome{"won": store.Won, "drawn": store.Drawn, "lost": store.Lost}
	switch outcome, ofBot := outcomes[f.Result]; {
	case ofBot && f.Bot == "":
		return f, s, badRequest("result: won, drawn and lost go with bot.")
	case ofBot:
		s.Outcome = outcome
	case f.Result == "" || slices.Contains([]arena.Result{arena.FirstWins, arena.SecondWins, arena.Draw}, arena.Result(f.Result)):
		s.Result = arena.Result(f.Result)
	default:
		return f, s, badRequest("result: 1-0, 0-1 or 1/2-1/2; of a bot also won, drawn or lost.")
	}
	if f.Reason != "" && !slices.Contains(arena.Reasons(), s.Reason) {
		return f, s, badRequest("reason: there is none of this name; the page of games lists them.")
	}
	return f, s, nil
}

func loadGames(ctx context.Context, r *request) (*content, error) {
	name, err := r.name("event")
	if err != nil {
		return nil, err
	}
	e, err := r.config.Store.Event(ctx, name)
	if err != nil {
		return nil, err
	}
	f, filter, err := gamesQuery(r.query)
	if err != nil {
		return nil, err
	}
	d := &gamesData{
		Event: name, Filter: f, Reasons: arena.Reasons(), SideNames: standings.SideNames(r.config.Catalog, e.Game), Narrowed: len(f.query()) > 0, Site: r.site,
		Results: []choice{{"1-0", "1-0"}, {"0-1", "0-1"}, {"1/2-1/2", "1/2-1/2"}},
	}
	d.Sides = []choice{{"first", d.SideNames[0]}, {"second", d.SideNames[1]}}
	if f.Bot != "" {
		d.Results = []choice{{"won", "won"}, {"drawn", "drawn"}, {"lost", "lost"}}
	}
	for _, entry := range e.Entries {
		if !slices.Contains(d.Bots, entry.Name) {
			d.Bots = append(d.Bots, entry.Name)
		}
	}
	for _, bot := range []string{f.Bot, f.Against} {
		if bot != "" && !slices.Contains(d.Bots, bot) {
			return nil, &store.UnknownBotError{Name: bot, Nearest: nearest.Of(bot, d.Bots)}
		}
	}
	filter.Event = name
	if d.Why, err = r.config.Store.CountGames(ctx, filter); err != nil {
		return nil, err
	}
	for _, n := range d.Why {
		d.Total += n.Games
	}
	size := gamesOnPage
	switch {
	case r.site:
		filter.Moves, size = r.ending != asHTML, math.MaxInt-1
	case r.ending != asHTML:
		return &content{List: func() *gamesList { return newGamesList(r, filter, f) }}, nil
	}
	if err := d.list(ctx, r, filter, size); err != nil {
		return nil, err
	}
	table := listing.Table{Columns: standings.GameColumns(filter.Moves)}
	for i := range d.Games {
		table.Rows = append(table.Rows, d.Games[i].Row(filter.Moves))
	}
	c := &content{Title: "Games of " + name, Crumbs: eventCrumbs(name), Data: d, JSON: d.Games, CSV: &table}
	if r.site {
		c.Scripts = []string{"games.js"}
	}
	return c, nil
}

// A gamesList reads the games of an event in parts.
type gamesList struct {
	r      *request
	filter store.Filter
	left   int // at most so many more
	last   bool
}

// gamesInPart is the number of games that are read at a time.
const gamesInPart = 25

func newGamesList(r *request, filter store.Filter, f gamesFilter) *gamesList {
	filter.After, filter.Before = f.After, f.Before
	l := &gamesList{r: r, filter: filter, left: gamesAsData, last: f.Before > 0}
	if f.Limit > 0 {
		l.left = min(f.Limit, gamesAsData)
	}
	return l
}

// next returns the next part, nil at the end.
func (l *gamesList) next(ctx context.Context) ([]standings.GameLine, error) {
	if l.last { // the list that ends before a game: where does it begin?
		l.last = false
		last := l.filter
		last.After, last.Last = 0, l.left
		games, err := l.r.games(ctx, last)
		if err != nil || len(games) == 0 {
			return nil, err
		}
		l.filter.After = games[0].Number - 1
	}
	if l.filter.First = min(l.left, gamesInPart); l.filter.First == 0 {
		return nil, nil
	}
	l.filter.Moves = true
	games, err := l.r.games(ctx, l.filter)
	if n := len(games); n > 0 {
		l.filter.After = games[n-1].Number
		l.left -= n
	}
	return games, err
}

// Key returns the key by which the script of a static site's list selects a game: the
// indexes of its bots and of the reason in the form's lists, and its result.
func (d *gamesData) Key(g *standings.GameLine) string {
	return fmt.Sprint(1+slices.Index(d.Bots, g.First), " ", 1+slices.Index(d.Bots, g.Second), " ", 1+slices.Index(d.Reasons, arena.Reason(g.Reason)), " ", g.Result)
}

// Faulty returns the indexes of the reasons that are faults.
func (d *gamesData) Faulty() (list []int) {
	for i, reason := range d.Reasons {
		if reason.Forfeit() {
			list = append(list, i+1)
		}
	}
	return list
}

// list reads a page of the list, and where the others are.
func (d *gamesData) list(ctx context.Context, r *request, filter store.Filter, size int) (err error) {
	f := d.Filter
	last := f.Before > 0
	filter.After, filter.Before = f.After, f.Before
	if last { // the page that ends before a game; one more tells whether there are others
		filter.After, filter.Last = 0, size+1
	} else {
		filter.First = size + 1
	}
	if d.Games, err = r.games(ctx, filter); err != nil {
		return err
	}
	more := len(d.Games) > size
	if more && last {
		d.Games = d.Games[1:]
	} else if more {
		d.Games = d.Games[:size]
	}
	at := func(name string, number int) string {
		q := f.query()
		if name != "" {
			q.Set(name, strconv.Itoa(number))
		}
		if len(q) == 0 {
			return gamesURL(d.Event)
		}
		return gamesURL(d.Event) + "?" + q.Encode()
	}
	if len(d.Games) == 0 {
		if f.After > 0 || last {
			d.FirstURL = at("", 0)
		}
		return nil
	}
	if last && more || !last && f.After > 0 {
		d.FirstURL, d.BackURL = at("", 0), at("before", d.Games[0].Number)
	}
	if last || more {
		const beyond = 1 << 40
		d.NextURL, d.LastURL = at("after", d.Games[len(d.Games)-1].Number), at("before", beyond)
		if last && f.Before == beyond {
			d.NextURL, d.LastURL = "", ""
		}
	}
	return nil
}
