package kit

import (
	"bytes"
	"strconv"

	"botarena/engine"
	"botarena/protocol"
)

// answer answers a query, so that hosts that know no rules can run the bot, and
// so that it can be the rules of a game itself.
func (s *session) answer(msg protocol.ArenaMessage) error {
	return s.write(func(dst []byte) []byte { return s.appendAnswer(dst, string(msg.Fact), string(msg.Argument)) })
}

func (s *session) appendAnswer(dst []byte, fact, argument string) []byte {
	if s.bad != nil {
		return protocol.AppendResponse(dst, protocol.Invalid+" "+s.bad.Error())
	}
	if !answered(s.game, fact) {
		return protocol.AppendResponse(dst, protocol.Unknown)
	}
	out := s.pos.Outcome()
	switch fact {
	case protocol.QueryGameOver:
		return protocol.AppendResponse(dst, strconv.FormatBool(out.Over))
	case protocol.QueryP1Turn:
		return protocol.AppendResponse(dst, strconv.FormatBool(s.pos.Turn() == engine.First))
	case protocol.QueryResult:
		return protocol.AppendResponse(dst, resultOf(out))
	case protocol.QueryMoves:
		s.legal = s.pos.Legal(s.legal[:0])
		s.words = s.words[:0]
		for i, m := range s.legal {
			if i > 0 {
				s.words = append(s.words, ' ')
			}
			s.words = s.pos.AppendMove(s.words, m)
		}
		return protocol.AppendResponse(dst, s.words)
	case protocol.QueryReason:
		return protocol.AppendResponse(dst, out.Reason)
	case protocol.QueryWhy:
		if _, err := s.pos.ParseMove(argument); err != nil {
			return protocol.AppendResponse(dst, why(err))
		}
		return protocol.AppendResponse(dst, "it is legal")
	case protocol.QueryFEN:
		return protocol.AppendResponse(dst, s.pos.String())
	case protocol.QueryBoard:
		b := s.pos.Board()
		for _, row := range b.Text {
			dst = protocol.AppendResponse(dst, row)
		}
		for row := range b.Rows - len(b.Text) {
			dst = protocol.AppendResponse(dst, boardRow(b, row))
		}
		return dst
	case protocol.QuerySides:
		sides := s.game.SideNames()
		return protocol.AppendResponse(dst, sides[0]+" "+sides[1])
	case protocol.QueryMaxPlies:
		return protocol.AppendResponse(dst, strconv.Itoa(s.game.MaxPlies()))
	case protocol.QueryAtLimit:
		return protocol.AppendResponse(dst, resultOf(engine.Outcome{Over: true, Winner: engine.AtLimit(s.game)}))
	case protocol.QuerySymmetric:
		return protocol.AppendResponse(dst, strconv.FormatBool(s.game.Symmetric()))
	case protocol.QueryStarts:
		if starts, ok := s.game.(engine.Starts); ok {
			return protocol.AppendResponse(dst, strconv.Itoa(starts.Starts()))
		}
	case protocol.QueryStart:
		starts, ok := s.game.(engine.Starts)
		if n, err := strconv.Atoi(argument); ok && err == nil && n >= 0 && n < starts.Starts() {
			return protocol.AppendResponse(dst, starts.StartAt(n).String())
		}
	}
	return protocol.AppendResponse(dst, protocol.Unknown)
}

func resultOf(out engine.Outcome) string {
	switch {
	case !out.Over:
		return protocol.NoResult
	case out.Winner == engine.First:
		return protocol.P1Win
	case out.Winner == engine.Second:
		return protocol.P2Win
	}
	return protocol.DrawGame
}

// why returns the reason of a *engine.MoveError without the move.
func why(err error) string {
	if e, ok := err.(*engine.MoveError); ok { //nolint:errorlint // ParseMove's own
		return e.Why
	}
	return err.Error()
}

// boardRow formats a row of a board for the protocol.
func boardRow(b engine.Board, row int) []byte {
	line := make([]byte, 0, 2*b.Cols)
	for i, c := range b.Cells[row*b.Cols : (row+1)*b.Cols] {
		if i > 0 {
			line = append(line, ' ')
		}
		sign := [...]byte{engine.Plain: '.', engine.Alternate: '.', engine.FirstGoal: '+', engine.SecondGoal: '=', engine.Off: '#'}[min(c.Shade, engine.Off)]
		switch {
		case c.Piece != 0 && c.Side == engine.First:
			sign = bytes.ToUpper([]byte{c.Piece})[0]
		case c.Piece != 0 && c.Side == engine.Second:
			sign = bytes.ToLower([]byte{c.Piece})[0]
		}
		line = append(line, sign)
	}
	return line
}
