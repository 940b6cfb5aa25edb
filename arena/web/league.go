package web

import (
	"context"
	"errors"
	"html/template"
	"slices"
	"time"

	"github.com/dustin/go-humanize"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/standings"
	"botarena/arena/store"
)

// What the league's page lists.
const (
	mostNewest  = 8
	screenRows  = 12
	screenTiles = 8
)

// hostPages returns the pages of a host's league.
func (s *Server) hostPages() []page {
	if s.config.Host == nil {
		return nil
	}
	return []page{
		{pattern: "/league", template: "league", load: loadLeague, timed: true, query: "from"},
		{pattern: "/league/screen", template: "screen", load: loadScreen, timed: true},
		{pattern: "/team", template: "team", load: loadTeam, live: true},
		{pattern: "/team/submissions/{number}", template: "submission", load: loadSubmission, live: true},
		{pattern: "/queue", template: "queue", load: loadQueue, teams: true},
		{pattern: "/queue/{number}", template: "experiment", load: loadExperiment, live: true},
	}
}

// A LeagueReport holds the data of the league's page, as JSON.
type LeagueReport struct {
	League      string                 `json:"league"`
	Game        string                 `json:"game"`
	State       string                 `json:"state"` // announced, open, closed, ended
	Now         time.Time              `json:"now"`   // by the host's clock
	Opens       *time.Time             `json:"opens,omitempty"`
	Closes      *time.Time             `json:"closes,omitempty"`
	Ends        *time.Time             `json:"ends,omitempty"` // the ladder plays on until then
	Visibility  Visibility             `json:"visibility"`
	HiddenUntil *time.Time             `json:"hidden_until,omitempty"`
	PerDay      int                    `json:"submissions_per_day,omitempty"` // of a team
	Size        int64                  `json:"submission_bytes"`
	Languages   []LanguageReport       `json:"languages"`
	Final       string                 `json:"final,omitempty"`
	Newest      []NewVersion           `json:"newest,omitempty"`
	Ladder      *standings.Leaderboard `json:"ladder,omitempty"`
}

// A LanguageReport is a language that bots may be written in, and where its kit is.
type LanguageReport struct {
	Name    string   `json:"language"`
	Title   string   `json:"title"`
	Version string   `json:"version"`
	Endings []string `json:"endings"`
	Kit     string   `json:"kit"`
}

// A NewVersion is a bot that has entered.
type NewVersion struct {
	Team     string    `json:"team"`
	Bot      string    `json:"bot"`
	Number   int       `json:"number"`
	Language string    `json:"language"`
	Entered  time.Time `json:"entered"`
}

// leagueData is the league's page, and the projector's.
type leagueData struct {
	LeagueReport
	Clock   string
	Sees    bool
	Board   *boardData
	Lead    string
	Chart   template.HTML
	Tiles   []gridTile
	Symbols template.HTML
	Empty   template.HTML // a board to copy; "" if there is none
	Last    []standings.GameLine
	Games   int // played
	Feed    bool
}

// moment returns a time for JSON, nil for none.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// state names what a league is at.
func (l *League) state(now time.Time) string {
	switch {
	case now.Before(l.Opens):
		return "announced"
	case !l.Closed && (l.Closes.IsZero() || now.Before(l.Closes)):
		return "open"
	case l.Ends.IsZero() || now.Before(l.Ends):
		return "closed"
	}
	return "ended"
}

func newLeagueReport(l *League, now time.Time) LeagueReport {
	d := LeagueReport{
		League: l.Name, Game: l.Game, State: l.state(now), Now: now.UTC(), Opens: moment(l.Opens), Closes: moment(l.Closes), Ends: moment(l.Ends),
		Visibility: l.Visibility, PerDay: l.PerDay, Size: l.Size, Languages: []LanguageReport{},
	}
	if l.Visibility == HiddenUntil {
		d.HiddenUntil = moment(l.Hidden)
	}
	for _, x := range l.Languages {
		d.Languages = append(d.Languages, LanguageReport{x.Name, x.Title, x.Version, x.Endings, kitURL(x.Name)})
	}
	return d
}

// byteText writes a number of bytes.
func byteText(n int64) string { return humanize.IBytes(uint64(max(0, n))) }

