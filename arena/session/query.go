package session

import (
	"context"
	"fmt"
	"time"

	"botarena/arena"
	"botarena/protocol"
)

// Query sends lines that hold queries, followed by isready, in one write, and calls
// answer for each response until readyok comes; the response is valid during the call.
// The caller knows how many answers there must be. The error is a *Fault.
func (s *Session) Query(ctx context.Context, lines []byte, within time.Duration, answer func(text []byte)) error {
	return s.QueryEach(ctx, lines, 1, within, func(_ int, text []byte) { answer(text) })
}

// QueryEach is Query of several requests at once, with isready between them: the
// answers to each come with its number, from 0 on, and each has so much time of its
// own. Both pipes have to hold all of it.
func (s *Session) QueryEach(ctx context.Context, lines []byte, requests int, within time.Duration, answer func(request int, text []byte)) error {
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
