package standings

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"botarena/arena"
	"botarena/arena/listing"
	"botarena/arena/schedule"
	"botarena/arena/store"
	"botarena/arena/text"
)

// A TuningOutcome holds how far a tuning is, and the values that it has come to.
type TuningOutcome struct {
	Event      string       `json:"event"`
	Game       string       `json:"game"`
	Bot        string       `json:"bot"`
	Iterations int          `json:"iterations"`    // with results
	Of         int          `json:"iterations_of"` // planned in all
	Games      int          `json:"games"`         // of those with results
	Faulty     int          `json:"faulty_iterations"`
	Finished   bool         `json:"finished"` // the event is: by its games, or by its time
	Params     []TunedParam `json:"params"`
	// Path holds means of theta over some iterations up to one, and theta after the last
	// iteration.
	Path []TuningStep `json:"path"`
}

// A TunedParam is a parameter of a tuning.
type TunedParam struct {
	Name  string   `json:"name"`
	Type  string   `json:"type"`
	Start float64  `json:"start"`
	Min   float64  `json:"min"`
	Max   float64  `json:"max"`
	CEnd  float64  `json:"c_end"`
	REnd  float64  `json:"r_end"`
	Theta float64  `json:"theta"` // after the last iteration
	Mean  float64  `json:"mean"`  // over the last half of the iterations
	Error *float64 `json:"error"` // half-width of the mean's 95 % interval
	Value string   `json:"value"` // Mean as the option takes it
}

// A TuningStep is a point of a tuning's path, its values in the order of the parameters.
type TuningStep struct {
	Iteration int       `json:"iteration"`
	Theta     []float64 `json:"theta"`
}

// NewTuningOutcome returns the outcome of the iterations that t has taken.
func NewTuningOutcome(event *arena.Event, t *schedule.Tuning) *TuningOutcome {
	total, _ := schedule.Total(*event)
	perIteration := 2 * event.Tune.Pairs
	o := &TuningOutcome{
		Event: event.Name, Game: event.Game, Bot: strings.TrimSuffix(event.Bots[0].Name, "+"), Of: total / perIteration,
		Iterations: t.Tuner.Done(), Games: t.Tuner.Done() * perIteration, Faulty: t.Faulty,
	}
	theta, params := t.Tuner.Theta(), t.Tuner.Params()
	for i, e := range t.Tuner.Estimates() {
		p := &event.Tune.Params[i]
		one := TunedParam{
			Name: p.Name, Type: p.Type, Start: p.Start, Min: p.Min, Max: p.Max, CEnd: params[i].C, REnd: params[i].R,
			Theta: theta[i], Mean: e.Value, Value: p.Text(e.Value),
		}
		if !math.IsNaN(e.Error) {
			one.Error = &e.Error
		}
		o.Params = append(o.Params, one)
	}
	for _, s := range t.Tuner.Snapshots() {
		o.Path = append(o.Path, TuningStep(s))
	}
	return o
}

// Tuned returns the tuned values as options, and Start those of the start.
func (o *TuningOutcome) Tuned() []arena.Option {
	return o.options(func(p *TunedParam) string { return p.Value })
}

// Start returns the values of the start as options.
func (o *TuningOutcome) Start() []arena.Option {
	return o.options(func(p *TunedParam) string { return option(p, p.Start) })
}

func (o *TuningOutcome) options(value func(*TunedParam) string) []arena.Option {
	options := make([]arena.Option, len(o.Params))
	for i := range o.Params {
		options[i] = arena.Option{Name: o.Params[i].Name, Value: value(&o.Params[i])}
	}
	return options
}

// option formats a value of a parameter as its option takes it.
func option(p *TunedParam, value float64) string {
	known := arena.Param{Type: p.Type}
	return known.Text(value)
}

// Status says on one line how far the tuning is.
func (o *TuningOutcome) Status() string {
	parts := make([]string, len(o.Params))
	for i := range o.Params {
		p := &o.Params[i]
		parts[i] = p.Name + " " + p.Value
		if p.Error != nil {
			parts[i] += " ± " + number(*p.Error).Text
		}
	}
	return fmt.Sprintf("iteration %d of %d: %s", o.Iterations, o.Of, strings.Join(parts, ", "))
}

