package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"botarena/arena/text"
	"botarena/engine"
	"botarena/engine/games"
	"botarena/engine/solve"
)

// state is a position as `arena moves` describes it.
type state struct {
	Turn     string   `json:"turn"`
	Legal    []string `json:"legal"`
	Over     bool     `json:"over"`
	Winner   string   `json:"winner"` // a side's name or "draw"; "" while not over
	Reason   string   `json:"reason"`
	Position string   `json:"position"`
	// Value and Values hold the exact values of the position and after each move.
	Value  *solve.Worth           `json:"value,omitempty"`
	Values map[string]solve.Worth `json:"values,omitempty"`
}

// question is one line of `arena moves --batch`.
type question struct {
	Game     string   `json:"game"`
	Position string   `json:"position"`
	Moves    []string `json:"moves"`
}

// maxBatchLine bounds one line of the batch; a longer one is answered with an error.
const maxBatchLine = 1 << 20

func (a *app) movesCommand() *cobra.Command {
	var position, moves, program string
	var asJSON, batch, values bool
	var dir string
	cmd := &cobra.Command{
		Use:   "moves [GAME]",
		Short: "List the legal moves of a position",
		Long: `List the legal moves of a position, one a line, sorted as text. GAME may be left
out where --rules names a program.

With --batch, JSON lines {"game":G,"position":P,"moves":["m1",...]} are read from
stdin (position and moves are optional, other keys are ignored) and answered
with one JSON line each, in order: the side to move, the legal moves, whether the
game is over, who won ("draw" for a draw) and by which rule, and the position.
A bad line is answered with {"error":"..."} and the next one is read.

With --values, exact tables tell who wins the position and after each move, and in
owlman in how many moves Owlman catches somebody or Doc forces his win ("arena solve").`,
		Example: `  arena moves breakthrough:6x5
  arena moves outwit --moves "f4f1 e6b3" --json
  arena moves owlman --position "8/8/2H5/8/8/8/8/1D5O w"
  echo '{"game":"breakthrough","moves":["a2a3"]}' | arena moves --batch`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case batch && len(args) > 0:
				return errors.New("--batch reads the games from stdin and takes no argument")
			case !batch && len(args) != 1 && (len(args) > 0 || program == ""):
				return fmt.Errorf("name one game: %s", strings.Join(games.All().Names(), ", "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			var exactly *solve.Oracle
			if values {
				var err error
				if exactly, err = oracle(dir); err != nil {
					return err
				}
				defer exactly.Close()
			}
			if batch {
				catalog, err := a.rulesCatalog(cmd.Context(), program)
				if err != nil {
					return err
				}
				return a.batchMoves(catalog, exactly)
			}
			game, err := a.lookupGame(cmd.Context(), strings.Join(args, ""), program)
			if err != nil {
				return err
			}
			pos, err := positionOf(game, question{Position: position, Moves: strings.Fields(moves)})
			if err != nil {
				return usageError(err)
			}
			s := describe(pos, nil)
			if err := s.weigh(exactly, pos); err != nil {
				return err
			}
			return a.printMoves(s, asJSON)
		},
	}
	cmd.Flags().StringVar(&position, "position", "", "start from this `position` instead of the game's own start")
	cmd.Flags().StringVar(&moves, "moves", "", "play these `moves` first, separated by spaces")
	rulesFlag(cmd, &program)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	cmd.Flags().BoolVar(&batch, "batch", false, "answer JSON lines from stdin")
	cmd.Flags().BoolVar(&values, "values", false, "tell who wins after each move, by the tables that arena solve computes")
	cmd.Flags().StringVar(&dir, "tables", "", "the `folder` of these tables (default: in the user's folder of caches)")
	return cmd
}

func (a *app) printMoves(s state, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(a.out).Encode(s)
	}
	w := bufio.NewWriter(a.out)
	for _, m := range s.Legal {
		if v, ok := s.Values[m]; ok {
			m += "  " + v.String()
		}
		fmt.Fprintln(w, m)
	}
	if s.Over {
		fmt.Fprintf(a.err, "the game is over: %s (%s)\n", s.verdict(), s.Reason)
	}
	return w.Flush()
}

func (s state) verdict() string {
	if s.Winner == "draw" {
		return "a draw"
	}
	return s.Winner + " wins"
}

func (a *app) batchMoves(catalog engine.Catalog, exactly *solve.Oracle) error {
	found := remembered{catalog: catalog}
	var legal []engine.Move
	return a.eachLine(false, func(_ int, line []byte, tooLong error) (any, error) {
		if tooLong != nil {
			return batchError{tooLong.Error()}, nil
		}
		return found.answer(line, &legal, exactly), nil
	})
}

