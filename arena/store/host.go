package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Step is one on a submission's way into its league.
type Step string

// The steps, in order. A submission that has done one has its name for a state.
const (
	Received Step = "received"
	Unpacked Step = "unpacked"
	Built    Step = "built"
	Checked  Step = "checked"
	Tried    Step = "tried"
	Entered  Step = "entered" // it plays
)

// Steps lists the steps in order.
func Steps() []Step { return []Step{Received, Unpacked, Built, Checked, Tried, Entered} }

// The states of a submission that goes no further.
const (
	Refused  = "refused"
	Replaced = "replaced" // a later one of the team plays
	Benched  = "benched"  // it was at fault in too many games
)

// maxLog is the number of bytes kept of a step's log: the last ones.
const maxLog = 64 << 10

// A Submission is a file that a team handed in, and how far it has come.
type Submission struct {
	ID       int64
	League   string // the name of its event
	Team     string
	Number   int    // within the team, from 1
	File     string // its name, as it came
	Size     int64  // bytes
	SHA256   string // in hexadecimal
	Language string // "" until it is unpacked
	Spec     string // how the bot is started, JSON; "" until it is unpacked
	Bot      string // its name in the event; "" until it has entered
	State    string // the last Step that was done, Refused, Replaced or Benched
	Refused  Step   // the step that failed; "" if it was not refused
	Reason   string // a sentence with what to do, if it was refused or benched
	Received time.Time
	Changed  time.Time
	Steps    []SubmissionStep // not in lists
}

// Pending reports whether steps remain to be done.
func (s *Submission) Pending() bool {
	return s.State != string(Entered) && slices.Contains(Steps(), Step(s.State))
}

// Next returns the step that follows in a submission that is pending.
func (s *Submission) Next() Step {
	return Steps()[slices.Index(Steps(), Step(s.State))+1]
}

// A SubmissionStep holds the outcome of a step of a submission.
type SubmissionStep struct {
	Step  Step
	Began time.Time
	Ended time.Time // zero while it is worked at
	OK    bool
	Log   string // at most 64 KiB, the last
}

// An UnknownSubmissionError reports that a team has no submission of that number.
type UnknownSubmissionError struct {
	Team   string
	Number int
}

// Error says so.
func (e *UnknownSubmissionError) Error() string {
	return fmt.Sprintf("team %q has handed in no number %d", e.Team, e.Number)
}

// A QuotaError reports that a team has handed in, or asked for, as much as it may for now.
type QuotaError struct{ Most int }

// Error names the limit.
func (e *QuotaError) Error() string { return fmt.Sprintf("the limit of %d is reached", e.Most) }

