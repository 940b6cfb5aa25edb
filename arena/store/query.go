package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"botarena/arena"
	"botarena/engine"
)

// A State is how far an event is.
type State string

// The states.
const (
	Planned  State = "planned" // no game has a result
	Running  State = "running"
	Finished State = "finished"
)

// An Event is one event's row of the record.
type Event struct {
	ID       int64
	Name     string
	Game     string
	Format   arena.Format
	State    State
	Config   []byte // canonical text of its configuration
	Created  time.Time
	Finished time.Time     // zero while it is not
	PlayTime time.Duration // over all runs
	Elo      arena.Elo
	Games    int // planned, played or not
	Played   int // with a result
	Voids    int // attempts that did not count
	Holder   *Holder
	Entries  []Entry // in the order of the configuration
}

// An Entry is a bot in an event, with its incremental Elo.
type Entry struct {
	Name        string
	Version     int // 1-based number of the bot's version
	Fingerprint string
	Label       string  // the version's own name, where it has one
	Rating      float64 // after the last game in schedule order that is rated
	Rated       int     // games that count in Rating
}

const selectEvents = `SELECT e.id, e.name, e.game, e.format, e.state, e.config, e.created, e.finished, e.played,
	e.elo_start, e.elo_k0, e.elo_kmin, e.elo_n0, count(g.id), coalesce(sum(g.result <> ''), 0), coalesce(sum(g.attempts), 0)
	FROM events e LEFT JOIN games g ON g.event = e.id `

// Events lists all events in the order in which they were created.
func (s *Store) Events(ctx context.Context) ([]Event, error) {
	return s.events(ctx, selectEvents+"GROUP BY e.id ORDER BY e.id")
}

// Event returns one event. The error is an *UnknownEventError where there is
// none of that name.
func (s *Store) Event(ctx context.Context, name string) (*Event, error) {
	list, err := s.events(ctx, selectEvents+"WHERE e.name = ? GROUP BY e.id", name)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, s.unknownEvent(ctx, name)
	}
	return &list[0], nil
}

func (s *Store) events(ctx context.Context, query string, args ...any) ([]Event, error) {
	rows, err := s.read.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, s.explain("read events", err)
	}
	defer func() { _ = rows.Close() }()
	var list []Event
	for rows.Next() {
		var (
			e                         Event
			created, finished, played int64
		)
		if err := rows.Scan(&e.ID, &e.Name, &e.Game, &e.Format, &e.State, &e.Config, &created, &finished, &played,
			&e.Elo.Start, &e.Elo.K0, &e.Elo.KMin, &e.Elo.N0, &e.Games, &e.Played, &e.Voids); err != nil {
			return nil, s.explain("read events", err)
		}
		e.Created, e.Finished, e.PlayTime = moment(created), moment(finished), time.Duration(played)*time.Microsecond
		list = append(list, e)
	}
	if err := rows.Err(); err != nil {
		return nil, s.explain("read events", err)
	}
	for i := range list {
		if list[i].Holder, err = holderOf(ctx, s.read, list[i].ID); err != nil {
			return nil, s.explain("read events", err)
		}
		if list[i].Entries, err = s.entries(ctx, list[i].ID); err != nil {
			return nil, s.explain("read events", err)
		}
	}
	return list, nil
}

