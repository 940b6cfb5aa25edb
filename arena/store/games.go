package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"botarena/arena"
)

// A Game is a recorded game with the versions of its bots.
type Game struct {
	arena.Game
	FirstVersion, SecondVersion int // numbers of the bots' versions
	// Hash is equal for games that are equal move for move: 0 without moves.
	Hash int64
}

// A Filter selects games; the zero Filter selects all.
type Filter struct {
	ID       int64        // of a game
	Event    string       // name
	Number   int          // of a game in its event
	After    int          // only games of higher numbers
	Before   int          // only games of lower numbers; 0 is all
	First    int          // only the first so many; 0 is all
	Game     string       // canonical name of the game
	Bot      string       // one of the two
	Against  string       // with Bot: the other one
	Side     Side         // with Bot: only games in which it played this side
	Faults   bool         // only games that ended by a bot's fault; with Bot: by its own
	Played   bool         // only games with a result
	Unplayed bool         // only games without
	Result   arena.Result // only games with this result
	Outcome  Outcome      // with Bot: only games that ended so for it
	Reason   arena.Reason // only games that ended for this reason
	Void     bool         // only games that had attempts which did not count
	Since    time.Time    // only games begun then or later
	Current  bool         // only games of events that are not archived
	Last     int          // only the last so many; 0 is all
	Moves    bool         // fill in Moves
	Worker   int64        // only games that this worker played
}

// A Side selects the side that the bot of a Filter played.
type Side int

// The sides.
const (
	AnySide Side = iota
	AsFirst
	AsSecond
)

// An Outcome is the result of a game for one of its bots.
type Outcome int

// The outcomes.
const (
	AnyOutcome Outcome = iota
	Won
	Drawn
	Lost
)

// result returns the result of games with this outcome for their first or second bot.
func (o Outcome) result(second bool) arena.Result {
	switch {
	case o == Drawn:
		return arena.Draw
	case (o == Won) != second:
		return arena.FirstWins
	}
	return arena.SecondWins
}

// condition is a part of a WHERE clause, all of whose terms must hold.
type condition struct {
	terms []string
	args  []any
}

func (c *condition) add(term string, args ...any) {
	c.terms, c.args = append(c.terms, term), append(c.args, args...)
}

// when adds a term if it is asked for.
func (c *condition) when(asked bool, term string, args ...any) {
	if asked {
		c.add(term, args...)
	}
}

func (c *condition) where() string {
	if len(c.terms) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(c.terms, " AND ")
}

// common returns the conditions of all games that f selects, whatever side its bot
// played.
func (f *Filter) common() (c condition) {
	const day = 24 * 60 * 60 * 1_000_000
	// Of one event, indexes have the games that ended so, in order; elsewhere they would be
	// out of order, and are not to be used.
	by := "+"
	if f.Event != "" && f.Bot == "" {
		by = ""
	}
	c.when(f.ID != 0, "g.id = ?", f.ID)
	c.when(f.Event != "", "g.event = (SELECT id FROM events WHERE name = ?)", f.Event)
	c.when(f.Number != 0, "g.number = ?", f.Number)
	c.when(f.After != 0, "g.number > ?", f.After)
	c.when(f.Worker != 0, "g.worker = ? AND g.worker <> 0", f.Worker) // as the index says
	c.when(f.Before != 0, "g.number < ?", f.Before)
	c.when(f.Faults && f.Bot == "", "g.blame <> 0")
	c.when(f.Current, "g.event IN (SELECT id FROM events WHERE NOT archived)")
	c.when(f.Game != "", "g.game = ?", f.Game)
	c.when(f.Played, "g.result <> ''")
	c.when(f.Unplayed, by+"g.result = ''")
	c.when(f.Result != arena.Unplayed, by+"g.result = ?", string(f.Result))
	// The counts tell which events need not be looked at.
	c.when(f.Reason != "", by+"g.reason = ? AND g.event IN (SELECT event FROM endings WHERE reason = ?)", string(f.Reason), string(f.Reason))
	c.when(f.Void, "g.attempts > 0 AND g.event IN (SELECT event FROM totals WHERE attempts > 0)")
	c.when(!f.Since.IsZero(), "g.result <> '' AND g.start >= ? AND g.event IN (SELECT event FROM days WHERE day >= ?)", f.Since.UnixMicro(), f.Since.UnixMicro()/day)
	return c
}

