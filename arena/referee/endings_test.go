package referee_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode"

	"botarena/arena"
	"botarena/arena/referee"
	"botarena/arena/session"
	"botarena/arena/session/sessiontest"
	"botarena/engine"
)

const ms = time.Millisecond

// A bout is a table on which two fake bots play.
type bout struct {
	clock   *sessiontest.Clock
	links   [2]*sessiontest.Bot
	players [2]*session.Session
	referee *referee.Referee
	spec    referee.Spec
}

func newBout(first, second func(*sessiontest.Bot, string)) *bout {
	b := &bout{clock: sessiontest.NewClock()}
	b.referee = &referee.Referee{Now: b.clock.Now}
	b.spec = referee.Spec{
		Game:   sessiontest.Shuttle{Goal: 3},
		Clocks: [2]arena.TimeControl{{Move: 100 * ms, Margin: 10 * ms}, {Move: 100 * ms, Margin: 10 * ms}},
	}
	for i, answer := range []func(*sessiontest.Bot, string){first, second} {
		b.links[i] = &sessiontest.Bot{Clock: b.clock, Answer: answer}
		b.players[i] = &session.Session{Name: []string{"A", "B"}[i], Process: b.links[i], Now: b.clock.Now}
	}
	return b
}

func (b *bout) play(t *testing.T) referee.Verdict {
	t.Helper()
	record, err := b.referee.Play(context.Background(), b.spec, b.players)
	if err != nil {
		t.Fatal(err)
	}
	return record
}

// goes is a bot that does something on each go.
func goes(do func(b *sessiontest.Bot)) func(*sessiontest.Bot, string) {
	return sessiontest.Polite(func(b *sessiontest.Bot, _, _ string) { do(b) })
}

