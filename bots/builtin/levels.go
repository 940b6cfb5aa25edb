package builtin

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
)

// OptionLevel is the option that has minimax play at a level, 0 being its full
// strength.
const OptionLevel = "Level"

// Levels is the number of levels.
const Levels = 10

// A Level is how minimax plays at one: by nodes, so that it plays the same on every
// machine and with every clock, and at the bottom with a share of random moves.
type Level struct {
	Nodes  int64
	Random int // per cent of the moves
}

// LevelsOf lists the levels of a game by its name, level 1 first. They are set so that
// neighbours are 50 to 200 Elo apart; bots/calibrate measures it.
func LevelsOf(game string) [Levels]Level {
	family, _, _ := strings.Cut(game, ":")
	switch family {
	case "owlman":
		return [Levels]Level{{6, 45}, {6, 0}, {9, 0}, {13, 0}, {19, 0}, {38, 0}, {80, 0}, {150, 0}, {400, 0}, {900, 0}}
	case "outwit":
		return [Levels]Level{{30, 91}, {30, 76}, {30, 60}, {36, 44}, {60, 10}, {105, 0}, {160, 0}, {330, 0}, {590, 0}, {1000, 0}}
	case "chess":
		return [Levels]Level{{30, 85}, {30, 60}, {30, 25}, {30, 0}, {38, 0}, {50, 0}, {75, 0}, {110, 0}, {170, 0}, {260, 0}}
	}
	return [Levels]Level{{7, 0}, {12, 0}, {16, 0}, {22, 0}, {30, 0}, {45, 0}, {68, 0}, {110, 0}, {190, 0}, {420, 0}}
}

// A Rating is what a bot, or minimax at a level, was rated in a pool of the built-in
// bots, by games of arena's own.
type Rating struct {
	Bot   string // a name of All
	Level int    // 0 for the bot at what the pool's clock gives it
	Elo   float64
	Error float64 // half of the 95 % interval
	Games int
}

// ratings is made by bots/calibrate.
//
//go:embed ratings.json
var ratings []byte

// Ratings lists the pool of a game by its name, the strongest first; none where the
// game has not been calibrated.
func Ratings(game string) ([]Rating, error) {
	pools := map[string][]Rating{}
	if err := json.Unmarshal(ratings, &pools); err != nil {
		return nil, fmt.Errorf("the ratings of the built-in bots: %w", err)
	}
	return pools[game], nil
}
