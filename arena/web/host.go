package web

import (
	"context"
	"io"
	"time"

	"botarena/arena/store"
)

// A Host accepts the submissions of teams and lets them play in a league. Its record is
// read from the store. Errors that are a [RefusedError] are told to whoever asked.
type Host interface {
	// League describes the league.
	League(ctx context.Context) (League, error)
	// SignIn returns the team that a token is of. The error is store.ErrToken if it is
	// nobody's.
	SignIn(ctx context.Context, token string) (team string, err error)
	// Submit takes a file that a team hands in: its name as it came, and what body has up
	// to its end. Where reading body fails, nothing is recorded.
	Submit(ctx context.Context, team, file string, body io.Reader) (store.Submission, error)
	// File opens what a team handed in, as it came. The error is a
	// *store.UnknownSubmissionError if it did not.
	File(ctx context.Context, team string, number int) (io.ReadCloser, error)
	// Queue returns how many submissions are worked at before those of the team, -1 if it
	// has none that waits, and how many more the team may hand in today, -1 for any number.
	Queue(ctx context.Context, team string) (before, left int, err error)
	// Challenge has the team's bot play unrated games against a bot of the league.
	Challenge(ctx context.Context, team, opponent string, games int) (store.Challenge, error)
	// KeepBot keeps a file from which a bot of an experiment is built. Only teams that may
	// queue experiments may send one.
	KeepBot(ctx context.Context, team, file string, body io.Reader) (store.ExperimentBot, error)
	// Experiment queues an experiment, of which Priority, Config and Bots are taken.
	Experiment(ctx context.Context, team string, x store.Experiment) (store.Experiment, error)
	// Prioritize gives an experiment of the team another priority. The error is a
	// *store.ExperimentError if there is none of that number, or it is over.
	Prioritize(ctx context.Context, team string, id int64, priority int) error
	// StopExperiment ends an experiment of the team, with the same errors.
	StopExperiment(ctx context.Context, team string, id int64) error
	// Kit returns a zip with a first bot in a language, for the league's game.
	Kit(language string) ([]byte, error)
}

// A League describes a host's league for pages.
type League struct {
	Name   string // of its event, too
	Game   string // canonical name
	Opens  time.Time
	Closes time.Time // from then on nothing is taken; zero: never
	Closed bool      // that has passed, also if the clock was put back since
	Ends   time.Time // the ladder plays on until then; zero: without end
	// Visibility says who sees games and standings.
	Visibility Visibility
	Hidden     time.Time // until then nobody does, if Visibility is HiddenUntil
	PerDay     int       // submissions of a team; 0 is any number
	Size       int64     // bytes of a file that is handed in
	Languages  []Language
	Games      int    // the most of a challenge; 0: there are none
	Final      string // its event; "" if there is none yet
}

// A Visibility says who sees the games and standings of a league.
type Visibility string

// The visibilities.
const (
	Public      Visibility = "public"
	TeamsOnly   Visibility = "teams"
	HiddenUntil Visibility = "hidden-until"
)

// A Language is one that bots may be written in.
type Language struct {
	Name    string   // as in the address of its kit, such as "cpp"
	Title   string   // as people write it, such as "C++"
	Version string   // of its compiler or interpreter
	Endings []string // of source files, such as ".py"
}

// A RefusedError reports that a host does not do what a team asks for.
type RefusedError struct {
	Status int    // of HTTP
	Why    string // a sentence with what to do
}

// Error returns the reason.
func (e *RefusedError) Error() string { return e.Why }
