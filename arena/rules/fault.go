package rules

import (
	"fmt"
	"strings"

	"botarena/arena/text"
)

// A Fault describes how a rules program failed: the organiser's fault, and no bot's. It
// is wrapped in an *engine.RulesError.
type Fault struct {
	Game    string // as the event names it
	Command string // for people
	// What describes it in one line: "it contradicts itself: gameover is true and
	// result is none".
	What string
	// Dialogue holds the lines of the request in which it failed, "> " to the program
	// and "< " from it.
	Dialogue []string
	Stderr   []string // the end of what it wrote there
	// Void reports that it is nobody's fault: arena, or the machine, was suspended.
	Void bool
	Err  error // what it comes from; nil for nothing else
}

// Error returns the fault with the dialogue and the end of stderr, a line each.
func (f *Fault) Error() string {
	var b strings.Builder
	b.WriteString(f.Line())
	for _, line := range f.Dialogue {
		b.WriteString("\n    " + line)
	}
	if len(f.Stderr) > 0 {
		b.WriteString("\n  its stderr ends with:")
		for _, line := range f.Stderr {
			b.WriteString("\n    " + line)
		}
	}
	return b.String()
}

// Line returns the fault on one line.
func (f *Fault) Line() string {
	return fmt.Sprintf("the rules of %s (%s) failed: %s", f.Game, f.Command, f.What)
}

// Unwrap returns Err.
func (f *Fault) Unwrap() error { return f.Err }

// mostLines is the maximum number of lines kept of a dialogue: its beginning and its
// end.
const mostLines = 24

// shorten leaves out the middle of a long dialogue, and the rest of long lines.
func shorten(lines []string) []string {
	const most = 200 // letters of a line
	short := lines
	if len(lines) > mostLines {
		head, tail := lines[:4], lines[len(lines)-mostLines+5:]
		short = append(append(append([]string(nil), head...), fmt.Sprintf("... %d lines ...", len(lines)-len(head)-len(tail))), tail...)
	}
	for i := range short {
		short[i] = text.Line(short[i], most)
	}
	return short
}