func TestEndings(t *testing.T) {
	always := func(move string) func(*sessiontest.Bot, string) {
		return goes(func(b *sessiontest.Bot) { b.Say(ms, "bestmove %s", move) })
	}
	first, second, none := engine.First, engine.Second, engine.NoSide
	tests := []struct {
		name   string
		bots   [2]func(*sessiontest.Bot, string)
		change func(*bout)
		result arena.Result
		reason arena.Reason
		detail string // a part of it
		blame  engine.Side
		plies  int
		dirty  [2]bool
		least  time.Duration // of the game's wall time, and the most but for 1 ms a ply
	}{
		{
			name: "win by rule", bots: [2]func(*sessiontest.Bot, string){sessiontest.Plays(ms, "p", "p"), sessiontest.Plays(ms, "u")},
			change: func(b *bout) { b.spec.Game = sessiontest.Shuttle{Goal: 2} },
			result: arena.FirstWins, reason: arena.WinByRule, detail: "goal reached", blame: none, plies: 3,
		},
		{
			name: "second wins by rule", bots: [2]func(*sessiontest.Bot, string){sessiontest.Plays(ms, "p", "u"), sessiontest.Plays(ms, "p", "p")},
			result: arena.SecondWins, reason: arena.WinByRule, detail: "goal reached", blame: none, plies: 4,
		},
		{
			name: "draw by rule", bots: [2]func(*sessiontest.Bot, string){sessiontest.Plays(ms, "u"), sessiontest.Plays(ms, "t")},
			result: arena.Draw, reason: arena.DrawByRule, detail: "tie agreed", blame: none, plies: 2,
		},
		{
			name:   "the opening ends the game",
			change: func(b *bout) { b.spec.Opening = arena.Opening{Position: "2 0 r", Moves: []string{"p"}} },
			bots:   [2]func(*sessiontest.Bot, string){always("u"), always("u")},
			result: arena.FirstWins, reason: arena.WinByRule, detail: "goal reached", blame: none,
		},
		{
			name: "resign", bots: [2]func(*sessiontest.Bot, string){sessiontest.Plays(ms, "u", "resign"), always("u")},
			result: arena.SecondWins, reason: arena.Resign, detail: "red resigned", blame: none, plies: 2,
		},
		{
			name: "resign by (none)", bots: [2]func(*sessiontest.Bot, string){always("u"), sessiontest.Plays(ms, "(none)")},
			result: arena.FirstWins, reason: arena.Resign, detail: "blue resigned", blame: none, plies: 1,
		},
		{
			name: "resign by a word", bots: [2]func(*sessiontest.Bot, string){goes(func(b *sessiontest.Bot) { b.Say(0, "resign") }), always("u")},
			result: arena.SecondWins, reason: arena.Resign, blame: none,
		},
		{
			name: "silence on the clock", bots: [2]func(*sessiontest.Bot, string){always("u"), sessiontest.Plays(ms, "u")},
			result: arena.FirstWins, reason: arena.TimeForfeit, detail: "110ms passed; 100ms was left, with a margin of 10ms",
			blame: second, plies: 3, dirty: [2]bool{false, true}, least: 113 * ms,
		},
		{
			name: "talk on the clock", bots: [2]func(*sessiontest.Bot, string){goes(func(b *sessiontest.Bot) {
				for i := range 1000 {
					b.Say(time.Duration(i)*ms, "info depth %d", i)
				}
			}), always("u")},
			result: arena.SecondWins, reason: arena.TimeForfeit, blame: first, dirty: [2]bool{true, false}, least: 110 * ms,
		},
		{
			name: "a misspelt answer", bots: [2]func(*sessiontest.Bot, string){goes(func(b *sessiontest.Bot) { b.Say(0, "BestMove u\x1b[2J") }), always("u")},
			result: arena.SecondWins, reason: arena.TimeForfeit, detail: `it said "BestMove u\x1b[2J"`, blame: first,
			dirty: [2]bool{true, false}, least: 110 * ms,
		},
		{
			name: "silence without a clock", bots: [2]func(*sessiontest.Bot, string){goes(func(*sessiontest.Bot) {}), always("u")},
			change: func(b *bout) { b.spec.Clocks[0] = arena.TimeControl{Nodes: 5}; b.spec.Silent = 7 * time.Second },
			result: arena.SecondWins, reason: arena.Stall, detail: "no bestmove within 7s", blame: first,
			dirty: [2]bool{true, false}, least: 7 * time.Second,
		},
		{
			name: "illegal move", bots: [2]func(*sessiontest.Bot, string){always("u"), always("x\x1b[31m\u202e")},
			result: arena.FirstWins, reason: arena.IllegalMove, detail: `x\x1b[31m\u202e: not one of u, d, p, t`, blame: second, plies: 1,
		},
		{
			name: "null move", bots: [2]func(*sessiontest.Bot, string){always("0000"), always("u")},
			result: arena.SecondWins, reason: arena.IllegalMove, detail: "0000", blame: first,
		},
		{
			name: "crash while thinking", bots: [2]func(*sessiontest.Bot, string){goes(func(b *sessiontest.Bot) { b.Fail(ms, arena.ErrClosed) }), always("u")},
			change: func(b *bout) { b.links[0].Exit = "exit status 3\n" },
			result: arena.SecondWins, reason: arena.Crash, detail: `the bot ended: exit status 3\n`, blame: first,
			dirty: [2]bool{true, false},
		},
		{
			name: "output closed by a living bot", bots: [2]func(*sessiontest.Bot, string){goes(func(b *sessiontest.Bot) { b.Fail(ms, arena.ErrClosed) }), always("u")},
			change: func(b *bout) { b.links[0].Exit = "" },
			result: arena.SecondWins, reason: arena.Crash, detail: "the bot closed its input or output and is still running", blame: first,
			dirty: [2]bool{true, false},
		},
		{
			name: "crash after a good move", bots: [2]func(*sessiontest.Bot, string){
				goes(func(b *sessiontest.Bot) { b.Say(0, "bestmove u"); b.Fail(0, arena.ErrClosed) }), always("u"),
			},
			result: arena.SecondWins, reason: arena.Crash, blame: first, plies: 2, dirty: [2]bool{true, false},
		},
		{
			name: "crash after the last move", bots: [2]func(*sessiontest.Bot, string){
				goes(func(b *sessiontest.Bot) { b.Say(0, "bestmove p"); b.Fail(0, arena.ErrClosed) }), always("u"),
			},
			change: func(b *bout) { b.spec.Game = sessiontest.Shuttle{Goal: 1} },
			result: arena.FirstWins, reason: arena.WinByRule, detail: "goal", blame: none, plies: 1, dirty: [2]bool{true, false},
		},
		{
			name: "crash at the new game", bots: [2]func(*sessiontest.Bot, string){
				always("u"), func(b *sessiontest.Bot, _ string) { b.Fail(0, arena.ErrClosed) },
			},
			result: arena.FirstWins, reason: arena.Crash, blame: second, dirty: [2]bool{false, true},
		},
		{
			name: "an error of the pipe", bots: [2]func(*sessiontest.Bot, string){
				goes(func(b *sessiontest.Bot) { b.Fail(0, errors.New("input/output error")) }), always("u"),
			},
			result: arena.SecondWins, reason: arena.Crash, detail: "input/output error", blame: first, dirty: [2]bool{true, false},
		},
		{
			name: "no readyok", bots: [2]func(*sessiontest.Bot, string){always("u"), func(*sessiontest.Bot, string) {}},
			change: func(b *bout) { b.spec.Ready = 3 * time.Second },
			result: arena.FirstWins, reason: arena.Stall, detail: "no readyok within 3s", blame: second,
			dirty: [2]bool{false, true}, least: 3 * time.Second,
		},
		{
			name: "talk instead of readyok", bots: [2]func(*sessiontest.Bot, string){func(b *sessiontest.Bot, _ string) {
				for i := range 100 {
					b.Say(time.Duration(i)*time.Second, "wait")
				}
			}, always("u")},
			result: arena.SecondWins, reason: arena.Stall, detail: `it said "wait"`, blame: first,
			dirty: [2]bool{true, false}, least: session.DefaultReady,
		},
		{
			name: "input not read", bots: [2]func(*sessiontest.Bot, string){always("u"), always("u")},
			change: func(b *bout) {
				b.links[0].Answer = goes(func(l *sessiontest.Bot) { l.Say(0, "bestmove u"); l.WriteErr = arena.ErrTimeout })
			},
			result: arena.SecondWins, reason: arena.Stall, detail: "does not read", blame: first, plies: 2,
			dirty: [2]bool{true, false}, least: 110 * ms,
		},
		{
			name: "input closed", bots: [2]func(*sessiontest.Bot, string){always("u"), always("u")},
			change: func(b *bout) { b.links[1].WriteErr = arena.ErrClosed },
			result: arena.FirstWins, reason: arena.Crash, blame: second, dirty: [2]bool{false, true},
		},
		{
			name: "garbage", bots: [2]func(*sessiontest.Bot, string){goes(func(b *sessiontest.Bot) { b.Say(0, "\x00\xff\xfe") }), always("u")},
			result: arena.SecondWins, reason: arena.ProtocolError, detail: "NUL byte", blame: first, dirty: [2]bool{true, false},
		},
		{
			name: "invalid UTF-8 before a good move", bots: [2]func(*sessiontest.Bot, string){
				always("u"), goes(func(b *sessiontest.Bot) { b.Say(0, "\xff\xfe"); b.Say(0, "bestmove u") }),
			},
			result: arena.FirstWins, reason: arena.ProtocolError, detail: "invalid UTF-8", blame: second, plies: 1, dirty: [2]bool{false, true},
		},
		{
			name: "a long line", bots: [2]func(*sessiontest.Bot, string){goes(func(b *sessiontest.Bot) { b.Fail(0, arena.ErrLineTooLong) }), always("u")},
			result: arena.SecondWins, reason: arena.ProtocolError, detail: "64 KiB", blame: first, dirty: [2]bool{true, false},
		},
		{
			name: "a flood", bots: [2]func(*sessiontest.Bot, string){goes(func(b *sessiontest.Bot) { b.Fail(0, arena.ErrFlood) }), always("u")},
			result: arena.SecondWins, reason: arena.ProtocolError, detail: "too much output", blame: first, dirty: [2]bool{true, false},
		},
		{
			name: "bestmove without a move", bots: [2]func(*sessiontest.Bot, string){always(""), always("u")},
			result: arena.SecondWins, reason: arena.ProtocolError, detail: "no move", blame: first, dirty: [2]bool{true, false},
		},
		{
			name: "two bestmoves", bots: [2]func(*sessiontest.Bot, string){
				goes(func(b *sessiontest.Bot) { b.Say(0, "bestmove u"); b.Say(0, "bestmove d") }), always("u"),
			},
			result: arena.SecondWins, reason: arena.ProtocolError, detail: "without go", blame: first, plies: 2, dirty: [2]bool{true, false},
		},
		{
			name: "bestmove before go", bots: [2]func(*sessiontest.Bot, string){
				always("u"), func(b *sessiontest.Bot, _ string) { b.Say(0, "bestmove u"); b.Say(0, "readyok") },
			},
			result: arena.FirstWins, reason: arena.ProtocolError, detail: "before go", blame: second, dirty: [2]bool{false, true},
		},
		{
			name: "bestmove between readyok and go", bots: [2]func(*sessiontest.Bot, string){always("u"), func(b *sessiontest.Bot, line string) {
				if line == "isready" {
					b.Say(0, "readyok")
					b.Say(0, "bestmove u")
				}
			}},
			result: arena.FirstWins, reason: arena.ProtocolError, detail: "without go", blame: second, plies: 1, dirty: [2]bool{false, true},
		},
		{
			name: "move limit", bots: [2]func(*sessiontest.Bot, string){always("u"), always("d")},
			change: func(b *bout) { b.spec.MaxPlies = 7; b.spec.Opening.Moves = []string{"u", "u"} },
			result: arena.Draw, reason: arena.MoveLimit, detail: "7 plies", blame: none, plies: 7,
		},
		{
			name: "the rule before the move limit", bots: [2]func(*sessiontest.Bot, string){always("u"), always("p")},
			change: func(b *bout) { b.spec.MaxPlies = 6 },
			result: arena.SecondWins, reason: arena.WinByRule, blame: none, plies: 6,
		},
		{
			name: "suspended", bots: [2]func(*sessiontest.Bot, string){goes(func(*sessiontest.Bot) {}), always("u")},
			change: func(b *bout) {
				start := b.clock.Time
				b.players[0].Suspended = func(since time.Time) bool { return since.Equal(start) }
			},
			result: arena.Unplayed, reason: arena.Void, detail: "suspended", blame: none, dirty: [2]bool{true, false}, least: 110 * ms,
		},
		{
			name: "not suspended since", bots: [2]func(*sessiontest.Bot, string){sessiontest.Plays(ms, "u"), always("u")},
			change: func(b *bout) {
				start := b.clock.Time
				b.players[0].Suspended = func(since time.Time) bool { return since.Equal(start) }
			},
			result: arena.SecondWins, reason: arena.TimeForfeit, blame: first, plies: 2, dirty: [2]bool{true, false}, least: 110 * ms,
		},
		{
			name: "suspended earlier, on a clock for the game", bots: [2]func(*sessiontest.Bot, string){sessiontest.Plays(ms, "u"), always("u")},
			change: func(b *bout) {
				start := b.clock.Time
				b.players[0].Suspended = func(since time.Time) bool { return since.Equal(start) }
				b.spec.Clocks[0] = arena.TimeControl{Base: 50 * ms}
			},
			result: arena.Unplayed, reason: arena.Void, blame: none, plies: 2, dirty: [2]bool{true, false}, least: 49 * ms,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := newBout(test.bots[0], test.bots[1])
			if test.change != nil {
				test.change(b)
			}
			got := b.play(t)
			if got.Result != test.result || got.Reason != test.reason || got.Blame != test.blame || got.Plies != test.plies {
				t.Errorf("got %q by %q, blame %d, %d plies (%s); want %q by %q, %d, %d",
					got.Result, got.Reason, got.Blame, got.Plies, got.Detail, test.result, test.reason, test.blame, test.plies)
			}
			if !strings.Contains(got.Detail, test.detail) {
				t.Errorf("detail is %q, want %q in it", got.Detail, test.detail)
			}
			if strings.ContainsFunc(got.Detail, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Errorf("detail %q is not safe to print", got.Detail)
			}
			if got.Dirty != test.dirty {
				t.Errorf("dirty is %v, want %v", got.Dirty, test.dirty)
			}
			if most := test.least + time.Duration(got.Plies+1)*ms; got.Wall < test.least || got.Wall > most {
				t.Errorf("the game took %v, want %v to %v", got.Wall, test.least, most)
			}
			if got.Reason.Forfeit() != (got.Blame != none) {
				t.Errorf("%q with blame %d", got.Reason, got.Blame)
			}
			if test.reason == arena.TimeForfeit {
				if sent := b.links[test.blame].Sent; sent[len(sent)-1] != "stop" {
					t.Error("the late bot was not told to stop")
				}
			}
		})
	}
}
