package main

import (
	"slices"
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

func TestSoak(t *testing.T) {
	t.Parallel()
	soak(t, "300")
}

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
		case <-time.After(5 * time.Millisecond):
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
	seen = seen[len(seen)/6:] // the rest of the start, and the end, are less than half of a half
	half := len(seen) / 2
	before, after := usual(seen[:half]), usual(seen[half:])
	t.Logf("%d games: usually %+v in the first half, %+v in the second (kB, open files)", len(p.games()), before, after)
	if after.files > before.files+3 {
		t.Errorf("%d open files, then %d", before.files, after.files)
	}
	const slack = memoryFactor * 16 << 10 // kB; the list of games, and garbage
	if after.rss > before.rss+slack {
		t.Errorf("%d kB of memory, then %d", before.rss, after.rss)
	}
}

// usual is the median of each: some looks see bots that are being started or ended, a
// database that opens files for a moment, or memory shortly before it is collected.
func usual(list []reading) reading {
	var rss, files []int
	for _, r := range list {
		rss, files = append(rss, r.rss), append(files, r.files)
	}
	slices.Sort(rss)
	slices.Sort(files)
	return reading{rss: rss[len(rss)/2], files: files[len(files)/2]}
}
