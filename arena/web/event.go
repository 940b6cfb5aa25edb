package web

import (
	"context"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/listing"
	"botarena/arena/schedule"
	"botarena/arena/standings"
	"botarena/arena/store"
)

// Limits of the lists on an event's page.
const (
	mostFaults  = 20
	mostNext    = 12
	mostCrossed = 30 // bots of a cross-table
)

// eventData holds what an event's page shows.
type eventData struct {
	Line     standings.EventLine
	Clock    string
	Left     string // time left, as far as it can be told; "" if it cannot
	Percent  int
	Lead     string // who leads, and how certain that is
	Board    *boardData
	Sides    [2]string
	Bracket  *schedule.Bracket
	Tables   []listing.Table // of the event's format
	Versions template.HTML   // a chart of the versions of a bot; "" if the event is none of them
	Cross    *crossData
	Faults   []standings.GameLine
	Next     []standings.GameLine
	Last     []standings.GameLine
	Voided   int
	Config   string
	Exact    bool // Config says how bots are started
	Test     bool // has a sequential test
	Tuning   bool // is one
	Two      bool // two bots: the page that compares them says more
	Finished time.Time
	PlayTime time.Duration
}

// eventJSON holds the data of an event's page.
type eventJSON struct {
	Event       standings.EventLine    `json:"event"`
	Leaderboard *standings.Leaderboard `json:"leaderboard"`
	Crosstable  *standings.Crosstable  `json:"crosstable"`
	Bracket     *schedule.Bracket      `json:"bracket,omitempty"`
	Versions    *standings.Regression  `json:"versions,omitempty"`
	Faults      []standings.GameLine   `json:"faults"`
	Next        []standings.GameLine   `json:"next"`
	Config      string                 `json:"config"`
}

func loadEvent(ctx context.Context, r *request) (*content, error) {
	name, err := r.name("event")
	if err != nil {
		return nil, err
	}
	k, err := r.ranked(ctx, name)
	if err != nil {
		return nil, err
	}
	sel, lb, event := &k.sel, k.lb, k.settings
	d := &eventData{
		Line: r.line(sel.Event), Sides: sel.Sides, Config: r.configuration(sel.Event, event),
		Test: sel.Test != nil, Tuning: isTuning(sel.Event), Finished: sel.Event.Finished, PlayTime: sel.Event.PlayTime, Board: newBoard(k, name, r.rows(eventURL(name)+"/leaderboard", len(lb.Bots))), Lead: k.lead(),
	}
	d.Two, d.Exact = len(lb.Bots) == 2, r.config.Audience == Owner
	if event.Clock != (arena.TimeControl{}) {
		d.Clock = config.FormatClock(event.Clock)
	}
	d.Percent, d.Left = r.howFar(sel.Event, d.Line)
	out := &eventJSON{Event: d.Line, Leaderboard: lb, Config: d.Config}
	out.Bracket, d.Bracket = lb.Bracket, lb.Bracket
	out.Crosstable = k.cross()
	if schedule.Challengers(event) != nil || lb.Race != nil {
		d.Tables = sel.Tables(lb)
		for i := range d.Tables {
			d.Tables[i].Notes = paragraphs(d.Tables[i].Notes)
		}
	}
	if out.Versions, err = sel.Regression(); err != nil {
		return nil, err
	}
	if out.Versions != nil {
		if d.Versions, err = inPage(out.Versions.Chart().WriteInPage); err != nil {
			return nil, err
		}
	}
	if len(out.Crosstable.Bots) > 2 {
		d.Cross = newCross(out.Crosstable, name, namesOf(sel))
	}
	if d.Faults, err = r.games(ctx, store.Filter{Event: name, Faults: true, Last: mostFaults}); err != nil {
		return nil, err
	}
	slices.Reverse(d.Faults)
	if sel.Event.State != store.Finished {
		if d.Next, err = r.games(ctx, store.Filter{Event: name, Unplayed: true, After: sel.Event.Rated, First: mostNext + maxInProgress}); err != nil {
			return nil, err
		}
		playing := r.inProgress(name)
		d.Next = slices.DeleteFunc(d.Next, func(g standings.GameLine) bool { return playing[g.Number] })
		d.Next = d.Next[:min(len(d.Next), mostNext)]
	}
	if d.Last, err = r.games(ctx, store.Filter{Event: name, Played: true, Last: mostNext}); err != nil {
		return nil, err
	}
	slices.Reverse(d.Last)
	out.Faults, out.Next = d.Faults, d.Next
	table := lb.Table()
	return &content{Title: name, Crumbs: eventCrumbs(name)[:1], Data: d, JSON: out, CSV: &table, Follow: followEvent(name)}, nil
}

// maxInProgress is the maximum number of games in progress that the list of next games
// skips.
const maxInProgress = 100

// inProgress returns the numbers of an event's games in progress that the live feed
// shows.
func (r *request) inProgress(event string) map[int]bool {
	playing := map[int]bool{}
	if r.config.Live == nil || r.site {
		return playing
	}
	now := r.config.Live.Snapshot()
	for _, g := range now.Of(event) {
		if !g.Over {
			playing[g.Number] = true
		}
	}
	return playing
}

