package wire_test

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"botarena/arena"
	"botarena/arena/fleet/wire"
)

// What a game's row says of the play survives the way.
func TestResultRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		micro := func(label string) time.Duration {
			return time.Duration(rapid.Int64Range(0, 1e12).Draw(t, label)) * time.Microsecond
		}
		g := arena.Game{
			Number: rapid.IntRange(1, 1000).Draw(t, "number"), First: "a", Second: "b",
			Result: arena.SecondWins, Reason: arena.Crash, Blame: "a",
			Detail: rapid.StringN(0, 50, 200).Filter(func(s string) bool { return !strings.ContainsRune(s, 0) }).Draw(t, "detail"),
			Start:  time.UnixMicro(rapid.Int64Range(0, 4e15).Draw(t, "start")), Wall: micro("wall"),
			CPU: [2]time.Duration{micro("cpu1"), micro("cpu2")}, OffTurn: [2]time.Duration{micro("off1"), micro("off2")},
		}
		for range rapid.IntRange(0, 20).Draw(t, "plies") {
			m := arena.MoveRecord{
				Move: rapid.StringMatching(`[a-h][1-8][a-h][1-8]`).Draw(t, "move"), Time: micro("time"),
				Depth: rapid.Int().Draw(t, "depth"), Nodes: rapid.Int64().Draw(t, "nodes"),
			}
			if m.HasScore = rapid.Bool().Draw(t, "scored"); m.HasScore {
				m.Score, m.Mate = rapid.Int().Draw(t, "score"), rapid.Bool().Draw(t, "mate")
			}
			g.Moves = append(g.Moves, m)
		}
		g.Plies = len(g.Moves)
		r := wire.Result{Event: "e", Unit: "1_x", Games: []wire.Ended{wire.EndedOf(&g)}}
		data, err := wire.Encode(&wire.Batch{Results: []wire.Result{r}})
		if err != nil {
			t.Fatal(err)
		}
		back, err := decodeResult(data)
		if err != nil {
			t.Fatal(err)
		}
		got := arena.Game{Number: g.Number, First: "a", Second: "b"}
		if err := back.Games[0].Fill(&got); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, g) {
			t.Fatalf("got %+v\nwant %+v", got, g)
		}
	})
}

// decodeResult reads a message of one result and looks at it.
func decodeResult(data []byte) (wire.Result, error) {
	b, err := wire.Decode[wire.Batch](data)
	if err != nil {
		return wire.Result{}, err
	}
	return b.Results[0], b.Results[0].Check()
}

func TestDecodeRefuses(t *testing.T) {
	good := `{"v":2,"results":[{"event":"e","unit":"u","slot":0,"sent":0,"games":[{"number":1,"result":"1-0","reason":"resign","start":0,"wall":0,"cpu":[0,0],"offturn":[0,0],"moves":"","times":[],"depths":[],"nodes":[],"scores":[]}]}]}`
	if _, err := decodeResult([]byte(good)); err != nil {
		t.Fatal(err)
	}
	bomb := func() string {
		var b bytes.Buffer
		b.WriteByte(1)
		w, _ := flate.NewWriter(&b, 9)
		_, _ = w.Write([]byte(strings.Replace(good, `"moves":""`, `"moves":"`+strings.Repeat("a ", 9<<20)+`"`, 1)))
		_ = w.Close()
		return b.String()
	}
	for _, c := range []struct{ name, data, why string }{
		{"nothing", "", "an empty message"},
		{"garbage", "\x01\x02\x03", "cannot be inflated"},
		{"no JSON", "[]", "no JSON object"},
		{"another version", strings.Replace(good, `"v":2`, `"v":1`, 1), "version 1"},
		{"an unknown member", strings.Replace(good, `"slot"`, `"rating":1,"slot"`, 1), "unknown field"},
		{"trailing bytes", good + good, "no JSON object"},
		{"three games", strings.Replace(good, `"games":[`, `"games":[{},{},`, 1), "without an event, a unit, games"},
		{"no games", `{"v":2,"results":[{"event":"e","unit":"u","slot":0,"sent":0,"games":[]}]}`, "without an event, a unit, games"},
		{"a token with a dot", strings.Replace(good, `"unit":"u"`, `"unit":"a.b"`, 1), "without an event, a unit"},
		{"a wild token", strings.Replace(good, `"event":"e"`, `"event":"*"`, 1), "without an event"},
		{"no results", `{"v":2,"results":[]}`, "a message of 0 results"},
		{"many results", `{"v":2,"results":[` + strings.Repeat("{},", wire.MaxResults) + `{}]}`, "a message of 257 results"},
		{"small and huge once decoded", `{"v":2,"results":[` + strings.Repeat("{},", 200_000) + `{}]}`, "objects; at most"},
		{"game 0", strings.Replace(good, `"number":1`, `"number":0`, 1), "game that is none"},
		{"a negative slot", strings.Replace(good, `"slot":0`, `"slot":-1`, 1), "slot"},
		{"a long move", strings.Replace(good, `"moves":""`, `"moves":"`+strings.Repeat("a", 65)+`"`, 1), "no move"},
		{"a long detail", strings.Replace(good, `"reason"`, `"detail":"`+strings.Repeat("a", 9000)+`","reason"`, 1), "detail"},
		{"a speed of nothing", strings.Replace(good, `"slot"`, `"speed":"0","slot"`, 1), "speed"},
		{"huge", strings.Repeat(" ", wire.MaxPayload+1), "at most"},
		{"huge once inflated", bomb(), "once inflated"},
	} {
		if _, err := decodeResult([]byte(c.data)); err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v; want %q", c.name, err, c.why)
		}
	}
}

