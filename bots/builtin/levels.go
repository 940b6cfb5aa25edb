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
	Random int `json:",omitzero"` // per cent of the moves
}

// LevelsOf lists the levels of a game by its name, level 1 first. They are set so that
// neighbours are 50 to 200 Elo apart; cmd/calibrate measures it.
func LevelsOf(game string) [Levels]Level {
	switch game { // what has levels of its own: the same ones would be other steps there
	case "owlman:daybreak": // the same nodes are worth less at the bottom there
		return [Levels]Level{{9, 0}, {11, 0}, {14, 0}, {21, 0}, {40, 0}, {85, 0}, {150, 0}, {270, 0}, {500, 0}, {900, 0}}
	case "outwit:jump":
		return [Levels]Level{{6, 89}, {6, 78}, {6, 63}, {6, 46}, {6, 22}, {6, 0}, {8, 0}, {11, 0}, {16, 0}, {25, 0}}
	case "outwit:push":
		return [Levels]Level{{30, 92}, {30, 83}, {30, 72}, {30, 58}, {32, 34}, {34, 0}, {85, 0}, {190, 0}, {410, 0}, {900, 0}}
	}
	family, _, _ := strings.Cut(game, ":")
	switch family {
	case "owlman":
		return [Levels]Level{{6, 32}, {7, 0}, {11, 0}, {19, 0}, {30, 0}, {58, 0}, {105, 0}, {200, 0}, {440, 0}, {900, 0}}
	case "outwit":
		return [Levels]Level{{30, 95}, {30, 87}, {30, 75}, {32, 61}, {38, 34}, {50, 0}, {115, 0}, {290, 0}, {620, 0}, {1200, 0}}
	case "chess":
		return [Levels]Level{{30, 82}, {30, 63}, {30, 42}, {30, 23}, {30, 5}, {35, 0}, {46, 0}, {58, 0}, {72, 0}, {100, 0}}
	}
	return [Levels]Level{{5, 0}, {8, 0}, {13, 0}, {19, 0}, {27, 0}, {36, 0}, {48, 0}, {62, 0}, {80, 0}, {105, 0}}
}

// A Rating is what a bot, or minimax at a level, was rated in a pool of the built-in
// bots, by games of arena's own.
type Rating struct {
	Bot   string // a name of All
	Level int    // 0 for random and greedy, which have none
	At    Level  `json:",omitzero"` // what the level was when it was rated
	Elo   float64
	Error float64 // half of the 95 % interval
	Games int
}

// ratings is made by cmd/calibrate.
//
//go:embed ratings.json
var ratings []byte

// Ratings lists the pool of a game by its name, the strongest first; none if the
// game has not been calibrated.
func Ratings(game string) ([]Rating, error) {
	pools := map[string][]Rating{}
	if err := json.Unmarshal(ratings, &pools); err != nil {
		return nil, fmt.Errorf("the ratings of the built-in bots: %w", err)
	}
	return pools[game], nil
}