// games lists the games that a filter selects.
func (r *request) games(ctx context.Context, f store.Filter) ([]standings.GameLine, error) {
	list := []standings.GameLine{}
	err := r.config.Store.Scan(ctx, f, func(g *store.Game) error {
		g.Detail = r.detail(g.Detail)
		list = append(list, standings.NewGameLine(g))
		return nil
	})
	return list, err
}

// howFar returns the percentage of an event's games that are played, and the time that the
// others take at the pace of the current run, or else of all play so far; "" if unknown.
func (r *request) howFar(e *store.Event, l standings.EventLine) (percent int, left string) {
	played, spent := e.Played, e.PlayTime
	if r.config.Live != nil && !r.site {
		now := r.config.Live.Snapshot()
		if run, ok := now.Event(e.Name); ok && run.Played > run.Before {
			played, spent = run.Played-run.Before, r.now.Sub(run.Since)
		}
	}
	if l.Games > 0 {
		percent = 100 * l.Played / l.Games
	}
	if l.Holder != "" && played > 0 && spent > 0 && l.Games > l.Played && !l.Test {
		left = span(time.Duration(float64(spent) / float64(played) * float64(l.Games-l.Played)))
	}
	return percent, left
}

// boardData is a leaderboard with its intervals as a picture.
type boardData struct {
	*standings.Leaderboard
	Event  string // "" if several are taken together
	Rows   []boardRow
	Shown  rowsShown
	Notes  []string
	Order  []string // headings of what decides the places, but for Elo
	Groups []string // headings of what tells apart bots that cannot be compared
	Faults bool
	Draws  bool
}

type boardRow struct {
	standings.Row
	Link   string   // the bot, of which Bot may name a version
	Order  []string // what decides its place
	Groups []string
	Bar    *bar
	First  bool
}

// A bar is an interval in percent of the picture's width. What is open has an
// arrow at that end.
type bar struct {
	From, To, Width, At float64
	HasAt               bool
	OpenLow, OpenHigh   bool
	Label               string
}

func newBoard(k *ranked, event string, shown rowsShown) *boardData {
	lb, names := k.lb, namesOf(&k.sel)
	b := &boardData{Leaderboard: lb, Event: event, Shown: shown}
	chart := lb.Chart()
	low, high, ok := chart.Span()
	place := func(elo float64) float64 { return math.Round((elo-low)/(high-low)*1000) / 10 }
	for i := range lb.Bots {
		b.Faults = b.Faults || lb.Bots[i].Forfeits.Total() > 0
		b.Draws = b.Draws || lb.Bots[i].Draws > 0
	}
	var order map[string][]string
	b.Order, order = lb.Decisive()
	var group map[string][]string
	b.Groups, group = lb.Groups()
	var rows []boardRow
	for i := max(0, shown.From-1); i < min(shown.To, len(lb.Bots)); i++ {
		first := i > 0 && lb.Bots[i].Component != lb.Bots[i-1].Component
		rows = append(rows, boardRow{Row: lb.Bots[i], First: first})
		for _, old := range lb.Bots[i].Versions {
			rows = append(rows, boardRow{Row: old})
		}
	}
	for _, row := range rows {
		row.Link, row.Order, row.Groups = names.bot(row.Bot), order[row.Bot], group[row.Bot]
		x := row.Row.Bar()
		if ok && (x.Elo != nil || x.Low != nil || x.High != nil) {
			one := &bar{To: 100, Label: x.Text()}
			if one.OpenLow = x.Low == nil; !one.OpenLow {
				one.From = place(*x.Low)
			}
			if one.OpenHigh = x.High == nil; !one.OpenHigh {
				one.To = place(*x.High)
			}
			if x.Elo != nil {
				one.HasAt, one.At = true, place(*x.Elo)
				if x.Low == nil {
					one.From, one.To, one.OpenLow, one.OpenHigh = one.At, one.At, false, false
				}
			}
			one.Width = math.Round(10*(one.To-one.From)) / 10
			row.Bar = one
		}
		b.Rows = append(b.Rows, row)
	}
	t := lb.Table().InFull()
	b.Notes = paragraphs(t.Notes)
	if overlapping(lb) {
		b.Notes = append(b.Notes, "Intervals that overlap do not say that two bots are equal, nor those that do not that each place is certain: LOS tells of neighbours.")
	}
	return b
}

// overlapping reports whether intervals of neighbours overlap.
func overlapping(lb *standings.Leaderboard) bool {
	for i := 1; i < len(lb.Bots); i++ {
		a, b := &lb.Bots[i-1], &lb.Bots[i]
		if a.Component == b.Component && a.Elo != nil && b.Elo != nil && a.Error != nil && b.Error != nil && *a.Elo-*a.Error < *b.Elo+*b.Error {
			return true
		}
	}
	return false
}

