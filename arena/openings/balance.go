package openings

import (
	"errors"
	"fmt"

	"botarena/arena"
	"botarena/engine"
)

// triesPerOpening bounds how many random openings are scored for one that is
// level enough.
const triesPerOpening = 200

// Balance finds want.Count random openings of want.Plies plies that score puts
// within want.Window centipawns of level. They depend on the game, want, the
// seed and the scores alone. The error is the scorer's, or says how many were
// found where there are too few.
func Balance(game engine.Game, want arena.Balanced, seed uint64, score Scorer) ([]arena.Opening, error) {
	if score == nil {
		return nil, errors.New("balanced openings need a bot that scores them")
	}
	source := Random(game, want.Plies, seed)
	var list []arena.Opening
	for i := 0; len(list) < want.Count && i < want.Count*triesPerOpening; i++ {
		o, err := source.Opening(i)
		if err != nil {
			return nil, err
		}
		if n := source.Len(); n > 0 && i >= n {
			break // all have been scored
		}
		s, err := score(o)
		if err != nil {
			return nil, fmt.Errorf("score an opening of %s: %w", game.Name(), err)
		}
		if max(s, -s) <= want.Window {
			list = append(list, o)
		}
	}
	if len(list) < want.Count {
		return nil, fmt.Errorf("%s: only %d of %d openings of %d plies are within %d centipawns: ask for fewer, or for a wider window",
			game.Name(), len(list), want.Count, want.Plies, want.Window)
	}
	return list, nil
}
