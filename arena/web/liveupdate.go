package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"botarena/arena"
	"botarena/arena/live"
	"botarena/arena/replay"
	"botarena/arena/text"
	"botarena/engine"
)

// A liveUpdate is the data of one message.
type liveUpdate struct {
	// Reset says that what the reader has is void, and this is all there is.
	Reset bool `json:"reset,omitempty"`
	// Time is when the message was made, by the server's clock: for how long a side
	// has been thinking.
	Time   time.Time   `json:"time"`
	Events []liveEvent `json:"events,omitempty"`
	Games  []liveGame  `json:"games,omitempty"`
	// Air is every game in progress, as EVENT/NUMBER. One that the reader has, which is
	// neither over nor in here, is gone without a result.
	Air []string `json:"air"`
	// Problems say why something may be missing.
	Problems []string `json:"problems,omitempty"`
}

// A liveEvent describes a run and its progress.
type liveEvent struct {
	Event   string       `json:"event"`
	Game    string       `json:"game"`
	Format  arena.Format `json:"format"`
	Running bool         `json:"running"`
	Since   time.Time    `json:"since"`   // when the run began
	Before  int          `json:"before"`  // games with a result when it began
	Planned int          `json:"planned"` // games planned so far
	Played  int          `json:"played"`
	Total   int          `json:"total"` // games in all, 0 where nobody knows
	Slots   int          `json:"slots"` // games at once
}

// liveGame holds what is new of a game. Its moves start at ply From (0-based).
type liveGame struct {
	Event  string     `json:"event"`
	Number int        `json:"number"`
	URL    string     `json:"url"`
	New    bool       `json:"new,omitempty"` // forget what you have of it
	Game   string     `json:"game"`
	Round  int        `json:"round"`
	Stage  string     `json:"stage,omitempty"`
	First  string     `json:"first"`
	Second string     `json:"second"`
	Worker string     `json:"worker,omitempty"`
	Slot   int        `json:"slot"`
	Start  time.Time  `json:"start"`
	At     time.Time  `json:"at"` // of the last move: since when the side to move thinks
	Plies  int        `json:"plies"`
	From   int        `json:"from"`
	Moves  []liveMove `json:"moves"`
	Board  *liveBoard `json:"board,omitempty"` // after the last move
	Over   bool       `json:"over,omitempty"`
	Brief  bool       `json:"brief,omitempty"` // over before its moves could be sent
	Result string     `json:"result,omitempty"`
	Reason string     `json:"reason,omitempty"`
	Detail string     `json:"detail,omitempty"`
	Blame  string     `json:"blame,omitempty"`
}

// A liveMove is one move with what its bot said of it. At most one of Score
// (centipawns) and Mate (moves) is there, both of the mover.
type liveMove struct {
	Ply   int     `json:"ply"` // from 1
	Side  int     `json:"side"`
	Move  string  `json:"move"`
	Time  float64 `json:"time"` // seconds
	Depth int     `json:"depth,omitempty"`
	Nodes int64   `json:"nodes,omitempty"`
	Score *int    `json:"score,omitempty"`
	Mate  *int    `json:"mate,omitempty"`
	// Eval is what the mover's score is worth to the first side, from 0 to 1.
	Eval *float64 `json:"eval,omitempty"`
	// Board is the board after the move, where one game is asked for.
	Board *liveBoard `json:"board,omitempty"`

	version uint64
}

// moveOf plays a move.
func moveOf(t *live.Track, m *arena.MoveRecord, board bool) (liveMove, error) {
	side := t.Position.Turn()
	if err := t.Play(*m); err != nil {
		return liveMove{}, err
	}
	l := liveMove{Ply: t.Plies, Side: int(side), Move: m.Move, Time: m.Time.Seconds(), Depth: m.Depth, Nodes: m.Nodes}
	if m.HasScore {
		score, eval := m.Score, replay.Expected(m)
		if side == engine.Second {
			eval = 1 - eval
		}
		l.Eval = &eval
		if m.Mate {
			l.Mate = &score
		} else {
			l.Score = &score
		}
	}
	if board {
		b := boardOf(t)
		l.Board = &b
	}
	return l, nil
}

func (u *liveUpdate) addEvent(e live.Event) {
	u.Events = append(u.Events, liveEvent{
		Event: e.Name, Game: e.Game, Format: e.Format, Running: e.Running, Since: e.Since, Before: e.Before,
		Planned: e.Planned, Played: e.Played, Total: e.Total, Slots: e.Slots,
	})
}

// addGame adds a game with its moves from a ply on.
func (u *liveUpdate) addGame(f *followedGame, isNew bool, from int) {
	l := liveGame{
		Event: f.Event, Number: f.Number, URL: liveURL(f.Key()), New: isNew, Game: f.Game.Game.Game,
		Round: f.Round, Stage: f.Stage, First: f.First, Second: f.Second, Worker: f.Worker, Slot: f.Slot,
		Start: f.Start, At: f.At, Plies: len(f.moves), From: from, Moves: f.moves[from:],
	}
	if f.Over {
		l.Over, l.Brief, l.Plies = true, f.Brief, f.Plies
		l.Result, l.Reason, l.Detail, l.Blame = string(f.Result), string(f.Reason), f.Detail, f.Blame
	}
	if f.track != nil && !f.Brief {
		l.Board = &f.board
	}
	u.Games = append(u.Games, l)
}

// message returns the update as a server-sent event.
func (u *liveUpdate) message(epoch string, number uint64) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "event: update\nid: %s-%d\ndata: ", epoch, number)
	w := text.NewWriter(&b)
	_ = json.NewEncoder(w).Encode(u) // of our own types, into memory
	_ = w.Flush()
	b.WriteByte('\n')
	return b.Bytes()
}
