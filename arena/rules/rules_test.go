package rules_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/rules"
	"botarena/arena/session"
	"botarena/arena/session/sessiontest"
	"botarena/engine"
	"botarena/engine/enginetest"
	"botarena/engine/games"
)

// TestConformance holds a game by a program to the contract of the games built in.
func TestConformance(t *testing.T) {
	for _, name := range []string{"breakthrough:4x5"} {
		g, err := games.All().Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		game, _, err := (&fake{game: g}).open(t)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { enginetest.Run(t, game, enginetest.Allocates(), enginetest.Games(1)) })
	}
}

// TestSameAsBuiltIn plays the same random games by a program and by arena's rules.
func TestSameAsBuiltIn(t *testing.T) {
	builtin, err := games.All().Lookup("breakthrough:4x5")
	if err != nil {
		t.Fatal(err)
	}
	game, _, err := (&fake{}).open(t)
	if err != nil {
		t.Fatal(err)
	}
	if game.Name() != "tiny@01234567" || game.SideNames() != builtin.SideNames() || game.MaxPlies() != builtin.MaxPlies() || game.Symmetric() != builtin.Symmetric() {
		t.Errorf("%s, %v, %d, %v", game.Name(), game.SideNames(), game.MaxPlies(), game.Symmetric())
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		a, b := builtin.Start(), game.Start()
		for !a.Outcome().Over {
			moves := a.Legal(nil)
			m := moves[rng.IntN(len(moves))]
			text := string(a.AppendMove(nil, m))
			n, err := b.ParseMove(text)
			if err != nil {
				t.Fatal(err)
			}
			a.Play(m)
			b.Play(n)
			if a.String() != b.String() || a.Turn() != b.Turn() || a.Outcome() != b.Outcome() {
				t.Fatalf("after %s: %s %v, by the program %s %v", text, a, a.Outcome(), b, b.Outcome())
			}
		}
	}
	if a, b := engine.Perft(builtin.Start(), 4), engine.Perft(game.Start(), 4); a != b {
		t.Errorf("perft 4: %d, by the program %d", a, b)
	}
	m, err := game.Start().ParseMove("a1a5")
	var refused *engine.MoveError
	if !errors.As(err, &refused) || refused.Why != "a reason" || m != 0 {
		t.Errorf("a move that is not legal: %v", err)
	}
}

// TestOneWrite counts what a ply costs: one write, and one answer awaited.
func TestOneWrite(t *testing.T) {
	game, b, err := (&fake{}).open(t)
	if err != nil {
		t.Fatal(err)
	}
	pos := game.Start()
	pos.Legal(nil)
	before := len(b.Writes)
	for range 4 {
		pos.Play(pos.Legal(nil)[0])
		if out := pos.Outcome(); out.Over {
			t.Fatal("over")
		}
		pos.Turn()
	}
	if n := len(b.Writes) - before; n != 4 {
		t.Errorf("%d writes for 4 plies: %q", n, b.Writes[before:])
	}
	if want := "position startpos moves a2a3\nquery gameover\nquery p1turn\nquery result\nquery moves\nisready\n"; b.Writes[before] != want {
		t.Errorf("the first is %q, want %q", b.Writes[before], want)
	}
}

// TestLeast plays by a program that answers nothing but what it must.
func TestLeast(t *testing.T) {
	game, _, err := (&fake{only: []string{"nothing"}}).open(t)
	if err != nil {
		t.Fatal(err)
	}
	pos := game.Start()
	pos.Play(pos.Legal(nil)[0])
	if pos.String() != "startpos a2a3" || pos.Board().Text[0] != "startpos a2a3" || game.SideNames() != [2]string{"first", "second"} || game.MaxPlies() != 1000 {
		t.Errorf("%s, %+v, %v, %d", pos, pos.Board(), game.SideNames(), game.MaxPlies())
	}
	if _, err := game.Parse("4/4/4/4/4 w"); err == nil || !strings.Contains(err.Error(), `"query fen"`) {
		t.Errorf("a position is read: %v", err)
	}
	if path := session.PathFrom(pos.Clone()); !slices.Equal(path.Moves, []string{"a2a3"}) || !path.Undo() || path.Undo() {
		t.Errorf("a bot is told the moves %q", path.Moves)
	}
	if _, err := pos.ParseMove("z9z9"); err == nil || err.Error() != "z9z9: not one of the 9 legal moves" {
		t.Errorf("a move that is not legal: %v", err)
	}
}

