// Package console lets a person at a terminal play against a bot, or talk to it.
package console

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/session"
	"botarena/arena/text"
	"botarena/engine"
	"botarena/engine/draw"
)

// A Terminal holds the streams of a person.
type Terminal struct {
	In       io.Reader
	Out, Err io.Writer // which escape control characters
	Raw      io.Writer // Out, for boards and colours
	Color    bool
	Prompt   bool // Out is a terminal
	Now      func() time.Time
}

// A Setup says which bot is started, and how.
type Setup struct {
	Bot   arena.Bot
	Start session.Start
	End   func() error // after the bot has ended
	Game  engine.Game  // nil leaves the choice to what the bot declares
	// Catalog has the games that it may declare.
	Catalog engine.Catalog
	Hello   time.Duration // for the handshake
	Log     bool          // shows each line of the dialogue
	// Options, if set, returns further options for a bot with these declarations.
	Options func(*session.Declared) []arena.Option
}

// A Table is a session with one bot and a position.
type Table struct {
	Terminal
	Setup
	Session *session.Session
	Path    *session.Path

	last *session.Tail // of what the bot writes to stderr
}

// ErrInterrupted reports that an interrupt ended a game or a dialogue.
var ErrInterrupted = errors.New("interrupted")

// Open starts a bot and sets it up for a game.
func Open(ctx context.Context, terminal Terminal, setup Setup) (*Table, error) {
	t := &Table{Terminal: terminal, Setup: setup, last: &session.Tail{}}
	if err := t.open(ctx); err != nil {
		if t.Session != nil {
			err = fmt.Errorf("%w%s; `arena check` tests it step by step", err, t.Stderr())
		}
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

func (t *Table) open(ctx context.Context) error {
	c := session.Config{Bot: t.Bot, Start: t.Start, Stderr: t.last, Now: t.Now, Hello: t.Hello}
	if t.Log {
		began := t.Now()
		c.Log = func(l session.Line) { t.showLine(l, began) }
	}
	c.Choose = func(d *session.Declared, setup *session.Setup) (err error) {
		if t.Game == nil {
			if t.Game, _, err = session.ChooseGame(d, t.Catalog); err != nil {
				return fmt.Errorf("%w; choose one with --game", err)
			}
		}
		setup.Game = t.Game.Name()
		if t.Options != nil {
			setup.Options = append(setup.Options, t.Options(d)...)
			t.Bot.Options = setup.Options
		}
		return nil
	}
	s, err := session.Open(ctx, c)
	if s == nil {
		return err
	}
	t.Session = s
	if err != nil {
		return fmt.Errorf("%s: %w", t.Bot.Name, err)
	}
	t.Path = session.NewPath(t.Game)
	return nil
}

// Close ends the bot.
func (t *Table) Close() error {
	var err error
	if t.Session != nil {
		err = t.Session.End(time.Second)
	}
	return errors.Join(err, t.End())
}

// Stderr quotes the end of a failed bot's stderr. It ends the bot first, so that all of
// it has arrived.
func (t *Table) Stderr() string {
	_ = t.Session.End(0) // Close answers the same error
	lines := t.last.Lines(5)
	if len(lines) == 0 {
		return ""
	}
	return "; its stderr ends with:\n    " + strings.Join(lines, "\n    ") + "\n  "
}

// board draws the position.
func (t *Table) board() {
	// An error of stdout shows at the next line.
	_ = draw.Text(t.Raw, t.Path.Position.Board(), draw.Options{Color: t.Color})
}

func (t *Table) sideName(side engine.Side) string { return t.Game.SideNames()[side] }

// legal lists the legal moves in lines of a readable length.
func (t *Table) legal() {
	const width = 76
	pos := t.Path.Position
	var moves []string
	if !pos.Outcome().Over {
		for _, m := range pos.Legal(nil) {
			moves = append(moves, string(pos.AppendMove(nil, m)))
		}
		slices.Sort(moves)
	}
	for _, line := range text.Wrap("", strings.Join(moves, " "), width) {
		fmt.Fprintln(t.Out, line)
	}
}

// over describes how the game ended; "" while it has not.
func (t *Table) over() string {
	out := t.Path.Position.Outcome()
	switch {
	case out.Over && out.Winner == engine.NoSide:
		return "draw (" + out.Reason + ")"
	case out.Over:
		return fmt.Sprintf("%s wins (%s)", t.sideName(out.Winner), out.Reason)
	case len(t.Path.Moves) >= t.Game.MaxPlies():
		if winner := engine.AtLimit(t.Game); winner != engine.NoSide {
			return fmt.Sprintf("%s wins (move limit of %d plies)", t.sideName(winner), t.Game.MaxPlies())
		}
		return fmt.Sprintf("draw (move limit of %d plies)", t.Game.MaxPlies())
	}
	return ""
}

// maxLine is the maximum length of an input line in bytes.
const maxLine = 1 << 20

// inputLines reads lines until the end of the input, which closes the channel. The
// reading goroutine remains if nobody receives its lines any more.
func inputLines(in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		from := text.NewLines(bufio.NewReader(in), maxLine)
		for {
			line, err := from.Next()
			if err != nil && len(line) == 0 && !errors.As(err, new(*text.LongLineError)) {
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
