package arena

import (
	"strconv"
	"strings"
	"time"
)

// Counts holds aggregated results: everything that rating tables need, at a size that
// does not depend on the number of games.
type Counts struct {
	Endings []Ending
	Pairs   []PairCount
	Repeats []RepeatCount
	// Openings in the order in which they were first played: only where they were
	// asked for, since there may be as many as there are pairs.
	Openings []OpeningCount
}

// A BotVersion names one version of a bot.
type BotVersion struct {
	Name    string
	Version int // 1-based
}

// An Ending counts the games of two versions in an event that ended alike.
type Ending struct {
	Event         string
	First, Second BotVersion
	Result        Result
	Reason        Reason
	Blame         string // the bot at fault, "" for none
	Games         int
	Plies         int
	Wall          time.Duration
	CPU           [2]time.Duration
	OffTurn       [2]time.Duration // of CPU, while the other side was to move
	Attempts      int              // that did not count
}

// A PairCount counts the pairs of games of an event (one opening, sides swapped) with
// equal results. A single game, and a pair with one finished game, count as well.
type PairCount struct {
	Event    string
	A, B     BotVersion
	AsFirst  [3]int // losses, draws and wins of A where it moved first
	AsSecond [3]int // and where B did
	Times    int
}

// A RepeatCount counts the games that repeat another one, move for move.
type RepeatCount struct {
	Event         string
	First, Second BotVersion
	Games         int // with moves
	Repeated      int // of which are the same as an earlier one of the event
	// Elsewhere counts those of the rest that are the same as one of another event
	// among those counted: its sum over all events says something, a single one
	// does not.
	Elsewhere int
}

// An OpeningCount counts the finished games of two bots from one opening.
type OpeningCount struct {
	Event    string
	A, B     BotVersion
	Opening  Opening
	AsFirst  [3]int // losses, draws and wins of A where it moved first
	AsSecond [3]int // and where B did
}

// A PeriodCount counts the finished games of two versions that were begun in a
// period.
type PeriodCount struct {
	Period        string // the day or the last day of the week, such as 2026-01-31, or the event
	First, Second BotVersion
	Scores        [3]int // losses, draws and wins of First
}

// Played returns how many games have a result.
func (c *Counts) Played() int {
	n := 0
	for i := range c.Endings {
		if c.Endings[i].Result != Unplayed {
			n += c.Endings[i].Games
		}
	}
	return n
}

// Names returns a unique name for each version that has a game: the bot's name, with
// the version's number appended if several versions have games. A bot whose own name
// looks like that keeps it.
func (c *Counts) Names() map[BotVersion]string {
	names := map[BotVersion]string{}
	for i := range c.Endings {
		names[c.Endings[i].First], names[c.Endings[i].Second] = "", ""
	}
	NameVersions(names)
	return names
}

// NameVersions names the versions that are the keys of names, as [Counts.Names]
// does.
func NameVersions(names map[BotVersion]string) {
	versions := map[string]map[int]bool{}
	for v := range names {
		if versions[v.Name] == nil {
			versions[v.Name] = map[int]bool{}
		}
		versions[v.Name][v.Version] = true
		names[v] = v.Name
	}
	for v := range names {
		if len(versions[v.Name]) < 2 {
			continue
		}
		names[v] = VersionName(v.Name, strconv.Itoa(v.Version), func(name string) bool { return versions[name] != nil })
	}
}

// VersionName returns the name of a version where several are listed: "mine v2". taken
// reports whether another bot has that name, which then keeps it.
func VersionName(bot, version string, taken func(string) bool) string {
	name := bot + " v" + version
	for taken(name) {
		name += "'"
	}
	return name
}

// A Counter adds up games one by one. The zero value is ready to use.
type Counter struct {
	counts   Counts
	endings  map[Ending]int // place in counts, by what tells endings apart
	pairs    []PairCount    // each pair by itself
	pairAt   map[pairKey]int
	repeatAt map[RepeatCount]int
	openAt   map[openingKey]int
	seen     map[int64]map[string]bool // events by hash
}

type pairKey struct {
	event string
	pair  int
	a, b  BotVersion
}

type openingKey struct {
	event                 string
	a, b                  BotVersion
	name, position, moves string
}

