package casual_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/casual"
	"botarena/arena/session"
	"botarena/arena/session/sessiontest"
	"botarena/engine"
	"botarena/engine/games"
	"botarena/protocol"
)

// begin starts a game on a small board against a bot that plays the moves given,
// each after half a second.
func begin(t *testing.T, person engine.Side, clocks [2]arena.TimeControl, moves ...string) (*casual.Game, *sessiontest.Clock) {
	t.Helper()
	game, err := games.All().Lookup("breakthrough:2x5")
	if err != nil {
		t.Fatal(err)
	}
	clock := sessiontest.NewClock()
	bot := &sessiontest.Bot{Clock: clock, Answer: sessiontest.Plays(500*time.Millisecond, moves...)}
	s := &session.Session{Name: "dummy", Process: bot, Now: clock.Now, Declared: session.Declared{Dialect: protocol.UGI}}
	g := casual.New(s, casual.Setup{Path: session.NewPath(game), Person: person, Clocks: clocks})
	if err := g.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	return g, clock
}

func play(t *testing.T, g *casual.Game, text string) {
	t.Helper()
	if err := g.Play(text, time.Second); err != nil {
		t.Fatal(err)
	}
}

func answer(t *testing.T, g *casual.Game) *arena.MoveRecord {
	t.Helper()
	r, err := g.Answer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var second = arena.TimeControl{Move: time.Second}

// A game to its end, with what is recorded of it.
func TestWholeGame(t *testing.T) {
	g, _ := begin(t, engine.First, [2]arena.TimeControl{{Base: 10 * time.Second, Increment: time.Second}, second}, "a4a3", "b4b3")
	if _, err := g.Answer(t.Context()); !errors.Is(err, casual.ErrTurn) {
		t.Errorf("the bot out of turn: %v", err)
	}
	var illegal *engine.MoveError
	if err := g.Play("a2b4", 0); !errors.As(err, &illegal) {
		t.Errorf("an illegal move: %v", err)
	}
	play(t, g, "b2-b3")
	if err := g.Play("a2a3", 0); !errors.Is(err, casual.ErrTurn) {
		t.Errorf("the person out of turn: %v", err)
	}
	if r := answer(t, g); r.Move != "a4a3" || r.Time != 500*time.Millisecond {
		t.Errorf("the bot's move is %+v", r)
	}
	play(t, g, "b3a4")
	answer(t, g)
	play(t, g, "a4b5")
	end := g.Ended()
	if end == nil || end.Result != arena.FirstWins || end.Reason != arena.WinByRule || end.Blame != engine.NoSide {
		t.Fatalf("ended as %+v", end)
	}
	if left, runs := g.Left(engine.First); left != 10*time.Second || !runs {
		t.Errorf("the person has %v left (%v)", left, runs)
	}
	if err := g.Play("a2a3", 0); !errors.Is(err, casual.ErrOver) {
		t.Errorf("a move after the end: %v", err)
	}
	record := arena.Game{First: "me", Second: "dummy"}
	g.Fill(&record)
	if record.Plies != 5 || record.Result != arena.FirstWins || record.Blame != "" || record.Opening.Position != "" || record.Moves[4].Move != "a4b5" {
		t.Errorf("recorded as %+v", record)
	}
	if !g.Undo() || g.Ended() != nil || len(g.Moves) != 4 || !g.PersonsTurn() {
		t.Errorf("after taking the last move back: %+v", g.Ended())
	}
}

// The other ways to end.
func TestEndings(t *testing.T) {
	for name, c := range map[string]struct {
		person engine.Side
		clocks [2]arena.TimeControl
		moves  []string
		do     func(*casual.Game) error
		want   casual.Ending
		fault  bool
	}{
		"resigns": {
			do:   func(g *casual.Game) error { g.Resign(); return nil },
			want: casual.Ending{Result: arena.SecondWins, Reason: arena.Resign, Detail: "white resigned", Blame: engine.NoSide},
		},
		"flag": {
			clocks: [2]arena.TimeControl{second},
			do:     func(g *casual.Game) error { g.Flag(); return nil },
			want:   casual.Ending{Result: arena.SecondWins, Reason: arena.TimeForfeit, Detail: "1.0 s was left", Blame: engine.First},
		},
		"moves too late": {
			clocks: [2]arena.TimeControl{second},
			do: func(g *casual.Game) error {
				if err := g.Play("a2a3", 2*time.Second); !errors.Is(err, casual.ErrOver) {
					return err
				}
				return nil
			},
			want: casual.Ending{Result: arena.SecondWins, Reason: arena.TimeForfeit, Detail: "1.0 s was left", Blame: engine.First},
		},
		"the bot resigns": {
			person: engine.Second, moves: []string{"resign"},
			want: casual.Ending{Result: arena.SecondWins, Reason: arena.Resign, Detail: "white resigned", Blame: engine.NoSide},
		},
		"the bot is late": {
			person: engine.Second, moves: []string{"a2a3"},
			clocks: [2]arena.TimeControl{1: {Base: 300 * time.Millisecond}},
			want:   casual.Ending{Result: arena.SecondWins, Reason: arena.TimeForfeit, Detail: "0.5 s passed; 0.3 s was left", Blame: engine.First},
		},
		"the bot errs": {
			person: engine.Second, moves: []string{"a2b5"}, fault: true,
			want: casual.Ending{Result: arena.SecondWins, Reason: arena.IllegalMove, Blame: engine.First},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if !c.clocks[1].Timed() {
				c.clocks[1] = second
			}
			g, _ := begin(t, c.person, c.clocks, c.moves...)
			var err error
			if c.do != nil {
				err = c.do(g)
			} else {
				_, err = g.Answer(t.Context())
			}
			if (err != nil) != c.fault {
				t.Fatal(err)
			}
			end := *g.Ended()
			if c.fault {
				end.Detail = ""
			}
			if !reflect.DeepEqual(end, c.want) {
				t.Errorf("ended as %+v, want %+v", end, c.want)
			}
			if g.Undo() {
				t.Error("what no rule ended is taken back")
			}
		})
	}
}

