package referee_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/referee"
	"botarena/arena/session"
	"botarena/arena/session/sessiontest"
	"botarena/engine"
)

// A ponderer plays moves and expects the opponent's; what it does at stop and
// ponderhit is the test's.
type ponderer struct {
	moves   []string // "u ponder d", each for one go of its own turn
	guesses []string // answers to go ponder, one each; "" none before ponderhit or stop
	after   time.Duration
	deaf    bool // to stop
	dies    bool // at go ponder
	uci     bool // it speaks UCI, and has 100 ms a move
	on      bool
}

func (p *ponderer) answer(b *sessiontest.Bot, line string) {
	word, rest, _ := strings.Cut(line, " ")
	guess := "u"
	if len(p.guesses) > 0 {
		guess = p.guesses[0]
	}
	switch {
	case line == "ugi" || line == "uci":
		b.Say(0, "option name Ponder type check default false")
		b.Say(0, "%sok", line)
	case line == "isready":
		b.Say(0, "readyok")
	case word == "go" && strings.HasPrefix(rest, "ponder"):
		p.on = true
		b.Say(0, "info depth 3 score cp 7")
		switch {
		case p.dies:
			b.Fail(0, arena.ErrClosed)
		case guess == "early":
			p.on = false
			b.Say(0, "bestmove d")
		}
	case word == "go":
		if len(p.moves) > 0 {
			b.Say(p.after, "bestmove %s", p.moves[0])
			p.moves = p.moves[1:]
		}
	case line == "ponderhit" && p.on:
		p.on = false
		b.Say(20*ms, "bestmove %s", guess)
		p.guesses = p.guesses[min(1, len(p.guesses)):]
	case line == "stop" && p.on && !p.deaf:
		p.on = false
		b.Say(5*ms, "bestmove t") // of the position that did not come about
		p.guesses = p.guesses[min(1, len(p.guesses)):]
	}
}

// pondered plays a game between a ponderer and a bot that answers after 100 ms.
func pondered(t *testing.T, p *ponderer, replies ...string) (referee.Verdict, *sessiontest.Bot) {
	t.Helper()
	clock := sessiontest.NewClock()
	bots := [2]*sessiontest.Bot{
		{Clock: clock, Answer: p.answer},
		{Clock: clock, Answer: sessiontest.Plays(100*ms, replies...)},
	}
	game := sessiontest.Shuttle{Goal: 9}
	var players [2]*session.Session
	for i, b := range bots {
		players[i] = &session.Session{Name: string(rune('A' + i)), Process: b, Now: clock.Now}
		speaks := arena.ProtocolUGI
		if p.uci && i == 0 {
			speaks = arena.ProtocolUCI
		}
		if err := players[i].Greet(context.Background(), session.Hello{Protocol: speaks}); err != nil {
			t.Fatal(err)
		}
		if err := players[i].Configure(context.Background(), session.Setup{Game: game.Name(), Ponder: true}); err != nil {
			t.Fatal(err)
		}
	}
	if !players[0].Ponders() || players[1].Ponders() {
		t.Fatal("the wrong bots ponder")
	}
	bots[0].Sent = nil
	r := referee.Referee{Now: clock.Now}
	c := arena.TimeControl{Base: time.Second, Increment: 10 * ms}
	if p.uci {
		c = arena.TimeControl{Move: 100 * ms}
	}
	v, err := r.Play(context.Background(), referee.Spec{Game: game, Clocks: [2]arena.TimeControl{c, c}, MaxPlies: 6, Ready: time.Second, Ponder: true}, players)
	if err != nil {
		t.Fatal(err)
	}
	return v, bots[0]
}

func TestPonder(t *testing.T) {
	p := &ponderer{moves: []string{"u ponder d", "d"}, guesses: []string{"p ponder u", "u"}, after: 30 * ms}
	v, bot := pondered(t, p, "d", "d", "u")
	if v.Reason != arena.MoveLimit || v.Plies != 6 {
		t.Fatalf("%s: %s after %d plies", v.Reason, v.Detail, v.Plies)
	}
	want := []string{
		"uginewgame", "isready",
		"position startpos", "go p1time 1000 p2time 1000 p1inc 10 p2inc 10",
		"position startpos moves u d", "go ponder p1time 980 p2time 1000 p1inc 10 p2inc 10",
		"ponderhit",
		"position startpos moves u d p u", "go ponder p1time 970 p2time 910 p1inc 10 p2inc 10",
		"stop", // d was played
		"position startpos moves u d p d", "go p1time 965 p2time 820 p1inc 10 p2inc 10",
	}
	if !slices.Equal(bot.Sent, want) {
		t.Errorf("sent\n  %s\nwant\n  %s", strings.Join(bot.Sent, "\n  "), strings.Join(want, "\n  "))
	}
	// The hit starts the clock, and the time that the miss took counts.
	for i, want := range []time.Duration{30 * ms, 20 * ms, 35 * ms} {
		if got := v.Moves[2*i].Time; got != want {
			t.Errorf("move %d took %v, want %v", i+1, got, want)
		}
	}
	if m := v.Moves[2]; !m.HasScore || m.Score != 7 || m.Depth != 3 {
		t.Errorf("what it said while pondering is lost: %+v", m)
	}
	if v.Dirty != [2]bool{} {
		t.Errorf("dirty %v", v.Dirty)
	}
}

