package screen

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"botarena/arena"
	"botarena/arena/live"
	"botarena/arena/schedule"
	"botarena/engine"
	"botarena/engine/games"
)

// A fixture is a screen of a hub whose games the test plays. Its clock stands.
type fixture struct {
	t   testing.TB
	at  atomic.Pointer[time.Time]
	hub *live.Hub
	m   *Model
}

const hostile = "evil\x1b[2J\x07\u202e\nname 全角文字"

func setup(t testing.TB, color bool) *fixture {
	t.Helper()
	f := &fixture{t: t}
	f.pass(0)
	clock := f.now
	f.hub = live.NewHub(clock)
	ctx, cancel := context.WithCancel(context.Background())
	view := live.Watch(ctx, filepath.Join(t.TempDir(), "arena.db"), clock, f.hub)
	t.Cleanup(func() {
		cancel()
		<-view.Stopped()
	})
	f.m = New(ctx, Options{
		View: view, Catalog: games.All(), Now: clock, Color: color, Waiting: "Nothing is being played.",
		Standings: func(_ context.Context, event string) ([]string, error) {
			if event == "broken" {
				return nil, errors.New("the disk is gone")
			}
			return []string{"standings of " + event, " 1  minimax  +100"}, nil
		},
	})
	f.size(80, 24)
	return f
}

func (f *fixture) now() time.Time { return *f.at.Load() }

// pass lets time go by.
func (f *fixture) pass(d time.Duration) {
	now := time.Unix(1e9, 0)
	if old := f.at.Load(); old != nil {
		now = old.Add(d)
	}
	f.at.Store(&now)
}

// begin puts a game with some moves into the air.
func (f *fixture) begin(run *live.Run, number, slot int, first string, moves ...string) *live.Playing {
	g := run.Begin(live.Game{
		Game:   arena.Game{Number: number, Game: "breakthrough:5x5", First: first, Second: "other"},
		Clocks: [2]arena.TimeControl{{Base: time.Minute}, {Base: time.Minute}}, Slot: slot,
	})
	var list []arena.MoveRecord
	for i, m := range moves {
		list = append(list, arena.MoveRecord{Move: m, Time: time.Second, Score: 30 + i, HasScore: true, Depth: 5})
	}
	g.Moved(list, f.now())
	return g
}

func (f *fixture) size(width, height int) {
	f.send(tea.WindowSizeMsg{Width: width, Height: height})
}

// send gives the model a message, and the standings that it asks for then.
func (f *fixture) send(msg tea.Msg) {
	f.t.Helper()
	f.m.Update(msg)
	if f.m.loading {
		lines, err := f.m.opt.Standings(f.m.ctx, f.m.event)
		f.m.Update(standingsMsg{f.m.event, lines, err})
	}
}

// see has the model look, once the view shows so many games.
func (f *fixture) see(games int) {
	f.t.Helper()
	for {
		changed, now := f.m.opt.View.Changed(), f.m.opt.View.Snapshot()
		if len(now.Games) == games {
			f.send(seenMsg{changed, now, f.m.opt.View.Problems()})
			return
		}
		select {
		case <-changed:
		case <-time.After(20 * time.Second):
			f.t.Fatalf("%d games", len(now.Games))
		}
	}
}

func (f *fixture) press(keys ...string) {
	for _, k := range keys {
		key := tea.Key{Text: k, Code: []rune(k)[0]}
		if code, ok := map[string]rune{
			"left": tea.KeyLeft, "right": tea.KeyRight, "up": tea.KeyUp, "down": tea.KeyDown, "enter": tea.KeyEnter,
			"esc": tea.KeyEscape, "tab": tea.KeyTab, "pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd,
		}[k]; ok {
			key = tea.Key{Code: code}
		}
		f.send(tea.KeyPressMsg(key))
	}
}

func (f *fixture) wants(texts ...string) {
	f.t.Helper()
	content := f.m.content()
	for _, text := range texts {
		if !strings.Contains(content, text) {
			f.t.Errorf("%q is not in:\n%s", text, content)
		}
	}
}

func (f *fixture) lacks(text string) {
	f.t.Helper()
	if content := f.m.content(); strings.Contains(content, text) {
		f.t.Errorf("%q is in:\n%s", text, content)
	}
}

