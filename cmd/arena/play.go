package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/session"
	"botarena/engine"
	"botarena/engine/nearest"
)

const playHelp = `type a move (a2a3), or
  moves    list the legal moves          board    show the board again
  undo     take back your last move      hint     what the bot would play
  resign   give the game up              quit     leave it unfinished`

func (a *app) playCommand() *cobra.Command {
	var p struct {
		game, side, position, clock, mine string
		seed                              uint64
		hello                             time.Duration
	}
	cmd := &cobra.Command{
		Use:   "play BOT [ARGUMENT...]",
		Short: "Play a game against a bot",
		Long: `Play a game against a bot, in the terminal. Moves are typed in any spelling that
the game knows.

  ` + playHelp[:strings.IndexByte(playHelp, '\n')] + strings.ReplaceAll(playHelp[strings.IndexByte(playHelp, '\n'):], "\n", "\n  ") + `

` + botHelp + `

Exit codes: 0 the game ended or was left, 1 the bot failed, 2 wrong usage,
130 interrupted.`,
		Example: `  arena play minimax --clock 1s
  arena play mcts --game outwit --side second
  arena play ./mybot --clock 60s+1s --my-clock 5m+5s
  arena play minimax --game owlman --side owlman --clock "depth 4"`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeBots,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			clocks := [2]arena.TimeControl{} // the person's and the bot's
			if p.mine != "" {
				if clocks[0], err = parseClock(p.mine); err != nil {
					return err
				}
				if !clocks[0].Timed() {
					return usagef("--my-clock %q: give a time", p.mine)
				}
			}
			if clocks[1], err = parseClock(p.clock); err != nil {
				return err
			}
			if p.seed == 0 {
				p.seed = uint64(a.now().UnixNano())>>10 | 1
			}
			ctx, cancel := context.WithCancel(cmd.Context())
			defer cancel()
			interrupts, stop := a.signals()
			defer stop()
			t, err := a.openTable(ctx, cmd, args, p.game, p.hello, nil, func(d *session.Declared) []arena.Option { return seedOption(d, p.seed) })
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, t.Close()) }()
			if p.position != "" {
				pos, err := t.game.Parse(p.position)
				if err != nil {
					return usageError(err)
				}
				t.path = session.PathFrom(pos)
			}
			m := &match{table: t, ctx: ctx, interrupts: interrupts, cancel: cancel, clocks: clocks, lines: inputLines(a.in)}
			if m.person, err = chooseSide(t.game, p.side, p.seed); err != nil {
				return err
			}
			return m.play()
		},
	}
	cmd.Flags().StringVar(&p.game, "game", "", "the `game` to play; by default what the bot declares, else breakthrough")
	helloFlag(cmd, &p.hello)
	cmd.Flags().StringVar(&p.side, "side", "first", "your `side`: first, second, its name (white, owlman, ...) or random")
	cmd.Flags().StringVar(&p.clock, "clock", "1s", "the bot's `clock`: "+clockHelp)
	cmd.Flags().StringVar(&p.mine, "my-clock", "", "your own `clock`; none by default")
	cmd.Flags().StringVar(&p.position, "position", "", "start from this `position` instead of the game's own start")
	cmd.Flags().Uint64Var(&p.seed, "seed", 0, "seed of a random side and of the bot's option Seed; 0 takes one from the clock")
	return cmd
}

// seedOption sets the option Seed, where declared, within its bounds.
func seedOption(d *session.Declared, seed uint64) []arena.Option {
	o, ok := d.SeedOption()
	if !ok {
		return nil
	}
	value := max(o.Min, min(o.Max, int64(seed>>1)))
	if seed < 1<<31 {
		value = max(o.Min, min(o.Max, int64(seed)))
	}
	return []arena.Option{{Name: o.Name, Value: strconv.FormatInt(value, 10)}}
}

// chooseSide reads --side.
func chooseSide(game engine.Game, text string, seed uint64) (engine.Side, error) {
	names := game.SideNames()
	switch strings.ToLower(text) {
	case "first", strings.ToLower(names[0]):
		return engine.First, nil
	case "second", strings.ToLower(names[1]):
		return engine.Second, nil
	case "random":
		return engine.Side(rand.New(rand.NewPCG(seed, 0)).IntN(2)), nil
	}
	if near := nearest.Of(text, []string{"first", "second", "random", names[0], names[1]}); near != "" {
		return 0, usagef("--side %q; did you mean %q?", text, near)
	}
	return 0, usagef("--side %q; write first, second, random, %s or %s", text, names[0], names[1])
}

// A match is a game of a person against a bot.
type match struct {
	*table
	ctx        context.Context //nolint:containedctx // of the command
	interrupts <-chan os.Signal
	cancel     func() // kills the bot
	clocks     [2]arena.TimeControl
	lines      <-chan string
	person     engine.Side
	timers     *session.Timers
}

// errLeft ends a match that is left unfinished.
var errLeft = errors.New("left unfinished")

// play plays to the end.
func (m *match) play() error {
	bySide := m.clocks
	if m.person == engine.Second {
		bySide[0], bySide[1] = bySide[1], bySide[0]
	}
	m.timers = session.NewTimers(bySide)
	fmt.Fprintf(m.out, "%s: you are %s, %s is %s\n%s\n\n", m.game.Name(), m.sideName(m.person), m.bot.Name, m.sideName(m.person.Other()), playHelp)
	if err := m.session.NewGame(m.ctx, session.DefaultReady); err != nil {
		return m.botFailed(err)
	}
	m.board()
	for m.over() == "" {
		turn := m.persons
		if m.path.Position.Turn() != m.person {
			turn = m.bots
		}
		switch ended, err := turn(); {
		case errors.Is(err, errLeft):
			return nil
		case err != nil:
			return err
		case ended != "":
			fmt.Fprintln(m.out, ended)
			return nil
		}
	}
	text := m.over()
	switch out := m.path.Position.Outcome(); out.Winner {
	case m.person:
		text += ": you win"
	case m.person.Other():
		text += ": " + m.bot.Name + " wins"
	}
	fmt.Fprintln(m.out, text)
	return nil
}

