package protocol_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"botarena/protocol"

	"pgregory.net/rapid"
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
		{"ponderhit", protocol.ArenaMessage{}},
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
		{string(protocol.AppendPosition(nil, "", "a2a3", "b7b6")), "position startpos moves a2a3 b7b6\n"},
		{string(protocol.AppendPosition(nil, "8/8 w")), "position fen 8/8 w\n"},
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
	if err := (protocol.Options{}).Check("Hash", "1"); err == nil || !strings.Contains(err.Error(), "declares no options") {
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

var (
	word = rapid.StringMatching(`[a-h][1-8][a-h][1-8][qr]?`)
	text = rapid.StringMatching(`[A-Za-z0-9_.é]{1,8}( [A-Za-z0-9_.é]{1,8}){0,3}`).Filter(func(s string) bool {
		for _, keyword := range []string{"type", "default", "min", "max", "var", "value", "name"} {
			for _, w := range strings.Fields(s) {
				if w == keyword {
					return false
				}
			}
		}
		return true
	})
)

func TestBotLinesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dialect := protocol.Dialect(rapid.IntRange(0, 1).Draw(t, "dialect"))
		want := protocol.BotMessage{Kind: protocol.BotKind(rapid.IntRange(1, 6).Draw(t, "kind"))}
		var line []byte
		switch want.Kind {
		case protocol.ID:
			want.Field = rapid.SampledFrom([]string{"name", "author"}).Draw(t, "field")
			want.Text = []byte(text.Draw(t, "text"))
			line = protocol.AppendID(nil, want.Field, string(want.Text))
		case protocol.OptionLine:
			o := drawOption(t)
			want.Option = &o
			line = protocol.AppendOption(nil, o)
		case protocol.OK:
			want.Dialect = dialect
			line = protocol.AppendOK(nil, dialect)
		case protocol.ReadyOK:
			line = protocol.AppendReadyOK(nil)
		case protocol.InfoLine:
			want.Info = drawInfo(t)
			line = protocol.AppendInfo(nil, want.Info)
		case protocol.BestMove:
			want.Move = []byte(word.Draw(t, "move"))
			if rapid.Bool().Draw(t, "ponders") {
				want.Ponder = []byte(word.Draw(t, "ponder"))
			}
			line = protocol.AppendBestMove(nil, string(want.Move), string(want.Ponder))
		}
		got, err := protocol.ParseFromBot(line[:len(line)-1])
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%q\n got %+v\nwant %+v", line, got, want)
		}
	})
}

func drawOption(t *rapid.T) protocol.Option {
	o := protocol.Option{
		Name: text.Draw(t, "name"), Type: protocol.OptionType(rapid.IntRange(0, 4).Draw(t, "type")),
		Min: math.MinInt64, Max: math.MaxInt64,
	}
	switch o.Type {
	case protocol.Check:
		o.Default = rapid.SampledFrom([]string{"", "true", "false"}).Draw(t, "default")
	case protocol.Spin:
		o.Min = rapid.Int64Range(-math.MaxInt64, 0).Draw(t, "min")
		o.Max = rapid.Int64Min(0).Draw(t, "max")
		o.Default = fmt.Sprint(rapid.Int64Range(o.Min, o.Max).Draw(t, "default"))
	case protocol.Combo:
		o.Vars = rapid.SliceOfN(text, 1, 4).Draw(t, "vars")
		o.Default = o.Vars[0]
	case protocol.String:
		o.Default = rapid.OneOf(text, rapid.Just("")).Draw(t, "default")
	}
	return o
}

func drawInfo(t *rapid.T) protocol.Info {
	i := protocol.Info{Has: protocol.InfoFields(rapid.IntRange(0, int(protocol.HasScore)*2-1).Draw(t, "has"))}
	for n, to := range []*int64{&i.Depth, &i.SelDepth, &i.Time, &i.Nodes, &i.NPS, &i.MultiPV, &i.HashFull, &i.CurrMoveNumber} {
		if i.Has&(1<<n) != 0 {
			*to = rapid.Int64Min(0).Draw(t, "number")
		}
	}
	if i.Has&protocol.HasScore != 0 {
		i.Score = protocol.Score{
			Value: rapid.Int64Min(-math.MaxInt64).Draw(t, "score"), Mate: rapid.Bool().Draw(t, "mate"),
			Bound: protocol.Bound(rapid.IntRange(0, 2).Draw(t, "bound")),
		}
	}
	if rapid.Bool().Draw(t, "currmove?") {
		i.CurrMove = []byte(word.Draw(t, "currmove"))
	}
	if rapid.Bool().Draw(t, "pv?") {
		i.PV = []byte(strings.Join(rapid.SliceOfN(word, 1, 5).Draw(t, "pv"), " "))
	}
	if rapid.Bool().Draw(t, "string?") {
		i.String = []byte(text.Draw(t, "string"))
	}
	return i
}

func TestArenaLinesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dialect := protocol.Dialect(rapid.IntRange(0, 1).Draw(t, "dialect"))
		moves := rapid.SliceOfN(word, 0, 40).Draw(t, "moves")
		want := protocol.ArenaMessage{Kind: protocol.ArenaKind(rapid.IntRange(1, 9).Draw(t, "kind"))}
		var line []byte
		switch want.Kind {
		case protocol.Hello:
			want.Dialect, line = dialect, protocol.AppendHello(nil, dialect)
		case protocol.SetOption:
			want.Name, want.Value = []byte(text.Draw(t, "name")), []byte(text.Draw(t, "value"))
			line = protocol.AppendSetOption(nil, protocol.String, string(want.Name), string(want.Value))
		case protocol.IsReady:
			line = protocol.AppendIsReady(nil)
		case protocol.NewGame:
			want.Dialect, line = dialect, protocol.AppendNewGame(nil, dialect)
		case protocol.Position:
			fen := rapid.SampledFrom([]string{"", "8/8/8 w", "3k4/8 w - - 0 1"}).Draw(t, "fen")
			if fen != "" {
				want.FEN = []byte(fen)
			}
			if len(moves) > 0 {
				want.Moves = []byte(strings.Join(moves, " "))
			}
			line = protocol.AppendPosition(nil, fen, moves...)
			var grown protocol.PositionLine
			grown.Start(fen)
			for _, m := range moves {
				grown.Play(m)
			}
			if other := grown.AppendTo(nil); string(other) != string(line) {
				t.Fatalf("a grown line is %q, not %q", other, line)
			}
		case protocol.Legal:
			moves = append(moves, "a1a2")
			want.Moves, line = []byte(strings.Join(moves, " ")), appendLegal(moves...)
		case protocol.Go:
			want.Go = drawGo(t)
			if dialect == protocol.UCI && (want.Go.Clocks[0].Known || want.Go.Clocks[1].Known) {
				want.Dialect = dialect
			}
			line = protocol.AppendGo(nil, dialect, want.Go)
		case protocol.Stop:
			line = protocol.AppendStop(nil)
		case protocol.Quit:
			line = protocol.AppendQuit(nil)
		}
		got, err := protocol.ParseFromArena(line[:len(line)-1])
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%q\n got %+v\nwant %+v", line, got, want)
		}
	})
}

func appendLegal(moves ...string) []byte {
	return protocol.AppendLegal(nil, len(moves), func(dst []byte, i int) []byte { return append(dst, moves[i]...) })
}

func drawGo(t *rapid.T) protocol.GoParams {
	duration := func(least int64, name string) time.Duration {
		return time.Duration(rapid.Int64Range(least, 1e12).Draw(t, name)) * time.Millisecond
	}
	g := protocol.GoParams{
		MovesToGo: rapid.Int64Min(0).Draw(t, "movestogo"), Depth: rapid.Int64Min(0).Draw(t, "depth"),
		Nodes: rapid.Int64Min(0).Draw(t, "nodes"), MoveTime: duration(0, "movetime"), Infinite: rapid.Bool().Draw(t, "infinite"),
	}
	for i := range g.Clocks {
		if rapid.Bool().Draw(t, "clock?") {
			g.Clocks[i] = protocol.SideClock{Known: true, Time: duration(1, "time"), Inc: duration(0, "inc")}
		}
	}
	return g
}

// Parsing again what was parsed from any bytes and written must change nothing.
func FuzzParseFromBot(f *testing.F) {
	for _, seed := range []string{
		"bestmove a2a3 ponder b7b6", "info depth 3 score cp 5 lowerbound pv a2a3 string x", "id name A", "ugiok",
		"option name A B type combo default x var x var y", "option name H type spin min 0 max 9", "\x00\xff", "info score", "resign",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		m, err := protocol.ParseFromBot(line)
		if kind, _ := protocol.Classify(line); m.Kind != kind && m.Kind != protocol.Chatter {
			t.Fatalf("kind %d, Classify says %d", m.Kind, kind)
		}
		if err != nil {
			if len(err.Error()) > 1000 {
				t.Fatalf("an error of %d bytes", len(err.Error()))
			}
			return
		}
		again := appendBot(m)
		if again == nil || len(again) > protocol.MaxLine {
			return
		}
		second, err := protocol.ParseFromBot(again[:len(again)-1])
		if err != nil {
			t.Fatalf("%q was written as %q: %v", line, again, err)
		}
		if third := appendBot(second); string(third) != string(again) {
			t.Fatalf("%q was written as %q, then as %q", line, again, third)
		}
	})
}

