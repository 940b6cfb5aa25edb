package standings

import (
	"fmt"

	"botarena/arena/rating"
	"botarena/arena/rating/sprt"
	"botarena/arena/text"
	"botarena/engine/nearest"
)

// An Anytime is an interval of the Elo of the first bot against the second.
type Anytime struct {
	Bots [2]string `json:"bots"`
	sprt.Interval
}

// ofTwo gives two bots the Elo of their games against each other, or of their test, in
// place of the table's.
func (lb *Leaderboard) ofTwo(results *rating.Results, t *rating.Table, s *Selection) error {
	a, b := &t.Players[0], &t.Players[1]
	h := results.HeadToHead(a.Name, b.Name)
	x := comparison(sprt.Compare(h.Pairs), sprt.Compare(h.Games))
	lb.Method, lb.pairs = OfTwo, h.Pairs != sprt.Pentanomial{}
	if s.Test == nil && s.Failing == "" && x.Observations > 0 {
		lb.Anytime = &Anytime{[2]string{a.Name, b.Name}, anytime(h)}
		if x.Score < 0.5 {
			lb.Anytime = &Anytime{[2]string{b.Name, a.Name}, lb.Anytime.Swap()}
		}
	}
	if test := s.Test; test != nil && test.Observations > 0 && s.Failing == "" {
		if x = test.Comparison; test.HeadToHead.Bots[0] != a.Name {
			a, b = b, a
		}
		if test.Unbiased != nil {
			lb.Method = AfterStop
		}
		lb.Notes = append(lb.Notes, fmt.Sprintf("Elo is that of the test, after %s", text.Plural(test.Observations, "pair")))
	}
	if s.Failing != "" {
		x = sprt.Comparison{}
		lb.Notes = append(lb.Notes, failingNote(s.Failing))
	}
	if x.NElo == nil { // scores that are all the same say little of likelihoods
		x.LOS = nil
	}
	for _, of := range []struct {
		player *rating.Player
		sprt.Comparison
	}{{a, x}, {b, swapped(x)}} {
		// The interval is not symmetric; half of its width is the error.
		p := of.player
		p.Elo, p.Error, p.LOSNext, p.Bounds, p.Component = of.Elo, of.EloError, of.LOS, nil, 0
		switch {
		case of.Elo != nil:
		case of.Low != nil:
			p.Bounds = []rating.Bound{{Kind: "lower", Elo: *of.Low, Games: p.Games}}
		case of.High != nil:
			p.Bounds = []rating.Bound{{Kind: "upper", Elo: *of.High, Games: p.Games}}
		}
	}
	t.Components = [][]string{{a.Name, b.Name}}
	if s.Anchor == nil {
		return nil
	}
	if s.Anchor.Name != a.Name {
		a, b = b, a
	}
	switch {
	case s.Anchor.Name != a.Name:
		return &rating.UnknownBotError{Name: s.Anchor.Name, Nearest: nearest.Of(s.Anchor.Name, results.Names())}
	case a.Elo == nil:
		return &rating.UnratedBotError{Name: a.Name}
	}
	*a.Elo, *b.Elo = s.Anchor.Elo, s.Anchor.Elo+*b.Elo
	return nil
}

// failingNote says why a match says nothing of strength.
func failingNote(bot string) string {
	return fmt.Sprintf("no Elo is claimed, since %s lost its last games by faults", bot)
}

// comparison returns the comparison of pairs if there are any, else that of games.
func comparison(pairs, games sprt.Comparison) sprt.Comparison {
	if pairs.Observations > 0 {
		return pairs
	}
	return games
}

// swapped returns a comparison from the view of the second bot.
func swapped(c sprt.Comparison) sprt.Comparison {
	from := func(whole float64, x *float64) *float64 {
		if x == nil {
			return nil
		}
		y := whole - *x
		return &y
	}
	return sprt.Comparison{Elo: from(0, c.Elo), EloError: c.EloError, Low: from(0, c.High), High: from(0, c.Low), LOS: from(1, c.LOS)}
}