// paragraphs joins the lines of notes that were wrapped for a terminal.
func paragraphs(lines []string) []string {
	var out []string
	for _, line := range lines {
		switch {
		case len(out) > 0 && (strings.HasPrefix(line, " ") || !strings.HasSuffix(out[len(out)-1], ".") && !strings.HasSuffix(out[len(out)-1], "…")):
			out[len(out)-1] += " " + strings.TrimLeft(line, " ")
		default:
			out = append(out, line)
		}
	}
	return out
}

// crossData holds a crosstable for a page.
type crossData struct {
	Event string
	Game  string
	Bots  []string
	Links []string // by bot
	Rows  []crossRow
	More  int // bots that are left out
}

type crossRow struct {
	Rank  int
	Bot   string
	Link  string               // as a boardRow's
	Cells []*standings.Meeting // nil if they have not met
	All   arena.Tally
}

func newCross(c *standings.Crosstable, event string, names botNames) *crossData {
	n := min(len(c.Bots), mostCrossed)
	d := &crossData{Event: event, Game: c.Game, Bots: c.Bots[:n], More: len(c.Bots) - n}
	for i, bot := range d.Bots {
		row := crossRow{Rank: i + 1, Bot: bot, Link: names.bot(bot), Cells: c.Cells[i][:n]}
		for _, m := range c.Cells[i] {
			if m != nil {
				row.All = row.All.Plus(m.Tally)
			}
		}
		d.Rows, d.Links = append(d.Rows, row), append(d.Links, row.Link)
	}
	return d
}

// botNames maps names in a table, which may be those of versions, to bots.
type botNames map[string]string

func namesOf(sel *standings.Selection) botNames {
	names := botNames{}
	for version, name := range sel.Counts.Names() {
		names[name] = version.Name
	}
	return names
}

func (n botNames) bot(name string) string {
	if bot, ok := n[name]; ok {
		return bot
	}
	return name
}

func loadEventLeaderboard(ctx context.Context, r *request) (*content, error) {
	name, k, err := rankEvent(ctx, r)
	if err != nil {
		return nil, err
	}
	c := tablePage("Leaderboard of "+name, eventCrumbs(name), k.lb, k.lb.Table().InFull())
	shown := r.rows(eventURL(name)+"/leaderboard", len(k.lb.Bots))
	c.show(shown.of(*c.CSV), shown)
	return c, nil
}

func loadEventCrosstable(ctx context.Context, r *request) (*content, error) {
	name, k, err := rankEvent(ctx, r)
	if err != nil {
		return nil, err
	}
	cross := k.cross()
	most := len(cross.Bots)
	if r.ending == asHTML {
		most = min(most, mostWide)
	}
	c := tablePage("Crosstable of "+name, eventCrumbs(name), cross, cross.TableOf(most))
	c.show(*c.CSV, rowsShown{From: 1, To: most, All: len(cross.Bots)})
	long := cross.Long()
	c.CSV = &long
	return c, nil
}

// mostWide is the maximum number of bots in a crosstable on its own page.
const mostWide = 60

// rankEvent selects the games of the requested event, and ranks its bots.
func rankEvent(ctx context.Context, r *request) (name string, k *ranked, err error) {
	if name, err = r.name("event"); err != nil {
		return "", nil, err
	}
	k, err = r.ranked(ctx, name)
	return name, k, err
}

// tablePage returns a page of one table and its data.
func tablePage(title string, crumbs []crumb, value any, t listing.Table) *content {
	t.Notes = paragraphs(t.Notes)
	return &content{Title: title, Crumbs: crumbs, JSON: value, CSV: &t}
}

// show limits a page of one table to some of its rows.
func (c *content) show(t listing.Table, shown rowsShown) {
	c.Data = map[string]any{"Title": c.Title, "Table": t, "Shown": shown}
}

// mostRows is the maximum number of bots on a page; its data have them all.
const mostRows = 200

// rowsShown selects the rows of a long table that are on a page.
type rowsShown struct {
	From, To, All int    // from 1; To is shown, too
	Before, After string // addresses of the rows before and behind
}

// rows returns the requested rows, or the first ones. at is the page of the whole
// table.
func (r *request) rows(at string, all int) rowsShown {
	if r.site { // files have no queries
		return rowsShown{From: 1, To: all, All: all}
	}
	from, err := strconv.Atoi(r.query.Get("from"))
	if err != nil || from < 1 || from > all {
		from = 1
	}
	s := rowsShown{From: from, To: min(all, from+mostRows-1), All: all}
	more := "?from="
	if strings.Contains(at, "?") {
		more = "&from="
	}
	if from > 1 {
		if s.Before = at; from > mostRows+1 {
			s.Before += more + strconv.Itoa(from-mostRows)
		}
	}
	if s.To < all {
		s.After = at + more + strconv.Itoa(s.To+1)
	}
	return s
}

// of returns the rows of a table.
func (s rowsShown) of(t listing.Table) listing.Table {
	t.Rows = t.Rows[s.From-1 : s.To]
	return t
}
