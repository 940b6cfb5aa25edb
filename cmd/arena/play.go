package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/casual"
	"botarena/arena/session"
	"botarena/bots/builtin"
	"botarena/engine"
	"botarena/engine/nearest"
)

const playHelp = `type a move (a2a3), or
  moves    list the legal moves          board    show the board again
  undo     take back your last move      hint     what the bot would play
  resign   give the game up              quit     leave it unfinished`

func (a *app) playCommand() *cobra.Command {
	var p struct {
		game, rules, side, position, clock, mine string
		seed                                     uint64
		level                                    int
		hello                                    time.Duration
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
  arena play minimax --level 4
  arena play mcts --game outwit --side second
  arena play ./mybot --clock 60s+1s --my-clock 5m+5s
  arena play minimax --game owlman --side owlman --clock "depth 4"`,
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
			if err := checkLevel(p.level); err != nil {
				return err
			}
			ctx, stop := a.untilInterrupt(cmd.Context())
			defer stop()
			wanted, err := a.wanted(ctx, p.game, p.rules)
			if err != nil {
				return err
			}
			t, err := a.openTable(ctx, cmd, args, wanted, p.hello, nil, func(d *session.Declared) []arena.Option {
				options := seedOption(d, p.seed)
				if p.level > 0 { // also where none is declared: the error names the option
					options = append(options, arena.Option{Name: builtin.OptionLevel, Value: strconv.Itoa(p.level)})
				}
				return options
			})
			if err != nil && ctx.Err() != nil {
				return a.leftUnfinished()
			}
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
			person, err := chooseSide(t.game, p.side, p.seed)
			if err != nil {
				return err
			}
			m := &match{
				table: t, ctx: ctx, lines: inputLines(a.in),
				played: casual.New(t.session, casual.Setup{Path: t.path, Person: person, Clocks: clocks, Builtin: t.bot.Builtin != ""}),
			}
			return m.play()
		},
	}
	cmd.Flags().StringVar(&p.game, "game", "", "the `game` to play; by default what the bot declares, else breakthrough")
	rulesFlag(cmd, &p.rules)
	helloFlag(cmd, &p.hello)
	cmd.Flags().IntVar(&p.level, "level", 0, levelHelp)
	cmd.Flags().StringVar(&p.side, "side", "first", "your `side`: first, second, its name (white, owlman, ...) or random")
	cmd.Flags().StringVar(&p.clock, "clock", "1s", "the bot's `clock`: "+clockHelp)
	cmd.Flags().StringVar(&p.mine, "my-clock", "", "your own `clock`; none by default")
	cmd.Flags().StringVar(&p.position, "position", "", "start from this `position` instead of the game's own start")
	cmd.Flags().Uint64Var(&p.seed, "seed", 0, "seed of a random side and of the bot's option Seed, a `number`; 0 takes one from the clock")
	return cmd
}

// seedOption sets the option Seed, if declared, within its bounds.
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
	hint := nearest.Hint(text, []string{"first", "second", "random", names[0], names[1]}, "write first, second, random, "+names[0]+" or "+names[1])
	return 0, usagef("--side %q; %s", text, hint)
}

// A match is a game of a person against a bot, in a terminal.
type match struct {
	*table
	ctx    context.Context //nolint:containedctx // of the command; an interrupt ends it
	lines  <-chan string
	played *casual.Game
}

// errLeft ends an unfinished match.
var errLeft = errors.New("left unfinished")

// play plays to the end.
func (m *match) play() error {
	person := m.played.Person
	fmt.Fprintf(m.out, "%s: you are %s, %s is %s\n%s\n\n", m.game.Name(), m.sideName(person), m.bot.Name, m.sideName(person.Other()), m.help())
	if err := m.played.Begin(m.ctx); err != nil {
		return m.botFailed(err)
	}
	m.board()
	for m.played.Ended() == nil {
		turn := m.persons
		if !m.played.PersonsTurn() {
			turn = m.bots
		}
		if err := turn(); errors.Is(err, errLeft) {
			return nil
		} else if err != nil {
			return err
		}
	}
	fmt.Fprintln(m.out, m.ending())
	return nil
}

// ending reports how the game ended, to the person.
func (m *match) ending() string {
	end, person := m.played.Ended(), m.played.Person
	won := end.Result == arena.ResultFor(person)
	switch end.Reason {
	case arena.Resign:
		if won {
			return m.bot.Name + " resigns: you win"
		}
		return fmt.Sprintf("you resign: %s wins", m.bot.Name)
	case arena.TimeForfeit:
		if won {
			return fmt.Sprintf("%s loses on time (%s): you win", m.bot.Name, end.Detail)
		}
		return fmt.Sprintf("your time is up: %s wins", m.bot.Name)
	case arena.DrawByRule:
		return "draw (" + end.Detail + ")"
	case arena.MoveLimit:
		if end.Result == arena.Draw {
			return "draw (move limit of " + end.Detail + ")"
		}
	}
	if won {
		return fmt.Sprintf("%s wins (%s): you win", m.sideName(person), end.Detail)
	}
	return fmt.Sprintf("%s wins (%s): %s wins", m.sideName(person.Other()), end.Detail, m.bot.Name)
}

// bots lets the bot move.
func (m *match) bots() error {
	record, err := m.asks(m.played.Answer)
	if err != nil || record == nil {
		return err
	}
	fmt.Fprintf(m.out, "\n%d. %s plays %s%s\n", len(m.played.Moves), m.bot.Name, record.Move, remarks(*record))
	m.board()
	return nil
}

// asks waits for the bot's answer; an interrupt ends the wait.
func (m *match) asks(ask func(context.Context) (*arena.MoveRecord, error)) (*arena.MoveRecord, error) {
	record, err := ask(m.ctx)
	if err != nil {
		return nil, m.botFailed(err)
	}
	return record, nil
}

// untilInterrupt returns a context that ends with the first interrupt.
func (a *app) untilInterrupt(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	interrupts, release := a.signals()
	go func() {
		select {
		case <-interrupts:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, func() { release(); cancel() }
}

// leftUnfinished returns the error of an interrupt.
func (a *app) leftUnfinished() error {
	fmt.Fprintln(a.err, "\ninterrupted: the game is left unfinished")
	return &exitError{code: exitInterrupted}
}

// botFailed ends a game by the bot's fault, unless an interrupt ended it.
func (m *match) botFailed(err error) error {
	if m.ctx.Err() != nil {
		return m.leftUnfinished()
	}
	if end := m.played.Ended(); end != nil && end.Reason == arena.Void {
		return fmt.Errorf("%w%s", err, m.stderr())
	}
	return fmt.Errorf("%s failed: %w%s", m.bot.Name, err, m.stderr())
}

// persons reads what the person types until it is a move, or ends the game.
func (m *match) persons() error {
	since := m.now()
	var flag <-chan time.Time
	if left, runs := m.played.Left(m.played.Person); runs {
		fmt.Fprintf(m.out, "you have %.1f s\n", left.Seconds())
		timer := time.NewTimer(left)
		defer timer.Stop()
		flag = timer.C
	}
	for {
		if _, terminal := m.terminal(m.out); terminal {
			fmt.Fprintf(m.out, "%s> ", m.sideName(m.played.Person))
		}
		select {
		case <-m.ctx.Done():
			return m.leftUnfinished()
		case <-flag:
			m.played.Flag()
			return nil
		case line, ok := <-m.lines:
			if !ok {
				fmt.Fprintln(m.err, "no more input: the game is left unfinished")
				return errLeft
			}
			moved, err := m.command(line, since)
			if err != nil || moved || m.played.Ended() != nil {
				return err
			}
		}
	}
}

// help returns playHelp with a move of the game.
func (m *match) help() string {
	pos := m.path.Position
	if legal := pos.Legal(nil); len(legal) > 0 {
		return strings.Replace(playHelp, "a2a3", string(pos.AppendMove(nil, legal[0])), 1)
	}
	return playHelp
}

// command executes a line that the person typed, who was to move since a time. moved
// reports that it was a move.
func (m *match) command(line string, since time.Time) (moved bool, err error) {
	switch strings.ToLower(line) {
	case "":
	case "help", "?":
		fmt.Fprintln(m.out, m.help())
	case "moves", "legal":
		m.legal()
	case "board":
		m.board()
	case "undo":
		if !m.played.Undo() {
			fmt.Fprintln(m.out, "there is no move of yours to take back")
			break
		}
		fmt.Fprintln(m.out, "took back a move of each side")
		m.board()
	case "hint":
		record, err := m.asks(m.played.Hint)
		if err != nil {
			return false, err
		}
		if record == nil {
			fmt.Fprintf(m.out, "%s would resign\n", m.bot.Name)
			break
		}
		fmt.Fprintf(m.out, "%s would play %s%s\n", m.bot.Name, record.Move, remarks(*record))
	case "resign":
		m.played.Resign()
	case "quit", "exit":
		fmt.Fprintln(m.out, "the game is left unfinished")
		return false, errLeft
	default:
		err := m.played.Play(line, m.now().Sub(since))
		if errors.Is(err, casual.ErrOver) { // the time is up
			break
		}
		if err != nil {
			fmt.Fprintf(m.out, "%v; `moves` lists the legal moves, `help` the commands\n", err)
			break
		}
		fmt.Fprintf(m.out, "\n%d. you play %s\n", len(m.played.Moves), m.played.Moves[len(m.played.Moves)-1].Move)
		m.board()
		return true, nil
	}
	return false, nil
}
