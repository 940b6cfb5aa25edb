package session

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/text"
	"botarena/engine"
	"botarena/protocol"
)

// xboard holds the state of an engine that speaks xboard. That protocol sends moves
// rather than positions, so both sides must track the engine's position. The engine's
// output is translated to UCI line by line, so that only this file and xboard_told.go
// know the difference.
type xboard struct {
	known    bool // a feature line has come
	done     bool // the last one has
	ping     bool
	setboard bool
	san      bool
	usermove bool
	time     bool
	nps      bool
	name     bool
	oneGame  bool // reuse=0

	shuffled bool // the game is chess:960
	hard     bool // it thinks while the other side is to move

	opponent string

	pings   int64
	waiting [][]byte // lines in UCI's words to be read before what it says next
	reply   []byte   // lines that answer what it just said
	meaning []byte   // of the line read last

	fresh   bool // new was sent, and no position or move since
	force   bool // it does not think by itself
	inStep  bool // its position is begin and moves
	begin   string
	moves   []string
	pos     engine.Position
	pending string // the opponent's move, which makes it think
	sent    string // the move sent last
	refused string // the command refused last

	clock    control
	resigned bool
	offers   bool   // it has offered a draw since its last move
	claim    string // of a result, which the rules did not confirm
	claimed  time.Time
}

// control is the clock that an engine was last sent. A different one is sent again.
type control struct {
	told  bool
	level bool // base time, counted down by the lines time and otim
	moves bool // so many moves in it
	inc   time.Duration
	move  time.Duration
	depth int64
	nodes int64
}

// Limits of an engine that speaks xboard.
const (
	// xboardFeatures limits the wait for its first feature line, by the protocol. One
	// that sends none speaks version 1, which has none.
	xboardFeatures = 2 * time.Second
	// xboardClaim limits the wait for its move after it claimed a result that the rules
	// do not give.
	xboardClaim = time.Second
	// xboardEndless is the time of a move that no clock limits.
	xboardEndless = 24 * time.Hour
)

// newXBoard returns the state of an engine with the protocol's defaults.
func newXBoard() *xboard { return &xboard{time: true} }

// OneGame reports whether the bot's process can play one game only (xboard's feature
// reuse=0).
func (s *Session) OneGame() bool { return s.xboard != nil && s.xboard.oneGame }

// receiveXBoard is receive for an engine that speaks xboard.
func (s *Session) receiveXBoard(deadline time.Time) ([]byte, protocol.BotKind, error) {
	x := s.xboard
	if len(x.waiting) > 0 {
		line := x.waiting[0]
		x.waiting = x.waiting[1:]
		kind, err := protocol.Classify(line)
		if kind == protocol.BestMove {
			s.owed--
		}
		return line, kind, err
	}
	claims := x.claim != "" && s.owed > 0 && !x.claimed.IsZero() && x.claimed.Add(xboardClaim).Before(deadline)
	if claims {
		deadline = x.claimed.Add(xboardClaim)
	}
	line, err := s.Process.ReadLine(deadline)
	if err != nil {
		if claims && s.Now().Sub(x.claimed) >= xboardClaim {
			err = &Fault{Reason: arena.ProtocolError, Detail: fmt.Sprintf("it claimed %q instead of a move, and the rules do not end the game", text.Line(x.claim, mostText)), Err: err}
		}
		return nil, protocol.Chatter, err
	}
	s.recent.add(line)
	x.meaning, x.reply = x.meaning[:0], x.reply[:0]
	kind, err := x.read(s, line)
	meaning := x.meaning
	if s.Log != nil && kind == protocol.Chatter {
		meaning = append([]byte("info string "), bytes.ToValidUTF8(line, []byte("?"))...)
	}
	s.heard(line, meaning, kind, err)
	if err == nil && len(x.reply) > 0 {
		s.out = append(s.out[:0], x.reply...)
		err = s.write(deadline)
	}
	if err != nil || kind == protocol.Chatter {
		return line, kind, err
	}
	return x.meaning, kind, nil
}

