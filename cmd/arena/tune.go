package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/event"
	"botarena/arena/listing"
	"botarena/arena/rating/sprt"
	"botarena/arena/schedule"
	"botarena/arena/standings"
	"botarena/arena/store"
	"botarena/engine/games"
	"botarena/engine/nearest"
)

// tuneFlags are the settings of a tuning that are flags.
func tuneFlags() []settingFlag {
	return []settingFlag{
		{"tune.games", "games n", "`games` of the tuning; the step sizes depend on their number"},
		{"tune.time", "", "begin no game after this `time` of play"},
		{"tune.pairs", "", "`pairs` of games in each iteration"},
		{"tune.lag", "", "`iterations` before one whose results it does not see, which may be in progress meanwhile"},
		{"tune.alpha", "", "`exponent` by which the steps shrink"},
		{"tune.gamma", "", "`exponent` by which the perturbations shrink"},
		{"tune.stability", "", "A, as a `share` of the iterations: it keeps the first steps small"},
	}
}

// A tuneDuel holds the flags of arena tune.
type tuneDuel struct {
	duel
	params  []string
	allSpin bool
	at      int
	confirm confirmation
}

// A confirmation holds the settings of the test of tuned values against the start's.
type confirmation struct {
	SPRT  arena.SPRT        `key:"confirm,omit"`
	Clock arena.TimeControl `key:"clock"`
	Pairs int               `key:"pairs" range:"1..1000000" default:"20000"`
	flags settingFlags
}

// tuningJSON is a tuning as `arena tune --json` prints it.
type tuningJSON struct {
	*standings.TuningOutcome
	Confirmation *standings.SPRTOutcome `json:"confirmation,omitempty"`
}

func (a *app) tuneCommand() *cobra.Command {
	d := &tuneDuel{duel: duel{event: config.Default()}}
	cmd := &cobra.Command{
		Use:   "tune BOT --param NAME=START,MIN,MAX[,ELO] ... | FILE.yaml",
		Short: "Tune options of a bot by playing it against itself",
		Long: `Tune options of a bot by SPSA: in each iteration the bot plays itself, every parameter
moved a little up for one of both and down for the other, by lot, and the values move
towards the winner. What counts in the end is the mean over the last half of the
iterations, with a 95 % interval.

--param NAME=START,MIN,MAX names an option that the bot declares, as whole numbers
(spin) or as text, which takes any number; NAME alone takes start and range from the
declaration, and --all-spin does so with all that are parameters of the play. A fourth
number says how many Elo the parameter is expected to be worth: what is lost at half
of the range from its best value (default 10). The step sizes follow from it; c_end=C
and r_end=R behind the numbers give them instead, as fishtest and OpenBench name them.
FILE.yaml is an event file of format tune: configs/reference.yaml has its keys.

The tuning is recorded as an event, each game with the values that it was played with:
"arena show" tells them. --event NAME with the same flags goes on with one that was
interrupted, alone it shows one that is recorded, and --at ITERATION as it was then. One
seed gives the same values and openings whatever the concurrency, and over a fleet. A
game that a fault decides makes its iteration lost; after --max-faults such iterations
in a row the tuning stops.

--confirm tests the tuned values against the start's by a sequential test when the
tuning is over, by default with four times the clock: a gain at a short clock may be
none at a longer one.

` + botHelp + `

Exit codes: as of all commands; with --confirm 3 if nothing was gained (H0) and 4 if that
is not decided.`,
		Example: `  arena tune minimax --param Margin=60,10,200 --param Reduce=150,80,400,20 --games 4000 --clock nodes=500
  arena tune minimax --all-spin --games 20000 --time 8h --clock 1s+10ms --event night
  arena tune minimax --param "Late=8,1,40,c_end=4,r_end=0.01" --event late --concurrency 4
  arena tune --event night --at 1 --json
  arena tune minimax --param Margin --games 40000 --confirm elo0=0,elo1=50 --confirm-clock nodes=20 --confirm-pairs 500`,
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.tune(cmd, d, args) },
	}
	d.register(cmd)
	d.event.Format = schedule.FormatTune
	d.flags.add(cmd, &d.event, tuneFlags()...)
	d.confirm.flags = settingFlags{}
	arena.SetDefaults(&d.confirm)
	d.confirm.flags.add(cmd, &d.confirm,
		settingFlag{"confirm", "", "then test the tuned values against the start's by an SPRT of this `rule`: elo0=0,elo1=5"},
		settingFlag{"clock", "confirm-clock", "the `clock` of that test (default: four times that of the tuning)"},
		settingFlag{"pairs", "confirm-pairs", "stop that test undecided after so many `pairs`"},
	)
	d.registerParams(cmd)
	cmd.Flags().IntVar(&d.at, "at", 0, "with --event alone: the tuning as it was after so many `iterations`")
	cmd.AddCommand(a.tuneTellCommands()...)
	return cmd
}

