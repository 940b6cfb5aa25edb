package live

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"botarena/arena/text"
)

// wireVersion is the version of the connection's protocol. A side with another version
// is ignored.
const wireVersion = 3

const mostLine = 32 << 20 // bytes of a message

// A message holds the changes of a snapshot for a watcher: all events and the IDs of
// all games, and the games that changed, with the moves from ply From on.
type message struct {
	Events []Event
	IDs    []uint64
	Games  []update
}

// An update is a game that changed.
type update struct {
	Game
	From int
}

// A sender tracks what one watcher has been sent.
type sender struct {
	begun bool
	sent  map[uint64]update // by ID; without moves, From is how many there were
}

// next returns a snapshot as a message for the watcher, as a line of JSON.
func (s *sender) next(now Snapshot) ([]byte, error) {
	m := message{Events: now.Events}
	sent := map[uint64]update{}
	for _, g := range now.Games {
		before, known := s.sent[g.ID]
		u := update{Game: g, From: before.From}
		switch {
		case known && len(g.Moves) == before.From && g.Over == before.Over:
			u.Brief = before.Brief
		case !known && g.Over && s.begun || before.Brief:
			u.Brief, u.Moves = true, nil
			m.Games = append(m.Games, u)
		default:
			u.Moves = g.Moves[min(u.From, len(g.Moves)):]
			m.Games = append(m.Games, u)
		}
		m.IDs = append(m.IDs, g.ID)
		u.Moves, u.From = nil, len(g.Moves)
		sent[g.ID] = u
	}
	s.sent, s.begun = sent, true
	line, err := json.Marshal(&m)
	return append(line, '\n'), err
}

// A receiver builds snapshots from the messages of one sender.
type receiver struct {
	games map[uint64]Game
}

// take applies a message and returns the new snapshot.
func (r *receiver) take(line []byte) (s Snapshot, err error) {
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		return s, fmt.Errorf("a line of the feed: %w", err)
	}
	next := map[uint64]Game{}
	for _, id := range m.IDs {
		if g, ok := r.games[id]; ok {
			next[id] = g
		}
	}
	for _, u := range m.Games {
		had := next[u.ID].Moves
		if u.Number < 1 || u.Slot < 0 || u.Plies < 0 || u.From != len(had) {
			return s, errors.New("the feed does not make sense")
		}
		u.Moves = append(slices.Clip(had), u.Moves...)
		next[u.ID] = u.Game
	}
	r.games = next
	s.Events = m.Events
	for _, g := range next {
		s.Games = append(s.Games, g)
	}
	s.sort()
	return s, nil
}

// readLine reads a line without its newline. It is valid until the next call.
func readLine(lines *text.Lines) ([]byte, error) {
	line, err := lines.Next()
	if errors.Is(err, io.EOF) && len(line) > 0 {
		err = io.ErrUnexpectedEOF
	}
	return bytes.TrimSuffix(line, []byte("\n")), err
}