// AddSubmission records a file that was handed in, and returns it with its number. Of sub
// League, Team, File, Size and SHA256 are taken. The error is a *QuotaError if the team has
// handed in most files since then, most being more than 0, or an *UnknownTeamError.
func (s *Store) AddSubmission(ctx context.Context, sub Submission, most int, since time.Time) (Submission, error) {
	err := s.update(ctx, "record a submission of "+sub.Team, func(ctx context.Context, tx *sql.Tx) error {
		team, err := teamID(ctx, tx, sub.Team)
		if err != nil {
			return err
		}
		n, now := 0, s.now()
		err = tx.QueryRowContext(ctx, `SELECT coalesce(max(number), 0) + 1, count(*) FILTER (WHERE received >= ?3) FROM submissions
			WHERE league = ?1 AND team = ?2`, sub.League, team, since.UnixMicro()).Scan(&sub.Number, &n)
		if err != nil {
			return err
		}
		if most > 0 && n >= most {
			return &QuotaError{most}
		}
		res, err := tx.ExecContext(ctx, `INSERT INTO submissions (league, team, number, file, size, sha256, state, received, changed)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, sub.League, team, sub.Number, sub.File, sub.Size, sub.SHA256, Received, now, now)
		if err != nil {
			return err
		}
		if sub.ID, err = res.LastInsertId(); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "INSERT INTO submission_steps (submission, step, began, ended, ok) VALUES (?, ?, ?, ?, 1)", sub.ID, Received, now, now)
		return err
	})
	if err != nil {
		return Submission{}, err
	}
	return s.Submission(ctx, sub.League, sub.Team, sub.Number)
}

const submissionQuery = `SELECT s.id, s.league, t.name, s.number, s.file, s.size, s.sha256, s.language, s.spec, s.bot,
	s.state, s.refused, s.reason, s.received, s.changed FROM submissions s JOIN teams t ON t.id = s.team `

func (s *Submission) scan(rows *sql.Rows) error {
	return rows.Scan(&s.ID, &s.League, &s.Team, &s.Number, &s.File, &s.Size, &s.SHA256, &s.Language, &s.Spec, &s.Bot,
		&s.State, &s.Refused, &s.Reason, (*moment)(&s.Received), (*moment)(&s.Changed))
}

func (s *Store) submissions(ctx context.Context, where string, args ...any) ([]Submission, error) {
	return readList(ctx, s, "read submissions", submissionQuery+where, args, func(rows *sql.Rows, sub *Submission) error { return sub.scan(rows) })
}

// Submissions lists what a team, or all teams if team is "", handed in to a league, the
// newest first.
func (s *Store) Submissions(ctx context.Context, league, team string) ([]Submission, error) {
	return s.submissions(ctx, "WHERE s.league = ?1 AND (?2 = '' OR t.name = ?2) ORDER BY s.id DESC", league, team)
}

// PendingSubmissions lists those on which steps remain to be done, the oldest first.
func (s *Store) PendingSubmissions(ctx context.Context, league string) ([]Submission, error) {
	return s.submissions(ctx, `WHERE s.league = ? AND s.state IN ('received', 'unpacked', 'built', 'checked', 'tried') ORDER BY s.id`, league)
}

// Submission returns one with its steps. The error is an *UnknownSubmissionError.
func (s *Store) Submission(ctx context.Context, league, team string, number int) (Submission, error) {
	return read(ctx, s, "read a submission", func(tx *sql.Tx) (Submission, error) {
		found, err := list(ctx, tx, submissionQuery+"WHERE s.league = ? AND t.name = ? AND s.number = ?", []any{league, team, number},
			func(rows *sql.Rows, sub *Submission) error { return sub.scan(rows) })
		if err == nil && len(found) == 0 {
			err = &UnknownSubmissionError{team, number}
		}
		if err != nil {
			return Submission{}, err
		}
		sub := found[0]
		sub.Steps, err = list(ctx, tx, "SELECT step, began, ended, ok, log FROM submission_steps WHERE submission = ? ORDER BY began, rowid", []any{sub.ID},
			func(rows *sql.Rows, p *SubmissionStep) error {
				return rows.Scan(&p.Step, (*moment)(&p.Began), (*moment)(&p.Ended), &p.OK, &p.Log)
			})
		return sub, err
	})
}

// BeginStep records that a step of a submission is worked at, also where it was before.
func (s *Store) BeginStep(ctx context.Context, id int64, step Step) error {
	return s.update(ctx, "begin a step of a submission", func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO submission_steps (submission, step, began) VALUES (?, ?, ?)
			ON CONFLICT DO UPDATE SET began = excluded.began, ended = 0, ok = 0, log = ''`, id, step, s.now())
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE submissions SET changed = ? WHERE id = ?", s.now(), id)
		return err
	})
}

// EndStep records what the step that sub is at came to: with its log, and with sub's
// State, Refused, Reason, Language, Spec and Bot. Where it has entered, an earlier one of
// its team that plays or is benched is replaced. It does nothing if the submission was
// brought further meanwhile.
func (s *Store) EndStep(ctx context.Context, sub Submission, step Step, log string) error {
	if len(log) > maxLog {
		log = log[len(log)-maxLog:]
	}
	return s.update(ctx, "end a step of a submission", func(ctx context.Context, tx *sql.Tx) error {
		now := s.now()
		n, err := changed(ctx, tx, "UPDATE submission_steps SET ended = ?, ok = ?, log = ? WHERE submission = ? AND step = ? AND ended = 0",
			now, sub.State == string(step), validText(log), sub.ID, step)
		if err != nil || n == 0 {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE submissions SET state = ?, refused = ?, reason = ?, language = ?, spec = ?, bot = ?, changed = ? WHERE id = ?`,
			sub.State, sub.Refused, validText(sub.Reason), sub.Language, sub.Spec, sub.Bot, now, sub.ID)
		if err != nil || sub.State != string(Entered) {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE submissions SET state = ?, changed = ? WHERE id < ? AND league = ? AND state IN (?, ?)
			AND team = (SELECT team FROM submissions WHERE id = ?3)`, Replaced, now, sub.ID, sub.League, Entered, Benched)
		return err
	})
}

// Bench records that the submission which plays under a name in a league's event plays no
// more, and why, and reports whether there was one.
func (s *Store) Bench(ctx context.Context, league, bot, reason string) (bool, error) {
	return s.moveSubmission(ctx, "bench", league, bot, string(Entered), Benched, reason)
}

