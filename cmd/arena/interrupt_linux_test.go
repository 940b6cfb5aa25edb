package main

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
)

// pacedEvent has games that last about two seconds.
func pacedEvent(name string, grace time.Duration) string {
	return fmt.Sprintf(`
event: %s
game: breakthrough:5x5
rounds: 4
clock: {move: 2m}
concurrency: 2
pin: off
grace: %v
bots:
  - {name: a, command: [pace, take, 150ms]}
  - {name: b, command: [pace, take, 150ms]}
`, name, grace)
}

// inTheAir waits until games have been played and others have begun.
func (p *place) inTheAir(c *child, played int) {
	p.t.Helper()
	eventually(p.t, func() string {
		select {
		case <-c.done:
			p.t.Fatalf("arena ended early:\n%s", c.log.String())
		default:
		}
		if p.played() < played {
			return "no games are played"
		}
		return ""
	})
	time.Sleep(300 * time.Millisecond)
}

func sendSignal(t *testing.T, c *child, s syscall.Signal) {
	t.Helper()
	if err := c.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// results counts games with a result, and wants none of them to be a fault.
func (p *place) results() (n int) {
	p.t.Helper()
	games := p.games()
	for i := range games {
		g := &games[i]
		switch {
		case g.Result == "" && g.Blame == "":
		case g.Reason == "win by rule" || g.Reason == "draw by rule":
			n++
		default:
			p.t.Errorf("game %d: %s, %s, blame %q: %s", g.Number, g.Result, g.Reason, g.Blame, g.Detail)
		}
	}
	return n
}

// goOn runs the command that an interrupted arena printed.
func (p *place) goOn(log string) {
	p.t.Helper()
	_, command, ok := strings.Cut(log, "go on with: arena ")
	if !ok {
		p.t.Fatalf("no command to go on with:\n%s", log)
	}
	command, _, _ = strings.Cut(command, "\n")
	p.run(exitDone, strings.Fields(command)...)
	if n := p.results(); n != 8 {
		p.t.Errorf("%d of 8 games are played", n)
	}
}

// The first signal lets the games in the air end.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, pacedEvent("e", time.Minute))
			c := p.start("run", "event.yaml")
			p.inTheAir(c, 1)
			before := p.played()
			sendSignal(t, c, s)
			if code := p.wait(c); code != exitInterrupted {
				t.Errorf("exit code %d", code)
			}
			// The two in the air end, and a third one may have been on its way.
			if after := p.results(); after <= before || after > before+4 || after == 8 {
				t.Errorf("%d games before, %d after", before, after)
			}
			p.wantNothingLeft()
			p.goOn(c.log.String())
		})
	}
}

// Games that do not end within the grace are void; a second signal does not wait
// for it.
func TestInterruptHard(t *testing.T) {
	t.Parallel()
	for _, hard := range []bool{false, true} {
		t.Run(fmt.Sprintf("second=%v", hard), func(t *testing.T) {
			t.Parallel()
			grace := 100 * time.Millisecond
			if hard {
				grace = 10 * time.Minute
			}
			text := strings.Replace(pacedEvent("e", grace), "150ms", "90s", 1) // a's first move takes for ever
			p := newPlace(t, text)
			c := p.start("run", "event.yaml")
			eventually(t, func() string {
				list := p.start("events")
				_ = p.wait(list)
				if !strings.Contains(list.out.String(), "held by process") {
					return "it does not run: " + list.out.String()
				}
				return ""
			})
			time.Sleep(500 * time.Millisecond)
			sendSignal(t, c, syscall.SIGINT)
			if hard {
				eventually(t, func() string {
					if !strings.Contains(c.log.String(), "interrupt again to stop at once") {
						return c.log.String()
					}
					return ""
				})
				sendSignal(t, c, syscall.SIGTERM)
			}
			begin := time.Now()
			if code := p.wait(c); code != exitInterrupted {
				t.Errorf("exit code %d", code)
			}
			if took := time.Since(begin); took > 20*time.Second {
				t.Errorf("it took %v to end", took)
			}
			p.wantNothingLeft()
			if n := p.results(); n != 0 {
				t.Errorf("%d games have results", n)
			}
			if !strings.Contains(c.log.String(), "go on with: arena run event.yaml") {
				t.Error(c.log.String())
			}
		})
	}
}

// Two arenas on one database: other events run beside, the same one is refused
// while its arena lives, and taken over when that is dead.
func TestTwoArenas(t *testing.T) {
	t.Parallel()
	p := newPlace(t, pacedEvent("e", time.Second))
	p.write("other.yaml", strings.ReplaceAll(pacedEvent("other", time.Second), "150ms", "5ms"))
	c := p.start("run", "event.yaml")
	p.inTheAir(c, 1)
	p.run(exitDone, "run", "other.yaml")
	_, stderr := p.run(exitFailed, "run", "event.yaml")
	if want := fmt.Sprintf(`event "e" is being run by process %d on `, c.Process.Pid); !strings.Contains(stderr, want) {
		t.Errorf("got %s\nwant %s", stderr, want)
	}
	select {
	case <-c.done:
		t.Fatalf("the first arena ended meanwhile: too early for this test\n%s", c.log.String())
	default:
	}
	sendSignal(t, c, syscall.SIGKILL)
	if code := p.wait(c); code != -1 {
		t.Fatalf("exit code %d", code)
	}
	p.run(exitDone, "run", "event.yaml")
	if n := p.results(); n != 8 {
		t.Errorf("%d of 8 games are played", n)
	}
}

// Nobody loses on time because arena was stopped.
func TestStoppedArena(t *testing.T) {
	t.Parallel()
	p := newPlace(t, strings.Replace(pacedEvent("e", time.Second), "clock: {move: 2m}", "clock: {move: 1500ms, margin: 400ms}", 1))
	c := p.start("run", "event.yaml")
	p.inTheAir(c, 1)
	sendSignal(t, c, syscall.SIGSTOP)
	time.Sleep(3 * time.Second)
	sendSignal(t, c, syscall.SIGCONT)
	if code := p.wait(c); code != exitDone {
		t.Fatalf("exit code %d\n%s", code, c.log.String())
	}
	if n := p.results(); n != 8 {
		t.Errorf("%d of 8 games are played", n)
	}
	voids := 0
	for _, g := range p.games() {
		voids += g.Void
	}
	if voids == 0 || !strings.Contains(c.log.String(), "suspended") {
		t.Errorf("%d void games; the games in the air should have been void\n%s", voids, c.log.String())
	}
}
