package live

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"botarena/arena"
)

// wireVersion is that of what goes over a connection. One side that speaks
// another is not listened to.
const wireVersion = 1

// mostLine bounds a line of a connection, mostText a text in it, both in bytes.
const (
	mostLine = 32 << 20
	mostText = 64 << 10
)

// A batch as it goes over a connection: a line of JSON. Times are in nanoseconds,
// durations too.
type wireBatch struct {
	Events []wireEvent `json:"events,omitempty"`
	Begun  []wireGame  `json:"begun,omitempty"`
	Moves  []wireMoves `json:"moves,omitempty"`
	Over   []wireGame  `json:"over,omitempty"`
	Gone   []Key       `json:"gone,omitempty"`
}

type wireEvent struct {
	Name, Game, Format string
	Before             int
	Progress
	Since   int64
	Running bool
}

type wireGame struct {
	Event, Stage, Game, First, Second string
	Number, Round, Pair, Slot         int
	Opening                           arena.Opening
	Clocks                            [2]arena.TimeControl
	Worker                            string `json:",omitempty"`
	Start, At                         int64
	Moves                             []wireMove `json:",omitempty"`
	Over, Brief                       bool       `json:",omitempty"`
	Result, Reason, Detail, Blame     string     `json:",omitempty"`
	Plies, Attempts                   int        `json:",omitempty"`
	Wall                              int64      `json:",omitempty"`
}

type wireMoves struct {
	Key
	From  int
	At    int64
	Moves []wireMove
}

// A wireMove has short names: it is most of what is sent.
type wireMove struct {
	Move  string `json:"m"`
	Time  int64  `json:"t"`
	Depth int    `json:"d,omitempty"`
	Nodes int64  `json:"n,omitempty"`
	Score *int   `json:"s,omitempty"`
	Mate  bool   `json:"mate,omitempty"`
}

// encode appends a batch as a line.
func encode(b *batch) ([]byte, error) {
	var w wireBatch
	for _, e := range b.events {
		w.Events = append(w.Events, wireEvent{
			Name: e.Name, Game: e.Game, Format: string(e.Format), Progress: e.Progress,
			Before: e.Before, Since: nanos(e.Since), Running: e.Running,
		})
	}
	for i := range b.begun {
		w.Begun = append(w.Begun, toWire(&b.begun[i]))
	}
	for _, m := range b.moves {
		w.Moves = append(w.Moves, wireMoves{Key: m.key, From: m.from, At: nanos(m.at), Moves: toWireMoves(m.moves)})
	}
	for i := range b.over {
		w.Over = append(w.Over, toWire(&b.over[i]))
	}
	w.Gone = b.gone
	line, err := json.Marshal(&w)
	if err != nil {
		return nil, err
	}
	return append(line, '\n'), nil
}

func toWire(g *Game) wireGame {
	return wireGame{
		Event: g.Event, Stage: g.Stage, Game: g.Game.Game, First: g.First, Second: g.Second,
		Number: g.Number, Round: g.Round, Pair: g.Pair, Slot: g.Slot,
		Opening: g.Opening, Clocks: g.Clocks, Worker: g.Worker,
		Start: nanos(g.Start), At: nanos(g.At), Moves: toWireMoves(g.Moves),
		Over: g.Over, Brief: g.Brief, Result: string(g.Result), Reason: string(g.Reason),
		Detail: g.Detail, Blame: g.Blame, Plies: g.Plies, Attempts: g.Attempts, Wall: int64(g.Wall),
	}
}

func toWireMoves(moves []arena.MoveRecord) []wireMove {
	list := make([]wireMove, len(moves))
	for i := range moves {
		m := &moves[i]
		list[i] = wireMove{Move: m.Move, Time: int64(m.Time), Depth: m.Depth, Nodes: m.Nodes, Mate: m.HasScore && m.Mate}
		if m.HasScore {
			list[i].Score = &m.Score
		}
	}
	return list
}

func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func fromNanos(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n)
}

