package protocol_test

import (
	"errors"
	"io"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"botarena/protocol"
)

func TestParseFromBot(t *testing.T) {
	tests := []struct {
		line string
		want protocol.BotMessage
	}{
		{"bestmove a2a3", protocol.BotMessage{Kind: protocol.BestMove, Move: []byte("a2a3")}},
		{"\tbestmove   a2a3\tponder  b7b6 \r", protocol.BotMessage{Kind: protocol.BestMove, Move: []byte("a2a3"), Ponder: []byte("b7b6")}},
		{"bestmove a2a3 ponder", protocol.BotMessage{Kind: protocol.BestMove, Move: []byte("a2a3")}},
		{"bestmove a2a3 really", protocol.BotMessage{Kind: protocol.BestMove, Move: []byte("a2a3")}},
		{"bestmove 0000", protocol.BotMessage{Kind: protocol.BestMove, Move: []byte("0000")}},
		{"bestmove (none)", protocol.BotMessage{Kind: protocol.BestMove, Resign: true}},
		{"bestmove resign", protocol.BotMessage{Kind: protocol.BestMove, Resign: true}},
		{"resign", protocol.BotMessage{Kind: protocol.BestMove, Resign: true}},
		{"readyok", protocol.BotMessage{Kind: protocol.ReadyOK}},
		{"ugiok", protocol.BotMessage{Kind: protocol.OK}},
		{"uciok", protocol.BotMessage{Kind: protocol.OK, Dialect: protocol.UCI}},
		{"id name Stone  1.0 ", protocol.BotMessage{Kind: protocol.ID, Field: "name", Text: []byte("Stone  1.0")}},
		{"id author M\xfcller", protocol.BotMessage{Kind: protocol.ID, Field: "author", Text: []byte("M\xfcller")}},
		{"id colour red", protocol.BotMessage{Kind: protocol.Chatter, Text: []byte("id colour red")}},
		{"", protocol.BotMessage{Kind: protocol.Chatter, Text: []byte("")}},
		{"so: bestmove a2a3", protocol.BotMessage{Kind: protocol.Chatter, Text: []byte("so: bestmove a2a3")}},
		{"Bestmove a2a3", protocol.BotMessage{Kind: protocol.Chatter, Text: []byte("Bestmove a2a3")}},
		{
			"info depth 6 seldepth 9 multipv 1 score cp -25 upperbound nodes 81034 nps 900377 hashfull 3 tbhits 0 time 90 pv b2b3 g7g6",
			protocol.BotMessage{Kind: protocol.InfoLine, Info: protocol.Info{
				Has: protocol.HasDepth | protocol.HasSelDepth | protocol.HasMultiPV | protocol.HasScore |
					protocol.HasNodes | protocol.HasNPS | protocol.HasHashFull | protocol.HasTime,
				Depth: 6, SelDepth: 9, MultiPV: 1, Nodes: 81034, NPS: 900377, HashFull: 3, Time: 90,
				Score: protocol.Score{Value: -25, Bound: protocol.UpperBound}, PV: []byte("b2b3 g7g6"),
			}},
		},
		{
			"info pv e2e4 e7e5 score lowerbound mate -3 wdl 0 0 1000 depth 2",
			protocol.BotMessage{Kind: protocol.InfoLine, Info: protocol.Info{
				Has: protocol.HasScore | protocol.HasDepth, Depth: 2, PV: []byte("e2e4 e7e5"),
				Score: protocol.Score{Value: -3, Mate: true, Bound: protocol.LowerBound},
			}},
		},
		{
			"info currmove a2a3 currmovenumber 4 string depth 9 score cp 1",
			protocol.BotMessage{Kind: protocol.InfoLine, Info: protocol.Info{
				Has: protocol.HasCurrMoveNumber, CurrMoveNumber: 4, CurrMove: []byte("a2a3"), String: []byte("depth 9 score cp 1"),
			}},
		},
		{
			"info nodes 99999999999999999999999",
			protocol.BotMessage{Kind: protocol.InfoLine, Info: protocol.Info{Has: protocol.HasNodes, Nodes: math.MaxInt64}},
		},
		{
			"info score cp -99999999999999999999999",
			protocol.BotMessage{Kind: protocol.InfoLine, Info: protocol.Info{Has: protocol.HasScore, Score: protocol.Score{Value: -math.MaxInt64}}},
		},
		{"option name Hash type spin default 16 min 1 max 1024", option(protocol.Option{
			Name: "Hash", Type: protocol.Spin, Default: "16", Min: 1, Max: 1024,
		})},
		{"option name Book File type string default C:\\my books\\min max.bin", option(protocol.Option{
			Name: "Book File", Type: protocol.String, Default: `C:\my books\min max.bin`, Min: math.MinInt64, Max: math.MaxInt64,
		})},
		{"option name S type string default <empty>", option(protocol.Option{
			Name: "S", Type: protocol.String, Min: math.MinInt64, Max: math.MaxInt64,
		})},
		{"option name Play Style type combo var Very Wild var Calm default Very Wild", option(protocol.Option{
			Name: "Play Style", Type: protocol.Combo, Default: "Very Wild", Min: math.MinInt64, Max: math.MaxInt64,
			Vars: []string{"Very Wild", "Calm"},
		})},
		{"option name Clear Hash type button", option(protocol.Option{
			Name: "Clear Hash", Type: protocol.Button, Min: math.MinInt64, Max: math.MaxInt64,
		})},
	}
	for _, test := range tests {
		got, err := protocol.ParseFromBot([]byte(test.line))
		if err != nil {
			t.Errorf("%q: %v", test.line, err)
			continue
		}
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q:\n got %+v\nwant %+v", test.line, got, test.want)
		}
		if kind, _ := protocol.Classify([]byte(test.line)); kind != test.want.Kind && !strings.HasPrefix(test.line, "id colour") {
			t.Errorf("%q: Classify says %d, not %d", test.line, kind, test.want.Kind)
		}
	}
}

