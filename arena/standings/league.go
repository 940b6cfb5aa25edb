package standings

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/schedule"
	"botarena/arena/store"
	"botarena/engine"
	"botarena/engine/nearest"
)

// Events of a game are rated together if they name the same league, or name none and
// have the same clock. Sequential tests, tunings and archived events are excluded.

// A Scope selects which events of a game a table pools.
type Scope struct {
	Pool    string   `json:"league,omitempty"` // "" for an event by itself
	Events  []string `json:"events,omitempty"`
	Leagues []League `json:"other_leagues,omitempty"` // of the game
	LeftOut []string `json:"left_out,omitempty"`      // events with a sequential test
}

// A League is a set of events of a game that are rated together.
type League struct {
	Name   string   `json:"league"`
	Events []string `json:"events"`
	Games  int      `json:"games"` // with a result
}

// LeagueOf returns the league that an event is rated in; "" for none.
func LeagueOf(e *arena.Event) string {
	switch {
	case e.SPRT != nil || e.Format == schedule.FormatTune:
		return ""
	case e.League != "":
		return e.League
	case e.Clock == (arena.TimeControl{}):
		return "no clock"
	}
	return config.FormatClock(e.Clock)
}

// Leagues groups the events of a game: the league with the most games comes first.
// leftOut names the events that are in none.
func Leagues(events []store.Event, game string) (list []League, leftOut []string) {
	for i := range events {
		e := &events[i]
		if e.Game != game || e.Archived {
			continue
		}
		event := decode(e)
		name := LeagueOf(&event)
		if name == "" {
			leftOut = append(leftOut, e.Name)
			continue
		}
		at := slices.IndexFunc(list, func(l League) bool { return l.Name == name })
		if at < 0 {
			at = len(list)
			list = append(list, League{Name: name})
		}
		list[at].Events = append(list[at].Events, e.Name)
		list[at].Games += e.Played
	}
	slices.SortStableFunc(list, func(a, b League) int { return cmp.Compare(b.Games, a.Games) })
	return list, leftOut
}

// Together selects the games of a league; "" is the one with the most games.
func Together(ctx context.Context, s *store.Store, catalog engine.Catalog, events []store.Event, game, league string) (*Selection, error) {
	sel := &Selection{Game: game, Sides: SideNames(catalog, game), Replaced: map[string]string{}, Rated: usually()}
	list, leftOut := Leagues(events, game)
	at := slices.IndexFunc(list, func(l League) bool { return league == "" || l.Name == league })
	if at < 0 {
		if league != "" {
			return nil, unknownLeague(game, league, list)
		}
		sel.Scope.LeftOut = leftOut
		return sel, nil
	}
	sel.Scope = Scope{Pool: list[at].Name, Events: list[at].Events, LeftOut: leftOut}
	sel.Scope.Leagues = slices.Delete(list, at, at+1)
	c, err := s.Counts(ctx, "", game)
	if err != nil {
		return nil, err
	}
	in := map[string]bool{}
	for i := range events {
		if e := &events[i]; slices.Contains(sel.Scope.Events, e.Name) {
			in[e.Name] = true
			sel.replaced(decode(e))
		}
	}
	if len(in) < len(c.Events) { // what repeats a game of another event may do so of one that is left out
		for i := range c.Repeats {
			c.Repeats[i].Elsewhere = 0
		}
	}
	sel.Counts.Endings = slices.DeleteFunc(c.Endings, func(n arena.Ending) bool { return !in[n.Event] })
	sel.Counts.Pairs = slices.DeleteFunc(c.Pairs, func(n arena.PairCount) bool { return !in[n.Event] })
	sel.Counts.Repeats = slices.DeleteFunc(c.Repeats, func(n arena.RepeatCount) bool { return !in[n.Event] })
	return sel, nil
}

func unknownLeague(game, league string, list []League) error {
	var known []string
	for _, l := range list {
		known = append(known, l.Name)
	}
	what := fmt.Sprintf("%s has no league %q", game, league)
	if len(known) == 0 {
		return &ChoiceError{what + ", and no other"}
	}
	return &ChoiceError{what + "; " + nearest.Hint(league, known, "it has "+strings.Join(known, ", "))}
}

// lines names the events that a table pools, and those that it does not.
func (s *Scope) lines() []string {
	const most = 8
	some := func(names []string) string {
		if len(names) > most {
			return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
		}
		return strings.Join(names, ", ")
	}
	var lines []string
	if s.Pool != "" {
		lines = wrap("", "Events rated together ("+s.Pool+"): "+some(s.Events)+".")
	}
	if len(s.Leagues) > 0 {
		var others []string
		for _, l := range s.Leagues {
			others = append(others, l.Name)
		}
		lines = append(lines, wrap("", "Rated apart: "+some(others)+"; arena leaderboard --league NAME shows one.")...)
	}
	if len(s.LeftOut) > 0 {
		lines = append(lines, wrap("", "Tests and tunings stay out: "+some(s.LeftOut)+".")...)
	}
	return lines
}
