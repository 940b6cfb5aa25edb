package standings

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"botarena/arena/listing"
	"botarena/arena/rating"
	"botarena/arena/text"
)

// eloCell returns a rating, or its bound if there is only that.
func eloCell(elo *float64, bounds []rating.Bound) any {
	if elo != nil || len(bounds) == 0 {
		return elo
	}
	sign := ">"
	if bounds[0].Kind == "upper" {
		sign = "<"
	}
	return listing.Cell{Text: sign + signed(bounds[0].Elo)}
}

// mostNotes is the default maximum of notes below a table.
const mostNotes = 3

// footer returns the lines below the leaderboard, and those that are printed only on
// request.
func (lb *Leaderboard) footer() (lines, more []string) {
	moving := "Moving first"
	if lb.Format != "" {
		lines = wrap("", "Places: "+strings.Join(lb.Order, ", then ")+".")
	}
	if !lb.foreign {
		moving = "Playing " + lb.Sides[0]
	}
	lines = append(lines, lb.lines()...)
	lines = append(lines, facts(lb.Method, lb.anchor, lb.Prior, lb.pairs)...)
	lines = append(lines, linksLine(lb.Links)...)
	if x := lb.Anytime; x != nil {
		lines = append(lines, wrap("", fmt.Sprintf("At all times: Elo of %s %s (95 %%, however often one looks and whenever one stops).",
			x.Bots[0], between(x.Interval)))...)
	}
	lines = append(lines, drawsLine(lb.DrawRate, lb.Advantage, lb.AdvantageError, moving))
	if lb.byes {
		lines = append(lines, "A round without an opponent, a bye, counts like a pair won.")
	}
	for i, n := range slices.Concat(lb.Notes, lb.more) {
		note := wrap("Note: ", n+".")
		if i < min(mostNotes, len(lb.Notes)) {
			lines = append(lines, note...)
		} else {
			more = append(more, note...)
		}
	}
	return lines, more
}

// facts describes how the ratings were computed.
func facts(m Method, anchor *rating.Anchor, prior float64, pairs bool) []string {
	elo, from := "maximum likelihood around the pool's mean", "games"
	switch {
	case m == AfterStop:
		elo = "difference to the other bot, " + string(AfterStop)
	case m == OfTwo:
		elo = "difference to the other bot, by their score against each other"
	case prior > 0:
		elo = fmt.Sprintf("most probable with a prior of ±%g around 0", prior)
	}
	if anchor != nil {
		elo += fmt.Sprintf(", shifted to %s = %g", anchor.Name, anchor.Elo)
	}
	if pairs {
		from = "pairs"
	}
	return wrap("", fmt.Sprintf("Elo: %s; ±: 95 %% interval, from %s; LOS: likelihood of superiority over the next.", elo, from))
}

// NothingToLink is the note below a table whose versions were to be linked.
const NothingToLink = "there is nothing to link: no bot has two versions with games here"

// linksLine says that ratings of versions are linked, and how.
func linksLine(l *rating.VersionLinks) []string {
	if l == nil {
		return nil
	}
	line := "Version links: none."
	switch links := text.Plural(l.Count, "link"); {
	case l.Count > 0 && l.Estimated:
		line = fmt.Sprintf("Version links: s = %.0f Elo, estimated from %s: a version differs from the last as by N(0, s^2).", l.Spread, links)
	case l.Count > 0:
		line = fmt.Sprintf("Version links: s = %g Elo, given, for %s: a version differs from the last as by N(0, s^2).", l.Spread, links)
	}
	if len(l.Leaps) > 0 {
		const most = 5
		var names []string
		for _, leap := range l.Leaps[:min(most, len(l.Leaps))] {
			names = append(names, leap.Newer)
		}
		if more := len(l.Leaps) - most; more > 0 {
			names = append(names, fmt.Sprintf("and %d more", more))
		}
		line += " Not linked, since by its games it leapt: " + strings.Join(names, ", ") + "."
	}
	return wrap("", line)
}

func drawsLine(drawRate float64, advantage, advantageError *float64, moving string) string {
	line := fmt.Sprintf("Draws: %.1f %%.", 100*drawRate)
	if advantage != nil && advantageError != nil {
		line += fmt.Sprintf(" %s is worth %s ± %.0f Elo.", moving, signed(*advantage), *advantageError)
	}
	return line
}

// footerWidth is the width, in columns, of lines below a table.
const footerWidth = 100

// wrap breaks a line below a table.
func wrap(label, words string) []string { return text.Wrap(label, words, footerWidth) }

// CycleNote returns a note on bots that beat each other in a circle, or "" if none do.
func CycleNote(r *rating.Results, t *rating.Table) string {
	const most = 3
	cycles := rating.Cycles(r, t)
	if len(cycles) == 0 {
		return ""
	}
	var list []string
	for i, c := range cycles {
		if i == most {
			list = append(list, fmt.Sprintf("and %d more such circles", len(cycles)-most))
			break
		}
		list = append(list, fmt.Sprintf("%s beats %s beats %s beats %s", c.Bots[0], c.Bots[1], c.Bots[2], c.Bots[0]))
	}
	return "not transitive (no number each is right for all): " + strings.Join(list, "; ")
}

// signed formats a number rounded to an integer, with its sign unless it is 0.
func signed(x float64) string { return fmt.Sprintf("%+.0f", math.Round(x)+0) }

func percent(x *float64) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100**x)
}