// decode reads a line that encode wrote, or a stranger.
func decode(line []byte) (*batch, error) {
	var w wireBatch
	if err := json.Unmarshal(line, &w); err != nil {
		return nil, fmt.Errorf("a line of the feed: %w", err)
	}
	b := &batch{gone: w.Gone}
	for i := range w.Events {
		e := &w.Events[i]
		if err := plausible([]string{e.Name, e.Game, e.Format}, e.Slots, e.Planned, e.Played, e.Total, e.Before); err != nil {
			return nil, err
		}
		b.events = append(b.events, Event{
			Name: e.Name, Game: e.Game, Format: arena.Format(e.Format), Progress: e.Progress,
			Before: e.Before, Since: fromNanos(e.Since), Running: e.Running,
		})
	}
	for _, list := range []struct {
		from []wireGame
		to   *[]Game
	}{{w.Begun, &b.begun}, {w.Over, &b.over}} {
		for i := range list.from {
			g, err := fromWire(&list.from[i])
			if err != nil {
				return nil, err
			}
			*list.to = append(*list.to, g)
		}
	}
	for i := range w.Moves {
		m := &w.Moves[i]
		moves, err := fromWireMoves(m.Moves)
		if err != nil {
			return nil, err
		}
		b.moves = append(b.moves, moved{key: m.Key, from: m.From, at: fromNanos(m.At), moves: moves})
	}
	return b, nil
}

func fromWire(w *wireGame) (Game, error) {
	texts := append([]string{
		w.Event, w.Stage, w.Game, w.First, w.Second, w.Worker, w.Result, w.Reason, w.Detail, w.Blame,
		w.Opening.Name, w.Opening.Position,
	}, w.Opening.Moves...)
	if err := plausible(texts, w.Number, w.Round, w.Pair, w.Slot, w.Plies, w.Attempts); err != nil {
		return Game{}, err
	}
	switch arena.Result(w.Result) {
	case arena.Unplayed, arena.FirstWins, arena.SecondWins, arena.Draw:
	default:
		return Game{}, fmt.Errorf("a game of the feed has the result %q", w.Result)
	}
	moves, err := fromWireMoves(w.Moves)
	if err != nil {
		return Game{}, err
	}
	return Game{
		Game: arena.Game{
			Event: w.Event, Stage: w.Stage, Game: w.Game, First: w.First, Second: w.Second,
			Number: w.Number, Round: w.Round, Pair: w.Pair, Opening: w.Opening, Moves: moves,
			Result: arena.Result(w.Result), Reason: arena.Reason(w.Reason), Detail: w.Detail, Blame: w.Blame,
			Plies: w.Plies, Attempts: w.Attempts, Start: fromNanos(w.Start), Wall: time.Duration(w.Wall),
		},
		Clocks: w.Clocks, Slot: w.Slot, Worker: w.Worker, At: fromNanos(w.At), Over: w.Over, Brief: w.Brief,
	}, nil
}

func fromWireMoves(list []wireMove) ([]arena.MoveRecord, error) {
	moves := make([]arena.MoveRecord, len(list))
	for i, m := range list {
		if err := plausible([]string{m.Move}, m.Depth); err != nil {
			return nil, err
		}
		moves[i] = arena.MoveRecord{Move: m.Move, Time: time.Duration(max(0, m.Time)), Depth: m.Depth, Nodes: max(0, m.Nodes), Mate: m.Mate}
		if m.Score != nil {
			moves[i].Score, moves[i].HasScore = *m.Score, true
		} else {
			moves[i].Mate = false
		}
	}
	return moves, nil
}

// plausible looks at what a stranger may have sent.
func plausible(texts []string, numbers ...int) error {
	for _, t := range texts {
		if len(t) > mostText || !utf8.ValidString(t) {
			return errors.New("a text of the feed is too long or no text")
		}
	}
	for _, n := range numbers {
		if n < 0 {
			return fmt.Errorf("a number of the feed is %d", n)
		}
	}
	return nil
}

// readLine reads a line of at most so many bytes, without its newline. It is valid
// until the next call.
func readLine(r *bufio.Reader, buf []byte, most int) ([]byte, error) {
	buf = buf[:0]
	for {
		part, err := r.ReadSlice('\n')
		if len(buf)+len(part) > most {
			return nil, errors.New("a line of the feed is too long")
		}
		buf = append(buf, part...)
		switch {
		case err == nil:
			return bytes.TrimSuffix(buf, []byte("\n")), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			if errors.Is(err, io.EOF) && len(buf) > 0 {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
}
