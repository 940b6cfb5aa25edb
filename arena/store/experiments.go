package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"
)

// The states of an experiment.
const (
	ExperimentWaits = "waiting" // its bots are to be built
	ExperimentReady = "ready"
	ExperimentPlays = "playing" // begun; a more urgent one may interrupt it
	ExperimentEnded = "ended"
	ExperimentFails = "failed"  // Reason says why
	ExperimentStops = "stopped" // Reason says by whom
)

// An Experiment is a test or a match that a team has queued on a host.
type Experiment struct {
	ID       int64
	League   string
	Team     string
	Priority int             // the highest goes first, and of equals the oldest
	Config   []byte          // the event as it was asked for, as [botarena/arena/config.Encode] writes it
	Bots     []ExperimentBot // of the event, in its order
	Book     ExperimentBot   // its file of openings, where Config names one; is not recorded
	Event    string          // of its games; "" until they begin
	State    string
	Reason   string
	Log      string // of a build that failed
	Verdict  string // of a test that has ended, as package sprt names it
	Asked    time.Time
	Began    time.Time     // zero until its games begin
	Ended    time.Time     // zero until it is over
	Games    int           // that have a result
	SlotTime time.Duration // that these took, added up
	CPU      time.Duration // that their bots computed
}

// WorkerGames counts the games of an event that a worker of a fleet played; "" is the host.
type WorkerGames struct {
	Worker string `json:"worker"`
	Games  int    `json:"games"`
}

// GamesByWorker counts the games of an event with a result by who played them, by name.
func (s *Store) GamesByWorker(ctx context.Context, event string) ([]WorkerGames, error) {
	return readList(ctx, s, "count games of workers", `SELECT coalesce(w.name, '') AS name, count(*) FROM games g LEFT JOIN workers w ON w.id = g.worker
		WHERE g.event = (SELECT id FROM events WHERE name = ?) AND g.result <> '' GROUP BY 1 ORDER BY 1`,
		[]any{event}, func(rows *sql.Rows, w *WorkerGames) error { return rows.Scan(&w.Worker, &w.Games) })
}

// An ExperimentBot says where a bot of an experiment comes from: a file that was sent or
// handed in, a bot of the league's house, or a built-in one, which Config names.
type ExperimentBot struct {
	File   string `json:"file,omitempty"` // its name, as it came
	SHA256 string `json:"sha256,omitempty"`
	House  string `json:"house,omitempty"`
	Spec   string `json:"spec,omitempty"` // how the built file is started, JSON
}

// Over reports whether no more games of the experiment are played.
func (x *Experiment) Over() bool { return !x.Ended.IsZero() }

// An ExperimentError reports that there is no experiment of that number, or that it is over.
type ExperimentError struct {
	ID    int64
	State string // "" if it is unknown
}

// Error says which.
func (e *ExperimentError) Error() string {
	if e.State == "" {
		return fmt.Sprintf("there is no experiment %d; `arena queue` lists them", e.ID)
	}
	return fmt.Sprintf("experiment %d is over (%s)", e.ID, e.State)
}

// AllowExperiments lets a team queue experiments. The error is an *UnknownTeamError.
func (s *Store) AllowExperiments(ctx context.Context, team string) error {
	return s.update(ctx, "allow experiments of "+team, func(ctx context.Context, tx *sql.Tx) error {
		id, err := teamID(ctx, tx, team)
		if err == nil {
			_, err = tx.ExecContext(ctx, "UPDATE teams SET experiments = 1 WHERE id = ?", id)
		}
		return err
	})
}

// MayExperiment reports whether a team may queue experiments.
func (s *Store) MayExperiment(ctx context.Context, team string) (bool, error) {
	return read(ctx, s, "look up a team", func(tx *sql.Tx) (may bool, err error) {
		err = tx.QueryRowContext(ctx, "SELECT count(*) FROM teams WHERE name = ? AND revoked = 0 AND experiments = 1", team).Scan(&may)
		return may, err
	})
}

// AddExperiment records an experiment, of which League, Team, Priority, Config and Bots are
// taken, and returns it. The error is a *QuotaError if most of the team are not over, or an
// *UnknownTeamError.
func (s *Store) AddExperiment(ctx context.Context, x Experiment, most int) (Experiment, error) {
	bots, err := json.Marshal(x.Bots)
	if err != nil {
		return x, err
	}
	x.ID, err = s.request(ctx, "queue an experiment of "+x.Team, "experiments", x.League, x.Team, most, "priority, config, bots, state, asked",
		x.Priority, string(x.Config), string(bots), ExperimentWaits, s.now())
	if err != nil {
		return x, err
	}
	return s.Experiment(ctx, x.League, x.ID)
}

