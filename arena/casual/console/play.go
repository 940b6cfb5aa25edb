package console

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/casual"
)

// PlayHelp lists what a person may type in a game.
const PlayHelp = `type a move (a2a3), or
  moves    list the legal moves          board    show the board again
  undo     take back your last move      hint     what the bot would play
  resign   give the game up              quit     leave it unfinished`

// A match is a game of a person against a bot, in a terminal.
type match struct {
	*Table
	ctx    context.Context //nolint:containedctx // of the command; an interrupt ends it
	lines  <-chan string
	played *casual.Game
}

// errLeft ends an unfinished match.
var errLeft = errors.New("left unfinished")

// Play plays a game to its end, or until ctx ends, which is ErrInterrupted.
func (t *Table) Play(ctx context.Context, game *casual.Game) error {
	m := &match{Table: t, ctx: ctx, lines: inputLines(t.In), played: game}
	person := m.played.Person
	fmt.Fprintf(m.Out, "%s: you are %s, %s is %s\n%s\n\n", m.Game.Name(), m.sideName(person), m.Bot.Name, m.sideName(person.Other()), m.help())
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
	fmt.Fprintln(m.Out, m.ending())
	return nil
}

// ending reports how the game ended, to the person.
func (m *match) ending() string {
	end, person := m.played.Ended(), m.played.Person
	won := end.Result == arena.ResultFor(person)
	switch end.Reason {
	case arena.Resign:
		if won {
			return m.Bot.Name + " resigns: you win"
		}
		return fmt.Sprintf("you resign: %s wins", m.Bot.Name)
	case arena.TimeForfeit:
		if won {
			return fmt.Sprintf("%s loses on time (%s): you win", m.Bot.Name, end.Detail)
		}
		return fmt.Sprintf("your time is up: %s wins", m.Bot.Name)
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
	return fmt.Sprintf("%s wins (%s): %s wins", m.sideName(person.Other()), end.Detail, m.Bot.Name)
}

// bots lets the bot move.
func (m *match) bots() error {
	record, err := m.asks(m.played.Answer)
	if err != nil || record == nil {
		return err
	}
	fmt.Fprintf(m.Out, "\n%d. %s plays %s%s\n", len(m.played.Moves), m.Bot.Name, record.Move, record.Remarks())
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

// botFailed ends a game by the bot's fault, unless an interrupt ended it.
func (m *match) botFailed(err error) error {
	if m.ctx.Err() != nil {
		return ErrInterrupted
	}
	if end := m.played.Ended(); end != nil && end.Reason == arena.Void {
		return fmt.Errorf("%w%s", err, m.Stderr())
	}
	return fmt.Errorf("%s failed: %w%s", m.Bot.Name, err, m.Stderr())
}

// persons reads what the person types until it is a move, or ends the game.
func (m *match) persons() error {
	since := m.Now()
	var flag <-chan time.Time
	if left, runs := m.played.Left(m.played.Person); runs {
		fmt.Fprintf(m.Out, "you have %.1f s\n", left.Seconds())
		timer := time.NewTimer(left)
		defer timer.Stop()
		flag = timer.C
	}
	for {
		if m.Prompt {
			fmt.Fprintf(m.Out, "%s> ", m.sideName(m.played.Person))
		}
		select {
		case <-m.ctx.Done():
			return ErrInterrupted
		case <-flag:
			m.played.Flag()
			return nil
		case line, ok := <-m.lines:
			if !ok {
				fmt.Fprintln(m.Err, "no more input: the game is left unfinished")
				return errLeft
			}
			moved, err := m.command(line, since)
			if err != nil || moved || m.played.Ended() != nil {
				return err
			}
		}
	}
}

// help returns PlayHelp with a move of the game.
func (m *match) help() string {
	pos := m.Path.Position
	if legal := pos.Legal(nil); len(legal) > 0 {
		return strings.Replace(PlayHelp, "a2a3", string(pos.AppendMove(nil, legal[0])), 1)
	}
	return PlayHelp
}

// command executes a line that the person typed, who was to move since a time. moved
// reports that it was a move.
func (m *match) command(line string, since time.Time) (moved bool, err error) {
	switch strings.ToLower(line) {
	case "":
	case "help", "?":
		fmt.Fprintln(m.Out, m.help())
	case "moves", "legal":
		m.legal()
	case "board":
		m.board()
	case "undo":
		if !m.played.Undo() {
			fmt.Fprintln(m.Out, "there is no move of yours to take back")
			break
		}
		fmt.Fprintln(m.Out, "took back a move of each side")
		m.board()
	case "hint":
		record, err := m.asks(m.played.Hint)
		if err != nil {
			return false, err
		}
		if record == nil {
			fmt.Fprintf(m.Out, "%s would resign\n", m.Bot.Name)
			break
		}
		fmt.Fprintf(m.Out, "%s would play %s%s\n", m.Bot.Name, record.Move, record.Remarks())
	case "resign":
		m.played.Resign()
	case "quit", "exit":
		fmt.Fprintln(m.Out, "the game is left unfinished")
		return false, errLeft
	default:
		err := m.played.Play(line, m.Now().Sub(since))
		if errors.Is(err, casual.ErrOver) { // the time is up
			break
		}
		if err != nil {
			fmt.Fprintf(m.Out, "%v; `moves` lists the legal moves, `help` the commands\n", err)
			break
		}
		fmt.Fprintf(m.Out, "\n%d. you play %s\n", len(m.played.Moves), m.played.Moves[len(m.played.Moves)-1].Move)
		m.board()
		return true, nil
	}
	return false, nil
}
