package wire

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"botarena/arena"
)

// A Batch holds results of an event that were ready at the same time: a server that
// syncs each message syncs once for all of them. Each result is validated by itself.
type Batch struct {
	Header
	Results []Result `json:"results"`
}

// MaxResults is the maximum number of results in a batch.
const MaxResults = 256

// check returns an error if there are none or too many results: see [Result.Check].
func (b *Batch) check() error {
	if n := len(b.Results); n < 1 || n > MaxResults {
		return fmt.Errorf("a message of %d results; from 1 to %d are one", n, MaxResults)
	}
	return nil
}

// A Result reports the outcomes of a unit's games.
type Result struct {
	Event string  `json:"event"`
	Unit  string  `json:"unit"`
	Slot  int     `json:"slot"`            // 0-based, of the worker
	Speed string  `json:"speed,omitempty"` // factor by which clocks were multiplied; "" is 1
	Sent  int64   `json:"sent"`            // microseconds since 1970 by the worker's clock
	Games []Ended `json:"games"`
}

// An Ended reports a game that has ended. Times are in microseconds. The lists have one
// entry a move.
type Ended struct {
	Number  int      `json:"number"`
	Result  string   `json:"result"`
	Reason  string   `json:"reason"`
	Detail  string   `json:"detail,omitempty"`
	Blame   int      `json:"blame,omitempty"` // 1 or 2, 0 for none
	Start   int64    `json:"start"`           // since 1970 by the worker's clock
	Wall    int64    `json:"wall"`
	CPU     [2]int64 `json:"cpu"`
	OffTurn [2]int64 `json:"offturn"`
	Moves   string   `json:"moves"` // with blanks between them
	Times   []int64  `json:"times"`
	Depths  []int    `json:"depths"`
	Nodes   []int64  `json:"nodes"`
	Scores  []string `json:"scores"` // "" none, "34" centipawns, "#-3" moves to mate
}

// EndedOf returns a worker's report of a game that it played.
func EndedOf(g *arena.Game) Ended {
	n := len(g.Moves)
	e := Ended{
		Number: g.Number, Result: string(g.Result), Reason: string(g.Reason), Detail: Clip(g.Detail),
		Start: g.Start.UnixMicro(), Wall: g.Wall.Microseconds(),
		Times: make([]int64, n), Depths: make([]int, n), Nodes: make([]int64, n), Scores: make([]string, n),
	}
	switch g.Blame {
	case "":
	case g.First:
		e.Blame = 1
	case g.Second:
		e.Blame = 2
	}
	for i := range 2 {
		e.CPU[i], e.OffTurn[i] = g.CPU[i].Microseconds(), g.OffTurn[i].Microseconds()
	}
	words := make([]string, n)
	for i, m := range g.Moves {
		words[i], e.Times[i], e.Depths[i], e.Nodes[i] = m.Move, m.Time.Microseconds(), m.Depth, m.Nodes
		if m.HasScore {
			e.Scores[i] = strconv.Itoa(m.Score)
			if m.Mate {
				e.Scores[i] = "#" + e.Scores[i]
			}
		}
	}
	e.Moves = strings.Join(words, " ")
	return e
}

// Fill copies the worker's report into the game's row. The error says what is
// impossible.
func (e *Ended) Fill(g *arena.Game) error {
	words := strings.Fields(e.Moves)
	n := len(words)
	if n != len(e.Times) || n != len(e.Depths) || n != len(e.Nodes) || n != len(e.Scores) || n > maxMoves {
		return fmt.Errorf("%d moves, but lists of %d, %d, %d and %d", n, len(e.Times), len(e.Depths), len(e.Nodes), len(e.Scores))
	}
	g.Result, g.Reason, g.Detail = arena.Result(e.Result), arena.Reason(e.Reason), e.Detail
	g.Plies, g.Moves = n, nil
	if n > 0 {
		g.Moves = make([]arena.MoveRecord, n)
	}
	for i, word := range words {
		m := &g.Moves[i]
		var err error
		if m.Time, err = span("time of a move", e.Times[i]); err != nil {
			return err
		}
		m.Move, m.Depth, m.Nodes = word, e.Depths[i], e.Nodes[i]
		if s := e.Scores[i]; s != "" {
			m.HasScore = true
			if s, m.Mate = strings.CutPrefix(s, "#"); strconv.Itoa(atoi(s)) != s {
				return fmt.Errorf("ply %d: %q is no score", i+1, e.Scores[i])
			}
			m.Score = atoi(s)
		}
	}
	switch e.Blame {
	case 0:
		g.Blame = ""
	case 1:
		g.Blame = g.First
	case 2:
		g.Blame = g.Second
	default:
		return fmt.Errorf("blame %d is no side", e.Blame)
	}
	var err error
	if g.Wall, err = span("time of play", e.Wall); err != nil {
		return err
	}
	for i := range 2 {
		if g.CPU[i], err = span("CPU time", e.CPU[i]); err != nil {
			return err
		}
		if g.OffTurn[i], err = span("CPU time off turn", e.OffTurn[i]); err != nil {
			return err
		}
	}
	g.Start = time.UnixMicro(e.Start)
	return nil
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s) // compared with its own text
	return n
}

func span(what string, micro int64) (time.Duration, error) {
	if micro < 0 || micro > maxTime.Microseconds() {
		return 0, fmt.Errorf("%s of %d µs", what, micro)
	}
	return time.Duration(micro) * time.Microsecond, nil
}

// Check returns an error if no unit can have this result.
func (r *Result) Check() error {
	if !Token(r.Event) || !Token(r.Unit) || len(r.Games) < 1 || len(r.Games) > maxGames || r.Slot < 0 || r.Slot > maxBusy {
		return errors.New("a result without an event, a unit, games or a slot")
	}
	if _, err := r.Factor(); err != nil {
		return err
	}
	for i := range r.Games {
		if err := r.Games[i].check(); err != nil {
			return err
		}
	}
	return nil
}

// check returns an error if no game can have this report.
func (e *Ended) check() error {
	if e.Number < 1 || e.Number > arena.MaxGames {
		return fmt.Errorf("a result of a game that is none: number %d", e.Number)
	}
	if err := text("detail", e.Detail); err != nil {
		return err
	}
	// No longer word is a move of any game.
	if i := slices.IndexFunc(strings.Fields(e.Moves), func(w string) bool { return len(w) > maxMove }); i >= 0 {
		return fmt.Errorf("ply %d is no move", i+1)
	}
	return nil
}

// Factor returns the speed as a number.
func (r *Result) Factor() (float64, error) {
	if r.Speed == "" {
		return 1, nil
	}
	f, err := strconv.ParseFloat(r.Speed, 64)
	if err != nil || !(f > 0.01 && f < 100) {
		return 0, fmt.Errorf("a speed of %q", r.Speed)
	}
	return f, nil
}
