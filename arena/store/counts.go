package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"botarena/arena"
	"botarena/arena/rating"
)

// Counts are what the games of some events add up to: what tables of ratings are
// made of. Reading them takes as long for a thousand games as for a million, for
// they are kept up to date with each game.
type Counts struct {
	Events  []Event  // those counted, in the order in which they were created
	Endings []Ending // by event, first and second version, day
	Pairs   []PairCount
	Repeats []RepeatCount
}

// A BotVersion names one version of a bot.
type BotVersion struct {
	Name    string
	Version int // 1-based
}

// An Ending counts the games of two versions in an event that were begun on the
// same day and ended alike.
type Ending struct {
	Event         string
	First, Second BotVersion
	Day           time.Time // midnight UTC; zero without a result
	Result        arena.Result
	Reason        arena.Reason
	Blame         string // the bot at fault, "" for none
	Games         int
	Plies         int
	Wall          time.Duration
	CPU           [2]time.Duration
	Attempts      int // that did not count
}

// A PairCount counts pairs of games of an event (one opening, sides swapped) that
// came out alike. A single game, and a pair of which one game has a result, count
// as well.
type PairCount struct {
	Event    string
	A, B     BotVersion
	AsFirst  rating.Trinomial // games that A moved first in, from A's view
	AsSecond rating.Trinomial // games that B moved first in, from A's view
	Times    int
}

// A RepeatCount says how many games of an event are the same as another one, move
// for move.
type RepeatCount struct {
	Event         string
	First, Second BotVersion
	Games         int // with moves
	Repeated      int // of which are the same as an earlier one of the event
	// Elsewhere counts those of the rest that are the same as one of another
	// event. Only its sum over all events of a game says something.
	Elsewhere int
}

// Counts returns the counts of an event, or of all events of a game (its
// canonical name); of all there are where both are empty. The error is an
// *UnknownEventError where there is no such event.
func (s *Store) Counts(ctx context.Context, event, game string) (*Counts, error) {
	var c *Counts
	err := s.snapshot(ctx, "read counts", func(tx *sql.Tx) error {
		where, args := "", []any{}
		switch {
		case event != "":
			where, args = "WHERE e.name = ?", []any{event}
		case game != "":
			where, args = "WHERE e.game = ?", []any{game}
		}
		var err error
		c = &Counts{}
		if c.Events, err = readEvents(ctx, tx, where, args...); err != nil {
			return err
		}
		if event != "" && len(c.Events) == 0 {
			return unknownEvent(ctx, tx, event)
		}
		return c.read(ctx, tx, where, args)
	})
	if err != nil {
		return nil, err
	}
	return c, nil
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
	err = each(ctx, tx, `SELECT e.name, n.first, n.second, n.day, n.result, n.reason, n.blame, n.games, n.plies, n.wall, n.cpu_first, n.cpu_second, n.attempts
		FROM events e JOIN endings n ON n.event = e.id `+where+" ORDER BY n.event, n.first, n.second, n.day, n.result, n.reason, n.blame", args,
		func(rows *sql.Rows) error {
			var (
				day, wall, cpu0, cpu1 int64
				blame                 int
				n                     Ending
			)
			if err := rows.Scan(&event, &first, &second, &day, &n.Result, &n.Reason, &blame, &n.Games, &n.Plies, &wall, &cpu0, &cpu1, &n.Attempts); err != nil {
				return err
			}
			n.Event, n.First, n.Second = event, versions[first], versions[second]
			n.Blame = blamed(blame, n.First.Name, n.Second.Name)
			if n.Result != arena.Unplayed {
				n.Day = time.Unix(day*24*60*60, 0).UTC()
			}
			n.Wall, n.CPU = time.Duration(wall)*time.Microsecond, [2]time.Duration{time.Duration(cpu0) * time.Microsecond, time.Duration(cpu1) * time.Microsecond}
			c.Endings = append(c.Endings, n)
			return nil
		})
	if err != nil {
		return err
	}
	err = each(ctx, tx, "SELECT e.name, n.a, n.b, n.pattern, n.times FROM events e JOIN pairs n ON n.event = e.id "+where+" ORDER BY n.event, n.a, n.b, n.pattern", args,
		func(rows *sql.Rows) error {
			var (
				p       PairCount
				pattern string
			)
			if err := rows.Scan(&event, &first, &second, &pattern, &p.Times); err != nil {
				return err
			}
			x, y := &p.AsFirst, &p.AsSecond
			if _, err := fmt.Sscan(pattern, &x[0], &x[1], &x[2], &y[0], &y[1], &y[2]); err != nil {
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
			var r RepeatCount
			if err := rows.Scan(&event, &first, &second, &r.Games, &r.Repeated, &r.Elsewhere); err != nil {
				return err
			}
			r.Event, r.First, r.Second = event, versions[first], versions[second]
			c.Repeats = append(c.Repeats, r)
			return nil
		})
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
