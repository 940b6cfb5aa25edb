package schedule

import (
	"cmp"
	"slices"

	"botarena/arena"
)

// A Row is a bot's place in the standings of an event. Games without a result
// count nowhere.
type Row struct {
	Rank   int // 1-based; shared where no tie-break decides
	Bot    string
	Games  int
	Wins   int
	Draws  int
	Losses int
	Byes   int     // rounds of a Swiss event without an opponent
	Points float64 // 1 a win, 1/2 a draw; a bye counts like a pair (swap off: a game) won

	// Buchholz is the sum of the points of the bot's opponents, one for each pair
	// of games. A bye counts as an opponent with the bot's own points.
	Buchholz float64
	// SonnebornBerger is the sum over the games of the bot's score times the
	// opponent's points; a bye counts as won against the bot's own points.
	SonnebornBerger float64
	// Direct is the number of points from games with bots of equal Points.
	Direct float64

	stage int // knockout: how far it came, the winner farthest
}

// rate is the share of points in games, 0 without games; byes count as games.
func (r Row) rate(perPair int) float64 {
	n := r.Games + r.Byes*perPair
	if n == 0 {
		return 0
	}
	return r.Points / float64(n)
}

// Standings ranks the bots of an event by its games so far, in the way of its
// format:
//
//   - round robin, match: points, direct encounter, Sonneborn-Berger, wins
//   - Swiss: points, Buchholz, Sonneborn-Berger, direct encounter, wins
//   - gauntlet, ladder, where bots play unequally often: share of points, points
//   - knockout: how far a bot came, then points
//
// What is still equal stands in order of entry.
func Standings(event arena.Event, games []arena.Game) []Row {
	rows := make([]Row, len(event.Bots))
	index := map[string]int{}
	byes := byesOf(event, games)
	perPair := event.GamesPerPair()
	for i, b := range event.Bots {
		rows[i] = Row{Bot: b.Name, Byes: byes[i], Points: float64(byes[i] * perPair)}
		index[b.Name] = i
	}
	type encounter struct {
		pair     int
		bot, opp int
		score    float64
	}
	var all []encounter
	for _, g := range games {
		score, ok := g.Result.Score()
		i, known := index[g.First]
		j, knownToo := index[g.Second]
		if !ok || !known || !knownToo {
			continue
		}
		all = append(all, encounter{g.Pair, i, j, score}, encounter{g.Pair, j, i, 1 - score})
	}
	for _, e := range all {
		r := &rows[e.bot]
		r.Games++
		r.Points += e.score
		switch e.score {
		case 1:
			r.Wins++
		case 0:
			r.Losses++
		default:
			r.Draws++
		}
	}
	type meeting struct{ pair, bot int }
	met := map[meeting]bool{}
	for _, e := range all {
		r, opp := &rows[e.bot], &rows[e.opp]
		r.SonnebornBerger += e.score * opp.Points
		if r.Points == opp.Points {
			r.Direct += e.score
		}
		if k := (meeting{e.pair, e.bot}); !met[k] {
			met[k] = true
			r.Buchholz += opp.Points
		}
	}
	for i := range rows {
		r := &rows[i]
		r.Buchholz += float64(r.Byes) * r.Points
		r.SonnebornBerger += float64(r.Byes*perPair) * r.Points
	}
	compare := order(event, rows, games)
	slices.SortStableFunc(rows, compare)
	for i := range rows {
		rows[i].Rank = i + 1
		if i > 0 && compare(rows[i-1], rows[i]) == 0 {
			rows[i].Rank = rows[i-1].Rank
		}
	}
	return rows
}

// order is the comparison of the event's format, the better row first.
func order(event arena.Event, rows []Row, games []arena.Game) func(a, b Row) int {
	more := func(a, b float64) int { return cmp.Compare(b, a) }
	perPair := event.GamesPerPair()
	switch event.Format {
	case arena.FormatSwiss:
		return func(a, b Row) int {
			return cmp.Or(more(a.Points, b.Points), more(a.Buchholz, b.Buchholz),
				more(a.SonnebornBerger, b.SonnebornBerger), more(a.Direct, b.Direct), cmp.Compare(b.Wins, a.Wins))
		}
	case arena.FormatGauntlet, arena.FormatLadder:
		return func(a, b Row) int {
			return cmp.Or(more(a.rate(perPair), b.rate(perPair)), more(a.Points, b.Points))
		}
	case arena.FormatKnockout:
		stages := progress(BracketOf(event, games))
		for i := range rows {
			rows[i].stage = stages[rows[i].Bot]
		}
		return func(a, b Row) int {
			return cmp.Or(cmp.Compare(b.stage, a.stage), more(a.Points, b.Points))
		}
	}
	return func(a, b Row) int {
		return cmp.Or(more(a.Points, b.Points), more(a.Direct, b.Direct),
			more(a.SonnebornBerger, b.SonnebornBerger), cmp.Compare(b.Wins, a.Wins))
	}
}

// progress is how far each bot of a bracket came: three steps a stage, so that
// the match for third place tells its two apart.
func progress(b Bracket) map[string]int {
	far := map[string]int{}
	for i, s := range b.Stages {
		for _, m := range s.Matches {
			for _, name := range []string{m.First, m.Second} {
				if name != "" {
					far[name] = 3 * i
				}
			}
		}
	}
	if b.Winner != "" {
		far[b.Winner] += 3
	}
	if b.ThirdPlace != nil && b.ThirdPlace.Winner != "" {
		far[b.ThirdPlace.Winner]++
	}
	return far
}

// Total is the number of games of an event, as arena.Event's method says it.
func Total(event arena.Event) (games int, exact bool) { return event.Total() }

// TotalAfter is how many games to expect of an event of which so many are planned,
// up to a round: the earlier rounds of a Swiss event may have had fewer bots, and
// few matches of a knockout need tie-breaks.
func TotalAfter(event arena.Event, planned, round int) (games int, exact bool) {
	event.Knockout.TieBreaks = 0
	if event.Format == arena.FormatSwiss {
		return planned + len(event.Bots)/2*max(0, event.Rounds-round)*event.GamesPerPair(), true
	}
	return Total(event)
}
