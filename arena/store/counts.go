package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"botarena/arena"
)

// Counts are what the games of some events add up to: what tables of ratings are
// made of. Reading them takes as long for a thousand games as for a million, for
// they are kept up to date with each game.
type Counts struct {
	Events []Event // those counted, in the order in which they were created
	arena.Counts
}

// Counts returns the counts of an event, or of all events of a game (its
// canonical name); of all events where both are empty. Archived events count only
// where they are named. The error is an *UnknownEventError where there is no such
// event.
func (s *Store) Counts(ctx context.Context, event, game string) (*Counts, error) {
	var c *Counts
	err := s.snapshot(ctx, "read counts", func(tx *sql.Tx) error {
		where, args := countedEvents(event, game)
		var err error
		c = &Counts{}
		if c.Events, err = readEvents(ctx, tx, where, args...); err != nil {
			return err
		}
		if event != "" && len(c.Events) == 0 {
			return unknownEvent(ctx, tx, event)
		}
		if err := c.read(ctx, tx, where, args); err != nil {
			return err
		}
		if event != "" { // the other events are not among those counted
			for i := range c.Repeats {
				c.Repeats[i].Elsewhere = 0
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// countedEvents chooses the events e that are counted.
func countedEvents(event, game string) (where string, args []any) {
	switch {
	case event != "":
		return "WHERE e.name = ?", []any{event} // whatever its game
	case game != "":
		return "WHERE e.game = ? AND NOT e.archived", []any{game}
	}
	return "WHERE NOT e.archived", nil
}

func (c *Counts) read(ctx context.Context, tx *sql.Tx, where string, args []any) error {
	versions, err := readVersions(ctx, tx)
	if err != nil {
		return err
	}
	var (
		event         string
		first, second int64
	)
	err = each(ctx, tx, `SELECT e.name, n.first, n.second, n.result, n.reason, n.blame, n.games, n.plies,
		n.wall, n.cpu_first, n.cpu_second, n.attempts, n.offturn_first, n.offturn_second
		FROM events e JOIN tallies n ON n.event = e.id `+where+`
		ORDER BY n.event, n.first, n.second, n.result, n.reason, n.blame`, args,
		func(rows *sql.Rows) error {
			var (
				wall, cpu0, cpu1 int64
				off0, off1       int64
				blame            int
				n                arena.Ending
			)
			if err := rows.Scan(&event, &first, &second, &n.Result, &n.Reason, &blame, &n.Games, &n.Plies, &wall, &cpu0, &cpu1, &n.Attempts, &off0, &off1); err != nil {
				return err
			}
			n.Event, n.First, n.Second = event, versions[first], versions[second]
			n.Blame = blamed(blame, n.First.Name, n.Second.Name)
			n.Wall, n.CPU = time.Duration(wall)*time.Microsecond, [2]time.Duration{time.Duration(cpu0) * time.Microsecond, time.Duration(cpu1) * time.Microsecond}
			n.OffTurn = [2]time.Duration{time.Duration(off0) * time.Microsecond, time.Duration(off1) * time.Microsecond}
			c.Endings = append(c.Endings, n)
			return nil
		})
	if err != nil {
		return err
	}
	err = each(ctx, tx, "SELECT e.name, n.a, n.b, n.pattern, n.times FROM events e JOIN pairs n ON n.event = e.id "+where+" ORDER BY n.event, n.a, n.b, n.pattern", args,
		func(rows *sql.Rows) error {
			var (
				p       arena.PairCount
				pattern string
			)
			if err := rows.Scan(&event, &first, &second, &pattern, &p.Times); err != nil {
				return err
			}
			if p.AsFirst, p.AsSecond, err = readPattern(pattern); err != nil {
				return fmt.Errorf("counts of pairs are damaged in the database: %q: %w", pattern, err)
			}
			p.Event, p.A, p.B = event, versions[first], versions[second]
			c.Pairs = append(c.Pairs, p)
			return nil
		})
	if err != nil {
		return err
	}
	return each(ctx, tx, "SELECT e.name, n.first, n.second, n.games, n.repeated, n.elsewhere FROM events e JOIN repeats n ON n.event = e.id "+where+
		" ORDER BY n.event, n.first, n.second", args,
		func(rows *sql.Rows) error {
			var r arena.RepeatCount
			if err := rows.Scan(&event, &first, &second, &r.Games, &r.Repeated, &r.Elsewhere); err != nil {
				return err
			}
			r.Event, r.First, r.Second = event, versions[first], versions[second]
			c.Repeats = append(c.Repeats, r)
			return nil
		})
}

// readPattern reads losses, draws and wins of the one bot, where it moved first and where
// the other did.
func readPattern(pattern string) (asFirst, asSecond [3]int, err error) {
	n := 0
	for word := range strings.FieldsSeq(pattern) {
		x, err := strconv.Atoi(word)
		if err != nil {
			return asFirst, asSecond, err
		}
		switch {
		case n < 3:
			asFirst[n] = x
		case n < 6:
			asSecond[n-3] = x
		}
		n++
	}
	if n != 6 {
		return asFirst, asSecond, errors.New("it has not six numbers")
	}
	return asFirst, asSecond, nil
}

// blamed returns the bot that a row blames.
func blamed(blame int, first, second string) string {
	switch blame {
	case 1:
		return first
	case 2:
		return second
	}
	return ""
}

// A Period is how games are taken together over time.
type Period string

// The periods. Days and weeks are those of UTC; a week begins on Monday.
const (
	ByDay   Period = "day"
	ByWeek  Period = "week"
	ByEvent Period = "event"
)

// Periods counts the finished games of an event, or of all events of a game that
// are not archived, by period, in the order of time. Events come in the order in
// which they were created. Where by is "", it chooses days, or weeks where there
// are more than most days, and returns which.
func (s *Store) Periods(ctx context.Context, event, game string, by Period, most int) (list []arena.PeriodCount, chosen Period, err error) {
	chosen = by
	err = s.snapshot(ctx, "read counts", func(tx *sql.Tx) error {
		where, args := countedEvents(event, game)
		from := " FROM events e JOIN endings n ON n.event = e.id " + where + " AND n.result <> ''"
		if by == "" {
			var days int
			if err := tx.QueryRowContext(ctx, "SELECT count(DISTINCT n.day)"+from, args...).Scan(&days); err != nil {
				return err
			}
			if chosen = ByDay; days > most {
				chosen = ByWeek
			}
		}
		versions, err := readVersions(ctx, tx)
		if err != nil {
			return err
		}
		// Day 0, the first of 1970, was a Thursday.
		period := map[Period]string{ByDay: "n.day", ByWeek: "(n.day + 3) / 7 * 7 + 3", ByEvent: "n.event"}[chosen]
		if period == "" {
			return fmt.Errorf("period %q is not known", by)
		}
		return each(ctx, tx, "SELECT "+period+` AS p, e.name, n.first, n.second, sum(iif(n.result = '0-1', n.games, 0)),
			sum(iif(n.result = '1/2-1/2', n.games, 0)), sum(iif(n.result = '1-0', n.games, 0))`+from+" GROUP BY 1, 3, 4 ORDER BY 1, 3, 4", args,
			func(rows *sql.Rows) error {
				var (
					p             arena.PeriodCount
					day           int64
					first, second int64
				)
				if err := rows.Scan(&day, &p.Period, &first, &second, &p.Scores[0], &p.Scores[1], &p.Scores[2]); err != nil {
					return err
				}
				if chosen != ByEvent {
					p.Period = time.Unix(day*24*60*60, 0).UTC().Format(time.DateOnly)
				}
				p.First, p.Second = versions[first], versions[second]
				list = append(list, p)
				return nil
			})
	})
	return list, chosen, err
}

// Openings counts the finished games of an event by their opening, in the order
// in which these were first played. Where most came in one pair alone, as drawn
// ones do, a list of them says nothing: there it is empty.
func (s *Store) Openings(ctx context.Context, event string) ([]arena.OpeningCount, error) {
	var list []arena.OpeningCount
	err := s.snapshot(ctx, "read openings", func(tx *sql.Tx) error {
		var openings, games int
		err := tx.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM openings WHERE event = e.id),
			(SELECT coalesce(sum(played), 0) FROM totals WHERE event = e.id)
			FROM events e WHERE name = ?`, event).Scan(&openings, &games)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return unknownEvent(ctx, tx, event)
		case err != nil || games <= 2*openings:
			return err
		}
		list, _, err = readOpenings(ctx, tx, event, "")
		return err
	})
	return list, err
}

// OpeningsOf is Openings of the games of one bot, or of two against each other: none
// where most of these openings came in one pair of games alone.
func (s *Store) OpeningsOf(ctx context.Context, event, bot, other string) ([]arena.OpeningCount, error) {
	var list []arena.OpeningCount
	err := s.snapshot(ctx, "read openings", func(tx *sql.Tx) error {
		own, err := versionsOf(ctx, tx, bot)
		if err != nil {
			return err
		}
		var arms []string
		if other == "" {
			arms = []string{" AND a IN " + idList(own), " AND b IN " + idList(own) + " AND a NOT IN " + idList(own)}
		} else {
			against, err := versionsOf(ctx, tx, other)
			if err != nil {
				return err
			}
			arms = []string{" AND a IN " + idList(own) + " AND b IN " + idList(against), " AND a IN " + idList(against) + " AND b IN " + idList(own)}
		}
		games := 0
		var since, order []int
		for _, arm := range arms {
			part, first, err := readOpenings(ctx, tx, event, arm)
			if err != nil {
				return err
			}
			list, since = append(list, part...), append(since, first...)
		}
		for i := range list {
			order = append(order, i)
			for score := range list[i].AsFirst {
				games += list[i].AsFirst[score] + list[i].AsSecond[score]
			}
		}
		if games <= 2*len(list) {
			list = nil
			return nil
		}
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(since[i], since[j]) })
		sorted := make([]arena.OpeningCount, len(list))
		for i, at := range order {
			sorted[i] = list[at]
		}
		list = sorted
		return nil
	})
	return list, err
}

// readOpenings lists the openings of an event for which a term of SQL holds, with the
// lowest number of a game of each.
func readOpenings(ctx context.Context, q querier, event, and string) (list []arena.OpeningCount, since []int, err error) {
	versions, err := readVersions(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	err = each(ctx, q, `SELECT a, b, name, position, moves, losses1, draws1, wins1, losses2, draws2, wins2, since
		FROM openings WHERE event = (SELECT id FROM events WHERE name = ?)`+and+" ORDER BY since", []any{event}, func(rows *sql.Rows) error {
		var (
			a, b  int64
			o     = arena.OpeningCount{Event: event}
			moves string
			first int
		)
		x, y := &o.AsFirst, &o.AsSecond
		if err := rows.Scan(&a, &b, &o.Opening.Name, &o.Opening.Position, &moves, &x[0], &x[1], &x[2], &y[0], &y[1], &y[2], &first); err != nil {
			return err
		}
		o.A, o.B = versions[a], versions[b]
		if moves != "" {
			o.Opening.Moves = strings.Split(moves, " ")
		}
		list, since = append(list, o), append(since, first)
		return nil
	})
	return list, since, err
}