// asked is a position of rules that are a program.
type asked struct{ engine.Position }

func (asked) Expect([]string, bool) {}
func (asked) Spread()               {}

// Where the rules fail that a built-in bot asks by itself, nobody has lost.
func TestRulesFail(t *testing.T) {
	game, err := games.All().Lookup("breakthrough:2x5")
	if err != nil {
		t.Fatal(err)
	}
	hang := second.Move + session.DefaultReady // until the rules' own limit, begun when the clock was almost over
	for _, c := range []struct {
		builtin bool
		exit    string
		after   time.Duration
		want    arena.Reason
	}{
		{true, "exit status 3", 0, arena.Void},
		{true, "exit status 3", hang + time.Second, arena.Void},
		{true, "exit status 2", 0, arena.Crash},
		{false, "exit status 3", 0, arena.Crash},
	} {
		bot := &sessiontest.Bot{Clock: sessiontest.NewClock(), Exit: c.exit}
		bot.Answer = sessiontest.Polite(func(b *sessiontest.Bot, _, _ string) { b.Fail(c.after, arena.ErrClosed) })
		s := &session.Session{Name: "dummy", Process: bot, Now: bot.Clock.Now, Declared: session.Declared{Dialect: protocol.UGI}}
		g := casual.New(s, casual.Setup{
			Path: session.PathFrom(asked{game.Start()}), Person: engine.Second, Clocks: [2]arena.TimeControl{second, second}, Builtin: c.builtin,
		})
		if _, err := g.Answer(t.Context()); err == nil || g.Ended().Reason != c.want || (g.Ended().Result == arena.Unplayed) != (c.want == arena.Void) {
			t.Errorf("%+v: %+v, %v", c, g.Ended(), err)
		}
	}
}

// A game from a position is recorded with it; one of the move limit is a draw.
func TestPositionAndLimit(t *testing.T) {
	game, err := games.All().Lookup("breakthrough:2x5")
	if err != nil {
		t.Fatal(err)
	}
	pos, err := game.Parse("pp/1p/2/P1/1P w")
	if err != nil {
		t.Fatal(err)
	}
	text := pos.String()
	g := casual.New(&session.Session{}, casual.Setup{Path: session.PathFrom(pos), MaxPlies: 1})
	if err := g.Play("a2a3", 0); err != nil {
		t.Fatal(err)
	}
	var record arena.Game
	g.Fill(&record)
	if record.Opening.Position != text || record.Result != arena.Draw || record.Reason != arena.MoveLimit || !strings.Contains(record.Detail, "1 plies") {
		t.Errorf("recorded as %+v", record)
	}
}
