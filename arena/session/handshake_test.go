package session_test

import (
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
	"botarena/protocol"
)

// replies is a bot that answers lines by a table, at once.
func replies(table map[string][]string) func(*sessiontest.Bot, string) {
	return func(b *sessiontest.Bot, line string) {
		for _, text := range table[line] {
			b.Say(0, "%s", text)
		}
	}
}

const ms = time.Millisecond

// open returns the session of a bot on a clock of its own.
func open(answer func(*sessiontest.Bot, string)) (*sessiontest.Bot, *session.Session) {
	clock := sessiontest.NewClock()
	bot := &sessiontest.Bot{Clock: clock, Answer: answer}
	return bot, &session.Session{Name: "A", Process: bot, Now: clock.Now}
}

func TestHandshake(t *testing.T) {
	var many []string
	for i := range 5000 {
		many = append(many, fmt.Sprintf("option name O%d type button", i))
	}
	uci := []string{"id name M\xfcller 2", "id author X", "option name Hash type spin default 1 min 1 max 9", "uciok"}
	late := func(word string, after time.Duration, text ...string) func(*sessiontest.Bot, string) {
		return func(b *sessiontest.Bot, line string) {
			if line == word {
				for _, l := range text {
					b.Say(after, "%s", l)
				}
			}
		}
	}
	tests := []struct {
		name     string
		protocol arena.Protocol
		bot      func(*sessiontest.Bot, string)
		dialect  protocol.Dialect
		fault    arena.Reason // "" if it succeeds
		detail   string
		sent     string
		took     time.Duration
	}{
		{
			name: "ugi", protocol: arena.ProtocolUGI, bot: replies(map[string][]string{"ugi": {"hello", "id name Stone", "ugiok"}}), sent: "ugi",
		},
		{
			name: "uci", protocol: arena.ProtocolUCI, bot: replies(map[string][]string{"uci": uci}), dialect: protocol.UCI, sent: "uci",
		},
		{
			name: "auto finds ugi", bot: replies(map[string][]string{"ugi": {"ugiok"}, "isready": {"readyok"}}), sent: "ugi isready",
		},
		{
			name: "auto finds uci by a readyok alone", protocol: arena.ProtocolAuto,
			bot: replies(map[string][]string{"isready": {"readyok"}, "uci": uci}), dialect: protocol.UCI, sent: "ugi isready uci",
		},
		{
			name: "auto finds uci by a complaint",
			bot:  replies(map[string][]string{"ugi": {"Unknown command: 'ugi'."}, "uci": uci}), dialect: protocol.UCI, sent: "ugi isready uci",
		},
		{
			name: "auto finds uci by silence",
			bot:  replies(map[string][]string{"uci": uci}), dialect: protocol.UCI, sent: "ugi isready uci", took: 2 * time.Second,
		},
		{
			name: "auto finds a slow ugi", bot: func(b *sessiontest.Bot, line string) {
				late("ugi", 5*time.Second, "ugiok")(b, line)
				late("isready", 5*time.Second, "readyok")(b, line)
			}, sent: "ugi isready uci xboard protover 2", took: 5 * time.Second,
		},
		{
			name: "auto prefers what comes first", bot: replies(map[string][]string{
				"ugi": {"option name H type button", "ugiok"}, "isready": {"readyok"}, "uci": uci,
			}), sent: "ugi isready",
		},
		{
			name: "a banner in an old encoding", protocol: arena.ProtocolUGI,
			bot: replies(map[string][]string{"ugi": {"\xa9 1995", "ugiok"}}), sent: "ugi",
		},
		{
			name: "silence", bot: func(*sessiontest.Bot, string) {}, fault: arena.Stall, detail: "neither ugiok nor uciok within 8s",
			sent: "ugi isready uci xboard protover 2", took: 8 * time.Second,
		},
		{
			name: "the wrong dialect", protocol: arena.ProtocolUGI, bot: replies(map[string][]string{"ugi": {"uciok"}}), fault: arena.Stall,
			detail: "no ugiok within 8s", sent: "ugi", took: 8 * time.Second,
		},
		{
			name: "garbage", protocol: arena.ProtocolUGI, bot: replies(map[string][]string{"ugi": {"\x00\x01"}}), fault: arena.ProtocolError,
			detail: "no ugiok within 8s, but line", sent: "ugi", took: 8 * time.Second,
		},
		{
			name: "a misspelt answer", protocol: arena.ProtocolUGI, bot: replies(map[string][]string{"ugi": {"UGIOK"}}), fault: arena.Stall,
			detail: `it said "UGIOK" (did you mean "ugiok"?)$`, sent: "ugi", took: 8 * time.Second,
		},
		{
			name: "endless talk", bot: func(b *sessiontest.Bot, line string) {
				for i := range 100 {
					late(line, time.Duration(i)*200*ms, "\xff", "info string x", "thinking")(b, line)
				}
			}, fault: arena.ProtocolError, detail: "invalid UTF-8", sent: "ugi isready uci xboard protover 2", took: 8 * time.Second,
		},
		{
			name: "no readyok after ugiok", bot: late("ugi", 0, "ugiok"), fault: arena.Stall, detail: "no readyok", sent: "ugi isready", took: 8 * time.Second,
		},
		{
			name: "crash", bot: func(b *sessiontest.Bot, _ string) { b.Fail(0, arena.ErrClosed) }, fault: arena.Crash,
			detail: ": exit status 1$", sent: "ugi isready",
		},
		{
			name: "it leaves", bot: func(b *sessiontest.Bot, _ string) { b.Exit = "exit status 0"; b.Fail(0, arena.ErrClosed) }, fault: arena.Crash,
			detail: ": exit status 0; if it speaks only UCI", sent: "ugi isready",
		},
		{
			name: "it says something and fails", bot: func(b *sessiontest.Bot, _ string) { b.Say(0, "welcome"); b.Fail(0, arena.ErrClosed) }, fault: arena.Crash,
			detail: ": exit status 1; if it speaks only UCI", sent: "ugi isready",
		},
		{
			name: "no newline", protocol: arena.ProtocolUGI, bot: func(b *sessiontest.Bot, _ string) { b.Begun = "ugiok" }, fault: arena.Stall,
			detail: `no ugiok within 8s; it wrote "ugiok" without a newline$`, sent: "ugi", took: 8 * time.Second,
		},
		{
			name: "too many options", protocol: arena.ProtocolUGI, bot: replies(map[string][]string{"ugi": many}), fault: arena.ProtocolError,
			detail: "more than 4096", sent: "ugi",
		},
	}
	for _, test := range tests {
		bot, p := open(test.bot)
		bot.Exit = "exit status 1"
		start := bot.Clock.Time
		err := p.Greet(context.Background(), session.Hello{Protocol: test.protocol, Timeout: 8 * time.Second})
		if test.fault == "" {
			if err != nil || p.Declared.Dialect != test.dialect {
				t.Errorf("%s: dialect %v, %v", test.name, p.Declared.Dialect, err)
			}
		} else {
			var f *session.Fault
			if !errors.As(err, &f) || f.Reason != test.fault || !strings.Contains(f.Detail+"$", test.detail) {
				t.Errorf("%s: error %v, want %s with %s", test.name, err, test.fault, test.detail)
			}
		}
		if sent := strings.Join(bot.Sent, " "); sent != test.sent {
			t.Errorf("%s: sent %s, want %s", test.name, sent, test.sent)
		}
		if took := bot.Clock.Time.Sub(start); took != test.took {
			t.Errorf("%s: took %v, want %v", test.name, took, test.took)
		}
	}
}