// counted is common for the counts by ending; ok is false if these do not determine the
// games that f selects.
func (f *Filter) counted() (c condition, ok bool) {
	day := f.Since.UTC().Truncate(24 * time.Hour)
	if f.ID != 0 || f.Number != 0 || f.After != 0 || f.Before != 0 || f.Worker != 0 || f.Void || !day.Equal(f.Since) {
		return c, false
	}
	plain := *f
	plain.Game, plain.Since = "", time.Time{}
	c = plain.common()
	c.when(f.Game != "", "g.event IN (SELECT id FROM events WHERE game = ?)", f.Game)
	c.when(!f.Since.IsZero(), "g.day >= ?", day.Unix()/(24*60*60))
	return c, true
}

// arms returns conditions of which exactly one holds for each game that f selects, each
// in the order of an index, so that their union need not be sorted.
func (f *Filter) arms(ctx context.Context, q querier, common func() condition) ([]condition, error) {
	if f.Bot == "" {
		return []condition{common()}, nil
	}
	versions, err := versionsOf(ctx, q, f.Bot)
	if err != nil {
		return nil, err
	}
	opponents := ""
	if f.Against != "" {
		ids, err := versionsOf(ctx, q, f.Against)
		if err != nil {
			return nil, err
		}
		opponents = idList(ids)
	}
	var arms []condition
	for _, id := range versions {
		for _, second := range []bool{false, true} {
			if f.Side == AsFirst && second || f.Side == AsSecond && !second {
				continue
			}
			c := common()
			own, other := "g.first", "g.second"
			if second {
				own, other = other, own
				if f.Side == AnySide {
					c.add("g.first NOT IN " + idList(versions)) // those are in the other arms
				}
			}
			c.add(own+" = ?", id)
			c.when(opponents != "", other+" IN "+opponents)
			c.when(f.Faults, map[bool]string{false: "g.blame = 1", true: "g.blame = 2"}[second])
			c.when(f.Outcome != AnyOutcome, "g.result = ?", string(f.Outcome.result(second)))
			arms = append(arms, c)
		}
	}
	return arms, nil
}

// idList formats numbers as a list for SQL.
func idList(ids []int64) string {
	text := make([]string, len(ids))
	for i, id := range ids {
		text[i] = fmt.Sprint(id)
	}
	return "(" + strings.Join(text, ", ") + ")"
}

func versionsOf(ctx context.Context, q querier, bot string) ([]int64, error) {
	return list(ctx, q, "SELECT v.id FROM versions v JOIN bots b ON b.id = v.bot WHERE b.name = ? ORDER BY v.id", []any{bot}, column[int64])
}

// query returns the statement that reads the games, in the order of events and numbers.
func (f *Filter) query(ctx context.Context, q querier) (text string, args []any, err error) {
	arms, err := f.arms(ctx, q, f.common)
	if err != nil || len(arms) == 0 {
		return "", nil, err
	}
	from, data := " FROM games g", "NULL"
	if f.Moves {
		from, data = from+" LEFT JOIN moves m ON m.game = g.id", "m.data"
	}
	var parts []string
	for _, c := range arms {
		ended := f.Unplayed || f.Result != arena.Unplayed || f.Reason != ""
		c.when(f.Event != "" && f.Bot == "" && ended, "g.number > 0") // as the indexes of endings say
		parts = append(parts, `SELECT g.event, g.number, g.id, g.round, g.pair, g.stage, g.game, g.first, g.second,
			g.opening_name, g.opening_position, g.opening_moves, g.result, g.reason, g.detail, g.blame, g.plies,
			g.start, g.wall, g.cpu_first, g.cpu_second, g.offturn_first, g.offturn_second, g.attempts, g.hash, g.worker, g.factor, g.options, `+data+from+c.where())
		args = append(args, c.args...)
	}
	text = strings.Join(parts, " UNION ALL ")
	if f.Last > 0 {
		return fmt.Sprintf("SELECT * FROM (%s ORDER BY 1 DESC, 2 DESC LIMIT %d) ORDER BY 1, 2", text, f.Last), args, nil
	}
	text += " ORDER BY 1, 2"
	if f.First > 0 {
		text += fmt.Sprintf(" LIMIT %d", f.First)
	}
	return text, args, nil
}

