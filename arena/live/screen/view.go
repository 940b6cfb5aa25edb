package screen

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"botarena/arena/live"
	"botarena/arena/replay"
	"botarena/arena/text"
)

const (
	leastCard  = 26 // columns of a board with what is beside it
	leastPanel = 24 // columns of the standings beside the boards
	gap        = 2  // columns between boards
	head       = 2  // lines above the boards
	foot       = 1  // lines below
)

// View draws the screen.
func (m *Model) View() tea.View {
	v := tea.NewView(m.content())
	v.AltScreen = true
	v.WindowTitle = "arena watch"
	return v
}

// content returns all lines of the screen, each of at most its width.
func (m *Model) content() string {
	if m.width < 1 || m.height < 1 {
		return ""
	}
	lines := []string{m.bold(m.title()), m.second()}
	lines = append(lines, m.main()...)
	lines = lines[:min(len(lines), max(0, m.height-foot))]
	for len(lines) < m.height-foot {
		lines = append(lines, "")
	}
	lines = append(lines, m.faint(m.keys()))
	for i, line := range lines {
		lines[i] = ansi.Truncate(line, m.width, "…")
	}
	return strings.Join(lines, "\n")
}

// body returns how many lines there are between head and foot.
func (m *Model) body() int { return max(0, m.height-head-foot) }

func (m *Model) bold(s string) string {
	if !m.opt.Color {
		return s
	}
	return lipgloss.NewStyle().Bold(true).Render(s)
}

func (m *Model) faint(s string) string {
	if !m.opt.Color {
		return s
	}
	return lipgloss.NewStyle().Faint(true).Render(s)
}

// title says which event, and how far it is.
func (m *Model) title() string {
	e, ok := m.run(m.event)
	if !ok {
		if m.event == "" {
			return "arena watch"
		}
		return text.Line(m.event, 60) + " · not being played"
	}
	parts := []string{text.Line(e.Name, 60), text.Line(e.Game, 40), string(e.Format)}
	if n := len(m.seen.Events); n > 1 {
		i := slices.IndexFunc(m.seen.Events, func(o live.Event) bool { return o.Name == e.Name })
		parts[0] = fmt.Sprintf("[%d/%d] %s", i+1, n, parts[0])
	}
	games := fmt.Sprintf("%d games", e.Played)
	if goal := max(e.Planned, e.Total); goal > 0 {
		games = fmt.Sprintf("%d/%d games", e.Played, goal)
	}
	parts = append(parts, games)
	if !e.Running {
		return strings.Join(append(parts, "ended"), " · ")
	}
	if spent, done := m.now.Sub(e.Since), e.Played-e.Before; spent > 0 && done > 0 {
		rate := float64(done) / spent.Seconds()
		parts = append(parts, fmt.Sprintf("%.3g/s", rate))
		if left := max(e.Planned, e.Total) - e.Played; left > 0 {
			parts = append(parts, clock(time.Duration(float64(left)/rate*float64(time.Second)), false)+" left")
		}
	}
	return strings.Join(parts, " · ")
}

// second returns the line below the title.
func (m *Model) second() string {
	if len(m.problems) > 0 {
		return "! " + text.Escape(m.problems[0])
	}
	return ""
}

// keys says which keys do what.
func (m *Model) keys() string {
	switch m.mode {
	case one:
		return "q quit · ? help · esc back · up/down moves · left/right another board · f flip · e scores"
	case standings:
		return "q quit · ? help · s boards · up/down scroll · tab next event"
	case help:
		return "q quit · esc back"
	case grid:
	}
	return "q quit · ? help · arrows choose · enter one board · s standings · f flip · e scores · tab next event"
}

// main returns what is between head and foot.
func (m *Model) main() []string {
	switch m.mode {
	case help:
		return m.help()
	case standings:
		return m.standings(m.body(), m.scroll)
	case one:
		if m.chosen < len(m.tables) {
			return m.one(&m.tables[m.chosen])
		}
	case grid:
	}
	return m.grid()
}

func (m *Model) help() []string {
	return strings.Split(`arena watch: the games in progress, and the standings

  arrows, h j k l   choose a board; home and end, page up and page down
  enter, space      one board with its moves, and back
    up, down        there: through the moves, to see the board before
    left, right     there: another board
  f                 turn the boards round
  e                 hide what the bots expect, or show it
  s                 standings: beside the boards where there is room
  tab, n and p      the next event that is being played, and the one before
  ?                 this help
  q                 quit; the games go on

  ">" marks the side to move, and [ ], or a ground of its own, the squares of the
  last move. The letters are the pieces, as "arena show" draws them.`, "\n")
}

// fitsPanel reports whether standings fit beside at least one board.
func (m *Model) fitsPanel() bool { return m.width >= m.cardWidth()+gap+leastPanel }

// panel returns how many columns the standings have beside the boards, 0 for none.
func (m *Model) panel() int {
	if m.mode != grid || !m.side || !m.fitsPanel() || m.opt.Standings == nil {
		return 0
	}
	widest := 0
	for _, line := range m.lines {
		widest = max(widest, ansi.StringWidth(line))
	}
	return min(max(leastPanel, widest), m.width-m.cardWidth()-gap)
}

// cardWidth and cardHeight are those of a board with what is above and below it.
func (m *Model) cardWidth() int {
	w := leastCard
	for i := range m.tables {
		if b, ok := m.tables[i].board(); ok {
			w = max(w, widthOf(b))
		}
	}
	return min(w, max(1, m.width))
}

func (m *Model) cardHeight() int {
	h := 3 // a game that cannot be drawn
	for i := range m.tables {
		if b, ok := m.tables[i].board(); ok {
			h = max(h, heightOf(b)+4)
		}
	}
	return h
}

