package live

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"botarena/arena"
)

func aBatch(t *rapid.T) *batch {
	text := func() string { return rapid.String().Draw(t, "text") }
	number := rapid.IntRange(0, 1000)
	clock := func() arena.TimeControl {
		return arena.TimeControl{Base: time.Duration(number.Draw(t, "base")), Depth: number.Draw(t, "depth")}
	}
	when := func() time.Time { return fromNanos(int64(number.Draw(t, "when"))) }
	moves := func() []arena.MoveRecord {
		list := make([]arena.MoveRecord, number.Draw(t, "plies")%5)
		for i := range list {
			m := &list[i]
			m.Move, m.Time, m.Depth = text(), time.Duration(number.Draw(t, "time")), number.Draw(t, "depth")
			m.Nodes = int64(number.Draw(t, "nodes"))
			if m.HasScore = rapid.Bool().Draw(t, "scored"); m.HasScore {
				m.Score, m.Mate = number.Draw(t, "score")-500, rapid.Bool().Draw(t, "mate")
			}
		}
		return list
	}
	game := func() Game {
		return Game{
			Game: arena.Game{
				Event: text(), Number: number.Draw(t, "number"), Round: 1, Pair: 2, Stage: text(), Game: text(),
				First: text(), Second: text(), Opening: arena.Opening{Name: text(), Position: text(), Moves: []string{text()}},
				Result: rapid.SampledFrom([]arena.Result{arena.Unplayed, arena.Draw, arena.FirstWins}).Draw(t, "result"),
				Reason: arena.Reason(text()), Detail: text(), Blame: text(), Plies: number.Draw(t, "plies"),
				Moves: moves(), Start: when(), Wall: time.Duration(number.Draw(t, "wall")), Attempts: 1,
			},
			Clocks: [2]arena.TimeControl{clock(), clock()}, Slot: 3, Worker: text(), At: when(),
			Over: rapid.Bool().Draw(t, "over"), Brief: rapid.Bool().Draw(t, "brief"),
		}
	}
	b := &batch{}
	for range number.Draw(t, "events") % 3 {
		b.events = append(b.events, Event{
			Name: text(), Game: text(), Format: arena.FormatSwiss, Before: 1,
			Progress: Progress{Planned: 1, Played: 2, Total: 3, Slots: 4}, Since: when(), Running: true,
		})
	}
	for range number.Draw(t, "begun") % 3 {
		b.begun = append(b.begun, game())
	}
	for range number.Draw(t, "over") % 3 {
		b.over = append(b.over, game())
	}
	for range number.Draw(t, "moved") % 3 {
		b.moves = append(b.moves, moved{key: Key{text(), 1}, from: number.Draw(t, "from"), at: when(), moves: moves()})
	}
	for range number.Draw(t, "gone") % 3 {
		b.gone = append(b.gone, Key{text(), 2})
	}
	return b
}

func TestWireRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := aBatch(t)
		line, err := encode(want)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.IndexByte(line, '\n') != len(line)-1 {
			t.Fatalf("not one line: %q", line)
		}
		got, err := decode(line)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got  %+v\nwant %+v", got, want)
		}
	})
}

// FuzzDecode has strangers send what they like: it is refused, or a view takes it
// or refuses it, and what a view took can be sent on.
func FuzzDecode(f *testing.F) {
	hub := NewHub(time.Now)
	run := hub.Run(Event{Name: "e"})
	p := newPump(hub)
	run.Begin(Game{Game: arena.Game{Number: 1, First: "a", Second: "b"}}).Moved([]arena.MoveRecord{aMove(0), aMove(1)}, time.Now())
	b := p.next()
	line, err := encode(&b)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(line)
	run.End(&arena.Game{Number: 1, Result: arena.Draw})
	b = p.next()
	if line, err = encode(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(line)
	f.Add([]byte(`{"moves":[{"Event":"e","Number":1,"From":-1,"Moves":[{"m":"x"}]}],"gone":[{}]}`))
	f.Add([]byte(`{"begun":[{"Event":"e","Number":-1}]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		b, err := decode(line)
		if err != nil {
			return
		}
		v := newView(time.Now)
		s := &source{}
		v.apply(s, b)
		v.apply(s, b)
		d := v.Since(0, Filter{})
		for i := range d.Games {
			if err := plausible([]string{d.Games[i].First, d.Games[i].Event}, d.Games[i].Number); err != nil {
				t.Error(err)
			}
		}
		if _, err := encode(b); err != nil {
			t.Error(err)
		}
		v.drop(s)
		if d := v.Since(0, Filter{}); len(d.Air) > 0 {
			t.Errorf("in the air of a lost source: %v", d.Air)
		}
	})
}

func TestNote(t *testing.T) {
	t.Parallel()
	const key = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	good := `{"version":1,"hub":"ab","network":"unix","address":"ab.sock","key":"` + key + `"}`
	if _, err := parseNote([]byte(good), "ab.json"); err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{`"unix"`, `"tcp"`},
		{`"unix"`, `"udp"`},
		{`"ab.sock"`, `"../ab.sock"`},
		{`"ab.sock"`, `"/run/other.sock"`},
		{`"unix","address":"ab.sock"`, `"tcp","address":"192.0.2.1:80"`},
		{`"unix","address":"ab.sock"`, `"tcp","address":"example.org:80"`},
		{key, key[2:]},
		{key, "x" + key[1:]},
		{`"ab"`, `"cd"`},
		{good, good + strings.Repeat(" ", mostNote)},
	} {
		text := strings.Replace(good, change[0], change[1], 1)
		if text == good {
			t.Fatalf("%q is not in it", change[0])
		}
		if n, err := parseNote([]byte(text), "ab.json"); err == nil {
			t.Errorf("%s was taken: %+v", text, n)
		}
	}
}
