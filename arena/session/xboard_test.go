package session_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/session"
	"botarena/arena/session/sessiontest"
	"botarena/engine"
	"botarena/engine/games"
	"botarena/protocol"
)

// An engine answers xboard with the given features; moves are what it plays, one
// each time that it is to think.
type cecp struct {
	features []string
	moves    []string
	force    bool
	also     map[string][]string // more answers, by line
}

func (e *cecp) answer(b *sessiontest.Bot, line string) {
	for _, text := range e.also[line] {
		b.Say(0, "%s", text)
	}
	word, rest, _ := strings.Cut(line, " ")
	switch {
	case word == "protover":
		for _, f := range e.features {
			b.Say(ms, "feature %s", f)
		}
	case word == "ping":
		b.Say(ms, "pong %s", rest)
	case word == "new":
		e.force = false
	case word == "force":
		e.force = true
	case word == "go", (word == "usermove" || len(line) == 4 && line[1] >= '1' && line[1] <= '8') && !e.force:
		e.force = false
		if len(e.moves) > 0 {
			b.Say(10*ms, "%s", e.moves[0])
			e.moves = e.moves[1:]
		}
	}
}

const usual = "ping=1 setboard=1 usermove=1 done=1"

// greeted returns the session of an engine that was set up for a game.
func greeted(t *testing.T, e *cecp, game string) (*sessiontest.Bot, *session.Session) {
	t.Helper()
	b, s := open(e.answer)
	if err := s.Greet(context.Background(), session.Hello{Protocol: arena.ProtocolXBoard}); err != nil {
		t.Fatal(err)
	}
	if err := s.Configure(context.Background(), session.Setup{Game: game}); err != nil {
		t.Fatal(err)
	}
	if err := s.NewGame(context.Background(), time.Second); err != nil {
		t.Fatal(err)
	}
	b.Sent = nil
	return b, s
}