func TestBoard(t *testing.T) {
	game, _, err := (&fake{}).open(t)
	if err != nil {
		t.Fatal(err)
	}
	b := game.Start().Board()
	black, white := engine.Cell{Piece: 'p', Side: engine.Second}, engine.Cell{Piece: 'P', Side: engine.First}
	if b.Cols != 4 || b.Rows != 5 || b.Cells[0] != black || b.Cells[19] != white || !slices.Equal(b.Indent, []int{0, 1, 2, 3, 4}) {
		t.Errorf("%+v", b)
	}
}

// lies answers a query with something else, from the n-th query on.
func lies(query, answer string) func(*fake, *sessiontest.Bot, string) bool {
	return func(_ *fake, b *sessiontest.Bot, line string) bool {
		if line != "query "+query {
			return false
		}
		if answer != "" {
			b.Say(0, "%s", answer)
		}
		return true
	}
}

// after spoils nothing before a game has so many plies.
func after(plies int, spoil func(*fake, *sessiontest.Bot, string) bool) func(*fake, *sessiontest.Bot, string) bool {
	return func(f *fake, b *sessiontest.Bot, line string) bool {
		return f.pos != nil && f.pos.Ply() >= plies && spoil(f, b, line)
	}
}

// TestFaults is one game each by a program that fails in its own way.
func TestFaults(t *testing.T) {
	ends := func(status string) func(*fake, *sessiontest.Bot, string) bool {
		return func(_ *fake, b *sessiontest.Bot, line string) bool {
			if !strings.HasPrefix(line, "query") {
				return false
			}
			b.Exit = status
			b.Fail(0, arena.ErrClosed)
			return true
		}
	}
	for _, c := range []struct {
		name  string
		spoil func(*fake, *sessiontest.Bot, string) bool
		want  string
	}{
		{"no handshake", func(_ *fake, _ *sessiontest.Bot, line string) bool { return line == "ugi" }, "no ugiok within 10s"},
		{"crash", after(2, ends("exit status 3")), "the program ended: exit status 3"},
		{"hang", after(2, lies("moves", "")), ""}, // overwritten below
		{"flood", after(2, func(_ *fake, b *sessiontest.Bot, line string) bool {
			b.Fail(0, arena.ErrFlood)
			return line == "query moves"
		}), arena.ErrFlood.Error()},
		{"long line", after(2, func(_ *fake, b *sessiontest.Bot, line string) bool {
			b.Fail(0, arena.ErrLineTooLong)
			return line == "query moves"
		}), arena.ErrLineTooLong.Error()},
		{"garbage", after(2, lies("moves", "response a\x00b")), "NUL byte"},
		{"no moves query", lies("moves", "response unknown"), `it does not answer "query moves", which the rules of a game must`},
		{"missing answer", after(2, lies("result", "")), "it was asked 4 queries and gave 3 answers"},
		{"one too many", after(2, func(_ *fake, b *sessiontest.Bot, line string) bool {
			if line == "query moves" {
				b.Say(0, "response a2a3")
			}
			return false
		}), "it was asked 4 queries and gave 5 answers"},
		{"no truth", after(2, lies("gameover", "response maybe")), `"query gameover" must be answered with true or false, not "maybe"`},
		{"no result", after(2, lies("result", "response 1-0")), `"query result" must be answered with p1win, p2win, draw or none, not "1-0"`},
		{"over without result", after(2, lies("gameover", "response true")), "it contradicts itself: the game is over, and its result is none"},
		{"result before the end", after(2, lies("result", "response p1win")), "it contradicts itself: the game is not over, and its result is p1win"},
		{"no moves", after(2, lies("moves", "response")), "it contradicts itself: the game is not over, and there are no legal moves"},
		{"moves after the end", after(2, func(f *fake, b *sessiontest.Bot, line string) bool {
			return lies("gameover", "response true")(f, b, line) || lies("result", "response draw")(f, b, line)
		}), "it contradicts itself: the game is over, and there are legal moves"},
		{"out of turn", func(f *fake, b *sessiontest.Bot, line string) bool {
			return f.pos != nil && f.pos.Ply() > 0 && !f.pos2over() && lies("p1turn", "response true")(f, b, line)
		}, "p1turn is true before a move and after it: the sides move in turn"},
		{"a move twice", after(2, lies("moves", "response a2a3 b2b3 a2a3")), "it names the move a2a3 twice"},
		{"refuses its own move", after(2, lies("gameover", "response invalid no such move")), "it does not take a position that follows from its own answers: invalid no such move"},
		{"another start", func(f *fake, b *sessiontest.Bot, line string) bool {
			return f.asked > 30 && f.pos.Ply() == 0 && lies("moves", "response a2a3")(f, b, line)
		}, "it disagrees with its own earlier answer about this position: the legal moves are not those of before"},
		{"another end", func(f *fake, b *sessiontest.Bot, line string) bool {
			if !f.pos2over() || line != "query result" {
				return false
			}
			f.asked += 1000
			b.Say(0, "response %s", []string{"draw", "p1win"}[f.asked/1000%2])
			return true
		}, "it disagrees with its own earlier answer about this position: result is"},
		{"strange sides", lies("sides", "response white"), `"query sides" must be answered with two different words, not "white"`},
		{"strange end at the limit", lies("atlimit", "response none"), `"query atlimit" must be answered with p1win, p2win or draw, not "none"`},
		{"strange limit", lies("maxplies", "response many"), `"query maxplies" must be answered with a number from 1 to 1000000, not "many"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &fake{spoil: c.spoil}
			if c.name == "hang" {
				f.spoil = after(2, func(_ *fake, _ *sessiontest.Bot, line string) bool { return line == "query moves" || line == "isready" })
				c.want = "no answer within 10s"
			}
			err := playAll(t, f)
			var broken *engine.RulesError
			var fault *rules.Fault
			if !errors.As(err, &broken) || !errors.As(err, &fault) {
				t.Fatalf("got %v", err)
			}
			if !strings.Contains(fault.What, c.want) || fault.Void {
				t.Errorf("got %q, want %q", fault.What, c.want)
			}
			if text := err.Error(); !strings.HasPrefix(text, "the rules of tiny (fake) failed: ") || !strings.Contains(text, "\n    > ") || !strings.Contains(text, "fake: hello") {
				t.Errorf("the message is not whole:\n%s", text)
			}
		})
	}
}

func (f *fake) pos2over() bool { return f.pos != nil && f.pos.Outcome().Over }

// playAll opens the game and plays it twice.
func playAll(t *testing.T, f *fake) (err error) {
	t.Helper()
	game, _, err := f.open(t)
	if err != nil {
		return err
	}
	defer engine.Catch(&err)
	for range 2 {
		pos := game.Start()
		for !pos.Outcome().Over {
			pos.Play(pos.Legal(nil)[0])
		}
	}
	return nil
}

// TestStaysBroken holds a game that failed to its failure.
func TestStaysBroken(t *testing.T) {
	f := &fake{spoil: after(1, lies("gameover", "response maybe"))}
	game, b, err := f.open(t)
	if err != nil {
		t.Fatal(err)
	}
	pos := game.Start()
	pos.Play(pos.Legal(nil)[0])
	for range 2 {
		func() {
			defer engine.Catch(&err)
			pos.Outcome()
		}()
		var broken *engine.RulesError
		if !errors.As(err, &broken) {
			t.Fatalf("got %v", err)
		}
	}
	if n := strings.Count(strings.Join(b.Sent, "\n"), "position startpos moves"); n != 1 {
		t.Errorf("a program that failed was asked %d times", n)
	}
}

// TestSuspended takes what came too late while arena was stopped for nobody's fault.
func TestSuspended(t *testing.T) {
	f := &fake{}
	g, err := games.All().Lookup("breakthrough:4x5")
	if err != nil {
		t.Fatal(err)
	}
	f.game = g
	b := &sessiontest.Bot{Clock: sessiontest.NewClock(), Answer: f.answer}
	game, err := rules.Open(t.Context(), rules.Config{
		Name: "tiny", Now: b.Clock.Now, Start: starter(b), Suspended: func(time.Time) bool { return true },
	})
	if err != nil {
		t.Fatal(err)
	}
	pos := game.Start()
	pos.Play(pos.Legal(nil)[0])
	f.spoil = func(_ *fake, _ *sessiontest.Bot, line string) bool { return line == "isready" }
	func() {
		defer engine.Catch(&err)
		pos.Outcome()
	}()
	var fault *rules.Fault
	if !errors.As(err, &fault) || !fault.Void {
		t.Errorf("got %v", err)
	}
}