func option(o protocol.Option) protocol.BotMessage {
	return protocol.BotMessage{Kind: protocol.OptionLine, Option: &o}
}

func TestParseFromBotErrors(t *testing.T) {
	tests := []struct {
		line   string
		kind   protocol.BotKind
		column int
		why    string
	}{
		{"bestmove", protocol.BestMove, 9, "no move"},
		{"bestmove   ", protocol.BestMove, 12, "no move"},
		{"bestmove a2\x00a3", protocol.BestMove, 12, "NUL"},
		{"bestmove a2\xffa3", protocol.BestMove, 12, "UTF-8"},
		{"\xde\xad\xbe\xef", protocol.Chatter, 3, "UTF-8"},
		{"info string \x00", protocol.InfoLine, 13, "NUL"},
		{"info depth x nodes 4", protocol.InfoLine, 12, "not an integer"},
		{"info depth -4", protocol.InfoLine, 12, "negative"},
		{"info time 0.5", protocol.InfoLine, 11, "not an integer"},
		{"info score 12", protocol.InfoLine, 12, "neither"},
		{"info score", protocol.InfoLine, 11, "neither"},
		{"info nodes", protocol.InfoLine, 11, "no number"},
		{"option Hash type spin", protocol.OptionLine, 8, "name"},
		{"option name type spin", protocol.OptionLine, 13, "no name"},
		{"option name Hash", protocol.OptionLine, 17, "no type"},
		{"option name Hash type slider", protocol.OptionLine, 23, "none of"},
		{"option name Hash type spin min 9 max 3", protocol.OptionLine, 1, "greater"},
		{"option name Hash type spin default many", protocol.OptionLine, 36, "not an integer"},
		{strings.Repeat("x", protocol.MaxLine+1), protocol.Chatter, protocol.MaxLine + 1, "64 KiB"},
	}
	for _, test := range tests {
		got, err := protocol.ParseFromBot([]byte(test.line))
		var e *protocol.ParseError
		if !errors.As(err, &e) {
			t.Errorf("%.40q: error %v", test.line, err)
			continue
		}
		if got.Kind != test.kind || e.Column != test.column || !strings.Contains(e.Why, test.why) {
			t.Errorf("%.40q: kind %d, column %d, %s; want %d, %d, %s", test.line, got.Kind, e.Column, e.Why, test.kind, test.column, test.why)
		}
		if len(e.Line) > 130 || !utf8.ValidString(e.Error()) || strings.Contains(e.Error(), "\x00") {
			t.Errorf("%.40q: the error is not safe to print: %q", test.line, e.Error())
		}
	}
}

