package referee_test

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"botarena/arena"
	"botarena/arena/referee"
	"botarena/arena/session"
	"botarena/arena/session/sessiontest"
	"botarena/engine"
	"botarena/engine/breakthrough"
	"botarena/protocol"

	"pgregory.net/rapid"
)

func TestCancelledGameIsVoid(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	b := newBout(sessiontest.Plays(ms, "u", "u"), goes(func(b *sessiontest.Bot) {
		b.Say(ms, "bestmove u")
		if len(b.Writes) == 3 {
			cancel()
			b.Events = nil
			b.Fail(ms, arena.ErrClosed)
		}
	}))
	got, err := b.referee.Play(ctx, b.spec, b.players)
	if err != nil || got.Reason != arena.Void || got.Result != arena.Unplayed || got.Blame != engine.NoSide || got.Detail != "interrupted" {
		t.Errorf("got %+v, %v", got, err)
	}
}

// A cancelled context alone lets the game end.
func TestCancelledGameMayEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	b := newBout(sessiontest.Plays(ms, "p", "p"), sessiontest.Plays(ms, "p"))
	if got, err := b.referee.Play(ctx, b.spec, b.players); err != nil || got.Reason != arena.WinByRule {
		t.Errorf("got %+v, %v", got, err)
	}
}

// A process that ends between games, unseen, has lost neither game; a new
// process that ends at once has.
func TestEndBetweenGames(t *testing.T) {
	b := newBout(sessiontest.Plays(ms, "t", "t"), sessiontest.Plays(ms))
	if got := b.play(t); got.Reason != arena.DrawByRule || got.Dirty != [2]bool{} {
		t.Fatalf("got %+v", got)
	}
	b.links[1].Fail(0, arena.ErrClosed)
	got := b.play(t)
	if got.Reason != arena.Void || got.Blame != engine.NoSide || got.Dirty != [2]bool{false, true} || !strings.Contains(got.Detail, "B was lost between games") {
		t.Fatalf("got %+v", got)
	}
	b.links[1] = &sessiontest.Bot{Clock: b.clock, Answer: sessiontest.Plays(ms)}
	b.links[1].Fail(0, arena.ErrClosed)
	b.players[1] = &session.Session{Name: "B", Process: b.links[1], Now: b.clock.Now}
	if got := b.play(t); got.Reason != arena.Crash || got.Blame != engine.Second {
		t.Fatalf("got %+v", got)
	}
	// The first bot answered each isready, and none of its readyok is left over.
	if n := strings.Count(strings.Join(b.links[0].Sent, "\n"), "isready"); n != 3 || len(b.links[0].Events) != 0 {
		t.Errorf("%d isready, %d lines left", n, len(b.links[0].Events))
	}
}

// A process found dead voids a game that has not begun, whatever else went wrong.
func TestDeadBetweenGamesBesideAStall(t *testing.T) {
	b := newBout(sessiontest.Plays(ms, "t"), sessiontest.Plays(ms))
	b.play(t)
	b.links[0].Answer = func(*sessiontest.Bot, string) {}
	b.links[1].Fail(0, arena.ErrClosed)
	got := b.play(t)
	if got.Reason != arena.Void || got.Blame != engine.NoSide || got.Dirty != [2]bool{true, true} {
		t.Errorf("got %+v", got)
	}
}

// Lines that lie ready must not extend a deadline, even where reading them is
// what takes the time.
func TestSlowReading(t *testing.T) {
	talk := func(b *sessiontest.Bot, _ string) {
		for range 1000 {
			b.Say(0, "\xffwait")
		}
		for range 1000 {
			b.Say(0, "wait")
		}
	}
	b := newBout(talk, sessiontest.Plays(ms))
	b.links[0].Cost = 10 * ms
	b.spec.Ready = time.Second
	start := b.clock.Time
	err := b.players[0].Greet(context.Background(), session.Hello{Protocol: arena.ProtocolUGI, Timeout: time.Second})
	if took := b.clock.Time.Sub(start); err == nil || took > 1020*ms {
		t.Errorf("the handshake took %v: %v", took, err)
	}
	b.links[0].Answer = func(b *sessiontest.Bot, _ string) {
		for range 1000 {
			b.Say(0, "wait")
		}
	}
	b.links[0].Events = nil
	if got := b.play(t); got.Reason != arena.Stall || got.Wall > 1020*ms {
		t.Errorf("the game took %v: %+v", got.Wall, got)
	}
}

