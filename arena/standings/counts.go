package standings

import (
	"strings"

	"botarena/arena"
	"botarena/arena/text"
)

// Counts holds the numbers of a bot's finished games.
type Counts struct {
	arena.Tally
	// Score is the share of the points, 0 to 1; AsFirst and AsSecond that of the
	// games in which the bot played that side. They are nil without such games.
	Score    *float64 `json:"score"`
	AsFirst  *float64 `json:"first_score"`
	AsSecond *float64 `json:"second_score"`
	// AveragePlies is the mean length of its games in plies, without openings.
	AveragePlies float64 `json:"average_plies"`
	// Forfeits counts the games lost by the bot's own fault.
	Forfeits Forfeits `json:"forfeits"`

	side  [2]arena.Tally
	plies int
}

// count adds up the finished games of each bot, including bots without any. Void and
// unplayed games do not count.
func count(c *arena.Counts, names map[arena.BotVersion]string) map[string]*Counts {
	all := map[string]*Counts{}
	for i := range c.Endings {
		n := &c.Endings[i]
		score, played := n.Result.Score()
		for side, bot := range []string{names[n.First], names[n.Second]} {
			of := all[bot]
			if of == nil {
				of = &Counts{}
				all[bot] = of
			}
			if !played {
				continue
			}
			if side == 1 {
				score = 1 - score
			}
			of.Add(score, n.Games)
			of.side[side].Add(score, n.Games)
			of.plies += n.Plies
			if blamed(n) == side {
				of.Forfeits.Add(n.Reason, n.Games)
			}
		}
	}
	for _, of := range all {
		of.Score, of.AsFirst, of.AsSecond = of.Share(), of.side[0].Share(), of.side[1].Share()
		if of.Games > 0 {
			of.AveragePlies = float64(of.plies) / float64(of.Games)
		}
	}
	return all
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

// Add counts games that were lost for this reason; reasons that are not faults are
// ignored.
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