// A fact that cannot be read must not hide the others.
func TestInfoKeepsReadableFacts(t *testing.T) {
	m, err := protocol.ParseFromBot([]byte("info depth 7 nps inf score cp 31 nodes 12.5 time 9"))
	if err == nil {
		t.Error("no error for nps inf")
	}
	want := protocol.HasDepth | protocol.HasScore | protocol.HasTime
	if m.Info.Has != want || m.Info.Depth != 7 || m.Info.Score.Value != 31 || m.Info.Time != 9 {
		t.Errorf("got %+v", m.Info)
	}
}

func TestParseFromArena(t *testing.T) {
	ms := time.Millisecond
	tests := []struct {
		line string
		want protocol.ArenaMessage
	}{
		{"ugi", protocol.ArenaMessage{Kind: protocol.Hello}},
		{"uci", protocol.ArenaMessage{Kind: protocol.Hello, Dialect: protocol.UCI}},
		{"isready", protocol.ArenaMessage{Kind: protocol.IsReady}},
		{"uginewgame", protocol.ArenaMessage{Kind: protocol.NewGame}},
		{"ucinewgame", protocol.ArenaMessage{Kind: protocol.NewGame, Dialect: protocol.UCI}},
		{"stop", protocol.ArenaMessage{Kind: protocol.Stop}},
		{"quit", protocol.ArenaMessage{Kind: protocol.Quit}},
		{"ponderhit", protocol.ArenaMessage{Kind: protocol.PonderHit}},
		{"setoption name Book File value my book.bin", protocol.ArenaMessage{
			Kind: protocol.SetOption, Name: []byte("Book File"), Value: []byte("my book.bin"),
		}},
		{"setoption name Clear Hash", protocol.ArenaMessage{Kind: protocol.SetOption, Name: []byte("Clear Hash")}},
		{"setoption name S value <empty>", protocol.ArenaMessage{Kind: protocol.SetOption, Name: []byte("S")}},
		{"position startpos", protocol.ArenaMessage{Kind: protocol.Position}},
		{"position startpos moves a2a3 b7b6", protocol.ArenaMessage{Kind: protocol.Position, Moves: []byte("a2a3 b7b6")}},
		{"position fen 8/8 w moves a2a3", protocol.ArenaMessage{
			Kind: protocol.Position, FEN: []byte("8/8 w"), Moves: []byte("a2a3"),
		}},
		{"position fen 8/8 w", protocol.ArenaMessage{Kind: protocol.Position, FEN: []byte("8/8 w")}},
		{"legal a2a3 b2b3", protocol.ArenaMessage{Kind: protocol.Legal, Moves: []byte("a2a3 b2b3")}},
		{"go", protocol.ArenaMessage{Kind: protocol.Go}},
		{"go wtime 1000 btime -5 winc 10 binc 20 movestogo 40", protocol.ArenaMessage{
			Kind: protocol.Go, Dialect: protocol.UCI, Go: protocol.GoParams{
				Clocks:    [2]protocol.SideClock{{Known: true, Time: 1000 * ms, Inc: 10 * ms}, {Known: true, Time: -5 * ms, Inc: 20 * ms}},
				MovesToGo: 40,
			},
		}},
		{"go p2time 70 movetime 5 searchmoves a2a3 depth 3 nodes 4 infinite", protocol.ArenaMessage{
			Kind: protocol.Go, Go: protocol.GoParams{
				Clocks:   [2]protocol.SideClock{1: {Known: true, Time: 70 * ms}},
				MoveTime: 5 * ms, Depth: 3, Nodes: 4, Infinite: true,
			},
		}},
	}
	for _, test := range tests {
		got, err := protocol.ParseFromArena([]byte(test.line))
		if err != nil {
			t.Errorf("%q: %v", test.line, err)
		} else if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q:\n got %+v\nwant %+v", test.line, got, test.want)
		}
	}
	for _, line := range []string{
		"setoption", "setoption name", "setoption name value 3", "position", "position here", "position fen",
		"position startpos a2a3", "legal", "go movetime soon", "go nodes -1", "quit\x00", "position fen \xff",
	} {
		var e *protocol.ParseError
		if _, err := protocol.ParseFromArena([]byte(line)); !errors.As(err, &e) {
			t.Errorf("%q: error %v", line, err)
		}
	}
}

