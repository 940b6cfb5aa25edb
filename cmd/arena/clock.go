package main

import (
	"strconv"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/config"
)

// clockHelp says what parseClock reads.
const clockHelp = "100ms a move, 10s+100ms, 40/60s (moves in base), nodes=1000 or depth=4; joined with commas"

// parseClock reads a clock as flags name it: parts joined with commas, each a
// time for every move (100ms), base time and increment (10s+100ms), moves in
// base (40/60s+1s), nodes=N, depth=N or margin=50ms.
func parseClock(text string) (arena.TimeControl, error) {
	c := arena.TimeControl{Margin: config.Default().Clock.Margin}
	bad := func(part string) error {
		return usagef("clock %q: cannot read %q; write %s", text, part, clockHelp)
	}
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		name, value, named := strings.Cut(strings.Replace(part, " ", "=", 1), "=")
		if named {
			if !namedLimit(&c, name, strings.TrimSpace(value)) {
				return c, bad(part)
			}
			continue
		}
		if !timeLimit(&c, part) {
			return c, bad(part)
		}
	}
	if !c.Timed() && c.Nodes == 0 && c.Depth == 0 {
		return c, usagef("clock %q limits nothing; write %s", text, clockHelp)
	}
	return c, nil
}

func namedLimit(c *arena.TimeControl, name, value string) bool {
	if name == "margin" {
		d, err := time.ParseDuration(value)
		c.Margin = d
		return err == nil && d >= 0
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n <= 0 || n > 1<<40 {
		return false
	}
	switch name {
	case "nodes":
		c.Nodes = n
	case "depth":
		c.Depth = int(min(n, 1000))
	default:
		return false
	}
	return true
}

func timeLimit(c *arena.TimeControl, part string) bool {
	moves, rest, cyclic := strings.Cut(part, "/")
	if cyclic {
		n, err := strconv.Atoi(moves)
		if err != nil || n <= 0 {
			return false
		}
		c.Moves, part = n, rest
	}
	base, increment, sudden := strings.Cut(part, "+")
	d, err := time.ParseDuration(base)
	if err != nil || d <= 0 {
		return false
	}
	if !cyclic && !sudden {
		c.Move = d
		return true
	}
	c.Base = d
	if sudden {
		if c.Increment, err = time.ParseDuration(increment); err != nil || c.Increment < 0 {
			return false
		}
	}
	return true
}