// Add counts a game between these versions of its bots. hash is the same for
// games that are the same move for move, 0 for one without moves.
func (c *Counter) Add(g *Game, first, second int, hash int64) {
	if c.endings == nil {
		*c = Counter{
			endings: map[Ending]int{}, pairAt: map[pairKey]int{}, repeatAt: map[RepeatCount]int{},
			openAt: map[openingKey]int{}, seen: map[int64]map[string]bool{},
		}
	}
	a, b := BotVersion{g.First, first}, BotVersion{g.Second, second}
	key := Ending{Event: g.Event, First: a, Second: b, Result: g.Result, Reason: g.Reason, Blame: g.Blame}
	score, played := g.Result.Score()
	n := place(c.endings, key, &c.counts.Endings, key)
	n.Games++
	n.Plies += g.Plies
	n.Wall += g.Wall
	n.CPU[0] += g.CPU[0]
	n.CPU[1] += g.CPU[1]
	n.OffTurn[0] += g.OffTurn[0]
	n.OffTurn[1] += g.OffTurn[1]
	n.Attempts += g.Attempts
	if !played {
		return
	}
	if hash != 0 {
		r := RepeatCount{Event: g.Event, First: a, Second: b}
		c.repeat(place(c.repeatAt, r, &c.counts.Repeats, r), g.Event, hash)
	}
	swapped := b.Name < a.Name || b.Name == a.Name && b.Version < a.Version
	if swapped {
		a, b, score = b, a, 1-score
	}
	p := place(c.pairAt, pairKey{g.Event, g.Pair, a, b}, &c.pairs, PairCount{Event: g.Event, A: a, B: b, Times: 1})
	o := place(c.openAt, openingKey{g.Event, a, b, g.Opening.Name, g.Opening.Position, strings.Join(g.Opening.Moves, " ")},
		&c.counts.Openings, OpeningCount{Event: g.Event, A: a, B: b, Opening: g.Opening})
	if swapped {
		p.AsSecond[int(2*score)]++
		o.AsSecond[int(2*score)]++
	} else {
		p.AsFirst[int(2*score)]++
		o.AsFirst[int(2*score)]++
	}
}

func (c *Counter) repeat(r *RepeatCount, event string, hash int64) {
	r.Games++
	switch before := c.seen[hash]; {
	case before[event]:
		r.Repeated++
	case before != nil:
		r.Elsewhere++
	default:
		c.seen[hash] = map[string]bool{}
	}
	c.seen[hash][event] = true
}

// place returns the element of the list under a key, a new one if there is none.
func place[K comparable, T any](at map[K]int, key K, list *[]T, fresh T) *T {
	i, ok := at[key]
	if !ok {
		i = len(*list)
		at[key] = i
		*list = append(*list, fresh)
	}
	return &(*list)[i]
}

// Counts returns the counts of the games so far, in the order of the first game
// of each.
func (c *Counter) Counts() *Counts {
	out := c.counts
	out.Pairs = nil
	at := map[PairCount]int{}
	for _, p := range c.pairs {
		alike := p
		alike.Times = 0
		place(at, alike, &out.Pairs, alike).Times++
	}
	return &out
}

// A Tally counts games by their outcome for one bot.
type Tally struct {
	Games  int     `json:"games"`
	Wins   int     `json:"wins"`
	Draws  int     `json:"draws"`
	Losses int     `json:"losses"`
	Points float64 `json:"points"` // 1 a win, 1/2 a draw
}

// Add counts so many games with this score.
func (t *Tally) Add(score float64, games int) {
	t.Games += games
	t.Points += score * float64(games)
	switch score {
	case 1:
		t.Wins += games
	case 0:
		t.Losses += games
	default:
		t.Draws += games
	}
}

// Plus returns the sum of t and u.
func (t Tally) Plus(u Tally) Tally {
	return Tally{t.Games + u.Games, t.Wins + u.Wins, t.Draws + u.Draws, t.Losses + u.Losses, t.Points + u.Points}
}

// Share returns the share of the points, from 0 to 1; nil without games.
func (t Tally) Share() *float64 {
	if t.Games == 0 {
		return nil
	}
	s := t.Points / float64(t.Games)
	return &s
}
