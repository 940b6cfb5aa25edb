package standings

import (
	"fmt"
	"strings"

	"botarena/arena"
	"botarena/arena/listing"
	"botarena/arena/rating"
	"botarena/arena/rating/sprt"
	"botarena/arena/text"
)

// A HeadToHead holds the results of two bots against each other, from the view of the
// first.
type HeadToHead struct {
	Event       string    `json:"event,omitempty"`
	Game        string    `json:"game"`
	Bots        [2]string `json:"bots"`
	Sides       [2]string `json:"sides"` // names of the sides
	arena.Tally           // all games
	// AsFirst and AsSecond count the games in which the first bot played that side.
	AsFirst  arena.Tally `json:"as_first"`
	AsSecond arena.Tally `json:"as_second"`
	// Pairs counts pairs of games (one opening, sides swapped) by points of the
	// first bot: 0, 1/2, 1, 3/2, 2. Unpaired games are in no complete pair.
	Pairs    sprt.Pentanomial `json:"pairs"`
	Unpaired int              `json:"unpaired"`
	// WinLossPairs and DrawDrawPairs split the level pairs: a win and a loss, or two
	// draws.
	WinLossPairs  int `json:"win_loss_pairs"`
	DrawDrawPairs int `json:"draw_draw_pairs"`
	// ByPairs uses pairs as observations, which is right if there are any; ByGames
	// treats games as independent.
	ByPairs sprt.Comparison `json:"by_pairs"`
	ByGames sprt.Comparison `json:"by_games"`
	// Anytime holds the truth at all times together, of pairs if there are any, else of
	// games.
	Anytime sprt.Interval `json:"anytime"`
	// Unbiased is the valid estimate if the games are those of a test that has stopped,
	// else nil.
	Unbiased *sprt.Estimate `json:"unbiased,omitempty"`
	// Failing is the bot whose faults have stopped the match, which says nothing of
	// strength then.
	Failing string `json:"failing,omitempty"`
	// Openings in the order in which they were first played.
	Openings []OpeningTally `json:"openings"`
	// Forfeits counts the games that each bot lost by its own fault; they are losses
	// above as well.
	Forfeits [2]Forfeits `json:"forfeits"`
	// CPU is each bot's CPU time in all games, OffTurnCPU the part of it while the
	// other was to move, in seconds.
	CPU        [2]float64 `json:"cpu_seconds"`
	OffTurnCPU [2]float64 `json:"off_turn_cpu_seconds"`
	// Repeated counts the games that equal an earlier one, move for move.
	Repeated int      `json:"repeated"`
	Unplayed int      `json:"unplayed"` // planned, without a result
	Notes    []string `json:"notes"`
}

// An OpeningTally counts the games from one opening.
type OpeningTally struct {
	// Opening is its name in the book, else its position and moves; "" is the
	// game's own start.
	Opening string `json:"opening_name"`
	arena.Tally
}

// NewHeadToHead returns the results of the finished games between bots a and b; games
// of others are left out. Versions of bots have different names. sides names the sides
// of the game.
func NewHeadToHead(c *arena.Counts, a, b, game string, sides [2]string) (*HeadToHead, error) {
	h := &HeadToHead{Game: game, Bots: [2]string{a, b}, Sides: sides, Openings: []OpeningTally{}, Notes: []string{}}
	names := c.Names()
	// which tells whether games of first and second are theirs, and whether they
	// are seen from the second's side.
	which := func(first, second arena.BotVersion) (theirs, swapped bool) {
		x, y := names[first], names[second]
		return x == a && y == b || x == b && y == a, x == b
	}
	for i := range c.Endings {
		n := &c.Endings[i]
		theirs, swapped := which(n.First, n.Second)
		if !theirs {
			continue
		}
		score, played := n.Result.Score()
		if !played {
			h.Unplayed += n.Games
			continue
		}
		tally, side := &h.AsFirst, blamed(n)
		if swapped {
			tally, side, score = &h.AsSecond, 1-side, 1-score
		}
		h.Add(score, n.Games)
		tally.Add(score, n.Games)
		for i := range h.Bots {
			own := i
			if swapped {
				own = 1 - i
			}
			h.CPU[i] += n.CPU[own].Seconds()
			h.OffTurnCPU[i] += n.OffTurn[own].Seconds()
		}
		if n.Blame != "" {
			h.Forfeits[side].Add(n.Reason, n.Games)
		}
	}
	results, err := resultsOf(c, names)
	if err != nil {
		return nil, err
	}
	openings := map[string]int{}
	for i := range c.Openings {
		o := &c.Openings[i]
		theirs, swapped := which(o.A, o.B)
		if !theirs {
			continue
		}
		key := OpeningName(o.Opening)
		at, known := openings[key]
		if !known {
			at = len(h.Openings)
			openings[key] = at
			h.Openings = append(h.Openings, OpeningTally{Opening: key})
		}
		for score := range o.AsFirst {
			points := float64(score) / 2
			if swapped {
				points = 1 - points
			}
			h.Openings[at].Add(points, o.AsFirst[score]+o.AsSecond[score])
		}
	}
	pair := results.HeadToHead(a, b)
	h.Pairs, h.Unpaired, h.WinLossPairs, h.DrawDrawPairs = pair.Pairs, pair.Unpaired, pair.DrawnWon, pair.DrawnDraw
	h.ByPairs, h.ByGames = sprt.Compare(pair.Pairs), sprt.Compare(pair.Games)
	h.Anytime = anytime(pair)
	var note string
	if h.Repeated, note = repeats(c, names, a, b); note != "" {
		h.Notes = append(h.Notes, note)
	}
	return h, nil
}

