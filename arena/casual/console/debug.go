package console

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/session"
	"botarena/arena/text"
	"botarena/protocol"
)

// DebugHelp lists what a person may type to a bot.
const DebugHelp = `a2a3             play a move on the board (any accepted spelling)
moves M1 M2 ...  play several                undo [N]   take N moves back
new              begin a new game            board      show the board
position P       set a position up: startpos, or a text, with [moves M1 M2 ...]
legal            list the legal moves        fen        print the position
go [LIMIT]       let the bot think: 100ms, 10s+100ms, 40/60s, depth 4, nodes 1000,
                 infinite, or the protocol's own words (movetime 100); default 1s
play             play the bot's last bestmove
stop, isready, setoption name N value V ...  are sent as they are
raw LINE, > LINE send any line               stderr     what the bot wrote there
help             this list                   quit       end`

// showLine prints a line of the dialogue.
func (t *Table) showLine(l session.Line, began time.Time) {
	arrow, colour := "<", "36"
	if l.ToBot {
		arrow, colour = ">", "90"
	}
	line := text.Escape(string(l.Text))
	if t.Color {
		line = "\x1b[" + colour + "m" + line + "\x1b[0m"
	}
	fmt.Fprintf(t.Raw, "%8.3f %s %s\n", l.At.Sub(began).Seconds(), arrow, line)
}

// A debugger passes lines between a person and a bot.
type debugger struct {
	*Table
	ctx        context.Context //nolint:containedctx // of the command
	interrupts <-chan os.Signal
	lines      <-chan string
	thinks     *thought
	best       string // the bot's last bestmove
}

// A thought is an unanswered go.
type thought struct {
	since    time.Time
	patience time.Duration // how long a command waits for it
	endless  bool          // it lasts until stop
}

// Debug passes lines between the person and the bot until one of them ends, or an
// interrupt does, which is ErrInterrupted.
func (t *Table) Debug(ctx context.Context, interrupts <-chan os.Signal) error {
	d := &debugger{Table: t, ctx: ctx, interrupts: interrupts, lines: inputLines(t.In)}
	fmt.Fprintf(d.Out, "%s on the board; `help` lists the commands\n", d.Game.Name())
	d.board()
	held, holding, ended := "", false, false
	for {
		if err := d.listen(); err != nil {
			return err
		}
		switch {
		case d.thinks == nil && holding:
			holding = false
			if d.command(held) {
				return nil
			}
			continue
		case d.thinks == nil && ended:
			return nil
		case d.thinks != nil && (holding || ended):
			if err := d.hurry(); err != nil {
				return err
			}
			continue // listen takes its time
		}
		select {
		case <-d.interrupts:
			return ErrInterrupted
		case line, ok := <-d.lines:
			switch {
			case !ok:
				ended, d.lines = true, nil
			case d.thinks != nil && !urgent(line):
				held, holding = line, true
			case d.command(line):
				return nil
			}
		default:
		}
	}
}

// urgent reports whether a command can be executed while the bot thinks.
func urgent(line string) bool {
	word, _, _ := strings.Cut(line, " ")
	switch word {
	case "", "stop", "isready", "raw", "board", "legal", "fen", "stderr", "help":
		return true
	}
	return strings.HasPrefix(word, ">")
}

// listen prints the bot's output of the next moment, and handles its bestmove.
func (d *debugger) listen() error {
	const moment = 20 * time.Millisecond
	deadline := d.Now().Add(moment)
	for {
		m, err := d.Session.Receive(deadline)
		var parse *protocol.ParseError
		switch {
		case errors.Is(err, arena.ErrTimeout):
			return nil
		case errors.As(err, &parse):
			fmt.Fprintf(d.Out, "         %v\n", err)
		case err != nil:
			status := ""
			if !d.Session.Process.Alive() {
				status = " (" + d.Session.Process.ExitStatus() + ")"
			}
			return fmt.Errorf("%s: %w%s%s", d.Bot.Name, err, status, d.Stderr())
		case m.Kind == protocol.BestMove:
			d.answered(m)
			return nil
		}
		if d.Now().After(deadline) {
			return nil
		}
	}
}

