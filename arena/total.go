package arena

// Total returns the number of games between bots that are not withdrawn, as far as it
// is known in advance: exact is false where results decide it, and 0 means no limit.
// For a knockout it is the number when no match ends early and each takes all of its
// tie-breaks.
func (e *Event) Total() (games int, exact bool) {
	n, perPair := len(e.Playing()), e.GamesPerPair()
	switch e.Format {
	case FormatGauntlet:
		c := 0
		for i, is := range e.Challengers() {
			if is && !e.Bots[i].Withdrawn {
				c++
			}
		}
		return c * (n - c) * e.Rounds * perPair, true
	case FormatSwiss:
		return n / 2 * e.Rounds * perPair, true
	case FormatKnockout:
		matches := n - 1
		if e.Knockout.ThirdPlace && n >= 4 {
			matches++
		}
		return matches * (e.Rounds + e.Knockout.TieBreaks) * perPair, false
	case FormatLadder:
		limit := e.Ladder.Games / perPair * perPair
		return limit, e.Ladder.Games > 0 && e.Ladder.Time == 0 && e.Ladder.Width == 0
	}
	return n * (n - 1) / 2 * e.Meetings() * perPair, true
}

// Meetings returns how often each two bots meet in a round robin or a match, which has
// no cycles.
func (e *Event) Meetings() int {
	if e.Format == FormatRoundRobin {
		return e.Rounds * max(1, e.Cycles)
	}
	return e.Rounds
}

// GamesPerPair returns the number of games in one meeting of two bots.
func (e *Event) GamesPerPair() int {
	if e.Swap {
		return 2
	}
	return 1
}
