package standings

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"botarena/arena/schedule"
)

// drawBracket draws a knockout as a tree, a column a stage: each bot with its
// points in the match that it plays there, and whoever goes on to the right.
//
//	a 2 ─┐
//	     ├─ a 1 ─┐
//	b 0 ─┘       │
//	             ├─ d
//	c 0 ─┐       │
//	     ├─ d 3 ─┘
//	d 2 ─┘
//
// An empty line follows; nothing is drawn of nil.
func drawBracket(w io.Writer, b *schedule.Bracket) {
	if b == nil || len(b.Stages) == 0 {
		return
	}
	lines := make([][]string, 4*len(b.Stages[0].Matches)-1) // a column for each stage, and the winner's
	for i := range lines {
		lines[i] = make([]string, len(b.Stages)+1)
	}
	heads := make([]string, len(b.Stages)+1)
	for stage, s := range b.Stages {
		heads[stage] = s.Name
		step := 2 << stage // between the lines of two bots
		for i, m := range s.Matches {
			at := step*2*i + step/2 - 1
			first, second := cmp.Or(m.First, "?"), cmp.Or(m.Second, "?")
			switch {
			case m.Bye:
				second = "(bye)"
			case m.First != "" && m.Second != "":
				first, second = fmt.Sprintf("%s %g", first, m.FirstPoints), fmt.Sprintf("%s %g", second, m.SecondPoints)
			}
			lines[at][stage], lines[at+step][stage] = first, second
		}
	}
	heads[len(b.Stages)] = "winner"
	lines[len(lines)/2][len(b.Stages)] = cmp.Or(b.Winner, "?")

	texts := make([]strings.Builder, len(lines))
	var head strings.Builder
	for stage := range heads {
		width := utf8.RuneCountInString(heads[stage])
		for i := range lines {
			width = max(width, utf8.RuneCountInString(lines[i][stage]))
		}
		head.WriteString(pad(heads[stage], width+5, " "))
		step := 2 << stage
		for i := range lines {
			text := lines[i][stage]
			if stage == len(b.Stages) {
				texts[i].WriteString(text)
				continue
			}
			// where the line stands in its match: from the first bot to the second
			in := i%(2*step) - (step/2 - 1)
			switch {
			case in == 0:
				texts[i].WriteString(pad(text+" ", width+2, "─") + "┐  ")
			case in == step:
				texts[i].WriteString(pad(text+" ", width+2, "─") + "┘  ")
			case in == step/2:
				texts[i].WriteString(pad("", width+2, " ") + "├─ ")
			case in > 0 && in < step:
				texts[i].WriteString(pad("", width+2, " ") + "│  ")
			default:
				texts[i].WriteString(pad("", width+5, " "))
			}
		}
	}
	fmt.Fprintln(w, strings.TrimRight(head.String(), " "))
	for i := range texts {
		fmt.Fprintln(w, strings.TrimRight(texts[i].String(), " "))
	}
	fmt.Fprintln(w)
}

// pad fills a text up to a width.
func pad(text string, width int, with string) string {
	return text + strings.Repeat(with, max(0, width-utf8.RuneCountInString(text)))
}
