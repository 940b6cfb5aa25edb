package main

import (
	"strings"
	"testing"
	"time"
)

// soakEvent is an event of as many very short games as are asked for.
const soakEvent = `
event: e
game: breakthrough:4x4
rounds: ROUNDS
openings: {random: 2}
seed: 1
clock: {move: 10s, depth: 1}
concurrency: 2
bots:
  - {name: random, builtin: random}
  - {name: greedy, builtin: greedy}
`

func TestSoak(t *testing.T) { soak(t, "300") }

// soak wants many games to leave arena as it was: no file more is open, and it
// takes no more memory.
func soak(t *testing.T, rounds string) {
	t.Helper()
	p := newPlace(t, strings.Replace(soakEvent, "ROUNDS", rounds, 1))
	c := p.start("run", "event.yaml", "--quiet")
	var seen []reading
	for running := true; running; {
		select {
		case <-c.done:
			running = false
		case <-time.After(25 * time.Millisecond):
			if r := c.read(); r.rss > 0 && r.files > 0 {
				seen = append(seen, r)
			}
		}
	}
	if code := p.wait(c); code != exitDone {
		t.Fatalf("exit code %d\n%s", code, c.log.String())
	}
	if len(seen) < 12 {
		t.Fatalf("only %d looks at arena", len(seen))
	}
	// Not the start, when bots and files are opened, and not the end, when they are closed.
	seen = seen[len(seen)/6:]
	playing := seen[0].files
	for len(seen) > 1 && seen[len(seen)-1].files < playing*3/4 {
		seen = seen[:len(seen)-1]
	}
	half := len(seen) / 2
	before, after := least(seen[:half]), least(seen[half:])
	t.Logf("%d games: at least %+v in the first half, %+v in the second (kB, open files)", len(p.games()), before, after)
	if after.files > before.files+3 { // the database opens some for a moment
		t.Errorf("%d open files, then %d", before.files, after.files)
	}
	const slack = memoryFactor * 16 << 10 // kB; the list of games, and garbage
	if after.rss > before.rss+slack {
		t.Errorf("%d kB of memory, then %d", before.rss, after.rss)
	}
}

// least is the least of each: what is held all the time.
func least(list []reading) reading {
	m := list[0]
	for _, r := range list {
		m.rss, m.files = min(m.rss, r.rss), min(m.files, r.files)
	}
	return m
}