// leagueOf collects what the league's pages show to whoever asks.
func (r *request) leagueOf(ctx context.Context, rows func(all int) rowsShown) (*leagueData, *ranked, error) {
	l := &r.visitor.league
	d := &leagueData{LeagueReport: newLeagueReport(l, r.now), Sees: r.visitor.sees, Feed: r.config.Live != nil}
	if !d.Sees {
		return d, nil, nil
	}
	d.Final = l.Final
	k, err := r.ranked(ctx, l.Name)
	if unknown := (*store.UnknownEventError)(nil); errors.As(err, &unknown) { // until two bots are there
		return d, nil, nil
	} else if err != nil {
		return nil, nil, err
	}
	if k.settings.Clock != (arena.TimeControl{}) {
		d.Clock = config.FormatClock(k.settings.Clock)
	}
	d.Ladder, d.Lead, d.Games = k.lb, k.lead(), k.sel.Event.Played
	d.Board = newBoard(k, l.Name, rows(len(k.lb.Bots)))
	if d.Newest, err = r.newest(ctx, l.Name); err != nil {
		return nil, nil, err
	}
	if d.Last, err = r.games(ctx, store.Filter{Event: l.Name, Played: true, Last: mostNewest}); err != nil {
		return nil, nil, err
	}
	slices.Reverse(d.Last)
	if d.Tiles, _, err = r.tiles(l.Name, l.Game, screenTiles); err != nil {
		return nil, nil, err
	}
	d.Symbols, err = symbolsOf(l.Game)
	return d, k, err
}

// newest lists the bots that entered last.
func (r *request) newest(ctx context.Context, league string) ([]NewVersion, error) {
	subs, err := r.config.Store.Submissions(ctx, league, "")
	if err != nil {
		return nil, err
	}
	list := []NewVersion{}
	for i := range subs {
		if s := &subs[i]; s.Bot != "" && len(list) < mostNewest {
			list = append(list, NewVersion{s.Team, s.Bot, s.Number, s.Language, s.Received.UTC()})
		}
	}
	return list, nil
}

func loadLeague(ctx context.Context, r *request) (*content, error) {
	d, k, err := r.leagueOf(ctx, func(all int) rowsShown { return r.rows("/league", all) })
	if err != nil {
		return nil, err
	}
	c := &content{Title: d.League, Data: d, JSON: &d.LeagueReport, Scripts: []string{"host.js"}, Styles: []string{"pieces.css", "board.css", "host.css"}}
	if !d.Sees {
		return c, nil
	}
	c.Follow = followEvent(d.League)
	if k == nil {
		return c, nil
	}
	table := k.lb.Table()
	c.CSV = &table
	d.Chart, err = r.curves(ctx, k)
	return c, err
}

// curves draws the ratings of the first bots over their games.
func (r *request) curves(ctx context.Context, k *ranked) (template.HTML, error) {
	c := &standings.LineChart{Title: k.sel.Event.Name + ": incremental Elo over games", Unit: "rated games"}
	names := namesOf(&k.sel)
	for i := range k.lb.Bots[:min(len(k.lb.Bots), mostLines)] {
		lines, err := r.config.Store.Ratings(ctx, names.bot(k.lb.Bots[i].Bot), mostRatingPoints)
		if err != nil {
			return "", err
		}
		for _, l := range lines {
			if l.Event != k.sel.Event.Name || len(l.Points) == 0 {
				continue
			}
			s := standings.Series{Name: k.lb.Bots[i].Bot, Start: l.Start}
			for _, p := range l.Points {
				s.Ratings, s.At = append(s.Ratings, p.Rating), append(s.At, p.Games)
			}
			c.Series = append(c.Series, s)
		}
	}
	if len(c.Series) == 0 {
		return "", nil
	}
	return drawn(c)
}

// loadScreen loads the page for a projector: standings, boards and newest bots in turn.
func loadScreen(ctx context.Context, r *request) (*content, error) {
	d, _, err := r.leagueOf(ctx, func(int) rowsShown { return rowsShown{From: 1, To: screenRows} })
	if err != nil {
		return nil, err
	}
	if rules, err := r.rules(d.Game); err == nil {
		d.Empty, _ = emptyBoard(rules) // without one, nothing is followed
	}
	d.Feed = d.Feed && d.Empty != ""
	c := &content{
		Title: d.League + ", projector", Wide: true, Data: d, Styles: []string{"pieces.css", "board.css", "host.css"},
		Scripts: []string{"board.js", "feed.js", "grid.js", "host.js"}, Reload: 15,
	}
	return c, nil
}