// registerParams registers the flags that say what is tuned.
func (d *tuneDuel) registerParams(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&d.params, "param", nil, "an option to tune, a `parameter`: NAME=START,MIN,MAX[,ELO][,c_end=C][,r_end=R], or NAME alone; may be given again")
	f.BoolVar(&d.allSpin, "all-spin", false, "tune all options that the bot declares as whole numbers between bounds, but for Hash, Threads and the like")
}

// tune plays a tuning, or shows a recorded one.
func (a *app) tune(cmd *cobra.Command, d *tuneDuel, args []string) error {
	switch {
	case len(args) == 0:
		return a.showTuning(cmd, d)
	case d.at != 0:
		return usagef("--at is for a tuning that is recorded: give --event alone")
	}
	e, err := a.tuneEvent(cmd, d, args[0])
	if err != nil {
		return err
	}
	confirming := d.confirm.SPRT != (arena.SPRT{})
	if confirming {
		err = flagProblems(d.confirm.SPRT.Validate(), func(string) string { return "--confirm" })
	} else if d.confirm.flags["confirm-clock"].Given {
		err = usagef("--confirm-clock goes with --confirm, such as --confirm elo0=0,elo1=5")
	}
	if err != nil {
		return err
	}
	var out tuningJSON
	err = a.playTyped(cmd, &d.duel, e, true, play{extend: true, after: func(_ context.Context, _ *store.Store, o *standings.Outcome) error {
		out.TuningOutcome = o.Tuning
		switch {
		case !d.asJSON:
			return o.Write(a.out, "")
		case !confirming:
			return a.printJSON(out)
		}
		return nil
	}})
	if err != nil || !confirming || d.dryRun {
		return err
	}
	return a.confirmTuning(cmd, d, e, &out)
}

// tuneEvent returns the event of a tuning: of a file, or as the flags describe it.
func (a *app) tuneEvent(cmd *cobra.Command, d *tuneDuel, arg string) (e arena.Event, err error) {
	if ext := filepath.Ext(arg); (ext == ".yaml" || ext == ".yml") && isFile(arg) {
		if len(d.params) > 0 || d.allSpin {
			return e, usagef("%s says what is tuned: leave --param and --all-spin out", arg)
		}
		if _, err := a.settings(cmd); err != nil {
			return e, err
		}
		if e, err = a.loadEvent(cmd, arg); err != nil {
			return e, err
		}
		if e.Format != schedule.FormatTune {
			return e, usagef("%s: its format is %s, not tune; `arena run %s` plays it", arg, e.Format, arg)
		}
		for name, f := range d.flags {
			if f.Given && cmd.Flags().Changed(name) {
				f.Apply(&e)
			}
		}
		return e, flagProblems(schedule.Validate(&e, known().Names()), d.flags.named)
	}
	d.complete = func(e *arena.Event) error {
		bot := e.Bots[0]
		e.Bots = schedule.TunedBots(bot)
		var err error
		e.Tune.Params, err = a.tuneParams(cmd.Context(), d, bot, e)
		return err
	}
	return a.matchEvent(cmd, &d.duel, "tune", []string{arg})
}

// tuneParams returns the parameters that the flags name, with what the bot declares of
// them.
func (a *app) tuneParams(ctx context.Context, d *tuneDuel, bot arena.Bot, e *arena.Event) ([]arena.Param, error) {
	if len(d.params) == 0 && !d.allSpin {
		return nil, usagef("name what to tune: --param NAME=START,MIN,MAX, or --all-spin")
	}
	if len(bot.Build) > 0 {
		return nil, usagef("bot %q is built before it is played: build it first, and tune what comes of it", bot.Name)
	}
	starter, err := a.newStarter()
	if err != nil {
		return nil, err
	}
	declared, err := a.hello(ctx, bot, e.Handshake, a.startOf(starter, bot))
	_ = starter.Close()
	if err != nil {
		return nil, fmt.Errorf("bot %q: %w", bot.Name, err)
	}
	spin := event.ParamsOf(declared.Options)
	var params []arena.Param
	if d.allSpin {
		if params = spin; len(params) == 0 {
			return nil, usagef("--all-spin: bot %q declares no whole numbers between bounds to tune", bot.Name)
		}
	}
	for _, text := range d.params {
		p, err := parseParam(text, spin)
		if err != nil {
			return nil, err
		}
		if o, ok := declared.Options.Find(p.Name); ok {
			p.Name = o.Name
			p.Type = map[bool]string{true: "int", false: "float"}[o.Type.String() == "spin"]
		}
		if i := slices.IndexFunc(params, func(o arena.Param) bool { return o.Name == p.Name }); i >= 0 && d.allSpin {
			params[i] = p
		} else {
			params = append(params, p)
		}
	}
	return params, usageError(event.Tunable(bot.Name, declared.Options, params))
}

