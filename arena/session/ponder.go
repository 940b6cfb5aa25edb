package session

import (
	"context"
	"errors"
	"time"

	"botarena/arena"
	"botarena/protocol"
)

// A ponder holds the position that a bot thinks about while its opponent is to move.
type ponder struct {
	on    bool   // it was told to, and not yet told how its guess came out
	guess string // the opponent's move that it thinks about
	plies int    // how many moves the path has once that is played
	early []byte // its answer, where that came before its turn
	came  bool   // there is one
	fault *Fault // what was found while the opponent thought
}

// Ponders reports whether the bot will think while its opponent is to move: it was set
// up for that and declares the option Ponder.
func (s *Session) Ponders() bool { return s.ponders }

// Ponder lets a bot think about the opponent's move that its last answer predicted, by
// the limits that it will have then. It does nothing without a prediction, or if the
// bot ponders by itself (xboard). The bot's next Ask sends the ponderhit or stop.
func (s *Session) Ponder(path *Path, guess string, limits protocol.GoParams) {
	if !s.ponders || s.xboard != nil || guess == "" || s.owed > 0 {
		return
	}
	m, err := path.Position.ParseMove(guess)
	if err != nil || path.line.Len()+len(guess)+len(" moves ") > protocol.MaxLine {
		return // its own expectation, of no consequence
	}
	guess = string(path.Position.AppendMove(nil, m))
	path.Position.Play(m)
	defer path.Position.Undo()
	if path.Position.Outcome().Over {
		return
	}
	s.begin()
	s.best, s.exact = s.best[:0], false
	s.out = path.line.AppendWith(s.out[:0], guess)
	s.out = s.appendLegal(s.out, path.Position)
	limits.Ponder = true
	s.out = protocol.AppendGo(s.out, s.Declared.Dialect, limits)
	s.owed++
	s.ponder = ponder{on: true, guess: guess, plies: len(path.Moves) + 1, early: s.ponder.early[:0]}
	_ = s.write(s.Now().Add(time.Second)) // one that does not read shows it at its turn
}

// Absorb reads a bot's output while its opponent is to move, so that the pipe does not
// fill. Faults are found at the bot's own turn.
func (s *Session) Absorb(ctx context.Context) {
	if s.ponder.fault == nil {
		s.ponder.fault = s.Settle(ctx, true)
	}
}

// pondered handles a line from a pondering bot, and reports whether it belongs to
// pondering.
func (s *Session) pondered(kind protocol.BotKind, line []byte) bool {
	switch {
	case !s.ponder.on:
		return false
	case kind == protocol.InfoLine:
		s.keep(line)
	case kind == protocol.BestMove && !s.ponder.came:
		// UCI forbids it to answer before it knows how its guess came out, but what
		// it means is clear.
		s.ponder.came = true
		s.ponder.early = append(s.ponder.early[:0], line...)
	case kind == protocol.BestMove:
		return false
	}
	return true
}

// hit reports whether the opponent played the expected move and the bot may go on
// thinking. UCI does not define when movetime starts after ponderhit, and engines that
// count from go ponder, or not at all, would lose on time: with movetime, the bot is
// stopped and asked anew.
func (s *Session) hit(q *Question) bool {
	if s.Declared.Dialect == protocol.UCI && q.Limits.MoveTime > 0 {
		return false
	}
	n := len(q.Path.Moves)
	return n == s.ponder.plies && n > 0 && q.Path.Moves[n-1] == s.ponder.guess
}

// afterPonder is Ask for a bot that ponders: its clock starts now.
func (s *Session) afterPonder(ctx context.Context, q *Question) (Answer, *Fault) {
	since := s.Now()
	was, hit := s.ponder, s.hit(q)
	s.ponder = ponder{early: was.early}
	if hit {
		if was.came {
			a, f := s.answer(q.Path, was.early, 0)
			a.At = since
			return a, f
		}
		s.begin()
		s.out = protocol.AppendPonderHit(s.out[:0])
		return s.await(ctx, q, since)
	}
	if !was.came {
		if f := s.stopPonder(ctx, since, q.limit(), q); f != nil {
			return Answer{Time: s.Now().Sub(since).Truncate(time.Microsecond)}, f
		}
	}
	// The time that it took to stop is its own.
	spent := s.Now().Sub(since)
	side := q.Path.Position.Turn()
	limits := &q.Limits
	if c := &limits.Clocks[side]; c.Known {
		c.Time = max(c.Time-spent, time.Millisecond)
	}
	if limits.MoveTime > 0 {
		limits.MoveTime = max(limits.MoveTime-spent, time.Millisecond)
	}
	s.begin()
	s.best, s.exact = s.best[:0], false
	s.out = protocol.AppendGo(s.AppendSetup(s.out[:0], q.Path), s.Declared.Dialect, *limits)
	s.owed++
	return s.await(ctx, q, since)
}

// stopPonder tells a bot to stop thinking about a move that was not played, and
// drops its answer.
func (s *Session) stopPonder(ctx context.Context, since time.Time, within time.Duration, q *Question) *Fault {
	late := Fault{Reason: arena.Stall, Detail: "no bestmove after stop within " + within.String()}
	if q != nil {
		late = q.late(within)
		late.Detail += "; it was thinking about another move, and was told to stop"
	}
	s.begin()
	s.out = protocol.AppendStop(s.out[:0])
	if err := s.write(since.Add(within)); err != nil {
		return s.fault(ctx, err, since, notReading())
	}
	return s.awaitKind(ctx, protocol.BestMove, since, within, late, true)
}

// EndPonder stops a bot that still thinks about a finished game. The fault does not
// belong to that game.
func (s *Session) EndPonder(ctx context.Context, timeout time.Duration) *Fault {
	was := s.ponder
	s.ponder = ponder{early: was.early}
	switch {
	case was.fault != nil:
		return was.fault
	case !was.on || was.came:
		return nil
	}
	return s.stopPonder(ctx, s.Now(), timeout, nil)
}

// waitMeanwhile is the interval between calls of Meanwhile.
const waitMeanwhile = 50 * time.Millisecond

// receiveMeanwhile is receive that calls q.Meanwhile now and then.
func (s *Session) receiveMeanwhile(deadline time.Time, q *Question) ([]byte, protocol.BotKind, error) {
	for q.Meanwhile != nil {
		next := s.Now().Add(waitMeanwhile)
		if !next.Before(deadline) {
			break
		}
		line, kind, err := s.receive(next)
		if !errors.Is(err, arena.ErrTimeout) {
			return line, kind, err
		}
		q.Meanwhile()
	}
	return s.receive(deadline)
}
