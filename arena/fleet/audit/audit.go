// Package audit looks for workers of a fleet whose games are not like those of the
// others: pure functions of counts.
//
// # What it can find, and what not
//
// [Residuals] compares how each bot fared at one worker with how it fared against the
// same opponents elsewhere. It finds a worker that favours or harms a bot: with n pairs
// played there, a shift of about 3.3/sqrt(n) standard deviations of a pair (of about half
// a point) reaches P = 0.001, so some 40 pairs show a bot that scores a quarter less.
// [Late] finds a machine that answers late.
//
// Neither finds smaller shifts, a worker that harms all bots alike in all pairings, one
// that plays legal moves of its own choice and keeps the results level, nor anything
// where no other worker has played the same pairings.
package audit

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/combin"
)

// A Score counts the results of two bots' pairs of games at one worker.
type Score struct {
	Worker string
	A, B   string
	Of     int    // games of each pair that the worker played
	Counts [3]int // pairs that A lost, that were level, and that A won, by points
	Games  int
	Late   [2]int // games that A and that B lost on time
}

// A Finding compares how a bot fared at a worker with how it fared elsewhere.
type Finding struct {
	Event  string `json:"event"`  // for whoever looks at several
	Worker string `json:"worker"` // "" for the machine that runs the event
	Bot    string `json:"bot"`    // "" for all bots of the worker together
	Games  int    `json:"games"`
	// Pairs counts the bot's pairs in pairings that others played as well, Points is
	// what it scored in them, from 0 to 1 a pair, and Expected what it scores
	// elsewhere.
	Pairs    int     `json:"pairs"`
	Points   float64 `json:"points"`
	Expected float64 `json:"expected"`
	// P is the probability of a deviation at least this large at a worker that plays as
	// the others do. It is corrected for the number of bots (Bonferroni), so that one
	// level holds for a worker, however many bots it played; 1 where there is too
	// little to compare. That of all bots together is the smallest one.
	P float64 `json:"p"`
	// Late counts the games that the bot lost on time here, and PLate is the
	// probability of so many: see [Late].
	Late  int     `json:"time_losses"`
	PLate float64 `json:"p_late"`
}

// leastPairs is the minimum number of pairs here, and elsewhere, for the normal
// approximation to hold.
const leastPairs = 5

// Residuals compares each bot's results at each worker with those elsewhere, by the
// stratified mean score test (Mantel 1963, Chi-square tests with one degree of freedom;
// Agresti, Categorical Data Analysis, 7.5.3): a stratum is an opponent, and in each the
// worker's pairs are a random draw from all pairs played. All pairs are seen from the
// bot's side, so that what a worker does to a bot adds up over its opponents. Pairs are
// given to workers as these become free, not by who plays, so that honest workers meet
// all alike. Pairs are counted and not games: the games of a pair start from one
// opening and depend on each other.
//
// The findings are in the order of P, the most suspicious first.
func Residuals(scores []Score) []Finding {
	sums := map[[2]string]*moments{} // by worker and bot
	strata := map[stratum]map[string][3]int{}
	games, late := tally{}, tally{}
	for _, s := range scores {
		for i, bot := range [2]string{s.A, s.B} {
			counts, opponent := s.Counts, s.B
			if i == 1 {
				slices.Reverse(counts[:])
				opponent = s.A
			}
			at := stratum{bot, opponent, s.Of}
			if strata[at] == nil {
				strata[at] = map[string][3]int{}
			}
			strata[at][s.Worker] = add(strata[at][s.Worker], counts)
			games.add(s.Worker, bot, s.Games)
			late.add(s.Worker, bot, s.Late[i])
			sums[[2]string{s.Worker, bot}] = &moments{}
		}
		games.add(s.Worker, "", s.Games)
		late.add(s.Worker, "", s.Late[0]+s.Late[1])
		sums[[2]string{s.Worker, ""}] = &moments{}
	}
	for at, workers := range strata {
		var all [3]int
		for _, counts := range workers {
			all = add(all, counts)
		}
		for worker, counts := range workers {
			sums[[2]string{worker, at.bot}].add(counts, all)
		}
	}
	bots := map[string]int{}
	for of := range sums {
		if of[1] != "" {
			bots[of[0]]++
		}
	}
	least := map[string]float64{}
	var list []Finding
	for of, m := range sums {
		worker, bot := of[0], of[1]
		f := Finding{
			Worker: worker, Bot: bot, Games: games[of], Pairs: m.pairs, Points: m.points, Expected: m.expected,
			P: min(1, m.p()*float64(max(1, bots[worker]))), Late: late[of],
			PLate: Late(late[of], games[of], late.elsewhere(of), games.elsewhere(of)),
		}
		if before, ok := least[worker]; !ok || f.P < before {
			least[worker] = f.P
		}
		list = append(list, f)
	}
	for i := range list {
		if f := &list[i]; f.Bot == "" {
			f.P = least[f.Worker]
		}
	}
	slices.SortFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.P, b.P), cmp.Compare(a.Worker, b.Worker), cmp.Compare(a.Bot, b.Bot))
	})
	return list
}

