package exchange

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/text"
)

// A CSV writes games as CSV, one row a game under a row of names. Texts are as
// [text.Cell] writes them.
type CSV struct {
	w     *csv.Writer
	moves bool
}

// NewCSV returns a writer of CSV, whose last column is the moves where asked for.
func NewCSV(w io.Writer, moves bool) *CSV {
	c := &CSV{w: csv.NewWriter(w), moves: moves}
	names := []string{
		"event", "number", "round", "pair", "stage", "game", "first", "second",
		"first_version", "second_version", "first_fingerprint", "second_fingerprint",
		"opening_name", "opening_position", "opening_moves",
		"result", "reason", "detail", "blame", "plies", "void", "start", "seconds",
		"first_cpu_seconds", "second_cpu_seconds",
	}
	if moves {
		names = append(names, "moves")
	}
	_ = c.w.Write(names) // its error is Flush's too
	return c
}

// Write writes one game.
func (c *CSV) Write(g *Game) error {
	began := ""
	if !g.Start.IsZero() {
		began = g.Start.UTC().Format(time.RFC3339Nano)
	}
	row := []string{
		g.Event, strconv.Itoa(g.Number), strconv.Itoa(g.Round), strconv.Itoa(g.Pair), g.Stage, g.Game.Game, g.First, g.Second,
		strconv.Itoa(g.Versions[0].Number), strconv.Itoa(g.Versions[1].Number), g.Versions[0].Fingerprint, g.Versions[1].Fingerprint,
		g.Opening.Name, g.Opening.Position, strings.Join(g.Opening.Moves, " "),
		string(g.Result), string(g.Reason), g.Detail, g.Blame, strconv.Itoa(g.Plies), strconv.Itoa(g.Attempts), began, seconds(g.Wall).String(),
		seconds(g.CPU[0]).String(), seconds(g.CPU[1]).String(),
	}
	if c.moves {
		row = append(row, strings.Join(arena.Texts(g.Moves), " "))
	}
	for i := range row {
		row[i] = text.Cell(row[i])
	}
	return c.w.Write(row)
}

// Flush writes what is buffered.
func (c *CSV) Flush() error {
	c.w.Flush()
	return c.w.Error()
}
