package main

import (
	"bytes"
	"os"
	"strings"
	"syscall"
	"testing"
)

// An event whose waiting bots are stopped plays as another one does; and after a
// kill -9 in the middle of a game no stopped process stays behind.
func TestSuspend(t *testing.T) {
	t.Parallel()
	event := `
event: e
game: breakthrough:5x5
seed: 3
suspend: true
clock: {move: 1m, depth: 1}
pin: off
concurrency: 1
bots:
  - {name: a, command: [sh, bot.sh, pace, take, 20ms]}
  - {name: b, command: [sh, bot.sh, pace, take, 20ms]}
`
	p := newPlace(t, event)
	c := p.start("run", "event.yaml", "--quiet")
	eventually(t, func() string {
		for _, process := range p.left() {
			pid, _, _ := strings.Cut(process, " ")
			status, err := os.ReadFile("/proc/" + pid + "/status")
			if err == nil && bytes.Contains(status, []byte("\nState:\tT")) {
				return ""
			}
		}
		return "no bot was stopped"
	})
	_ = c.Process.Signal(syscall.SIGKILL)
	p.wait(c)
	p.wantNothingLeft()
	p.run(exitDone, "run", "event.yaml", "--quiet")
	for _, g := range p.games() {
		if g.Result == "" || g.Blame != "" || strings.Contains(g.Detail, "stopped") {
			t.Errorf("%+v", g)
		}
	}
	p.wantNothingLeft()
}
