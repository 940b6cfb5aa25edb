package protocol_test

import (
	"math"
	"reflect"
	"testing"
	"time"

	"botarena/protocol"
)

func TestParseXBoard(t *testing.T) {
	thinking := func(depth, score, ms, nodes int64, pv string) protocol.XBoardMessage {
		return protocol.XBoardMessage{Kind: protocol.XBoardThinking, Info: protocol.Info{
			Has:   protocol.HasDepth | protocol.HasScore | protocol.HasTime | protocol.HasNodes,
			Depth: depth, Score: protocol.Score{Value: score}, Time: ms, Nodes: nodes, PV: []byte(pv),
		}}
	}
	mate := thinking(9, -3, 10, 5, "Kh1")
	mate.Info.Score.Mate = true
	tests := []struct {
		line string
		want protocol.XBoardMessage
	}{
		{"move e2e4", protocol.XBoardMessage{Kind: protocol.XBoardMove, Move: []byte("e2e4")}},
		{"  move O-O ", protocol.XBoardMessage{Kind: protocol.XBoardMove, Move: []byte("O-O")}},
		{"12. ... Nf6", protocol.XBoardMessage{Kind: protocol.XBoardMove, Move: []byte("Nf6"), Form: protocol.Numbered}},
		{"My move is : e7e5", protocol.XBoardMessage{Kind: protocol.XBoardMove, Move: []byte("e7e5"), Form: protocol.Spoken}},
		{"My move is: e7e5", protocol.XBoardMessage{Kind: protocol.XBoardMove, Move: []byte("e7e5"), Form: protocol.Spoken}},
		{"pong 7", protocol.XBoardMessage{Kind: protocol.XBoardPong, Number: 7}},
		{`feature myname="Crafty 23" ping=1 setboard=1,san=0 done=0`, protocol.XBoardMessage{Kind: protocol.XBoardFeature, Features: []protocol.Feature{
			{"myname", "Crafty 23"}, {"ping", "1"}, {"setboard", "1,san=0"}, {"done", "0"},
		}}},
		{`White (1) : feature done=0`, protocol.XBoardMessage{Kind: protocol.XBoardFeature, Features: []protocol.Feature{{"done", "0"}}}},
		{`feature`, protocol.XBoardMessage{Kind: protocol.XBoardFeature}},
		{"9 156 1084 48000 Nf3 Nc6 Nc3 Nf6", thinking(9, 156, 10840, 48000, "Nf3 Nc6 Nc3 Nf6")},
		{" 5. -12 0 7", thinking(5, -12, 0, 7, "")},
		{"5& +16 2 16997 exd5", thinking(5, 16, 20, 16997, "exd5")},
		{"12 3 4 5 20 1000 0\te2e4 e7e5", thinking(12, 3, 40, 5, "e2e4 e7e5")},
		{"9 -100003 1 5 Kh1", mate},
		{"resign", protocol.XBoardMessage{Kind: protocol.XBoardResign}},
		{"tellics resign", protocol.XBoardMessage{Kind: protocol.XBoardResign}},
		{"tellics say resign", protocol.XBoardMessage{}},
		{"offer draw", protocol.XBoardMessage{Kind: protocol.XBoardOffer}},
		{"1/2-1/2 {Draw by repetition}", protocol.XBoardMessage{Kind: protocol.XBoardClaim, Result: "1/2-1/2", Text: []byte("Draw by repetition")}},
		{"0-1 {Black mates}", protocol.XBoardMessage{Kind: protocol.XBoardClaim, Result: "0-1", Text: []byte("Black mates")}},
		{"Illegal move: e2e5", protocol.XBoardMessage{Kind: protocol.XBoardRefusal, Text: []byte("e2e5"), Illegal: true}},
		{"Illegal move (in check): e2e4", protocol.XBoardMessage{Kind: protocol.XBoardRefusal, Text: []byte("e2e4"), Illegal: true}},
		{"Error (unknown command): sd 4", protocol.XBoardMessage{Kind: protocol.XBoardRefusal, Text: []byte("sd 4")}},
		{"# a remark \xfc", protocol.XBoardMessage{}},
		{"1. e2e4", protocol.XBoardMessage{}}, // the opponent's move, said again
		{"4 knights game", protocol.XBoardMessage{}},
		{"", protocol.XBoardMessage{}},
	}
	for _, test := range tests {
		got, err := protocol.ParseXBoard([]byte(test.line))
		if err != nil {
			t.Errorf("%q: %v", test.line, err)
		}
		if len(got.Info.PV) == 0 {
			got.Info.PV = test.want.Info.PV
		}
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q:\n got %+v\nwant %+v", test.line, got, test.want)
		}
	}
	for _, bad := range []string{"move", "move \x00", "pong x"} {
		if m, err := protocol.ParseXBoard([]byte(bad)); err == nil {
			t.Errorf("%q is read as %+v", bad, m)
		}
	}
}