// A stratum holds the pairs of a bot with one opponent at one worker.
type stratum struct {
	bot, opponent string
	of            int
}

// A tally counts by worker and bot.
type tally map[[2]string]int

func (t tally) add(worker, bot string, n int) { t[[2]string{worker, bot}] += n }

// elsewhere sums up what the other workers counted of the same bot.
func (t tally) elsewhere(of [2]string) (n int) {
	for other, count := range t {
		if other[1] == of[1] && other[0] != of[0] {
			n += count
		}
	}
	return n
}

// moments are the sums of a bot's results at one worker over its opponents.
type moments struct {
	pairs, others    int
	points, expected float64
	variance         float64
}

// add adds a stratum: the worker's pairs, and those of all workers.
func (m *moments) add(own, all [3]int) {
	n, total := size(own), size(all)
	if n == total {
		return // nobody else played this pairing
	}
	mean := points(all) / float64(total)
	squares := 0.0 // of the distances from the mean
	for i, count := range all {
		d := float64(i)/2 - mean
		squares += float64(count) * d * d
	}
	m.pairs, m.others = m.pairs+n, m.others+total-n
	m.points += points(own)
	m.expected += float64(n) * mean
	m.variance += float64(n) * float64(total-n) / float64(total) / float64(total-1) * squares
}

// p returns the probability of points at least as far from the expected ones.
func (m *moments) p() float64 {
	if m.pairs < leastPairs || m.others < leastPairs || m.variance == 0 {
		return 1
	}
	return math.Erfc(math.Abs(m.points-m.expected) / math.Sqrt(2*m.variance))
}

func add(a, b [3]int) [3]int  { return [3]int{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
func size(a [3]int) int       { return a[0] + a[1] + a[2] }
func points(a [3]int) float64 { return float64(a[1])/2 + float64(a[2]) }

// Late returns the probability that a worker like the others loses at least so many of
// its games on time: Fisher's exact test, one-sided (Agresti, Categorical Data
// Analysis, 3.5), so that false alarms are no more frequent than the chance says,
// however few games the others have played. A small one indicates a machine that
// answers late.
func Late(lost, games, othersLost, othersGames int) float64 {
	all, allLost := games+othersGames, lost+othersLost
	if lost == 0 || othersGames == 0 {
		return 1
	}
	ways := combin.LogGeneralizedBinomial(float64(all), float64(allLost))
	p := 0.0
	for k := lost; k <= min(allLost, games) && allLost-k <= othersGames; k++ {
		p += math.Exp(combin.LogGeneralizedBinomial(float64(games), float64(k)) +
			combin.LogGeneralizedBinomial(float64(othersGames), float64(allLost-k)) - ways)
	}
	return min(p, 1)
}
