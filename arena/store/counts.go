package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"botarena/arena"
)

// Counts holds the aggregated results of some events, from which tables of ratings are
// made. Triggers keep them up to date, so reading them takes as long for a thousand
// games as for a million.
type Counts struct {
	Events []Event // those counted, in the order in which they were created
	arena.Counts
}

// Counts returns the counts of an event, or of all events of a game (its
// canonical name), or of all events if both are empty. Archived events count only
// if they are named. The error is an *UnknownEventError if there is no such event.
func (s *Store) Counts(ctx context.Context, event, game string) (*Counts, error) {
	return read(ctx, s, "read counts", func(tx *sql.Tx) (c *Counts, err error) {
		where, args := countedEvents(event, game)
		c = &Counts{}
		if c.Events, err = readEvents(ctx, tx, where, args...); err != nil {
			return nil, err
		}
		if event != "" && len(c.Events) == 0 {
			return nil, unknownEvent(ctx, tx, event)
		}
		if err := c.read(ctx, tx, where, args); err != nil {
			return nil, err
		}
		if event != "" { // the other events are not among those counted
			for i := range c.Repeats {
				c.Repeats[i].Elsewhere = 0
			}
		}
		return c, nil
	})
}

// countedEvents returns the condition that selects the events e that are counted.
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
	var first, second int64
	c.Endings, err = list(ctx, tx, `SELECT e.name, n.first, n.second, n.result, n.reason, n.blame, n.games, n.plies,
		n.wall, n.cpu_first, n.cpu_second, n.offturn_first, n.offturn_second, n.attempts
		FROM events e JOIN endings n ON n.event = e.id `+where+`
		ORDER BY n.event, n.first, n.second, n.result, n.reason, n.blame`, args,
		func(rows *sql.Rows, n *arena.Ending) error {
			blame := 0
			err := rows.Scan(&n.Event, &first, &second, &n.Result, &n.Reason, &blame, &n.Games, &n.Plies, (*micros)(&n.Wall),
				(*micros)(&n.CPU[0]), (*micros)(&n.CPU[1]), (*micros)(&n.OffTurn[0]), (*micros)(&n.OffTurn[1]), &n.Attempts)
			n.First, n.Second = versions[first], versions[second]
			n.Blame = blamed(blame, n.First.Name, n.Second.Name)
			return err
		})
	if err != nil {
		return err
	}
	c.Pairs, err = list(ctx, tx, "SELECT e.name, n.a, n.b, n.losses1, n.draws1, n.wins1, n.losses2, n.draws2, n.wins2, n.times FROM events e JOIN pairs n ON n.event = e.id "+
		where+" ORDER BY n.event, n.a, n.b, n.losses1, n.draws1, n.wins1, n.losses2, n.draws2, n.wins2", args,
		func(rows *sql.Rows, p *arena.PairCount) error {
			x, y := &p.AsFirst, &p.AsSecond
			err := rows.Scan(&p.Event, &first, &second, &x[0], &x[1], &x[2], &y[0], &y[1], &y[2], &p.Times)
			p.A, p.B = versions[first], versions[second]
			return err
		})
	if err != nil {
		return err
	}
	c.Repeats, err = list(ctx, tx, "SELECT e.name, n.first, n.second, n.games, n.repeated, n.elsewhere FROM events e JOIN repeats n ON n.event = e.id "+where+
		" ORDER BY n.event, n.first, n.second", args,
		func(rows *sql.Rows, r *arena.RepeatCount) error {
			err := rows.Scan(&r.Event, &first, &second, &r.Games, &r.Repeated, &r.Elsewhere)
			r.First, r.Second = versions[first], versions[second]
			return err
		})
	return err
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

// A Period is the unit of time by which games are grouped.
type Period string

// The periods. Days and weeks are those of UTC; a week begins on Monday.
const (
	ByDay   Period = "day"
	ByWeek  Period = "week"
	ByEvent Period = "event"
)