// OpeningName returns the name of an opening in its book, else its position and moves;
// "" is the game's own start.
func OpeningName(o arena.Opening) string {
	if o.Name != "" {
		return o.Name
	}
	return strings.TrimSpace(o.Position + " " + strings.Join(o.Moves, " "))
}

// Comparison returns the comparison of pairs if there are any, else that of games.
func (h *HeadToHead) Comparison() sprt.Comparison { return comparison(h.ByPairs, h.ByGames) }

// anytime returns the interval of two bots' pairs if there are any, else of their games.
func anytime(h rating.HeadToHead) sprt.Interval {
	if h.Pairs != (sprt.Pentanomial{}) {
		return sprt.Anytime(h.Pairs)
	}
	return sprt.Anytime(h.Games)
}

// anytimeLine reports the Elo of a comparison's first bot with the interval that holds at
// all times, "" without an observation.
func anytimeLine(bot string, c sprt.Comparison, x sprt.Interval) string {
	if c.Observations == 0 {
		return ""
	}
	elo := ""
	if c.Elo != nil {
		elo = signed(*c.Elo) + ", "
	}
	return "Elo of " + text.Clip(bot, mostName) + " " + elo + "at all times " + between(x)
}

// between writes an interval of Elo.
func between(x sprt.Interval) string {
	switch {
	case x.Low == nil && x.High == nil:
		return "anything"
	case x.High == nil:
		return "from " + signed(*x.Low) + " up"
	case x.Low == nil:
		return "up to " + signed(*x.High)
	}
	return signed(*x.Low) + " to " + signed(*x.High)
}

// TakeEstimate sets Unbiased to the estimate of a stopped test of the two bots, if
// these are its games; nil is no test.
func (h *HeadToHead) TakeEstimate(o *SPRTOutcome) {
	if o == nil || o.Unbiased == nil {
		return
	}
	u := *o.Unbiased
	if o.HeadToHead.Bots[0] != h.Bots[0] {
		u.Elo, u.Low, u.High = -u.Elo, -u.High, -u.Low
		u.NElo, u.NEloLow, u.NEloHigh = -u.NElo, -u.NEloHigh, -u.NEloLow
	}
	h.Unbiased, h.ByPairs.Naive, h.ByGames.Naive = &u, true, true
}

// Withhold leaves out what the results of a match say of strength, where a bot's faults
// have stopped it; "" is none.
func (h *HeadToHead) Withhold(failing string) {
	if h.Failing = failing; failing == "" {
		return
	}
	for _, c := range []*sprt.Comparison{&h.ByPairs, &h.ByGames} {
		*c = sprt.Comparison{Observations: c.Observations, Score: c.Score, DrawRatio: c.DrawRatio, PairsRatio: c.PairsRatio}
	}
}

// mostOpenings is the maximum number of openings in a table.
const mostOpenings = 20

// Table returns the head-to-head as a table: the games by side and by opening, and the
// estimates below. Openings are listed if some were played in several pairs.
func (h *HeadToHead) Table() listing.Table {
	t := h.Tallies()
	if h.Games == 0 {
		t.Notes = append(t.Notes, "No game has a result yet.")
		return t
	}
	strength := strengthLine(h.Comparison(), h.ByPairs.Observations > 0)
	switch {
	case h.Failing != "":
		strength = "Note: " + failingNote(h.Failing) + "."
	case h.Unbiased != nil:
		strength = unbiasedLine(h.Unbiased)
	}
	t.Notes = append(t.Notes, strength)
	t.Notes = append(t.Notes, h.Facts()...)
	return t
}

// Tallies returns the table without the lines below it.
func (h *HeadToHead) Tallies() listing.Table {
	t := listing.Table{
		Title: h.title(),
		Columns: []listing.Column{
			{Name: h.Bots[0], Key: "games_of", Left: true},
			{Name: "Games"},
			{Name: "Wins"},
			{Name: "Draws"},
			{Name: "Losses"},
			{Name: "Score", As: listing.Percent},
		},
	}
	row := func(name string, y arena.Tally) {
		if y.Games == 0 {
			return
		}
		t.Rows = append(t.Rows, []any{name, y.Games, y.Wins, y.Draws, y.Losses, y.Share()})
	}
	row("all games", h.Tally)
	row("as "+h.Sides[0], h.AsFirst)
	row("as "+h.Sides[1], h.AsSecond)
	if h.Games > 2*len(h.Openings) && len(h.Openings) > 1 {
		for i, o := range h.Openings {
			if i == mostOpenings {
				t.Notes = append(t.Notes, fmt.Sprintf("%d more openings are in the JSON.", len(h.Openings)-i))
				break
			}
			name := o.Opening
			if name == "" {
				name = "the game's start"
			}
			row("from "+text.Clip(name, 40), o.Tally)
		}
	}
	return t
}

