// Package positions reads and writes judged positions, from which evaluations are learnt.
//
// A line is one position, as text or as JSON; a reader takes both:
//
//	POSITION | SCORE | RESULT
//	{"game":"chess","event":"spring","number":4,"ply":17,"position":"...","move":"e2e4","score":35,"result":0.5}
//
// SCORE is the bot's evaluation of the position before its move, in centipawns, and
// RESULT that of the game: 1.0 won, 0.5 drawn, 0.0 lost. Both are of the side that
// moves first in the game, or of the side to move here: whoever writes the file
// chooses, and whoever reads it has to know. A position is in the words of its game,
// and may have any character but a line end.
//
// Scores are finite: see [Centipawns].
package positions

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A Sample is a position with a bot's evaluation and the game's result. Text has
// Position, Score and Result alone.
type Sample struct {
	Game     string  `json:"game,omitempty"`
	Event    string  `json:"event,omitempty"`
	Number   int     `json:"number,omitempty"` // of the game in its event; 0 if not known
	Ply      int     `json:"ply"`              // plies played before it, an opening's among them
	Position string  `json:"position"`
	Move     string  `json:"move,omitempty"` // that the bot chose
	Score    int     `json:"score"`          // centipawns
	Result   float64 `json:"result"`         // 1 won, 0 lost
}

// Bounds of scores.
const (
	Mate = 32_000 // of a mate in 0 moves
	Most = 30_000 // of any score that is no mate
	deep = 1_000  // moves to mate that are told apart
)

// Centipawns returns a score of the side to move, as its bot told it, in centipawns: a
// mate in n moves is Mate - n, at least Most + 1,000 however far it is, being mated the
// negative of it, and any other score is limited to Most.
func Centipawns(score int, mate bool) int {
	switch {
	case mate && score > 0:
		return Mate - min(score, deep)
	case mate:
		return -Mate + min(-max(score, -deep), deep)
	}
	return max(-Most, min(Most, score))
}

// Turned returns the sample as the other side sees it.
func (s Sample) Turned() Sample {
	s.Score, s.Result = -s.Score, 1-s.Result
	return s
}

// AppendText appends the sample as a line of text.
func (s *Sample) AppendText(dst []byte) []byte {
	dst = append(append(dst, s.Position...), " | "...)
	dst = append(strconv.AppendInt(dst, int64(s.Score), 10), " | "...)
	text := strconv.FormatFloat(s.Result, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return append(append(dst, text...), '\n')
}

// AppendJSON appends the sample as a line of JSON.
func (s *Sample) AppendJSON(dst []byte) []byte {
	w := bytes.NewBuffer(dst)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // Result is a number
	}
	return w.Bytes()
}

// Parse reads a line of either kind, with or without its end.
func Parse(line []byte) (Sample, error) {
	var s Sample
	line = bytes.TrimSpace(line)
	if bytes.HasPrefix(line, []byte(`{"`)) {
		if err := json.Unmarshal(line, &s); err != nil {
			return s, fmt.Errorf("it is no JSON object of a position: %w", err)
		}
	} else {
		rest, result, _ := cutLast(string(line))
		position, score, found := cutLast(rest)
		if !found {
			return s, errors.New("write POSITION | SCORE | RESULT, or a JSON object")
		}
		s.Position = position
		var err error
		if s.Score, err = strconv.Atoi(score); err != nil {
			return s, fmt.Errorf("the score %q is no whole number of centipawns", score)
		}
		if s.Result, err = strconv.ParseFloat(result, 64); err != nil {
			return s, fmt.Errorf("the result %q is no number", result)
		}
	}
	switch {
	case s.Position == "":
		return s, errors.New("it has no position")
	case s.Score < -Mate || s.Score > Mate:
		return s, fmt.Errorf("the score %d is out of range: from %d to %d", s.Score, -Mate, Mate)
	case !(s.Result >= 0 && s.Result <= 1):
		return s, fmt.Errorf("the result %v is out of range: from 0 to 1", s.Result)
	}
	return s, nil
}

func cutLast(s string) (before, after string, found bool) {
	i := strings.LastIndexByte(s, '|')
	if i < 0 {
		return s, "", false
	}
	return strings.TrimSpace(s[:i]), strings.TrimSpace(s[i+1:]), true
}

// longest is the most bytes of a line.
const longest = 1 << 20

// Read calls each for the samples of a file, in order. Its error says which line cannot
// be read, or is the first of each's; the last line needs its end.
func Read(r io.Reader, each func(*Sample) error) error {
	lines := bufio.NewReaderSize(r, longest)
	for number := 1; ; number++ {
		line, err := lines.ReadSlice('\n')
		switch {
		case errors.Is(err, io.EOF) && len(line) == 0:
			return nil
		case errors.Is(err, io.EOF):
			return fmt.Errorf("line %d is cut short", number)
		case errors.Is(err, bufio.ErrBufferFull):
			return fmt.Errorf("line %d is longer than %d bytes", number, longest)
		case err != nil:
			return err
		}
		s, err := Parse(line)
		if err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		if err := each(&s); err != nil {
			return err
		}
	}
}