func TestFillRefuses(t *testing.T) {
	good := wire.Ended{Number: 1, Result: "1-0", Reason: "resign", Moves: "a1a2", Times: []int64{1}, Depths: []int{1}, Nodes: []int64{1}, Scores: []string{"#-3"}}
	for name, change := range map[string]func(*wire.Ended){
		"lists of other lengths": func(e *wire.Ended) { e.Nodes = nil },
		"a negative time":        func(e *wire.Ended) { e.Times = []int64{-1} },
		"an endless time":        func(e *wire.Ended) { e.Wall = 1 << 62 },
		"a score that is none":   func(e *wire.Ended) { e.Scores = []string{"12x"} },
		"a third side":           func(e *wire.Ended) { e.Blame = 3 },
		"negative CPU":           func(e *wire.Ended) { e.CPU[1] = -1 },
	} {
		e := good
		change(&e)
		if err := e.Fill(&arena.Game{First: "a", Second: "b"}); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// A unit has a name of its games, all that matters of them.
func TestUnit(t *testing.T) {
	g := wire.Game{Number: 3, Pair: 2, First: "a", Second: "b", Moves: []string{"x"}}
	names := map[string]bool{}
	for _, games := range [][]wire.Game{
		{g},
		{g, g},
		{{Number: 4, Pair: 2, First: "a", Second: "b", Moves: []string{"x"}}},
		{{Number: 3, Pair: 2, First: "b", Second: "a", Moves: []string{"x"}}},
		{{Number: 3, Pair: 2, First: "a", Second: "b", Moves: []string{"y"}}},
		{{Number: 3, Pair: 2, First: "a", Second: "b", Position: "x"}},
	} {
		name := wire.Unit([]byte("s"), "e", games)
		if names[name] || !wire.Token(name) {
			t.Errorf("unit %q of %+v", name, games)
		}
		names[name] = true
	}
	name := wire.Unit([]byte("s"), "e", []wire.Game{g})
	if again := g; name != wire.Unit([]byte("s"), "e", []wire.Game{again}) {
		t.Error("the same games have two names")
	}
	if !wire.Issued([]byte("s"), "e", name) {
		t.Errorf("%s is not known again", name)
	}
	for _, forged := range []string{"", "_", "3_abc", name[:len(name)-1], "4" + name[1:]} {
		if wire.Issued([]byte("s"), "e", forged) {
			t.Errorf("%q counts as issued", forged)
		}
	}
	if wire.Issued([]byte("t"), "e", name) || wire.Issued([]byte("s"), "f", name) {
		t.Error("a unit of another record or event counts as issued")
	}
}

// Nothing that a stranger sends makes it panic, and what is taken can be sent on.
func FuzzDecodeResult(f *testing.F) {
	g := arena.Game{Number: 1, First: "a", Second: "b", Result: arena.Draw, Moves: []arena.MoveRecord{{Move: "a1a2", HasScore: true, Score: 3}}}
	r := wire.Result{Event: "e", Unit: "u", Games: []wire.Ended{wire.EndedOf(&g)}}
	data, err := wire.Encode(&wire.Batch{Results: []wire.Result{r}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := decodeResult(data)
		if err != nil {
			return
		}
		for i := range r.Games {
			_ = r.Games[i].Fill(&arena.Game{First: "a", Second: "b"})
		}
		if _, err := json.Marshal(r); err != nil {
			t.Fatal(err)
		}
	})
}

// Nothing that a stranger sends in any other message makes it panic, and what is taken
// says the same when it is sent on.
func FuzzDecode(f *testing.F) {
	sum := strings.Repeat("0", 64)
	for _, m := range []wire.Message{
		&wire.Event{Token: "e", Name: "league", Spec: sum, Class: "fixed", Lease: 1, Barred: map[string]string{"w": "why"}},
		&wire.Job{Event: "e", Unit: "u", Games: []wire.Game{{Number: 1, Pair: 1, First: "a", Second: "b", Moves: []string{"a1a2"}}}},
		&wire.Live{Games: []wire.LiveGame{{Slot: 1, Ended: wire.EndedOf(&arena.Game{Number: 1, Moves: []arena.MoveRecord{{Move: "a1a2"}}})}}},
		&wire.Worker{Name: "w", Slots: 2, Busy: 1, Speed: "3e5", Spread: 0.1},
		&wire.Trouble{Why: "no room"}, &wire.Cancel{Hard: true}, &wire.Spec{Config: "event: e"},
	} {
		data, err := wire.Encode(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		again(t, data, wire.Decode[wire.Event])
		again(t, data, wire.Decode[wire.Job])
		again(t, data, wire.Decode[wire.Worker])
		again(t, data, wire.Decode[wire.Trouble])
		again(t, data, wire.Decode[wire.Cancel])
		again(t, data, wire.Decode[wire.Spec])
		if l, ok := again(t, data, wire.Decode[wire.Live]); ok {
			for i := range l.Games {
				_ = l.Games[i].Fill(&arena.Game{First: "a", Second: "b"})
			}
		}
	})
}

// again decodes a message, and once more what it says.
func again[M any](t *testing.T, data []byte, decode func([]byte) (M, error)) (m M, ok bool) {
	m, err := decode(data)
	if err != nil {
		return m, false
	}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	second, err := decode(text)
	if err != nil {
		t.Fatalf("%s is taken, and not what it says, %s: %v", data, text, err)
	}
	if once, err := json.Marshal(second); err != nil || !bytes.Equal(once, text) {
		t.Fatalf("%s says %s, and then %s", data, text, once)
	}
	return m, true
}
