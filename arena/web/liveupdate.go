package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"botarena/arena/live"
	"botarena/arena/text"
)

// A liveUpdate is the data of one message.
type liveUpdate struct {
	// Reset reports that the reader must drop its state: this update holds everything.
	Reset bool `json:"reset,omitempty"`
	// Pause is how many milliseconds readers should wait between two readings of a page
	// that this update concerns, give or take half of it; 0 is as long as they like.
	Pause int64 `json:"pause,omitempty"`
	// Time is the time of the message by the server's clock, to compute how long a side
	// has been thinking.
	Time   time.Time    `json:"time"`
	Events []live.Event `json:"events,omitempty"`
	Games  []liveGame   `json:"games,omitempty"`
	// Air lists every game in progress, as EVENT/NUMBER. A game that the reader has,
	// which is neither over nor listed, was abandoned without a result.
	Air []string `json:"air"`
	// Problems explains why something may be missing.
	Problems []string `json:"problems,omitempty"`
}

// A liveGame is a game in progress, or one that has just ended. A stream of one game
// has its frames from one on, others only the last one, with its whole board.
type liveGame struct {
	Event  string        `json:"event"`
	Number int           `json:"number"`
	URL    string        `json:"url"`
	New    bool          `json:"new,omitempty"` // forget what you have of it
	Game   string        `json:"game"`
	Round  int           `json:"round"`
	Stage  string        `json:"stage,omitempty"`
	First  string        `json:"first"`
	Second string        `json:"second"`
	Worker string        `json:"worker,omitempty"`
	Slot   int           `json:"slot"`
	Start  time.Time     `json:"start"`
	At     time.Time     `json:"at"` // of the last move: since when the side to move thinks
	Plies  int           `json:"plies"`
	From   int           `json:"from"` // ply of the first frame
	Frames []scriptFrame `json:"frames,omitempty"`
	Over   bool          `json:"over,omitempty"`
	Brief  bool          `json:"brief,omitempty"` // over before its moves could be sent
	Result string        `json:"result,omitempty"`
	Reason string        `json:"reason,omitempty"`
	Detail string        `json:"detail,omitempty"`
	Blame  string        `json:"blame,omitempty"`
}

// addGame adds a game with its frames from one on, or with the last one alone.
func (u *liveUpdate) addGame(f *followedGame, isNew bool, from int, last bool) {
	l := liveGame{
		Event: f.Event, Number: f.Number, URL: liveURL(f.Key()), New: isNew, Game: f.Game.Game.Game,
		Round: f.Round, Stage: f.Stage, First: f.First, Second: f.Second, Worker: f.Worker, Slot: f.Slot,
		Start: f.Start, At: f.At, Plies: f.Plies,
	}
	if f.Over {
		l.Over, l.Brief = true, f.Brief
		l.Result, l.Reason, l.Detail, l.Blame = string(f.Result), string(f.Reason), f.Detail, f.Blame
	}
	if f.replay != nil && !f.Brief {
		if !f.Over {
			l.Plies = len(f.replay.Frames) - 1
		}
		if l.From = from; last {
			l.From, l.Frames = len(f.replay.Frames)-1, []scriptFrame{lastFrame(f.replay)}
		} else {
			l.Frames = scriptFrames(f.replay, from)
		}
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