func appendBot(m protocol.BotMessage) []byte {
	switch m.Kind {
	case protocol.ID:
		return protocol.AppendID(nil, m.Field, string(m.Text))
	case protocol.OptionLine:
		return protocol.AppendOption(nil, *m.Option)
	case protocol.OK:
		return protocol.AppendOK(nil, m.Dialect)
	case protocol.ReadyOK:
		return protocol.AppendReadyOK(nil)
	case protocol.InfoLine:
		return protocol.AppendInfo(nil, m.Info)
	case protocol.BestMove:
		return protocol.AppendBestMove(nil, string(m.Move), string(m.Ponder))
	}
	return nil
}

func FuzzParseFromArena(f *testing.F) {
	for _, seed := range []string{
		"go wtime 5 btime 6 winc 7 binc 8 movestogo 9", "go p1time -1 infinite", "position fen a b moves c d",
		"position startpos moves", "setoption name a b value c d", "setoption name a value", "legal a", "uci", "\x00",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		m, err := protocol.ParseFromArena(line)
		if err != nil {
			return
		}
		again := appendArena(m)
		if again == nil || len(again) > protocol.MaxLine {
			return
		}
		second, err := protocol.ParseFromArena(again[:len(again)-1])
		if err != nil {
			t.Fatalf("%q was written as %q: %v", line, again, err)
		}
		if third := appendArena(second); string(third) != string(again) {
			t.Fatalf("%q was written as %q, then as %q", line, again, third)
		}
	})
}

func appendArena(m protocol.ArenaMessage) []byte {
	switch m.Kind {
	case protocol.Hello:
		return protocol.AppendHello(nil, m.Dialect)
	case protocol.SetOption:
		return protocol.AppendSetOption(nil, protocol.String, string(m.Name), string(m.Value))
	case protocol.NewGame:
		return protocol.AppendNewGame(nil, m.Dialect)
	case protocol.Position, protocol.Legal:
		var moves []string
		for w := range protocol.Words(m.Moves) {
			moves = append(moves, string(w))
		}
		if m.Kind == protocol.Legal {
			return appendLegal(moves...)
		}
		return protocol.AppendPosition(nil, string(m.FEN), moves...)
	case protocol.Go:
		return protocol.AppendGo(nil, m.Dialect, m.Go)
	}
	return nil
}

func TestNoAllocation(t *testing.T) {
	best, info := []byte("bestmove a2a3 ponder b7b6"), []byte("info depth 6 score cp 25 nodes 81034 nps 900377 time 90 pv b2b3 g7g6")
	goLine, position := []byte("go p1time 1000 p2time 1000 p1inc 10 p2inc 10"), []byte("position startpos moves a2a3 b7b6")
	var line protocol.PositionLine
	line.Start("")
	line.Play("a2a3")
	params := protocol.GoParams{Clocks: [2]protocol.SideClock{{Known: true, Time: time.Second}, {Known: true, Time: time.Second}}}
	buffer := make([]byte, 0, 1000)
	allocs := testing.AllocsPerRun(100, func() {
		for _, l := range [][]byte{best, info} {
			if _, err := protocol.ParseFromBot(l); err != nil {
				t.Fatal(err)
			}
		}
		for _, l := range [][]byte{goLine, position} {
			if _, err := protocol.ParseFromArena(l); err != nil {
				t.Fatal(err)
			}
		}
		buffer = protocol.AppendGo(line.AppendTo(buffer[:0]), protocol.UGI, params)
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func BenchmarkParseBestMove(b *testing.B) {
	line := []byte("bestmove a2a3 ponder b7b6")
	for b.Loop() {
		if _, err := protocol.ParseFromBot(line); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseInfo(b *testing.B) {
	line := []byte("info depth 6 seldepth 9 score cp 25 nodes 81034 nps 900377 time 90 pv b2b3 g7g6 a2a3 h7h6 c2c3")
	for b.Loop() {
		if _, err := protocol.ParseFromBot(line); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendPositionGo(b *testing.B) {
	var line protocol.PositionLine
	line.Start("")
	for range 60 {
		line.Play("a2a3")
	}
	params := protocol.GoParams{Clocks: [2]protocol.SideClock{{Known: true, Time: time.Second}, {Known: true, Time: time.Second}}}
	var buffer []byte
	for b.Loop() {
		buffer = protocol.AppendGo(line.AppendTo(buffer[:0]), protocol.UGI, params)
	}
}
