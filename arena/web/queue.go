package web

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"botarena/arena/config"
	"botarena/arena/listing"
	"botarena/arena/rating/sprt"
	"botarena/arena/standings"
	"botarena/arena/store"
	"botarena/arena/text"
)

const queuePattern = "POST /queue"

// Limits of the queue's pages and forms.
const (
	mostEnded  = 100 // experiments that are over, and listed
	mostOwn    = 16  // files of an experiment
	mostFields = mostParts + mostOwn
)

// An ExperimentReport says how far an experiment has come, as JSON.
type ExperimentReport struct {
	ID       int64    `json:"experiment"`
	Team     string   `json:"team"`
	Bots     []string `json:"bots"`
	Game     string   `json:"game"`
	Test     bool     `json:"test"` // it may come to a verdict
	Priority int      `json:"priority"`
	State    string   `json:"state"`
	Over     bool     `json:"over"`
	Reason   string   `json:"reason,omitempty"`
	Verdict  string   `json:"verdict,omitempty"` // "accept H1", "accept H0" or "continue", once it has ended
	Event    string   `json:"event,omitempty"`   // once its games begin
	Games    int      `json:"games"`
	// Cost is the time that its games took, added up, and CPU what their bots computed.
	Cost float64 `json:"slot_seconds"`
	CPU  float64 `json:"cpu_seconds"`
	// Workers says where its games were played, of one that is not over, or that is asked for
	// by itself.
	Workers []store.WorkerGames `json:"workers,omitempty"`
	Asked   time.Time           `json:"asked"`
	Began   *time.Time          `json:"began,omitempty"`
	Ended   *time.Time          `json:"ended,omitempty"`
	Log     string              `json:"log,omitempty"` // of a build that failed, for its team alone
	Outcome any                 `json:"outcome,omitempty"`
	Summary []string            `json:"summary,omitempty"` // the outcome in lines
}

// playedAt adds where an experiment's games were played.
func (d *ExperimentReport) playedAt(ctx context.Context, s *store.Store) (err error) {
	d.Workers, err = s.GamesByWorker(ctx, d.Event)
	return err
}

// Where returns where an experiment's games were played, and how many.
func (d *ExperimentReport) Where() string {
	var parts []string
	for _, w := range d.Workers {
		parts = append(parts, fmt.Sprintf("%s %d", cmp.Or(w.Worker, "host"), w.Games))
	}
	return strings.Join(parts, ", ")
}

// Computed returns the CPU time of an experiment's bots.
func (d *ExperimentReport) Computed() string {
	return text.Duration(time.Duration(d.CPU * float64(time.Second)))
}

// NewExperimentReport describes an experiment, without its outcome.
func NewExperimentReport(x *store.Experiment) ExperimentReport {
	d := ExperimentReport{
		ID: x.ID, Team: x.Team, Bots: []string{}, Priority: x.Priority, State: x.State, Over: x.Over(), Reason: x.Reason, Verdict: x.Verdict,
		Event: x.Event, Games: x.Games, Cost: x.SlotTime.Seconds(), CPU: x.CPU.Seconds(), Asked: x.Asked.UTC(), Began: moment(x.Began), Ended: moment(x.Ended),
	}
	e, _ := config.Decode(x.Config) // one of an older version is shown as far as it goes
	for _, b := range e.Bots {
		d.Bots = append(d.Bots, b.Name)
	}
	d.Game, d.Test = e.Game, e.SPRT != nil
	return d
}

// Result returns an experiment's verdict or state in few words.
func (d *ExperimentReport) Result() string {
	switch d.Verdict {
	case "":
		return d.State
	case string(sprt.Continue):
		return "undecided"
	}
	return d.Verdict
}

// Took returns the time that an experiment's games took, added up.
func (d *ExperimentReport) Took() string {
	return text.Duration(time.Duration(d.Cost * float64(time.Second)))
}

// ExperimentsTable lists experiments.
func ExperimentsTable(list []ExperimentReport) listing.Table {
	t := listing.Table{Columns: []listing.Column{
		{Name: "No"},
		{Name: "Priority"},
		{Name: "Team", Left: true},
		{Name: "Bots", Left: true},
		{Name: "Game", Left: true},
		{Name: "State", Left: true},
		{Name: "Games"},
		{Name: "Slot time"},
		{Name: "CPU time"},
		{Name: "Played at", Left: true},
		{Name: "Asked", Left: true},
	}}
	for i := range list {
		d := &list[i]
		t.Rows = append(t.Rows, []any{
			d.ID, d.Priority, d.Team, strings.Join(d.Bots, " - "), d.Game, d.Result(), d.Games, d.Took(), d.Computed(), cmp.Or(d.Where(), "-"), d.Asked.Format(time.DateTime),
		})
		if d.Reason != "" {
			first, _, _ := strings.Cut(d.Reason, "\n")
			t.Notes = append(t.Notes, fmt.Sprintf("%d: %s", d.ID, first))
		}
	}
	return t
}

