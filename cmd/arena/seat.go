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
	"botarena/arena/check"
	"botarena/arena/referee"
	"botarena/engine"
	"botarena/engine/draw"
	"botarena/engine/games"
)

// A seat is one bot and the board that a person shares with it.
type seat struct {
	*app
	bot     arena.Bot
	session *check.Session
	game    engine.Game
	path    *check.Path
	end     func() error // ends the bot's processes
}

// openSeat starts the bot that the arguments name and sets it up for a game; ""
// leaves the choice to what the bot declares. log, where set, is given the
// dialogue.
func (a *app) openSeat(ctx context.Context, cmd *cobra.Command, args []string, game string, log func(referee.Line), options func(referee.Declared) []arena.Option) (st *seat, err error) {
	st = &seat{app: a}
	if game != "" {
		if st.game, err = games.All().Lookup(game); err != nil {
			return nil, usageError(err)
		}
	}
	if st.bot, err = a.resolveArgs(cmd, args); err != nil {
		return nil, err
	}
	start, end, err := a.botStarter(st.bot)
	if err != nil {
		return nil, err
	}
	st.end = end
	if err := st.open(ctx, start, log, options); err != nil {
		if st.session != nil {
			err = fmt.Errorf("%w%s; `arena check` tests it step by step", err, st.stderr())
		}
		return nil, errors.Join(err, st.Close())
	}
	return st, nil
}

func (st *seat) open(ctx context.Context, start check.Start, log func(referee.Line), options func(referee.Declared) []arena.Option) error {
	s, err := check.Open(ctx, st.bot, start, st.now)
	if err != nil {
		return err
	}
	st.session, s.Log = s, log
	if err := s.Greet(ctx, 0); err != nil {
		return fmt.Errorf("%s: %w", st.bot.Name, err)
	}
	if st.game == nil {
		if st.game, _, err = check.ChooseGame(&s.Declared, games.All()); err != nil {
			return fmt.Errorf("%s: %w; choose one with --game", st.bot.Name, err)
		}
	}
	if options != nil {
		s.Bot.Options = append(s.Bot.Options, options(s.Declared)...)
	}
	if err := s.Configure(ctx, st.game.Name(), 0); err != nil {
		return fmt.Errorf("%s: %w", st.bot.Name, err)
	}
	st.path = check.NewPath(st.game)
	return nil
}

// Close ends the bot.
func (st *seat) Close() error {
	var err error
	if st.session != nil {
		err = st.session.End(time.Second)
	}
	return errors.Join(err, st.end())
}

// stderr quotes the end of what a bot that failed wrote there. It ends the bot,
// since its last words have certainly arrived only then.
func (st *seat) stderr() string {
	_ = st.session.End(0) // Close answers the same error
	lines := st.session.Stderr.Lines(5)
	if len(lines) == 0 {
		return ""
	}
	return "; its stderr ends with:\n    " + strings.Join(lines, "\n    ") + "\n  "
}

// board draws the position.
func (st *seat) board() {
	// An error is that of stdout, which shows at the next line.
	_ = draw.Text(raw(st.out), st.path.Position.Board(), draw.Options{Color: st.colour()})
}

func (st *seat) sideName(side engine.Side) string { return st.game.SideNames()[side] }

// legal lists the legal moves in lines of a readable length.
func (st *seat) legal() {
	width := 0
	for i, m := range describe(st.path.Position, nil).Legal {
		switch {
		case i == 0:
		case width+len(m) > 76:
			fmt.Fprintln(st.out)
			width = 0
		default:
			fmt.Fprint(st.out, " ")
		}
		fmt.Fprint(st.out, m)
		width += len(m) + 1
	}
	fmt.Fprintln(st.out)
}

// over tells how the game ended; "" while it has not.
func (st *seat) over() string {
	out := st.path.Position.Outcome()
	switch {
	case out.Over && out.Winner == engine.NoSide:
		return "draw (" + out.Reason + ")"
	case out.Over:
		return fmt.Sprintf("%s wins (%s)", st.sideName(out.Winner), out.Reason)
	case len(st.path.Moves) >= st.game.MaxPlies():
		return fmt.Sprintf("draw (move limit of %d plies)", st.game.MaxPlies())
	}
	return ""
}

// inputLines reads lines until the end of the input, which closes the channel.
// The reader stays behind where nobody takes its lines any more.
func inputLines(in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		r := bufio.NewReader(in)
		for {
			line, err := readLine(r, maxBatchLine)
			if err != nil && len(line) == 0 && !errors.Is(err, errLineTooLong) {
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