// SetExperiment records an experiment's Bots, Event, State, Reason, Log and Verdict, and when it
// began and ended, as its state says. It does nothing if it is over already.
func (s *Store) SetExperiment(ctx context.Context, x Experiment) error {
	bots, err := json.Marshal(x.Bots)
	if err != nil {
		return err
	}
	if len(x.Log) > maxLog {
		x.Log = x.Log[len(x.Log)-maxLog:]
	}
	var over, began int64
	switch x.State {
	case ExperimentPlays:
		began = s.now()
	case ExperimentEnded, ExperimentFails, ExperimentStops:
		over = s.now()
	}
	return s.exec(ctx, "record an experiment", `UPDATE experiments SET bots = ?, event = ?, state = ?, reason = ?, log = ?, verdict = ?, ended = ?,
		began = CASE began WHEN 0 THEN ? ELSE began END WHERE id = ? AND ended = 0`,
		string(bots), x.Event, x.State, validText(x.Reason), validText(x.Log), x.Verdict, over, began, x.ID)
}

// PrioritizeExperiment gives an experiment of a league, or of any if it is "", another priority. The error is an *ExperimentError
// if there is none of that number, or it is over.
func (s *Store) PrioritizeExperiment(ctx context.Context, league string, id int64, priority int) error {
	return s.changeExperiment(ctx, league, id, "UPDATE experiments SET priority = ? WHERE id = ?", priority, id)
}

// StopExperiment ends an experiment for a reason, as PrioritizeExperiment finds it; its games
// stay.
func (s *Store) StopExperiment(ctx context.Context, league string, id int64, reason string) error {
	return s.changeExperiment(ctx, league, id, "UPDATE experiments SET state = ?, reason = ?, ended = ? WHERE id = ?", ExperimentStops, reason, s.now(), id)
}

func (s *Store) changeExperiment(ctx context.Context, league string, id int64, query string, args ...any) error {
	return s.update(ctx, "change an experiment", func(ctx context.Context, tx *sql.Tx) error {
		states, err := list(ctx, tx, "SELECT CASE ended WHEN 0 THEN '' ELSE state END FROM experiments WHERE id = ?1 AND (?2 = '' OR league = ?2)", []any{id, league}, column[string])
		switch {
		case err != nil:
			return err
		case len(states) == 0:
			return &ExperimentError{ID: id}
		case states[0] != "":
			return &ExperimentError{ID: id, State: states[0]}
		}
		_, err = tx.ExecContext(ctx, query, args...)
		return err
	})
}

func (s *Store) experiments(ctx context.Context, where string, args ...any) ([]Experiment, error) {
	const query = `SELECT x.id, x.league, t.name, x.priority, x.config, x.bots, x.event, x.state, x.reason, x.log, x.verdict, x.asked, x.began, x.ended,
		coalesce((SELECT played FROM totals WHERE event = e.id), 0), coalesce((SELECT sum(wall) FROM endings WHERE event = e.id AND result <> ''), 0),
		coalesce((SELECT sum(cpu_first + cpu_second) FROM endings WHERE event = e.id AND result <> ''), 0)
		FROM experiments x JOIN teams t ON t.id = x.team LEFT JOIN events e ON e.name = x.event `
	return readList(ctx, s, "read experiments", query+where, args, func(rows *sql.Rows, x *Experiment) error {
		var bots string
		err := rows.Scan(&x.ID, &x.League, &x.Team, &x.Priority, &x.Config, &bots, &x.Event, &x.State, &x.Reason, &x.Log, &x.Verdict,
			(*moment)(&x.Asked), (*moment)(&x.Began), (*moment)(&x.Ended), &x.Games, (*micros)(&x.SlotTime), (*micros)(&x.CPU))
		if err == nil {
			err = json.Unmarshal([]byte(bots), &x.Bots)
		}
		return err
	})
}

// QueuedExperiments lists those that are not over, in the order in which they are played; of
// all leagues if league is "".
func (s *Store) QueuedExperiments(ctx context.Context, league string) ([]Experiment, error) {
	return s.experiments(ctx, "WHERE (?1 = '' OR x.league = ?1) AND x.ended = 0 ORDER BY x.priority DESC, x.id", league)
}

// EndedExperiments lists the last ones that are over, the newest first.
func (s *Store) EndedExperiments(ctx context.Context, league string, most int) ([]Experiment, error) {
	return s.experiments(ctx, "WHERE (?1 = '' OR x.league = ?1) AND x.ended <> 0 ORDER BY x.id DESC LIMIT ?2", league, most)
}

// Experiment returns one. The error is an *ExperimentError if there is none of that number; league
// may be "" for any.
func (s *Store) Experiment(ctx context.Context, league string, id int64) (Experiment, error) {
	found, err := s.experiments(ctx, "WHERE (?1 = '' OR x.league = ?1) AND x.id = ?2", league, id)
	if err == nil && len(found) == 0 {
		err = &ExperimentError{ID: id}
	}
	if err != nil {
		return Experiment{}, err
	}
	return found[0], nil
}