// eachLine answers the non-empty lines of stdin in order, each at once: by a text, or
// by another value as JSON. answer is called with tooLong for an overlong line. Its
// error ends the reading.
func (a *app) eachLine(readable bool, answer func(number int, line []byte, tooLong error) (any, error)) error {
	in := bufio.NewReaderSize(a.in, 1<<16)
	lines := text.NewLines(in, maxBatchLine)
	out := bufio.NewWriterSize(a.out, 1<<16)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(!readable)
	for {
		line, err := lines.Next()
		end, tooLong := errors.Is(err, io.EOF), is[*text.LongLineError](err)
		if err != nil && !end && !tooLong {
			return errors.Join(out.Flush(), fmt.Errorf("read stdin: %w", err))
		}
		if len(bytes.TrimSpace(line)) > 0 || tooLong {
			err = nil
			if tooLong {
				err = errLineTooLong
			}
			said, failed := answer(lines.Number, bytes.TrimSuffix(line, []byte("\n")), err)
			if failed != nil {
				return errors.Join(out.Flush(), failed)
			}
			if words, ok := said.(string); ok {
				_, err = fmt.Fprintln(out, words)
			} else {
				err = encoder.Encode(said)
			}
			if err != nil {
				return fmt.Errorf("write answer: %w", err)
			}
		}
		if in.Buffered() == 0 || end || tooLong { // whoever asks line by line waits for this answer
			if err := out.Flush(); err != nil {
				return fmt.Errorf("write answer: %w", err)
			}
		}
		if end {
			return nil
		}
	}
}

type batchError struct {
	Error string `json:"error"`
}

// remembered caches the games that were asked for.
type remembered struct {
	catalog engine.Catalog
	games   map[string]engine.Game
}

func (l *remembered) game(name string) (engine.Game, error) {
	if g, ok := l.games[name]; ok {
		return g, nil
	}
	g, err := l.catalog.Lookup(name)
	if err != nil {
		return nil, err
	}
	if l.games == nil || len(l.games) > 1000 {
		l.games = map[string]engine.Game{}
	}
	l.games[name] = g
	return g, nil
}

// positionOf sets up the position that a question is about.
func positionOf(game engine.Game, q question) (_ engine.Position, err error) {
	pos := game.Start()
	if q.Position != "" {
		if pos, err = game.Parse(q.Position); err != nil {
			return nil, err
		}
	}
	engine.Expect(pos, q.Moves, false)
	for i, text := range q.Moves {
		m, err := pos.ParseMove(text)
		if err != nil {
			return nil, fmt.Errorf("move %d: %w", i+1, err)
		}
		pos.Play(m)
	}
	return pos, nil
}

func (l *remembered) answer(line []byte, legal *[]engine.Move, exactly *solve.Oracle) any {
	var q question
	if err := json.Unmarshal(line, &q); err != nil {
		return batchError{fmt.Sprintf("not a JSON object of game, position and moves: %v", err)}
	}
	game, err := l.game(q.Game)
	if err != nil {
		return batchError{err.Error()}
	}
	pos, err := positionOf(game, q)
	if err != nil {
		return batchError{err.Error()}
	}
	s := describe(pos, legal)
	if err := s.weigh(exactly, pos); err != nil {
		return batchError{err.Error()}
	}
	return s
}

// weigh adds the exact values, if there are tables.
func (s *state) weigh(exactly *solve.Oracle, pos engine.Position) error {
	if exactly == nil {
		return nil
	}
	v, err := exactly.Worth(pos)
	if err != nil {
		return lacking(err)
	}
	s.Value, s.Values = &v, map[string]solve.Worth{}
	for _, text := range s.Legal {
		m, err := pos.ParseMove(text)
		if err != nil {
			return err
		}
		pos.Play(m)
		v, err := exactly.Worth(pos)
		pos.Undo()
		if err != nil {
			return lacking(err)
		}
		s.Values[text] = v
	}
	return nil
}

// describe fills a state; buffer, if given, is reused for the moves.
func describe(pos engine.Position, buffer *[]engine.Move) state {
	sides := pos.Game().SideNames()
	out := pos.Outcome()
	s := state{Turn: sides[pos.Turn()], Legal: []string{}, Over: out.Over, Reason: out.Reason, Position: pos.String()}
	if out.Over {
		s.Winner = "draw"
		if out.Winner != engine.NoSide {
			s.Winner = sides[out.Winner]
		}
		return s
	}
	var own []engine.Move
	if buffer == nil {
		buffer = &own
	}
	*buffer = pos.Legal((*buffer)[:0])
	var text []byte
	s.Legal = make([]string, 0, len(*buffer))
	for _, m := range *buffer {
		text = pos.AppendMove(text[:0], m)
		s.Legal = append(s.Legal, string(text))
	}
	slices.Sort(s.Legal)
	return s
}

var errLineTooLong = errors.New("line too long: at most 1 MiB")
