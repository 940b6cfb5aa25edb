package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"botarena/arena"
)

// ClockHelp describes in one line what [ParseClock] reads.
const ClockHelp = "100ms a move, 10s+100ms, 40/60s (moves in base), nodes=1000 or depth=4, joined with commas; also 10+0.1, 40/60+0.6, tc=1:30+1 and st=1, in seconds"

// ParseClock reads a time control on one line, as flags and event files may write
// it. It is made of parts joined with commas:
//
//	100ms         a time for every move
//	10s+100ms     base time and increment
//	40/60s+1s     so many moves in each base time; the increment may be left out
//	nodes=1000    or depth=4: limits of the search
//	margin=50ms   overstepping that is forgiven (50ms where not given)
//
// The spellings of fastchess and cutechess are read too. A time without a unit is
// one in seconds there, minutes before a colon (1:30), and means nothing by
// itself, since it could be a move's or a game's:
//
//	10+0.1        base time and increment; also tc=10+0.1
//	40/60+0.6     so many moves in each base time
//	tc=60         base time for the whole game
//	tc=inf        no time at all, beside nodes or depth
//	st=1          a time for every move
//	timemargin=50 margin, in milliseconds
//
// The time control may still be invalid: see its Validate.
func ParseClock(text string) (arena.TimeControl, error) {
	c, margin, err := parseClock(text)
	if !margin {
		c.Margin = defaultMargin
	}
	return c, err
}

// parseClock is ParseClock that also reports whether the text has a margin.
func parseClock(text string) (c arena.TimeControl, margin bool, err error) {
	given := map[string]bool{}
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		name, value, named := strings.Cut(strings.Replace(part, " ", "=", 1), "=")
		if !named {
			name, value = "", part
		}
		if name == "timemargin" {
			name, value = "margin", strings.TrimSpace(value)+"ms"
		}
		if given[name] && name != "" || !setLimit(&c, name, strings.TrimSpace(value)) {
			return c, given["margin"], &clockError{text, fmt.Sprintf("cannot read %q", part)}
		}
		given[name] = true
	}
	if !c.Timed() && c.Nodes == 0 && c.Depth == 0 {
		return c, given["margin"], &clockError{text, "it limits nothing; add nodes or depth"}
	}
	return c, given["margin"], nil
}

// A clockError reports what is wrong with the text of a time control.
type clockError struct{ text, why string }

func (e *clockError) Error() string {
	return fmt.Sprintf("clock %q: %s; write %s", clip(e.text), e.why, ClockHelp)
}

// setLimit sets the limit of that name, and reports whether the value is one.
func setLimit(c *arena.TimeControl, name, value string) (ok bool) {
	whole := func(most int64) int64 {
		n, err := strconv.ParseInt(value, 10, 64)
		ok = err == nil && n > 0 && n <= most
		return n
	}
	switch name {
	case "nodes":
		c.Nodes = whole(1 << 53)
	case "depth":
		c.Depth = int(whole(1 << 30))
	case "margin":
		var bare bool
		c.Margin, bare, ok = clockTime(value)
		ok = ok && !bare
	case "st":
		d, _, read := clockTime(value)
		ok = read && d > 0 && c.Move == 0
		c.Move = d
	case "tc", "":
		return timeLimit(c, value, name == "tc")
	}
	return ok
}

// timeLimit reads a time for every move (unless game is true), or base time with
// moves or an increment.
func timeLimit(c *arena.TimeControl, text string, game bool) bool {
	if text == "inf" {
		return true
	}
	moves, rest, cyclic := strings.Cut(text, "/")
	if moves == "0" { // as cutechess writes it: the whole game
		game, cyclic, text = true, false, rest
	}
	if cyclic {
		n, err := strconv.Atoi(moves)
		if err != nil || n <= 0 {
			return false
		}
		c.Moves, text = n, rest
	}
	base, increment, sudden := strings.Cut(text, "+")
	d, bare, ok := clockTime(base)
	if !ok || d == 0 {
		return false
	}
	if !cyclic && !sudden && !game {
		again := c.Move > 0
		c.Move = d
		return !again && !bare // 10 may be meant as a move's time, or as a game's
	}
	if c.Base > 0 {
		return false
	}
	c.Base = d
	if sudden {
		c.Increment, _, ok = clockTime(increment)
	}
	return ok
}

// clockTime reads a time that is not negative; bare reports that it has no unit,
// and is one of seconds, or minutes and seconds.
func clockTime(text string) (d time.Duration, bare, ok bool) {
	minutes, seconds, found := strings.Cut(text, ":")
	if found {
		n, err := strconv.Atoi(minutes)
		rest, bareRest, ok := clockTime(seconds)
		if err != nil || n < 0 || n > 1<<20 || !ok || !bareRest || strings.Contains(seconds, ":") {
			return 0, false, false
		}
		return time.Duration(n)*time.Minute + rest, true, true
	}
	if text != "" && strings.Trim(text, "0123456789.") == "" {
		bare = true
		text += "s"
	}
	d, err := time.ParseDuration(text)
	return d, bare, err == nil && d >= 0 && d < 1<<62
}

// FormatClock writes a time control as [ParseClock] reads it, without its margin.
func FormatClock(c arena.TimeControl) string {
	var parts []string
	if c.Move > 0 {
		parts = append(parts, c.Move.String())
	}
	if c.Base > 0 {
		text := c.Base.String() + "+" + c.Increment.String()
		if c.Moves > 0 {
			text = fmt.Sprintf("%d/%s", c.Moves, text)
		}
		parts = append(parts, text)
	}
	if c.Nodes > 0 {
		parts = append(parts, fmt.Sprintf("nodes=%d", c.Nodes))
	}
	if c.Depth > 0 {
		parts = append(parts, fmt.Sprintf("depth=%d", c.Depth))
	}
	return strings.Join(parts, ",")
}
