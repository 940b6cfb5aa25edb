package web

import (
	"cmp"
	"context"
	"errors"
	"html/template"
	"maps"
	"slices"
	"time"

	"botarena/arena"
	"botarena/arena/gamelog"
	"botarena/arena/replay"
	"botarena/arena/standings"
	"botarena/arena/store"
)

// What a team's page shows.
const (
	mostProblems   = 5
	mostTeamFaults = 3
	mostFaultWords = 4000 // bytes of stderr
)

// A TeamReport holds the data of a team's page, as JSON.
type TeamReport struct {
	Team   string    `json:"team"`
	League string    `json:"league"`
	State  string    `json:"state"` // of the league
	Now    time.Time `json:"now"`   // by the host's clock
	// Left is how many more may be handed in today, Before how many of others are worked at
	// before one of the team's; null for no limit, and none that waits.
	Left        *int                `json:"submissions_left"`
	Before      *int                `json:"queue_before"`
	Submissions []SubmissionReport  `json:"submissions"` // the newest first
	Versions    []TeamVersion       `json:"versions"`    // those that entered, the newest first
	Problems    []standings.Problem `json:"problems"`    // of the newest that plays
	Losses      []LossCount         `json:"losses"`      // likewise
	Faults      []TeamFault         `json:"faults"`      // of all, the latest first
	Challenges  []store.Challenge   `json:"challenges"`
}

// A TeamVersion is a bot of the team that has entered.
type TeamVersion struct {
	Number      int            `json:"number"`
	Bot         string         `json:"bot"`
	File        string         `json:"file"`
	State       string         `json:"state"`
	Handed      time.Time      `json:"received"`
	Rank        int            `json:"rank,omitempty"`
	Games       int            `json:"games"`
	Score       *float64       `json:"score"`
	Elo         *float64       `json:"elo"`
	Error       *float64       `json:"elo_error"`
	LOSOverLast *float64       `json:"los_over_last"`
	Row         *standings.Row `json:"-"` // nil for none
}

// A LossCount says how often games were lost in a way.
type LossCount struct {
	Reason arena.Reason `json:"reason"`
	Fault  bool         `json:"fault"` // of the bot
	Games  int          `json:"games"`
}

// A TeamFault is a game that a bot of the team lost by its own fault.
type TeamFault struct {
	standings.GameLine
	Position string        `json:"position,omitempty"` // in which it was to move
	Stderr   string        `json:"stderr,omitempty"`   // the end of what it wrote
	Board    template.HTML `json:"-"`
}

// A SubmissionReport says how far a submission has come, as JSON.
type SubmissionReport struct {
	Number   int          `json:"number"`
	File     string       `json:"file"`
	Size     int64        `json:"size"`
	SHA256   string       `json:"sha256"`
	Language string       `json:"language,omitempty"`
	Bot      string       `json:"bot,omitempty"` // its name in the league, once it has entered
	State    string       `json:"state"`
	Pending  bool         `json:"pending"` // steps remain to be done
	Refused  store.Step   `json:"refused,omitempty"`
	Reason   string       `json:"reason,omitempty"`
	Received time.Time    `json:"received"`
	Changed  time.Time    `json:"changed"`
	Steps    []StepReport `json:"steps,omitempty"`
}

// A StepReport is a step of a submission, with its log.
type StepReport struct {
	Step  store.Step `json:"step"`
	Began *time.Time `json:"began,omitempty"`
	Ended *time.Time `json:"ended,omitempty"`
	State string     `json:"state"` // to do, under way, done, refused
	Log   string     `json:"log,omitempty"`
	Took  string     `json:"-"`
}

func newSubmissionReport(s *store.Submission) SubmissionReport {
	return SubmissionReport{
		Number: s.Number, File: s.File, Size: s.Size, SHA256: s.SHA256, Language: s.Language, Bot: s.Bot, State: s.State, Pending: s.Pending(),
		Refused: s.Refused, Reason: s.Reason, Received: s.Received.UTC(), Changed: s.Changed.UTC(),
	}
}

// teamData is a team's page; that of a stranger has a form to sign in alone.
type teamData struct {
	TeamReport
	About     *LeagueReport
	Sees      bool
	Symbols   template.HTML // of the pieces
	Origin    string        // of this server, as the visitor names it
	Opponents []string      // to challenge
	MostGames int           // of a challenge
	Refused   string        // why the form that was sent is refused
	Form      string        // which one that is: "", upload or challenge
	Following bool          // the page follows what happens
}

func loadTeam(ctx context.Context, r *request) (*content, error) {
	if r.visitor.team != "" {
		return r.teamPage(ctx, r)
	}
	if r.ending != asHTML {
		return nil, errSignIn()
	}
	return signInPage(&r.visitor.league, ""), nil
}

