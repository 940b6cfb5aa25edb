package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/check"
	"botarena/arena/config"
	"botarena/arena/process"
	"botarena/arena/store"
	"botarena/arena/text"
)

func (a *app) doctorCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Tell what this machine can do, and what is missing",
		Long: `Tell what this machine can do for games of bots, and what to do about what is missing:
starting bots and how long a line takes to them and back, limits, the strict sandbox,
pinning, processors and speed, the clock, free disk beside the database, and the languages
that bots can be written in here. It takes about a second and changes nothing.

Exit codes: 0 bots can be played here, 1 they cannot, 2 wrong usage.`,
		Example: "  arena doctor\n  arena doctor --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			db, err := a.settings(cmd)
			if err != nil {
				return err
			}
			if !asJSON {
				fmt.Fprintln(a.out, versionLine())
			}
			report, err := a.examine(cmd.Context(), db, func(r check.Result) {
				if !asJSON {
					a.printCheck(r)
				}
			})
			if err != nil {
				return err
			}
			return a.checked(report, report.Results, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array of what was found")
	return cmd
}

// patience is the timeout of a bot that is started to examine the machine.
const patience = 10 * time.Second

// examine examines the machine and reports each finding as it comes.
func (a *app) examine(ctx context.Context, db string, observe func(check.Result)) (report *check.Report, err error) {
	m := &machine{}
	if err := a.prepare(m); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	report = &check.Report{}
	for _, step := range []struct {
		name string
		look func() (status check.Status, detail, hint string)
	}{
		{"bots", func() (check.Status, string, string) { return a.examineBots(ctx, m) }},
		{"limits", func() (check.Status, string, string) {
			return a.examineBot(ctx, m, "be limited in memory, processes, CPU time and the size of files", func(b *arena.Bot) { b.Limits.Memory = 1 << 30 })
		}},
		{"sandbox strict", func() (check.Status, string, string) {
			return a.examineBot(ctx, m, "be shut in, so that you need not trust them", func(b *arena.Bot) { b.Sandbox = arena.SandboxStrict })
		}},
		{"processors", func() (check.Status, string, string) { return examineProcessors(m.cpus) }},
		{"speed", func() (check.Status, string, string) { return examineSpeed(ctx, m) }},
		{"clock", a.examineClock},
		{"disk", func() (check.Status, string, string) { return examineDisk(db) }},
		{"languages", a.examineLanguages},
	} {
		began := a.now()
		r := check.Result{Check: step.name}
		r.Status, r.Detail, r.Hint = step.look()
		r.Seconds = a.now().Sub(began).Seconds()
		report.Results = append(report.Results, r)
		observe(r)
	}
	return report, ctx.Err()
}

// examineBots measures the round trip of a line to a bot and back.
func (a *app) examineBots(ctx context.Context, m *machine) (status check.Status, detail, hint string) {
	const lines = 300
	b := config.DefaultBot()
	b.Name, b.Builtin = "random", "random"
	p, err := m.starter.Start(ctx, process.SpecOf(b, a.exe))
	if err != nil {
		return failure(check.Fail, "bots cannot be started", err)
	}
	defer func() { _ = p.End(time.Second) }()
	times := make([]time.Duration, lines+1)
	for i := range times { // the first one takes as long as it takes the bot to start
		began := a.now()
		p.Reset()
		if err = p.Write([]byte("isready\n"), began.Add(patience)); err == nil {
			_, err = p.ReadLine(began.Add(patience))
		}
		if err != nil {
			return failure(check.Fail, "a bot was started, and did not answer", err)
		}
		times[i] = a.now().Sub(began)
	}
	times = times[1:]
	slices.Sort(times)
	return check.Pass, fmt.Sprintf("bots can be started; a line to one and back takes %s, at worst %s of %d",
		microseconds(times[lines/2]), microseconds(times[lines-1]), lines), ""
}

func microseconds(d time.Duration) string { return fmt.Sprintf("%.0f µs", float64(d)/1e3) }

// examineBot starts a bot with a setting, for the handshake.
func (a *app) examineBot(ctx context.Context, m *machine, can string, set func(*arena.Bot)) (status check.Status, detail, hint string) {
	b := config.DefaultBot()
	b.Name, b.Builtin = "random", "random"
	set(&b)
	if _, err := a.hello(ctx, b, patience, a.startOf(m.starter, b)); err != nil {
		return failure(check.Warn, "bots cannot "+can, err)
	}
	return check.Pass, "bots can " + can, ""
}