func TestAppend(t *testing.T) {
	ms := time.Millisecond
	var line protocol.PositionLine
	line.Start("")
	start := string(line.AppendTo(nil))
	line.Play("a2a3")
	line.Play("b7b6")
	if n := len(line.AppendTo(nil)) - 1; n != line.Len() {
		t.Errorf("Len is %d for a line of %d bytes", line.Len(), n)
	}
	clocks := protocol.GoParams{Clocks: [2]protocol.SideClock{
		{Known: true, Time: 1999 * time.Microsecond, Inc: 100 * ms}, {Known: true, Time: 10, Inc: 0},
	}, MovesToGo: 7}
	tests := []struct{ got, want string }{
		{string(protocol.AppendHello(nil, protocol.UGI)), "ugi\n"},
		{string(protocol.AppendHello(nil, protocol.UCI)), "uci\n"},
		{string(protocol.AppendNewGame(nil, protocol.UGI)), "uginewgame\n"},
		{string(protocol.AppendNewGame(nil, protocol.UCI)), "ucinewgame\n"},
		{string(protocol.AppendSetOption(nil, protocol.Spin, "Hash", "64")), "setoption name Hash value 64\n"},
		{string(protocol.AppendSetOption(nil, protocol.Button, "Clear Hash", "")), "setoption name Clear Hash\n"},
		{string(protocol.AppendSetOption(nil, protocol.String, "Log", "")), "setoption name Log value <empty>\n"},
		{string(protocol.AppendSetOption(nil, protocol.String, "Log", "a\nquit")), "setoption name Log value a quit\n"},
		{string(position("", "a2a3", "b7b6")), "position startpos moves a2a3 b7b6\n"},
		{string(position("8/8 w")), "position fen 8/8 w\n"},
		{start, "position startpos\n"},
		{string(line.AppendTo(nil)), "position startpos moves a2a3 b7b6\n"},
		{string(appendLegal("a2a3", "b2b3")), "legal a2a3 b2b3\n"},
		{string(protocol.AppendGo(nil, protocol.UGI, clocks)), "go p1time 1 p2time 1 p1inc 100 p2inc 0 movestogo 7\n"},
		{string(protocol.AppendGo(nil, protocol.UCI, clocks)), "go wtime 1 btime 1 winc 100 binc 0 movestogo 7\n"},
		{
			string(protocol.AppendGo(nil, protocol.UCI, protocol.GoParams{
				Clocks: [2]protocol.SideClock{1: {Known: true, Time: time.Second}},
			})), "go btime 1000 binc 0\n",
		},
		{string(protocol.AppendGo(nil, protocol.UGI, protocol.GoParams{MoveTime: 1, Depth: 2, Nodes: 3})), "go movetime 1 depth 2 nodes 3\n"},
		{string(protocol.AppendOK(nil, protocol.UCI)), "uciok\n"},
		{string(protocol.AppendBestMove(nil, "a2a3", "b7b6")), "bestmove a2a3 ponder b7b6\n"},
		{string(protocol.AppendBestMove(nil, "", "")), "bestmove (none)\n"},
		{string(protocol.AppendID(nil, "name", "Pebble")), "id name Pebble\n"},
		{
			string(protocol.AppendOption(nil, protocol.Option{Name: "Hash", Type: protocol.Spin, Default: "16", Min: 1, Max: math.MaxInt64})),
			"option name Hash type spin default 16 min 1\n",
		},
		{string(protocol.AppendOption(nil, protocol.Option{Name: "Log", Type: protocol.String})), "option name Log type string default <empty>\n"},
		{
			string(protocol.AppendInfo(nil, protocol.Info{
				Has: protocol.HasDepth | protocol.HasScore, Depth: 3, Nodes: 9,
				Score: protocol.Score{Value: 4, Mate: true, Bound: protocol.LowerBound}, String: []byte("two\nlines"),
			})), "info depth 3 score mate 4 lowerbound string two lines\n",
		},
	}
	for _, test := range tests {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

func TestOptionCheck(t *testing.T) {
	options := protocol.Options{
		{Name: "Hash", Type: protocol.Spin, Min: 1, Max: 1024},
		{Name: "Seed", Type: protocol.Spin, Min: math.MinInt64, Max: math.MaxInt64},
		{Name: "Own Book", Type: protocol.Check},
		{Name: "UGI_Variant", Type: protocol.Combo, Vars: []string{"breakthrough", "owlman"}},
		{Name: "Clear Hash", Type: protocol.Button},
		{Name: "File", Type: protocol.String},
	}
	tests := []struct{ name, value, wantName, wantValue, wantErr string }{
		{"Hash", "64", "Hash", "64", ""},
		{"hash", "+064", "Hash", "64", ""},
		{"Hash", "0", "", "", `option "Hash": 0 is out of range; use an integer from 1 to 1024`},
		{"Hash", "1025", "", "", "out of range"},
		{"Hash", "big", "", "", `"big" is not an integer from 1 to 1024`},
		{"Seed", "-9223372036854775808", "Seed", "-9223372036854775808", ""},
		{"own book", "TRUE", "Own Book", "true", ""},
		{"Own Book", "yes", "", "", `did you mean "true"?`},
		{"Own Book", "perhaps", "", "", "neither true nor false"},
		{"UGI_Variant", "Owlman", "UGI_Variant", "owlman", ""},
		{"UGI_Variant", "chess", "", "", "they are breakthrough, owlman"},
		{"UGI_Variant", "brakthrough", "", "", `did you mean "breakthrough"?`},
		{"Clear Hash", "", "Clear Hash", "", ""},
		{"Clear Hash", "now", "", "", "takes no value"},
		{"File", "", "File", "", ""},
		{"File", "a\nquit", "", "", "control character"},
		{"Hsah", "1", "", "", `the bot declares no such option; did you mean "Hash"?`},
		{"Contempt", "1", "", "", "it declares Hash, Seed, Own Book"},
	}
	for _, test := range tests {
		name, value, err := options.Resolve(test.name, test.value)
		if test.wantErr == "" {
			if err != nil || name != test.wantName || value != test.wantValue {
				t.Errorf("%s=%s: got %q, %q, %v", test.name, test.value, name, value, err)
			}
			continue
		}
		var e *protocol.OptionError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), test.wantErr) {
			t.Errorf("%s=%s: error %v, want %s", test.name, test.value, err, test.wantErr)
		}
	}
	if _, _, err := (protocol.Options{}).Resolve("Hash", "1"); err == nil || !strings.Contains(err.Error(), "declares no options") {
		t.Errorf("without options: %v", err)
	}
}

