package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"botarena/arena/event"
	"botarena/arena/openings/balanced"
	"botarena/arena/process"
	"botarena/arena/store"
	"botarena/bots/builtin"
	"botarena/engine/games"
)

// watchdogCommand is the hidden command that runs the watchdog.
const watchdogCommand = "process-watchdog"

// A machine holds what playing games needs: the database and a starter of processes.
// Close it after use.
type machine struct {
	store   *store.Store
	starter *process.Starter
	self    process.Identity
	cpus    []process.CPU
	logs    string // the folder of the games' logs
	books   string // the folder of openings that were found
}

// openMachine opens the database at path and prepares to start bots.
func (a *app) openMachine(ctx context.Context, path string) (*machine, error) {
	st := &machine{logs: logDir(path), books: bookDir(path)}
	var err error
	if st.store, err = store.Open(ctx, path, a.now, a.tellStore()); err != nil {
		return nil, err
	}
	if err := a.prepare(st); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return st, nil
}

// bookDir returns the folder of balanced openings, beside the database.
func bookDir(db string) string { return filepath.Join(filepath.Dir(db), "openings") }

func (a *app) prepare(st *machine) error {
	var err error
	if st.self, err = process.Self(); err != nil {
		return err
	}
	if st.starter, err = a.newStarter(); err != nil {
		return err
	}
	if st.cpus, err = process.CPUs(); err != nil {
		if !is[*process.UnsupportedError](err) {
			return fmt.Errorf("list CPUs: %w", err)
		}
		st.cpus = nil // this platform does not tell: the event plans by what it knows
	}
	return nil
}

// newStarter returns the Starter of this process, shared by its users. If the platform
// supports it, a watchdog ends the bots' descendants in case arena is killed.
func (a *app) newStarter() (*process.Starter, error) {
	a.starting.Lock()
	defer a.starting.Unlock()
	if a.starter != nil && a.starter.Share() {
		return a.starter, nil
	}
	id := make([]byte, 8)
	_, _ = rand.Read(id) // it does not fail
	run := hex.EncodeToString(id)
	starter, err := process.NewStarter(process.Config{
		RunID:   run,
		Environ: botEnviron(a.environ),
		Home:    a.getenv("HOME"),
		Now:     a.now,
	})
	if err != nil {
		return nil, err
	}
	err = starter.StartWatchdog(a.exe, []string{watchdogCommand, run})
	if err != nil && !is[*process.UnsupportedError](err) {
		return nil, errors.Join(err, starter.Close())
	}
	a.starter = starter
	return starter, nil
}

// botEnviron returns the environment that bots inherit: without PYTHONUNBUFFERED, which
// would hide that a script does not flush its output.
func botEnviron(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool { return strings.HasPrefix(entry, "PYTHONUNBUFFERED=") })
}

// Close ends all processes and closes the database.
func (st *machine) Close() error {
	var errs []error
	if st.starter != nil {
		errs = append(errs, st.starter.Close())
	}
	if st.store != nil {
		errs = append(errs, st.store.Close())
	}
	return errors.Join(errs...)
}

// runtimeDir returns the folder in which runs of arena on this machine claim cores: one
// of this user's that is cleared at a restart.
func (a *app) runtimeDir() string {
	if dir := a.getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "arena")
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("arena-%d", os.Getuid()))
}

// runner returns the Runner of a machine.
func (a *app) runner(st *machine) *event.Runner {
	exactTables, err := tablesDir("")
	if err != nil {
		exactTables = "." // an event that needs tables says that there are none
	}
	return &event.Runner{
		Store:          st.store,
		Self:           st.self,
		Catalog:        games.All(),
		Starter:        st.starter,
		Executable:     a.exe,
		Path:           a.getenv("PATH"),
		BuiltinVersion: builtinVersion,
		Now:            a.now,
		CPUs:           st.cpus,
		Runtime:        a.runtimeDir(),
		LogDir:         st.logs,
		Books:          st.books,
		Judge:          judge,
		Tables:         exactTables,
	}
}

// judge returns a built-in bot as the judge of balanced openings.
func judge(name string) (balanced.Judge, error) {
	b, err := builtin.Find(name)
	if err != nil {
		return balanced.Judge{}, err
	}
	return balanced.Judge{Version: b.Version, Score: b.Scorer(games.All())}, nil
}

// builtinVersion returns the version of a built-in bot, "" if there is none of the
// name. For a bot that plays by exact tables the version includes the tables.
func builtinVersion(name string) string {
	b, err := builtin.Find(name)
	if err != nil {
		return ""
	}
	if !b.Tables {
		return b.Version
	}
	dir, err := tablesDir("")
	if err != nil {
		return b.Version
	}
	print, err := dir.Print(nil)
	if err != nil {
		print = "unknown"
	}
	return b.Version + "+" + print
}

// watchdogProcess returns the hidden command of the watchdog.
func (a *app) watchdogProcess() *cobra.Command {
	return &cobra.Command{
		Use:    watchdogCommand + " RUN",
		Short:  "End the bots of an arena that was killed",
		Hidden: true,
		RunE: func(_ *cobra.Command, args []string) error {
			return process.RunWatchdog(a.in, args[0])
		},
	}
}
