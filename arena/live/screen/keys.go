package screen

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// key does what a key is for.
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
		m.back()
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
		switch m.mode {
		case grid:
			if len(m.tables) > 0 {
				m.mode, m.scroll = one, 0
			}
		default:
			m.mode = grid
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

func (m *Model) back() {
	if m.mode == help {
		m.mode = m.before
		return
	}
	m.mode = grid
}

// move chooses a board, or scrolls.
func (m *Model) move(key string) {
	columns, rows := m.layout()
	page := max(1, m.body()-2)
	switch m.mode {
	case one:
		m.moveOne(key, page)
	case standings:
		m.scroll += step(key, page)
		m.scroll = min(max(0, m.scroll), max(0, len(m.lines)-m.body()))
	default:
		to := m.chosen
		switch key {
		case "left", "h":
			to--
		case "right", "l":
			to++
		case "up", "k":
			to -= columns
		case "down", "j":
			to += columns
		case "pgup":
			to = max(0, to-columns*rows)
		case "pgdown":
			to = min(len(m.tables)-1, to+columns*rows)
		case "home", "g":
			to = 0
		case "end", "G":
			to = len(m.tables) - 1
		}
		if to >= 0 && to < len(m.tables) {
			m.chosen = to
		}
	}
}

// moveOne goes to another game, or through the moves of this one.
func (m *Model) moveOne(key string, page int) {
	switch key {
	case "left", "h":
		if m.chosen > 0 {
			m.chosen--
			m.scroll = 0
		}
	case "right", "l":
		if m.chosen < len(m.tables)-1 {
			m.chosen++
			m.scroll = 0
		}
	case "home", "g":
		m.scroll = 1 << 30
	case "end", "G":
		m.scroll = 0
	default:
		m.scroll -= step(key, page)
	}
	if m.chosen < len(m.tables) {
		m.scroll = min(max(0, m.scroll), max(0, len(m.tables[m.chosen].game.Moves)-1))
	}
}

// step returns how many lines a key goes down.
func step(key string, page int) int {
	switch key {
	case "up", "k":
		return -1
	case "down", "j":
		return 1
	case "pgup":
		return -page
	case "pgdown":
		return page
	case "home", "g":
		return -1 << 30
	case "end", "G":
		return 1 << 30
	}
	return 0
}

// next shows another event that is being played.
func (m *Model) next(by int) tea.Cmd {
	var names []string
	for _, e := range m.seen.Events {
		names = append(names, e.Name)
	}
	if len(names) == 0 {
		return nil
	}
	i := slices.Index(names, m.event)
	m.event = names[(max(i, 0)+by+len(names))%len(names)]
	if i < 0 {
		m.event = names[0]
	}
	m.opt.Event, m.chosen, m.scroll = m.event, 0, 0 // it stays, whether it runs or not
	m.take(m.seen, m.problems)
	return m.load()
}
