package live

import (
	"fmt"
	"time"

	"botarena/arena"
	"botarena/arena/openings"
	"botarena/arena/session"
	"botarena/engine"
)

// A Track plays the moves of a game as they come, and holds its positions and clocks.
type Track struct {
	// Position is the one after the moves played so far.
	Position engine.Position
	// Plies is how many of the bots' moves are played.
	Plies int

	timers *session.Timers
}

// NewTrack returns a track at the opening of a game, by the given rules.
func NewTrack(rules engine.Game, g *Game) (*Track, error) {
	pos, err := openings.After(rules, g.Opening)
	if err != nil {
		return nil, fmt.Errorf("opening of game %d: %w", g.Number, err)
	}
	return &Track{Position: pos, timers: session.NewTimers(g.Clocks)}, nil
}

// Play plays moves.
func (t *Track) Play(moves ...arena.MoveRecord) error {
	if len(moves) > 1 {
		arena.Expect(t.Position, nil, moves, false)
	}
	for i := range moves {
		m, err := t.Position.ParseMove(moves[i].Move)
		if err != nil {
			return fmt.Errorf("ply %d: %w", t.Plies+1, err)
		}
		t.timers[t.Position.Turn()].Spend(moves[i].Time)
		t.Position.Play(m)
		t.Plies++
	}
	return nil
}

// Left returns the time that a side has for its next move; timed is false if its clock
// has no time.
func (t *Track) Left(side engine.Side) (left time.Duration, timed bool) {
	own := &t.timers[side]
	return own.Allowance(), own.Timed()
}
