package screen

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"botarena/arena"
	"botarena/arena/live"
	"botarena/arena/replay"
	"botarena/arena/text"
	"botarena/engine"
	"botarena/engine/draw"
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
	lines := []string{m.bold(m.title()), ""}
	if len(m.problems) > 0 {
		lines[1] = "! " + text.Escape(m.problems[0])
	}
	lines = append(lines, m.main()...)
	lines = lines[:min(len(lines), max(0, m.height-foot))]
	for len(lines) < m.height-foot {
		lines = append(lines, "")
	}
	lines = append(lines, lipgloss.NewStyle().Faint(m.opt.Color).Render(m.keys()))
	for i, line := range lines {
		lines[i] = ansi.Truncate(line, m.width, "…")
	}
	return strings.Join(lines, "\n")
}

// body returns the number of lines between head and foot.
func (m *Model) body() int { return max(0, m.height-head-foot) }

func (m *Model) bold(s string) string {
	return lipgloss.NewStyle().Bold(m.opt.Color).Render(s)
}

// title returns the event's name and progress.
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

// keys returns the help line of the keys.
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

// main returns the lines between head and foot.
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
	return min(max(leastPanel, lipgloss.Width(strings.Join(m.lines, "\n"))), m.width-m.cardWidth()-gap)
}

// cardWidth and cardHeight return the size of a board with the lines above and below
// it.
func (m *Model) cardWidth() int {
	w := leastCard
	for i := range m.tables {
		w = max(w, m.tables[i].width)
	}
	return min(w, max(1, m.width))
}

func (m *Model) cardHeight() int {
	h := 3 // a game that cannot be drawn
	for i := range m.tables {
		if t := &m.tables[i]; t.replay != nil {
			h = max(h, t.height+4)
		}
	}
	return h
}

// layout returns the numbers of columns and rows of boards.
func (m *Model) layout() (columns, rows int) {
	w := m.width
	if p := m.panel(); p > 0 {
		w -= p + gap
	}
	return max(1, (w+gap)/(m.cardWidth()+gap)), max(1, m.body()/m.cardHeight())
}

// beside puts blocks of lines side by side, each in so many columns.
func beside(width int, blocks ...[]string) []string {
	cut := lipgloss.NewStyle().MaxWidth(width)
	var cells []string
	for i, b := range blocks {
		if i < len(blocks)-1 {
			cells = append(cells, lipgloss.PlaceHorizontal(width+gap, lipgloss.Left, cut.Render(strings.Join(b, "\n"))))
		} else {
			cells = append(cells, strings.Join(b, "\n"))
		}
	}
	lines := strings.Split(lipgloss.JoinHorizontal(lipgloss.Top, cells...), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return lines
}

// grid returns as many boards as fit, with the selected one among them.
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
	end := min(first+perPage, len(m.tables))
	var lines []string
	for row := first; row < end; row += columns {
		var cards [][]string
		for i := row; i < min(row+columns, end); i++ {
			t := &m.tables[i]
			cards = append(cards, m.card(t, len(t.game.Moves), i == m.chosen))
		}
		lines = append(lines, beside(m.cardWidth(), cards...)...)
	}
	if n := len(m.tables); n > perPage {
		lines = append(lines, fmt.Sprintf("boards %d to %d of %d", first+1, end, n))
	}
	if m.panel() == 0 {
		return lines
	}
	return beside(columns*(m.cardWidth()+gap)-gap, lines, m.standings(m.body(), 0))
}

// idle returns the screen for times without games.
func (m *Model) idle() []string {
	lines := []string{"No game is in progress."}
	if m.event == "" || !m.running(m.event) {
		lines = strings.Split(m.opt.Waiting, "\n")
	}
	lines = append(lines, "")
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
		lines = append(lines, fmt.Sprintf("%s%d. %s - %s  %s", mark, t.game.Number, text.Line(t.game.First, 24), text.Line(t.game.Second, 24), t.last()))
	}
	return lines
}

// standings returns the standings' lines that fit, from a line on.
func (m *Model) standings(room, from int) []string {
	switch {
	case m.linesOf != m.event:
		return nil
	case m.failed != nil:
		return []string{text.Escape(m.failed.Error())}
	}
	from = min(from, len(m.lines))
	return m.lines[from:min(len(m.lines), from+room)]
}

// one returns a game with its moves, at the selected ply.
func (m *Model) one(t *table) []string {
	at := max(0, len(t.game.Moves)-m.scroll)
	left, moves := m.card(t, at, false), m.moves(t, at)
	if t.game.Over && t.game.Detail != "" {
		left = append(left, "  "+text.Line(t.game.Detail, 200))
	}
	if m.width < m.cardWidth()+gap+20 {
		return append(left, moves...)
	}
	return beside(m.cardWidth(), left, moves)
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
			line += fmt.Sprintf("  %6s", opinion(r))
		}
		lines = append(lines, line)
	}
	return lines
}

