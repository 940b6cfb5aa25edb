package standings

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"botarena/arena"
	"botarena/arena/listing"
	"botarena/arena/rating"
	"botarena/arena/rating/sprt"
	"botarena/arena/text"
	"botarena/engine/nearest"
)

// A History holds the ratings of all bots over time: the maximum-likelihood rating at
// the end of each period, over all games until then. Unlike an incremental rating it
// does not restart with each event, and has for each day the ratings of that day's
// leaderboard.
type History struct {
	Event string `json:"event,omitempty"`
	Game  string `json:"game"`
	Scope
	By     string        `json:"by"`     // day, week or event
	Points []string      `json:"points"` // days, last days of weeks, or events
	Bots   []HistoryLine `json:"bots"`   // by their last rating
	Prior  float64       `json:"prior"`  // standard deviation in Elo of the prior on each rating; 0 for none
	// Links describes the links between versions; nil if there are none.
	Links *rating.VersionLinks `json:"version_links,omitempty"`
	Notes []string             `json:"notes"`

	method Method
}

// A HistoryLine is one bot's ratings.
type HistoryLine struct {
	Bot string `json:"bot"`
	// Elo after each point, nil before the bot can be compared to most others, and where
	// two bots have a bound only.
	Elo   []*float64 `json:"elo"`
	Games []int      `json:"games"` // until then
}

// last returns the line's last rating, nil if it has none.
func (l *HistoryLine) last() *float64 { return l.Elo[len(l.Elo)-1] }

// scores counts the games of each pairing by the score of the first side.
type scores map[[2]string]*[3]int

func (s scores) add(first, second string, n [3]int) {
	key := [2]string{first, second}
	if s[key] == nil {
		s[key] = &[3]int{}
	}
	for score := range n {
		s[key][score] += n[score]
	}
}

// rate rates the games so far.
func (s scores) rate(o rating.Options) (*rating.Table, error) {
	var results rating.Results
	// In one order, so that the same games give the same numbers to the last digit.
	for _, key := range slices.SortedFunc(maps.Keys(s), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		for score, n := range s[key] {
			g := rating.Group{A: key[0], B: key[1], Times: n}
			g.AsFirst[score] = 1
			if err := results.AddGroup(g); err != nil {
				return nil, err
			}
		}
	}
	return rating.Rate(&results, o)
}

// ofTwo returns the table of two bots, by their score against each other.
func (s scores) ofTwo(a, b string) *rating.Table {
	var n sprt.Trinomial
	for key, games := range s {
		for score := range games {
			if key[0] == a {
				n[score] += games[score]
			} else {
				n[len(n)-1-score] += games[score]
			}
		}
	}
	c := sprt.Compare(n)
	return &rating.Table{
		Players:    []rating.Player{{Name: a, Elo: c.Elo, Games: c.Observations}, {Name: b, Elo: swapped(c).Elo, Games: c.Observations}},
		Components: [][]string{{a, b}},
	}
}

