package screen

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"botarena/arena/live"
)

// key handles a key.
func (m *Model) key(key string) (tea.Model, tea.Cmd) {
	switch key {
	case "q", "ctrl+c":
		return m, tea.Quit
	case "?":
		if m.mode == help {
			m.mode = m.before
		} else {
			m.before, m.mode = m.mode, help
		}
		return m, nil
	case "esc", "backspace":
		if m.mode != help {
			m.before = grid
		}
		m.mode = m.before // what was shown before the help
		return m, nil
	}
	if m.mode == help {
		return m, nil
	}
	switch key {
	case "f":
		m.flip = !m.flip
	case "e":
		m.hide = !m.hide
	case "s":
		switch {
		case m.mode == standings:
			m.mode = grid
		case m.panel() > 0 || !m.side && m.fitsPanel():
			m.side = !m.side
		default:
			m.mode, m.scroll = standings, 0
		}
	case "enter", "space":
		switch {
		case m.mode != grid:
			m.mode = grid
		case len(m.tables) > 0:
			m.mode, m.scroll = one, 0
		}
	case "tab", "n":
		return m, m.next(1)
	case "shift+tab", "p":
		return m, m.next(-1)
	default:
		m.move(key)
	}
	return m, nil
}

// move chooses a board, or scrolls.
func (m *Model) move(key string) {
	columns, rows := m.layout()
	page := max(1, m.body()-2)
	aside := map[string]int{"left": -1, "h": -1, "right": 1, "l": 1}[key]
	switch {
	case m.mode == standings:
		m.scroll = within(m.scroll+step(key, 1, page), len(m.lines)-m.body())
	case aside != 0:
		m.chosen, m.scroll = within(m.chosen+aside, len(m.tables)-1), 0
	case m.mode == grid:
		m.chosen = within(m.chosen+step(key, columns, columns*rows), len(m.tables)-1)
	case m.chosen < len(m.tables):
		m.scroll = within(m.scroll-step(key, 1, page), len(m.tables[m.chosen].game.Moves))
	}
}

// within clamps n to 0..most.
func within(n, most int) int { return max(0, min(n, most)) }

// step returns how far a key goes down: by a line, a page, or to an end.
func step(key string, line, page int) int {
	const end = 1 << 30
	return map[string]int{
		"up": -line, "k": -line, "down": line, "j": line, "pgup": -page, "pgdown": page, "home": -end, "g": -end, "end": end, "G": end,
	}[key]
}

// next shows another event that is being played.
func (m *Model) next(by int) tea.Cmd {
	events := m.seen.Events
	if len(events) == 0 {
		return nil
	}
	i := slices.IndexFunc(events, func(e live.Event) bool { return e.Name == m.event })
	if i >= 0 {
		i = (i + by + len(events)) % len(events)
	}
	m.event = events[max(i, 0)].Name
	m.opt.Event, m.chosen, m.scroll = m.event, 0, 0 // it stays, whether it runs or not
	m.take(m.seen, m.problems)
	return m.load()
}
