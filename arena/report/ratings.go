package report

import (
	"fmt"
	"strconv"
	"strings"

	"botarena/arena/rating"
)

// RatingsTable lays out the ratings of games that were played anywhere. Elo, its
// error and the score are printed with so many decimals.
func RatingsTable(t *rating.Table, o rating.Options, decimals int) Table {
	out := Table{
		Title: fmt.Sprintf("%s · %s", plural(len(t.Players), "player"), plural(t.Games, "game")),
		Columns: []Column{
			{Name: "#"},
			{Name: "Player", Left: true},
			{Name: "Elo"},
			{Name: "±"},
			{Name: "LOS"},
			{Name: "Games"},
			{Name: "Wins"},
			{Name: "Draws"},
			{Name: "Losses"},
			{Name: "Score"},
		},
	}
	for i := range t.Players {
		p := &t.Players[i]
		out.Rows = append(out.Rows, []string{
			strconv.Itoa(i + 1), p.Name, eloCell(p.Elo, p.Bounds, decimals), decimal(p.Error, fmt.Sprintf("%%.%df", decimals)), percent(p.LOSNext),
			strconv.Itoa(p.Games), strconv.Itoa(p.Wins), strconv.Itoa(p.Draws), strconv.Itoa(p.Losses), percent(share(p.Points, p.Games)),
		})
	}
	if t.Games == 0 {
		out.Notes = []string{"No game has a result."}
		return out
	}
	out.Notes = footer(method{anchor: o.Anchor, prior: o.Prior, pairs: o.Pairs}, t.DrawRate, t.Advantage, t.AdvantageError, "Moving first", t.Notes)
	return out
}

// method is how ratings came about, as far as a reader has to know.
type method struct {
	anchor *rating.Anchor
	prior  float64
	pairs  bool
}

// eloCell is a rating, or its bound where there is one only.
func eloCell(elo *float64, bounds []rating.Bound, decimals int) string {
	if elo != nil {
		return signedTo(*elo, decimals)
	}
	if len(bounds) == 0 {
		return "-"
	}
	sign := ">"
	if bounds[0].Kind == "upper" {
		sign = "<"
	}
	return sign + signedTo(bounds[0].Elo, decimals)
}

// footer are the lines below a table of ratings.
func footer(m method, drawRate float64, advantage, advantageError *float64, moving string, notes []string) []string {
	elo, from := "maximum likelihood around the pool's mean", "games"
	if m.prior > 0 {
		elo = fmt.Sprintf("most probable with a prior of ±%g around 0", m.prior)
	}
	if m.anchor != nil {
		elo += fmt.Sprintf(", shifted to %s = %g", m.anchor.Name, m.anchor.Elo)
	}
	if m.pairs {
		from = "pairs"
	}
	lines := wrap("", fmt.Sprintf("Elo: %s; ±: 95 %% interval, from %s; LOS: likelihood of superiority over the next.", elo, from))
	facts := []string{fmt.Sprintf("Draws: %.1f %%.", 100*drawRate)}
	if advantage != nil && advantageError != nil {
		facts = append(facts, fmt.Sprintf("%s is worth %s ± %.0f Elo.", moving, signed(*advantage), *advantageError))
	}
	lines = append(lines, strings.Join(facts, " "))
	for _, n := range notes {
		lines = append(lines, wrap("Note: ", n+".")...)
	}
	return lines
}

// footerWidth is how many columns a line below a table takes.
const footerWidth = 100

// wrap breaks a text into lines, the first of which begins with the label and
// the others below it.
func wrap(label, text string) []string {
	var lines []string
	line := label
	width, start := len(label), true
	for _, word := range strings.Fields(text) {
		n := len([]rune(word))
		if !start && width+1+n > footerWidth {
			lines = append(lines, line)
			line, width, start = strings.Repeat(" ", len(label)), len(label), true
		}
		if !start {
			line += " "
			width++
		}
		line += word
		width, start = width+n, false
	}
	return append(lines, line)
}

// CycleNote says which bots beat each other in a circle, "" where none do.
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
	return "not transitive, so that one number each cannot be right for all pairings: " + strings.Join(list, "; ")
}