// History rates the selected games anew at the end of each period; counts come in the
// order of time. A prior that is needed at the end is used at every point. If the
// results do not link all bots, the ratings are those of the piece with the most games. The
// spread of links between versions is that at the end, too.
// For two bots Elo is the difference between them, as in a leaderboard. An anchor has
// its rating at every point.
func (s *Selection) History(counts []arena.PeriodCount, by string) (*History, error) {
	h := &History{
		Event: s.Config.Name, Game: s.Game, Scope: s.Scope, By: by, Points: []string{}, Bots: []HistoryLine{}, Notes: []string{}, method: MaximumLikelihood,
	}
	names := map[arena.BotVersion]string{}
	for i := range counts {
		names[counts[i].First], names[counts[i].Second] = "", ""
	}
	arena.NameVersions(names)
	all, lines := scores{}, map[string]*HistoryLine{}
	for _, name := range names {
		lines[name] = &HistoryLine{Bot: name}
	}
	for i := range counts {
		all.add(names[counts[i].First], names[counts[i].Second], counts[i].Scores)
	}
	bots := slices.Sorted(maps.Keys(lines))
	links, spread, err := s.links(names, bots)
	if err != nil {
		return nil, err
	}
	rate := func(n scores) (*rating.Table, error) {
		return n.rate(rating.Options{Prior: h.Prior, Links: links, Spread: spread})
	}
	if s.Failing != "" {
		h.Notes = append(h.Notes, failingNote(s.Failing))
	}
	if len(bots) == 2 && s.Prior == 0 && len(links) == 0 {
		h.method = OfTwo
		rate = func(n scores) (*rating.Table, error) {
			t := n.ofTwo(bots[0], bots[1])
			if s.Failing != "" {
				t.Players[0].Elo, t.Players[1].Elo = nil, nil
			}
			return t, nil
		}
		if s.Failing == "" && all.ofTwo(bots[0], bots[1]).Players[0].Elo == nil {
			h.Notes = append(h.Notes, "all games went one way, so there is no Elo but a bound, which `arena leaderboard` has; --prior 400 rates both")
		}
	} else {
		end, err := all.rate(rating.Options{Prior: s.Prior, PriorIfApart: s.PriorIfApart, Links: links, Spread: spread})
		if err != nil {
			return nil, err
		}
		h.Prior = end.Prior
		if h.Links = end.Links; h.Links != nil {
			spread = h.Links.Spread
			links = slices.DeleteFunc(links, func(l rating.Link) bool { return slices.Contains(h.Links.Leaps, l) })
		}
	}
	if s.Test != nil {
		h.Notes = append(h.Notes, "this is how a sequential test went, not what it says: see `arena sprt --event "+s.Config.Name+"`")
	}
	sums, apart := scores{}, false
	for i := range counts {
		c := &counts[i]
		sums.add(names[c.First], names[c.Second], c.Scores)
		if i+1 < len(counts) && counts[i+1].Period == c.Period {
			continue
		}
		h.Points = append(h.Points, c.Period)
		table, err := rate(sums)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", by, c.Period, err)
		}
		apart = apart || len(table.Components) > 1
		h.point(table, lines, s.Anchor)
	}
	if s.Anchor != nil && lines[s.Anchor.Name] == nil {
		return nil, &rating.UnknownBotError{Name: s.Anchor.Name, Nearest: nearest.Of(s.Anchor.Name, bots)}
	}
	for _, l := range lines {
		h.Bots = append(h.Bots, *l)
	}
	slices.SortFunc(h.Bots, func(a, b HistoryLine) int {
		x, y := a.last(), b.last()
		switch {
		case x != nil && y != nil:
			return cmp.Or(cmp.Compare(*y, *x), strings.Compare(a.Bot, b.Bot))
		case x != nil:
			return -1
		case y != nil:
			return 1
		}
		return strings.Compare(a.Bot, b.Bot)
	})
	if apart {
		note := "while results do not link all bots, ratings are those of the piece with the most games"
		if h.Prior == 0 {
			note += "; --prior 400 rates all"
		}
		h.Notes = append(h.Notes, note)
	}
	if h.Prior > 0 {
		h.Notes = append(h.Notes, fmt.Sprintf("driven by a prior: each rating is drawn to 0 as by N(0, %g^2)", h.Prior))
	}
	return h, nil
}