// layout returns how many boards there are beside and above each other.
func (m *Model) layout() (columns, rows int) {
	w := m.width
	if p := m.panel(); p > 0 {
		w -= p + gap
	}
	return max(1, (w+gap)/(m.cardWidth()+gap)), max(1, m.body()/m.cardHeight())
}

// grid is as many boards as fit, with the chosen one among them.
func (m *Model) grid() []string {
	if len(m.tables) == 0 {
		return m.idle()
	}
	columns, rows := m.layout()
	if m.body() < m.cardHeight() {
		return m.list()
	}
	perPage := columns * rows
	first := m.chosen / perPage * perPage
	var lines []string
	for row := first; row < min(first+perPage, len(m.tables)); row += columns {
		var cards []string
		for i := row; i < min(row+columns, len(m.tables), first+perPage); i++ {
			card := m.card(&m.tables[i], i == m.chosen)
			if i > row {
				cards = append(cards, strings.Repeat(" ", gap))
			}
			cards = append(cards, lipgloss.PlaceHorizontal(m.cardWidth(), lipgloss.Left, strings.Join(card, "\n")))
		}
		lines = append(lines, strings.Split(lipgloss.JoinHorizontal(lipgloss.Top, cards...), "\n")...)
	}
	if n := len(m.tables); n > perPage {
		lines = append(lines, fmt.Sprintf("boards %d to %d of %d", first+1, min(first+perPage, n), n))
	}
	return m.beside(lines, columns)
}

// beside puts the standings to the right of the boards.
func (m *Model) beside(lines []string, columns int) []string {
	p := m.panel()
	if p == 0 {
		return lines
	}
	width := columns*(m.cardWidth()+gap) - gap
	panel := m.standings(m.body(), 0)
	var out []string
	for i := range max(len(lines), len(panel)) {
		var left, right string
		if i < len(lines) {
			left = ansi.Truncate(lines[i], width, "…")
		}
		if i < len(panel) {
			right = ansi.Truncate(panel[i], p, "…")
		}
		pad := strings.Repeat(" ", max(0, width-ansi.StringWidth(left))+gap)
		out = append(out, strings.TrimRight(left+pad+right, " "))
	}
	return out
}

// idle returns the screen for times without games.
func (m *Model) idle() []string {
	var lines []string
	switch {
	case m.event != "" && m.running(m.event):
		lines = append(lines, "No game is in progress.", "")
	default:
		lines = append(lines, strings.Split(m.opt.Waiting, "\n")...)
		lines = append(lines, "")
	}
	return append(lines, m.standings(max(0, m.body()-len(lines)), 0)...)
}

// list returns a line a game, if there is no room for boards.
func (m *Model) list() []string {
	lines := []string{"(too small for boards: a line a game)"}
	room := max(1, m.body()-1)
	first := max(0, m.chosen-room+1)
	for i := first; i < min(len(m.tables), first+room); i++ {
		t := &m.tables[i]
		mark := "  "
		if i == m.chosen {
			mark = "> "
		}
		line := fmt.Sprintf("%s%d. %s - %s", mark, t.game.Number, text.Line(t.game.First, 24), text.Line(t.game.Second, 24))
		lines = append(lines, line+"  "+m.lastMove(t))
	}
	return lines
}

// standings returns a part of them.
func (m *Model) standings(room, from int) []string {
	switch {
	case m.failed != nil && m.linesOf == m.event:
		return []string{text.Escape(m.failed.Error())}
	case m.lines == nil || m.linesOf != m.event:
		return nil
	}
	from = min(from, len(m.lines))
	return m.lines[from:min(len(m.lines), from+room)]
}

// one returns a game with its moves, at the ply that is looked at.
func (m *Model) one(t *table) []string {
	at := len(t.game.Moves) - m.scroll
	shown := *t
	if m.scroll > 0 {
		var err error
		if shown.track, err = m.track(&t.game); err == nil {
			err = shown.play(t.game.Moves[:at])
		}
		if err != nil {
			return strings.Split(ansi.Wrap(text.Escape(err.Error()), m.width, ""), "\n")
		}
		shown.game.Moves = t.game.Moves[:at]
	}
	left := m.card(&shown, false)
	if m.scroll > 0 {
		left[len(left)-1] = fmt.Sprintf("  after ply %d of %d", at, len(t.game.Moves))
	}
	if t.game.Over && t.game.Detail != "" {
		left = append(left, "  "+text.Line(t.game.Detail, 200))
	}
	moves := m.moves(t, at)
	width := m.cardWidth()
	if m.width < width+gap+20 {
		return append(left, moves...)
	}
	var lines []string
	for i := range max(len(left), len(moves)) {
		var a, b string
		if i < len(left) {
			a = left[i]
		}
		if i < len(moves) {
			b = moves[i]
		}
		lines = append(lines, a+strings.Repeat(" ", max(0, width-ansi.StringWidth(a))+gap)+b)
	}
	return lines
}

// moves lists moves around a ply, the last one shown marked.
func (m *Model) moves(t *table, at int) []string {
	room := max(1, m.body()-1)
	first := max(0, at-room)
	lines := []string{"ply  move        time  score"}
	if m.hide {
		lines[0] = "ply  move        time"
	}
	for i := first; i < min(len(t.game.Moves), first+room); i++ {
		r := &t.game.Moves[i]
		mark := " "
		if i == at-1 {
			mark = ">"
		}
		line := fmt.Sprintf("%3d%s %-10s %6.2f", i+1, mark, text.Line(r.Move, 10), r.Time.Seconds())
		if !m.hide {
			line += fmt.Sprintf("  %6s", replay.Score(r))
			if r.Depth > 0 {
				line += fmt.Sprintf(" d%d", r.Depth)
			}
		}
		lines = append(lines, line)
	}
	return lines
}