func TestGrid(t *testing.T) {
	t.Parallel()
	f := setup(t, false)
	f.wants("Nothing is being played.", "standings of ", "q quit")
	run := f.hub.Run(live.Event{Name: "spring", Game: "breakthrough:5x5", Format: schedule.FormatMatch})
	run.Progress(live.Progress{Planned: 9, Played: 3})
	f.begin(run, 4, 0, "minimax", "a2a3", "b4a3")
	f.begin(run, 5, 1, "greedy", "c2c3")
	f.see(2)
	f.wants("spring · breakthrough:5x5 · match · 3/9 games", "» game 4", "game 5", "> minimax 0:59.0 +0.30 d5", "  other 0:59.0 +0.31 d5",
		"2. b4a3  1.00 s", "[p]", "5  p  p  p  p  p  5")
	f.pass(2500 * time.Millisecond)
	f.send(clockMsg(f.now()))
	f.wants("> minimax 0:56.5")
	f.press("e", "f")
	f.lacks("+0.30")
	f.wants("   e  d  c  b  a", "1  P  P  P  P  P  1")
	f.press("e", "f", "right")
	f.wants("» game 5", "standings of spring")
	f.press("s")
	f.lacks("standings of spring")
	f.press("s", "enter")
	f.wants("ply  move", "1> c2c3", "score")
	f.press("left")
	f.wants("game 4", "2> b4a3")
	f.press("up")
	f.wants("after ply 1 of 2", "1> a2a3")
	f.press("home", "up", "down", "esc", "?")
	f.wants("arrows, h j k l")
	f.press("esc")
	run.End(&arena.Game{Number: 4, Event: "spring", Result: arena.FirstWins, Reason: arena.Crash, Blame: "other", First: "minimax", Second: "other", Game: "breakthrough:5x5"})
	for !f.m.tables[0].game.Over {
		f.see(2)
	}
	f.wants("1-0 crash of other")
	if _, cmd := f.m.Update(tea.KeyPressMsg(tea.Key{Text: "q", Code: 'q'})); cmd == nil || cmd() != tea.Quit() {
		t.Error("q does not quit")
	}
}

func TestEvents(t *testing.T) {
	t.Parallel()
	f := setup(t, false)
	for _, name := range []string{"autumn", "broken"} {
		run := f.hub.Run(live.Event{Name: name, Game: "breakthrough:5x5"})
		f.begin(run, 1, 0, "bot of "+name)
	}
	f.see(2)
	f.wants("[1/2] autumn", "bot of autumn")
	f.lacks("bot of broken")
	f.press("tab")
	f.pass(time.Minute)
	f.send(clockMsg(f.now()))
	f.wants("[2/2] broken", "bot of broken", "the disk is gone")
	f.press("n")
	f.wants("[1/2] autumn")
}

// TestSizes has every size of a terminal: each line fits, and so do they all.
func TestSizes(t *testing.T) {
	t.Parallel()
	escapes := regexp.MustCompile("\x1b\\[[0-9;]*m")
	for _, color := range []bool{false, true} {
		f := setup(t, color)
		run := f.hub.Run(live.Event{Name: hostile, Game: "breakthrough:5x5"})
		for n := range 7 {
			f.begin(run, n+1, n, hostile, "a2a3")
		}
		f.begin(run, 8, 7, "lost", "a2a9") // what the rules refuse
		f.see(8)
		rapid.Check(t, func(t *rapid.T) {
			width, height := rapid.IntRange(1, 200).Draw(t, "width"), rapid.IntRange(1, 70).Draw(t, "height")
			f.size(width, height)
			for _, k := range rapid.SliceOfN(rapid.SampledFrom([]string{"left", "right", "up", "down", "enter", "esc", "s", "f", "?", "pgdown", "end", "home", "tab"}), 0, 6).Draw(t, "keys") {
				f.press(k)
			}
			content := f.m.content()
			lines := strings.Split(content, "\n")
			if len(lines) != height {
				t.Fatalf("%d lines at a height of %d", len(lines), height)
			}
			for _, line := range lines {
				if ansi.StringWidth(line) > width {
					t.Fatalf("%d columns of %d: %q", ansi.StringWidth(line), width, line)
				}
			}
			plain := escapes.ReplaceAllString(content, "")
			if strings.ContainsAny(plain, "\x1b\x07\u202e\r") || !color && plain != content {
				t.Fatalf("control characters: %q", content)
			}
		})
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	f := setup(t, false)
	run := f.hub.Run(live.Event{Name: "spring", Game: "breakthrough:5x5"})
	run.Progress(live.Progress{Planned: 2})
	f.begin(run, 1, 0, hostile, "a2a3")
	f.see(1)
	var out bytes.Buffer
	done := make(chan error)
	opt := f.m.opt
	opt.Event = "spring"
	go func() { done <- Lines(t.Context(), &out, opt) }()
	run.End(&arena.Game{Number: 1, First: hostile, Second: "other", Result: arena.Draw, Reason: arena.MoveLimit, Plies: 1})
	run.Progress(live.Progress{Planned: 2, Played: 1})
	f.see(1)
	run.Close()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	got := out.String()
	for _, want := range []string{": 1/2 games played, the run has ended\n", `spring/1: evil\x1b[2J\a\u202e\nname 全角文字 - other:  1/2-1/2 move limit, 1 plies` + "\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in:\n%s", want, got)
		}
	}
	if err := Lines(t.Context(), broken{}, opt); err == nil {
		t.Error("a broken pipe is no error")
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, fmt.Errorf("broken pipe") }

