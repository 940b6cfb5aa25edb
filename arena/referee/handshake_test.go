package referee_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/referee"
	"botarena/protocol"
)

// replies is a bot that answers lines by a table, at once.
func replies(table map[string][]string) func(*fakeLink, string) {
	return func(b *fakeLink, line string) {
		for _, text := range table[line] {
			b.say(0, "%s", text)
		}
	}
}

func TestHandshake(t *testing.T) {
	var many []string
	for i := range 5000 {
		many = append(many, fmt.Sprintf("option name O%d type button", i))
	}
	uci := []string{"id name M\xfcller 2", "id author X", "option name Hash type spin default 1 min 1 max 9", "uciok"}
	late := func(word string, after time.Duration, text ...string) func(*fakeLink, string) {
		return func(b *fakeLink, line string) {
			if line == word {
				for _, l := range text {
					b.say(after, "%s", l)
				}
			}
		}
	}
	tests := []struct {
		name     string
		protocol arena.Protocol
		bot      func(*fakeLink, string)
		dialect  protocol.Dialect
		fault    arena.Reason // "" where it succeeds
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
			name: "auto finds a slow ugi", bot: func(b *fakeLink, line string) {
				late("ugi", 5*time.Second, "ugiok")(b, line)
				late("isready", 5*time.Second, "readyok")(b, line)
			}, sent: "ugi isready uci", took: 5 * time.Second,
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
			name: "silence", bot: func(*fakeLink, string) {}, fault: arena.Stall, detail: "neither ugiok nor uciok within 8s",
			sent: "ugi isready uci", took: 8 * time.Second,
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
			detail: `it said "UGIOK"`, sent: "ugi", took: 8 * time.Second,
		},
		{
			name: "endless talk", bot: func(b *fakeLink, line string) {
				for i := range 100 {
					late(line, time.Duration(i)*200*ms, "\xff", "info string x", "thinking")(b, line)
				}
			}, fault: arena.ProtocolError, detail: "invalid UTF-8", sent: "ugi isready uci", took: 8 * time.Second,
		},
		{
			name: "no readyok after ugiok", bot: late("ugi", 0, "ugiok"), fault: arena.Stall, detail: "no readyok", sent: "ugi isready", took: 8 * time.Second,
		},
		{
			name: "crash", bot: func(b *fakeLink, _ string) { b.fail(0, arena.ErrClosed) }, fault: arena.Crash,
			detail: ": exit status 1; if it speaks only UCI", sent: "ugi isready",
		},
		{
			name: "too many options", protocol: arena.ProtocolUGI, bot: replies(map[string][]string{"ugi": many}), fault: arena.ProtocolError,
			detail: "more than 4096", sent: "ugi",
		},
	}
	for _, test := range tests {
		b := newBout(test.bot, test.bot)
		p := b.players[0]
		p.Why = func() string { return "exit status 1" }
		start := b.clock.now
		err := b.referee.Handshake(context.Background(), p, referee.Hello{Protocol: test.protocol, Timeout: 8 * time.Second})
		if test.fault == "" {
			if err != nil || p.Declared.Dialect != test.dialect {
				t.Errorf("%s: dialect %v, %v", test.name, p.Declared.Dialect, err)
			}
		} else {
			var f *referee.Fault
			if !errors.As(err, &f) || f.Reason != test.fault || !strings.Contains(f.Detail, test.detail) {
				t.Errorf("%s: error %v, want %s with %s", test.name, err, test.fault, test.detail)
			}
		}
		if sent := strings.Join(b.links[0].sent, " "); sent != test.sent {
			t.Errorf("%s: sent %s, want %s", test.name, sent, test.sent)
		}
		if took := b.clock.now.Sub(start); took != test.took {
			t.Errorf("%s: took %v, want %v", test.name, took, test.took)
		}
	}
}

func TestDeclared(t *testing.T) {
	b := newBout(replies(map[string][]string{"ugi": {
		"id name M\xfcller\x1b 2", "id author X", "option name Hash type spin default 1 min 1 max 9",
		"option name Bad type slider", "option name Hash type check", "ugiok",
	}}), plays(0))
	p := b.players[0]
	if err := b.referee.Handshake(context.Background(), p, referee.Hello{Protocol: arena.ProtocolUGI}); err != nil {
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
		bot := replies(map[string][]string{"ugi": test.hello, "uci": test.hello, "isready": {"readyok"}})
		b := newBout(plays(0), bot)
		b.links[0].answer = func(l *fakeLink, line string) {
			if bot(l, line); strings.HasPrefix(line, "go") {
				l.say(0, "bestmove t")
			}
		}
		hello := referee.Hello{Protocol: arena.ProtocolUGI}
		if strings.HasPrefix(test.hello[len(test.hello)-1], "uci") {
			hello.Protocol = arena.ProtocolUCI
		}
		if err := b.referee.Handshake(context.Background(), b.players[0], hello); err != nil {
			t.Fatal(err)
		}
		b.links[0].sent, b.links[0].writes = nil, nil
		err := b.referee.Configure(context.Background(), b.players[0], referee.Setup{Game: test.game, Options: test.options})
		if test.wrong != nil {
			var e *referee.OptionsError
			if !errors.As(err, &e) || len(e.Problems) != 4 || len(b.links[0].sent) > 0 {
				t.Errorf("%s: error %v, sent %q", test.name, err, b.links[0].sent)
				continue
			}
			for _, want := range test.wrong {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%s: error %v has no %s", test.name, err, want)
				}
			}
			var o *protocol.OptionError
			if !errors.As(err, &o) {
				t.Errorf("%s: no OptionError in %v", test.name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if sent := strings.Join(b.links[0].sent, "|"); sent != test.sent || len(b.links[0].writes) != 1 {
			t.Errorf("%s: sent %s in %d writes, want %s", test.name, sent, len(b.links[0].writes), test.sent)
		}
		b.play(t)
		if legal := slices.Contains(b.links[0].sent, "legal u d p t"); legal != test.legal {
			t.Errorf("%s: legal moves sent: %v", test.name, legal)
		}
	}
}

func TestConfigureFaults(t *testing.T) {
	b := newBout(func(*fakeLink, string) {}, func(b *fakeLink, _ string) { b.fail(0, arena.ErrClosed) })
	for i, want := range []arena.Reason{arena.Stall, arena.Crash} {
		var f *referee.Fault
		err := b.referee.Configure(context.Background(), b.players[i], referee.Setup{Timeout: time.Second})
		if !errors.As(err, &f) || f.Reason != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var f *referee.Fault
	if err := b.referee.Configure(ctx, b.players[1], referee.Setup{}); !errors.As(err, &f) || f.Reason != arena.Void {
		t.Errorf("cancelled: %v", err)
	}
	b.referee.Suspended = func(time.Time) bool { return true }
	if err := b.referee.Handshake(context.Background(), b.players[0], referee.Hello{}); !errors.As(err, &f) || f.Reason != arena.Void {
		t.Errorf("suspended: %v", err)
	}
}