// Table returns the parameters with their values.
func (o *TuningOutcome) Table() listing.Table {
	t := listing.Table{
		Title: o.Event + " · tuning of " + o.Bot + " · " + arena.PlainName(o.Game),
		Columns: []listing.Column{
			{Name: "Parameter", Left: true},
			{Name: "Min"},
			{Name: "Max"},
			{Name: "Start"},
			{Name: "Now"},
			{Name: "Tuned"},
			{Name: "±", Key: "error"},
			{Name: "c_end"},
			{Name: "r_end"},
		},
		Notes: o.lines(),
	}
	for i := range o.Params {
		p := &o.Params[i]
		row := []any{p.Name, number(p.Min), number(p.Max), number(p.Start), number(p.Theta), listing.Cell{Text: p.Value, Value: p.Mean}, "", number(p.CEnd), number(p.REnd)}
		if p.Error != nil {
			row[6] = number(*p.Error)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// number formats a value with four digits, and exactly for programs.
func number(x float64) listing.Cell {
	short := fmt.Sprintf("%.4g", x)
	if math.Abs(x) >= 1000 && math.Abs(x) < 1e15 {
		short = fmt.Sprintf("%.0f", x)
	}
	return listing.Cell{Text: short, Value: x}
}

// lines says how far the tuning is, and what its numbers do not tell.
func (o *TuningOutcome) lines() []string {
	lines := []string{fmt.Sprintf("%s of %d have results, %s.", text.Plural(o.Iterations, "iteration"), o.Of, text.Plural(o.Games, "game"))}
	if o.Iterations == 0 {
		return lines
	}
	lines = append(lines, "Now: after the last iteration. Tuned: the mean over the last half of them; ±: its 95 % interval.")
	var level, edge []string
	known := true
	for i := range o.Params {
		p := &o.Params[i]
		if p.Error == nil {
			known = false
			continue
		}
		if math.Abs(p.Mean-p.Start) <= *p.Error {
			level = append(level, p.Name)
		}
		if p.Mean-*p.Error <= p.Min || p.Mean+*p.Error >= p.Max || p.Value == option(p, p.Min) || p.Value == option(p, p.Max) {
			edge = append(edge, p.Name)
		}
	}
	if !known {
		lines = append(lines, "Too few iterations for intervals: these values mean nothing yet.")
	}
	if level != nil {
		lines = append(lines, "Not told apart from the start: "+strings.Join(level, ", ")+".")
	}
	if edge != nil {
		lines = append(lines, "The interval reaches the end of the range: "+strings.Join(edge, ", ")+".")
	}
	if o.Faulty > 0 {
		lines = append(lines, fmt.Sprintf("A fault decided %s: `arena games --event %s` says which, and why.", text.Plural(o.Faulty, "iteration"), o.Event))
	}
	return append(lines, "Tuned values as flags: -o "+strings.Join(strings.Split(arena.OptionsText(o.Tuned()), " "), " -o "))
}

// tuning returns the state of a tuning: of its first games up to one without a result.
func (f *Follower) tuning(ctx context.Context, s *store.Store, sel *Selection) (*TuningOutcome, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.begin(ctx, s, sel.Event); err != nil {
		return nil, err
	}
	if f.tuned == nil {
		f.tuned = schedule.NewTuning(sel.Config)
	}
	err := s.Scan(ctx, store.Filter{Event: sel.Event.Name, After: f.last}, func(r *store.Game) error {
		if r.Result == arena.Unplayed {
			return errEnough
		}
		f.tuned.Add(&r.Game)
		f.last = r.Number
		f.tuned.Take(r.Round)
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		f.of = ""
		return nil, err
	}
	o := NewTuningOutcome(&sel.Config, f.tuned)
	o.Finished = sel.Event.State == store.Finished
	return o, nil
}

// TuningAt returns the state of a tuning after its first iterations, as it was then.
func TuningAt(ctx context.Context, s *store.Store, sel *Selection, iterations int) (*TuningOutcome, error) {
	t := schedule.NewTuning(sel.Config)
	if t == nil {
		return nil, &ChoiceError{fmt.Sprintf("event %q is no tuning; `arena events` says which are", sel.Event.Name)}
	}
	if err := s.Plan(ctx, sel.Event.Name, t.Add); err != nil {
		return nil, err
	}
	t.Take(iterations)
	return NewTuningOutcome(&sel.Config, t), nil
}

// Curve returns the path of parameter i, with its start and its bounds.
func (o *TuningOutcome) Curve(i int) *LineChart {
	p := &o.Params[i]
	s := Series{Name: p.Name, Start: p.Start}
	for _, step := range o.Path {
		s.At, s.Ratings = append(s.At, step.Iteration), append(s.Ratings, step.Theta[i])
	}
	return &LineChart{
		Title: fmt.Sprintf("%s over %s", p.Name, text.Plural(o.Iterations, "iteration")), Unit: "iterations", Series: []Series{s},
		Marks: []Mark{{Name: fmt.Sprintf("min %g", p.Min), At: p.Min}, {Name: fmt.Sprintf("max %g", p.Max), At: p.Max}},
	}
}
