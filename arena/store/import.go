package store

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/gob"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"

	"botarena/arena"
	"botarena/arena/process"
	"botarena/arena/rating"
)

// An Import is a finished event that was played elsewhere.
type Import struct {
	Event  arena.Event
	Config []byte // its canonical text
	// Games yields games with results and ascending numbers, which may have gaps. An
	// error ends the import.
	Games iter.Seq2[*arena.Game, error]
}

// Import records events that were played elsewhere, all of them or nothing. The rules
// are the caller's to check. All games are read, checked and encoded before the
// database is locked: running events wait only for the writing. The error is ErrExists
// if a name is in use.
func (s *Store) Import(ctx context.Context, events []Import, me process.Identity) error {
	if s.write == nil {
		return errors.New("import: the database is open for reading only")
	}
	staged := make([]*staging, 0, len(events))
	defer func() {
		for _, st := range staged {
			st.remove()
		}
	}()
	for i := range events {
		st, err := s.stage(ctx, &events[i])
		if st != nil {
			staged = append(staged, st)
		}
		if err != nil {
			return fmt.Errorf("import: event %q: %w", events[i].Event.Name, err)
		}
	}
	return s.update(ctx, "import", func(ctx context.Context, tx *sql.Tx) error {
		for i := range events {
			if err := s.importEvent(ctx, tx, &events[i], staged[i], me); err != nil {
				return fmt.Errorf("event %q: %w", events[i].Event.Name, err)
			}
		}
		return nil
	})
}

// staging keeps the games of an event in a temporary file until they are written.
type staging struct {
	file  *os.File
	games int
}

// stagedGame is a game with its moves as the database keeps them.
type stagedGame struct {
	Game  arena.Game
	Moves []byte
}

func (st *staging) remove() {
	_ = st.file.Close()
	_ = os.Remove(st.file.Name())
}

// stage reads the games of an event. The caller removes the staging, also after an
// error.
func (s *Store) stage(ctx context.Context, e *Import) (*staging, error) {
	file, err := os.CreateTemp("", "arena-import-*")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(file.Name()) // nothing is left where this process is killed; Windows removes it at the end
	st := &staging{file: file}
	out := bufio.NewWriterSize(file, 1<<20)
	enc := gob.NewEncoder(out)
	last := 0
	for g, err := range e.Games {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return st, err
		}
		if g.Number <= last {
			return st, fmt.Errorf("game %d stands after game %d", g.Number, last)
		}
		last = g.Number
		if g.Result == arena.Unplayed {
			return st, fmt.Errorf("game %d: a game without a result is not finished", g.Number)
		}
		to := stagedGame{Game: *g}
		to.Game.Moves = nil
		if to.Moves, err = s.encodeMoves(g.Moves); err != nil {
			return st, fmt.Errorf("game %d: %w", g.Number, err)
		}
		if err := enc.Encode(&to); err != nil {
			return st, err
		}
		st.games++
	}
	if err := out.Flush(); err != nil {
		return st, err
	}
	_, err = file.Seek(0, 0)
	return st, err
}

func (s *Store) importEvent(ctx context.Context, tx *sql.Tx, e *Import, st *staging, me process.Identity) error {
	h, err := s.create(ctx, tx, e.Event, e.Config, me)
	if err != nil {
		return err
	}
	w := importer{Hold: h, standings: map[string]rating.Standing{}}
	if w.game, err = tx.PrepareContext(ctx, `INSERT INTO games (event, number, round, pair, stage, game, first, second,
		opening_name, opening_position, opening_moves, result, reason, detail, blame, plies, start, wall, cpu_first, cpu_second,
		offturn_first, offturn_second, attempts, hash, rating_first, change_first, rated_first, rating_second, change_second, rated_second, options)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`); err != nil {
		return err
	}
	defer func() { _ = w.game.Close() }()
	w.moves = tx.StmtContext(ctx, s.stmt.moves)
	for _, b := range e.Event.Bots {
		w.standings[b.Name] = rating.Standing{Rating: h.elo.Start}
	}
	dec := gob.NewDecoder(bufio.NewReaderSize(st.file, 1<<20))
	for range st.games {
		var g stagedGame // anew, since decoding leaves what is not there
		if err := dec.Decode(&g); err != nil {
			return err
		}
		if err := w.write(ctx, &g); err != nil {
			return fmt.Errorf("game %d: %w", g.Game.Number, err)
		}
	}
	return w.finish(ctx, tx)
}

// importer writes the games of one event.
type importer struct {
	*Hold
	game, moves *sql.Stmt
	standings   map[string]rating.Standing // incremental Elo so far, by bot
	last        int                        // number of the last game
}

func (w *importer) write(ctx context.Context, s *stagedGame) error {
	g := &s.Game
	first, second, set, err := w.fixed(g)
	if err != nil {
		return err
	}
	blame := 0
	switch g.Blame {
	case "":
	case g.First:
		blame = 1
	case g.Second:
		blame = 2
	default:
		return fmt.Errorf("%q is blamed and does not play", g.Blame)
	}
	moves, err := decodeMoves(s.Moves)
	if err != nil {
		return err
	}
	elo, err := w.rate(g)
	if err != nil {
		return err
	}
	opening := strings.Join(g.Opening.Moves, " ")
	added, err := w.game.ExecContext(ctx, append([]any{
		w.event, g.Number, g.Round, g.Pair, g.Stage, g.Game, first, second,
		g.Opening.Name, g.Opening.Position, opening, string(g.Result), string(g.Reason), g.Detail, blame, g.Plies,
		g.Start.UnixMicro(), g.Wall.Microseconds(), g.CPU[0].Microseconds(), g.CPU[1].Microseconds(),
		g.OffTurn[0].Microseconds(), g.OffTurn[1].Microseconds(), g.Attempts,
		gameHash(first, second, g.Opening.Position, opening, moves),
	}, append(elo, set)...)...)
	if err != nil {
		return err
	}
	id, err := added.LastInsertId()
	if err != nil {
		return err
	}
	_, err = w.moves.ExecContext(ctx, id, s.Moves)
	return err
}

// rate updates the incremental Elo, as Hold.rate does after each game, and returns the
// game's columns of it.
func (w *importer) rate(g *arena.Game) ([]any, error) {
	points, ok := g.Result.Score()
	if !ok {
		return nil, fmt.Errorf("%q is no result", g.Result)
	}
	old := [2]rating.Standing{w.standings[g.First], w.standings[g.Second]}
	var now [2]rating.Standing
	now[0], now[1] = w.elo.Update(old[0], old[1], rating.Score(2*points))
	w.standings[g.First], w.standings[g.Second] = now[0], now[1]
	w.last = g.Number
	return steps(old, now), nil
}

// finish ends the event.
func (w *importer) finish(ctx context.Context, tx *sql.Tx) error {
	for bot, standing := range w.standings {
		if _, err := tx.StmtContext(ctx, w.s.stmt.setEntry).ExecContext(ctx, standing.Rating, standing.Games, w.event, w.versions[bot]); err != nil {
			return err
		}
	}
	if _, err := tx.StmtContext(ctx, w.s.stmt.setRated).ExecContext(ctx, w.last, w.event); err != nil {
		return err
	}
	if err := w.done(ctx, tx); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "DELETE FROM holds WHERE id = ?", w.id)
	return err
}
