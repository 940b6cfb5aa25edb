package schedule

import (
	"cmp"
	"slices"

	"botarena/arena"
)

// Standings ranks the bots of an event as its format decides.
type Standings struct {
	Rows []Row // by place
	// Order names the criteria that decide the places, first to last, such as "points"
	// and "wins".
	Order   []string
	Bracket *Bracket // of a knockout, else nil
	Race    *Race    // of a race, else nil
	Round   int      // the last one with a result, where results decide pairings
}

// A Row is a bot's place in the standings of an event. Games without a result
// count nowhere.
type Row struct {
	Place       int // 1-based; shared where no tie-break decides
	Bot         string
	arena.Tally     // a bye counts in Points like a pair (swap off: a game) won
	Byes        int // rounds of a Swiss event without an opponent

	// Buchholz is the sum of the points of the bot's opponents, one for each pair
	// of games. A bye counts as an opponent with the bot's own points.
	Buchholz float64
	// SonnebornBerger is the sum over the games of the bot's score times the
	// opponent's points; a bye counts as won against the bot's own points.
	SonnebornBerger float64
	// Direct is the number of points from games with bots of equal Points.
	Direct float64
	// Reached is the last stage of a knockout that the bot came to, or "winner".
	Reached string
	// Verdict is what a race says of the bot, with the pair that decided it.
	Verdict string

	elo   *float64
	stage int // knockout: how far it came, the winner farthest; race: how long it ran
}

// Played holds the games that standings are computed from.
type Played struct {
	Counts *arena.Counts
	Games  []arena.Game          // where PairsByResults
	Elo    func(string) *float64 // of a bot by its name, nil without one
}

// criterion is one rule that decides places.
type criterion struct {
	name  string
	value func(*Row) float64 // the more the better
}

//nolint:gochecknoglobals // constant tables
var (
	byPoints          = criterion{"points", func(r *Row) float64 { return r.Points }}
	byDirect          = criterion{"direct encounter", func(r *Row) float64 { return r.Direct }}
	bySonnebornBerger = criterion{"Sonneborn-Berger", func(r *Row) float64 { return r.SonnebornBerger }}
	byBuchholz        = criterion{"Buchholz", func(r *Row) float64 { return r.Buchholz }}
	byWins            = criterion{"wins", func(r *Row) float64 { return float64(r.Wins) }}
	byStage           = criterion{"stage reached", func(r *Row) float64 { return float64(r.stage) }}
	byVerdict         = criterion{"verdict", func(r *Row) float64 { return float64(r.stage) }}
	byScore           = criterion{"score", func(r *Row) float64 { return r.Points / float64(max(1, r.Games)) }}
	byElo             = criterion{"Elo", func(r *Row) float64 {
		if r.elo == nil {
			return -1e9 // behind all that are rated
		}
		return *r.elo
	}}
)

// StandingsOf ranks the bots of an event by its games so far, in the way of its format.
// Bots that are still equal share a place, in order of entry.
func StandingsOf(event arena.Event, p Played) *Standings {
	f, _ := formatOf(event.Format)
	s := &Standings{Rows: make([]Row, len(event.Bots))}
	index := map[string]*Row{}
	perPair := event.GamesPerPair()
	for i, b := range event.Bots {
		s.Rows[i].Bot = b.Name
		if p.Elo != nil {
			s.Rows[i].elo = p.Elo(b.Name)
		}
		index[b.Name] = &s.Rows[i]
	}
	f.gather(event, p.Games, s)
	sum(p.Counts, index)
	for i := range s.Rows {
		r := &s.Rows[i]
		r.Buchholz += float64(r.Byes) * r.Points
		r.SonnebornBerger += float64(r.Byes*perPair) * r.Points
	}
	order := f.order()
	compare := func(a, b Row) int {
		for _, c := range order {
			if d := cmp.Compare(c.value(&b), c.value(&a)); d != 0 {
				return d
			}
		}
		return 0
	}
	slices.SortStableFunc(s.Rows, compare)
	for i := range s.Rows {
		s.Rows[i].Place = i + 1
		if i > 0 && compare(s.Rows[i-1], s.Rows[i]) == 0 {
			s.Rows[i].Place = s.Rows[i-1].Place
		}
	}
	for _, c := range order {
		s.Order = append(s.Order, c.name)
	}
	return s
}

// sum adds up the games of each bot.
func sum(c *arena.Counts, index map[string]*Row) {
	each := func(visit func(bot, opponent *Row, score float64, games int)) {
		for i := range c.Endings {
			n := &c.Endings[i]
			score, played := n.Result.Score()
			a, b := index[n.First.Name], index[n.Second.Name]
			if played && a != nil && b != nil {
				visit(a, b, score, n.Games)
				visit(b, a, 1-score, n.Games)
			}
		}
	}
	each(func(r, _ *Row, score float64, games int) { r.Add(score, games) })
	each(func(r, opponent *Row, score float64, games int) {
		r.SonnebornBerger += score * float64(games) * opponent.Points
		if r.Points == opponent.Points {
			r.Direct += score * float64(games)
		}
	})
	for i := range c.Pairs {
		p := &c.Pairs[i]
		if a, b := index[p.A.Name], index[p.B.Name]; a != nil && b != nil {
			a.Buchholz += float64(p.Times) * b.Points
			b.Buchholz += float64(p.Times) * a.Points
		}
	}
}
