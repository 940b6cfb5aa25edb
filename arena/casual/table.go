package casual

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"botarena/arena"
	"botarena/arena/session"
	"botarena/engine"
	"botarena/protocol"
)

// A Table is one game of a Lobby. One goroutine plays it; its methods are safe for
// concurrent use.
type Table struct {
	ID string
	Request
	Bot arena.Bot

	lobby  *Lobby
	asks   chan ask
	gone   chan struct{} // closed when the game's goroutine ends
	cancel context.CancelFunc

	mu       sync.Mutex
	state    State
	changed  chan struct{}
	resigned bool
	watchers int
	watched  bool
	last     time.Time // when the visitor was last heard of
}

// A State is an immutable snapshot of a casual game.
type State struct {
	Version  uint64 // grows with each change
	Begun    bool   // the bot is ready
	Moves    []arena.MoveRecord
	Turn     engine.Side
	Legal    []string         // of the person to move
	Left     [2]time.Duration // by side, for the move being thought of
	Since    time.Time        // since when the side to move has been thinking
	Thinking bool             // the bot is
	Thoughts []Thought        // of its last moves, the latest last
	Hint     *arena.MoveRecord
	Said     string // what became of what was asked last
	CanUndo  bool
	Ended    *Ending
}

// A Thought holds the search facts that a bot reported while it was thinking.
type Thought struct {
	Ply      int // it was thinking of
	Depth    int
	Nodes    int64
	HasScore bool
	Score    int
	Mate     bool
	Line     string // the moves that it expects
	Text     string
}

// mostThoughts is the maximum number of thoughts kept of a game.
const mostThoughts = 24

// An ask is a visitor's action in the person's turn, which began at since. It reports
// whether another turn begins.
type ask struct {
	do   func(ctx context.Context, g *Game, since time.Time) (moved bool, err error)
	done chan error
}

// State returns a snapshot of the game.
func (t *Table) State() State {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state
}

// Changed returns a channel that is closed at the next change. Call it before
// State.
func (t *Table) Changed() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.changed
}

// Seen records that the visitor is present.
func (t *Table) Seen() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = t.lobby.Now()
}

func (t *Table) lastSeen() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last
}

// Watch records that the visitor is watching, until the returned function is called.
func (t *Table) Watch() (done func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.watchers++
	t.watched = true
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.watchers--
		t.last = t.lobby.Now()
	}
}

// Leave ends the game, and its bot, without a result.
func (t *Table) Leave() { t.cancel() }

func (t *Table) over() bool {
	select {
	case <-t.gone:
		return true
	default:
		return false
	}
}

// Move plays the person's move. The error is ErrOver, ErrTurn or an
// *engine.MoveError.
func (t *Table) Move(ctx context.Context, text string) error {
	now := t.lobby.Now()
	return t.ask(ctx, func(_ context.Context, g *Game, since time.Time) (moved bool, err error) {
		if err := g.Play(text, now.Sub(since)); err != nil && !errors.Is(err, ErrOver) {
			return false, err
		}
		t.show(g, nil)
		return true, nil
	})
}

// Hint asks for the move that the bot would play; State.Hint holds the answer.
func (t *Table) Hint(ctx context.Context) error {
	return t.ask(ctx, func(ctx context.Context, g *Game, _ time.Time) (moved bool, err error) {
		t.change(func(s *State) { s.Said = "Thinking about a hint." })
		hint, err := g.Hint(ctx)
		if err != nil {
			t.show(g, nil)
			return false, err
		}
		t.change(func(s *State) {
			if s.Hint = hint; hint == nil {
				s.Said = t.Bot.Name + " would resign."
			} else {
				s.Said = fmt.Sprintf("%s would play %s.", t.Bot.Name, hint.Move)
			}
		})
		return false, nil
	})
}

// Undo takes the last moves back.
func (t *Table) Undo(ctx context.Context) error {
	return t.ask(ctx, func(_ context.Context, g *Game, _ time.Time) (moved bool, err error) {
		if !g.Undo() {
			t.change(func(s *State) { s.Said = "There is no move of yours to take back." })
			return false, nil
		}
		t.show(g, nil)
		return true, nil
	})
}

