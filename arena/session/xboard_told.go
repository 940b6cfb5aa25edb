package session

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"botarena/engine"
	"botarena/protocol"
)

// appendOption sets a declared option.
func (x *xboard) appendOption(dst []byte, t protocol.OptionType, name, value string) []byte {
	switch name {
	case hashOption:
		return protocol.AppendXBoard(dst, "memory", value)
	case threadsOption:
		return protocol.AppendXBoard(dst, "cores", value)
	case protocol.Chess960Option:
		x.shuffled = value == "true"
		return dst
	case protocol.PonderOption:
		x.hard = value == "true"
		return dst
	}
	return protocol.AppendXBoardOption(dst, t, name, value)
}

// appendReady asks whether the engine is ready. One without ping is assumed to be.
func (x *xboard) appendReady(dst []byte) []byte {
	if !x.ping {
		x.waiting = append(x.waiting, []byte("readyok"))
		return dst
	}
	x.pings++
	return protocol.AppendXBoard(dst, "ping", strconv.FormatInt(x.pings, 10))
}

// appendNew begins a game.
func (x *xboard) appendNew(dst []byte, opponent string) []byte {
	dst = protocol.AppendXBoard(dst, "new")
	if x.shuffled {
		dst = protocol.AppendXBoard(dst, "variant", "fischerandom")
	}
	dst = protocol.AppendXBoard(dst, "force")
	ponder := "easy"
	if x.hard {
		ponder = "hard"
	}
	dst = protocol.AppendXBoard(dst, ponder)
	dst = protocol.AppendXBoard(dst, "post")
	if x.name { // who does not ask for the name may not know computer either
		if opponent != "" {
			dst = protocol.AppendXBoard(dst, "name", opponent)
		}
		dst = protocol.AppendXBoard(dst, "computer")
	}
	x.opponent = opponent
	x.fresh, x.force, x.inStep = true, true, false
	x.clock, x.claim, x.resigned, x.offers = control{}, "", false, false
	x.pending, x.sent = "", ""
	return dst
}

// appendSetup brings the engine to a position. The opponent's move that follows its own
// is held back, since it makes the engine think.
func (x *xboard) appendSetup(dst []byte, path *Path) []byte {
	x.pending = ""
	if !x.follows(path) {
		dst = x.appendBegin(dst, path)
	}
	rest := path.Moves[len(x.moves):]
	if len(rest) != 1 && !x.force && len(rest) > 0 {
		dst = protocol.AppendXBoard(dst, "force")
		x.force = true
	}
	for i, move := range rest {
		m, err := x.pos.ParseMove(move)
		if err != nil { // a path is of legal moves
			x.inStep = false
			return dst
		}
		text := x.spell(m)
		x.pos.Play(m)
		x.moves = append(x.moves, move)
		if i == 0 && !x.force {
			x.pending = text
			break
		}
		dst = x.appendMove(dst, text)
	}
	x.fresh = x.fresh && len(x.moves) == 0
	return dst
}

// follows reports whether a path continues the engine's position.
func (x *xboard) follows(path *Path) bool {
	return x.inStep && x.begin == path.begin && len(x.moves) <= len(path.Moves) && slices.Equal(x.moves, path.Moves[:len(x.moves)])
}

// appendBegin sets up the position in which a path begins.
func (x *xboard) appendBegin(dst []byte, path *Path) []byte {
	game := path.Position.Game()
	x.begin, x.moves, x.inStep = path.begin, x.moves[:0], true
	x.pos = game.Start()
	if path.begin == "" && !x.shuffled {
		if !x.fresh {
			dst = x.appendNew(dst, x.opponent)
			x.inStep = true
		}
		return dst
	}
	if path.begin != "" {
		pos, err := game.Parse(path.begin)
		if err != nil { // the text is the game's own
			x.inStep = false
			return dst
		}
		x.pos = pos
	}
	if !x.force {
		dst = protocol.AppendXBoard(dst, "force")
		x.force = true
	}
	x.fresh = false
	if x.setboard {
		return protocol.AppendXBoard(dst, "setboard", x.pos.String())
	}
	return x.appendEdit(dst)
}

// appendEdit sets up a position as version 1 does. It conveys neither castling rights
// (engines assume them if king and rook are at home) nor en passant.
func (x *xboard) appendEdit(dst []byte) []byte {
	dst = x.appendNew(dst, x.opponent)
	x.fresh, x.inStep = false, true
	if x.pos.Turn() == engine.Second {
		dst = x.appendMove(dst, "a2a3") // so that black is to move, on whatever board
	}
	dst = protocol.AppendXBoard(dst, "edit")
	dst = protocol.AppendXBoard(dst, "#")
	board := x.pos.Board()
	for side := engine.First; side <= engine.Second; side++ {
		if side == engine.Second {
			dst = protocol.AppendXBoard(dst, "c")
		}
		for i, cell := range board.Cells {
			if cell.Side == side && cell.Piece != 0 {
				file, rank := i%board.Cols, board.Rows-i/board.Cols
				dst = append(dst, cell.Piece&^('a'-'A'), byte('a'+file), byte('0'+rank), '\n')
			}
		}
	}
	return protocol.AppendXBoard(dst, ".")
}

