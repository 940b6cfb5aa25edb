package exchange

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"botarena/arena"
	"botarena/arena/text"
)

// A Line is one game as JSON Lines write it; the tags are the names of the members.
type Line struct {
	Event             string         `json:"event"`
	Number            int            `json:"number"`
	Round             int            `json:"round"`
	Pair              int            `json:"pair"`
	Stage             string         `json:"stage,omitempty"`
	Game              string         `json:"game"`
	First             string         `json:"first"`
	Second            string         `json:"second"`
	FirstFingerprint  string         `json:"first_fingerprint"`
	SecondFingerprint string         `json:"second_fingerprint"`
	FirstLabel        string         `json:"first_label,omitempty"` // the bot's own name of its version
	SecondLabel       string         `json:"second_label,omitempty"`
	Opening           *arena.Opening `json:"opening,omitempty"` // none: the game's own start
	// The options that the bots were set for this game alone, by name.
	FirstOptions  map[string]string `json:"first_options,omitempty"`
	SecondOptions map[string]string `json:"second_options,omitempty"`
	Result        string            `json:"result"`
	Reason        string            `json:"reason"`
	Detail        string            `json:"detail"`
	Blame         string            `json:"blame"`
	Plies         int               `json:"plies"` // of the bots
	Void          int               `json:"void"`  // attempts that did not count
	Start         time.Time         `json:"start,omitzero"`
	Seconds       seconds           `json:"seconds"`
	FirstCPU      seconds           `json:"first_cpu_seconds"`
	SecondCPU     seconds           `json:"second_cpu_seconds"`
	FirstOffTurn  seconds           `json:"first_off_turn_cpu_seconds,omitzero"` // of it, while the other was to move
	SecondOffTurn seconds           `json:"second_off_turn_cpu_seconds,omitzero"`
	Moves         []LineMove        `json:"moves"`
	Config        string            `json:"config,omitempty"` // YAML, in the first game of an event
}

// A LineMove is one move with its bot's search facts. At most one of Score (centipawns)
// and Mate (moves, negative when being mated) is set; both are from the mover's view.
type LineMove struct {
	Move  string  `json:"move"`
	Time  seconds `json:"time"`
	Depth int     `json:"depth,omitempty"`
	Nodes int64   `json:"nodes,omitempty"`
	Score *int    `json:"score,omitempty"`
	Mate  *int    `json:"mate,omitempty"`
}

// seconds is a duration, in JSON a number of seconds to the microsecond.
type seconds time.Duration

const maxSeconds = 1e9 // about 30 years: whole microseconds stay exact in a float64

// String formats the seconds with as few decimals as possible.
func (s seconds) String() string {
	return strconv.FormatFloat(float64(time.Duration(s).Microseconds())/1e6, 'f', -1, 64)
}

// MarshalJSON writes the seconds as a number.
func (s seconds) MarshalJSON() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalJSON reads a number of seconds, which must not be negative.
func (s *seconds) UnmarshalJSON(b []byte) error {
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil || f < 0 || f > maxSeconds || math.IsNaN(f) {
		return fmt.Errorf("%s is no time in seconds, 0 to %g", text.Clip(string(b), 60), maxSeconds)
	}
	*s = seconds(time.Duration(math.Round(f*1e6)) * time.Microsecond)
	return nil
}

// A JSONL writes games as JSON Lines.
type JSONL struct {
	w   *bufio.Writer
	enc *json.Encoder
}

// NewJSONL returns a writer of JSON Lines.
func NewJSONL(w io.Writer) *JSONL {
	j := &JSONL{w: bufio.NewWriter(w)}
	j.enc = json.NewEncoder(text.NewWriter(j.w)) // lines of JSON leave nothing to flush
	j.enc.SetEscapeHTML(false)
	return j
}

// Write writes one game.
func (j *JSONL) Write(g *Game) error {
	l := NewLine(g)
	if err := j.enc.Encode(&l); err != nil {
		return fmt.Errorf("event %q, game %d: %w", g.Event, g.Number, err)
	}
	return nil
}

// Flush writes what is buffered.
func (j *JSONL) Flush() error { return j.w.Flush() }

