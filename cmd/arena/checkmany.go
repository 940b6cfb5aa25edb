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

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/check"
	"botarena/arena/event"
	"botarena/arena/process"
	"botarena/engine"
)

// botsToCheck returns the bots that the arguments of check name: one, as its words
// are, those of an event file, with its game, or the programs in a folder; none for what is
// handed in as a whole.
func (a *app) botsToCheck(cmd *cobra.Command, args []string) (bots []arena.Bot, game engine.Game, err error) {
	info, statErr := os.Stat(args[0])
	switch {
	case len(args) > 1 || statErr != nil:
	case isHandedIn(args[0]):
		return nil, nil, nil
	case info.IsDir():
		bots, err = a.botsIn(args[0])
		return bots, nil, err
	case slices.Contains([]string{".yaml", ".yml"}, strings.ToLower(filepath.Ext(args[0]))):
		return a.botsOf(cmd, args[0])
	}
	bot, err := a.resolveArgs(cmd, args)
	return []arena.Bot{bot}, nil, err
}

// botsOf returns the bots of an event file that are not built in, and its game.
func (a *app) botsOf(cmd *cobra.Command, file string) ([]arena.Bot, engine.Game, error) {
	e, err := a.loadEvent(cmd, file)
	if err != nil {
		return nil, nil, err
	}
	var bots []arena.Bot
	for _, b := range e.Bots {
		if b.Builtin == "" && !b.Withdrawn {
			bots = append(bots, b)
		}
	}
	if len(bots) == 0 {
		return nil, nil, usagef("%s has no bot to check: all are built in, or withdrawn", file)
	}
	if e.Rules != nil {
		game, err := a.openRules(cmd.Context(), e.Game, e.Rules)
		return bots, game, err
	}
	game, err := known().Catalog.Lookup(e.Game)
	return bots, game, usageError(err)
}

// botsIn returns the programs and scripts in a folder and in its subfolders, such as
// one for each student.
func (a *app) botsIn(folder string) ([]arena.Bot, error) {
	files, err := filesIn(folder, true)
	if err != nil {
		return nil, err
	}
	var bots []arena.Bot
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() || arena.Interpreter(file) == nil && !startsItself(file) {
			continue
		}
		b, err := a.resolveCommand([]string{file})
		if err != nil {
			return nil, err
		}
		bots = append(bots, b)
	}
	if len(bots) == 0 {
		return nil, usagef("%s has no program and no script, nor have the folders in it; name a bot, an event file or a folder of bots", folder)
	}
	event.TellApart(bots, make([]bool, len(bots)))
	return bots, nil
}

// filesIn lists the files in a folder and, if descend is set, in its subfolders except
// hidden ones and those of tools.
func filesIn(folder string, descend bool) ([]string, error) {
	entries, err := os.ReadDir(folder)
	var files []string
	for _, e := range entries {
		name := filepath.Join(folder, e.Name())
		switch {
		case !e.IsDir():
			files = append(files, name)
		case descend && !strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(e.Name(), "_") && e.Name() != "node_modules":
			below, belowErr := filesIn(name, false)
			files, err = append(files, below...), errors.Join(err, belowErr)
		}
	}
	return files, err
}

// A checkedBot is a bot with the results of its check.
type checkedBot struct {
	Bot    string         `json:"bot"`
	Checks []check.Result `json:"checks"`
}

// checkAll checks several bots, one after the other, and reports at the end which
// failed.
func (a *app) checkAll(ctx context.Context, c check.Config, bots []arena.Bot, asJSON bool) error {
	var all []checkedBot
	var whole check.Report
	var failed []string
	for _, bot := range bots {
		c.Bot = bot
		report, err := a.check(ctx, c, asJSON)
		if err != nil && ctx.Err() != nil {
			return err
		}
		if err != nil { // it cannot be started
			report = &check.Report{Results: []check.Result{{Check: "start", Status: check.Fail, Detail: err.Error()}}}
			if !asJSON {
				a.printCheck(report.Results[0])
			}
		}
		all = append(all, checkedBot{bot.Name, report.Results})
		whole.Results = append(whole.Results, report.Results...)
		if report.Failed() {
			failed = append(failed, bot.Name)
		}
	}
	if !asJSON {
		end := "none failed"
		if len(failed) > 0 {
			end = fmt.Sprintf("%d failed: %s", len(failed), strings.Join(failed, ", "))
		}
		fmt.Fprintf(a.out, "%d bots: %s\n", len(bots), end)
	}
	return a.checked(&whole, all, asJSON)
}

// busy describes the machine's other load; "" if it is low or unknown.
func busy() string {
	cores := runtime.NumCPU()
	if load, ok := process.Load(); ok && load > float64(cores) {
		return fmt.Sprintf("the load of this machine is %.1f, on %d cores", load, cores)
	}
	return ""
}
