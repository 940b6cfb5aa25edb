package standings

import (
	"fmt"
	"strings"

	"botarena/arena/rating/race"
	"botarena/arena/rating/sprt"
	"botarena/arena/schedule"
)

// TrialStatus describes the state of a match and its test, for progress, as the named
// first bot sees it; "" before the first pair of a match.
func TrialStatus(bot string, t *schedule.Trial) string {
	counts := t.Counts()
	if !t.Tested {
		return anytimeLine(bot, sprt.Compare(counts), sprt.Anytime(counts))
	}
	lower, upper := t.Test.Bounds()
	status := fmt.Sprintf("LLR %+.2f (%+.2f, %+.2f)", t.LLR(), lower, upper)
	if r := sprt.Compare(counts); r.Elo != nil && r.EloError != nil {
		status += fmt.Sprintf(", Elo %+.1f ± %.1f", *r.Elo, *r.EloError)
	}
	return status + ", pairs " + strings.Trim(strings.ReplaceAll(fmt.Sprint(counts), " ", "-"), "[]")
}

// RaceStatus describes the state of a race, for progress.
func RaceStatus(r *schedule.Race) string {
	parts := []string{fmt.Sprintf("%d of %d in the race", len(r.Names(race.Running)), len(r.Candidates))}
	if accepted := r.Names(race.Accepted); len(accepted) > 0 {
		parts = append(parts, "accepted: "+strings.Join(accepted, " "))
	}
	best := -1
	for i := range r.Candidates {
		if c := &r.Candidates[i]; c.State == race.Running && (best < 0 || c.LLR > r.Candidates[best].LLR) {
			best = i
		}
	}
	if best >= 0 {
		c := &r.Candidates[best]
		parts = append(parts, fmt.Sprintf("first of them: %s LLR %+.2f (%+.2f, %+.2f)", c.Bot, c.LLR, c.Lower, c.Upper))
	}
	return strings.Join(parts, ", ")
}