// Resign ends the game as lost by the person; while the bot is thinking, once it has
// answered.
func (t *Table) Resign(ctx context.Context) error {
	if s := t.State(); s.Ended == nil && s.Thinking {
		t.Seen()
		t.change(func(s *State) { t.resigned, s.Said = true, "You resign as soon as "+t.Bot.Name+" has answered." })
		return nil
	}
	return t.ask(ctx, func(_ context.Context, g *Game, _ time.Time) (moved bool, err error) {
		g.Resign()
		t.show(g, nil)
		return false, nil
	})
}

// ask runs do in the game's goroutine, in the person's turn.
func (t *Table) ask(ctx context.Context, do func(context.Context, *Game, time.Time) (bool, error)) error {
	t.Seen()
	if s := t.State(); s.Ended == nil && s.Thinking {
		return ErrTurn
	}
	a := ask{do, make(chan error, 1)}
	select {
	case t.asks <- a:
	case <-t.gone:
		return ErrOver
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-a.done:
		return err
	case <-t.gone:
		select {
		case err := <-a.done: // it was done, and ended the game
			return err
		default:
			return ErrOver
		}
	case <-ctx.Done():
		return ctx.Err()
	}
}

// change publishes a change.
func (t *Table) change(f func(*State)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f(&t.state)
	t.state.Version++
	close(t.changed)
	t.changed = make(chan struct{})
}

// run plays the game to its end.
func (t *Table) run(ctx context.Context, start session.Start) {
	defer t.cancel()
	defer close(t.gone)
	end := t.play(ctx, start)
	t.change(func(s *State) { s.Ended, s.Thinking, s.Legal, s.CanUndo = end, false, nil, false })
}

// unplayed returns the end of a game that is not the bot's fault.
func unplayed(why string) *Ending {
	return &Ending{Reason: arena.Void, Detail: why, Blame: engine.NoSide}
}

func (t *Table) play(ctx context.Context, start session.Start) *Ending {
	s, err := session.Open(ctx, session.Config{Bot: t.Bot, Start: start, Now: t.lobby.Now, Log: t.listen, Setup: session.Setup{Game: t.Game.Name()}})
	if s == nil {
		t.lobby.problem(fmt.Errorf("play: %s: %w", t.Bot.Name, err))
		return unplayed("the bot could not be started")
	}
	defer func() { t.lobby.problem(s.End(time.Second)) }()
	if err != nil {
		return t.failed(ctx, err)
	}
	path := session.NewPath(t.Game)
	if t.Position != nil {
		path = session.PathFrom(t.Position.Clone())
	}
	g := New(s, Setup{Path: path, Person: t.Person, Clocks: t.Clocks, Builtin: t.Bot.Builtin != ""})
	if err := g.Begin(ctx); err != nil {
		return t.failed(ctx, err)
	}
	t.show(g, func(s *State) { s.Begun = true })
	for g.Ended() == nil {
		if !g.PersonsTurn() {
			_, err = g.Answer(ctx)
			if ctx.Err() != nil {
				return t.interrupted(ctx)
			}
			t.lobby.problem(err)
			if t.resigns() {
				g.Resign()
			}
			t.show(g, nil)
			continue
		}
		if !t.person(ctx, g) {
			return t.interrupted(ctx)
		}
	}
	t.record(g)
	return g.Ended()
}

// failed returns the end of a game that could not begin.
func (t *Table) failed(ctx context.Context, err error) *Ending {
	if ctx.Err() != nil {
		return t.interrupted(ctx)
	}
	t.lobby.problem(fmt.Errorf("play: %s: %w", t.Bot.Name, err))
	var f *session.Fault
	if errors.As(err, &f) {
		return unplayed("the bot failed: " + f.Error())
	}
	return unplayed("the bot could not be set up")
}

func (t *Table) interrupted(ctx context.Context) *Ending {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return unplayed("the game took too long")
	}
	return unplayed("left unfinished")
}