func chessGame(t *testing.T, name string) engine.Game {
	t.Helper()
	g, err := games.All().Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func question(path *session.Path, clock arena.TimeControl) session.Question {
	return session.NewTimers([2]arena.TimeControl{clock, clock}).Question(path, time.Second)
}

func sent(t *testing.T, b *sessiontest.Bot, want ...string) {
	t.Helper()
	if !slices.Equal(b.Sent, want) {
		t.Errorf("sent\n  %s\nwant\n  %s", strings.Join(b.Sent, "\n  "), strings.Join(want, "\n  "))
	}
	b.Sent = nil
}

func play(t *testing.T, path *session.Path, move string) {
	t.Helper()
	m, err := path.Position.ParseMove(move)
	if err != nil {
		t.Fatal(err)
	}
	path.Play(m)
}

// ask wants that move for an answer, and plays it.
func ask(t *testing.T, s *session.Session, q session.Question, want string) session.Answer {
	t.Helper()
	a, f := s.Ask(context.Background(), q)
	if f != nil {
		t.Fatal(f)
	}
	if got := string(q.Path.Position.AppendMove(nil, a.Move)); got != want {
		t.Errorf("it plays %s, want %s", got, want)
	}
	q.Path.Play(a.Move)
	return a
}

func TestXBoardGame(t *testing.T) {
	e := &cecp{
		features: []string{`myname="Old Oak" san=1 memory=1`, `option="Style -combo *calm /// wild"`, usual},
		moves:    []string{"move Nf3", "move O-O"},
		also:     map[string][]string{"go": {" 3 25 4 1000 Nf3 d5", "4. +31 5 2000 Nf3"}},
	}
	b, s := open(e.answer)
	if err := s.Greet(context.Background(), session.Hello{Protocol: arena.ProtocolXBoard}); err != nil {
		t.Fatal(err)
	}
	sent(t, b, "xboard", "protover 2", "accepted myname", "accepted san", "accepted memory", "accepted option",
		"accepted ping", "accepted setboard", "accepted usermove", "accepted done")
	if d := s.Declared; d.Name != "Old Oak" || d.Dialect != protocol.XBoard {
		t.Errorf("declared %+v", d)
	}
	setup := session.Setup{Game: "chess", Options: []arena.Option{{Name: "hash", Value: "32"}, {Name: "Style", Value: "WILD"}}}
	if err := s.Configure(context.Background(), setup); err != nil {
		t.Fatal(err)
	}
	sent(t, b, "memory 32", "option Style=wild", "ping 1")
	if err := s.NewGame(context.Background(), time.Second); err != nil {
		t.Fatal(err)
	}
	sent(t, b, "new", "force", "easy", "post", "ping 2")

	path := session.NewPath(chessGame(t, "chess"))
	clock := arena.TimeControl{Base: 65 * time.Second, Increment: 500 * time.Millisecond}
	timers := session.NewTimers([2]arena.TimeControl{clock, clock})
	a := ask(t, s, timers.Question(path, 0), "g1f3")
	sent(t, b, "level 0 1:05 0.5", "time 6500", "otim 6500", "go")
	timers[0].Spend(a.Time)
	var record arena.MoveRecord
	s.Report(&record)
	if record.Depth != 4 || record.Score != 31 || record.Nodes != 2000 {
		t.Errorf("recorded %+v", record)
	}
	for _, m := range []string{"e7e5", "g2g3", "e5e4", "f1g2", "e4f3"} { // of a game that went on elsewhere
		play(t, path, m)
	}
	ask(t, s, timers.Question(path, 0), "e1g1")
	sent(t, b, "force", "usermove e5", "usermove g3", "usermove e4", "usermove Bg2", "usermove exf3", "time 6549", "otim 6500", "go")
	s.Finish(arena.FirstWins, "checkmate")
	sent(t, b, "result 1-0 {checkmate}", "force")
}

// The opponent's move makes the engine think; what was sent is not sent again.
func TestXBoardMoveByMove(t *testing.T) {
	b, s := greeted(t, &cecp{features: []string{usual}, moves: []string{"move e7e5", "move g8f6", "move d7d5"}}, "chess")
	path := session.NewPath(chessGame(t, "chess"))
	play(t, path, "e2e4")
	clock := arena.TimeControl{Move: 2 * time.Second, Depth: 6}
	ask(t, s, question(path, clock), "e7e5")
	sent(t, b, "usermove e2e4", "st 1", "sd 6", "time 200", "otim 200", "go")
	play(t, path, "g1f3")
	ask(t, s, question(path, clock), "g8f6")
	sent(t, b, "time 200", "otim 200", "usermove g1f3")
	// Another position: no new game, but a board.
	fen := "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
	pos, err := chessGame(t, "chess").Parse(fen)
	if err != nil {
		t.Fatal(err)
	}
	ask(t, s, question(session.PathFrom(pos), arena.TimeControl{Move: 50 * time.Millisecond}), "d7d5")
	sent(t, b, "force", "setboard "+fen, "level 0 0:01 0", "sd 99", "time 60", "otim 60", "go")
}

// An engine of version 1 sends no feature line: two seconds are waited, and it gets
// bare moves, edit, and no ping.
func TestXBoardVersion1(t *testing.T) {
	e := &cecp{moves: []string{"1. ... e5", "2. ... h5"}, also: map[string][]string{"go": {"My move is : e7e5"}}}
	b, s := open(e.answer)
	start := b.Clock.Time
	if err := s.Greet(context.Background(), session.Hello{Protocol: arena.ProtocolXBoard}); err != nil {
		t.Fatal(err)
	}
	if took := b.Clock.Time.Sub(start); took != 2*time.Second {
		t.Errorf("the handshake took %v", took)
	}
	if err := s.Configure(context.Background(), session.Setup{Game: "chess"}); err != nil {
		t.Fatal(err)
	}
	if err := s.NewGame(context.Background(), time.Second); err != nil {
		t.Fatal(err)
	}
	b.Sent = nil
	path := session.NewPath(chessGame(t, "chess"))
	play(t, path, "e2e4")
	clock := arena.TimeControl{Base: time.Minute, Moves: 40}
	ask(t, s, question(path, clock), "e7e5")
	sent(t, b, "e2e4", "level 40 1 0", "time 6000", "otim 6000", "go")
	pos, err := chessGame(t, "chess").Parse("4k2r/7p/8/8/8/8/8/R3K3 b Qk - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	ask(t, s, question(session.PathFrom(pos), clock), "h7h5")
	sent(t, b, "force", "new", "force", "easy", "post", "a2a3", "edit", "#", "Ra1", "Ke1", "c", "Ke8", "Rh8", "Ph7", ".",
		"level 40 1 0", "time 6000", "otim 6000", "go")
}

func TestXBoardChess960(t *testing.T) {
	_, s := open((&cecp{features: []string{`variants="normal"`, usual}}).answer)
	if err := s.Greet(context.Background(), session.Hello{Protocol: arena.ProtocolXBoard}); err != nil {
		t.Fatal(err)
	}
	var wrong *session.OptionsError
	if err := s.Configure(context.Background(), session.Setup{Game: "chess:960"}); !errors.As(err, &wrong) {
		t.Errorf("an engine without fischerandom is taken: %v", err)
	}
	b, s := greeted(t, &cecp{features: []string{`variants="normal,fischerandom"`, usual}, moves: []string{"move O-O", "move h8g8"}}, "chess:960")
	pos, err := chessGame(t, "chess:960").Parse("1r2k2r/pppppppp/8/8/8/8/PPPPPPPP/1R2K2R w HBhb - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	start := pos.String()
	path := session.PathFrom(pos)
	clock := arena.TimeControl{Move: time.Second}
	ask(t, s, question(path, clock), "e1h1")
	sent(t, b, "setboard "+start, "level 0 0:12 0", "time 1200", "otim 1200", "go")
	play(t, path, "e8b8")
	if a, f := s.Ask(context.Background(), question(path, clock)); f == nil {
		t.Errorf("the rook of the other side was moved: %+v", a)
	}
	sent(t, b, "time 1200", "otim 1200", "usermove O-O-O")
}

func TestXBoardEndings(t *testing.T) {
	tests := []struct {
		name   string
		says   []string // as answer to go
		resign bool
		reason arena.Reason // of a fault
		detail string
	}{
		{name: "resign", says: []string{"resign"}, resign: true},
		{name: "its own loss", says: []string{"0-1 {White resigns}"}, resign: true},
		{name: "a claim with a move", says: []string{"1/2-1/2 {Draw by repetition}", "move e2e4"}},
		{name: "a claim alone", says: []string{"1-0 {White mates}"}, reason: arena.ProtocolError, detail: `it claimed "1-0 {White mates}" instead of a move, and the rules do not end the game`},
		{name: "an illegal move", says: []string{"move e2e5"}, reason: arena.IllegalMove, detail: "e2e5"},
		{name: "words of UCI", says: []string{"bestmove d2d4", "info depth 3", "move e2e4"}},
		{name: "a NUL byte", says: []string{"move \x00"}, reason: arena.ProtocolError, detail: "NUL byte"},
		{name: "silence", reason: arena.TimeForfeit, detail: "passed"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, s := greeted(t, &cecp{features: []string{usual}, also: map[string][]string{"go": test.says}}, "chess")
			path := session.NewPath(chessGame(t, "chess"))
			a, f := s.Ask(context.Background(), question(path, arena.TimeControl{Move: 5 * time.Second}))
			switch {
			case test.reason == "" && f != nil:
				t.Fatal(f)
			case test.reason != "" && (f == nil || f.Reason != test.reason || !strings.Contains(f.Detail, test.detail)):
				t.Errorf("fault %v, want %s: %s", f, test.reason, test.detail)
			case test.reason == "" && a.Resign != test.resign:
				t.Errorf("answer %+v", a)
			case test.reason == "" && !a.Resign && a.Text != "e2e4":
				t.Errorf("it plays %s", a.Text)
			}
			if f := s.Settle(context.Background(), true); f != nil {
				t.Errorf("after it: %v", f)
			}
		})
	}
}

func TestXBoardRefusesLegalMove(t *testing.T) {
	_, s := greeted(t, &cecp{features: []string{usual}, also: map[string][]string{"usermove e2e4": {"Illegal move: e2e4"}}}, "chess")
	path := session.NewPath(chessGame(t, "chess"))
	play(t, path, "e2e4")
	_, f := s.Ask(context.Background(), question(path, arena.TimeControl{Move: time.Second}))
	if f == nil || f.Reason != arena.ProtocolError || !strings.Contains(f.Detail, "it refuses the legal move e2e4") {
		t.Errorf("fault %v", f)
	}
}

// What a move later is said counts at the next go.
func TestXBoardOfferAndLateResignation(t *testing.T) {
	b, s := greeted(t, &cecp{features: []string{usual}, moves: []string{"move e2e4"}, also: map[string][]string{"go": {"offer draw"}}}, "chess")
	path := session.NewPath(chessGame(t, "chess"))
	clock := arena.TimeControl{Move: time.Second}
	if a := ask(t, s, question(path, clock), "e2e4"); !a.Offers {
		t.Error("the offer is lost")
	}
	play(t, path, "e7e5")
	b.Say(0, "resign")
	if f := s.Settle(context.Background(), true); f != nil {
		t.Fatal(f)
	}
	b.Sent = nil
	q := question(path, clock)
	q.Offered = true
	if a, f := s.Ask(context.Background(), q); f != nil || !a.Resign {
		t.Errorf("answer %+v, %v", a, f)
	}
	sent(t, b, "draw", "time 1200", "otim 1200")
}

func TestXBoardClocks(t *testing.T) {
	tests := []struct {
		name     string
		features string
		clock    arena.TimeControl
		refuses  string
		problem  string
	}{
		{name: "nodes without nps", features: usual, clock: arena.TimeControl{Nodes: 100}, problem: "cannot be limited by nodes"},
		{name: "nodes", features: "nps=1 " + usual, clock: arena.TimeControl{Nodes: 100}},
		{name: "depth", features: usual, clock: arena.TimeControl{Depth: 4}},
		{name: "depth refused", features: usual, clock: arena.TimeControl{Depth: 4}, refuses: "Illegal move: sd 4", problem: "cannot be limited by depth"},
		{name: "depth unknown", features: usual, clock: arena.TimeControl{Depth: 4}, refuses: "Error (unknown command): sd", problem: "cannot be limited by depth"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e := &cecp{features: []string{test.features}}
			if test.refuses != "" {
				e.also = map[string][]string{"sd 4": {test.refuses}}
			}
			b, s := open(e.answer)
			if err := s.Greet(context.Background(), session.Hello{Protocol: arena.ProtocolXBoard}); err != nil {
				t.Fatal(err)
			}
			err := s.Configure(context.Background(), session.Setup{Game: "chess", Clock: test.clock})
			var wrong *session.OptionsError
			switch {
			case test.problem == "" && err != nil:
				t.Fatal(err)
			case test.problem != "" && (!errors.As(err, &wrong) || !strings.Contains(err.Error(), test.problem)):
				t.Errorf("error %v, want %s", err, test.problem)
			case test.clock.Nodes > 0 && err == nil:
				b.Sent = nil
				if err := s.Start(context.Background(), session.NewPath(chessGame(t, "chess")), protocol.GoParams{Nodes: 100}, time.Second); err != nil {
					t.Fatal(err)
				}
				if got := strings.Join(b.Sent, " "); !strings.Contains(got, "st 1 nps 100") {
					t.Errorf("sent %s", got)
				}
			}
		})
	}
}

// ProtocolAuto finds an engine that complains, and starts one anew that leaves.
func TestXBoardAuto(t *testing.T) {
	complaining := func(b *sessiontest.Bot, line string) {
		switch line {
		case "ugi", "isready", "uci":
			b.Say(ms, "Illegal move: %s", line)
		default:
			(&cecp{features: []string{usual}}).answer(b, line)
		}
	}
	b, s := open(complaining)
	start := b.Clock.Time
	if err := s.Greet(context.Background(), session.Hello{}); err != nil {
		t.Fatal(err)
	}
	if took := b.Clock.Time.Sub(start); s.Declared.Dialect != protocol.XBoard || took > 100*ms {
		t.Errorf("%v after %v", s.Declared.Dialect, took)
	}

	leaving := func(says string) func(b *sessiontest.Bot, line string) {
		return func(b *sessiontest.Bot, line string) {
			switch line {
			case "ugi", "uci":
				b.Say(0, "%s", says)
				b.Exit = "exit status 1"
				b.Fail(ms, arena.ErrClosed)
			default:
				(&cecp{features: []string{usual}}).answer(b, line)
			}
		}
	}
	for says, starts := range map[string]int{"Error (unknown command): ugi": 1, "tellics say hello": 2} {
		b, s = open(leaving(says))
		again := 0
		s.Again = func(context.Context) (session.Process, error) {
			again++
			return &sessiontest.Bot{Clock: b.Clock, Answer: b.Answer}, nil
		}
		if err := s.Greet(context.Background(), session.Hello{}); err != nil {
			t.Fatal(err)
		}
		if s.Declared.Dialect != protocol.XBoard || again != starts {
			t.Errorf("%q: %v after %d more starts, want %d", says, s.Declared.Dialect, again, starts)
		}
	}
}

// A bot that speaks two protocols, and is so slow that it is sent the words of both, does
// not end up in the later one while it is taken for one that speaks the former.
func TestSlowBotOfTwoProtocols(t *testing.T) {
	for _, c := range []struct {
		first, second, ok string
		after             time.Duration
		want              protocol.Dialect
	}{
		{"uci", "xboard", "uciok", 6 * time.Second, protocol.UCI},
		{"ugi", "uci", "ugiok", 3 * time.Second, protocol.UGI},
	} {
		begun, other := false, false
		bot := func(b *sessiontest.Bot, line string) {
			switch {
			case line == c.first:
				begun = true
				b.Say(c.after, "%s", c.ok)
			case line == c.second:
				other = true
			case line == "isready" && begun && !other:
				b.Say(c.after, "readyok")
			case line == "isready" && other:
				b.Say(ms, "Error (unknown command): isready")
			}
		}
		b, s := open(bot)
		starts := 0
		s.Again = func(context.Context) (session.Process, error) {
			starts++
			begun, other = false, false
			return &sessiontest.Bot{Clock: b.Clock, Answer: bot}, nil
		}
		if err := s.Greet(context.Background(), session.Hello{Timeout: 10 * time.Second}); err != nil {
			t.Fatal(err)
		}
		if err := s.Configure(context.Background(), session.Setup{Game: "chess"}); err != nil {
			t.Errorf("%s: %v", c.first, err)
		}
		if s.Declared.Dialect != c.want || starts != 1 {
			t.Errorf("%s: %v after %d more starts", c.first, s.Declared.Dialect, starts)
		}
	}
}