func TestParseXBoardOption(t *testing.T) {
	tests := []struct {
		text string
		want protocol.Option
	}{
		{"Resign -check 1", protocol.Option{Name: "Resign", Type: protocol.Check, Default: "true"}},
		{"Randomizer (0-50) -slider 0 0 50", protocol.Option{Name: "Randomizer (0-50)", Type: protocol.Spin, Default: "0", Min: 0, Max: 50}},
		{"Style -combo solid /// *normal /// wild - mad", protocol.Option{Name: "Style", Type: protocol.Combo, Default: "normal", Vars: []string{"solid", "normal", "wild - mad"}}},
		{"Ini File -file /usr/a -b.ini", protocol.Option{Name: "Ini File", Type: protocol.String, Default: "/usr/a -b.ini"}},
		{"Clear Hash -button", protocol.Option{Name: "Clear Hash", Type: protocol.Button}},
		{"Greeting -string", protocol.Option{Name: "Greeting", Type: protocol.String}},
	}
	for _, test := range tests {
		if test.want.Type != protocol.Spin {
			test.want.Min, test.want.Max = math.MinInt64, math.MaxInt64
		}
		got, err := protocol.ParseXBoardOption(test.text)
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q: %+v, %v; want %+v", test.text, got, err, test.want)
		}
	}
	for _, bad := range []string{"", "Hash", "-check 1", "A=B -check 0", "Depth -spin many 0 9"} {
		if o, err := protocol.ParseXBoardOption(bad); err == nil {
			t.Errorf("%q is read as %+v", bad, o)
		}
	}
}

func TestAppendXBoard(t *testing.T) {
	tests := []struct{ got, want string }{
		{string(protocol.AppendXBoard(nil, "usermove", "e2e4")), "usermove e2e4\n"},
		{string(protocol.AppendXBoard(nil, "result", "1-0", "{a\nb}")), "result 1-0 {a b}\n"},
		{string(protocol.AppendXBoardOption(nil, protocol.Check, "Learn", "true")), "option Learn=1\n"},
		{string(protocol.AppendXBoardOption(nil, protocol.Button, "Clear Hash", "")), "option Clear Hash\n"},
		{string(protocol.AppendXBoardLevel(nil, 0, 5*time.Minute, 12*time.Second)), "level 0 5 12\n"},
		{string(protocol.AppendXBoardLevel(nil, 40, 61*time.Second, 50*time.Millisecond)), "level 40 1:01 0.05\n"},
		{string(protocol.AppendXBoardLevel(nil, 1, 100*time.Millisecond, 0)), "level 1 0:01 0\n"},
		{string(protocol.AppendXBoardTimes(nil, 1999*time.Millisecond, 0)), "time 199\notim 1\n"},
	}
	for _, test := range tests {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

func FuzzParseXBoard(f *testing.F) {
	for _, s := range []string{"move e2e4", "9 1 2 3 x", `feature option="A -combo a /// *b" done=1`, "1. ... e5", "Illegal move: x"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		m, err := protocol.ParseXBoard(line)
		if err == nil && m.Kind == protocol.XBoardMove && len(m.Move) == 0 {
			t.Errorf("%q: a move without a move", line)
		}
		for _, feature := range m.Features {
			o, err := protocol.ParseXBoardOption(feature.Value)
			if err == nil && o.Name == "" {
				t.Errorf("%q: an option without a name", feature.Value)
			}
		}
	})
}
