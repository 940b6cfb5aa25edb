package main

import (
	"testing"
	"time"

	"botarena/arena"
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
	} {
		got, err := parseClock(text)
		if err != nil || got != want {
			t.Errorf("%q: got %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "fast", "10", "-1s", "0/60s", "depth=0", "depth=x", "noods=3", "margin=1s", "1s+-1s", "1s,,2s"} {
		if got, err := parseClock(text); err == nil {
			t.Errorf("%q: read as %+v", text, got)
		}
	}
}
