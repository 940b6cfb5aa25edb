package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/rating/sprt"
	"botarena/arena/schedule"
	"botarena/arena/standings"
	"botarena/engine/nearest"
)

// testFlags registers the flags of a test's hypotheses.
func testFlags(cmd *cobra.Command, flags settingFlags, of any, path string) {
	flags.add(cmd, of,
		settingFlag{path + "elo0", "", "H0: the first bot is this much stronger, in `Elo` of the model"},
		settingFlag{path + "elo1", "", "H1: the first bot is this much stronger, in `Elo` of the model"},
		settingFlag{path + "alpha", "", "`probability` to accept H1 where H0 is true"},
		settingFlag{path + "beta", "", "`probability` to accept H0 where H1 is true"},
		settingFlag{path + "model", "", "`unit` of elo0 and elo1: normalized or logistic Elo"},
		settingFlag{path + "bounds", "", "`mode` of bounds: wald, or corrected for how far a test passes them, which ends it a little sooner"},
	)
}

// testParameters holds the flags of a test that is not played.
type testParameters struct {
	arena.SPRT
	flags settingFlags
}

func (p *testParameters) register(cmd *cobra.Command) {
	p.SPRT, p.flags = arena.Defaults[arena.SPRT](), settingFlags{}
	testFlags(cmd, p.flags, &p.SPRT, "")
}

// test returns the test, or a usage error.
func (p *testParameters) test() (sprt.Test, error) {
	t := sprt.Test{Elo0: p.Elo0, Elo1: p.Elo1, Alpha: p.Alpha, Beta: p.Beta, Model: sprt.Model(p.Model), Corrected: p.Bounds == sprt.BoundsCorrected}
	return t, flagProblems(p.Validate(), func(field string) string { return cmp.Or(p.flags.named(field), "--elo0") })
}

func (a *app) sprtCommand() *cobra.Command {
	d := duel{event: config.Default()}
	cmd := &cobra.Command{
		Use:   "sprt [A B]",
		Short: "Play pairs until a sequential test decides whether A is stronger than B",
		Long: `Play pairs of games (one opening, sides swapped) between two bots until a
sequential probability ratio test decides between H1, A is elo1 stronger than B,
and H0, it is elo0 stronger. Between the two it may go either way, and takes
longest. Unlike looking at the error bars now and then it keeps its promise: H1
is accepted by mistake with probability alpha at most, H0 with beta.

elo0 and elo1 are normalized Elo by default, in which a test takes as long
whatever the share of draws; --model logistic takes them as Elo of the score.
The test looks between pairs only, in the order of the schedule, and whatever
ends a game, crashes and time forfeits too, counts as its result. Elo and its
interval after the stop are free of the bias that stopping brings (median
unbiased).

` + botHelp + `

The test is recorded as an event, its parameters with it: "arena sprt --event NAME"
shows one that has ended and goes on with one that has not. A test that --max-pairs
ended undecided goes on with the same command and more of them.

` + queueHelp + `

Exit codes: 0 H1 is accepted, 3 H0 is accepted, 4 undecided after --max-pairs,
1 failed (a bot that fails in game after game gives no verdict), 2 wrong usage,
130 interrupted.`,
		Example: `  arena sprt ./new ./old --game owlman --clock 5s+50ms
  arena sprt deep=minimax shallow=minimax --clock-a depth=4 --clock-b depth=3 --elo1 20
  arena sprt new=./bot old=./bot -o new:Skill=8 -c 1+0.01 --dry-run
  arena sprt ./new ./old --elo0 -5 --elo1 0 --event no-regression
  arena sprt ./new ./old --elo1 50 --bounds corrected
  arena sprt --event no-regression
  arena sprt new/ old/ --elo1 10 --to https://league.example.org --wait
  arena sprt plan --elo1 5 --elo 4 --draw-ratio 0.4
  arena sprt calc --pairs 39,8843,26675,9240,44 --elo0 0.5 --elo1 2.5`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				if near := nearest.Of(args[0], []string{"calc", "plan"}); near != "" {
					return fmt.Errorf("unknown subcommand %q; did you mean %q?", args[0], near)
				}
			}
			if len(args) != 2 && len(args) != 0 {
				return fmt.Errorf("name two bots, or use arena sprt calc or arena sprt plan; %d words were given", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if d.queue.to != "" {
				return a.enqueue(cmd, &d, args)
			}
			return a.playTest(cmd, &d, "sprt", args)
		},
	}
	test := arena.Defaults[arena.SPRT]()
	d.event.SPRT, d.event.Rounds = &test, 20_000
	d.register(cmd)
	d.queue.register(cmd)
	testFlags(cmd, d.flags, &d.event, "sprt.")
	d.flags.add(cmd, &d.event, settingFlag{"rounds", "max-pairs", "stop undecided after so many `pairs`"})
	cmd.AddCommand(a.sprtCalcCommand(), a.sprtPlanCommand())
	return cmd
}