// read classifies a line of the engine and translates it to UCI.
func (x *xboard) read(s *Session, line []byte) (protocol.BotKind, error) {
	m, err := protocol.ParseXBoard(line)
	if err != nil {
		return protocol.Chatter, err
	}
	switch m.Kind {
	case protocol.XBoardFeature:
		x.features(s, m.Features)
	case protocol.XBoardPong:
		if m.Number == x.pings {
			x.meaning = append(x.meaning, "readyok"...)
			return protocol.ReadyOK, nil
		}
	case protocol.XBoardThinking:
		x.meaning = bytes.TrimSuffix(protocol.AppendInfo(x.meaning, m.Info), []byte("\n"))
		return protocol.InfoLine, nil
	case protocol.XBoardMove:
		// Either of these may repeat a move that is known, its own or the opponent's.
		if m.Form == protocol.Spoken && (s.owed == 0 || !x.known) || m.Form == protocol.Numbered && x.known {
			break
		}
		if s.owed > 0 {
			x.claim = ""
			x.answered(string(m.Move))
		}
		x.meaning = bytes.TrimSuffix(protocol.AppendBestMove(x.meaning, string(m.Move), ""), []byte("\n"))
		return protocol.BestMove, nil
	case protocol.XBoardResign:
		return x.resigns(s), nil
	case protocol.XBoardOffer:
		x.offers = true
	case protocol.XBoardClaim:
		second := m.Result == string(arena.SecondWins)
		if x.pos != nil && m.Result != string(arena.Draw) && s.owed > 0 && second != (x.pos.Turn() == engine.Second) {
			return x.resigns(s), nil // that it has lost needs no proof
		}
		x.claim, x.claimed = strings.ToValidUTF8(string(trimLine(line)), "?"), time.Time{}
		if s.owed > 0 {
			x.claimed = s.Now()
		}
	case protocol.XBoardRefusal:
		x.refused = string(m.Text)
		move := strings.TrimPrefix(x.refused, "usermove ")
		if m.Illegal && x.sent != "" && move == x.sent {
			return protocol.Chatter, &Fault{Reason: arena.ProtocolError, Detail: fmt.Sprintf("it refuses the legal move %s: %s", x.sent, text.Line(string(line), mostText))}
		}
	case protocol.XBoardChatter:
	}
	return protocol.Chatter, nil
}

func trimLine(line []byte) []byte { return bytes.Trim(line, " \t\r") }

// resigns records a resignation, which answers the current or the next go.
func (x *xboard) resigns(s *Session) protocol.BotKind {
	if s.owed == 0 {
		x.resigned = true
		return protocol.Chatter
	}
	x.meaning = append(x.meaning, protocol.ResignMove...)
	return protocol.BestMove
}

// answered keeps track of the engine's own move.
func (x *xboard) answered(move string) {
	if x.pos == nil {
		return
	}
	m, err := x.pos.ParseMove(move)
	if err != nil {
		x.inStep = false
		return
	}
	x.moves = append(x.moves, string(x.pos.AppendMove(nil, m)))
	x.pos.Play(m)
}

// features handles the engine's features, and accepts or rejects each.
func (x *xboard) features(s *Session, list []protocol.Feature) {
	x.known = true
	d := &s.Declared
	flags := map[string]*bool{
		"ping": &x.ping, "setboard": &x.setboard, "san": &x.san, "usermove": &x.usermove,
		"time": &x.time, "nps": &x.nps, "name": &x.name, "done": &x.done,
	}
	for _, f := range list {
		on := f.Value == "1"
		word := "accepted"
		if flag := flags[f.Name]; flag != nil {
			*flag = on
		}
		switch f.Name {
		case "ping", "setboard", "san", "usermove", "time", "nps", "name", "done":
		case "reuse":
			x.oneGame = f.Value == "0"
		case "myname":
			d.Name = text.Line(f.Value, mostText)
		case "variants":
			for v := range strings.SplitSeq(f.Value, ",") {
				if strings.TrimSpace(v) == "fischerandom" {
					x.declare(d, protocol.Option{Name: protocol.Chess960Option, Type: protocol.Check, Default: "false"})
				}
			}
		case "memory":
			if on {
				x.declare(d, protocol.Option{Name: hashOption, Type: protocol.Spin, Min: 1, Max: 1 << 30})
			}
		case "smp":
			if on {
				x.declare(d, protocol.Option{Name: threadsOption, Type: protocol.Spin, Min: 1, Max: 1024})
			}
		case "option":
			o, err := protocol.ParseXBoardOption(f.Value)
			if err != nil {
				if len(d.Problems) < mostProblems {
					d.Problems = append(d.Problems, text.Line(err.Error(), mostText))
				}
				break
			}
			x.declare(d, o)
		case "draw", "sigint", "sigterm", "debug", "colors", "playother", "analyze", "ics", "pause", "exclude":
			// Arena sends nothing that depends on these.
		default:
			word = "rejected"
		}
		x.reply = protocol.AppendXBoard(x.reply, word, f.Name)
	}
}

// The options that stand for commands of xboard of their own: memory and cores.
const (
	hashOption    = "Hash"
	threadsOption = "Threads"
)

func (x *xboard) declare(d *Declared, o protocol.Option) {
	if _, ok := d.Options.Find(o.Name); !ok && len(d.Options) < mostOptions {
		d.Options = append(d.Options, o)
	}
}

// refusesDepth reports whether the engine did not know the command sd.
func (x *xboard) refusesDepth() bool {
	word, _, _ := strings.Cut(x.refused, " ")
	return word == "sd"
}
