package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/check"
	"botarena/arena/process"
	"botarena/arena/rules"
	"botarena/arena/session"
	"botarena/engine/games"
)

func (a *app) checkCommand() *cobra.Command {
	var game, program string
	var seed uint64
	var hello time.Duration
	var quick, asJSON bool
	var sandbox string
	var read []string
	cmd := &cobra.Command{
		Use:   "check [BOT [ARGUMENT...]|EVENT.yaml|FOLDER|ARCHIVE]",
		Short: "Test whether a bot keeps the protocol",
		Long: `Test whether a bot keeps the protocol: the handshake, its options, moves in 200
positions of random games, several clocks, isready and stop while it thinks, new
games, memory over 100 games, how it ends, and what it writes.

A failure loses games; a warning is what its author should know. Both come with
the lines that show it (seconds since the start, > to the bot, < from it) and a
hint. A check takes about 10 seconds, and never more than ` + check.Limit.String() + ` and the time to
end the bot's processes.

` + botHelp + `
Several words are a program and its arguments; put -- before those that begin
with a dash.

An event file stands for all of its bots that are not built in, as they are entered
and in its game, a folder for the programs and scripts in it and in its folders.

An archive (zip, tar, tar.gz), a source file in C, C++, Go or Rust, and a folder with a
bot.yaml are what a team hands in to a league: they are unpacked, built and started as
its host does that, with --sandbox strict in its sandbox, too.

With --rules the bot plays a game whose rules are that program: two players in strict
turns, who both see everything, without chance. Without a bot the program itself is
tested: random games, everything asked twice and of a second
process, every legal move played and others refused, positions read back.

With --sandbox strict the bot runs as it does in an event with that setting, and
what it asks for in vain is named for its sandbox_read.

Exit codes: 0 nothing failed, 1 something failed, 2 wrong usage.`,
		Example: `  arena check first_bot.py
  arena check first_bot.py --sandbox strict
  arena check java FirstBot.java
  arena check "python3 my_bot.py --deep" --game breakthrough:6x6
  arena check league.yaml
  arena check submissions/
  arena check my_bot.zip --sandbox strict
  arena check stockfish --json
  arena check --rules "python3 hex_rules.py"
  arena check hex_bot.py --rules hex_rules.py`,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if len(args) == 0 {
				if program == "" {
					return usagef("name what to check: a bot, an event file or a folder, or rules with --rules; usage: %s", cmd.UseLine())
				}
				return a.checkRules(cmd.Context(), game, program, check.RulesConfig{Now: a.now, Seed: seed, Quick: quick}, asJSON)
			}
			bots, chosen, err := a.botsToCheck(cmd, args)
			if err == nil && bots == nil {
				bot, folder, handedErr := a.handedIn(cmd.Context(), args[0], arena.Sandbox(sandbox))
				defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
				bots, err = []arena.Bot{bot}, handedErr
			}
			if err != nil {
				return err
			}
			if err := checkHello(hello); err != nil {
				return err
			}
			for i := range bots {
				if cmd.Flags().Changed("sandbox") {
					bots[i].Sandbox = arena.Sandbox(sandbox)
				}
				bots[i].SandboxRead = append(slices.Clip(bots[i].SandboxRead), read...)
			}
			if game != "" || program != "" {
				if chosen, err = a.lookupGame(cmd.Context(), game, program); err != nil {
					return err
				}
			}
			c := check.Config{
				Now: a.now, Game: chosen, Catalog: games.All(), Busy: busy,
				Seed: seed, Quick: quick, Handshake: hello, Resident: process.ResidentSet,
			}
			for i := range bots {
				if err := checkBot(bots[i]); err != nil {
					return err
				}
			}
			if len(bots) > 1 {
				return a.checkAll(cmd.Context(), c, bots, asJSON)
			}
			c.Bot = bots[0]
			report, err := a.check(cmd.Context(), c, asJSON)
			if err != nil {
				return err
			}
			return a.checked(report, report.Results, asJSON)
		},
	}
	cmd.Flags().StringVar(&game, "game", "", "the `game` to play; by default what the bot declares, chess for a UCI bot that declares none, else breakthrough")
	rulesFlag(cmd, &program)
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of the random positions, a `number`")
	helloFlag(cmd, &hello)
	cmd.Flags().StringVar(&sandbox, "sandbox", string(arena.SandboxNone), "the `mode` of shutting it in: none, limits or strict")
	cmd.Flags().StringArrayVar(&read, "sandbox-read", nil, "a `path` that a strict sandbox shows, beside the program and what its arguments name; may be given again")
	cmd.Flags().BoolVar(&quick, "quick", false, "a fifth of the positions and games")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array of the checks")
	return cmd
}

