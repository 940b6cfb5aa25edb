package arena

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"botarena/engine/nearest"
)

// CheckEnding says what does not fit together in how a game that was played ended:
// its result, its reason and its blame. The moves are not looked at.
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

func nearestReason(r Reason) string {
	names := make([]string, len(Reasons()))
	for i, k := range Reasons() {
		names[i] = string(k)
	}
	if near := nearest.Of(string(r), names); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "it is one of " + strings.Join(names, ", ")
}