// Experiments lists those of a league, or of all if it is "": first those that are not over, in
// the order in which they are played, then the last ones that are.
func Experiments(ctx context.Context, s *store.Store, league string) ([]ExperimentReport, error) {
	queued, err := s.QueuedExperiments(ctx, league)
	if err != nil {
		return nil, err
	}
	ended, err := s.EndedExperiments(ctx, league, mostEnded)
	list := []ExperimentReport{}
	for _, x := range slices.Concat(queued, ended) {
		d := NewExperimentReport(&x)
		if !d.Over { // of the others there are many
			err = errors.Join(err, d.playedAt(ctx, s))
		}
		list = append(list, d)
	}
	return list, err
}

func loadQueue(ctx context.Context, r *request) (*content, error) {
	list, err := Experiments(ctx, r.config.Store, r.visitor.league.Name)
	if err != nil {
		return nil, err
	}
	for i := range list {
		list[i].Reason = r.detail(list[i].Reason)
	}
	over := slices.IndexFunc(list, func(d ExperimentReport) bool { return d.Over })
	if over < 0 {
		over = len(list)
	}
	own := []*ExperimentReport{}
	if may, err := r.mayChange(ctx); err != nil {
		return nil, err
	} else if may {
		for i := range list[:over] {
			if list[i].Team == r.visitor.team {
				own = append(own, &list[i])
			}
		}
	}
	table := ExperimentsTable(list)
	return &content{
		Title: "Queue", JSON: list, CSV: &table, Data: map[string]any{"Queued": list[:over], "Ended": list[over:], "Own": own}, Follow: "every", Reload: 30,
		Styles: []string{"host.css"},
	}, nil
}

// mayChange reports whether the visitor's team may change its experiments.
func (r *request) mayChange(ctx context.Context) (bool, error) {
	if r.visitor.team == "" {
		return false, nil
	}
	return r.config.Store.MayExperiment(ctx, r.visitor.team)
}

// experimentData is an experiment's page.
type experimentData struct {
	ExperimentReport
	Own     bool // the visitor may change it
	Decided bool
	H1      bool
	Path    template.HTML // of a test's ratio
}

func loadExperiment(ctx context.Context, r *request) (*content, error) {
	n, err := numberOf("An experiment", r.value("number"))
	if err != nil {
		return nil, err
	}
	x, err := r.config.Store.Experiment(ctx, r.visitor.league.Name, int64(n))
	if v := &r.visitor; !v.sees && (err != nil || v.team != x.Team || v.team == "") { // its own a team sees always
		return nil, v.league.unseen()
	}
	if err != nil {
		return nil, err
	}
	d := &experimentData{ExperimentReport: NewExperimentReport(&x)}
	if r.visitor.team == x.Team {
		d.Log = x.Log
		if d.Own, err = r.mayChange(ctx); err != nil {
			return nil, err
		}
		d.Own = d.Own && !d.Over
	} else {
		d.Reason = r.detail(d.Reason)
	}
	if err := r.outcome(ctx, d); err != nil {
		return nil, err
	}
	d.Decided, d.H1 = d.Verdict == string(sprt.AcceptH1) || d.Verdict == string(sprt.AcceptH0), d.Verdict == string(sprt.AcceptH1)
	c := &content{
		Title: fmt.Sprintf("Experiment %d", x.ID), Crumbs: []crumb{{"Queue", "/queue"}}, Data: d, JSON: &d.ExperimentReport, Styles: []string{"host.css"},
	}
	if !d.Over {
		c.Follow, c.Reload = "every", 10
	}
	return c, nil
}

// outcome adds an experiment's outcome so far, if its games have begun.
func (r *request) outcome(ctx context.Context, d *experimentData) error {
	if d.Event == "" {
		return nil
	}
	if err := d.playedAt(ctx, r.config.Store); err != nil {
		return err
	}
	o, err := standings.NewOutcome(ctx, r.config.Store, r.config.Catalog, d.Event)
	var unknown *store.UnknownEventError
	if errors.As(err, &unknown) { // its bots are being started
		return nil
	} else if err != nil {
		return err
	}
	d.Outcome = o.Data()
	var lines bytes.Buffer
	if err := o.Write(&lines, ""); err != nil {
		return err
	}
	d.Summary = strings.Split(strings.TrimRight(lines.String(), "\n"), "\n")
	if o.Test != nil && len(o.Test.Path) > 1 {
		d.Path, err = drawn(pathChart(o.Test.Path, o.Test))
	}
	return err
}