// A ReasonCount counts the games that ended for a reason, "" for those without a
// result.
type ReasonCount struct {
	Reason arena.Reason
	Games  int
}

// CountGames counts the games that f selects, by the reason for which they ended, the
// most frequent first. It reads the counts if possible, and the games themselves if
// f.ID, f.Number, f.Void or a time of day in f.Since requires that.
func (s *Store) CountGames(ctx context.Context, f Filter) ([]ReasonCount, error) {
	var list []ReasonCount
	err := s.snapshot(ctx, "count games", func(tx *sql.Tx) error {
		from, n, common := "games g", "count(*)", f.common
		if c, ok := f.counted(); ok {
			from, n = "endings g", "sum(g.games)"
			if !f.Since.IsZero() {
				from = "days g"
			}
			common = func() condition { return condition{slices.Clone(c.terms), slices.Clone(c.args)} }
		}
		arms, err := f.arms(ctx, tx, common)
		if err != nil {
			return err
		}
		sums := map[arena.Reason]int{}
		for _, c := range arms {
			err := each(ctx, tx, "SELECT g.reason, "+n+" FROM "+from+c.where()+" GROUP BY g.reason", c.args, func(rows *sql.Rows) error {
				var r ReasonCount
				if err := rows.Scan(&r.Reason, &r.Games); err != nil {
					return err
				}
				sums[r.Reason] += r.Games
				return nil
			})
			if err != nil {
				return err
			}
		}
		for reason, games := range sums {
			list = append(list, ReasonCount{reason, games})
		}
		slices.SortFunc(list, func(a, b ReasonCount) int {
			return cmp.Or(cmp.Compare(b.Games, a.Games), cmp.Compare(a.Reason, b.Reason))
		})
		return nil
	})
	return list, err
}

// Games lists the games that f selects, by event and number.
func (s *Store) Games(ctx context.Context, f Filter) ([]Game, error) {
	var list []Game
	err := s.Scan(ctx, f, func(r *Game) error {
		list = append(list, *r)
		return nil
	})
	return list, err
}

// Scan calls each for the games that f selects, by event and number and as of one
// moment, without holding them all in memory (except with Filter.Last). It stops at the
// first error of each and returns it. each may keep the game.
func (s *Store) Scan(ctx context.Context, f Filter, each func(*Game) error) error {
	var stopped error
	err := s.snapshot(ctx, "read games", func(tx *sql.Tx) error {
		return scan(ctx, tx, f, func(r *Game) error {
			stopped = each(r)
			return stopped
		})
	})
	return cmp.Or(stopped, err)
}

