package standings

import (
	"strings"

	"botarena/arena"
	"botarena/arena/text"
)

// Counts holds the numbers of a bot's finished games by outcome.
type Counts struct {
	Games  int `json:"games"`
	Wins   int `json:"wins"`
	Draws  int `json:"draws"`
	Losses int `json:"losses"`
	// Score is the share of the points, 0 to 1; AsFirst and AsSecond that of the
	// games in which the bot played that side. They are nil without such games.
	Score    *float64 `json:"score"`
	AsFirst  *float64 `json:"first_score"`
	AsSecond *float64 `json:"second_score"`
	// AveragePlies is the mean length of its games, openings not counted.
	AveragePlies float64 `json:"average_plies"`
	// Forfeits are games lost by the bot's own fault.
	Forfeits Forfeits `json:"forfeits"`
}

// Forfeits counts losses by fault.
type Forfeits struct {
	Time     int `json:"time"`
	Illegal  int `json:"illegal"`
	Crash    int `json:"crash"`
	Stall    int `json:"stall"`
	Protocol int `json:"protocol"`
}

// Total returns the number of games forfeited.
func (f Forfeits) Total() int { return f.Time + f.Illegal + f.Crash + f.Stall + f.Protocol }

func (f Forfeits) plus(g Forfeits) Forfeits {
	return Forfeits{f.Time + g.Time, f.Illegal + g.Illegal, f.Crash + g.Crash, f.Stall + g.Stall, f.Protocol + g.Protocol}
}

// Add counts games that were lost for this reason; other reasons than faults
// count for nothing.
func (f *Forfeits) Add(r arena.Reason, games int) {
	switch r {
	case arena.TimeForfeit:
		f.Time += games
	case arena.IllegalMove:
		f.Illegal += games
	case arena.Crash:
		f.Crash += games
	case arena.Stall:
		f.Stall += games
	case arena.ProtocolError:
		f.Protocol += games
	}
}

// String reports how often each fault lost a game, such as "2 games on time, 1
// game by a crash".
func (f Forfeits) String() string {
	var parts []string
	for _, x := range []struct {
		n   int
		how string
	}{
		{f.Time, "on time"},
		{f.Illegal, "by an illegal move"},
		{f.Crash, "by a crash"},
		{f.Stall, "by a stall"},
		{f.Protocol, "by a protocol error"},
	} {
		if x.n > 0 {
			parts = append(parts, text.Plural(x.n, "game")+" "+x.how)
		}
	}
	return strings.Join(parts, ", ")
}

// tally gathers what Counts are computed from.
type tally struct {
	counts Counts
	points [2]float64 // by side
	games  [2]int
	plies  int
}

// count adds up the finished games of each bot. Void and unplayed games count
// for nothing.
func count(c *arena.Counts, names map[arena.BotVersion]string) map[string]*tally {
	tallies := map[string]*tally{}
	of := func(bot string) *tally {
		t := tallies[bot]
		if t == nil {
			t = &tally{}
			tallies[bot] = t
		}
		return t
	}
	for i := range c.Endings {
		n := &c.Endings[i]
		first, second := of(names[n.First]), of(names[n.Second])
		score, played := n.Result.Score()
		if !played {
			continue
		}
		first.add(0, score, n)
		second.add(1, 1-score, n)
	}
	return tallies
}

func (t *tally) add(side int, score float64, n *arena.Ending) {
	t.counts.Games += n.Games
	switch score {
	case 1:
		t.counts.Wins += n.Games
	case 0:
		t.counts.Losses += n.Games
	default:
		t.counts.Draws += n.Games
	}
	t.points[side] += score * float64(n.Games)
	t.games[side] += n.Games
	t.plies += n.Plies
	if blamed(n) == side {
		t.counts.Forfeits.Add(n.Reason, n.Games)
	}
}

// result finishes the sums.
func (t *tally) result() (c Counts, points float64) {
	if t == nil {
		return c, 0
	}
	c, points = t.counts, t.points[0]+t.points[1]
	c.Score = share(points, c.Games)
	c.AsFirst = share(t.points[0], t.games[0])
	c.AsSecond = share(t.points[1], t.games[1])
	if c.Games > 0 {
		c.AveragePlies = float64(t.plies) / float64(c.Games)
	}
	return c, points
}

func share(points float64, games int) *float64 {
	if games == 0 {
		return nil
	}
	s := points / float64(games)
	return &s
}
