package protocol_test

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"botarena/protocol"

	"pgregory.net/rapid"
)

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
		want := protocol.ArenaMessage{Kind: protocol.ArenaKind(rapid.IntRange(1, int(protocol.Quit)).Draw(t, "kind"))}
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
			line = position(fen, moves...)
		case protocol.Legal:
			moves = append(moves, "a1a2")
			want.Moves, line = []byte(strings.Join(moves, " ")), appendLegal(moves...)
		case protocol.Query:
			want.Fact = []byte(rapid.SampledFrom([]string{protocol.QueryMoves, protocol.QueryWhy, "weather"}).Draw(t, "fact"))
			if len(moves) > 0 {
				want.Argument = []byte(strings.Join(moves, " "))
			}
			line = protocol.AppendQuery(nil, string(want.Fact), string(want.Argument))
		case protocol.Go:
			want.Go = drawGo(t)
			if dialect == protocol.UCI && (want.Go.Clocks[0].Known || want.Go.Clocks[1].Known) {
				want.Dialect = dialect
			}
			line = protocol.AppendGo(nil, dialect, want.Go)
		case protocol.Stop:
			line = protocol.AppendStop(nil)
		case protocol.PonderHit:
			line = protocol.AppendPonderHit(nil)
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
		Nodes: rapid.Int64Min(0).Draw(t, "nodes"), MoveTime: duration(0, "movetime"), Infinite: rapid.Bool().Draw(t, "infinite"), Ponder: rapid.Bool().Draw(t, "ponder"),
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
		"option name A B type combo default x var x var y", "option name H type spin min 0 max 9", "\x00\xff", "info score", "resign", "response", "response   . x .", "response a2a3 b2b3",
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
	case protocol.Response:
		return protocol.AppendResponse(nil, m.Text)
	}
	return nil
}

func FuzzParseFromArena(f *testing.F) {
	for _, seed := range []string{
		"go wtime 5 btime 6 winc 7 binc 8 movestogo 9", "go p1time -1 infinite", "position fen a b moves c d",
		"position startpos moves", "query moves", "query why a b", "query", "setoption name a b value c d", "setoption name a value", "legal a", "uci", "\x00",
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
		for w := range bytes.FieldsSeq(m.Moves) {
			moves = append(moves, string(w))
		}
		if m.Kind == protocol.Legal {
			return appendLegal(moves...)
		}
		return position(string(m.FEN), moves...)
	case protocol.Query:
		return protocol.AppendQuery(nil, string(m.Fact), string(m.Argument))
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

// position is the position line of a game from fen, "" being its own start.
func position(fen string, moves ...string) []byte {
	var line protocol.PositionLine
	line.Start(fen)
	for _, m := range moves {
		line.Play(m)
	}
	return line.AppendTo(nil)
}

func TestPositionLineTakesMovesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var line, want protocol.PositionLine
		fen := rapid.SampledFrom([]string{"", "8/8/8 w"}).Draw(t, "fen")
		line.Start(fen)
		want.Start(fen)
		for _, m := range rapid.SliceOfN(word, 0, 5).Draw(t, "kept") {
			line.Play(m)
			want.Play(m)
		}
		other := line.Copy()
		back := rapid.SliceOfN(word, 0, 5).Draw(t, "taken back")
		for _, m := range back {
			line.Play(m)
		}
		for range back {
			line.Undo()
		}
		for _, l := range []*protocol.PositionLine{&line, &other} {
			if got, want := string(l.AppendTo(nil)), string(want.AppendTo(nil)); got != want {
				t.Fatalf("%q, want %q", got, want)
			}
		}
	})
}

func TestResponses(t *testing.T) {
	for line, want := range map[string]string{
		"response": "", "response ": "", "response true": "true", "response   . x .  ": "  . x .", "\tresponse a b\r": "a b",
	} {
		m, err := protocol.ParseFromBot([]byte(line))
		if err != nil || m.Kind != protocol.Response || string(m.Text) != want {
			t.Errorf("%q: %d %q, %v, want %q", line, m.Kind, m.Text, err, want)
		}
	}
}
