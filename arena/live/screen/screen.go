// Package screen shows games in progress in a terminal: boards and standings,
// as the whole screen ([Model], for package bubbletea) or as lines ([Lines]).
package screen

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"botarena/arena/live"
	"botarena/arena/replay"
	"botarena/arena/text"
	"botarena/engine"
)

// Options configures a screen.
type Options struct {
	View    *live.View
	Catalog engine.Catalog
	// Rules returns a game whose rules are a program, which it may start; it is called
	// in the background, since that takes a while. If it is nil, such games have no
	// boards.
	Rules func(ctx context.Context, game string) (engine.Game, error)
	Now   func() time.Time
	// Event names the event to show; "" is any in progress.
	Event string
	Color bool
	// Standings returns the standings of an event as lines of text; "" is the latest
	// event.
	Standings func(ctx context.Context, event string) ([]string, error)
	// Waiting is the text shown while nothing is being played.
	Waiting string
}

// The intervals at which the screen is updated.
const (
	refreshEvery   = 100 * time.Millisecond // at most, for moves
	clockEvery     = 250 * time.Millisecond
	standingsEvery = 3 * time.Second // at most, for standings
)

// seat identifies a place on the screen, which shows the games of one slot one after
// the other.
type seat struct {
	event  string
	worker string
	slot   int
}

// table is a seat with its current or last game.
type table struct {
	seat
	game          live.Game
	replay        *replay.Replay // nil if there are no boards
	err           error          // why not
	width, height int            // of its board
}

// program is the state of the rules program of a game that arena does not know.
type program struct {
	wanted bool // and not started yet
	rules  engine.Game
	err    error
}

// mode selects what the screen shows.
type mode int

const (
	grid mode = iota
	one       // a single game, with its moves
	standings
	help
)

// A Model is the screen's state.
type Model struct {
	opt           Options
	ctx           context.Context //nolint:containedctx // of the program, as long as the model
	width, height int
	mode, before  mode // before help
	flip, hide    bool // the boards; scores
	side          bool // standings beside the boards

	now      time.Time
	seen     live.Snapshot
	problems []string
	event    string // that is shown
	tables   []table
	chosen   int // of tables
	scroll   int // lines from the end of the moves, or from the top of the standings

	programs map[string]*program // by game: those that know rules

	lines   []string // standings
	linesOf string   // their event
	failed  error    // why there are none
	played  int      // games that they are of
	loading bool
	loaded  time.Time
}

// New returns a model that has seen nothing.
func New(ctx context.Context, opt Options) *Model {
	return &Model{opt: opt, ctx: ctx, event: opt.Event, side: true, now: opt.Now(), played: -1, programs: map[string]*program{}}
}

// The messages.
type (
	seenMsg struct {
		changed  <-chan struct{} // closed once there is something newer
		seen     live.Snapshot
		problems []string
	}
	clockMsg     time.Time
	standingsMsg struct {
		event string
		lines []string
		err   error
	}
	programMsg struct { // a program has been started, or why not
		game string
		program
	}
)

// Init returns the first command.
func (m *Model) Init() tea.Cmd {
	return tea.Batch(m.look(0, nil), m.tick())
}

func (m *Model) tick() tea.Cmd {
	return tea.Tick(clockEvery, func(time.Time) tea.Msg { return clockMsg(m.opt.Now()) })
}

// look waits for a change, and at least for wait.
func (m *Model) look(wait time.Duration, changed <-chan struct{}) tea.Cmd {
	return func() tea.Msg {
		if changed != nil {
			select {
			case <-changed:
			case <-m.ctx.Done():
				return nil
			}
		}
		if wait > 0 {
			select {
			case <-time.After(wait):
			case <-m.ctx.Done():
				return nil
			}
		}
		return seenMsg{changed: m.opt.View.Changed(), seen: m.opt.View.Snapshot(), problems: m.opt.View.Problems()}
	}
}

