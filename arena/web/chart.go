package web

import (
	"fmt"
	"html"
	"strings"
	"time"

	"botarena/arena/replay"
	"botarena/engine"
)

// The bands of a game's chart, in hundredths of its height.
const (
	scoreTop, scoreHeight = 0.0, 44.0
	timeTop, timeHeight   = 50.0, 22.0
	depthTop, depthHeight = 78.0, 22.0
)

// chart draws score, time and depth of a game over its plies, one unit wide each:
// lines of the first side whole, of the second broken. Each ply is a link.
func chart(p *replay.Replay, ply int, url func(ply int) string) string {
	n := len(p.Frames) - 1
	if n < 1 {
		return ""
	}
	var longest time.Duration
	deepest := 0
	for i := 1; i <= n; i++ {
		longest = max(longest, p.Frames[i].Move.Time)
		deepest = max(deepest, p.Frames[i].Move.Depth)
	}
	var score, depth [2]strings.Builder
	var bars [2]strings.Builder
	for i := 1; i <= n; i++ {
		f := &p.Frames[i]
		side := 0
		if f.Side == engine.Second {
			side = 1
		}
		x := float64(i) - 0.5
		if f.Move.HasScore {
			to(&score[side], x, scoreTop+scoreHeight*(1-firstExpects(f)))
		}
		if longest > 0 && f.Move.Time > 0 {
			height := timeHeight * float64(f.Move.Time) / float64(longest)
			fmt.Fprintf(&bars[side], "M%g %.4gv%.3gh.8v-%[3]gz", float64(i)-0.9, timeTop+timeHeight-height, height)
		}
		if f.Move.Depth > 0 {
			to(&depth[side], x, depthTop+depthHeight*(1-float64(f.Move.Depth)/float64(deepest)))
		}
	}
	wide := n
	if p.Failed() != nil {
		wide++ // for the move that was not made
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d 100" preserveAspectRatio="none"><g role="img" aria-label="Score, time and depth over %d plies; the list of moves has the numbers">`, wide, n)
	for _, band := range [][2]float64{{scoreTop, scoreHeight}, {timeTop, timeHeight}, {depthTop, depthHeight}} {
		fmt.Fprintf(&b, `<path class="band" d="M0 %gh%dv%gh-%[2]dz"/>`, band[0], wide, band[1])
	}
	fmt.Fprintf(&b, `<path class="zero" d="M0 %gh%d"/>`, scoreTop+scoreHeight/2, wide)
	for side := range 2 {
		class := []string{"series-first", "series-second"}[side]
		for _, line := range []string{score[side].String(), depth[side].String()} {
			if line != "" {
				fmt.Fprintf(&b, "<path class=%q d=%q/>", class, line)
			}
		}
		if bars[side].Len() > 0 {
			fmt.Fprintf(&b, "<path class=\"bar-%s\" d=%q/>", class[len("series-"):], bars[side].String())
		}
	}
	for _, m := range p.Marks {
		at := float64(max(m.Ply, 1)) - 0.5
		if m.Kind == replay.Fault {
			at = float64(n) + 0.5
		}
		fmt.Fprintf(&b, `<path class="mark-%s" d="M%g 0v100"/>`, m.Kind, at)
	}
	at := 0.0
	if ply > 0 {
		at = float64(ply) - 0.5
	}
	fmt.Fprintf(&b, "<path class=\"cursor\" d=\"M%g 0v100\"/></g>\n<g aria-hidden=\"true\">", at)
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, `<a tabindex="-1" href="%s"><path d="M%d 0h1v100h-1z"/></a>`, html.EscapeString(url(i)), i-1)
	}
	b.WriteString("</g></svg>")
	return b.String()
}

// to appends a point to a line.
func to(b *strings.Builder, x, y float64) {
	c := "L"
	if b.Len() == 0 {
		c = "M"
	}
	fmt.Fprintf(b, "%s%g %.4g", c, x, y)
}