func (a *app) sprtCalcCommand() *cobra.Command {
	var p testParameters
	var pairs, games string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "calc",
		Short: "Work out a sequential test from counts of pairs or games",
		Long: `Work out where a sequential test stands from counts: of pairs of games by the
first bot's points (0, 1/2, 1, 3/2, 2), or of games by their outcome (wins, draws,
losses). It prints the log-likelihood ratio with its bounds, Elo and normalized
Elo with half-widths of 95 % intervals, the likelihood of superiority and the
verdict: "accept H1", "accept H0" or "continue". Once the test has stopped, Elo is
given free of the bias of stopping as well (member "unbiased" of the JSON).

What the counts do not tell is null in JSON: Elo of a perfect score (low and high
hold a one-sided bound), errors where all scores are the same.`,
		Example: `  arena sprt calc --pairs 39,8843,26675,9240,44 --elo0 0.5 --elo1 2.5
  arena sprt calc --games 1200,2500,1100 --elo0 0 --elo1 5 --model logistic --json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			test, err := p.test()
			if err != nil {
				return err
			}
			var c sprt.Counts
			if (pairs == "") == (games == "") {
				return usagef("give either --pairs n0,n1,n2,n3,n4 or --games W,D,L")
			}
			if pairs != "" {
				n, err := parseCounts("pairs", pairs, len(sprt.Pentanomial{}), "from no point to both: 39,8843,26675,9240,44")
				if err != nil {
					return err
				}
				c = sprt.Pentanomial(n)
			} else {
				n, err := parseCounts("games", games, len(sprt.Trinomial{}), "wins, draws, losses: 120,250,110")
				if err != nil {
					return err
				}
				c, test.Single = sprt.Trinomial{n[2], n[1], n[0]}, true
			}
			r, err := test.Report(c)
			if err != nil {
				return usageError(err)
			}
			if asJSON {
				return a.printJSON(r)
			}
			for _, line := range standings.SPRTLines(test, r, pairs != "") {
				fmt.Fprintln(a.out, line)
			}
			return nil
		},
	}
	p.register(cmd)
	cmd.Flags().StringVar(&pairs, "pairs", "", "`counts` of pairs by points 0, 1/2, 1, 3/2, 2: n0,n1,n2,n3,n4")
	cmd.Flags().StringVar(&games, "games", "", "`counts` of games: W,D,L")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// mostCount is the largest accepted count: sums of them stay exact.
const mostCount = 1_000_000_000_000

// parseCounts parses want counts, separated by commas or blanks.
func parseCounts(flag, text string, want int, like string) ([]int, error) {
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	if len(words) != want {
		return nil, usagef("--%s %q: give %d counts, %s", flag, text, want, like)
	}
	out := make([]int, want)
	for i, w := range words {
		n, err := strconv.Atoi(w)
		if err != nil || n < 0 || n > mostCount {
			return nil, usagef("--%s %q: %q is not a count; give %d counts, %s", flag, text, w, want, like)
		}
		out[i] = n
	}
	return out, nil
}

func (a *app) sprtPlanCommand() *cobra.Command {
	var p testParameters
	var elo, draws float64
	var games, asJSON bool
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Tell how many pairs a sequential test will take",
		Long: `Tell how many pairs of games a sequential test takes on average, and how it will
end, where the first bot is truly --elo stronger (logistic Elo, whatever the
model) and games are drawn with probability --draw-ratio. The two games of a pair
are taken as independent, which makes the plan a careful one: pairs from
unbalanced openings spread less and decide sooner.`,
		Example: `  arena sprt plan --elo 5 --draw-ratio 0.6
  arena sprt plan --elo0 -3 --elo1 1 --elo 0 --draw-ratio 0.3 --json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			test, err := p.test()
			if err != nil {
				return err
			}
			if !(elo >= -1000 && elo <= 1000) {
				return usagef("--elo %g: must lie between -1000 and 1000", elo)
			}
			model, unit := sprt.PairModel, "pairs"
			if games {
				model, unit, test.Single = sprt.GameModel, "games", true
			}
			probabilities, err := model(elo, draws)
			if err != nil {
				return usageError(fmt.Errorf("--draw-ratio: %w", err))
			}
			plan := test.Plan(probabilities)
			if asJSON {
				return a.printJSON(plan)
			}
			fmt.Fprintf(a.out, "%s\n", standings.TestLine(test))
			fmt.Fprintf(a.out, "At Elo %+.1f (nElo %+.1f) with %.0f %% draws:\n", plan.Elo, plan.NElo, 100*draws)
			fmt.Fprintf(a.out, "  expected %s   %.0f\n", unit, plan.Observations)
			fmt.Fprintf(a.out, "  accepts H1       %.1f %%\n", 100*plan.AcceptH1)
			fmt.Fprintf(a.out, "  accepts H0       %.1f %%\n", 100*(1-plan.AcceptH1))
			return nil
		},
	}
	p.register(cmd)
	cmd.Flags().Float64Var(&elo, "elo", 0, "true strength of the first bot, in logistic `Elo`")
	cmd.Flags().Float64Var(&draws, "draw-ratio", 0, "`share` of games that are drawn, 0 to 1")
	cmd.Flags().BoolVar(&games, "single", false, "plan for single games instead of pairs")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// playTest plays a test or a race of the bots named, or goes on with a recorded one.