// show publishes the state of the game.
func (t *Table) show(g *Game, more func(*State)) {
	t.change(func(s *State) {
		s.Moves = slices.Clip(g.Moves)
		if len(g.Moves) < len(s.Thoughts) {
			s.Thoughts = slices.DeleteFunc(slices.Clone(s.Thoughts), func(h Thought) bool { return h.Ply > len(g.Moves) })
		}
		s.Turn, s.Thinking, s.Since, s.Hint, s.Said, s.Legal = g.Path.Position.Turn(), !g.PersonsTurn() && g.Ended() == nil, t.lobby.Now(), nil, "", nil
		s.CanUndo = len(g.Moves) >= 2 && g.PersonsTurn()
		for side := range s.Left {
			s.Left[side], _ = g.Left(engine.Side(side))
		}
		if g.PersonsTurn() && g.Ended() == nil {
			pos := g.Path.Position
			for _, m := range pos.Legal(nil) {
				s.Legal = append(s.Legal, string(pos.AppendMove(nil, m)))
			}
		}
		if more != nil {
			more(s)
		}
	})
}

// person waits for the person's move, and returns false if the visitor has gone.
func (t *Table) person(ctx context.Context, g *Game) bool {
	since := t.lobby.Now()
	var flag <-chan time.Time
	if left, runs := g.Left(g.Person); runs {
		timer := time.NewTimer(left + t.Clocks[0].Margin)
		defer timer.Stop()
		flag = timer.C
	}
	look := time.NewTicker(time.Second)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-flag:
			g.Flag()
			t.show(g, nil)
			return true
		case <-look.C:
			if t.away() {
				return false
			}
		case a := <-t.asks:
			moved, err := a.do(ctx, g, since)
			a.done <- err
			if moved || g.Ended() != nil {
				return ctx.Err() == nil
			}
		}
	}
}

// resigns reports whether the visitor gave the game up while the bot was thinking.
func (t *Table) resigns() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.resigned
}

// away reports whether the visitor has been gone for too long.
func (t *Table) away() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.watchers > 0 {
		return false
	}
	most := cmp.Or(t.lobby.Stay, DefaultStay)
	if t.watched {
		most = cmp.Or(t.lobby.Leave, DefaultLeave)
	}
	return t.lobby.Now().Sub(t.last) > most
}

// listen records the search facts that the bot reports while it is thinking.
func (t *Table) listen(l session.Line) {
	if l.ToBot {
		return
	}
	m, err := protocol.ParseFromBot(l.Text)
	if err != nil || m.Kind != protocol.InfoLine {
		return
	}
	h := Thought{Depth: int(m.Info.Depth), Nodes: m.Info.Nodes, Line: clipped(m.Info.PV), Text: clipped(m.Info.String)}
	if m.Info.Has&protocol.HasScore != 0 {
		h.HasScore, h.Score, h.Mate = true, int(m.Info.Score.Value), m.Info.Score.Mate
	}
	if !h.HasScore && h.Line == "" && h.Text == "" {
		return
	}
	t.change(func(s *State) {
		h.Ply = len(s.Moves) + 1
		s.Thoughts = append(slices.Clone(s.Thoughts), h)
		if len(s.Thoughts) > mostThoughts {
			s.Thoughts = slices.Delete(s.Thoughts, 0, len(s.Thoughts)-mostThoughts)
		}
	})
}

// clipped returns a bot's text, cut to the length that is shown.
func clipped(b []byte) string { return string(b[:min(len(b), 300)]) }

// record passes the game to Lobby.Record.
func (t *Table) record(g *Game) {
	if t.lobby.Record == nil || g.Ended().Reason == arena.Void {
		return
	}
	row := arena.Game{First: PersonName, Second: t.Bot.Name}
	clocks := t.Clocks
	if t.Person == engine.Second {
		row.First, row.Second = row.Second, row.First
		clocks[0], clocks[1] = clocks[1], clocks[0]
	}
	g.Fill(&row)
	for _, m := range g.Moves {
		row.Wall += m.Time
	}
	row.Start = t.lobby.Now().Add(-row.Wall)
	t.lobby.problem(t.lobby.Record(&row, t.Bot, clocks))
}

// PersonName returns the name of a visitor in a record.
const PersonName = "person"

// Now returns the time by the lobby's clock.
func (t *Table) Now() time.Time { return t.lobby.Now() }

// Away records that the visitor's page was closed, or is being loaded again.
func (t *Table) Away() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.watched, t.last = true, t.lobby.Now()
}
