package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"botarena/arena"
	"botarena/arena/text"
	"botarena/engine"
	"botarena/protocol"
)

// A Question asks a bot for a move in a position, within limits.
type Question struct {
	Path   *Path
	Limits protocol.GoParams
	// Timer is the clock for the answer, with its margin; if it is nil or has no time,
	// Within applies.
	Timer  *Timer
	Within time.Duration
	// Meanwhile, if set, is called every 50 ms or so while the answer is awaited.
	Meanwhile func()
	// Offered reports that the opponent offers a draw, for bots that can be told.
	Offered bool
	// Since is the time after which a suspension of arena excuses a late answer; zero
	// is that of go.
	Since time.Time
}

// limit returns the maximum time until the answer.
func (q *Question) limit() time.Duration {
	if q.Timer != nil && q.Timer.Timed() {
		return q.Timer.Allowance() + q.Timer.Margin
	}
	return q.Within
}

// An Answer is a bot's response to a Question.
type Answer struct {
	Move   engine.Move // 0 if it gives the game up
	Resign bool
	Text   string // the move as the bot wrote it
	Time   time.Duration
	At     time.Time // when it was read
	// Offers reports that the bot offers a draw with its move.
	Offers bool
	// Ponder is the opponent's move that the bot expects, as it wrote it; "" for none.
	Ponder string
}

// Ask sets a position up, lets the bot think, and awaits its legal move. The time of
// the answer, in whole microseconds, runs from before the write of go to the return of
// the read that brings the newline after bestmove. It is set in case of a fault, too.
func (s *Session) Ask(ctx context.Context, q Question) (Answer, *Fault) {
	if s.ponder.on {
		return s.afterPonder(ctx, &q)
	}
	s.begin()
	s.best, s.exact = s.best[:0], false
	s.out = s.appendGo(s.AppendSetup(s.out[:0], q.Path), q.Limits, q.Offered)
	s.owed++
	return s.await(ctx, &q, s.Now())
}

// Start sends a question without waiting for the answer, which Receive or Await reads.
// The error is a *Fault.
func (s *Session) Start(ctx context.Context, path *Path, limits protocol.GoParams, timeout time.Duration) error {
	since := s.Now()
	s.begin()
	s.out = s.appendGo(s.AppendSetup(s.out[:0], path), limits, false)
	s.owed++
	if err := s.write(since.Add(timeout)); err != nil {
		return s.fault(ctx, err, since, notReading())
	}
	return nil
}

// AppendSetup appends the lines that set a position up: position, and legal if the bot
// asked for it.
func (s *Session) AppendSetup(dst []byte, path *Path) []byte {
	if s.xboard != nil {
		return s.xboard.appendSetup(dst, path)
	}
	return s.appendLegal(path.line.AppendTo(dst), path.Position)
}

// appendLegal appends the legal moves of a position if the bot asked for them.
func (s *Session) appendLegal(dst []byte, pos engine.Position) []byte {
	if !s.sendsLegal {
		return dst
	}
	if s.legal = pos.Legal(s.legal[:0]); len(s.legal) == 0 {
		return dst
	}
	return protocol.AppendLegal(dst, len(s.legal), func(dst []byte, i int) []byte {
		return pos.AppendMove(dst, s.legal[i])
	})
}

// await sends s.out and waits for the answer, whose time runs since then.
func (s *Session) await(ctx context.Context, q *Question, since time.Time) (Answer, *Fault) {
	limit := q.limit()
	deadline := since.Add(limit)
	if err := s.write(deadline); err != nil {
		return Answer{}, s.fault(ctx, err, since, notReading())
	}
	for {
		line, kind, err := s.receiveMeanwhile(deadline, q)
		now := s.Now()
		elapsed := now.Sub(since).Truncate(time.Microsecond)
		if err == nil && elapsed > limit {
			err = arena.ErrTimeout
		}
		switch {
		case err != nil:
			from := since
			if !q.Since.IsZero() {
				from = q.Since
			}
			f := s.fault(ctx, err, from, q.late(elapsed))
			return Answer{Time: elapsed}, f
		case kind == protocol.BestMove:
			a, f := s.answer(q.Path, line, elapsed)
			a.At = now
			return a, f
		case kind == protocol.InfoLine:
			s.keep(line)
		}
	}
}