// A hit with a time a move asks an engine that speaks UCI anew: engines differ in when
// movetime begins, and lost on time.
func TestPonderMoveTimeOfUCI(t *testing.T) {
	p := &ponderer{uci: true, moves: []string{"u ponder d", "p"}, guesses: []string{"t"}, after: 30 * ms}
	v, bot := pondered(t, p, "d", "d", "u")
	if v.Plies < 3 {
		t.Errorf("%s: %s after %d plies", v.Reason, v.Detail, v.Plies)
	}
	want := []string{
		"ucinewgame", "isready",
		"position startpos", "go movetime 100",
		"position startpos moves u d", "go ponder movetime 100",
		"stop", // although d was played
		"position startpos moves u d", "go movetime 95",
	}
	if len(bot.Sent) < len(want) || !slices.Equal(bot.Sent[:len(want)], want) {
		t.Errorf("sent\n  %s\nwant\n  %s", strings.Join(bot.Sent, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestPonderFaults(t *testing.T) {
	tests := []struct {
		name    string
		bot     ponderer
		replies []string
		reason  arena.Reason
		blame   engine.Side
		detail  string
		plies   int
	}{
		{name: "an answer before the hit", bot: ponderer{moves: []string{"u ponder d", "u", "u"}, guesses: []string{"early"}}, replies: []string{"d", "u", "u"}, reason: arena.MoveLimit, blame: engine.NoSide, plies: 6},
		{name: "an answer before the miss", bot: ponderer{moves: []string{"u ponder d", "u", "u"}, guesses: []string{"early"}}, replies: []string{"u", "u", "u"}, reason: arena.MoveLimit, blame: engine.NoSide, plies: 6},
		{name: "deaf to stop", bot: ponderer{moves: []string{"u ponder d"}, deaf: true}, replies: []string{"u"}, reason: arena.TimeForfeit, blame: engine.First, detail: "told to stop", plies: 2},
		{name: "dies while it ponders", bot: ponderer{moves: []string{"u ponder d"}, dies: true}, replies: []string{"d"}, reason: arena.Crash, blame: engine.First, plies: 2},
		{name: "an illegal guess", bot: ponderer{moves: []string{"u ponder x9", "u", "u"}}, replies: []string{"d", "d", "d"}, reason: arena.MoveLimit, blame: engine.NoSide, plies: 6},
		{name: "an illegal move after a hit", bot: ponderer{moves: []string{"u ponder d"}, guesses: []string{"x9"}}, replies: []string{"d"}, reason: arena.IllegalMove, blame: engine.First, plies: 2},
		{name: "the other one forfeits", bot: ponderer{moves: []string{"u ponder d"}}, replies: []string{"x9"}, reason: arena.IllegalMove, blame: engine.Second, plies: 1},
		{name: "the other one is late", bot: ponderer{moves: []string{"u ponder d"}}, reason: arena.TimeForfeit, blame: engine.Second, plies: 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v, bot := pondered(t, &test.bot, test.replies...)
			if v.Reason != test.reason || v.Blame != test.blame || v.Plies != test.plies || !strings.Contains(v.Detail, test.detail) {
				t.Errorf("%s: %s, blame %d, %d plies", v.Reason, v.Detail, v.Blame, v.Plies)
			}
			if stops := strings.Count(strings.Join(bot.Sent, "\n"), "stop"); test.blame == engine.Second && stops != 1 {
				t.Errorf("%d times stop after the end of the game: %q", stops, bot.Sent)
			}
			if v.Dirty[0] != (test.blame == engine.First && test.reason != arena.IllegalMove) {
				t.Errorf("dirty %v", v.Dirty)
			}
		})
	}
}

// A bot that the game leaves behind while it ponders, and that does not stop, is
// started anew: that game stands.
func TestPonderLeftBehind(t *testing.T) {
	v, _ := pondered(t, &ponderer{moves: []string{"u ponder d"}, deaf: true}, "x9")
	if v.Reason != arena.IllegalMove || v.Blame != engine.Second || !v.Dirty[0] {
		t.Errorf("%s: %s, blame %d, dirty %v", v.Reason, v.Detail, v.Blame, v.Dirty)
	}
}

func TestSuspend(t *testing.T) {
	clock := sessiontest.NewClock()
	var bots [2]*sessiontest.Bot
	var players [2]*session.Session
	game := sessiontest.Shuttle{Goal: 9}
	for i := range bots {
		bots[i] = &sessiontest.Bot{Clock: clock}
		plays := sessiontest.Plays(ms, "u", "d", "u")
		bots[i].Answer = func(b *sessiontest.Bot, line string) {
			if b.Halted {
				t.Errorf("%q was sent to a bot that is stopped", line)
			}
			plays(b, line)
		}
		players[i] = &session.Session{Name: "B", Process: bots[i], Now: clock.Now}
		if err := players[i].Greet(context.Background(), session.Hello{Protocol: arena.ProtocolUGI}); err != nil {
			t.Fatal(err)
		}
	}
	r := referee.Referee{Now: clock.Now}
	c := arena.TimeControl{Move: time.Second}
	v, err := r.Play(context.Background(), referee.Spec{Game: game, Clocks: [2]arena.TimeControl{c, c}, MaxPlies: 4, Ready: time.Second, Suspend: true}, players)
	if err != nil || v.Reason != arena.MoveLimit {
		t.Fatalf("%v, %v", v, err)
	}
	for i, b := range bots {
		said := strings.Join(b.Sent, "\n")
		if b.Halted || strings.Count(said, "(suspend)") != 2 || strings.Count(said, "(continue)") != 2 {
			t.Errorf("bot %d, stopped at the end: %t:\n%s", i, b.Halted, said)
		}
	}
}