// answered checks a bestmove.
func (d *debugger) answered(m protocol.BotMessage) {
	if d.thinks == nil {
		fmt.Fprintln(d.Out, "         that bestmove answers no go")
		return
	}
	took := d.Now().Sub(d.thinks.since)
	d.thinks = nil
	if m.Resign {
		fmt.Fprintf(d.Out, "         it gives the game up, after %.3f s\n", took.Seconds())
		return
	}
	move, err := d.Path.Position.ParseMove(string(m.Move))
	if err != nil {
		d.best = ""
		fmt.Fprintf(d.Out, "         not legal here: %v\n", err)
		return
	}
	d.best = string(d.Path.Position.AppendMove(nil, move))
	fmt.Fprintf(d.Out, "         legal, after %.3f s; `play` plays it\n", took.Seconds())
}

// hurry is called repeatedly while a command, or the end of the input, waits for the
// bot's answer.
func (d *debugger) hurry() error {
	if d.thinks.endless {
		d.thinks.endless, d.thinks.since = false, d.Now()
		d.Session.Stop()
	}
	if d.Now().Sub(d.thinks.since) > d.thinks.patience {
		return fmt.Errorf("%s: no bestmove within %v%s", d.Bot.Name, d.thinks.patience, d.Stderr())
	}
	return nil
}

// send sends lines. listen detects a bot that has ended.
func (d *debugger) send(lines []byte) {
	d.sent(d.Session.Send(lines, d.Now().Add(session.DefaultReady)))
}

// sent reports why lines could not be sent.
func (d *debugger) sent(err error) {
	if errors.Is(err, arena.ErrTimeout) {
		fmt.Fprintln(d.Out, "         the bot does not read its input")
	}
}

// command executes a line that the person typed, and reports whether it was the last.
func (d *debugger) command(line string) (quit bool) {
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	if raw, ok := strings.CutPrefix(line, ">"); ok {
		word, rest = "raw", strings.TrimSpace(raw)
	}
	var err error
	switch word {
	case "":
	case "quit", "exit":
		return true
	case "help", "?":
		fmt.Fprintln(d.Out, DebugHelp)
	case "raw":
		d.raw(rest)
	case "stop", "isready", "setoption":
		d.sent(d.Session.Tell(line, d.Now().Add(session.DefaultReady)))
	case "stderr":
		for _, l := range d.last.Lines(20) {
			fmt.Fprintln(d.Out, l)
		}
	case "new":
		d.Path, d.best = session.NewPath(d.Game), ""
		if f := d.Session.TellNewGame(d.ctx, d.Now(), session.DefaultReady); f != nil {
			d.sent(f)
		}
		d.board()
	case "position":
		err = d.position(rest)
	case "moves":
		err = d.moves(strings.Fields(rest))
	case "undo":
		err = d.undo(rest)
	case "board":
		d.board()
	case "legal":
		d.legal()
	case "fen":
		fmt.Fprintln(d.Out, d.Path.Position.String())
	case "go":
		err = d.think(rest)
	case "play":
		if d.best == "" {
			err = errors.New("there is no bestmove to play; `go` asks for one")
		} else {
			err = d.moves([]string{d.best})
		}
	default:
		if err = d.moves([]string{line}); err != nil {
			err = fmt.Errorf("neither a legal move nor a command: %w; `help` lists the commands", err)
		}
	}
	if err != nil {
		fmt.Fprintln(d.Out, err)
	}
	return false
}

// raw sends a line unchanged.
func (d *debugger) raw(line string) {
	m, err := protocol.ParseFromArena([]byte(line))
	if err == nil && m.Kind == protocol.Go {
		d.thinks = &thought{since: d.Now(), patience: session.DefaultSilent, endless: m.Go.Infinite}
	}
	d.send([]byte(line + "\n"))
}

