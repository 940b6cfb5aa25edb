package main

import (
	"botarena/arena"
	"botarena/arena/config"
)

// clockHelp says what parseClock reads.
const clockHelp = config.ClockHelp

// parseClock reads a clock as flags name it.
func parseClock(text string) (arena.TimeControl, error) {
	c, err := config.ParseClock(text)
	return c, usageError(err)
}