// Only chess engines, which all read FEN, are spared the whole game.
func TestReadsPositions(t *testing.T) {
	for _, c := range []struct {
		hello, game string
		want        bool
	}{
		{"uci", "chess", true},
		{"uci", "chess:960", true},
		{"ugi", "chess", false},
		{"uci", "breakthrough", false},
	} {
		_, s := open(replies(map[string][]string{c.hello: {"option name UCI_Chess960 type check", c.hello + "ok"}, "isready": {"readyok"}}))
		if err := s.Greet(context.Background(), session.Hello{Protocol: arena.Protocol(c.hello)}); err != nil {
			t.Fatal(err)
		}
		if err := s.Configure(context.Background(), session.Setup{Game: c.game}); err != nil {
			t.Fatal(err)
		}
		if got := s.ReadsPositions(); got != c.want {
			t.Errorf("%s, %s: %v", c.hello, c.game, got)
		}
	}
}

// A strict sandbox is the first suspect where a bot ends in it.
func TestEndInSandbox(t *testing.T) {
	bot, s := open(func(b *sessiontest.Bot, _ string) { b.Fail(0, arena.ErrClosed) })
	bot.Exit = "exit status 127"
	if err := s.Greet(context.Background(), session.Hello{Sandbox: arena.SandboxStrict}); err == nil || !strings.Contains(err.Error(), "exit status 127; it runs in sandbox: strict") {
		t.Errorf("got %v", err)
	}
}