// check runs the checks of a bot and prints the results, except for JSON.
func (a *app) check(ctx context.Context, c check.Config, asJSON bool) (report *check.Report, err error) {
	if !asJSON {
		fmt.Fprintf(a.out, "%s: %s\n", c.Bot.Name, commandText(c.Bot))
		c.Observe = a.printCheck
	}
	starter, err := a.newStarter()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, starter.Close()) }()
	c.Start = a.startOf(starter, a.asking(c.Bot, c.Game))
	began := a.now()
	if report, err = check.Run(ctx, c); err != nil {
		return nil, err
	}
	if !asJSON {
		a.printReport(report, began)
	}
	if c.Bot.Sandbox == arena.SandboxStrict {
		err = a.tellMissing(ctx, starter, c.Bot, report)
	}
	return report, err
}

// checkRules checks the rules of a game that are a program.
func (a *app) checkRules(ctx context.Context, name, program string, c check.RulesConfig, asJSON bool) error {
	b, err := a.rulesProgram(program)
	if err != nil {
		return err
	}
	if name, err = rulesGame(name, b); err != nil {
		return err
	}
	if !asJSON {
		fmt.Fprintf(a.out, "%s: %s\n", name, strings.Join(b.Command, " "))
		c.Observe = a.printCheck
	}
	c.Progress = func(text string) { fmt.Fprintln(a.err, text) }
	c.Open = func(ctx context.Context) (*rules.Game, error) { return a.startRules(ctx, name, b) }
	began := a.now()
	report, err := check.Rules(ctx, c)
	if err != nil {
		return err
	}
	if !asJSON {
		a.printReport(report, began)
	}
	return a.checked(report, report.Results, asJSON)
}

// checked prints the results of checks as JSON if requested, and fails if one failed.
func (a *app) checked(report *check.Report, results any, asJSON bool) error {
	if asJSON {
		if err := a.printJSON(results); err != nil {
			return err
		}
	}
	if report.Failed() {
		return &exitError{code: exitFailed}
	}
	return nil
}

// printReport prints the summary of all checks.
func (a *app) printReport(report *check.Report, began time.Time) {
	count := map[check.Status]int{}
	for i := range report.Results {
		count[report.Results[i].Status]++
	}
	text := fmt.Sprintf("%d passed, %d warned, %d failed", count[check.Pass], count[check.Warn], count[check.Fail])
	if n := count[check.Skip]; n > 0 {
		text += fmt.Sprintf(", %d skipped", n)
	}
	fmt.Fprintf(a.out, "%d checks: %s in %.1f s\n", len(report.Results), text, a.now().Sub(began).Seconds())
}

// tellMissing names existing files that the bot missed in its sandbox.
func (a *app) tellMissing(ctx context.Context, starter *process.Starter, bot arena.Bot, report *check.Report) error {
	var said strings.Builder
	for i := range report.Results {
		r := &report.Results[i]
		if r.Status == check.Warn || r.Status == check.Fail {
			fmt.Fprintln(&said, r.Detail, strings.Join(r.Stderr, "\n"))
		}
	}
	missing, err := starter.Missing(ctx, process.SpecOf(bot, a.exe), said.String())
	if err != nil || len(missing) == 0 {
		return err
	}
	fmt.Fprintf(a.err, "hint: the strict sandbox does not show %s, which the bot's last words name; enter it with sandbox_read: [%s]\n",
		strings.Join(missing, ", "), strings.Join(append(slices.Clone(bot.SandboxRead), missing...), ", "))
	return nil
}

// startOf returns a function that starts processes of a bot.
func (a *app) startOf(starter *process.Starter, bot arena.Bot) session.Start {
	spec := process.SpecOf(bot, a.exe)
	return func(ctx context.Context, stderr *session.Tail) (session.Process, error) {
		own := spec
		own.Stderr = stderr
		p, err := starter.Start(ctx, own)
		if err != nil {
			return nil, err // a nil *Process must not hide in the interface
		}
		return p, nil
	}
}

// commandText returns a bot's command line, for people.
func commandText(b arena.Bot) string {
	if b.Builtin != "" {
		return "built-in bot " + b.Builtin
	}
	return strings.Join(append(append([]string(nil), b.Command...), b.Args...), " ")
}

// colour reports whether output to stdout is coloured.
func (a *app) colour() bool {
	_, terminal := a.terminal(a.out)
	return terminal && a.getenv("NO_COLOR") == ""
}

// printCheck prints a result as lines.
func (a *app) printCheck(r check.Result) {
	mark, colour := "ok  ", "32"
	switch r.Status {
	case check.Warn:
		mark, colour = "warn", "33"
	case check.Fail:
		mark, colour = "FAIL", "31;1"
	case check.Skip:
		mark, colour = "skip", "90"
	}
	if a.colour() {
		mark = "\x1b[" + colour + "m" + mark + "\x1b[0m"
	}
	w := a.out
	fmt.Fprintf(raw(w), "  %s", mark)
	fmt.Fprintf(w, "  %-22s  %s\n", r.Check, r.Detail)
	for _, line := range r.Lines() {
		fmt.Fprintf(w, "          %s\n", line)
	}
}