// failure returns an error's finding, with what to try separately if the error has it.
func failure(status check.Status, what string, err error) (_ check.Status, detail, hint string) {
	why := err.Error()
	if lacks, ok := errors.AsType[*process.UnsupportedError](err); ok {
		why, hint = lacks.Why, lacks.Hint
	}
	return status, what + ": " + why, hint
}

func examineProcessors(cpus []process.CPU) (status check.Status, detail, hint string) {
	all, usable := runtime.NumCPU(), runtime.GOMAXPROCS(0)
	detail = text.Plural(all, "processor")
	if cores := process.Cores(cpus); cores > 0 {
		detail += fmt.Sprintf(" on %s, so that %s can be played at once", text.Plural(cores, "core"), text.Plural(cores, "game"))
	}
	if usable < all { // the runtime asks the control group
		return check.Warn, fmt.Sprintf("%s; the container's quota gives arena the time of %d", detail, usable),
			"give the container more CPU time, or set concurrency to " + fmt.Sprint(usable)
	}
	if !process.CanPin() {
		return check.Warn, detail + "; games cannot be pinned to them on this platform",
			"time controls are noisier: leave cores free, or play on Linux"
	}
	if reason := busy(); reason != "" {
		return check.Warn, detail + "; games can be pinned to them, but " + reason, "end other programs before you play by time"
	}
	return check.Pass, detail + "; games can be pinned to them", ""
}

func examineSpeed(ctx context.Context, m *machine) (status check.Status, detail, hint string) {
	const uneven = 0.1
	measured, err := m.measure(ctx, 0)
	if err != nil {
		return failure(check.Fail, "not measured", err)
	}
	detail = fmt.Sprintf("%s positions a second and core with all at work, within ± %.0f %%", humanize.Comma(int64(measured.Speed)), 100*measured.Spread)
	if measured.Spread > uneven {
		return check.Warn, detail, "the speed varies: end other programs, and set the processor's governor to performance"
	}
	return check.Pass, detail, ""
}

// examineClock examines the resolution and the source of the clock.
func (a *app) examineClock() (status check.Status, detail, hint string) {
	const steps, coarse = 1000, 100 * time.Microsecond
	began, step := a.now(), time.Hour
	for last, n := began, 0; n < steps; {
		if now := a.now(); now.After(last) {
			step, last, n = min(step, now.Sub(last)), now, n+1
		}
	}
	detail = fmt.Sprintf("the clock goes in steps of %v or less", step)
	source, err := os.ReadFile("/sys/devices/system/clocksource/clocksource0/current_clocksource")
	if err == nil {
		detail += ", from " + strings.TrimSpace(string(source))
	}
	if step > coarse {
		return check.Warn, detail, "moves of a few milliseconds are measured badly: use longer time controls"
	}
	return check.Pass, detail, ""
}

func examineDisk(db string) (status check.Status, detail, hint string) {
	const little = 1 << 30
	folder := filepath.Dir(db)
	for !isDir(folder) && filepath.Dir(folder) != folder {
		folder = filepath.Dir(folder)
	}
	free, err := store.FreeSpace(folder)
	if err != nil {
		return failure(check.Skip, "free disk is not known", err)
	}
	detail = fmt.Sprintf("%s are free where %s is", humanize.Bytes(free), db)
	if free < little {
		return check.Warn, detail, "a game takes about a kilobyte, a log of its dialogue a hundred: make room, or use --db on another disk"
	}
	return check.Pass, detail, ""
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// examineLanguages looks for interpreters and compilers of the examples' languages and of
// scripts that arena starts.
func (a *app) examineLanguages() (status check.Status, detail, hint string) {
	var found, missing []string
	for _, l := range [][2]string{
		{"Python", "python3"},
		{"JavaScript", "node"},
		{"C", "gcc"},
		{"C++", "g++"},
		{"Rust", "rustc"},
		{"Java", "javac"},
		{"Go", "go"},
		{"Ruby", "ruby"},
		{"Perl", "perl"},
		{"Lua", "lua"},
	} {
		if _, err := process.FindProgram(l[1], "/", a.getenv("PATH")); err != nil {
			missing = append(missing, fmt.Sprintf("%s (%s)", l[0], l[1]))
		} else {
			found = append(found, l[0])
		}
	}
	if len(found) == 0 {
		return check.Warn, "no interpreter and no compiler was found in PATH", "bots that are programs can be played all the same; for scripts install one of " + strings.Join(missing, ", ")
	}
	if len(missing) > 0 {
		return check.Pass, strings.Join(found, ", "), "not found: " + strings.Join(missing, ", ") + "; install what bots here need"
	}
	return check.Pass, strings.Join(found, ", "), ""
}
