package config_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"botarena/arena"
	"botarena/arena/config"
)

func TestParseClock(t *testing.T) {
	const margin = 50 * time.Millisecond
	for text, want := range map[string]arena.TimeControl{
		"100ms":               {Move: 100 * time.Millisecond, Margin: margin},
		"10s+100ms":           {Base: 10 * time.Second, Increment: 100 * time.Millisecond, Margin: margin},
		"10s+0s":              {Base: 10 * time.Second, Margin: margin},
		"40/1m+1s":            {Base: time.Minute, Increment: time.Second, Moves: 40, Margin: margin},
		"40/60s":              {Base: time.Minute, Moves: 40, Margin: margin},
		"nodes=1000":          {Nodes: 1000, Margin: margin},
		"depth 4":             {Depth: 4, Margin: margin},
		"10s+1s, depth=9":     {Base: 10 * time.Second, Increment: time.Second, Depth: 9, Margin: margin},
		"100ms,margin=0s":     {Move: 100 * time.Millisecond},
		"depth=4,margin=10ms": {Depth: 4, Margin: 10 * time.Millisecond},
		// as fastchess and cutechess write them
		"1+0.01":           {Base: time.Second, Increment: 10 * time.Millisecond, Margin: margin},
		"8+0.08":           {Base: 8 * time.Second, Increment: 80 * time.Millisecond, Margin: margin},
		"40/60+0.6":        {Base: time.Minute, Increment: 600 * time.Millisecond, Moves: 40, Margin: margin},
		"40/60":            {Base: time.Minute, Moves: 40, Margin: margin},
		"tc=10+0.1":        {Base: 10 * time.Second, Increment: 100 * time.Millisecond, Margin: margin},
		"tc=40/0:30+1":     {Base: 30 * time.Second, Increment: time.Second, Moves: 40, Margin: margin},
		"0/10+0.1":         {Base: 10 * time.Second, Increment: 100 * time.Millisecond, Margin: margin},
		"tc=0/60":          {Base: time.Minute, Margin: margin},
		"tc=60":            {Base: time.Minute, Margin: margin},
		"1:30+0.5":         {Base: 90 * time.Second, Increment: 500 * time.Millisecond, Margin: margin},
		"st=1":             {Move: time.Second, Margin: margin},
		"st=0.1,depth=5":   {Move: 100 * time.Millisecond, Depth: 5, Margin: margin},
		"st=250ms":         {Move: 250 * time.Millisecond, Margin: margin},
		"10s+0.1":          {Base: 10 * time.Second, Increment: 100 * time.Millisecond, Margin: margin},
		"st 2":             {Move: 2 * time.Second, Margin: margin},
		"tc=1+0,nodes=100": {Base: time.Second, Nodes: 100, Margin: margin},
		"tc=inf,depth=8":   {Depth: 8, Margin: margin},
		"inf,nodes=100":    {Nodes: 100, Margin: margin},

		"1+0,timemargin=100": {Base: time.Second, Margin: 100 * time.Millisecond},
	} {
		got, err := config.ParseClock(text)
		if err != nil || got != want {
			t.Errorf("%q: got %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "fast", "10", "0.5", "-1s", "depth=0", "depth=x", "noods=3", "margin=1s", "1s+-1s", "1s,,2s", "1s,2s", "st=1,1s", "1+1,2+1", "tc=1+1,2+1", "st=0", "0+1",
		"st=", "tc=", "1:x+1", "-1:30+1", "1:2:3+1", "1:30", "margin=10,depth=1", "1e3+1", ".+1", "1..2+1", "99999999999999+1", "depth=1,depth=2",
		"inf", "tc=inf", "timemargin=1s,depth=1", "timemargin=1,margin=1s,depth=1",
	} {
		got, err := config.ParseClock(text)
		if err == nil {
			t.Errorf("%q: read as %+v", text, got)
		} else if !strings.Contains(err.Error(), config.ClockHelp) {
			t.Errorf("%q: %v does not say what to write", text, err)
		}
	}
}

// What FormatClock writes is read back, and a file reads what a flag reads.
func TestClockText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := clock(t)
		c.Margin = 50 * time.Millisecond
		if c.Move > 0 {
			c.Base, c.Increment, c.Moves = 0, 0, 0
		}
		text := config.FormatClock(c)
		got, err := config.ParseClock(text)
		if err != nil || got != c {
			t.Fatalf("%q is read as %+v, %v, want %+v", text, got, err, c)
		}
		e, err := read("game: outwit\nclock: " + text + "\nbots: [{builtin: mcts, clock: \"" + text + "\"}, {builtin: random}]\n")
		if err != nil || e.Clock != c || *e.Bots[0].Clock != c {
			t.Fatalf("%q in a file is %+v, %v", text, e.Clock, err)
		}
	})
}

func TestClockInFile(t *testing.T) {
	e, err := read("game: outwit\nclock: 40/60+0.6,margin=1s\nbots: [{builtin: mcts, clock: st=1}, {builtin: random, clock: {depth: 1}}]\n")
	if err != nil {
		t.Fatal(err)
	}
	if want := (arena.TimeControl{Base: time.Minute, Increment: 600 * time.Millisecond, Moves: 40, Margin: time.Second}); e.Clock != want {
		t.Errorf("%+v", e.Clock)
	}
	if want := (arena.TimeControl{Move: time.Second, Margin: time.Second}); *e.Bots[0].Clock != want {
		t.Errorf("%+v has not the event's margin", *e.Bots[0].Clock)
	}
	for text, want := range map[string]string{
		"clock: 10":           `spring.yaml:2:8: clock: clock "10": cannot read "10"; write 100ms a move`,
		"clock: [1]":          `spring.yaml:2:8: clock: must be a mapping with keys like move, base, increment, not a list`,
		"clock: 9999h+9999h":  `spring.yaml:2:8: clock.increment: 9999h0m0s is out of range`,
		"clock: 1+1,depth=-1": `spring.yaml:2:8: clock: clock "1+1,depth=-1": cannot read "depth=-1"`,
	} {
		_, err := read("game: outwit\n" + text + two)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %s", text, err, want)
		}
	}
}

// A key of fastchess in an event file is told arena's.
func TestTheirKeysInFile(t *testing.T) {
	_, err := read("game: outwit\nadjudicate: {draw: {movenumber: 40, movecount: 8, score: 10}}" + two)
	for _, want := range []string{`draw.movenumber: unknown key; did you mean "from"?`, `draw.movecount: unknown key; did you mean "moves"?`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}

func FuzzParseClock(f *testing.F) {
	for _, s := range []string{"100ms", "10s+100ms", "40/60+0.6", "st=1", "tc=1:30+1", "nodes=5,depth=3,margin=1s", "1:0:0+", "+/:,="} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := config.ParseClock(text)
		if err != nil || c.Validate() != nil {
			return
		}
		again, err := config.ParseClock(config.FormatClock(c))
		if again.Margin = c.Margin; err != nil || again != c {
			t.Fatalf("%q is %+v, and that is written %q: %+v, %v", text, c, config.FormatClock(c), again, err)
		}
	})
}