func TestReader(t *testing.T) {
	long := strings.Repeat("x", protocol.MaxLine)
	r := protocol.NewReader(strings.NewReader("ugi\r\n\n" + long + "\n" + long + "\r\n" + long + "y\n" + strings.Repeat(long, 3) + "\nquit"))
	for i, want := range []string{"ugi", "", long, long, "!", "!", "quit"} {
		line, err := r.ReadLine()
		if want == "!" {
			if !errors.Is(err, protocol.ErrLineTooLong) {
				t.Errorf("line %d: error %v", i, err)
			}
		} else if err != nil || string(line) != want {
			t.Errorf("line %d: got %d bytes, %v; want %d", i, len(line), err, len(want))
		}
	}
	if _, err := r.ReadLine(); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
}

// The session in the package comment must be made of lines that parse.
func TestSessionOfTheSpecification(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, session, ok := strings.Cut(string(doc), "// # A session")
	if !ok {
		t.Fatal("doc.go has no session")
	}
	sent, received := 0, 0
	for line := range strings.Lines(session) {
		line, _, _ = strings.Cut(line, " #")
		if text, ok := strings.CutPrefix(line, "//\t> "); ok {
			sent++
			if m, err := protocol.ParseFromArena([]byte(strings.TrimSpace(text))); err != nil || m.Kind == protocol.Other {
				t.Errorf("%q: kind %d, %v", text, m.Kind, err)
			}
		}
		if text, ok := strings.CutPrefix(line, "//\t< "); ok {
			received++
			m, err := protocol.ParseFromBot([]byte(strings.TrimSpace(text)))
			if chatter := strings.HasPrefix(text, "allocating"); err != nil || (m.Kind == protocol.Chatter) != chatter {
				t.Errorf("%q: kind %d, %v", text, m.Kind, err)
			}
		}
	}
	if sent < 15 || received < 14 {
		t.Errorf("found only %d lines to and %d lines from the bot", sent, received)
	}
}