// appendMove sends a move.
func (x *xboard) appendMove(dst []byte, move string) []byte {
	x.sent = move
	if x.usermove {
		return protocol.AppendXBoard(dst, "usermove", move)
	}
	return protocol.AppendXBoard(dst, move)
}

// spell formats a legal move as the engine reads it: two squares, or algebraic if it
// asked for that. Castling in Chess960 is always algebraic.
func (x *xboard) spell(m engine.Move) string {
	if p, ok := x.pos.(interface {
		AppendSAN(dst []byte, m engine.Move) []byte
	}); ok && (x.san || x.shuffled) {
		san := string(p.AppendSAN(nil, m))
		if x.san {
			return san
		}
		if strings.HasPrefix(san, "O-O") {
			return strings.TrimRight(san, "+#")
		}
	}
	return string(x.pos.AppendMove(nil, m))
}

// appendGo makes the engine think by its limits. offered reports that its opponent
// offers a draw.
func (x *xboard) appendGo(dst []byte, p protocol.GoParams, offered bool) []byte {
	side := engine.First
	if x.pos != nil {
		side = x.pos.Turn()
	}
	dst = x.appendControl(dst, p, side)
	if offered {
		dst = protocol.AppendXBoard(dst, "draw")
	}
	if x.time {
		own, other := p.Clocks[side].Time, p.Clocks[side.Other()].Time
		switch {
		case p.Clocks[side].Known && p.MoveTime > 0:
			own = min(own, p.MoveTime)
		case p.Clocks[side].Known:
		case p.MoveTime > 0:
			own = told(p.MoveTime)
		default:
			own = xboardEndless
		}
		if !p.Clocks[side.Other()].Known {
			other = own
		}
		dst = protocol.AppendXBoardTimes(dst, own, other)
	}
	x.claim, x.claimed, x.offers = "", time.Time{}, false
	if x.resigned {
		x.waiting = append(x.waiting, []byte(protocol.ResignMove))
		return dst
	}
	if x.pending != "" {
		dst = x.appendMove(dst, x.pending)
		x.pending = ""
	} else {
		dst = protocol.AppendXBoard(dst, "go")
	}
	x.force, x.fresh = false, false
	return dst
}

// appendResult ends the game.
func (x *xboard) appendResult(dst []byte, result, why string) []byte {
	x.force, x.inStep = true, false
	dst = protocol.AppendXBoard(dst, "result", result, "{"+strings.NewReplacer("{", "(", "}", ")").Replace(why)+"}")
	return protocol.AppendXBoard(dst, "force")
}

// appendControl sends the engine its clock if that has changed.
func (x *xboard) appendControl(dst []byte, p protocol.GoParams, side engine.Side) []byte {
	clock := p.Clocks[side]
	now := control{told: true, depth: p.Depth, nodes: p.Nodes}
	if clock.Known {
		now.level, now.moves, now.inc = true, p.MovesToGo > 0, clock.Inc
	} else {
		now.move = p.MoveTime
	}
	if x.nps && now.nodes > 0 { // that many nodes count as the second that it has
		now.level, now.move = false, time.Second+xboardReserve
	}
	was := x.clock
	if now == was {
		return dst
	}
	x.clock = now
	if now.level != was.level || now.moves != was.moves || now.inc != was.inc || now.move != was.move || !was.told {
		switch {
		case now.level:
			dst = protocol.AppendXBoardLevel(dst, p.MovesToGo, clock.Time, clock.Inc)
		case wholeSeconds(now.move) > 0:
			dst = protocol.AppendXBoard(dst, "st", strconv.FormatInt(wholeSeconds(now.move), 10))
		case now.move > 0:
			dst = protocol.AppendXBoardLevel(dst, 0, told(now.move), 0)
		default:
			dst = protocol.AppendXBoard(dst, "st", strconv.FormatInt(int64(xboardEndless/time.Second), 10))
		}
	}
	if now.depth != was.depth {
		const endless = 99 // there is no word for no limit
		dst = x.appendDepth(dst, cmp.Or(now.depth, endless))
	}
	if x.nps && now.nodes != was.nodes {
		dst = protocol.AppendXBoard(dst, "nps", strconv.FormatInt(cmp.Or(now.nodes, -1), 10))
	}
	return dst
}

// wholeSeconds returns the seconds that the command st tells to an engine. It uses all of
// them, and sjeng and hoichess of Debian up to 75 ms more.
func wholeSeconds(move time.Duration) int64 {
	return int64(max(move-xboardReserve, 0) / time.Second)
}

// xboardReserve is the part of a move's time that is withheld from an engine.
const xboardReserve = 100 * time.Millisecond

// shortMoves is the number of moves whose time an engine is told to have left if a move
// has less than a second. At one move in a fraction of a second (level 1 0:01 0)
// engines move at once. With the time of twelve moves before each, gnuchess, phalanx,
// hoichess, fairymax and sjeng of Debian search for 0.15 to 0.7 of the move's time at
// 200 and 500 ms; with that of 15, fairymax overstepped.
const shortMoves = 12

// told returns the remaining time that an engine is sent before a move of that time.
func told(move time.Duration) time.Duration {
	if wholeSeconds(move) == 0 {
		return shortMoves * move
	}
	return move
}

// appendDepth limits the search to so many plies.
func (x *xboard) appendDepth(dst []byte, plies int64) []byte {
	return protocol.AppendXBoard(dst, "sd", strconv.FormatInt(plies, 10))
}