func (h *HeadToHead) title() string {
	return titled(h.Event, h.Game, h.Bots[0]+" - "+h.Bots[1], played(h.Games, h.Unplayed))
}

// Facts returns the lines below the table, except for that on strength.
func (h *HeadToHead) Facts() []string {
	var lines []string
	c := h.Comparison()
	if h.ByPairs.Observations > 0 {
		lines = append(lines, pairsLine(h.Pairs))
		level := fmt.Sprintf("Level pairs: %.1f%% (%d win and loss, %d two draws)", 100*c.DrawRatio, h.WinLossPairs, h.DrawDrawPairs)
		if c.PairsRatio != nil {
			level += fmt.Sprintf("; won to lost pairs: %.2f", *c.PairsRatio)
		}
		lines = append(lines, level+fmt.Sprintf("; drawn games: %.1f%%.", 100*h.ByGames.DrawRatio))
		if h.Unpaired > 0 {
			lines = append(lines, fmt.Sprintf("Note: %s in no complete pair; Elo counts complete pairs only.", games(h.Unpaired, "is", "are")))
		}
	}
	for i, f := range h.Forfeits {
		if f.Total() > 0 {
			lines = append(lines, fmt.Sprintf("Note: %s lost %s.", h.Bots[i], f))
		}
	}
	if line := h.offTurn(); line != "" {
		lines = append(lines, line)
	}
	for _, n := range h.Notes {
		lines = append(lines, "Note: "+n+".")
	}
	return lines
}

// offTurn describes the CPU time that the bots used while the other was to move, if one
// of them used at least a hundredth of its total and half a second.
func (h *HeadToHead) offTurn() string {
	told := false
	var parts []string
	for i, bot := range h.Bots {
		off, all := h.OffTurnCPU[i], h.CPU[i]
		told = told || off >= 0.5 && off >= all/100
		parts = append(parts, fmt.Sprintf("%s %.1f s of %.1f s", bot, off, max(all, off)))
	}
	if !told {
		return ""
	}
	return "Off-turn CPU: " + strings.Join(parts, ", ") + "."
}

// games counts games, with a verb for one or for more.
func games(n int, one, more string) string {
	if n == 1 {
		return "1 game " + one
	}
	return fmt.Sprintf("%d games %s", n, more)
}

// pairsLine formats pentanomial counts.
func pairsLine(p sprt.Pentanomial) string {
	return fmt.Sprintf("Pairs by points: 0: %d, ½: %d, 1: %d, 1½: %d, 2: %d.", p[0], p[1], p[2], p[3], p[4])
}

// strengthLine describes the estimated strength of the first bot.
func strengthLine(c sprt.Comparison, pairs bool) string {
	from := "game"
	if pairs {
		from = "pair"
	}
	var parts []string
	switch {
	case c.Elo != nil && c.EloError != nil:
		parts = append(parts, fmt.Sprintf("Elo %s ± %.0f", signed(*c.Elo), *c.EloError))
	case c.Elo != nil:
		parts = append(parts, fmt.Sprintf("Elo %s", signed(*c.Elo)))
		switch { // the other end is beyond all scores
		case c.Low != nil:
			parts[0] += fmt.Sprintf(" (95 %%: from %s up)", signed(*c.Low))
		case c.High != nil:
			parts[0] += fmt.Sprintf(" (95 %%: up to %s)", signed(*c.High))
		}
	case c.Low != nil:
		parts = append(parts, fmt.Sprintf("Elo at least %s (one-sided, 95 %%)", signed(*c.Low)))
	case c.High != nil:
		parts = append(parts, fmt.Sprintf("Elo at most %s (one-sided, 95 %%)", signed(*c.High)))
	}
	if c.NElo != nil && c.NEloError != nil {
		parts = append(parts, fmt.Sprintf("nElo %s ± %.0f", signed(*c.NElo), *c.NEloError))
	}
	if c.LOS != nil && c.NElo != nil { // of scores that are all the same it says little
		parts = append(parts, "LOS "+percent(c.LOS))
	}
	of := "from " + text.Plural(c.Observations, from)
	if c.EloError != nil {
		of = "95 % intervals, " + of
	}
	if c.EloError == nil {
		return fmt.Sprintf("%s, %s.", strings.Join(parts, ", "), of)
	}
	return fmt.Sprintf("%s (%s).", strings.Join(parts, ", "), of)
}