// queue takes an experiment.
func (s *Server) queue(w http.ResponseWriter, r *http.Request, v *visitor) {
	var x store.Experiment
	done, err := s.take(w, r, v, mostOwn*v.league.Size, func() (err error) {
		x, err = s.readExperiment(r, v)
		if err == nil {
			x, err = s.config.Host.Experiment(r.Context(), v.team, x)
		}
		return err
	})
	if done {
		s.answerExperiment(w, r, err, x.ID)
	}
}

// answerExperiment answers with what an experiment has become.
func (s *Server) answerExperiment(w http.ResponseWriter, r *http.Request, err error, id int64) {
	at := fmt.Sprintf("/queue/%d", id)
	var x store.Experiment
	if err == nil {
		x, err = s.config.Store.Experiment(r.Context(), visitorOf(r).league.Name, id)
	}
	switch {
	case err != nil:
		s.fail(w, r, err)
	case asksJSON(r):
		answerJSON(w, at+asJSON, NewExperimentReport(&x))
	default:
		http.Redirect(w, r, at, http.StatusSeeOther)
	}
}

// readExperiment reads the form of an experiment: "event" is the event's text, "bots" says of
// each bot, a line each, where it comes from: "builtin", "league NAME", or "file" for the next
// of the files, which are parts named "file". The part "book" is the event's file of openings.
func (s *Server) readExperiment(r *http.Request, v *visitor) (x store.Experiment, err error) {
	form, err := r.MultipartReader()
	if err != nil {
		return x, badRequest("Send an experiment as a form (multipart/form-data), as `arena sprt --to` does.")
	}
	var files []store.ExperimentBot
	var bots string
	for range mostFields {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return x, cutOff(err)
		}
		if name := part.FormName(); name == "file" || name == "book" {
			body := &notedReader{Reader: http.MaxBytesReader(nil, part, v.league.Size)}
			b, err := s.config.Host.KeepBot(r.Context(), v.team, part.FileName(), body)
			if err != nil {
				return x, body.blamed(err)
			}
			if name == "book" {
				x.Book = b
			} else {
				files = append(files, b)
			}
			continue
		}
		value, err := io.ReadAll(io.LimitReader(part, formBytes))
		if err != nil {
			return x, cutOff(err)
		}
		switch part.FormName() {
		case "event":
			x.Config = value
		case "bots":
			bots = string(value)
		case "priority":
			if x.Priority, err = strconv.Atoi(string(value)); err != nil {
				return x, badRequest("A priority is a whole number.")
			}
		}
	}
	x.Bots, err = botsFrom(bots, files)
	return x, err
}

// botsFrom reads where bots come from.
func botsFrom(lines string, files []store.ExperimentBot) (bots []store.ExperimentBot, err error) {
	for line := range strings.Lines(lines) {
		word, name, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		switch {
		case word == "builtin":
			bots = append(bots, store.ExperimentBot{})
		case word == "league" && name != "":
			bots = append(bots, store.ExperimentBot{House: name})
		case word == "file" && len(files) > 0:
			bots, files = append(bots, files[0]), files[1:]
		default:
			return nil, badRequest("The field “bots” has a line for each bot: builtin, league NAME, or file with a file for it.")
		}
	}
	if len(files) > 0 {
		return nil, badRequest("There are more files than bots that are to be built from one.")
	}
	return bots, nil
}

// changeExperiment stops an experiment, or gives it another priority.
func (s *Server) changeExperiment(w http.ResponseWriter, r *http.Request, v *visitor) {
	n, err := numberOf("An experiment", r.PathValue("number"))
	id, host := int64(n), s.config.Host
	switch priority, wrong := strconv.Atoi(r.PostFormValue("priority")); {
	case err != nil:
	case r.PostFormValue("stop") != "":
		err = host.StopExperiment(r.Context(), v.team, id)
	case wrong != nil:
		err = badRequest("Send the field “stop”, or “priority” with a whole number.")
	default:
		err = host.Prioritize(r.Context(), v.team, id, priority)
	}
	s.answerExperiment(w, r, err, id)
}
