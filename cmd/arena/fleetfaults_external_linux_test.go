//go:build external

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// span is when a game was played.
type span struct{ start, end time.Time }

// spans are when the recorded games were played, in the order in which they ended.
func (p *place) spans() []span {
	p.t.Helper()
	out, _ := p.run(exitDone, "export", "--format", "jsonl")
	var list []span
	lines := bufio.NewScanner(strings.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var l struct {
			Start   time.Time `json:"start"`
			Seconds float64   `json:"seconds"`
		}
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			p.t.Fatal(err)
		}
		list = append(list, span{l.Start, l.Start.Add(time.Duration(l.Seconds * float64(time.Second)))})
	}
	slices.SortFunc(list, func(a, b span) int { return a.end.Compare(b.end) })
	return list
}

// onePair is an event of one job, whose games take a second or two.
const onePair = `
event: e
game: breakthrough:5x5
format: match
rounds: 1
clock: {move: 1h}
pin: off
bots: [{name: a, command: [pace, take, 50ms]}, {name: b, command: [pace, take, 50ms]}]
`

// A worker is killed while it plays: another one begins its games within 35 s, by the
// lease that is usual.
func TestExternalFleetLost(t *testing.T) {
	t.Parallel()
	// So slow that the games are not both over before the kill where the machine is busy.
	y := newYard(t, strings.ReplaceAll(onePair, "50ms", "300ms"))
	c := y.start("run", "event.yaml", fmt.Sprintf("--fleet=127.0.0.1:%d", y.port), "--local", "0", anyNoise)
	y.hire(1)
	y.workers[0].says(t, "playing e")
	eventually(t, func() string {
		if out, _ := y.run(exitDone, "fleet", "list", "--json"); !strings.Contains(out, `"slots": 1`) {
			return out
		}
		return ""
	})
	time.Sleep(300 * time.Millisecond) // in the middle of its first game
	y.kill(0)
	killed := time.Now()
	y.hire(1)
	if code := y.wait(c); code != exitDone {
		t.Fatalf("exit code %d\n%s", code, c.log.String())
	}
	list := y.spans()
	if len(list) != 2 {
		t.Fatalf("%d games", len(list))
	}
	first := list[0]
	if first.end.Before(killed) { // where the machine is busy, the first game was over by then
		first = list[1]
	}
	after := first.start.Sub(killed)
	t.Logf("played by another worker %v after the kill", after)
	if after > 35*time.Second || after < 0 {
		t.Errorf("another worker began its game %v after the kill", after)
	}
	y.dismiss()
}

// The network is cut between the workers and the coordinator, for longer than a lease,
// without a word to either side, and healed: in a network namespace of the workers'
// own where this machine allows that, else at a proxy that swallows what it is sent.
func TestExternalFleetNetwork(t *testing.T) {
	t.Parallel()
	y := newYard(t, fleetEvent("breakthrough:6x6", "rounds: 40\n"+fourBots))
	want := y.whole()
	n := newNet(t, y.port)
	c := y.start("run", "event.yaml", fmt.Sprintf("--fleet=0.0.0.0:%d", y.port), "--lease", "2s", "--local", "0")
	c.says(t, "workers join with")
	y.run(exitDone, "fleet", "invite", "away")
	for i := range 2 {
		args := []string{"worker", "--join", "tls://" + n.addr, "--key", "away.key", "--slots", "1", "--name", fmt.Sprint(i)}
		w := y.startBy(n.prefix, args...)
		w.says(t, "playing e")
		y.workers = append(y.workers, w)
	}
	for range 2 {
		time.Sleep(time.Second)
		n.cut(true)
		time.Sleep(5 * time.Second)
		n.cut(false)
	}
	y.hire(0)
	y.finish(c, want)
	y.dismiss()
}

// wires are what lies between workers and the coordinator.
type wires struct {
	prefix []string // of the workers' commands
	addr   string   // of the coordinator, seen from there
	cut    func(bool)
}