func scan(ctx context.Context, q querier, f Filter, yield func(*Game) error) error {
	versions, err := readVersions(ctx, q)
	if err != nil {
		return err
	}
	events, err := eventNames(ctx, q)
	if err != nil {
		return err
	}
	workers, err := workerNames(ctx, q)
	if err != nil {
		return err
	}
	text, args, err := f.query(ctx, q)
	if err != nil || text == "" {
		return err
	}
	return each(ctx, q, text, args, func(rows *sql.Rows) error {
		var (
			r                            Game
			event, first, second, worker int64
			blame                        int
			moves                        sql.RawBytes
		)
		if err := rows.Scan(&event, &r.Number, &r.ID, &r.Round, &r.Pair, &r.Stage, &r.Game.Game, &first, &second,
			&r.Opening.Name, &r.Opening.Position, (*words)(&r.Opening.Moves), &r.Result, &r.Reason, &r.Detail, &blame, &r.Plies,
			(*moment)(&r.Start), (*micros)(&r.Wall), (*micros)(&r.CPU[0]), (*micros)(&r.CPU[1]), (*micros)(&r.OffTurn[0]), (*micros)(&r.OffTurn[1]),
			&r.Attempts, &r.Hash, &worker, &r.Factor, (*options)(&r.Options), &moves); err != nil {
			return err
		}
		a, b := versions[first], versions[second]
		r.Event, r.First, r.FirstVersion, r.Second, r.SecondVersion = events[event], a.Name, a.Version, b.Name, b.Version
		r.Worker = workers[worker]
		r.Blame = blamed(blame, r.First, r.Second)
		if moves != nil {
			if r.Moves, err = decodeMoves(moves); err != nil {
				return err
			}
		}
		return yield(&r)
	})
}

// Plan calls f for each game of an event, in the order of their numbers, with the
// fields that a resumed run needs: Number, Round, Pair, Stage, First, Second, Result,
// Plies, Blame, Worker, and the Reason if a bot is to blame. f must not keep the game.
// It takes a fifth of the time of Scan.
func (s *Store) Plan(ctx context.Context, event string, f func(*arena.Game)) error {
	return s.snapshot(ctx, "read the plan of event "+event, func(tx *sql.Tx) error {
		versions, err := readVersions(ctx, tx)
		if err != nil {
			return err
		}
		workers, err := workerNames(ctx, tx)
		if err != nil {
			return err
		}
		var id, games, from, to int64
		err = tx.QueryRowContext(ctx, `SELECT e.id, n.games, (SELECT id FROM games WHERE event = e.id ORDER BY number LIMIT 1),
			(SELECT id FROM games WHERE event = e.id ORDER BY number DESC LIMIT 1)
			FROM events e JOIN totals n ON n.event = e.id WHERE e.name = ?`, event).Scan(&id, &games, &from, &to)
		if errors.Is(err, sql.ErrNoRows) {
			return nil // no games, or no event
		}
		if err != nil {
			return err
		}
		// Ids ascend with the numbers of an event: games that lie together are read as they
		// lie, which takes half the time of looking each up.
		where, args := "event = ? ORDER BY number", []any{id}
		if to-from < 4*games {
			where, args = "+event = ? AND id BETWEEN ? AND ? ORDER BY id", []any{id, from, to}
		}
		results := [...]arena.Result{1: arena.FirstWins, 5: arena.SecondWins, 9: arena.Draw, 15: ""}
		var place, round, bots, rest int64 // each column costs, and other integers more than int64
		g := arena.Game{Event: event}
		return each(ctx, tx, `SELECT (number << 32) + pair, round, stage, (first << 32) + second, iif(blame, reason, ''),
			instr('1-0 0-1 1/2-1/2', result) * (result <> '') + (blame << 4) + (plies << 8) + (worker << 40) FROM games WHERE `+where, args, func(rows *sql.Rows) error {
			if err := rows.Scan(&place, &round, &g.Stage, &bots, &g.Reason, &rest); err != nil {
				return err
			}
			g.Number, g.Round, g.Pair, g.Plies, g.Result = int(place>>32), int(round), int(place&math.MaxUint32), int(rest>>8&math.MaxUint32), results[rest&15]
			g.First, g.Second, g.Worker = versions[bots>>32].Name, versions[bots&math.MaxUint32].Name, workers[rest>>40]
			g.Blame = blamed(int(rest>>4&15), g.First, g.Second)
			f(&g)
			return nil
		})
	})
}