// A rowsGame is a game whose rules are a program, and whose board is rows of text.
type rowsGame struct {
	engine.Game
	broken *bool
}

func (g rowsGame) Start() engine.Position { return rowsPosition{g.Game.Start(), g} }

type rowsPosition struct {
	engine.Position
	of rowsGame
}

func (p rowsPosition) Clone() engine.Position { return rowsPosition{p.Position.Clone(), p.of} }

func (p rowsPosition) Board() engine.Board {
	if *p.of.broken {
		panic(&engine.RulesError{Game: p.of.Name(), Err: errors.New("the program is gone")})
	}
	return engine.Board{Text: []string{fmt.Sprintf("ply %d", p.Ply()), "  shifted \x1b[2Jrow"}}
}

// A game whose rules are a program shows its board's text, once the program runs; while it
// does not, why.
func TestProgramBoards(t *testing.T) {
	f := setup(t, false)
	broken, failing := false, true
	f.m.opt.Rules = func(_ context.Context, game string) (engine.Game, error) {
		if failing {
			return nil, errors.New("no such program")
		}
		g, err := games.All().Lookup("breakthrough:5x5")
		return rowsGame{g, &broken}, err
	}
	run := f.hub.Run(live.Event{Name: "spring", Game: "rows@0123456789ab"})
	g := run.Begin(live.Game{Game: arena.Game{Number: 1, Game: "rows@0123456789ab", First: "ann", Second: "bea"}})
	g.Moved([]arena.MoveRecord{{Move: "a2a3"}, {Move: "a4b3"}}, f.now())
	f.see(1)
	for len(f.m.seen.Games[0].Moves) != 2 {
		f.see(1)
	}
	if got := f.m.content(); !strings.Contains(got, "being started") {
		t.Errorf("nothing says that the program is being started:\n%s", got)
	}
	start := func() {
		t.Helper()
		for _, p := range f.m.programs {
			p.wanted = true // again: the command of before went nowhere
		}
		cmd := f.m.start()
		if cmd == nil {
			t.Fatal("no program is started")
		}
		f.send(cmd())
	}
	start()
	if got := f.m.content(); !strings.Contains(got, "no board: no such program") {
		t.Errorf("nothing says why there is no board:\n%s", got)
	}
	failing = false
	clear(f.m.programs)
	f.see(1)
	start()
	if got := f.m.content(); !strings.Contains(got, "\nply 2") || !strings.Contains(got, "\n  shifted ") || strings.Contains(got, "\x1b[2J") || !strings.Contains(got, "> ann") {
		t.Errorf("not the board of the program:\n%q", got)
	}
	f.press("enter", "up")
	if got := f.m.content(); !strings.Contains(got, "\nply 1 ") {
		t.Errorf("not the board before:\n%q", got)
	}
	broken = true
	g.Moved([]arena.MoveRecord{{Move: "b2b3"}}, f.now())
	for len(f.m.seen.Games[0].Moves) != 1 {
		f.see(1)
	}
	if got := f.m.content(); !strings.Contains(got, "no board: the program is") {
		t.Errorf("nothing says that the program failed:\n%s", got)
	}
}