// bots lets the bot move. ended says how the game ended by other than a move.
func (m *match) bots() (ended string, err error) {
	side := m.path.Position.Turn()
	a, err := m.ask(side)
	if err != nil {
		return "", err
	}
	if a.Resign {
		return m.bot.Name + " resigns: you win", nil
	}
	clock := m.clocks[1]
	if clock.Base > 0 && a.Time > m.timers[side].Allowance()+clock.Margin {
		return fmt.Sprintf("%s took %.1f s and had %.1f: it loses on time, you win", m.bot.Name, a.Time.Seconds(), m.timers[side].Allowance().Seconds()), nil
	}
	m.timers[side].Spend(a.Time)
	text := string(m.path.Position.AppendMove(nil, a.Move))
	m.path.Play(a.Move)
	fmt.Fprintf(m.out, "\n%d. %s plays %s%s\n", len(m.path.Moves), m.bot.Name, text, m.botRemarks(a))
	m.board()
	return "", nil
}

// ask asks the bot for a move of the side to move.
func (m *match) ask(side engine.Side) (session.Answer, error) {
	const patience = 10 * time.Second // beyond its clock: a slow bot is better than no game
	within := session.DefaultSilent
	if m.clocks[1].Timed() {
		within = m.timers[m.person.Other()].Allowance() + patience
	}
	interrupted, done := make(chan struct{}), make(chan struct{})
	go func() {
		select {
		case <-m.interrupts:
			close(interrupted)
			m.cancel() // which ends the wait
		case <-done:
		}
	}()
	limits := m.timers.Limits(side)
	if side == m.person { // a hint
		limits = m.timers.Limits(side.Other())
	}
	a, f := m.session.Ask(m.ctx, session.Question{Path: m.path, Limits: limits, Within: within})
	close(done)
	select {
	case <-interrupted:
		return a, m.interrupted()
	default:
	}
	if f != nil {
		return a, m.botFailed(f)
	}
	return a, nil
}

func (m *match) interrupted() error {
	fmt.Fprintln(m.err, "\ninterrupted: the game is left unfinished")
	return &exitError{code: exitInterrupted}
}

// botFailed is the end of a game by the bot's fault.
func (m *match) botFailed(err error) error {
	return fmt.Errorf("%s failed: %w%s", m.bot.Name, err, m.stderr())
}

// botRemarks tells how long the bot took and what it said of its move.
func (m *match) botRemarks(a session.Answer) string {
	record := arena.MoveRecord{Time: a.Time}
	m.session.Report(&record)
	return remarks(record)
}

// persons reads what the person types until it is a move.
func (m *match) persons() (ended string, err error) {
	side := m.person
	since := m.now()
	var flag <-chan time.Time
	if m.clocks[0].Timed() {
		left := m.timers[side].Allowance()
		fmt.Fprintf(m.out, "you have %.1f s\n", left.Seconds())
		timer := time.NewTimer(left)
		defer timer.Stop()
		flag = timer.C
	}
	for {
		if _, terminal := m.terminal(m.out); terminal {
			fmt.Fprintf(m.out, "%s> ", m.sideName(side))
		}
		select {
		case <-m.interrupts:
			return "", m.interrupted()
		case <-flag:
			return fmt.Sprintf("your time is up: %s wins", m.bot.Name), nil
		case line, ok := <-m.lines:
			if !ok {
				fmt.Fprintln(m.err, "no more input: the game is left unfinished")
				return "", errLeft
			}
			switch moved, ended, err := m.command(line); {
			case err != nil || ended != "":
				return ended, err
			case moved:
				m.timers[side].Spend(m.now().Sub(since))
				return "", nil
			}
		}
	}
}

// command does what the person typed. moved tells that it was a move.
func (m *match) command(line string) (moved bool, ended string, err error) {
	switch strings.ToLower(line) {
	case "":
	case "help", "?":
		fmt.Fprintln(m.out, playHelp)
	case "moves", "legal":
		m.legal()
	case "board":
		m.board()
	case "undo":
		if len(m.path.Moves) < 2 {
			fmt.Fprintln(m.out, "there is no move of yours to take back")
			break
		}
		m.path.Undo()
		m.path.Undo()
		fmt.Fprintln(m.out, "took back a move of each side")
		m.board()
	case "hint":
		a, err := m.ask(m.person)
		if err != nil {
			return false, "", err
		}
		if a.Resign {
			fmt.Fprintf(m.out, "%s would resign\n", m.bot.Name)
			break
		}
		fmt.Fprintf(m.out, "%s would play %s%s\n", m.bot.Name, m.path.Position.AppendMove(nil, a.Move), m.botRemarks(a))
	case "resign":
		return false, fmt.Sprintf("you resign: %s wins", m.bot.Name), nil
	case "quit", "exit":
		fmt.Fprintln(m.out, "the game is left unfinished")
		return false, "", errLeft
	default:
		move, err := m.path.Position.ParseMove(line)
		if err != nil {
			fmt.Fprintf(m.out, "%v; `moves` lists the legal moves, `help` the commands\n", err)
			break
		}
		text := string(m.path.Position.AppendMove(nil, move))
		m.path.Play(move)
		fmt.Fprintf(m.out, "\n%d. you play %s\n", len(m.path.Moves), text)
		m.board()
		return true, "", nil
	}
	return false, "", nil
}