// NewLine converts a game to its line of JSON.
func NewLine(g *Game) Line {
	l := Line{
		Event: g.Event, Number: g.Number, Round: g.Round, Pair: g.Pair, Stage: g.Stage, Game: g.Game.Game,
		First: g.First, Second: g.Second,
		FirstFingerprint: g.Versions[0].Fingerprint, SecondFingerprint: g.Versions[1].Fingerprint,
		FirstLabel: g.Versions[0].Label, SecondLabel: g.Versions[1].Label,
		Result: string(g.Result), Reason: string(g.Reason), Detail: g.Detail, Blame: g.Blame,
		Plies: g.Plies, Void: g.Attempts, Start: g.Start, Seconds: seconds(g.Wall),
		FirstCPU: seconds(g.CPU[0]), SecondCPU: seconds(g.CPU[1]),
		FirstOffTurn: seconds(g.OffTurn[0]), SecondOffTurn: seconds(g.OffTurn[1]),
		Moves: make([]LineMove, len(g.Moves)), Config: g.Config,
		FirstOptions: arena.OptionMap(g.Options[0]), SecondOptions: arena.OptionMap(g.Options[1]),
	}
	if o := g.Opening; o.Name != "" || o.Position != "" || len(o.Moves) > 0 {
		l.Opening = &o
	}
	for i := range g.Moves {
		m := &g.Moves[i]
		to := &l.Moves[i]
		*to = LineMove{Move: m.Move, Time: seconds(m.Time), Depth: m.Depth, Nodes: m.Nodes}
		switch {
		case m.HasScore && m.Mate:
			to.Mate = &m.Score
		case m.HasScore:
			to.Score = &m.Score
		}
	}
	return l
}

// record converts a line to its game.
func (l *Line) record() *Game {
	g := &Game{
		Game: arena.Game{
			Event: l.Event, Number: l.Number, Round: l.Round, Pair: l.Pair, Stage: l.Stage, Game: l.Game,
			First: l.First, Second: l.Second,
			Result: arena.Result(l.Result), Reason: arena.Reason(l.Reason), Detail: l.Detail, Blame: l.Blame,
			Plies: l.Plies, Attempts: l.Void, Start: l.Start.UTC(), Wall: time.Duration(l.Seconds),
			CPU:     [2]time.Duration{time.Duration(l.FirstCPU), time.Duration(l.SecondCPU)},
			OffTurn: [2]time.Duration{time.Duration(l.FirstOffTurn), time.Duration(l.SecondOffTurn)},
			Moves:   make([]arena.MoveRecord, len(l.Moves)),
			Options: [2][]arena.Option{arena.OptionList(l.FirstOptions), arena.OptionList(l.SecondOptions)},
		},
		Versions: [2]Version{
			{Fingerprint: l.FirstFingerprint, Label: l.FirstLabel},
			{Fingerprint: l.SecondFingerprint, Label: l.SecondLabel},
		},
		Config: l.Config,
	}
	if l.Opening != nil {
		g.Opening = *l.Opening
	}
	for i := range l.Moves {
		m := &l.Moves[i]
		to := &g.Moves[i]
		*to = arena.MoveRecord{Move: m.Move, Time: time.Duration(m.Time), Depth: m.Depth, Nodes: m.Nodes}
		switch {
		case m.Mate != nil:
			to.HasScore, to.Mate, to.Score = true, true, *m.Mate
		case m.Score != nil:
			to.HasScore, to.Score = true, *m.Score
		}
	}
	return g
}

// ParseLine parses one line of a file of JSON Lines. An unknown member and text after
// the object are errors; bounds and rules are not checked.
func ParseLine(text []byte) (*Game, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("not UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	var l *Line
	if err := dec.Decode(&l); err != nil {
		var kind *json.UnmarshalTypeError
		switch {
		case errors.As(err, &kind) && kind.Field == "":
			return nil, fmt.Errorf("not the JSON object of a game: it is a JSON %s", kind.Value)
		case errors.As(err, &kind):
			return nil, fmt.Errorf("%s cannot be a %s", kind.Field, kind.Value)
		case errors.Is(err, io.ErrUnexpectedEOF):
			return nil, errors.New("the line ends in the middle of its JSON object; was the file cut off?")
		}
		return nil, fmt.Errorf("not the JSON object of a game: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if l == nil {
		return nil, errors.New("not the JSON object of a game")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text after the JSON object; write one game a line")
	}
	for i, m := range l.Moves {
		if m.Score != nil && m.Mate != nil {
			return nil, fmt.Errorf("ply %d: both a score and a mate", i+1)
		}
	}
	return l.record(), nil
}

// lines calls each for every line that is not blank, with its number from 1 and
// the bytes before it. Text is valid until each returns. A byte order mark is no
// part of the first line.
func lines(r io.Reader, each func(number int, offset int64, text []byte) error) error {
	in, mark, err := input(r)
	if err != nil {
		return err
	}
	offset := int64(mark)
	for from := text.NewLines(in, text.MaxLine); ; {
		line, err := from.Next()
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if trimmed := bytes.TrimSpace(line); len(trimmed) > 0 {
			if err := each(from.Number, offset, trimmed); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
		offset += int64(len(line))
	}
}