// parseParam reads NAME=START,MIN,MAX[,ELO][,c_end=C][,r_end=R], or NAME alone of one of
// those that the bot declares.
func parseParam(text string, declared []arena.Param) (p arena.Param, err error) {
	const form = "write NAME=START,MIN,MAX, such as Margin=100,0,300, and perhaps the Elo that it is worth behind them"
	name, rest, given := strings.Cut(text, "=")
	p = arena.Param{Name: strings.TrimSpace(name), Type: "int"}
	if p.Name == "" {
		return p, usagef("--param %q: names no option; %s", text, form)
	}
	if !given {
		var names []string
		for _, o := range declared {
			if names = append(names, o.Name); strings.EqualFold(o.Name, p.Name) {
				return o, nil
			}
		}
		return p, usagef("--param %q: the bot declares no such option with bounds; %s", text, nearest.Hint(p.Name, names, form))
	}
	numbers := []*float64{&p.Start, &p.Min, &p.Max, &p.Elo}
	read := 0
	for part := range strings.SplitSeq(rest, ",") {
		part = strings.TrimSpace(part)
		var to *float64
		key, value, named := strings.Cut(part, "=")
		switch {
		case key == "c_end" && named:
			to = &p.CEnd
		case key == "r_end" && named:
			to = &p.REnd
		case named:
			return p, usagef("--param %q: %q is neither c_end nor r_end", text, key)
		case read == len(numbers):
			return p, usagef("--param %q: too many numbers; %s", text, form)
		default:
			to, value = numbers[read], part
			read++
		}
		if *to, err = strconv.ParseFloat(value, 64); err != nil || math.IsNaN(*to) || math.IsInf(*to, 0) {
			return p, usagef("--param %q: %q is no number; %s", text, value, form)
		}
		if to != &p.Start && to != &p.Min && to != &p.Max && !(*to > 0) {
			return p, usagef("--param %q: %s must be more than 0", text, part)
		}
	}
	if read < len(numbers)-1 {
		return p, usagef("--param %q: %s", text, form)
	}
	return p, nil
}

// showTuning prints a recorded tuning.
func (a *app) showTuning(cmd *cobra.Command, d *tuneDuel) error {
	if d.event.Name == "" {
		return usagef("name a bot to tune, or a tuning that is recorded with --event")
	}
	s, err := a.openRead(cmd)
	if err != nil {
		return err
	}
	defer s.Close()
	sel, err := standings.Choose(cmd.Context(), s, games.All(), d.event.Name, "", "", nil)
	if err != nil {
		return err
	}
	o := sel.Tuning
	if d.at > 0 || o == nil {
		if o, err = standings.TuningAt(cmd.Context(), s, sel, d.at); err != nil {
			return usageError(err)
		}
	}
	if d.asJSON {
		return a.printJSON(tuningJSON{TuningOutcome: o})
	}
	return o.Table().Write(a.out, listing.Text)
}

// confirmTuning plays the tuned values against those of the start.
func (a *app) confirmTuning(cmd *cobra.Command, d *tuneDuel, e arena.Event, out *tuningJSON) error {
	tuned, start := out.Tuned(), out.Start()
	if slices.Equal(tuned, start) {
		fmt.Fprintln(a.err, "the tuned values are those of the start: nothing was gained, and there is nothing to test")
		if d.asJSON {
			if err := a.printJSON(out); err != nil {
				return err
			}
		}
		return &exitError{code: exitH0}
	}
	base := e.Bots[0]
	test := e
	test.Name, test.Format, test.Tune, test.Rounds = e.Name+" confirmed", schedule.FormatMatch, config.Default().Tune, d.confirm.Pairs
	test.SPRT, test.Clock = &d.confirm.SPRT, longer(e.Clock)
	if d.confirm.flags["confirm-clock"].Given {
		test.Clock = d.confirm.Clock
	}
	test.Seed++ // other openings than those that were tuned on
	test.Bots = nil
	for i, options := range [][]arena.Option{tuned, start} {
		b := base
		b.Name = out.Bot + []string{" tuned", " start"}[i]
		b.Options = slices.Concat(base.Options, options)
		test.Bots = append(test.Bots, b)
	}
	if err := schedule.Validate(&test, known().Names()); err != nil {
		return usageError(err)
	}
	fmt.Fprintf(a.err, "the tuned values against the start's, at %s:\n", config.FormatClock(test.Clock))
	var verdict error
	err := a.playTyped(cmd, &d.duel, test, true, play{after: func(_ context.Context, _ *store.Store, o *standings.Outcome) error {
		out.Confirmation, verdict = o.Test, verdictCode(o.Test.Verdict)
		if d.asJSON {
			return a.printJSON(out)
		}
		if err := o.Write(a.out, ""); err != nil {
			return err
		}
		fmt.Fprintln(a.out, confirmed(o.Test))
		return nil
	}})
	return cmp.Or(err, verdict)
}

// confirmed says what a test of tuned values came to.
func confirmed(o *standings.SPRTOutcome) string {
	switch o.Verdict {
	case sprt.AcceptH1:
		return "The tuned values are a gain."
	case sprt.AcceptH0:
		return "Nothing was gained: keep the values of the start."
	}
	return "Whether the tuned values are a gain is not decided."
}

// longer returns four times a clock; a depth grows by two plies.
func longer(c arena.TimeControl) arena.TimeControl {
	const times, plies = 4, 2
	c = c.Scaled(times)
	c.Nodes *= times
	if c.Depth > 0 {
		c.Depth += plies
	}
	return c
}