// Periods counts the finished games of events by period, in the order of time. Events
// come in the order in which they were created. If by is "", it chooses days, or weeks
// if there are more than most days, and returns the choice.
func (s *Store) Periods(ctx context.Context, events []string, by Period, most int) (counts []arena.PeriodCount, chosen Period, err error) {
	chosen = by
	err = s.snapshot(ctx, "read counts", func(tx *sql.Tx) error {
		names, err := json.Marshal(events)
		if err != nil {
			return err
		}
		from, args := " FROM events e JOIN days n ON n.event = e.id WHERE e.name IN (SELECT value FROM json_each(?))", []any{string(names)}
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
		counts, err = list(ctx, tx, "SELECT "+period+` AS p, e.name, n.first, n.second, sum(iif(n.result = '0-1', n.games, 0)),
			sum(iif(n.result = '1/2-1/2', n.games, 0)), sum(iif(n.result = '1-0', n.games, 0))`+from+" GROUP BY 1, 3, 4 ORDER BY 1, 3, 4", args,
			func(rows *sql.Rows, p *arena.PeriodCount) error {
				var day, first, second int64
				err := rows.Scan(&day, &p.Period, &first, &second, &p.Scores[0], &p.Scores[1], &p.Scores[2])
				if chosen != ByEvent {
					p.Period = time.Unix(day*24*60*60, 0).UTC().Format(time.DateOnly)
				}
				p.First, p.Second = versions[first], versions[second]
				return err
			})
		return err
	})
	return counts, chosen, err
}

// Openings counts the finished games of an event by their opening, in the order in
// which these were first played: those of all bots, of one, or of two against each
// other, "" for any. If most were played in one pair only, as drawn ones are, a list
// says nothing, and it is empty.
func (s *Store) Openings(ctx context.Context, event, bot, other string) ([]arena.OpeningCount, error) {
	return read(ctx, s, "read openings", func(tx *sql.Tx) ([]arena.OpeningCount, error) {
		if bot == "" {
			if err := knownEvent(ctx, tx, event); err != nil {
				return nil, err
			}
		}
		from, err := openingsOf(ctx, tx, bot, other)
		if err != nil {
			return nil, err
		}
		var openings, games int
		err = tx.QueryRowContext(ctx, "SELECT count(*), coalesce(sum(losses1 + draws1 + wins1 + losses2 + draws2 + wins2), 0) FROM "+from, event).Scan(&openings, &games)
		if err != nil || games <= 2*openings {
			return nil, err
		}
		return readOpenings(ctx, tx, event, from)
	})
}

// readOpenings lists rows of the openings of an event.
func readOpenings(ctx context.Context, q querier, event, from string) ([]arena.OpeningCount, error) {
	versions, err := readVersions(ctx, q)
	if err != nil {
		return nil, err
	}
	return list(ctx, q, "SELECT a, b, name, position, moves, losses1, draws1, wins1, losses2, draws2, wins2 FROM "+from+" ORDER BY since", []any{event},
		func(rows *sql.Rows, o *arena.OpeningCount) error {
			var a, b int64
			x, y := &o.AsFirst, &o.AsSecond
			err := rows.Scan(&a, &b, &o.Opening.Name, &o.Opening.Position, (*words)(&o.Opening.Moves), &x[0], &x[1], &x[2], &y[0], &y[1], &y[2])
			o.Event, o.A, o.B = event, versions[a], versions[b]
			return err
		})
}

const allOpenings = "SELECT * FROM openings WHERE event = (SELECT id FROM events WHERE name = ?1)"

// openingsOf returns queries for the openings of an event in which the bots play, each
// in the order of an index.
func openingsOf(ctx context.Context, q querier, bot, other string) (from string, err error) {
	if bot == "" {
		return "(" + allOpenings + ")", nil
	}
	own, err := versionsOf(ctx, q, bot)
	if err != nil {
		return "", err
	}
	ids := idList(own)
	if other == "" {
		return fmt.Sprintf("(%[1]s AND a IN %[2]s UNION ALL %[1]s AND b IN %[2]s AND a NOT IN %[2]s)", allOpenings, ids), nil
	}
	against, err := versionsOf(ctx, q, other)
	return fmt.Sprintf("(%[1]s AND a IN %[2]s AND b IN %[3]s UNION ALL %[1]s AND a IN %[3]s AND b IN %[2]s)", allOpenings, ids, idList(against)), err
}