func TestDialogue(t *testing.T) {
	b := newBout(sessiontest.Plays(3*ms, "u", "P"), sessiontest.Plays(4*ms, "d", "t"))
	var log []string
	b.players[0].Log = func(l session.Line) {
		arrow := "<"
		if l.ToBot {
			arrow = ">"
		}
		log = append(log, fmt.Sprintf("%v %s %s", l.At.Sub(sessiontest.NewClock().Time), arrow, l.Text))
	}
	b.players[1].Declared.Dialect = protocol.UCI
	b.spec.Clocks[0] = arena.TimeControl{Base: time.Second, Increment: 10 * ms, Moves: 3}
	b.spec.Clocks[1] = arena.TimeControl{Base: 2 * time.Second, Depth: 4}
	b.spec.Opening = arena.Opening{Position: "0 4 b", Moves: []string{"U"}}
	got := b.play(t)
	moves := []arena.MoveRecord{{Move: "u", Time: 3 * ms}, {Move: "d", Time: 4 * ms}, {Move: "p", Time: 3 * ms}, {Move: "t", Time: 4 * ms}}
	if !reflect.DeepEqual(got.Moves, moves) || got.Wall != 14*ms {
		t.Errorf("moves %+v in %v", got.Moves, got.Wall)
	}
	want := []string{
		"0s > uginewgame", "0s > isready", "0s < readyok",
		"0s > position fen 0 4 b moves u",
		"0s > go p1time 1000 p2time 2000 p1inc 10 p2inc 0 movestogo 3", "3ms < bestmove u",
		"7ms > position fen 0 4 b moves u u d",
		"7ms > go p1time 1007 p2time 1996 p1inc 10 p2inc 0 movestogo 2", "10ms < bestmove P",
	}
	if !slices.Equal(log, want) {
		t.Errorf("dialogue:\n%s\nwant\n%s", strings.Join(log, "\n"), strings.Join(want, "\n"))
	}
	writes := []string{
		"ucinewgame\nisready\n",
		"position fen 0 4 b moves u u\ngo wtime 1007 btime 2000 winc 10 binc 0 depth 4\n",
		"position fen 0 4 b moves u u d p\ngo wtime 1014 btime 1996 winc 10 binc 0 depth 4\n",
	}
	if !slices.Equal(b.links[1].Writes, writes) {
		t.Errorf("written: %q\nwant %q", b.links[1].Writes, writes)
	}
	if b.links[0].Resets != 3 {
		t.Errorf("%d resets for 3 requests", b.links[0].Resets)
	}
}

