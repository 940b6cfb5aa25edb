package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/process"
	"botarena/arena/session"
	"botarena/arena/text"
	"botarena/engine"
	"botarena/engine/draw"
	"botarena/engine/games"
)

// A table is a session with one bot and a position, for interactive commands.
type table struct {
	*app
	bot     arena.Bot
	session *session.Session
	last    *session.Tail // of what the bot writes to stderr
	game    engine.Game
	path    *session.Path
	starter *process.Starter
}

// openTable starts the bot that the arguments name and sets it up for a game; nil
// leaves the choice to what the bot declares. log, if set, is called with each line of
// the dialogue.
func (a *app) openTable(ctx context.Context, cmd *cobra.Command, args []string, game engine.Game, hello time.Duration, log func(session.Line), options func(*session.Declared) []arena.Option) (t *table, err error) {
	if err := checkHello(hello); err != nil {
		return nil, err
	}
	t = &table{app: a, last: &session.Tail{}, game: game}
	if t.bot, err = a.resolveArgs(cmd, args); err != nil {
		return nil, err
	}
	if t.starter, err = a.newStarter(); err != nil {
		return nil, err
	}
	if err := t.open(ctx, a.startOf(t.starter, a.asking(t.bot, game)), hello, log, options); err != nil {
		if t.session != nil {
			err = fmt.Errorf("%w%s; `arena check` tests it step by step", err, t.stderr())
		}
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

func (t *table) open(ctx context.Context, start session.Start, hello time.Duration, log func(session.Line), options func(*session.Declared) []arena.Option) error {
	choose := func(d *session.Declared, setup *session.Setup) (err error) {
		if t.game == nil {
			if t.game, _, err = session.ChooseGame(d, games.All()); err != nil {
				return fmt.Errorf("%w; choose one with --game", err)
			}
		}
		setup.Game = t.game.Name()
		if options != nil {
			setup.Options = append(setup.Options, options(d)...)
			t.bot.Options = setup.Options
		}
		return nil
	}
	s, err := session.Open(ctx, session.Config{Bot: t.bot, Start: start, Stderr: t.last, Now: t.now, Log: log, Hello: hello, Choose: choose})
	if s == nil {
		return err
	}
	t.session = s
	if err != nil {
		return fmt.Errorf("%s: %w", t.bot.Name, err)
	}
	t.path = session.NewPath(t.game)
	return nil
}

// wanted returns the game named by flags, nil if they name none.
func (a *app) wanted(ctx context.Context, game, program string) (engine.Game, error) {
	if game == "" && program == "" {
		return nil, nil
	}
	return a.lookupGame(ctx, game, program)
}

// helloFlag is the flag of the handshake's limit.
func helloFlag(cmd *cobra.Command, to *time.Duration) {
	cmd.Flags().DurationVar(to, "handshake", session.DefaultHello, "the `time` that the bot has for the handshake")
}

func checkHello(d time.Duration) error {
	if d <= 0 {
		return usagef("--handshake %v: give a time above 0", d)
	}
	return nil
}

// Close ends the bot.
func (t *table) Close() error {
	var err error
	if t.session != nil {
		err = t.session.End(time.Second)
	}
	return errors.Join(err, t.starter.Close())
}

// stderr quotes the end of a failed bot's stderr. It ends the bot first, so that all of
// it has arrived.
func (t *table) stderr() string {
	_ = t.session.End(0) // Close answers the same error
	lines := t.last.Lines(5)
	if len(lines) == 0 {
		return ""
	}
	return "; its stderr ends with:\n    " + strings.Join(lines, "\n    ") + "\n  "
}

// board draws the position.
func (t *table) board() {
	// An error of stdout shows at the next line.
	_ = draw.Text(raw(t.out), t.path.Position.Board(), draw.Options{Color: t.colour()})
}

func (t *table) sideName(side engine.Side) string { return t.game.SideNames()[side] }

// legal lists the legal moves in lines of a readable length.
func (t *table) legal() {
	const width = 76
	for _, line := range text.Wrap("", strings.Join(describe(t.path.Position, nil).Legal, " "), width) {
		fmt.Fprintln(t.out, line)
	}
}

// over describes how the game ended; "" while it has not.
func (t *table) over() string {
	out := t.path.Position.Outcome()
	switch {
	case out.Over && out.Winner == engine.NoSide:
		return "draw (" + out.Reason + ")"
	case out.Over:
		return fmt.Sprintf("%s wins (%s)", t.sideName(out.Winner), out.Reason)
	case len(t.path.Moves) >= t.game.MaxPlies():
		if winner := engine.AtLimit(t.game); winner != engine.NoSide {
			return fmt.Sprintf("%s wins (move limit of %d plies)", t.sideName(winner), t.game.MaxPlies())
		}
		return fmt.Sprintf("draw (move limit of %d plies)", t.game.MaxPlies())
	}
	return ""
}

// inputLines reads lines until the end of the input, which closes the channel. The
// reading goroutine remains if nobody receives its lines any more.
func inputLines(in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		from := text.NewLines(bufio.NewReader(in), maxBatchLine)
		for {
			line, err := from.Next()
			if err != nil && len(line) == 0 && !is[*text.LongLineError](err) {
				return
			}
			lines <- strings.TrimSpace(string(line))
			if errors.Is(err, io.EOF) {
				return
			}
		}
	}()
	return lines
}
