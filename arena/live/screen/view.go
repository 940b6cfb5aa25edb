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

// content is all lines of the screen, each of at most its width.
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

// body is how many lines there are between head and foot.
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
	if n := len(m.delta.Events); n > 1 {
		i := slices.IndexFunc(m.delta.Events, func(o live.Event) bool { return o.Name == e.Name })
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

// second is the line below the title.
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

// main is what is between head and foot.
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
	return strings.Split(`arena watch: the games in the air, and the standings

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

// panel is how many columns the standings have beside the boards, 0 for none.
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

// widthOf and heightOf are those of a board as it is drawn.
func widthOf(b engine.Board) (w int) {
	if len(b.Text) == 0 {
		return 3*b.Cols + 2 + 2*len(fmt.Sprint(b.Rows))
	}
	for _, row := range b.Text {
		w = max(w, ansi.StringWidth(text.Escape(row)))
	}
	return w
}

func heightOf(b engine.Board) int {
	if len(b.Text) == 0 {
		return b.Rows + 2
	}
	return len(b.Text)
}

// layout is how many boards there are beside and above each other.
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

// idle is what there is to see where nothing is played.
func (m *Model) idle() []string {
	var lines []string
	switch {
	case m.event != "" && m.running(m.event):
		lines = append(lines, "No game is in the air.", "")
	default:
		lines = append(lines, strings.Split(m.opt.Waiting, "\n")...)
		lines = append(lines, "")
	}
	return append(lines, m.standings(max(0, m.body()-len(lines)), 0)...)
}

// list is a line a game, where there is no room for boards.
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

// standings are a part of them.
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

// card is one game of the grid.
func (m *Model) card(t *table, chosen bool) []string {
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
	lines := []string{m.bold(title)}
	board, ok := t.board()
	if !ok {
		return append(lines, m.player(t, 0), m.player(t, 1), m.lastMove(t))
	}
	top, bottom := 1, 0
	if m.flip {
		top, bottom = 0, 1
	}
	lines = append(lines, m.player(t, top))
	lines = append(lines, m.draw(board)...)
	lines = append(lines, m.player(t, bottom), m.lastMove(t))
	for i, line := range lines {
		lines[i] = ansi.Truncate(line, m.cardWidth(), "…")
	}
	return lines
}

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

// board is the board as it stands; false where none can be drawn.
func (t *table) board() (engine.Board, bool) {
	if t.track == nil {
		return engine.Board{}, false
	}
	return t.shown, true
}

// player is one side: whether it is to move, its name, its clock, what it expects.
func (m *Model) player(t *table, side int) string {
	mark := "  "
	if t.track != nil && !t.game.Over && int(t.turn) == side {
		mark = "> "
	}
	name := t.game.First
	if side == 1 {
		name = t.game.Second
	}
	var facts []string
	if c := m.clock(t, side); c != "" {
		facts = append(facts, c)
	}
	if !m.hide {
		if s := opinion(t, side); s != "" {
			facts = append(facts, s)
		}
	}
	rest := strings.Join(facts, " ")
	room := max(8, m.cardWidth()-len(mark)-len(rest)-1)
	return mark + ansi.Truncate(text.Escape(name), room, "…") + " " + rest
}

// clock is what a side has left, counted down while it thinks.
func (m *Model) clock(t *table, side int) string {
	if t.track == nil {
		return ""
	}
	left, timed := t.track.Left(engine.Side(side))
	if !timed {
		return ""
	}
	if !t.game.Over && int(t.turn) == side {
		left -= max(0, m.now.Sub(t.game.At))
	}
	return clock(left, true)
}

// clock writes a time as clocks do.
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

// opinion is what a side said with its last move: the score, and how deep it looked.
func opinion(t *table, side int) string {
	if t.track == nil {
		return ""
	}
	// Sides take turns in most games; who made a move is not recorded.
	turn := int(t.turn)
	last := len(t.game.Moves) - 1
	if side == turn {
		last--
	}
	if last < 0 {
		return ""
	}
	move := &t.game.Moves[last]
	s := replay.Score(move)
	if move.Depth > 0 {
		s += fmt.Sprintf(" d%d", move.Depth)
	}
	return strings.TrimSpace(s)
}

// lastMove is the move that was played last, or how the game ended.
func (m *Model) lastMove(t *table) string {
	g := &t.game
	if g.Over {
		return ended(&g.Game.Game)
	}
	if t.err != nil {
		return "no board: " + text.Line(t.err.Error(), 200)
	}
	n := len(g.Moves)
	if n == 0 {
		return "  about to begin"
	}
	return fmt.Sprintf("  %d. %s  %.2f s", n, text.Line(g.Moves[n-1].Move, 20), g.Moves[n-1].Time.Seconds())
}

// ended says how a game ended.
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

// one is a game with its moves, at the ply that is looked at.
func (m *Model) one(t *table) []string {
	at := len(t.game.Moves) - m.scroll
	shown := *t
	if m.scroll > 0 {
		var err error
		if shown.track, err = m.track(&t.game.Game); err == nil {
			err = shown.play(t.game.Moves[:at])
		}
		if err != nil {
			return []string{text.Escape(err.Error())}
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