func newNet(t *testing.T, port int) *wires {
	t.Helper()
	ns := fmt.Sprintf("arena%d", os.Getpid())
	ip := func(args ...string) error {
		out, err := exec.Command("ip", args...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("ip %s: %w: %s", strings.Join(args, " "), err, out)
		}
		return nil
	}
	outer, inner := "ar"+fmt.Sprint(os.Getpid()%100000)+"o", "ar"+fmt.Sprint(os.Getpid()%100000)+"i"
	t.Cleanup(func() {
		_ = ip("link", "del", outer)
		_ = ip("netns", "del", ns)
	})
	for _, args := range [][]string{
		{"netns", "add", ns},
		{"link", "add", outer, "type", "veth", "peer", "name", inner, "netns", ns},
		{"addr", "add", "198.18.77.1/30", "dev", outer},
		{"link", "set", outer, "up"},
		{"-n", ns, "addr", "add", "198.18.77.2/30", "dev", inner},
		{"-n", ns, "link", "set", inner, "up"},
		{"-n", ns, "link", "set", "lo", "up"},
	} {
		if err := ip(args...); err != nil {
			t.Logf("NO NETWORK NAMESPACES HERE: a proxy that swallows is cut instead of a network (it takes CAP_NET_ADMIN and iproute2): %v", err)
			return newHole(t, port)
		}
	}
	t.Log("cut in a network namespace")
	return &wires{
		prefix: []string{"ip", "netns", "exec", ns}, addr: fmt.Sprintf("198.18.77.1:%d", port),
		cut: func(down bool) {
			state := "up"
			if down {
				state = "down"
			}
			if err := ip("link", "set", outer, state); err != nil {
				t.Error(err)
			}
		},
	}
}

// newHole returns a proxy as a network: cut, it takes what it is sent and passes nothing
// on until it is healed; what it has taken is lost then, and so is the connection.
func newHole(t *testing.T, port int) *wires {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	var mu sync.Mutex
	down := false
	isDown := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return down
	}
	pipe := func(to, from net.Conn) {
		defer func() { _, _ = to.Close(), from.Close() }()
		buf := make([]byte, 4096)
		lost := false
		for {
			n, err := from.Read(buf)
			if err != nil {
				return
			}
			if lost = lost || isDown(); lost {
				if !isDown() {
					return
				}
				continue
			}
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			d, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
			if err != nil || isDown() {
				_ = c.Close()
				continue
			}
			go pipe(c, d)
			go pipe(d, c)
		}
	}()
	return &wires{addr: l.Addr().String(), cut: func(on bool) {
		mu.Lock()
		defer mu.Unlock()
		down = on
	}}
}

// The coordinator's disk is full, with the database and the server's folder on it: the
// run ends and says so; with room again it goes on, and the event is the same.
func TestExternalFleetDiskFull(t *testing.T) {
	t.Parallel()
	y := newYard(t, fleetEvent("breakthrough:6x6", "rounds: 60\n"+fourBots))
	want := y.whole()
	disk := filepath.Join(y.dir, "results")
	if err := os.Mkdir(disk, 0o755); err != nil {
		t.Fatal(err)
	}
	mount := func(options string) {
		if out, err := exec.Command("mount", "-t", "tmpfs", "-o", options, "none", disk).CombinedOutput(); err != nil {
			t.Fatalf("a small disk needs the right to mount one: %v: %s", err, out)
		}
	}
	mount("size=1m")
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", disk).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	c := y.coordinate("--local", "0")
	y.hire(2)
	if code := y.wait(c); code != exitFailed {
		t.Fatalf("exit code %d\n%s", code, c.log.String())
	}
	if log := c.log.String(); !strings.Contains(log, "disk") && !strings.Contains(log, "room") {
		t.Errorf("it does not say why:\n%s", log)
	}
	t.Logf("%s", c.log.String())
	mount("remount,size=64m")
	y.finish(y.coordinate("--local", "0"), want)
	y.dismiss()
}

// Ctrl-C at the coordinator lets the games in progress end and records them; nothing is
// played twice when it goes on.
func TestExternalFleetDrains(t *testing.T) {
	t.Parallel()
	y := newYard(t, strings.Replace(onePair, "rounds: 1", "rounds: 3\ngrace: 1m", 1))
	c := y.coordinate("--local", "0")
	y.hire(1)
	y.workers[0].says(t, "playing e")
	time.Sleep(300 * time.Millisecond) // in its first game, of 20 moves or more
	_ = c.Process.Signal(syscall.SIGINT)
	if code := y.wait(c); code != exitInterrupted {
		t.Fatalf("exit code %d\n%s", code, c.log.String())
	}
	// Of the pair in hand it is the game in progress that ends.
	if played := len(y.spans()); played != 1 {
		t.Errorf("%d games are recorded, not the one that was in progress\n%s", played, c.log.String())
	}
	if code := y.wait(y.coordinate("--local", "0")); code != exitDone {
		t.Fatalf("exit code %d", code)
	}
	games := y.games()
	for i := range games {
		if games[i].Void != 0 {
			t.Errorf("game %d was begun %d times more", games[i].Number, games[i].Void)
		}
	}
	if len(games) != 6 {
		t.Errorf("%d games", len(games))
	}
	y.dismiss()
}

// startBy starts arena by another program, which becomes it.
func (p *place) startBy(prefix []string, args ...string) *child {
	p.t.Helper()
	command := append(append(slices.Clone(prefix), "arena"), args...)
	return p.launch(nil, exec.Command(command[0], command[1:]...))
}