func (a *app) playTest(cmd *cobra.Command, d *duel, name string, args []string) error {
	var event arena.Event
	var err error
	if len(args) == 0 {
		event, err = a.recordedTest(cmd, d)
	} else {
		event, err = a.matchEvent(cmd, d, name, args)
	}
	if err != nil {
		return err
	}
	return a.playTyped(cmd, d, event, true, play{extend: len(args) > 0, test: true, json: d.asJSON})
}

// recordedTest returns the recorded event of a test or a race, which --event names: of the
// format of d's event.
func (a *app) recordedTest(cmd *cobra.Command, d *duel) (arena.Event, error) {
	aside := []string{"concurrency", "handshake", "log", "max-faults"} // what may change while it goes on
	recorded := "test"
	if d.event.Format == schedule.FormatRace {
		recorded = "race"
	}
	if d.event.Name == "" {
		return arena.Event{}, usagef("name the bots, or a %s that is recorded with --event", recorded)
	}
	settings := []string{"option", "rules"}
	for _, flags := range []settingFlags{d.flags, d.common, d.own[0], d.own[1]} {
		settings = slices.AppendSeq(settings, maps.Keys(flags))
	}
	slices.Sort(settings)
	for _, name := range settings {
		if cmd.Flags().Changed(name) && name != "event" && !slices.Contains(aside, name) {
			return arena.Event{}, usagef("--%s: a %s that is recorded has its own; leave it out, or name the bots, too", name, recorded)
		}
	}
	s, err := a.openRead(cmd)
	if err != nil {
		return arena.Event{}, err
	}
	defer s.Close()
	stored, err := s.Event(cmd.Context(), d.event.Name)
	if err != nil {
		return arena.Event{}, err
	}
	e, err := config.Decode(stored.Config)
	if err == nil && (e.SPRT == nil || e.Format != d.event.Format) {
		err = usagef("event %q is no %s; `arena events` says which are", e.Name, recorded)
	}
	for _, name := range aside {
		if f := d.flags[name]; f.Given {
			f.Apply(&e)
		}
	}
	return e, err
}

// The exit codes of a test that has not accepted H1.
const (
	exitH0        = 3
	exitUndecided = 4
)

// verdictCode returns the exit code of the outcome of a test or a race.
func verdictCode(verdict sprt.Verdict) error {
	switch verdict {
	case sprt.AcceptH0:
		return &exitError{code: exitH0}
	case sprt.Continue:
		return &exitError{code: exitUndecided}
	}
	return nil
}