func (d *debugger) position(text string) error {
	from, moves, _ := strings.Cut(" "+text+" ", " moves ")
	from = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(from), "fen "))
	path := session.NewPath(d.Game)
	if from != "startpos" && from != "" {
		pos, err := d.Game.Parse(from)
		if err != nil {
			return err
		}
		path = session.PathFrom(pos)
	}
	before := d.Path
	d.Path = path
	if err := d.play(strings.Fields(moves)); err != nil {
		d.Path = before
		return err
	}
	d.changed()
	return nil
}

// play plays all moves, or none.
func (d *debugger) play(moves []string) error {
	for i, text := range moves {
		m, err := d.Path.Position.ParseMove(text)
		if err != nil {
			for range i {
				d.Path.Undo()
			}
			return err
		}
		d.Path.Play(m)
	}
	return nil
}

func (d *debugger) moves(moves []string) error {
	if err := d.play(moves); err != nil {
		return err
	}
	d.changed()
	return nil
}

func (d *debugger) undo(count string) error {
	n := 1
	if count != "" {
		var err error
		if n, err = strconv.Atoi(count); err != nil || n < 1 {
			return fmt.Errorf("undo %q: give a number from 1", count)
		}
	}
	if n > len(d.Path.Moves) {
		return fmt.Errorf("only %d moves were played", len(d.Path.Moves))
	}
	for range n {
		d.Path.Undo()
	}
	d.changed()
	return nil
}

// changed shows the new position.
func (d *debugger) changed() {
	d.best = ""
	d.board()
	if over := d.over(); over != "" {
		fmt.Fprintf(d.Out, "the game is over: %s\n", over)
		return
	}
	fmt.Fprintf(d.Out, "%s to move\n", d.sideName(d.Path.Position.Turn()))
}

// think sends the position and a go.
func (d *debugger) think(limits string) error {
	if d.Path.Position.Outcome().Over {
		return errors.New("the game is over: nothing to think about; `undo` or `new`")
	}
	t := &thought{patience: session.DefaultSilent}
	first, _, _ := strings.Cut(limits, " ")
	switch first {
	case "infinite", "movetime", "p1time", "p2time", "p1inc", "p2inc", "wtime", "btime", "winc", "binc", "movestogo", "searchmoves", "mate":
		m, err := protocol.ParseFromArena([]byte("go " + limits))
		if err != nil {
			return err
		}
		t.endless = m.Go.Infinite
		t.patience += m.Go.MoveTime
		d.thinking(t)
		if d.Session.Declared.Dialect == protocol.XBoard { // it has other words for these
			d.sent(d.Session.Start(d.ctx, d.Path, m.Go, session.DefaultReady))
			return nil
		}
		d.send(append(d.Session.AppendSetup(nil, d.Path), "go "+limits+"\n"...))
	case "":
		limits = "1s"
		fallthrough
	default:
		c, err := config.ParseClock(joinLimits(limits))
		if err != nil {
			return err
		}
		timers := session.NewTimers([2]arena.TimeControl{c, c})
		side := d.Path.Position.Turn()
		if c.Timed() {
			const patience = 10 * time.Second
			t.patience = timers[side].Allowance() + patience
		}
		d.thinking(t)
		d.sent(d.Session.Start(d.ctx, d.Path, timers.Limits(side), session.DefaultReady))
	}
	return nil
}

// thinking records that a go was sent.
func (d *debugger) thinking(t *thought) {
	d.best = ""
	t.since = d.Now()
	d.thinks = t
}

// joinLimits converts "depth 4 nodes 1000" to the form that config.ParseClock reads.
func joinLimits(text string) string {
	var parts []string
	for _, word := range strings.Fields(text) {
		if n := len(parts); n > 0 && (parts[n-1] == "depth" || parts[n-1] == "nodes") {
			parts[n-1] += "=" + word
		} else {
			parts = append(parts, word)
		}
	}
	return strings.Join(parts, ",")
}
