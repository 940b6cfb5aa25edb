package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// gatedEvent has eight games, two at a time, of which a's second in each of its
// processes waits at the gate: two games are played then, and two in progress.
func gatedEvent(name string, grace time.Duration) string {
	return fmt.Sprintf(`
event: %s
game: breakthrough:5x5
rounds: 4
clock: {move: 2m}
concurrency: 2
pin: off
grace: %v
bots:
  - {name: a, command: [sh, bot.sh, pace, gate, GATE, "2"]}
  - {name: b, command: [sh, bot.sh, pace, take, 0s]}
`, name, grace)
}

// atGate waits until so many bots wait at the gate.
func (p *place) atGate(c *child, bots int) {
	p.t.Helper()
	eventually(p.t, func() string {
		select {
		case <-c.done:
			p.t.Fatalf("arena ended early:\n%s", c.log.String())
		default:
		}
		waiting, err := filepath.Glob(p.gate() + ".[0-9]*")
		if err != nil {
			p.t.Fatal(err)
		}
		if len(waiting) < bots {
			return fmt.Sprintf("%d of %d bots wait at the gate", len(waiting), bots)
		}
		return ""
	})
}

// open opens the gate for good.
func (p *place) open() { p.write("gate.open", "") }

// says waits until arena has said something.
func (c *child) says(t *testing.T, text string) {
	t.Helper()
	eventually(t, func() string {
		if log := c.log.String(); !strings.Contains(log, text) {
			return fmt.Sprintf("it does not say %q:\n%s", text, log)
		}
		return ""
	})
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

// The first signal lets the games in progress end, and begins no other.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, gatedEvent("e", time.Minute))
			c := p.start("run", "event.yaml")
			p.atGate(c, 2)
			sendSignal(t, c, s)
			c.says(t, "interrupt again to stop at once")
			p.open()
			if code := p.wait(c); code != exitInterrupted {
				t.Errorf("exit code %d", code)
			}
			if n := p.results(); n != 4 {
				t.Errorf("%d games are played; the two before and the two in progress should be", n)
			}
			p.wantNothingLeft()
			p.goOn(c.log.String())
		})
	}
}

// After a second signal nothing waits for games in progress, which are void. (Those that
// do not end within the grace are in TestInterrupted of arena/event.)
func TestInterruptHard(t *testing.T) {
	t.Parallel()
	p := newPlace(t, gatedEvent("e", 10*time.Minute))
	c := p.start("run", "event.yaml")
	p.atGate(c, 2) // which stays closed
	sendSignal(t, c, syscall.SIGINT)
	c.says(t, "interrupt again to stop at once")
	sendSignal(t, c, syscall.SIGTERM)
	if code := p.wait(c); code != exitInterrupted { // long before the grace is over
		t.Errorf("exit code %d", code)
	}
	p.wantNothingLeft()
	if n := p.results(); n != 2 {
		t.Errorf("%d games have results; the two before should have", n)
	}
	if !strings.Contains(c.log.String(), "go on with: arena run event.yaml") {
		t.Error(c.log.String())
	}
}

// An interrupted test of two settings goes on where it was, and comes to the
// verdict, in the words, of one that was left alone.
func TestInterruptSPRT(t *testing.T) {
	t.Parallel()
	test := func(p *place) []string {
		return []string{
			"sprt", "a=sh bot.sh pace gate " + p.gate() + " 2", "b=greedy", "--game", "breakthrough:5x5",
			"--clock", "2m,depth=1", "--elo1", "60", "--max-pairs", "100", "--event", "test",
		}
	}
	// How many games are in progress at the verdict depends on the machine.
	verdict := func(out string) string {
		lines := slices.DeleteFunc(strings.Split(out, "\n"), func(l string) bool { return strings.Contains(l, "in progress") })
		return strings.Join(lines, "\n")
	}
	alone := newPlace(t, "")
	alone.open()
	want, _ := alone.run(exitH0, append(test(alone), "--concurrency", "1")...)
	if !strings.Contains(want, "accept H0") {
		t.Fatalf("no verdict:\n%s", want)
	}

	p := newPlace(t, "")
	c := p.start(append(test(p), "--concurrency", "1")...)
	p.atGate(c, 1)
	sendSignal(t, c, syscall.SIGINT)
	c.says(t, "interrupt again to stop at once")
	p.open()
	if code := p.wait(c); code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
	p.wantNothingLeft()
	if got := c.out.String(); strings.Contains(got, "accept") {
		t.Errorf("a verdict after two games:\n%s", got)
	}
	if got := c.out.String(); !strings.Contains(got, "LLR ") || !strings.Contains(got, "after 1 pair: continue") {
		t.Errorf("it does not say where the test stands:\n%s", got)
	}
	got, log := p.run(exitH0, append(test(p), "--concurrency", "2")...)
	if !strings.Contains(log, "2 of them played before") {
		t.Errorf("it does not go on after two games:\n%s", log)
	}
	if verdict(got) != verdict(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// When all is played and saved, one signal ends arena at once, whatever the outcome
// is waiting for.
func TestInterruptWhilePrinting(t *testing.T) {
	t.Parallel()
	p := newPlace(t, gatedEvent("e", time.Minute))
	p.open()
	unread, full, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unread.Close() }()
	for err == nil {
		if err = full.SetWriteDeadline(time.Now().Add(50 * time.Millisecond)); err == nil {
			_, err = full.Write(make([]byte, 4096))
		}
	}
	c := p.startTo(full, "run", "event.yaml")
	c.says(t, "8 games in ")
	sendSignal(t, c, syscall.SIGINT)
	if code := p.wait(c); code != -1 || strings.Contains(c.log.String(), "interrupt again") {
		t.Errorf("exit code %d\n%s", code, c.log.String())
	}
	if err := full.Close(); err != nil {
		t.Error(err)
	}
	if n := p.results(); n != 8 {
		t.Errorf("%d of 8 games are played", n)
	}
}

// Two arenas on one database: other events run beside, the same one is refused
// while its arena lives, and taken over when that is dead.
func TestTwoArenas(t *testing.T) {
	t.Parallel()
	p := newPlace(t, gatedEvent("e", time.Second))
	p.write("other.yaml", strings.ReplaceAll(gatedEvent("other", time.Second), `gate, GATE, "2"`, "take, 0s"))
	c := p.start("run", "event.yaml")
	p.atGate(c, 2)
	p.run(exitDone, "run", "other.yaml")
	_, stderr := p.run(exitFailed, "run", "event.yaml")
	if want := fmt.Sprintf(`event "e" is being run by process %d on `, c.Process.Pid); !strings.Contains(stderr, want) {
		t.Errorf("got %s\nwant %s", stderr, want)
	}
	select {
	case <-c.done:
		t.Fatalf("the first arena has ended\n%s", c.log.String())
	default:
	}
	sendSignal(t, c, syscall.SIGKILL)
	if code := p.wait(c); code != -1 {
		t.Fatalf("exit code %d", code)
	}
	p.open()
	p.run(exitDone, "run", "event.yaml")
	if n := p.results(); n != 8 {
		t.Errorf("%d of 8 games are played", n)
	}
}
