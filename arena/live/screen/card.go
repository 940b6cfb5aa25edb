package screen

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"botarena/arena"
	"botarena/arena/replay"
	"botarena/arena/text"
	"botarena/engine"
	"botarena/engine/draw"
)

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

// card returns one game of the grid.
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
		lines = append(lines, m.player(t, 0), m.player(t, 1))
		return append(lines, strings.Split(ansi.Wrap(m.lastMove(t), m.cardWidth(), ""), "\n")...)
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

// board returns the board as it stands; false if none can be drawn.
func (t *table) board() (engine.Board, bool) {
	if t.track == nil {
		return engine.Board{}, false
	}
	return t.shown, true
}

// player returns one side: whether it is to move, its name, its clock, what it expects.
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

// clock returns what a side has left, counted down while it thinks.
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

// opinion returns what a side said with its last move: the score, and how deep it looked.
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

// lastMove returns the move that was played last, or how the game ended.
func (m *Model) lastMove(t *table) string {
	g := &t.game
	if g.Over {
		return ended(&g.Game)
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