// point adds the ratings of one point in time.
func (h *History) point(t *rating.Table, lines map[string]*HistoryLine, anchor *rating.Anchor) {
	games := make([]int, len(t.Components))
	for i := range t.Players {
		if p := &t.Players[i]; p.Elo != nil {
			games[p.Component] += p.Games
		}
	}
	main := 0
	for c := range games {
		if games[c] > games[main] {
			main = c
		}
	}
	own, given := 0.0, 0.0 // rating of the anchor, as it came out and as it is to be
	if anchor != nil {
		own, given = math.NaN(), anchor.Elo
		for i := range t.Players {
			if p := &t.Players[i]; p.Name == anchor.Name && p.Elo != nil && p.Component == main {
				own = *p.Elo
			}
		}
	}
	for i := range t.Players {
		p := &t.Players[i]
		l := lines[p.Name]
		for len(l.Elo) < len(h.Points) { // those before its first game as well
			l.Elo, l.Games = append(l.Elo, nil), append(l.Games, 0)
		}
		at := len(h.Points) - 1
		l.Games[at] = p.Games
		if p.Elo != nil && p.Component == main && !math.IsNaN(own) {
			elo := *p.Elo - own + given // the anchor's own is exactly what was given
			l.Elo[at] = &elo
		}
	}
}

// change returns how far a rating moved over the last points, nil if it does not
// go back so far.
func (l *HistoryLine) change(points int) *float64 {
	at := len(l.Elo) - 1 - points
	if at < 0 || l.Elo[at] == nil || l.last() == nil {
		return nil
	}
	d := *l.last() - *l.Elo[at]
	return &d
}

// Table lists each bot's last rating and how it changed.
func (h *History) Table() listing.Table {
	t := listing.Table{Columns: []listing.Column{{Name: "#", Key: "rank"}, {Name: "Bot", Left: true}, {Name: "Elo", As: listing.Signed}, {Name: "Change", As: listing.Signed}, {Name: "First", As: listing.Signed}, {Name: "Lowest", As: listing.Signed}, {Name: "Highest", As: listing.Signed}, {Name: "Games"}}}
	t.Title = h.title()
	for i := range h.Bots {
		l := &h.Bots[i]
		var none *float64
		row := []any{i + 1, l.Bot, l.last(), l.change(1), none, none, none, l.Games[len(l.Games)-1]}
		var rated []float64
		for _, e := range l.Elo {
			if e != nil {
				rated = append(rated, *e)
			}
		}
		if len(rated) > 0 {
			row[4], row[5], row[6] = rated[0], slices.Min(rated), slices.Max(rated)
		}
		t.Rows = append(t.Rows, row)
	}
	elo := "maximum likelihood over all games until then, around the pool's mean"
	if h.method == OfTwo {
		elo = "difference to the other bot, by their score against each other until then"
	}
	t.Notes = append(wrap("", fmt.Sprintf("Elo: %s; Change: since the %s before.", elo, h.By)), h.facts()...)
	for _, n := range h.Notes {
		t.Notes = append(t.Notes, wrap("Note: ", n+".")...)
	}
	return t
}

// Long lists every rating at every point, for spreadsheets.
func (h *History) Long() listing.Table {
	t := listing.Table{Columns: []listing.Column{{Name: "Until", Left: true}, {Name: "Bot", Left: true}, {Name: "Elo"}, {Name: "Games"}}}
	for i := range h.Bots {
		for k, point := range h.Points {
			if l := &h.Bots[i]; l.Games[k] > 0 {
				t.Rows = append(t.Rows, []any{point, l.Bot, l.Elo[k], l.Games[k]})
			}
		}
	}
	return t
}

// facts describes how the ratings were computed, and of which events.
func (h *History) facts() []string { return slices.Concat(linksLine(h.Links), h.lines()) }

func (h *History) title() string { return titled(h.Event, h.Game, "ratings by "+h.By) }

// historyHeight is the height, in lines, of the chart of a history in a terminal.
const historyHeight = 18

