package standings

import (
	"fmt"

	"botarena/arena/listing"
	"botarena/arena/rating/sprt"
	"botarena/arena/text"
)

// An SPRTOutcome holds the outcome of a sequential test between two bots. Once it has
// stopped, its Elo and nElo are the unbiased ones; those of HeadToHead are the naive
// ones.
type SPRTOutcome struct {
	sprt.Report
	Test sprt.Test `json:"test"`
	// HeadToHead has the games up to the decision.
	HeadToHead *HeadToHead `json:"head_to_head"`
	// After counts the games that were in progress when the test was decided; they
	// are on record and not in these numbers.
	After int `json:"games_after"`
	// Path is the log-likelihood ratio after each pair.
	Path []float64 `json:"-"`
}

// NewSPRTOutcome returns the outcome of a test with these games and their report.
func NewSPRTOutcome(test sprt.Test, r sprt.Report, h *HeadToHead) *SPRTOutcome {
	if u := r.Unbiased; u != nil {
		half, nhalf := (u.High-u.Low)/2, (u.NEloHigh-u.NEloLow)/2
		r.Elo, r.EloError, r.Low, r.High, r.NElo, r.NEloError = &u.Elo, &half, &u.Low, &u.High, &u.NElo, &nhalf
		h.Unbiased, h.ByPairs.Naive, h.ByGames.Naive = u, true, true
	}
	return &SPRTOutcome{Report: r, Test: test, HeadToHead: h}
}

// unit returns the unit of a test's hypotheses.
func unit(m sprt.Model) string {
	if m == sprt.Normalized {
		return "nElo"
	}
	return "Elo"
}

// TestLine describes the hypotheses of a test.
func TestLine(s sprt.Test) string {
	bounds := "Wald's bounds"
	if s.Corrected {
		bounds = "bounds corrected for overshoot"
	}
	return fmt.Sprintf("SPRT of H0: %g against H1: %g %s, alpha %g, beta %g, %s.", s.Elo0, s.Elo1, unit(s.Model), s.Alpha, s.Beta, bounds)
}

// SPRTLines describes the state of a test and its estimates, by pairs or by single
// games.
func SPRTLines(s sprt.Test, r sprt.Report, pairs bool) []string {
	noun := "game"
	if pairs {
		noun = "pair"
	}
	lines := []string{
		TestLine(s),
		fmt.Sprintf("LLR %+.4f (bounds %+.4f, %+.4f) after %s: %s.", r.LLR, r.Lower, r.Upper, text.Plural(r.Observations, noun), verdict(s, r.Verdict)),
	}
	if r.Observations == 0 {
		return lines
	}
	if r.Unbiased == nil { // not stopped, or all won or all lost: the bound is that of the first stop there is
		return append(lines, strengthLine(r.Comparison, pairs))
	}
	lines = append(lines, unbiasedLine(r.Unbiased))
	if every := r.Unbiased.Every; every > 1 {
		lines = append(lines, fmt.Sprintf(
			"It takes the test to have looked every %d %ss: LLR is farther beyond the bound than one %s goes.", every, noun, noun))
	}
	return lines
}

func unbiasedLine(u *sprt.Estimate) string {
	return fmt.Sprintf("Median-unbiased after the stop: Elo %+.1f (95 %%: %+.1f to %+.1f), nElo %+.1f (%+.1f to %+.1f).",
		u.Elo, u.Low, u.High, u.NElo, u.NEloLow, u.NEloHigh)
}

// verdict describes what a verdict means.
func verdict(s sprt.Test, v sprt.Verdict) string {
	switch v {
	case sprt.AcceptH1:
		return fmt.Sprintf("accept H1 (%g %s rather than %g)", s.Elo1, unit(s.Model), s.Elo0)
	case sprt.AcceptH0:
		return fmt.Sprintf("accept H0 (%g %s rather than %g)", s.Elo0, unit(s.Model), s.Elo1)
	}
	return "continue (not decided yet)"
}

// Table returns the head-to-head up to the decision, with the verdict on top of the
// lines below it.
func (o *SPRTOutcome) Table() listing.Table {
	t := o.HeadToHead.Tallies()
	t.Notes = append(t.Notes, SPRTLines(o.Test, o.Report, true)...)
	if o.HeadToHead.Games > 0 {
		t.Notes = append(t.Notes, o.HeadToHead.Facts()...)
	}
	if o.After > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("Note: %s in progress when the test was decided, and not counted.", games(o.After, "was", "were")))
	}
	return t
}
