// Command arena pits game-playing programs against each other: it starts bots,
// referees their games, records them in SQLite and rates the bots.
//
// This package wires the others together, one file a command. It alone reads
// flags, the environment and the terminal.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"botarena/arena"
	"botarena/arena/event"
	"botarena/arena/exchange"
	"botarena/arena/openings"
	"botarena/arena/process"
	"botarena/arena/rating"
	"botarena/arena/standings"
	"botarena/arena/store"
	"botarena/arena/text"
	"botarena/arena/web/publish"
	"botarena/engine"
)

// The exit codes of all commands: see codeOf. Commands whose outcome is a verdict
// document further ones.
const (
	exitDone        = 0
	exitFailed      = 1 // it failed while doing what was asked
	exitUsage       = 2 // wrong usage or configuration, or a name or a file that was given and does not exist or cannot be read
	exitInterrupted = 130
)

// is reports whether err is, or wraps, an error of type E.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// codeOf returns the exit code of an error that has none of its own.
func codeOf(err error) int {
	switch {
	case is[*store.UnknownEventError](err), is[*store.UnknownBotError](err), is[*store.UnknownWorkerError](err),
		is[*rating.UnknownBotError](err), is[*rating.UnratedBotError](err), is[*standings.ChoiceError](err),
		is[*engine.UnknownGameError](err), is[*arena.InvalidError](err), is[*event.ChangedError](err), is[*event.BotsError](err),
		is[*process.UnsupportedError](err), is[*publish.RefusedError](err), is[*openings.BookError](err), is[*exchange.ParseError](err),
		errors.Is(err, store.ErrNoDatabase), errors.Is(err, store.ErrRegistered), is[*store.FileError](err):
		return exitUsage
	}
	return exitFailed
}

// openInput opens a file that the user named.
func openInput(name string) (*os.File, error) {
	f, err := os.Open(name)
	return f, usageError(err)
}

// gcPercent lets garbage grow to four times the live memory, which is a few megabytes:
// the default of 100 costs a tenth of arena's CPU time in fast games.
const gcPercent = 400

func main() {
	exe, err := os.Executable()
	if err != nil {
		exe = os.Args[0]
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	os.Exit(run(context.Background(), os.Args[1:], &app{
		in: os.Stdin, out: os.Stdout, err: os.Stderr,
		getenv:   os.Getenv,
		environ:  os.Environ(),
		now:      time.Now,
		exe:      exe,
		signals:  signals,
		terminal: terminalWidth,
	}))
}

// app holds the environment of the commands: streams, variables, clock, signals,
// terminal.
type app struct {
	in         io.Reader
	out, err   io.Writer
	getenv     func(string) string
	trustRules bool // --trust-rules
	environ    []string
	now        func() time.Time
	exe        string   // this program, started again for built-in bots
	programs   programs // rules programs that the command has started
	starting   sync.Mutex
	starter    *process.Starter // of this process, once there is one: see newStarter
	// signals delivers interrupts (Ctrl-C, SIGTERM) until stop is called; a command
	// that does not call it is ended by them.
	signals func() (interrupts <-chan os.Signal, stop func())
	// terminal reports whether a stream is a terminal, and how many columns it has.
	terminal func(io.Writer) (width int, ok bool)
}

// raw returns a stream for control sequences; callers must escape what strangers wrote.
func raw(w io.Writer) io.Writer {
	if escaping, ok := w.(*text.Writer); ok {
		return escaping.Unwrap()
	}
	return w
}

// bare returns the underlying stream, for bots.
func bare(w io.Writer) io.Writer {
	w = raw(w)
	if watched, ok := w.(*watchedWriter); ok {
		return watched.Writer
	}
	return w
}

// A watchedWriter keeps the first error of writing, so that commands need not check
// each write.
type watchedWriter struct {
	io.Writer
	err error
}

func (w *watchedWriter) Write(b []byte) (int, error) {
	n, err := w.Writer.Write(b)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// run executes one command line and returns the exit code. Errors are printed here and
// nowhere else. Both streams escape control characters, even if they are not terminals,
// since piped or copied output gets to one in the end. JSON keeps its meaning when
// escaped.
func run(ctx context.Context, args []string, a *app) int {
	watched := &watchedWriter{Writer: a.out}
	out, progress := text.NewWriter(watched), text.NewWriter(a.err)
	a.out, a.err = out, progress
	root := a.commandOf(args)
	root.SetArgs(withAddresses(args))
	err := refuseForeign(args)
	if err == nil {
		err = execute(ctx, root)
	}
	err = errors.Join(err, a.programs.Close())
	_ = out.Flush() // watched remembers
	var silent *exitError
	if lost := watched.err; lost != nil && (err == nil || errors.Is(err, lost) || errors.As(err, &silent) && silent.err == nil) {
		err = fmt.Errorf("write the output: %w", reason(lost))
	}
	code := a.exit(err)
	_ = progress.Flush() // nowhere is left to say it
	return code
}

// execute runs the command, and recovers the panic of a failed rules program.
func execute(ctx context.Context, root *cobra.Command) (err error) {
	defer engine.Catch(&err)
	return root.ExecuteContext(ctx)
}

// reason returns an error of a file without its name and the operation.
func reason(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// exit prints an error and returns the exit code.
func (a *app) exit(err error) int {
	if err == nil {
		return exitDone
	}
	var quiet *exitError
	if errors.As(err, &quiet) {
		if quiet.err != nil {
			fmt.Fprintf(a.err, "arena: %v%s\n", quiet.err, flagHint(quiet.err))
		}
		return quiet.code
	}
	if errors.Is(err, context.Canceled) { // nothing but an interrupt ends a command's context
		fmt.Fprintf(a.err, "arena: %s\n", strings.ReplaceAll(err.Error(), context.Canceled.Error(), "interrupted"))
		return exitInterrupted
	}
	fmt.Fprintf(a.err, "arena: %v%s\n", err, flagHint(err))
	return codeOf(err)
}

// flagHint names the flag for the advice of an error from a package that knows no
// flags.
func flagHint(err error) string {
	changed, _ := errors.AsType[*event.ChangedError](err)
	switch {
	case errors.Is(err, store.ErrNoDatabase), is[*store.ReadOnlyError](err), is[*store.FileError](err):
		return ": --db FILE"
	case is[*engine.RulesError](err):
		return "\nhint: `arena check --rules PROGRAM` tests the rules by themselves, step by step"
	case changed != nil && changed.Why == nil:
		return "; --extend goes on with more rounds or bots, with a bot replaced or withdrawn, or with a changed one as a new version"
	}
	return ""
}

// exitError has an exit code; a nil err prints nothing.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usageError marks an error in the command line or in a configuration.
func usageError(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{code: exitUsage, err: err}
}

// fileError makes a usage error of an error about a file, which the user named.
func fileError(err error) error {
	if is[*fs.PathError](err) {
		return usageError(err)
	}
	return err
}

func usagef(format string, args ...any) error {
	return usageError(fmt.Errorf(format, args...))
}

func signals() (<-chan os.Signal, func()) {
	interrupts := make(chan os.Signal, 2)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM)
	return interrupts, func() { signal.Stop(interrupts) }
}

func terminalWidth(w io.Writer) (int, bool) {
	f, ok := bare(w).(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		width = 80
	}
	return width, true
}