// What looks like an answer is named beside the complaint that there is none.
func TestMeant(t *testing.T) {
	for said, want := range map[string]string{
		"move e2e3": "bestmove e2e3", "bestmove: e2e3": "bestmove e2e3", "bestmove:e2e3": "bestmove e2e3",
		"best move e2e3": "bestmove e2e3", "BestMove e2e3": "bestmove e2e3", "besmove e2e3": "bestmove e2e3",
		"bestmove=": "", "thinking hard": "", "e2e3": "", "move": "",
	} {
		_, s := open(sessiontest.Polite(func(b *sessiontest.Bot, _, _ string) { b.Say(0, "%s", said) }))
		_, f := s.Ask(context.Background(), session.Question{Path: session.NewPath(sessiontest.Shuttle{Goal: 3}), Within: time.Second})
		hint := ""
		if want != "" {
			hint = fmt.Sprintf(" (did you mean %q?)", want)
		}
		if f == nil || f.Detail != fmt.Sprintf("no bestmove within 1s; it said %q%s", said, hint) {
			t.Errorf("%q: %v", said, f)
		}
	}
}

func TestDeclared(t *testing.T) {
	_, p := open(replies(map[string][]string{"ugi": {
		"id name M\xfcller\x1b 2", "id author X", "option name Hash type spin default 1 min 1 max 9",
		"option name Bad type slider", "option name Hash type check", "ugiok",
	}}))
	if err := p.Greet(context.Background(), session.Hello{Protocol: arena.ProtocolUGI}); err != nil {
		t.Fatal(err)
	}
	d := p.Declared
	if d.Name != `M\xfcller\x1b 2` || d.Author != "X" || len(d.Options) != 1 || d.Options[0].Type != protocol.Spin {
		t.Errorf("got %+v", d)
	}
	if len(d.Problems) != 1 || !strings.Contains(d.Problems[0], "the type is none of") {
		t.Errorf("problems %q", d.Problems)
	}
}