// answer reads a bestmove line.
func (s *Session) answer(path *Path, line []byte, elapsed time.Duration) (Answer, *Fault) {
	a := Answer{Time: elapsed}
	m, err := protocol.ParseFromBot(line)
	if err != nil {
		return a, &Fault{Reason: arena.ProtocolError, Detail: text.Line(err.Error(), mostText), Err: err}
	}
	if m.Resign {
		a.Resign = true
		return a, nil
	}
	a.Text = string(m.Move)
	if s.ponders {
		a.Ponder = string(m.Ponder)
	}
	a.Offers = s.xboard != nil && s.xboard.offers
	if a.Move, err = path.Position.ParseMove(a.Text); err != nil {
		return a, &Fault{Reason: arena.IllegalMove, Detail: text.Line(err.Error(), mostText), Err: err}
	}
	return a, nil
}

// Await reads until a line of that kind comes, for at most the given time since then.
// Faults of other lines are ignored, but logged. The error is a *Fault whose detail
// begins with what is awaited.
func (s *Session) Await(ctx context.Context, kind protocol.BotKind, since time.Time, within time.Duration, awaited string) error {
	if f := s.awaitKind(ctx, kind, since, within, Fault{Reason: arena.Stall, Detail: awaited + " within " + within.String()}, false); f != nil {
		return f
	}
	return nil
}

// awaitKind reads until a line of that kind comes; late is the fault of a bot that does
// not send one in time. If strict, any line that breaks the protocol, and an unexpected
// bestmove, is a fault.
func (s *Session) awaitKind(ctx context.Context, kind protocol.BotKind, since time.Time, within time.Duration, late Fault, strict bool) *Fault {
	deadline := since.Add(within)
	for {
		_, got, err := s.receive(deadline)
		var parse *protocol.ParseError
		switch {
		case err != nil && (strict || got == kind || !errors.As(err, &parse)):
			return s.fault(ctx, err, since, late)
		case got == kind:
			return nil
		case got == protocol.BestMove && strict:
			return &Fault{Reason: arena.ProtocolError, Detail: "bestmove before go"}
		case s.Now().After(deadline): // it keeps talking
			return s.fault(ctx, arena.ErrTimeout, since, late)
		}
	}
}

// keep keeps the info line with the best score: the last exact one of the principal
// variation, else the last bound.
func (s *Session) keep(line []byte) {
	if !bytes.Contains(line, []byte("score")) || bytes.HasPrefix(line, []byte("info string")) {
		return
	}
	if i := bytes.Index(line, []byte("multipv ")); i >= 0 && !bytes.HasPrefix(line[i:], []byte("multipv 1 ")) {
		return
	}
	exact := !bytes.Contains(line, []byte("erbound"))
	if exact || !s.exact {
		s.best, s.exact = append(s.best[:0], line...), exact
	}
}

// Report copies the search facts of the bot's last answer into the record of the move.
func (s *Session) Report(to *arena.MoveRecord) {
	if len(s.best) == 0 {
		return
	}
	// An error is about a fact that cannot be read: the others still count.
	m, _ := protocol.ParseFromBot(s.best)
	to.Depth, to.Nodes = int(within(m.Info.Depth, 0, arena.MaxDepth)), within(m.Info.Nodes, 0, arena.MaxNodes)
	if m.Info.Has&protocol.HasScore != 0 {
		to.HasScore, to.Score, to.Mate = true, int(within(m.Info.Score.Value, -arena.MaxScore, arena.MaxScore)), m.Info.Score.Mate
	}
}

// within returns the number of a range that is nearest to n.
func within(n, least, most int64) int64 { return min(max(n, least), most) }

// Query sends lines with queries, followed by isready, in one write, and calls answer
// for each response until readyok comes; the response is valid during the call. The lines
// may be several requests, with isready between them: the answers to each come with its
// number, from 0 on, and each has its own timeout. Both pipes must hold all of it. The
// caller checks the number of answers. The error is a *Fault.
func (s *Session) Query(ctx context.Context, lines []byte, requests int, within time.Duration, answer func(request int, text []byte)) error {
	since := s.Now()
	deadline := since.Add(within)
	late := func() Fault { return Fault{Reason: arena.Stall, Detail: fmt.Sprintf("no answer within %v", within)} }
	s.out = protocol.AppendIsReady(append(s.out[:0], lines...))
	s.begin()
	if err := s.write(deadline); err != nil {
		return s.fault(ctx, err, since, notReading())
	}
	for request := 0; ; {
		line, kind, err := s.receive(deadline)
		switch {
		case err != nil:
			return s.fault(ctx, err, since, late())
		case kind == protocol.Response:
			answer(request, protocol.ResponseText(line))
		case kind == protocol.ReadyOK:
			if request++; request == requests {
				return nil
			}
			deadline = s.Now().Add(within)
		}
		if kind == protocol.Chatter && s.Now().After(deadline) { // it keeps talking
			return s.fault(ctx, arena.ErrTimeout, since, late())
		}
	}
}