// Unbench records that the submission which is benched under a name in a league's event plays
// again. It does nothing if none is.
func (s *Store) Unbench(ctx context.Context, league, bot string) error {
	_, err := s.moveSubmission(ctx, "unbench", league, bot, Benched, string(Entered), "")
	return err
}

// moveSubmission gives the submission that has a name and a state another state, and reports
// whether there was one.
func (s *Store) moveSubmission(ctx context.Context, op, league, bot, from, to, reason string) (found bool, err error) {
	err = s.update(ctx, op+" "+bot, func(ctx context.Context, tx *sql.Tx) error {
		n, err := changed(ctx, tx, "UPDATE submissions SET state = ?, reason = ?, changed = ? WHERE league = ? AND bot = ? AND state = ?",
			to, validText(reason), s.now(), league, bot, from)
		found = n > 0
		return err
	})
	return found, err
}

// The states of a challenge.
const (
	ChallengeWaits = "waiting"
	ChallengePlays = "playing"
	ChallengeEnded = "ended"
	ChallengeFails = "failed" // Reason says why
)

// A Challenge is unrated games that a team asked for.
type Challenge struct {
	ID       int64     `json:"-"`
	League   string    `json:"-"`
	Team     string    `json:"-"`
	Opponent string    `json:"opponent"` // a bot of the league's event
	Games    int       `json:"games"`
	State    string    `json:"state"`
	Reason   string    `json:"reason,omitempty"`
	Event    string    `json:"event,omitempty"` // of its games; "" until they begin
	Asked    time.Time `json:"asked"`
	Ended    time.Time `json:"ended,omitzero"` // zero until it has
}

// AddChallenge records a challenge, of which League, Team, Opponent and Games are taken,
// and returns it. The error is a *QuotaError if the team has most that have not ended, or
// an *UnknownTeamError.
func (s *Store) AddChallenge(ctx context.Context, c Challenge, most int) (Challenge, error) {
	now := s.now()
	c.State, c.Asked = ChallengeWaits, time.UnixMicro(now).UTC()
	var err error
	c.ID, err = s.request(ctx, "record a challenge of "+c.Team, "challenges", c.League, c.Team, most, "opponent, games, state, asked", c.Opponent, c.Games, c.State, now)
	return c, err
}

// request inserts a row of what a team asks for into a table, with these columns beside its
// league and the team, and returns its id. The error is a *QuotaError if the team has most
// there that have not ended, or an *UnknownTeamError.
func (s *Store) request(ctx context.Context, op, table, league, team string, most int, columns string, args ...any) (id int64, err error) {
	err = s.update(ctx, op, func(ctx context.Context, tx *sql.Tx) error {
		number, err := teamID(ctx, tx, team)
		if err != nil {
			return err
		}
		n := 0
		err = tx.QueryRowContext(ctx, "SELECT count(*) FROM "+table+" WHERE league = ? AND team = ? AND ended = 0", league, number).Scan(&n)
		if err == nil && n >= most {
			err = &QuotaError{most}
		}
		if err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, "INSERT INTO "+table+" (league, team, "+columns+") VALUES (?, ?"+strings.Repeat(", ?", len(args))+") RETURNING id",
			append([]any{league, number}, args...)...).Scan(&id)
	})
	return id, err
}

// SetChallenge records a challenge's Event, State, Reason, and that it has ended where its
// state says so.
func (s *Store) SetChallenge(ctx context.Context, c Challenge) error {
	ended := int64(0)
	if c.State == ChallengeEnded || c.State == ChallengeFails {
		ended = s.now()
	}
	return s.exec(ctx, "record a challenge", "UPDATE challenges SET event = ?, state = ?, reason = ?, ended = ? WHERE id = ?",
		c.Event, c.State, validText(c.Reason), ended, c.ID)
}

// Challenges lists those of a team, or of all teams if team is "", the newest first.
func (s *Store) Challenges(ctx context.Context, league, team string) ([]Challenge, error) {
	return readList(ctx, s, "read challenges", `SELECT c.id, c.league, t.name, c.opponent, c.games, c.event, c.state, c.reason, c.asked, c.ended
		FROM challenges c JOIN teams t ON t.id = c.team WHERE c.league = ?1 AND (?2 = '' OR t.name = ?2) ORDER BY c.id DESC`, []any{league, team},
		func(rows *sql.Rows, c *Challenge) error {
			return rows.Scan(&c.ID, &c.League, &c.Team, &c.Opponent, &c.Games, &c.Event, &c.State, &c.Reason, (*moment)(&c.Asked), (*moment)(&c.Ended))
		})
}

// validText returns a text that can be stored.
func validText(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