// teamPage returns the page of the team that asks.
func (s *Server) teamPage(ctx context.Context, r *request) (*content, error) {
	l, team := &r.visitor.league, r.visitor.team
	about := newLeagueReport(l, r.now)
	d := &teamData{About: &about, Sees: r.visitor.sees, Origin: r.host, MostGames: l.Games, TeamReport: TeamReport{
		Team: team, League: l.Name, State: about.State, Now: r.now.UTC(), Submissions: []SubmissionReport{}, Versions: []TeamVersion{},
		Problems: []standings.Problem{}, Losses: []LossCount{}, Faults: []TeamFault{}, Challenges: []store.Challenge{},
	}}
	if err := d.read(ctx, r); err != nil {
		return nil, err
	}
	c := &content{
		Title: team, Crumbs: []crumb{{l.Name, "/league"}}, Data: d, JSON: &d.TeamReport, Follow: followEvent(l.Name),
		Scripts: []string{"host.js"}, Styles: []string{"pieces.css", "board.css", "host.css"},
	}
	if slices.ContainsFunc(d.Submissions, func(s SubmissionReport) bool { return s.Pending }) {
		c.Follow = "every"
	}
	return c, nil
}

// read fills in what the team handed in and how it plays.
func (d *teamData) read(ctx context.Context, r *request) error {
	before, left, err := r.config.Host.Queue(ctx, d.Team)
	if err != nil {
		return err
	}
	if before >= 0 {
		d.Before = &before
	}
	if left >= 0 {
		d.Left = &left
	}
	subs, err := r.config.Store.Submissions(ctx, d.League, d.Team)
	if err != nil {
		return err
	}
	for i := range subs {
		d.Submissions = append(d.Submissions, newSubmissionReport(&subs[i]))
		if s := &subs[i]; s.Bot != "" {
			d.Versions = append(d.Versions, TeamVersion{Number: s.Number, Bot: s.Bot, File: s.File, State: s.State, Handed: s.Received.UTC()})
		}
	}
	challenges, err := r.config.Store.Challenges(ctx, d.League, d.Team)
	if err != nil {
		return err
	}
	d.Challenges = append(d.Challenges, challenges...)
	if len(d.Versions) == 0 {
		return nil
	}
	err = d.faults(ctx, r)
	if err == nil && d.Sees {
		err = d.play(ctx, r)
	}
	if unknown := (*store.UnknownEventError)(nil); errors.As(err, &unknown) { // until another bot is there
		return nil
	}
	return err
}

// play fills in how the team's bots stand on the ladder.
func (d *teamData) play(ctx context.Context, r *request) error {
	k, err := r.ranked(ctx, d.League)
	if err != nil {
		return err
	}
	names, rows := namesOf(&k.sel), map[string]*standings.Row{}
	for _, row := range k.lb.All() {
		rows[names.bot(row.Bot)] = row
	}
	own := map[string]bool{}
	for i := range d.Versions {
		v := &d.Versions[i]
		own[v.Bot] = true
		if v.Row = rows[v.Bot]; v.Row != nil {
			v.Rank, v.Games, v.Score, v.Elo, v.Error, v.LOSOverLast = v.Row.Rank, v.Row.Games, v.Row.Score, v.Row.Elo, v.Row.Error, v.Row.LOSOverLast
		}
	}
	for i := range k.lb.Bots {
		if bot := names.bot(k.lb.Bots[i].Bot); !own[bot] {
			d.Opponents = append(d.Opponents, bot)
		}
	}
	newest := &d.Versions[0]
	if newest.Row != nil {
		d.Problems = k.lb.Problems(k.cross(), newest.Row.Bot)
		d.Problems = d.Problems[:min(len(d.Problems), mostProblems)]
	}
	d.Losses = losses(k.sel.Counts.Endings, newest.Bot)
	return nil
}

// losses counts the games that a bot lost, by what.
func losses(endings []arena.Ending, bot string) []LossCount {
	counts := map[LossCount]int{}
	for i := range endings {
		n := &endings[i]
		if n.Result == arena.SecondWins && n.First.Name == bot || n.Result == arena.FirstWins && n.Second.Name == bot {
			counts[LossCount{Reason: n.Reason, Fault: n.Blame == bot}] += n.Games
		}
	}
	list := []LossCount{}
	for c := range maps.Keys(counts) {
		list = append(list, LossCount{c.Reason, c.Fault, counts[c]})
	}
	slices.SortFunc(list, func(a, b LossCount) int { return cmp.Or(b.Games-a.Games, cmp.Compare(a.Reason, b.Reason)) })
	return list
}

