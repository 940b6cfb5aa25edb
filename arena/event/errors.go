package event

import (
	"errors"
	"fmt"
	"strings"
)

// ErrFinished reports that all of the event's games are played already.
var ErrFinished = errors.New("the event is finished")

// ErrInterrupted reports that a run was ended from outside; run again to go on.
var ErrInterrupted = errors.New("interrupted")

// A ChangedError reports that an event of that name is recorded with another
// configuration.
type ChangedError struct {
	Event   string
	Changes []string
	// Why explains why Options.Extend did not help; nil if it was not set.
	Why error
}

// Error lists the changes and says what to try.
func (e *ChangedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "event %q is in the database with another configuration:", e.Event)
	for _, c := range e.Changes {
		b.WriteString("\n  " + c)
	}
	if e.Why != nil {
		fmt.Fprintf(&b, "\nit cannot be extended like that: %v", e.Why)
	} else {
		b.WriteString("\nundo the change, or name the event otherwise")
	}
	return b.String()
}

// Unwrap returns Why.
func (e *ChangedError) Unwrap() error { return e.Why }

// A BotsError lists everything that keeps bots from entering the event.
type BotsError struct{ Problems []BotProblem }

// A BotProblem describes what is wrong with one bot.
type BotProblem struct {
	Bot string
	Err error
}

// Error lists the problems, a line each.
func (e *BotsError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.Err.Error()
		if !strings.HasPrefix(lines[i], "bot ") {
			lines[i] = fmt.Sprintf("bot %q: %s", p.Bot, lines[i])
		}
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the problems' errors.
func (e *BotsError) Unwrap() []error {
	errs := make([]error, len(e.Problems))
	for i, p := range e.Problems {
		errs[i] = p.Err
	}
	return errs
}

// errFailing reports that a run was ended because one of its bots was at fault in too
// many games in a row. The games are recorded.
var errFailing = errors.New("stopped, without a verdict")