// historyLetters mark the bots of a chart in a terminal.
const historyLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// Text draws the ratings over time in so many columns (at least 40), a letter a
// bot; where two meet, the better one's is seen.
func (h *History) Text(columns int) string {
	low, high := math.Inf(1), math.Inf(-1)
	for i := range h.Bots {
		for _, e := range h.Bots[i].Elo {
			if e != nil {
				low, high = min(low, *e), max(high, *e)
			}
		}
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n\n", h.title())
	if low > high {
		out.WriteString("No bot can be rated yet.\n")
		h.writeNotes(&out)
		return out.String()
	}
	low, high = math.Floor(low/10)*10, max(math.Ceil(high/10)*10, math.Floor(low/10)*10+10)
	const label = 7
	width := max(40, columns) - label - 2
	grid := make([][]rune, historyHeight)
	for y := range grid {
		grid[y] = []rune(strings.Repeat(" ", width))
	}
	column := func(point int) int { return point * (width - 1) / max(1, len(h.Points)-1) }
	row := func(elo float64) int { return int(math.Round((high - elo) / (high - low) * (historyHeight - 1))) }
	for i := len(h.Bots) - 1; i >= 0; i-- {
		for k, e := range h.Bots[i].Elo {
			if e == nil {
				continue
			}
			to := k // the line goes level until the next point
			if k+1 < len(h.Points) {
				to = k + 1
			}
			for x := column(k) + 1; x < column(to); x++ {
				if y := row(*e); grid[y][x] == ' ' {
					grid[y][x] = '·'
				}
			}
			grid[row(*e)][column(k)] = rune(historyLetters[i%len(historyLetters)])
		}
	}
	for y, line := range grid {
		mark := ""
		if y%((historyHeight-1)/4) == 0 || y == historyHeight-1 {
			mark = signed(high - (high-low)*float64(y)/(historyHeight-1))
		}
		fmt.Fprintf(&out, "%*s ┤%s\n", label-1, mark, strings.TrimRight(string(line), " "))
	}
	first, last := text.Line(h.Points[0], 20), text.Line(h.Points[len(h.Points)-1], 20)
	gap := max(1, width-utf8.RuneCountInString(first)-utf8.RuneCountInString(last))
	fmt.Fprintf(&out, "%s└%s\n", strings.Repeat(" ", label), strings.Repeat("─", width))
	if len(h.Points) == 1 {
		last = ""
	}
	fmt.Fprintf(&out, "%s\n\n", strings.TrimRight(strings.Repeat(" ", label+1)+first+strings.Repeat(" ", gap)+last, " "))
	for i := range h.Bots {
		if l := &h.Bots[i]; l.last() != nil {
			fmt.Fprintf(&out, " %c %-*s %6s", historyLetters[i%len(historyLetters)], mostName, text.Line(l.Bot, mostName), signed(*l.last()))
			if d := l.change(1); d != nil {
				fmt.Fprintf(&out, " (%s since the %s before)", signed(*d), h.By)
			}
			out.WriteString("\n")
		}
	}
	if lines := h.facts(); len(lines) > 0 {
		fmt.Fprintf(&out, "\n%s\n", strings.Join(lines, "\n"))
	}
	h.writeNotes(&out)
	return out.String()
}

func (h *History) writeNotes(out *strings.Builder) {
	for _, n := range h.Notes {
		fmt.Fprintf(out, "\n%s\n", strings.Join(wrap("Note: ", n+"."), "\n"))
	}
}

// WriteSVG draws the ratings over time as a standalone SVG image.
func (h *History) WriteSVG(w io.Writer) error { return h.Chart().WriteSVG(w) }

// Chart returns the ratings over time as a chart.
func (h *History) Chart() *LineChart {
	c := &LineChart{Title: h.title(), Unit: h.By + "s"}
	for i := range h.Bots {
		s := Series{Name: h.Bots[i].Bot}
		begun := false
		for k, e := range h.Bots[i].Elo {
			switch {
			case e != nil && !begun:
				begun, s.From, s.Start = true, k, *e
			case e != nil:
				s.Ratings = append(s.Ratings, *e)
			case begun: // out of the piece for a while: level
				s.Ratings = append(s.Ratings, append([]float64{s.Start}, s.Ratings...)[len(s.Ratings)])
			}
		}
		if begun {
			c.Series = append(c.Series, s)
		}
	}
	return c
}