func TestMargin(t *testing.T) {
	us := time.Microsecond
	tests := []struct {
		clock   arena.TimeControl
		think   time.Duration
		forfeit bool
	}{
		{arena.TimeControl{Move: 100 * ms, Margin: 10 * ms}, 100 * ms, false},
		{arena.TimeControl{Move: 100 * ms, Margin: 10 * ms}, 110 * ms, false},
		{arena.TimeControl{Move: 100 * ms, Margin: 10 * ms}, 110*ms + us, true},
		{arena.TimeControl{Move: 100 * ms}, 100 * ms, false},
		{arena.TimeControl{Move: 100 * ms}, 100*ms + us, true},
		{arena.TimeControl{Base: 100 * ms, Increment: ms, Margin: 5 * ms}, 105 * ms, false},
		{arena.TimeControl{Base: 100 * ms, Increment: ms, Margin: 5 * ms}, 105*ms + us, true},
		{arena.TimeControl{Base: 100 * ms, Move: 20 * ms, Margin: 5 * ms}, 25 * ms, false},
		{arena.TimeControl{Base: 100 * ms, Move: 20 * ms, Margin: 5 * ms}, 25*ms + us, true},
		{arena.TimeControl{Move: 100 * ms, Nodes: 9}, 100*ms + us, true},
		{arena.TimeControl{Depth: 9}, session.DefaultSilent, false},
	}
	for _, test := range tests {
		b := newBout(sessiontest.Plays(test.think, "t"), sessiontest.Plays(ms))
		b.spec.Clocks[0] = test.clock
		got := b.play(t)
		if forfeit := got.Reason == arena.TimeForfeit; forfeit != test.forfeit {
			t.Errorf("%+v after %v: %s, %s", test.clock, test.think, got.Reason, got.Detail)
		}
		if !test.forfeit && got.Moves[0].Time != test.think {
			t.Errorf("%+v: counted %v for %v", test.clock, got.Moves[0].Time, test.think)
		}
	}
}

// What the margin forgives is neither owed nor given: the clock stops at zero
// and gains its increment.
func TestMarginIsNotAddedToTheClock(t *testing.T) {
	for _, test := range []struct {
		increment time.Duration
		second    time.Duration // the time of the second move
		forfeit   bool
		left      string
	}{
		{20 * ms, 30 * ms, false, "p1time 20 "},
		{20 * ms, 30*ms + 1000, true, "p1time 20 "},
		{0, 10 * ms, false, "p1time 1 "},
		{0, 11 * ms, true, "p1time 1 "},
	} {
		think := []time.Duration{110 * ms, test.second}
		b := newBout(goes(func(b *sessiontest.Bot) {
			b.Say(think[0], "bestmove u")
			think = think[1:]
		}), sessiontest.Plays(ms, "u", "t"))
		b.spec.Clocks[0] = arena.TimeControl{Base: 100 * ms, Increment: test.increment, Margin: 10 * ms}
		got := b.play(t)
		if forfeit := got.Reason == arena.TimeForfeit; forfeit != test.forfeit {
			t.Errorf("%+v: %s, %s", test, got.Reason, got.Detail)
		}
		if last := b.links[0].Writes[2]; !strings.Contains(last, test.left) {
			t.Errorf("%+v: sent %q", test, last)
		}
	}
}

