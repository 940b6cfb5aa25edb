package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/schedule"
	"botarena/arena/standings"
	"botarena/arena/store"
	"botarena/engine/games"
	"botarena/engine/nearest"
)

// askedParams is the first line of `arena tune ask`: what can be told.
type askedParams struct {
	Params []askedParam `json:"params"`
}

type askedParam struct {
	Name  string  `json:"name"`
	Type  string  `json:"type"`
	Start float64 `json:"start"`
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
}

// A toldPoint is a line that `arena tune tell` reads. Parameters that are left out have
// the values of the start.
type toldPoint struct {
	Values  map[string]float64 `json:"values"`
	Against map[string]float64 `json:"against"`
	Pairs   int                `json:"pairs"`
}

// A toldResult is the line that answers it.
type toldResult struct {
	Point   int                `json:"point"` // 1-based, in the order in which they were told
	Event   string             `json:"event"`
	Values  map[string]float64 `json:"values"`
	Against map[string]float64 `json:"against"`
	Pairs   int                `json:"pairs"`
	Wins    int                `json:"wins"`
	Draws   int                `json:"draws"`
	Losses  int                `json:"losses"`
	Faults  int                `json:"faults"` // games among the losses that Values lost by a fault
	Score   float64            `json:"score"`
	Elo     *float64           `json:"elo"`
	Error   *float64           `json:"elo_error"`
}

const tellHelp = `A point is a line of JSON: {"values": {"Margin": 80}, "against": {"Margin": 100},
"pairs": 20}. What it leaves out has the value of the start, and --pairs pairs are
played. The answer is a line with wins, draws and losses of "values", the score, and Elo
with the half-width of its 95 % interval. Points are numbered; the same points told
again, with the same --event, are answered from the record. Each point is an archived
event of its own: EVENT.1, EVENT.2 and so on.`

func (a *app) tuneTellCommands() []*cobra.Command {
	ask := &tuneDuel{duel: duel{event: config.Default()}}
	asking := &cobra.Command{
		Use:   "ask BOT --param NAME=START,MIN,MAX ...",
		Short: "Print what can be tuned, and the points told so far, as lines of JSON",
		Long: `Print the parameters on a line of JSON, {"params": [{"name", "type", "start", "min",
"max"}]}, and behind it a line for each point that was told under --event, as arena tune
tell answered it: what an optimiser needs to begin, or to go on.`,
		Example: `  arena tune ask minimax --all-spin
  arena tune ask minimax --param Margin --event outside`,
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := a.toldEvent(cmd, ask, args[0])
			if err != nil {
				return err
			}
			return a.askTuning(cmd.Context(), cmd, &e, cmd.Flags().Changed("event"))
		},
	}
	tell := &tuneDuel{duel: duel{event: config.Default()}}
	telling := &cobra.Command{
		Use:   "tell BOT --param NAME=START,MIN,MAX ... < POINTS",
		Short: "Play the points of an optimiser, which writes and reads lines of JSON",
		Long: `Read points from stdin, play each against the start or another point, and answer on
stdout: another optimiser than SPSA chooses what is played, and openings, fleet, record
and resuming are those of arena.

` + tellHelp,
		Example: `  echo '{"values": {"Margin": 80}, "pairs": 4}' | arena tune tell minimax --param Margin --clock nodes=100
  arena tune tell minimax --param Margin --event outside < points.jsonl`,
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := a.toldEvent(cmd, tell, args[0])
			if err != nil {
				return err
			}
			return a.tellTuning(cmd, tell, &e)
		},
	}
	for _, c := range []struct {
		cmd *cobra.Command
		d   *tuneDuel
	}{{asking, ask}, {telling, tell}} {
		c.d.register(c.cmd)
		c.d.event.Format = schedule.FormatTune
		c.d.registerParams(c.cmd)
		c.d.flags.add(c.cmd, &c.d.event, settingFlag{"tune.pairs", "", "`pairs` of games for a point that names no number"})
	}
	return []*cobra.Command{asking, telling}
}

// toldEvent returns the tuning whose points are told.
func (a *app) toldEvent(cmd *cobra.Command, d *tuneDuel, bot string) (arena.Event, error) {
	if d.dryRun {
		return arena.Event{}, usagef("--dry-run is not for points that are told")
	}
	return a.tuneEvent(cmd, d, bot)
}

// askTuning prints the parameters, and the points that are recorded.
func (a *app) askTuning(ctx context.Context, cmd *cobra.Command, e *arena.Event, recorded bool) error {
	out := json.NewEncoder(a.out)
	var asked askedParams
	for _, p := range e.Tune.Params {
		asked.Params = append(asked.Params, askedParam{p.Name, p.Type, p.Start, p.Min, p.Max})
	}
	if err := out.Encode(asked); err != nil || !recorded {
		return err
	}
	s, err := a.openRead(cmd)
	if errors.Is(err, store.ErrNoDatabase) {
		return nil
	}
	if err != nil {
		return err
	}
	defer s.Close()
	for n := 1; ; n++ {
		o, err := standings.NewOutcome(ctx, s, games.All(), pointEvent(e, n))
		if is[*store.UnknownEventError](err) {
			return nil
		}
		var r *toldResult
		if err == nil {
			r, err = told(ctx, s, e, n, o)
		}
		if err == nil {
			err = out.Encode(r)
		}
		if err != nil {
			return err
		}
	}
}