func TestConfigure(t *testing.T) {
	options := []string{
		"option name UGI_Variant type combo default breakthrough var breakthrough var shuttle",
		"option name UGI_LegalMoves type check default false",
		"option name Hash type spin default 1 min 1 max 9",
		"option name Clear type button", "ugiok",
	}
	uci := []string{"option name UCI_Variant type combo var chess var shuttle", "uciok"}
	tests := []struct {
		name    string
		hello   []string
		game    string
		options []arena.Option
		sent    string
		wrong   []string // texts of the error
		legal   bool
	}{
		{
			name: "all", hello: options, game: "shuttle", options: []arena.Option{{Name: "hash", Value: "4"}, {Name: "Clear"}},
			sent:  "setoption name UGI_Variant value shuttle|setoption name UGI_LegalMoves value true|setoption name Hash value 4|setoption name Clear|isready",
			legal: true,
		},
		{name: "nothing declared", hello: []string{"ugiok"}, game: "shuttle", sent: "isready"},
		{name: "uci", hello: uci, game: "shuttle", sent: "setoption name UCI_Variant value shuttle|isready"},
		{
			name: "a UCI engine at Chess960", hello: []string{"option name UCI_Chess960 type check default false", "uciok"}, game: "chess:960",
			sent: "setoption name UCI_Chess960 value true|isready",
		},
		{
			name: "a variant engine at Chess960",
			hello: []string{
				"option name UCI_Variant type combo default chess var chess var atomic",
				"option name UCI_Chess960 type check default false", "uciok",
			}, game: "chess:960",
			sent: "setoption name UCI_Variant value chess|setoption name UCI_Chess960 value true|isready",
		},
		{
			name: "a bot that knows the game's name", hello: []string{"option name UGI_Variant type combo var chess:960", "ugiok"}, game: "chess:960",
			sent: "setoption name UGI_Variant value chess:960|isready",
		},
		{
			name: "chess is not Chess960", hello: []string{"option name UCI_Chess960 type check default false", "uciok"}, game: "chess",
			sent: "isready",
		},
		{
			name: "an engine of plain chess", hello: []string{"id name Old", "uciok"}, game: "chess:960",
			wrong: []string{`bot "A": it does not play chess:960: it declares no option UCI_Chess960`},
		},
		{
			name: "the entry's own", hello: options, game: "shuttle:9",
			options: []arena.Option{{Name: "UGI_Variant", Value: "shuttle"}, {Name: "ugi_legalmoves", Value: "false"}},
			sent:    "setoption name UGI_Variant value shuttle|setoption name UGI_LegalMoves value false|isready",
		},
		{
			name: "all mistakes", hello: options, game: "owlman",
			options: []arena.Option{{Name: "Hahs", Value: "4"}, {Name: "Hash", Value: "10"}, {Name: "UGI_LegalMoves", Value: "yes"}},
			wrong: []string{
				`bot "A": it does not play owlman: option "UGI_Variant"`, `"Hahs"`, `did you mean "Hash"?`, "10 is out of range", `did you mean "true"?`,
			},
		},
	}
	for _, test := range tests {
		answer := replies(map[string][]string{"ugi": test.hello, "uci": test.hello, "isready": {"readyok"}})
		bot, s := open(func(b *sessiontest.Bot, line string) {
			if answer(b, line); strings.HasPrefix(line, "go") {
				b.Say(0, "bestmove t")
			}
		})
		hello := session.Hello{Protocol: arena.ProtocolUGI}
		if strings.HasPrefix(test.hello[len(test.hello)-1], "uci") {
			hello.Protocol = arena.ProtocolUCI
		}
		if err := s.Greet(context.Background(), hello); err != nil {
			t.Fatal(err)
		}
		bot.Sent, bot.Writes = nil, nil
		err := s.Configure(context.Background(), session.Setup{Game: test.game, Options: test.options})
		if test.wrong != nil {
			var e *session.OptionsError
			if !errors.As(err, &e) || len(e.Problems) != max(1, len(test.wrong)-1) || len(bot.Sent) > 0 {
				t.Errorf("%s: error %v, sent %q", test.name, err, bot.Sent)
				continue
			}
			for _, want := range test.wrong {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%s: error %v has no %s", test.name, err, want)
				}
			}
			var o *protocol.OptionError
			if len(test.wrong) > 1 && !errors.As(err, &o) {
				t.Errorf("%s: no OptionError in %v", test.name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if sent := strings.Join(bot.Sent, "|"); sent != test.sent || len(bot.Writes) != 1 {
			t.Errorf("%s: sent %s in %d writes, want %s", test.name, sent, len(bot.Writes), test.sent)
		}
		if _, f := s.Ask(context.Background(), session.Question{Path: session.NewPath(sessiontest.Shuttle{Goal: 3}), Within: time.Second}); f != nil {
			t.Errorf("%s: %v", test.name, f)
		}
		if legal := slices.Contains(bot.Sent, "legal u d p t"); legal != test.legal {
			t.Errorf("%s: legal moves sent: %v", test.name, legal)
		}
	}
}

func TestConfigureFaults(t *testing.T) {
	silent, s := open(func(*sessiontest.Bot, string) {})
	dead, d := open(func(b *sessiontest.Bot, _ string) { b.Fail(0, arena.ErrClosed) })
	dead.Exit = "exit status 1"
	var f *session.Fault
	if err := s.Configure(context.Background(), session.Setup{Timeout: time.Second}); !errors.As(err, &f) || f.Reason != arena.Stall {
		t.Errorf("silent: %v", err)
	}
	if err := d.Configure(context.Background(), session.Setup{}); !errors.As(err, &f) || f.Reason != arena.Crash {
		t.Errorf("dead: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := d.Configure(ctx, session.Setup{}); !errors.As(err, &f) || f.Reason != arena.Void {
		t.Errorf("cancelled: %v", err)
	}
	s.Suspended = func(time.Time) bool { return true }
	if err := s.Greet(context.Background(), session.Hello{}); !errors.As(err, &f) || f.Reason != arena.Void {
		t.Errorf("suspended after %q: %v", silent.Sent, err)
	}
}