// Cyclic control: Base is added again after each Moves moves.
func TestCyclicClock(t *testing.T) {
	b := newBout(sessiontest.Plays(30*ms, "u", "u", "u", "u", "u"), sessiontest.Plays(ms, "u", "u", "u", "u", "t"))
	b.spec.Clocks = [2]arena.TimeControl{{Base: 100 * ms, Moves: 2}, {Nodes: 7}}
	b.play(t)
	var got []string
	for _, w := range b.links[0].Writes[1:] {
		_, words, _ := strings.Cut(w, "go ")
		got = append(got, strings.TrimSpace(words))
	}
	want := []string{
		"p1time 100 p1inc 0 movestogo 2", "p1time 70 p1inc 0 movestogo 1", "p1time 140 p1inc 0 movestogo 2",
		"p1time 110 p1inc 0 movestogo 1", "p1time 180 p1inc 0 movestogo 2",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if w := b.links[1].Writes[1]; !strings.HasSuffix(w, "\ngo nodes 7\n") {
		t.Errorf("the bot without a clock got %q", w)
	}
}

func TestScores(t *testing.T) {
	b := newBout(goes(func(b *sessiontest.Bot) {
		b.Say(0, "info depth 3 score cp 12 nodes 100")
		b.Say(0, "info depth 4 score cp 90 lowerbound nodes 150")
		b.Say(0, "info depth 4 multipv 2 score cp -5 nodes 170")
		b.Say(0, "info nodes 200 currmove u")
		b.Say(0, "info string score cp 77")
		b.Say(0, "bestmove t")
	}), sessiontest.Plays(ms))
	want := arena.MoveRecord{Move: "t", Depth: 3, Nodes: 100, Score: 12, HasScore: true}
	if got := b.play(t).Moves[0]; got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	b = newBout(goes(func(b *sessiontest.Bot) {
		b.Say(0, "info depth 2 score mate -3 upperbound nodes x")
		b.Say(0, "bestmove t")
	}), sessiontest.Plays(ms))
	want = arena.MoveRecord{Move: "t", Depth: 2, Score: -3, Mate: true, HasScore: true}
	if got := b.play(t).Moves[0]; got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// What a bot computes while the other thinks is counted, in plies that are long
// enough to ask for it.
func TestOffTurn(t *testing.T) {
	for took, want := range map[time.Duration]time.Duration{50 * ms: 3 * 7 * ms, ms: 0} {
		var b *bout
		b = newBout(goes(func(l *sessiontest.Bot) {
			l.CPU += took
			b.links[1].CPU += 7 * ms // which it is not asked for
			l.Say(took, "bestmove u")
		}), goes(func(l *sessiontest.Bot) { l.CPU += took; l.Say(took, "bestmove d") }))
		b.spec.MaxPlies = 8
		got := b.play(t)
		if got.OffTurn != [2]time.Duration{0, want} {
			t.Errorf("plies of %v: %v of CPU off turn, want %v", took, got.OffTurn, want)
		}
	}
}

func TestAdjudication(t *testing.T) {
	scores := func(scores ...string) func(*sessiontest.Bot, string) {
		n := 0
		return goes(func(b *sessiontest.Bot) {
			if s := scores[min(n, len(scores)-1)]; s != "" {
				b.Say(0, "info score %s", s)
			}
			n++
			b.Say(0, "bestmove u")
		})
	}
	tests := []struct {
		name          string
		adj           arena.Adjudication
		first, second func(*sessiontest.Bot, string)
		result        arena.Result
		reason        arena.Reason
		plies         int
	}{
		{"off", arena.Adjudication{}, scores("cp -9999"), scores("cp 9999"), arena.Draw, arena.MoveLimit, 20},
		{"resign", arena.Adjudication{Resign: arena.Resigning{Score: 500, Moves: 3}}, scores("cp -500"), scores(""), arena.SecondWins, arena.Adjudicated, 5},
		{"not below", arena.Adjudication{Resign: arena.Resigning{Score: 500, Moves: 3}}, scores("cp -499"), scores(""), arena.Draw, arena.MoveLimit, 20},
		{
			"a break",
			arena.Adjudication{Resign: arena.Resigning{Score: 500, Moves: 3}},
			scores("cp -900", "cp -900", "", "cp -900"), scores(""), arena.SecondWins, arena.Adjudicated, 11,
		},
		{"mated", arena.Adjudication{Resign: arena.Resigning{Score: 500, Moves: 2}}, scores(""), scores("mate -4"), arena.FirstWins, arena.Adjudicated, 4},
		{
			"alone",
			arena.Adjudication{Resign: arena.Resigning{Score: 500, Moves: 2, Both: true}},
			scores("cp -600"), scores("cp 499"), arena.Draw, arena.MoveLimit, 20,
		},
		{
			"agreed late",
			arena.Adjudication{Resign: arena.Resigning{Score: 500, Moves: 2, Both: true}},
			scores("cp -600"), scores("cp 0", "cp 0", "mate 3"), arena.SecondWins, arena.Adjudicated, 8,
		},
		{"draw", arena.Adjudication{Draw: arena.Drawing{Score: 10, Moves: 3}}, scores("cp 10"), scores("cp -10"), arena.Draw, arena.Adjudicated, 6},
		{"draw, later", arena.Adjudication{Draw: arena.Drawing{Score: 10, Moves: 3, From: 11}}, scores("cp 1"), scores("cp 0"), arena.Draw, arena.Adjudicated, 11},
		{"no draw", arena.Adjudication{Draw: arena.Drawing{Score: 10, Moves: 3}}, scores("cp 11"), scores("cp 0"), arena.Draw, arena.MoveLimit, 20},
		{"no draw by mate", arena.Adjudication{Draw: arena.Drawing{Score: 10, Moves: 3}}, scores("mate 5"), scores("cp 0"), arena.Draw, arena.MoveLimit, 20},
	}
	for _, test := range tests {
		b := newBout(test.first, test.second)
		b.spec.Adjudicate, b.spec.MaxPlies = test.adj, 20
		got := b.play(t)
		if got.Result != test.result || got.Reason != test.reason || got.Plies != test.plies || got.Blame != engine.NoSide {
			t.Errorf("%s: got %q by %q after %d plies (%s)", test.name, got.Result, got.Reason, got.Plies, got.Detail)
		}
	}
}

// However long a game is, no line is too long, and each tells the position.
func TestVeryLongGame(t *testing.T) {
	const plies = 1000
	game := sessiontest.Shuttle{Goal: 3, Pad: strings.Repeat("x", 250)}
	for _, irreversible := range []int{0, 20, 800} {
		widest, last, n := 0, "", 0
		bot := func() func(*sessiontest.Bot, string) {
			return sessiontest.Polite(func(b *sessiontest.Bot, position, _ string) {
				widest, last = max(widest, len(position)), position
				n++
				if n == irreversible {
					b.Say(0, "bestmove p")
				} else {
					b.Say(0, "bestmove u")
				}
			})
		}
		b := newBout(bot(), bot())
		b.spec.Game, b.spec.MaxPlies = game, plies
		if got := b.play(t); got.Plies != plies {
			t.Fatalf("got %d plies by %s", got.Plies, got.Reason)
		}
		if widest > protocol.MaxLine || widest < protocol.MaxLine-300 {
			t.Errorf("the longest position line has %d bytes", widest)
		}
		m, err := protocol.ParseFromArena([]byte(last))
		if err != nil {
			t.Fatal(err)
		}
		pos, err := game.Parse(string(m.FEN))
		if err != nil {
			t.Fatalf("%.60s: %v", last, err)
		}
		for w := range bytes.FieldsSeq(m.Moves) {
			move, err := pos.ParseMove(string(w))
			if err != nil {
				t.Fatal(err)
			}
			pos.Play(move)
		}
		stage := min(irreversible, 1)
		if want := fmt.Sprintf("%d %d b", stage, (plies-1-stage)%10); pos.String() != want {
			t.Errorf("the last line tells %s, not %s", pos, want)
		}
	}
}

func TestSpecErrors(t *testing.T) {
	for want, change := range map[string]func(*referee.Spec){
		"clock of A: no limit":   func(s *referee.Spec) { s.Clocks[0] = arena.TimeControl{Margin: ms} },
		"clock of B: a negative": func(s *referee.Spec) { s.Clocks[1] = arena.TimeControl{Move: ms, Nodes: -1} },
		"opening, move 2: q":     func(s *referee.Spec) { s.Opening.Moves = []string{"u", "q"} },
		"opening: shuttle":       func(s *referee.Spec) { s.Opening.Position = "here" },
	} {
		b := newBout(sessiontest.Plays(ms), sessiontest.Plays(ms))
		change(&b.spec)
		_, err := b.referee.Play(context.Background(), b.spec, b.players)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
		if len(b.links[0].Sent)+len(b.links[1].Sent) > 0 {
			t.Errorf("%s: a bot was disturbed", want)
		}
	}
}

func TestFill(t *testing.T) {
	g := arena.Game{First: "A", Second: "B", Blame: "A"}
	r := referee.Verdict{Result: arena.FirstWins, Reason: arena.Crash, Detail: "x", Blame: engine.Second, Plies: 3, Wall: ms}
	r.Fill(&g)
	if g.Blame != "B" || g.Result != arena.FirstWins || g.Reason != arena.Crash || g.Detail != "x" || g.Plies != 3 || g.Wall != ms {
		t.Errorf("got %+v", g)
	}
	r.Blame = engine.NoSide
	r.Fill(&g)
	if g.Blame != "" {
		t.Errorf("blame %q for nobody", g.Blame)
	}
}

// Two random movers play real games of Breakthrough to the end, with the legal
// moves that they are sent, whatever the limits.
func TestRandomGames(t *testing.T) {
	game, err := breakthrough.New(5, 6)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		mover := func() func(*sessiontest.Bot, string) {
			var legal []string
			return func(b *sessiontest.Bot, line string) {
				switch word, rest, _ := strings.Cut(line, " "); word {
				case "ugi":
					b.Say(0, "option name UGI_LegalMoves type check")
					b.Say(0, "ugiok")
				case "isready":
					b.Say(0, "readyok")
				case "legal":
					legal = strings.Fields(rest)
				case "go":
					b.Say(time.Duration(rapid.IntRange(0, 9).Draw(rt, "ms"))*ms, "bestmove %s", rapid.SampledFrom(legal).Draw(rt, "move"))
				}
			}
		}
		b := newBout(mover(), mover())
		b.spec.Game = game
		for _, p := range b.players {
			if err := p.Greet(context.Background(), session.Hello{}); err != nil {
				rt.Fatal(err)
			}
			if err := p.Configure(context.Background(), session.Setup{Game: game.Name()}); err != nil {
				rt.Fatal(err)
			}
		}
		got, err := b.referee.Play(context.Background(), b.spec, b.players)
		if err != nil || got.Reason != arena.WinByRule || got.Dirty != [2]bool{} {
			rt.Fatalf("got %+v, %v", got, err)
		}
		pos := game.Start()
		for _, m := range got.Moves {
			move, err := pos.ParseMove(m.Move)
			if err != nil {
				rt.Fatal(err)
			}
			pos.Play(move)
		}
		if out := pos.Outcome(); !out.Over || arena.ResultFor(out.Winner) != got.Result || out.Reason != got.Detail {
			rt.Fatalf("replayed to %+v, recorded %s by %s", out, got.Result, got.Detail)
		}
	})
}