// tellTuning plays the points of stdin.
func (a *app) tellTuning(cmd *cobra.Command, d *tuneDuel, e *arena.Event) error {
	lines, out := bufio.NewReader(a.in), json.NewEncoder(a.out)
	for number, n := 1, 1; ; number++ {
		line, readErr := lines.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			match, err := pointMatch(e, n, line)
			if err != nil {
				return usagef("stdin, line %d: %w", number, err)
			}
			d.quiet = true
			err = a.playTyped(cmd, &d.duel, match, false, play{after: func(ctx context.Context, s *store.Store, o *standings.Outcome) error {
				if err := s.Archive(ctx, match.Name, true); err != nil {
					return err
				}
				r, err := told(ctx, s, e, n, o)
				if err != nil {
					return err
				}
				return out.Encode(r)
			}})
			if err != nil {
				return err
			}
			n++
		}
		if errors.Is(readErr, io.EOF) {
			return nil
		}
		if readErr != nil {
			return fmt.Errorf("read points: %w", readErr)
		}
	}
}

// pointEvent returns the name of the event of a point.
func pointEvent(e *arena.Event, n int) string { return fmt.Sprintf("%s.%d", e.Name, n) }

// pointMatch returns the match of a point.
func pointMatch(e *arena.Event, n int, line []byte) (arena.Event, error) {
	p := toldPoint{Pairs: e.Tune.Pairs}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return arena.Event{}, fmt.Errorf("%w; write {\"values\": {\"NAME\": NUMBER}}, and perhaps \"against\" and \"pairs\"", err)
	}
	match := *e
	match.Name, match.Format, match.Rounds, match.Tune = pointEvent(e, n), schedule.FormatMatch, p.Pairs, config.Default().Tune
	match.Seed += uint64(n) //nolint:gosec // not negative
	match.League, match.MaxFaults = "told", 0
	match.Bots = nil
	for i, values := range []map[string]float64{p.Values, p.Against} {
		b := e.Bots[i]
		options, err := pointOptions(e.Tune.Params, values)
		if err != nil {
			return match, err
		}
		b.Options = slices.Concat(b.Options, options)
		match.Bots = append(match.Bots, b)
	}
	return match, schedule.Validate(&match, known().Names())
}

// pointOptions returns the options of a point. Each parameter has one, of the start
// where the point does not name it.
func pointOptions(params []arena.Param, values map[string]float64) ([]arena.Option, error) {
	var names []string
	for i := range params {
		names = append(names, params[i].Name)
	}
	for name := range values {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("no parameter %q is tuned; %s", name, nearest.Hint(name, names, "there are "+strings.Join(names, ", ")))
		}
	}
	var options []arena.Option
	for i := range params {
		p := &params[i]
		v, given := values[p.Name]
		if !given {
			v = p.Start
		}
		if !(v >= p.Min && v <= p.Max) {
			return nil, fmt.Errorf("%s: %g is not between %g and %g", p.Name, v, p.Min, p.Max)
		}
		options = append(options, arena.Option{Name: p.Name, Value: p.Text(v)})
	}
	return options, nil
}

// told returns what a recorded point came to, by its outcome.
func told(ctx context.Context, s *store.Store, e *arena.Event, n int, o *standings.Outcome) (*toldResult, error) {
	stored, err := s.Event(ctx, pointEvent(e, n))
	if err != nil {
		return nil, err
	}
	match, err := config.Decode(stored.Config)
	if err != nil || o.HeadToHead == nil || len(match.Bots) != 2 {
		return nil, usagef("event %q is no point that was told: choose another --event", stored.Name)
	}
	h := o.HeadToHead
	r := &toldResult{
		Point: n, Event: stored.Name, Pairs: match.Rounds, Wins: h.Wins, Draws: h.Draws, Losses: h.Losses,
		Score: h.Points / float64(max(1, h.Games)), Elo: h.ByPairs.Elo, Error: h.ByPairs.EloError,
	}
	for side, to := range []*map[string]float64{&r.Values, &r.Against} {
		*to = map[string]float64{}
		for _, option := range match.Bots[side].Options {
			var v float64
			if _, err := fmt.Sscan(option.Value, &v); err == nil && slices.ContainsFunc(e.Tune.Params, func(p arena.Param) bool { return p.Name == option.Name }) {
				(*to)[option.Name] = v
			}
		}
	}
	r.Faults = h.Forfeits[0].Total()
	return r, nil
}
