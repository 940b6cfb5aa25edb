package standings

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"botarena/arena/listing"
	"botarena/arena/rating"
	"botarena/arena/text"
)

// RatingsTable lays out the ratings of games that were played anywhere. Elo, its
// error and the score are printed with so many decimals.
func RatingsTable(t *rating.Table, o rating.Options, decimals int) listing.Table {
	out := listing.Table{
		Title: fmt.Sprintf("%s · %s", text.Plural(len(t.Players), "player"), text.Plural(t.Games, "game")),
		Columns: []listing.Column{
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
	if len(t.Components) > 1 {
		out.Columns = slices.Insert(out.Columns, 2, listing.Column{Name: pieceColumn})
		for i := range out.Rows {
			out.Rows[i] = slices.Insert(out.Rows[i], 2, strconv.Itoa(t.Players[i].Component+1))
		}
	}
	if t.Games == 0 {
		out.Notes = []string{"No game has a result."}
		return out
	}
	m := method{anchor: o.Anchor, prior: t.Prior, pairs: t.Pairs}
	out.Notes, out.Full = footer(m, t.DrawRate, t.Advantage, t.AdvantageError, "Moving first", t.Notes)
	return out
}

// pieceColumn tells apart bots whose ratings cannot be compared.
const pieceColumn = "Piece"

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

// footer are the lines below a table of ratings: with the most important notes,
// each in one line, and in full where that leaves something out.
func footer(m method, drawRate float64, advantage, advantageError *float64, moving string, notes []string) (lines, full []string) {
	const most = 3
	lines = facts(m, drawRate, advantage, advantageError, moving)
	full = slices.Clone(lines)
	cut := len(notes) > most
	for i, n := range notes {
		full = append(full, wrap(noteLabel, n+".")...)
		if i < most {
			line, short := brief(n + ".")
			lines = append(lines, noteLabel+line)
			cut = cut || short
		}
	}
	if !cut {
		full = nil
	}
	return lines, full
}

const noteLabel = "Note: "

// brief returns the first part of a note, which fits in a line; cut reports
// whether it is not all of it.
func brief(note string) (line string, cut bool) {
	const mark = " …"
	most := footerWidth - len(noteLabel)
	runes := []rune(note)
	if len(runes) <= most {
		return note, false
	}
	line = string(runes[:most-len([]rune(mark))])
	// Best where a part of the note ends, unless that leaves next to nothing.
	for _, end := range []string{": ", "; ", ", ", " "} {
		if i := strings.LastIndex(line, end); i > most/2 {
			return line[:i+len(strings.TrimRight(end, ", "))] + mark, true
		}
	}
	return line + mark, true
}

// facts say how the ratings came about.
func facts(m method, drawRate float64, advantage, advantageError *float64, moving string) []string {
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
	said := []string{fmt.Sprintf("Draws: %.1f %%.", 100*drawRate)}
	if advantage != nil && advantageError != nil {
		said = append(said, fmt.Sprintf("%s is worth %s ± %.0f Elo.", moving, signed(*advantage), *advantageError))
	}
	return append(lines, strings.Join(said, " "))
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
	return "not transitive (no number each is right for all): " + strings.Join(list, "; ")
}
