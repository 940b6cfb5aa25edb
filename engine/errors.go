package engine

import (
	"fmt"
	"strings"
)

// A MoveError explains why a text is not a legal move: "a2b3: no piece of White on a2".
type MoveError struct {
	Move string // the text as given, shortened where it is very long
	Why  string
}

// Error returns "MOVE: WHY".
func (e *MoveError) Error() string { return fmt.Sprintf("%.120s: %s", e.Move, e.Why) }

// A PositionError explains why a text is not a position of a game.
type PositionError struct {
	Game   string
	Text   string
	Column int // 1-based byte where the reader stopped; 0 if no single place is at fault
	Why    string
}

// Error names the game, the place and the reason.
func (e *PositionError) Error() string {
	if e.Column > 0 {
		return fmt.Sprintf("%s position %.120q, column %d: %s", e.Game, e.Text, e.Column, e.Why)
	}
	return fmt.Sprintf("%s position %.120q: %s", e.Game, e.Text, e.Why)
}

// An UnknownGameError names a game that does not exist.
type UnknownGameError struct {
	Name    string // with an @ in it: of a game whose rules are a program
	Why     string // what is wrong with a known game's size or variant; "" if the game is unknown
	Nearest string // the nearest name that exists, "" if nothing is near
	Known   []string
}

// Error names the game and what to write instead.
func (e *UnknownGameError) Error() string {
	var b strings.Builder
	switch {
	case e.Why != "":
		fmt.Fprintf(&b, "game %.120q: %s", e.Name, e.Why)
	case strings.Contains(e.Name, "@"):
		fmt.Fprintf(&b, "game %.120q: its rules are a program, which has to be named", e.Name)
		return b.String()
	default:
		fmt.Fprintf(&b, "unknown game %.120q", e.Name)
	}
	if e.Nearest != "" {
		fmt.Fprintf(&b, "; did you mean %q?", e.Nearest)
	} else if len(e.Known) > 0 {
		fmt.Fprintf(&b, "; known games: %s", strings.Join(e.Known, ", "))
	}
	return b.String()
}

// A RulesError reports that the rules themselves failed: those of a game whose rules
// are a program (see botarena/arena/rules). The methods of its Game and Positions that
// return no error panic with it, so that a missing answer is never taken for one;
// callers that play such games recover it with [Catch].
type RulesError struct {
	Game string
	Err  error
}

// Error returns the text of Err.
func (e *RulesError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *RulesError) Unwrap() error { return e.Err }

// Catch recovers a panic with a *RulesError in the function that defers it and stores
// it in err; other panics pass:
//
//	func play(game engine.Game) (err error) {
//		defer engine.Catch(&err)
func Catch(err *error) {
	switch p := recover().(type) {
	case nil:
	case *RulesError:
		*err = p
	default:
		panic(p)
	}
}