// card returns one game after a ply.
func (m *Model) card(t *table, ply int, chosen bool) []string {
	title := fmt.Sprintf("game %d", t.game.Number)
	if t.game.Stage != "" {
		title += ", " + text.Line(t.game.Stage, 20)
	}
	if t.worker != "" {
		title += " at " + text.Line(t.worker, 20)
	}
	if chosen && len(m.tables) > 1 {
		title = "» " + title
	}
	last := t.last()
	if t.replay == nil {
		lines := []string{m.bold(title), m.player(t, ply, engine.First), m.player(t, ply, engine.Second)}
		return append(lines, strings.Split(ansi.Wrap(last, m.cardWidth(), ""), "\n")...)
	}
	if ply < len(t.game.Moves) {
		last = fmt.Sprintf("  after ply %d of %d", ply, len(t.game.Moves))
	}
	top, bottom := engine.Second, engine.First
	if m.flip {
		top, bottom = bottom, top
	}
	lines := append([]string{m.bold(title), m.player(t, ply, top)}, m.draw(t.replay.Frames[ply].Board)...)
	lines = append(lines, m.player(t, ply, bottom), last)
	for i, line := range lines {
		lines[i] = ansi.Truncate(line, m.cardWidth(), "…")
	}
	return lines
}

// draw returns the lines of a board.
func (m *Model) draw(b engine.Board) []string {
	if len(b.Text) > 0 { // what a program said
		rows := make([]string, len(b.Text))
		for i, row := range b.Text {
			rows[i] = text.Escape(row)
		}
		return rows
	}
	var out bytes.Buffer
	if err := draw.Text(&out, b, draw.Options{Color: m.opt.Color, Flip: m.flip}); err != nil {
		return []string{text.Escape(err.Error())}
	}
	return strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
}

// player returns one side's line: whether it is to move, its name, clock and expected
// score.
func (m *Model) player(t *table, ply int, side engine.Side) string {
	mark, name := "  ", t.game.First
	if side == engine.Second {
		name = t.game.Second
	}
	var facts []string
	if r := t.replay; r != nil {
		last := ply == len(r.Frames)-1
		if r.Frames[ply].Turn == side && (!last || !t.game.Over) {
			mark = "> "
		}
		left, timed := r.Frames[ply].Left[side], t.game.Clocks[side].Base > 0
		if last {
			left, timed = r.Left(side)
			if r.Frames[ply].Turn == side && !t.game.Over {
				left -= max(0, m.now.Sub(t.game.At))
			}
		}
		if timed {
			facts = append(facts, clock(left, true))
		}
		for n := ply; n > 0 && !m.hide; n-- {
			if f := &r.Frames[n]; f.Side == side {
				facts = append(facts, opinion(f.Move))
				break
			}
		}
	}
	rest := strings.TrimSpace(strings.Join(facts, " "))
	room := max(8, m.cardWidth()-len(mark)-len(rest)-1)
	return mark + ansi.Truncate(text.Escape(name), room, "…") + " " + rest
}

// clock formats a time like a clock.
func clock(d time.Duration, tenths bool) string {
	d = max(0, d)
	switch {
	case d >= time.Hour:
		return fmt.Sprintf("%d:%02d:%02d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60)
	case tenths && d < time.Minute:
		return fmt.Sprintf("0:%04.1f", d.Truncate(time.Second/10).Seconds())
	}
	return fmt.Sprintf("%d:%02d", int(d.Minutes()), int(d.Seconds())%60)
}

// opinion formats the score and depth that a bot reported with a move.
func opinion(m *arena.MoveRecord) string {
	s := replay.Score(m)
	if m.Depth > 0 {
		s += fmt.Sprintf(" d%d", m.Depth)
	}
	return s
}

// last returns the last move, or how the game ended.
func (t *table) last() string {
	g := &t.game
	n := len(g.Moves)
	switch {
	case g.Over:
		return ended(&g.Game)
	case t.err != nil:
		return "no board: " + text.Line(t.err.Error(), 200)
	case n == 0:
		return "  about to begin"
	}
	return fmt.Sprintf("  %d. %s  %.2f s", n, text.Line(g.Moves[n-1].Move, 20), g.Moves[n-1].Time.Seconds())
}

// ended reports how a game ended.
func ended(g *arena.Game) string {
	if g.Reason == arena.Void {
		return "  does not count, and is played again: " + text.Line(g.Detail, 60)
	}
	line := fmt.Sprintf("  %s %s", g.Result, g.Reason)
	if g.Blame != "" {
		line += " of " + text.Line(g.Blame, 30)
	}
	return line
}