// faults fills in the last games that the team's bots lost by their own fault: with the
// position, and what they wrote. Of those this tells also while games are hidden, but for
// the opponent.
func (d *teamData) faults(ctx context.Context, r *request) error {
	_, settings, err := r.eventOf(ctx, d.League)
	if err != nil {
		return err
	}
	var games []store.Game
	for i := range d.Versions {
		list, err := r.config.Store.Games(ctx, store.Filter{Event: d.League, Bot: d.Versions[i].Bot, Faults: true, Last: mostTeamFaults, Moves: true})
		if err != nil {
			return err
		}
		games = append(games, list...)
		if len(games) >= mostTeamFaults {
			break // older versions' are older
		}
	}
	if d.Symbols, err = symbolsOf(settings.Game); err != nil {
		return err
	}
	slices.SortFunc(games, func(a, b store.Game) int { return b.Number - a.Number })
	for i := range games[:min(len(games), mostTeamFaults)] {
		g := &games[i]
		f := TeamFault{GameLine: standings.NewGameLine(g)}
		f.Detail = r.detail(g.Detail)
		if r.config.LogDir != "" {
			if f.Stderr, err = tail(gamelog.Files(r.config.LogDir, g.Event, g.Number).Stderr[btoi(g.Blame == g.Second)], mostFaultWords); err != nil {
				return err
			}
		}
		if err := f.show(r, g, &settings); err != nil {
			return err
		}
		if !d.Sees {
			f.GameLine = standings.GameLine{Number: g.Number, Blame: g.Blame, Reason: string(g.Reason), Detail: f.Detail, Plies: g.Plies}
		}
		d.Faults = append(d.Faults, f)
	}
	return nil
}

// show draws the position in which the bot was to move, if the rules can be had.
func (f *TeamFault) show(r *request, g *store.Game, settings *arena.Event) error {
	p, unruled, err := r.replayOf(g, settings)
	if failed := (*failure)(nil); unruled != "" || errors.As(err, &failed) {
		return nil
	}
	if err != nil {
		return err
	}
	last := p.Last()
	f.Position = last.Position
	rules, err := r.rules(g.Game.Game)
	if err != nil {
		return err
	}
	f.Board, err = boardOfGame(rules, last.Board, "The position before the fault", replay.Describe(rules, last.Board))
	return err
}

// ownsGame reports whether a side of a game is the team's bot: in the league, or in a
// challenge of the team's.
func (s *Server) ownsGame(ctx context.Context, v *visitor, g *store.Game, bot string) (bool, error) {
	if v.team == "" {
		return false, nil
	}
	subs, err := s.config.Store.Submissions(ctx, v.league.Name, v.team)
	if err != nil {
		return false, err
	}
	own := slices.ContainsFunc(subs, func(s store.Submission) bool { return s.Bot != "" && s.Bot == bot })
	if g.Event == v.league.Name || !own {
		return own, nil
	}
	challenges, err := s.config.Store.Challenges(ctx, v.league.Name, v.team)
	return slices.ContainsFunc(challenges, func(c store.Challenge) bool { return c.Event == g.Event }), err
}

// submissionData is the page of a submission.
type submissionData struct {
	SubmissionReport
	Before *int // of others that are worked at before
}

func loadSubmission(ctx context.Context, r *request) (*content, error) {
	v := &r.visitor
	if v.team == "" {
		return nil, errSignIn()
	}
	n, err := numberOf("A submission", r.value("number"))
	if err != nil {
		return nil, err
	}
	sub, err := r.config.Store.Submission(ctx, v.league.Name, v.team, n)
	if err != nil {
		return nil, err
	}
	d := &submissionData{SubmissionReport: newSubmissionReport(&sub)}
	d.Steps = stepsOf(&sub)
	c := &content{
		Title: "Submission " + r.value("number"), Crumbs: []crumb{{v.league.Name, "/league"}, {v.team, "/team"}}, Data: d, JSON: &d.SubmissionReport,
		Styles: []string{"host.css"},
	}
	if d.Pending {
		c.Follow, c.Reload = "every", 5
		before, _, err := r.config.Host.Queue(ctx, v.team)
		if err != nil {
			return nil, err
		}
		if before > 0 {
			d.Before = &before
		}
	}
	return c, nil
}

// stepsOf lists all steps, those that are still to be done as well.
func stepsOf(sub *store.Submission) []StepReport {
	var list []StepReport
	for _, step := range store.Steps() {
		p := StepReport{Step: step, State: "to do"}
		if at := slices.IndexFunc(sub.Steps, func(d store.SubmissionStep) bool { return d.Step == step }); at >= 0 {
			done := &sub.Steps[at]
			p = StepReport{Step: step, Began: moment(done.Began), Ended: moment(done.Ended), State: "done", Log: done.Log}
			switch {
			case done.Ended.IsZero() && sub.Pending():
				p.State = "under way"
			case !done.OK:
				p.State = "refused"
			}
			if p.Began != nil && p.Ended != nil {
				p.Took = span(p.Ended.Sub(*p.Began))
			}
		} else if !sub.Pending() {
			continue // it never will be
		}
		list = append(list, p)
	}
	return list
}
