package screen

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"botarena/arena"
	"botarena/arena/live"
	"botarena/engine"
)

// program is the state of the rules program of a game that arena does not know.
type program struct {
	wanted bool // and not started yet
	rules  engine.Game
	err    error
}

// programMsg reports that a program has been started, or why not.
type programMsg struct {
	game  string
	rules engine.Game
	err   error
}

var (
	errNoRules  = errors.New("its rules are a program, and none is to be had")
	errStarting = errors.New("its rules are being started")
)

// rules returns the rules of a game. A program that is needed first is started by start.
func (m *Model) rules(game string) (engine.Game, error) {
	switch {
	case !strings.Contains(game, "@"):
		return m.opt.Catalog.Lookup(game)
	case m.opt.Rules == nil:
		return nil, errNoRules
	}
	p := m.programs[game]
	if p == nil {
		p = &program{wanted: true, err: errStarting}
		m.programs[game] = p
	}
	return p.rules, p.err
}

// start starts the programs that are needed, beside what the screen does.
func (m *Model) start() tea.Cmd {
	var list []tea.Cmd
	for game, p := range m.programs {
		if !p.wanted {
			continue
		}
		p.wanted = false
		list = append(list, func() tea.Msg {
			rules, err := m.opt.Rules(m.ctx, game)
			return programMsg{game, rules, err}
		})
	}
	return tea.Batch(list...)
}

// track is at the opening of a game.
func (m *Model) track(g *live.Game) (t *live.Track, err error) {
	defer engine.Catch(&err)
	rules, err := m.rules(g.Game.Game)
	if err != nil {
		return nil, err
	}
	return live.NewTrack(rules, g)
}

// play plays moves, and has the board as it stands then.
func (t *table) play(moves []arena.MoveRecord) (err error) {
	defer engine.Catch(&err)
	if err := t.track.Play(moves...); err != nil {
		return err
	}
	t.shown, t.turn = t.track.Position.Board(), t.track.Position.Turn()
	return nil
}