// Whatever a bot writes, and whenever: the game ends, within its time, the other
// bot is never blamed, and the record hangs together.
func FuzzPlay(f *testing.F) {
	for _, seed := range []string{
		"bestmove u\n", "readyok\nbestmove u\n", "info score cp 1\nbestmove p\nbestmove p\n", "\x00\n", "bestmove\n",
		"bestmove \xff\n", "resign\n", "info score mate -99999999999999999999\n\n\nbestmove t\n", "ugiok\noption name\n",
	} {
		f.Add([]byte(seed), uint8(3))
	}
	f.Fuzz(func(t *testing.T, output []byte, step uint8) {
		lines := strings.Split(string(output), "\n")
		wild := func(b *sessiontest.Bot, line string) {
			if line == "isready" && step%2 == 1 {
				b.Say(0, "readyok")
			}
			for range step % 5 {
				if len(lines) == 0 {
					return
				}
				b.Say(time.Duration(step)*ms, "%s", lines[0])
				lines = lines[1:]
			}
		}
		b := newBout(wild, goes(func(b *sessiontest.Bot) { b.Say(ms, "bestmove u") }))
		b.spec.MaxPlies = 50
		b.spec.Adjudicate = arena.Adjudication{Resign: arena.Resigning{Score: 1, Moves: 1, Both: true}, Draw: arena.Drawing{Moves: 1, Score: 5}}
		got := b.play(t)
		if got.Blame == engine.Second || got.Reason == "" || got.Reason.Forfeit() != (got.Blame == engine.First) {
			t.Fatalf("got %+v", got)
		}
		if got.Wall > session.DefaultReady+50*112*ms {
			t.Fatalf("took %v", got.Wall)
		}
		if strings.ContainsFunc(got.Detail, func(r rune) bool { return !unicode.IsPrint(r) }) || len(got.Detail) > 1000 {
			t.Fatalf("detail %q", got.Detail)
		}
	})
}
