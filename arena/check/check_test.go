package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/session"
	"botarena/arena/session/sessiontest"
	"botarena/engine/games"
	"botarena/protocol"
)

// A fakeBot is a program on a fake clock: a function of the lines that it reads.
type fakeBot struct {
	*sessiontest.Bot
	closing bool // it ends at the end of its input
	legal   []string
	asked   int
	grow    int64
}

// last returns the time from now to when all that it has said is read: it does one thing
// after another.
func (b *fakeBot) last() time.Duration {
	if n := len(b.Events); n > 0 {
		return b.Events[n-1].At.Sub(b.Clock.Time)
	}
	return 0
}

func (b *fakeBot) say(after time.Duration, format string, args ...any) {
	b.Say(max(after, b.last()), format, args...)
}

func (b *fakeBot) end() {
	if b.Alive() {
		b.Exit, b.WriteErr = "exit status 0", arena.ErrClosed
		b.Fail(b.last(), arena.ErrClosed)
	}
}

func (b *fakeBot) PID() int           { return int(b.grow >> 20) }
func (b *fakeBot) ExitStatus() string { return cmp.Or(b.Exit, "killed by signal: killed") }

func (b *fakeBot) End(grace time.Duration) error {
	if b.closing {
		b.end()
	} else {
		b.Clock.Time = b.Clock.Time.Add(grace)
	}
	return nil
}

// polite is a bot without fault that plays the first legal move after some time.
func polite(takes func(goLine string) time.Duration) func(*fakeBot, string) {
	return func(b *fakeBot, line string) {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "ugi":
			b.say(0, "id name Fake")
			b.say(0, "option name UGI_LegalMoves type check default false")
			b.say(0, "option name Seed type spin default 1 min 0 max 100")
			b.say(0, "ugiok")
		case "isready":
			b.say(0, "readyok")
		case "legal":
			b.legal = strings.Fields(rest)
		case "go":
			b.asked++
			b.say(takes(line), "bestmove %s", b.legal[0])
		case "quit":
			b.end()
		}
	}
}

func atOnce(string) time.Duration { return time.Millisecond }

// checked runs the checks on a bot and returns the status of each.
func checked(t *testing.T, closing bool, answer func() func(*fakeBot, string), change ...func(*Config)) map[string]Result {
	t.Helper()
	clock := sessiontest.NewClock()
	began := clock.Time
	c := Config{
		Bot:      arena.Bot{Name: "fake", Protocol: arena.ProtocolUGI},
		Now:      clock.Now,
		Catalog:  games.All(),
		Seed:     7,
		Resident: func(pid int) (int64, error) { return int64(pid) << 20, nil },
		Start: func(context.Context, *session.Tail) (session.Process, error) {
			b, f := &fakeBot{Bot: &sessiontest.Bot{Clock: clock}, closing: closing, grow: 5 << 20}, answer()
			b.Answer = func(_ *sessiontest.Bot, line string) { f(b, line) }
			return b, nil
		},
	}
	for _, f := range change {
		f(&c)
	}
	report, err := Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	if spent := clock.Time.Sub(began); spent > Limit+30*time.Second {
		t.Errorf("the check took %v", spent)
	}
	results := map[string]Result{}
	var names []string
	for _, r := range report.Results {
		results[r.Check] = r
		names = append(names, r.Check)
	}
	want := []string{Handshake, Options, GameCheck, FirstMove, NewGame, Quit, ReadyThinking, Stop, EndOfInput, LegalMoves, TimeKeeping, Memory, SameSeed, AskedOnly, Output}
	if !slices.Equal(names, want[:len(names)]) && !slices.Equal(names, slices.DeleteFunc(want, func(n string) bool { return n == Options || n == GameCheck })) {
		t.Errorf("checks %q", names)
	}
	return results
}

