package event

import (
	"errors"
	"fmt"
	"strings"

	"botarena/arena"
)

// ErrFinished says that all of the event's games are played already.
var ErrFinished = errors.New("the event is finished")

// ErrInterrupted says that a run was ended from outside; run again to go on.
var ErrInterrupted = errors.New("interrupted")

// A ChangedError reports that an event of that name is recorded with another
// configuration.
type ChangedError struct {
	Event   string
	Changes []string
	// Why says why Options.Extend did not help; nil if it was not asked for.
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

// A FailingError reports that a run was ended without a verdict because one of its bots
// was at fault in game after game. The games are recorded.
type FailingError struct {
	Event string
	Games int        // of the bot, one after the other
	Last  arena.Game // of which Number is 0 if it was in an earlier run
}

// Error names the bot, its last game and what to look at.
func (e *FailingError) Error() string {
	last := ""
	if g := e.Last; g.Number > 0 {
		last = fmt.Sprintf("; game %d (%s - %s): %s: %s", g.Number, g.First, g.Second, g.Reason, g.Detail)
	}
	return fmt.Sprintf("event %q is stopped, without a verdict: bot %q was at fault in its last %d games%s\ncheck it by itself, and whether it plays %s; max_faults: 0 plays on whatever fails",
		e.Event, e.Last.Blame, e.Games, last, e.Last.Game)
}

// A VoidError reports that games were void so often that they were left unplayed.
// All other games are played; another run tries these again.
type VoidError struct {
	Event string
	Games []VoidGame
}

// A VoidGame is a game that was given up in this run.
type VoidGame struct {
	Number int
	Detail string // of the last attempt
}

// Error names the games.
func (e *VoidError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "event %q: %d games were void %d times each and are left unplayed:", e.Event, len(e.Games), mostVoids)
	for _, g := range e.Games {
		fmt.Fprintf(&b, "\n  game %d: %s", g.Number, g.Detail)
	}
	b.WriteString("\nrun again to try them again")
	return b.String()
}
