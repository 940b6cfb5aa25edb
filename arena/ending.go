package arena

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"botarena/engine/nearest"
)

// CheckEnding returns an error if the result, reason and blame of a played game
// contradict each other. It does not look at the moves.
func (g *Game) CheckEnding() error {
	if g.Result == Unplayed || g.Reason == Void {
		return errors.New("a game that was not played to an end")
	}
	points, ok := g.Result.Score()
	if !ok {
		return fmt.Errorf("result %q is none of 1-0, 0-1 and 1/2-1/2", g.Result)
	}
	draw := points == 0.5
	bots := [2]string{g.First, g.Second}
	winner := bots[0]
	if points == 0 {
		winner = bots[1]
	}
	switch {
	case !slices.Contains(Reasons(), g.Reason):
		return fmt.Errorf("unknown reason %q; %s", g.Reason, nearestReason(g.Reason))
	case !g.Reason.Forfeit() && g.Blame != "":
		return fmt.Errorf("%s is nobody's fault, but %q is blamed", g.Reason, g.Blame)
	case g.Reason.Forfeit() && g.Blame != bots[0] && g.Blame != bots[1]:
		return fmt.Errorf("%s needs a blame, %q or %q, not %q", g.Reason, bots[0], bots[1], g.Blame)
	case g.Reason.Forfeit() && (draw || g.Blame == winner):
		return fmt.Errorf("%s of %q, but the result is %s", g.Reason, g.Blame, g.Result)
	case draw && (g.Reason == WinByRule || g.Reason == Resign),
		!draw && g.Reason == DrawByRule:
		return fmt.Errorf("a game that ended by %s cannot be %s", g.Reason, g.Result)
	}
	return nil
}

// Limits of the search facts that a bot reports with a move; the session cuts off the
// rest.
const (
	MaxDepth = 1_000_000
	MaxNodes = 1_000_000_000_000_000
	MaxScore = 1_000_000_000 // either way
)

// maxDetail is the maximum length in bytes of a game's texts: its detail, its stage,
// and the name of its opening.
const maxDetail = 64 << 10

// Validate returns an error if the record of a played game is impossible: its ending, its
// place in the schedule, its times, the length of its texts, or the search facts of its
// moves. arena/referee checks whether the moves are legal.
func (g *Game) Validate() error {
	if err := g.CheckEnding(); err != nil {
		return err
	}
	const lastYear = 9999
	if year := g.Start.UTC().Year(); year < 1 || year > lastYear {
		return fmt.Errorf("a game that began in the year %d", year)
	}
	for _, d := range []time.Duration{g.Wall, g.CPU[0], g.CPU[1], g.OffTurn[0], g.OffTurn[1]} {
		if d < 0 {
			return fmt.Errorf("a game that took %v", d)
		}
	}
	if max(g.Number, g.Round, g.Pair, g.Attempts) > MaxGames || min(g.Number, g.Round, g.Pair, g.Attempts) < 0 {
		return fmt.Errorf("game %d, round %d, pair %d, %d void attempts: no number is beyond %d", g.Number, g.Round, g.Pair, g.Attempts, MaxGames)
	}
	if n := len(g.Detail) + len(g.Stage) + len(g.Opening.Name); n > maxDetail {
		return fmt.Errorf("stage, detail and the opening's name have %d bytes; at most %d", n, maxDetail)
	}
	if g.Plies != len(g.Moves) {
		return fmt.Errorf("plies is %d, but there are %d moves", g.Plies, len(g.Moves))
	}
	for i := range g.Moves {
		if err := g.Moves[i].Validate(); err != nil {
			return fmt.Errorf("ply %d: %w", i+1, err)
		}
	}
	return nil
}

// Validate returns an error if a field of the move's record is out of bounds.
func (m *MoveRecord) Validate() error {
	switch {
	case m.Time < 0:
		return fmt.Errorf("a time of %v", m.Time)
	case m.Depth < 0 || m.Depth > MaxDepth:
		return fmt.Errorf("a depth of %d; from 0 to %d is one", m.Depth, MaxDepth)
	case m.Nodes < 0 || m.Nodes > MaxNodes:
		return fmt.Errorf("%d nodes; from 0 to %d are some", m.Nodes, int64(MaxNodes))
	case m.Score < -MaxScore || m.Score > MaxScore:
		return fmt.Errorf("a score of %d; at most %d either way", m.Score, MaxScore)
	}
	return nil
}

func nearestReason(r Reason) string {
	names := words(Reasons())
	return nearest.Hint(string(r), names, "it is one of "+strings.Join(names, ", "))
}