// Update handles a message.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		return m, m.load()
	case clockMsg:
		m.now = time.Time(msg)
		return m, tea.Batch(m.tick(), m.load(), m.start())
	case seenMsg:
		m.take(msg.seen, msg.problems)
		return m, tea.Batch(m.look(refreshEvery, msg.changed), m.load(), m.start())
	case programMsg:
		*m.programs[msg.game] = msg.program
		m.take(m.seen, m.problems)
		return m, m.start()
	case standingsMsg:
		m.loading = false
		for i, line := range msg.lines {
			msg.lines[i] = text.Escape(line)
		}
		m.lines, m.linesOf, m.failed = msg.lines, msg.event, msg.err
		return m, m.load()
	case tea.KeyPressMsg:
		return m.key(msg.String())
	}
	return m, nil
}

// load requests the standings if they may have changed.
func (m *Model) load() tea.Cmd {
	if m.opt.Standings == nil || m.loading || m.width == 0 || m.now.Sub(m.loaded) < standingsEvery && m.event == m.linesOf {
		return nil
	}
	played := 0
	if e, ok := m.run(m.event); ok {
		played = e.Played
	}
	if m.event == m.linesOf && played == m.played {
		return nil
	}
	m.loading, m.loaded, m.played = true, m.now, played
	event := m.event
	return func() tea.Msg {
		lines, err := m.opt.Standings(m.ctx, event)
		return standingsMsg{event, lines, err}
	}
}

// run returns a run of an event.
func (m *Model) run(event string) (live.Event, bool) { return m.seen.Event(event) }

// take updates the screen from a snapshot.
func (m *Model) take(s live.Snapshot, problems []string) {
	m.seen, m.problems, m.now = s, problems, m.opt.Now()
	if _, ok := m.run(m.event); !ok && m.opt.Event == "" {
		m.event = ""
	}
	if m.event == "" || m.opt.Event == "" && !m.running(m.event) {
		for _, e := range s.Events { // one that is running, if any
			if e.Running {
				m.event = e.Name
				break
			}
		}
	}
	var chosen seat
	if m.chosen < len(m.tables) {
		chosen = m.tables[m.chosen].seat
	}
	old := m.tables
	m.tables = nil
	newest := map[seat]live.Game{}
	for _, g := range s.Of(m.event) {
		at := seat{g.Event, g.Worker, g.Slot}
		if g.Brief {
			continue
		}
		if n, ok := newest[at]; !ok || g.Newer(&n) {
			newest[at] = g
		}
	}
	for s, g := range newest {
		m.tables = append(m.tables, m.seatOf(s, g, old))
	}
	slices.SortFunc(m.tables, func(a, b table) int {
		return cmp.Or(cmp.Compare(a.worker, b.worker), cmp.Compare(a.slot, b.slot))
	})
	m.chosen = max(0, slices.IndexFunc(m.tables, func(t table) bool { return t.seat == chosen }))
}

func (m *Model) running(event string) bool {
	e, ok := m.run(event)
	return ok && e.Running
}

// seatOf plays the new moves of a game at its seat.
func (m *Model) seatOf(s seat, g live.Game, old []table) table {
	t := table{seat: s, game: g}
	i := slices.IndexFunc(old, func(t table) bool { return t.seat == s && t.game.ID == g.ID })
	if i >= 0 && old[i].replay != nil && len(old[i].replay.Frames) <= len(g.Moves)+1 {
		t.replay = old[i].replay
	} else {
		var rules engine.Game
		if rules, t.err = m.rules(g.Game.Game); t.err == nil {
			t.replay, t.err = replay.Begin(rules, &g.Game, g.Clocks)
		}
	}
	if t.err == nil {
		t.err = t.replay.Play(g.Moves[len(t.replay.Frames)-1:]...)
	}
	if t.err != nil {
		t.replay = nil
		return t
	}
	lines := m.draw(t.replay.Last().Board)
	t.width, t.height = lipgloss.Width(strings.Join(lines, "\n")), len(lines)
	return t
}

var (
	errNoRules  = errors.New("its rules are a program, and none is to be had")
	errStarting = errors.New("its rules are being started")
)

// rules returns the rules of a game, or requests the program that start then starts.
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

// start starts requested programs in the background.
func (m *Model) start() tea.Cmd {
	var list []tea.Cmd
	for game, p := range m.programs {
		if !p.wanted {
			continue
		}
		p.wanted = false
		list = append(list, func() tea.Msg {
			rules, err := m.opt.Rules(m.ctx, game)
			return programMsg{game, program{rules: rules, err: err}}
		})
	}
	return tea.Batch(list...)
}