func TestPoliteBotPasses(t *testing.T) {
	for name, r := range checked(t, true, func() func(*fakeBot, string) { return polite(atOnce) }) {
		if r.Status != Pass {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// with does something instead of, or before, what a polite bot does.
func with(f func(b *fakeBot, line string) (handled bool)) func() func(*fakeBot, string) {
	return func() func(*fakeBot, string) {
		p := polite(atOnce)
		return func(b *fakeBot, line string) {
			if !f(b, line) {
				p(b, line)
			}
		}
	}
}

func isGo(line string) bool { return line == "go" || strings.HasPrefix(line, "go ") }

func TestFaults(t *testing.T) {
	slow := func(d time.Duration) func() func(*fakeBot, string) {
		return func() func(*fakeBot, string) { return polite(func(string) time.Duration { return d }) }
	}
	for _, test := range []struct {
		name    string
		answer  func() func(*fakeBot, string)
		lingers bool
		want    map[string]Status
		detail  string // in the detail of the first check wanted
		first   string
	}{
		{
			name:   "no handshake",
			answer: with(func(_ *fakeBot, line string) bool { return line == "ugi" }),
			want:   map[string]Status{Handshake: Fail, FirstMove: Skip, Quit: Skip, AskedOnly: Skip}, first: Handshake, detail: "no ugiok within 10s",
		},
		{
			name: "bad default",
			answer: with(func(b *fakeBot, line string) bool {
				if line == "ugi" {
					b.say(0, "option name Hash type spin default 4096 min 1 max 1024")
					b.say(0, "option name Style type combo default loud var quiet")
				}
				return false
			}),
			want: map[string]Status{Options: Warn, LegalMoves: Pass}, first: Options, detail: "4096 is out of range",
		},
		{
			name: "dies of an option",
			answer: with(func(b *fakeBot, line string) bool {
				if strings.HasPrefix(line, "setoption name Seed value 1") {
					b.end()
				}
				return !b.Alive()
			}),
			want: map[string]Status{Options: Fail, GameCheck: Pass, FirstMove: Pass}, first: Options, detail: `option "Seed" set to its own default "1"`,
		},
		{
			name: "other game",
			answer: with(func(b *fakeBot, line string) bool {
				if line == "ugi" {
					b.say(0, "option name UGI_Variant type combo default go var go")
				}
				return false
			}),
			want: map[string]Status{GameCheck: Fail, FirstMove: Skip}, first: GameCheck, detail: "none of arena's games: go",
		},
		{
			name: "illegal move",
			answer: with(func(b *fakeBot, line string) bool {
				if isGo(line) {
					b.say(0, "bestmove a1a1")
				}
				return isGo(line)
			}),
			want: map[string]Status{FirstMove: Fail, LegalMoves: Fail, TimeKeeping: Pass, AskedOnly: Pass, Quit: Pass}, first: LegalMoves, detail: "a1a1",
		},
		{
			name: "illegal move late",
			answer: with(func(b *fakeBot, line string) bool {
				if !isGo(line) || b.asked < 100 {
					return false
				}
				b.say(0, "bestmove a1a1")
				return true
			}),
			want: map[string]Status{FirstMove: Pass, LegalMoves: Fail}, first: LegalMoves, detail: "position 101",
		},
		{
			name: "crash",
			answer: with(func(b *fakeBot, line string) bool {
				if isGo(line) {
					b.end()
				}
				return !b.Alive()
			}),
			want: map[string]Status{FirstMove: Fail, LegalMoves: Skip, Quit: Pass, EndOfInput: Pass}, first: FirstMove, detail: "crash: the bot ended: exit status 0",
		},
		{
			name:   "hang",
			answer: with(func(_ *fakeBot, line string) bool { return isGo(line) }),
			want:   map[string]Status{FirstMove: Fail, TimeKeeping: Skip, Quit: Pass}, first: FirstMove, detail: "no bestmove within 10s",
		},
		{
			name: "two answers",
			answer: with(func(b *fakeBot, line string) bool {
				if isGo(line) {
					b.say(0, "bestmove %s", b.legal[0])
				}
				return false
			}),
			want: map[string]Status{AskedOnly: Fail, FirstMove: Pass}, first: AskedOnly, detail: "without being asked",
		},
		{
			name: "early answer",
			answer: with(func(b *fakeBot, line string) bool {
				if strings.HasPrefix(line, "position") {
					b.say(0, "bestmove a2a3")
				}
				return false
			}),
			want: map[string]Status{AskedOnly: Fail}, first: AskedOnly, detail: "without being asked",
		},
		{
			name:   "slow",
			answer: slow(300 * time.Millisecond),
			want:   map[string]Status{TimeKeeping: Fail, FirstMove: Pass, LegalMoves: Warn}, first: TimeKeeping, detail: "0.300 s instead of 0.100",
		},
		{
			name: "a little late",
			answer: func() func(*fakeBot, string) {
				return polite(func(line string) time.Duration {
					if strings.Contains(line, "movetime 20") {
						return 60 * time.Millisecond
					}
					return 0
				})
			},
			want: map[string]Status{TimeKeeping: Warn}, first: TimeKeeping, detail: "0.040 s beyond the clock",
		},
		{
			// its input waits until it has thought: as long as the limit says, or 5 seconds
			name: "single-threaded",
			answer: func() func(*fakeBot, string) {
				return polite(func(line string) time.Duration {
					var ms int
					if _, err := fmt.Sscanf(line, "go movetime %d", &ms); err == nil {
						return time.Duration(ms) * time.Millisecond * 9 / 10
					}
					if strings.Contains(line, "infinite") {
						return 5 * time.Second
					}
					return 10 * time.Millisecond
				})
			},
			want: map[string]Status{ReadyThinking: Warn, Stop: Warn, TimeKeeping: Pass, LegalMoves: Pass}, first: Stop, detail: "s after stop",
		},
		{
			name:    "stays",
			lingers: true,
			answer:  with(func(_ *fakeBot, line string) bool { return line == "quit" }),
			want:    map[string]Status{Quit: Fail, EndOfInput: Fail, LegalMoves: Pass}, first: Quit, detail: "still runs 2s after quit",
		},
		{
			name: "leak",
			answer: with(func(b *fakeBot, line string) bool {
				if line == "uginewgame" {
					b.grow += 1 << 20
				}
				return false
			}),
			want: map[string]Status{Memory: Warn, LegalMoves: Pass}, first: Memory, detail: "it grows steadily",
		},
		{
			name: "chatter",
			answer: with(func(b *fakeBot, line string) bool {
				if isGo(line) {
					b.say(0, "thinking hard")
				}
				return false
			}),
			want: map[string]Status{Output: Warn, LegalMoves: Pass}, first: Output, detail: "1 kind of lines",
		},
		{
			name: "nul bytes",
			answer: with(func(b *fakeBot, line string) bool {
				if isGo(line) {
					b.say(0, "bestmove \x00")
				}
				return isGo(line)
			}),
			want: map[string]Status{FirstMove: Fail, Output: Fail}, first: Output, detail: "NUL byte",
		},
		{
			name: "flood",
			answer: with(func(b *fakeBot, line string) bool {
				if isGo(line) {
					b.Fail(0, arena.ErrFlood)
				}
				return isGo(line)
			}),
			want: map[string]Status{FirstMove: Fail, Output: Fail}, first: Output, detail: "too much output",
		},
		{
			name: "not the same twice",
			answer: func() func(*fakeBot, string) {
				p := polite(atOnce)
				return func(b *fakeBot, line string) {
					if isGo(line) && b.Clock.Time.UnixMilli()%2 == 0 {
						slices.Reverse(b.legal)
					}
					p(b, line)
				}
			},
			want: map[string]Status{LegalMoves: Pass}, first: LegalMoves, detail: "in 200 positions",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := checked(t, !test.lingers, test.answer)
			for name, status := range test.want {
				if got[name].Status != status {
					t.Errorf("%s: want %s, got %+v", name, status, got[name])
				}
			}
			if d := got[test.first].Detail; !strings.Contains(d, test.detail) {
				t.Errorf("%s: %q, want %q", test.first, d, test.detail)
			}
			if r := got[test.first]; r.Status == Fail && (r.Hint == "" || len(r.Dialogue) == 0) {
				t.Errorf("no hint or no dialogue: %+v", r)
			}
		})
	}
}

// A bot that breaks games by a random number from nowhere is found by its seed.
func TestSameSeed(t *testing.T) {
	starts := 0
	got := checked(t, true, func() func(*fakeBot, string) {
		starts++
		n, p := starts, polite(atOnce)
		return func(b *fakeBot, line string) {
			if isGo(line) {
				b.legal[0] = b.legal[n%len(b.legal)]
			}
			p(b, line)
		}
	})
	if r := got[SameSeed]; r.Status != Warn || !strings.Contains(r.Detail, "Seed 42 gave") {
		t.Errorf("%+v", r)
	}
}

// Where the machine is busy, it may be why a bot is late.
func TestBusyMachine(t *testing.T) {
	late := func() func(*fakeBot, string) {
		return polite(func(string) time.Duration { return 300 * time.Millisecond })
	}
	r := checked(t, true, late, func(c *Config) { c.Busy = func() string { return "the load is 9.0, on 4 cores" } })[TimeKeeping]
	if r.Status != Warn || !strings.Contains(r.Detail, "the load is 9.0") || !strings.Contains(r.Hint, "the machine may be why") {
		t.Errorf("%+v", r)
	}
	r = checked(t, true, late, func(c *Config) { c.Busy = func() string { return "" } })[TimeKeeping]
	if r.Status != Fail {
		t.Errorf("%+v", r)
	}
}

func TestStartError(t *testing.T) {
	want := errors.New("no such program")
	_, err := Run(context.Background(), Config{Now: time.Now, Start: func(context.Context, *session.Tail) (session.Process, error) { return nil, want }})
	if !errors.Is(err, want) {
		t.Errorf("got %v", err)
	}
}

// The positions are those of real games, and told in three ways.
func TestPositions(t *testing.T) {
	for _, name := range games.All().Names() {
		game, err := games.All().Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		r := &run{Config: Config{Seed: 3}, report: &Report{Game: game}}
		kinds := [3]int{}
		n := 0
		for path := range r.positions() {
			if n++; n > 60 {
				break
			}
			again := game.Start()
			line, _, _ := strings.Cut(string((&session.Session{}).AppendSetup(nil, path)), "\n")
			told, err := protocol.ParseFromArena([]byte(line))
			if err != nil {
				t.Fatal(err)
			}
			if len(told.FEN) > 0 {
				if again, err = game.Parse(string(told.FEN)); err != nil {
					t.Fatal(err)
				}
				kinds[1+min(1, len(path.Moves))]++
			} else {
				kinds[0]++
			}
			for _, text := range path.Moves {
				m, err := again.ParseMove(text)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				again.Play(m)
			}
			if again.String() != path.Position.String() || again.Outcome().Over {
				t.Errorf("%s: %s is not %s", name, again, path.Position)
			}
		}
		if slices.Contains(kinds[:], 0) {
			t.Errorf("%s: kinds %v", name, kinds)
		}
	}
}

func TestGrows(t *testing.T) {
	var flat, steps, warm []int64
	for i := range int64(100) {
		flat = append(flat, 20<<20+i%3<<20)
		steps = append(steps, 20<<20+i<<17)
		warm = append(warm, min(20<<20+i<<20, 50<<20))
	}
	if grows(flat) || !grows(steps) || grows(warm) || grows(steps[:30]) {
		t.Error(grows(flat), grows(steps), grows(warm), grows(steps[:30]))
	}
}
