package arena

import (
	"math"
	"strconv"
	"time"
)

// Gauntlet holds the format's own settings: the first Challengers bots play
// against all the others and not among themselves.
type Gauntlet struct {
	Challengers int `key:"challengers" range:"1..10000" default:"1"`
}

// Knockout holds the format's own settings.
type Knockout struct {
	ThirdPlace bool `key:"third_place"`                            // the losing semi-finalists play for third place
	TieBreaks  int  `key:"tie_breaks" range:"0..1000" default:"3"` // extra pairs played one at a time while a match is level; then the better seed goes on
}

// Ladder holds the format's own settings. It stops at whichever limit comes first.
type Ladder struct {
	Games  int           `key:"games,positive" range:"1..1000000000"` // 0: no limit
	Time   time.Duration `key:"time,positive" range:"1ns..24000h"`    // wall time of play; 0: no limit
	Width  float64       `key:"width,positive" range:"0.001..1e9"`    // stop when every 95 % interval is narrower than this many Elo (whole width); 0: never
	Choose string        `key:"choose" words:"information thompson league" default:"information"`
}

// Tune holds the format's own settings: what is tuned, and for how long. It stops at
// whichever limit comes first.
type Tune struct {
	Params []Param       `key:"params"`
	Games  int           `key:"games" range:"2..10000000" default:"20000"` // of all iterations; the step sizes depend on it
	Time   time.Duration `key:"time,positive" range:"1ns..24000h"`         // wall time of play; 0: no limit
	Pairs  int           `key:"pairs" range:"1..10000" default:"1"`        // of games, in each iteration
	// Lag is the number of iterations before an iteration whose results it does not see,
	// so that as many may be in progress. The values played depend on it.
	Lag       int     `key:"lag" range:"0..1000" default:"16"`
	Alpha     float64 `key:"alpha" range:"0.001..10" default:"0.602"`
	Gamma     float64 `key:"gamma" range:"0.001..10" default:"0.101"`
	Stability float64 `key:"stability" range:"0.0001..10" default:"0.1"` // A, as a share of the iterations
}

// A Param is an option of a bot that is tuned: see arena/rating/spsa.
type Param struct {
	Name  string  `key:"name,needed"`
	Type  string  `key:"type" words:"int float" default:"int"`
	Start float64 `key:"start,needed"`
	Min   float64 `key:"min,needed"`
	Max   float64 `key:"max,needed"`
	// Elo is the strength that is expected to be lost at half of the range from the best
	// value. The step sizes follow from it, unless CEnd and REnd give them.
	Elo  float64 `key:"elo,positive" range:"0.01..10000"`
	CEnd float64 `key:"c_end,positive" range:"1e-12..1e12"`
	REnd float64 `key:"r_end,positive" range:"1e-12..1e12"`
}

// Whole reports whether the option takes whole numbers only.
func (p *Param) Whole() bool { return p.Type != "float" }

// Text formats a value as the option is set to it.
func (p *Param) Text(value float64) string {
	if p.Whole() {
		return strconv.FormatFloat(math.Round(value), 'f', 0, 64)
	}
	const digits = 6
	return strconv.FormatFloat(value, 'g', digits, 64)
}

// ChooseLeague is the choice of pairings for bots that come and go: see arena/schedule.
const ChooseLeague = "league"

// Race holds the format's own settings.
type Race struct {
	Best bool `key:"best"` // accept the best candidate only
}

// SPRT is a sequential probability ratio test of whether the first bot of a match
// is Elo1 stronger than the second (H1) or Elo0 (H0): see arena/rating. Pairs of
// games are its observations.
type SPRT struct {
	Elo0  float64 `key:"elo0" range:"-1000..1000"`
	Elo1  float64 `key:"elo1" range:"-1000..1000" default:"5"`
	Alpha float64 `key:"alpha" default:"0.05"`                                   // chance to accept H1 at Elo0
	Beta  float64 `key:"beta" default:"0.05"`                                    // chance to accept H0 at Elo1
	Model string  `key:"model" words:"normalized logistic" default:"normalized"` // unit of Elo0 and Elo1
	// Bounds are Wald's, or nearer by how far a test passes them on average.
	Bounds string `key:"bounds,omit" words:"wald corrected" zero:"wald"`
}