func (s *Store) entries(ctx context.Context, event int64) ([]Entry, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT b.name, v.number, v.fingerprint, v.label, n.rating, n.games FROM entries n
		JOIN versions v ON v.id = n.version JOIN bots b ON b.id = v.bot WHERE n.event = ? ORDER BY n.seat, n.version`, event)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var list []Entry
	for rows.Next() {
		var e Entry
		if err := rows.Scan(&e.Name, &e.Version, &e.Fingerprint, &e.Label, &e.Rating, &e.Rated); err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, rows.Err()
}

func (s *Store) unknownEvent(ctx context.Context, name string) error {
	names, err := s.names(ctx, "SELECT name FROM events")
	if err != nil {
		return err
	}
	return &UnknownEventError{Name: name, Nearest: engine.Nearest(name, names), Known: len(names)}
}

func (s *Store) names(ctx context.Context, query string) ([]string, error) {
	rows, err := s.read.QueryContext(ctx, query)
	if err != nil {
		return nil, s.explain("read names", err)
	}
	defer func() { _ = rows.Close() }()
	var list []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, s.explain("read names", err)
		}
		list = append(list, name)
	}
	return list, s.explain("read names", rows.Err())
}

// A Game is a recorded game with the versions of its bots.
type Game struct {
	arena.Game
	FirstVersion, SecondVersion int // numbers of the bots' versions
}

// A Filter chooses games; the zero Filter chooses all.
type Filter struct {
	ID       int64  // of a game
	Event    string // name
	Number   int    // of a game in its event
	Game     string // canonical name of the game
	Bot      string // one of the two
	Played   bool   // only games with a result
	Unplayed bool   // only games without
	Moves    bool   // fill in Moves
}

func (f Filter) where() (clause string, args []any) {
	var terms []string
	add := func(term string, values ...any) {
		terms, args = append(terms, term), append(args, values...)
	}
	if f.ID != 0 {
		add("g.id = ?", f.ID)
	}
	if f.Event != "" {
		add("g.event = (SELECT id FROM events WHERE name = ?)", f.Event)
	}
	if f.Number != 0 {
		add("g.number = ?", f.Number)
	}
	if f.Game != "" {
		add("g.game = ?", f.Game)
	}
	if f.Bot != "" {
		const versions = "(SELECT v.id FROM versions v JOIN bots b ON b.id = v.bot WHERE b.name = ?)"
		add("(g.first IN "+versions+" OR g.second IN "+versions+")", f.Bot, f.Bot)
	}
	if f.Played {
		add("g.result <> ''")
	}
	if f.Unplayed {
		add("g.result = ''")
	}
	if len(terms) == 0 {
		return "", nil
	}
	return " WHERE " + strings.Join(terms, " AND "), args
}

// Games lists the games that f chooses, by event and number.
func (s *Store) Games(ctx context.Context, f Filter) ([]Game, error) {
	var list []Game
	err := s.Scan(ctx, f, func(r *Game) error {
		list = append(list, *r)
		return nil
	})
	return list, err
}

// Scan calls each for the games that f chooses, by event and number, without
// holding them all in memory. It stops at the first error of each's and returns
// it. The record is each's to keep.
func (s *Store) Scan(ctx context.Context, f Filter, each func(*Game) error) error {
	err := s.scan(ctx, f, each)
	var called *calledError
	if errors.As(err, &called) {
		return called.error
	}
	return s.explain("read games", err)
}

// calledError is an error of Scan's callback.
type calledError struct{ error }

func (s *Store) scan(ctx context.Context, f Filter, each func(*Game) error) error {
	versions, err := s.versions(ctx)
	if err != nil {
		return err
	}
	where, args := f.where()
	from, data := " FROM games g JOIN events e ON e.id = g.event", "NULL"
	if f.Moves {
		from, data = from+" LEFT JOIN moves m ON m.game = g.id", "m.data"
	}
	rows, err := s.read.QueryContext(ctx, `SELECT g.id, e.name, g.number, g.round, g.pair, g.stage, g.game, g.first, g.second,
		g.opening_name, g.opening_position, g.opening_moves, g.result, g.reason, g.detail, g.blame, g.plies,
		g.start, g.wall, g.cpu_first, g.cpu_second, g.attempts, `+data+from+where+" ORDER BY g.event, g.number", args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var (
			r                       Game
			first, second           int64
			opening                 string
			blame                   int
			start, wall, cpu0, cpu1 int64
			moves                   sql.RawBytes
		)
		if err := rows.Scan(&r.ID, &r.Event, &r.Number, &r.Round, &r.Pair, &r.Stage, &r.Game.Game, &first, &second,
			&r.Opening.Name, &r.Opening.Position, &opening, &r.Result, &r.Reason, &r.Detail, &blame, &r.Plies,
			&start, &wall, &cpu0, &cpu1, &r.Attempts, &moves); err != nil {
			return err
		}
		a, b := versions[first], versions[second]
		r.First, r.FirstVersion, r.Second, r.SecondVersion = a.name, a.number, b.name, b.number
		switch blame {
		case 1:
			r.Blame = r.First
		case 2:
			r.Blame = r.Second
		}
		if opening != "" {
			r.Opening.Moves = strings.Split(opening, " ")
		}
		r.Start, r.Wall = moment(start), time.Duration(wall)*time.Microsecond
		r.CPU = [2]time.Duration{time.Duration(cpu0) * time.Microsecond, time.Duration(cpu1) * time.Microsecond}
		if moves != nil {
			if r.Moves, err = decodeMoves(moves); err != nil {
				return err
			}
		}
		if err := each(&r); err != nil {
			return &calledError{err}
		}
	}
	return rows.Err()
}

type versionName struct {
	name   string
	number int
}

func (s *Store) versions(ctx context.Context) (map[int64]versionName, error) {
	rows, err := s.read.QueryContext(ctx, "SELECT v.id, b.name, v.number FROM versions v JOIN bots b ON b.id = v.bot")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	m := map[int64]versionName{}
	for rows.Next() {
		var (
			id int64
			v  versionName
		)
		if err := rows.Scan(&id, &v.name, &v.number); err != nil {
			return nil, err
		}
		m[id] = v
	}
	return m, rows.Err()
}
