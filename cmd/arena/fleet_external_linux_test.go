//go:build external

package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// killsVariable raises the number of kills of the fleet's fault tests.
const killsVariable = "ARENA_FLEET_KILLS"

func killsOr(t *testing.T, usual int) int {
	t.Helper()
	text := os.Getenv(killsVariable)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A yard is a place with a fleet: a fixed address, workers.
type yard struct {
	*place
	port    int
	workers []*child
	born    int
	more    []string // arguments of workers
}

func newYard(t *testing.T, event string) *yard {
	t.Helper()
	return &yard{place: newPlace(t, event), port: freePort(t)}
}

// freePort returns a port that the system gives nobody who asks for any, nor this function
// another test: between two coordinators of a test it stays free.
func freePort(t testing.TB) int {
	t.Helper()
	for {
		port := 10_000 + rand.IntN(20_000)
		if _, given := givenPorts.LoadOrStore(port, true); given {
			continue
		}
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			_ = l.Close()
			return port
		}
	}
}

var givenPorts sync.Map

func freeAddress(t testing.TB) string {
	t.Helper()
	return fmt.Sprintf("127.0.0.1:%d", freePort(t))
}

func (y *yard) url() string { return fmt.Sprintf("nats://127.0.0.1:%d", y.port) }

// anyNoise has workers play by time whatever else the machine does beside the tests.
const anyNoise = "--noise=1000%"

// coordinate starts a coordinator with a short lease.
func (y *yard) coordinate(args ...string) *child {
	y.t.Helper()
	return y.start(append([]string{"run", "event.yaml", fmt.Sprintf("--fleet=127.0.0.1:%d", y.port), "--lease", "2s", anyNoise}, args...)...)
}

// hire starts workers until there are so many.
func (y *yard) hire(n int) {
	y.t.Helper()
	for len(y.workers) < n {
		y.born++
		args := append([]string{"worker", "--join", y.url(), "--slots", "1", "--name", fmt.Sprintf("w%d", y.born)}, y.more...)
		y.workers = append(y.workers, y.start(args...))
	}
}

// dismiss ends all workers as a person would.
func (y *yard) dismiss() {
	y.t.Helper()
	for _, w := range y.workers {
		_ = w.Process.Signal(syscall.SIGTERM)
	}
	for _, w := range y.workers {
		if code := y.wait(w); code != exitDone {
			y.t.Errorf("a worker ends with %d:\n%s", code, w.log.String())
		}
	}
	y.workers = nil
}

// kill kills a worker with -9 and forgets it.
func (y *yard) kill(i int) {
	_ = y.workers[i].Process.Kill()
	<-y.workers[i].done
	y.workers = append(y.workers[:i], y.workers[i+1:]...)
}

// whole plays the event here alone and returns its export.
func (y *yard) whole() string {
	y.t.Helper()
	y.run(exitDone, "run", "event.yaml", "--quiet", "--db", "whole.db")
	return y.export("whole.db")
}

func (y *yard) export(db string) string {
	y.t.Helper()
	out, _ := y.run(exitDone, "export", "--db", db, "--format", "pgn")
	return out
}

// finish waits for the coordinator and wants the same games as of the event alone.
func (y *yard) finish(c *child, want string) {
	y.t.Helper()
	if code := y.wait(c); code != exitDone {
		y.t.Fatalf("the coordinator ends with %d:\n%s", code, c.log.String())
	}
	if got := y.export(filepath.Join("results", "arena.db")); got != want {
		y.t.Errorf("the games of the fleet are others\n%s\n--- want\n%s\n--- the coordinator said\n%s", got, want, c.log.String())
	}
}

// fleetEvent is an event that is the same wherever it is played.
func fleetEvent(game, rest string) string {
	return fmt.Sprintf(`
event: e
game: %s
seed: 11
clock: {nodes: 200}
pin: off
max_plies: 60
openings: {random: 2}
%s
`, game, rest)
}

const fourBots = `bots:
  - {name: a, builtin: random}
  - {name: b, builtin: minimax}
  - {name: c, builtin: greedy}
  - {name: d, builtin: minimax, clock: {nodes: 20}}
`

const twoBots = "bots: [{name: b, builtin: minimax}, {name: c, builtin: greedy}]\n"

// An event that does not depend on time is the same, byte for byte, played by four
// workers as played here alone, whatever its game and format.
func TestExternalFleetSame(t *testing.T) {
	t.Parallel()
	events := []struct{ name, event string }{
		{"round robin", fleetEvent("outwit:jump", "rounds: 2\n"+fourBots)},
		{"swiss", fleetEvent("outwit:push", "format: swiss\nrounds: 2\n"+fourBots)},
		{"knockout", fleetEvent("owlman", "format: knockout\nrounds: 1\n"+fourBots)},
		{"gauntlet adjudicated", fleetEvent("chess", "format: gauntlet\nrounds: 1\nadjudicate: {resign: {score: 300, moves: 2}}\n"+fourBots)},
		{"ladder", fleetEvent("owlman:daybreak", "format: ladder\nladder: {games: 24}\n"+fourBots)},
		{"match drawn by scores", fleetEvent("chess:960", "format: match\nrounds: 1\nadjudicate: {draw: {score: 1000, moves: 4, from: 8}}\n"+twoBots)},
		{"tuning", fleetEvent("breakthrough:5x5", "format: tune\ntune: {games: 60, lag: 4, params: [{name: Level, start: 5, min: 1, max: 10}]}\nbots: [{builtin: minimax}]\n")},
		{"sprt", fleetEvent("breakthrough:5x5", "format: match\nrounds: 60\nsprt: {elo0: 0, elo1: 100}\n"+twoBots)},
	}
	y := newYard(t, events[0].event)
	y.hire(4)
	for _, e := range events {
		y.write("event.yaml", e.event)
		want := y.whole()
		for _, file := range []string{"whole.db", filepath.Join("results", "arena.db")} {
			for _, tail := range []string{"", "-wal", "-shm"} {
				defer func() { _ = os.Remove(filepath.Join(y.dir, file+tail)) }()
			}
		}
		c := y.coordinate("--local", "0")
		y.finish(c, want)
		if t.Failed() {
			t.Fatalf("%s", e.name)
		}
		for _, file := range []string{"whole.db", filepath.Join("results", "arena.db")} {
			for _, tail := range []string{"", "-wal", "-shm"} {
				_ = os.Remove(filepath.Join(y.dir, file+tail))
			}
		}
	}
	y.dismiss()
}

// kill -9 of workers and the coordinator, which has the server in it, at random
// moments: each game is played once, and the event is the same.
func TestExternalFleetKilled(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	least := killsOr(t, 6)
	kills, events := 0, 0
	for kills < least {
		y := newYard(t, fleetEvent("breakthrough:6x6", "rounds: 6\n"+fourBots))
		want := y.whole()
		c := y.coordinate("--local", "1", "--concurrency", "1")
		events++
		// After so many kills the event is left alone: where the machine is busy, nothing
		// gets done between two kills.
		for last := kills + least; kills < last; {
			y.hire(3)
			select {
			case <-c.done:
				last = kills
				continue
			case <-time.After(time.Duration(100+rng.IntN(700)) * time.Millisecond):
			}
			if rng.IntN(3) == 0 {
				_ = c.Process.Kill()
				<-c.done
				c = y.coordinate("--local", "1")
			} else {
				y.kill(rng.IntN(len(y.workers)))
			}
			kills++
		}
		y.hire(3)
		y.finish(c, want)
		y.dismiss()
		y.wantNothingLeft()
	}
	t.Logf("%d kills in %d events", kills, events)
}

// A worker that is stopped for longer than its lease, and goes on: its games are
// played by others, and what it sends late changes nothing.
func TestExternalFleetStopped(t *testing.T) {
	t.Parallel()
	y := newYard(t, fleetEvent("breakthrough:6x6", "rounds: 8\n"+fourBots))
	want := y.whole()
	c := y.coordinate("--local", "0")
	y.hire(3)
	eventually(t, func() string {
		if strings.Count(c.log.String(), "has joined") < 3 {
			return "workers have not joined:\n" + c.log.String()
		}
		return ""
	})
	stopped := y.workers[0]
	_ = stopped.Process.Signal(syscall.SIGSTOP)
	time.Sleep(4 * time.Second) // twice the lease
	_ = stopped.Process.Signal(syscall.SIGCONT)
	y.finish(c, want)
	y.dismiss()
}

// Ctrl-C at a worker gives its games back at once: no lease has to run out.
func TestExternalFleetGivesBack(t *testing.T) {
	t.Parallel()
	y := newYard(t, `
event: e
game: breakthrough:6x6
format: match
rounds: 2
clock: {move: 1h}
pin: off
bots: [{name: a, command: [pace, take, 100ms]}, {name: b, command: [pace, take, 100ms]}]
`)
	c := y.start("run", "event.yaml", fmt.Sprintf("--fleet=127.0.0.1:%d", y.port), "--local", "0", anyNoise)
	y.hire(1)
	eventually(t, func() string {
		if !strings.Contains(y.workers[0].log.String(), "playing e") {
			return "it does not play: " + y.workers[0].log.String() + c.log.String()
		}
		return ""
	})
	time.Sleep(time.Second)
	_ = y.workers[0].Process.Signal(os.Interrupt)
	if code := y.wait(y.workers[0]); code != exitDone {
		t.Errorf("exit code %d", code)
	}
	began := time.Now()
	y.workers = nil
	y.hire(2)
	if code := y.wait(c); code != exitDone {
		t.Fatalf("exit code %d\n%s", code, c.log.String())
	}
	if took := time.Since(began); took > 25*time.Second {
		t.Errorf("the games that were given back were played after %v, as if the lease had run out", took)
	}
	y.dismiss()
}

// pacedEvent is an event whose games take a second each, whatever else the machine does.
const pacedEvent = `
event: e
game: breakthrough:6x6
seed: 11
rounds: 9
clock: {move: 1h}
pin: off
openings: {random: 2}
bots:
  - {name: a, command: [pace, take, 20ms]}
  - {name: b, command: [pace, take, 20ms]}
  - {name: c, command: [pace, take, 20ms]}
  - {name: d, command: [pace, take, 20ms]}
`

// wholeAtOnce plays an event here alone, many games at once, and returns its export.
func (y *yard) wholeAtOnce() string {
	y.t.Helper()
	y.run(exitDone, "run", "event.yaml", "--quiet", "--db", "whole.db", "--concurrency", "24")
	return y.export("whole.db")
}

// JetStream's folder is deleted while an event begins, and while it is played.
func TestExternalFleetFolderDeleted(t *testing.T) {
	t.Parallel()
	y := newYard(t, pacedEvent)
	want := y.wholeAtOnce()
	c := y.coordinate("--local", "0")
	y.hire(8)
	folder := filepath.Join(y.dir, "results", "fleet", "1", "jetstream")
	for n := range 3 {
		eventually(t, func() string {
			if _, err := os.Stat(filepath.Join(folder, "jetstream", "running")); err != nil {
				return err.Error() + "\n" + c.log.String()
			}
			return ""
		})
		time.Sleep(time.Duration(n) * 300 * time.Millisecond)
		for os.RemoveAll(folder) != nil { // while the server writes there
		}
	}
	y.finish(c, want)
	y.dismiss()
}

// A cluster of three servers apart: any one is killed, one after the other, and the
// event is the same.
func TestExternalFleetCluster(t *testing.T) {
	t.Parallel()
	y := newYard(t, pacedEvent)
	want := y.wholeAtOnce()
	var clients, routes, monitors []string
	for range 3 {
		clients = append(clients, freeAddress(t))
		monitors = append(monitors, freeAddress(t))
		routes = append(routes, "nats://"+freeAddress(t))
	}
	nodes := make([]*exec.Cmd, 3)
	var said safeBuffer
	node := func(i int) {
		config := fmt.Sprintf("server_name: n%d\nlisten: %s\nhttp: %s\njetstream {store_dir: \"%s\", sync_interval: always}\ncluster {name: c, listen: \"%s\", routes: [%s]}\n",
			i, clients[i], monitors[i], filepath.Join(y.dir, fmt.Sprint("node", i)), strings.TrimPrefix(routes[i], "nats://"), strings.Join(routes, ", "))
		y.write(fmt.Sprintf("n%d.conf", i), config)
		nodes[i] = exec.Command("natsd", "-c", filepath.Join(y.dir, fmt.Sprintf("n%d.conf", i)))
		nodes[i].Env, nodes[i].Stderr = append(os.Environ(), y.mark), &said
		if err := nodes[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	end := func(i int) {
		_ = nodes[i].Process.Kill()
		_ = nodes[i].Wait()
	}
	for i := range nodes {
		node(i)
	}
	defer func() {
		for i := range nodes {
			end(i)
		}
	}()
	url := "nats://" + strings.Join(clients, ",nats://")
	c := y.start("run", "event.yaml", "--nats", url, "--lease", "2s", "--local", "0", anyNoise, "--db", filepath.Join("results", "arena.db"))
	for i := range 3 {
		y.workers = append(y.workers, y.start("worker", "--join", url, "--slots", "1", "--name", fmt.Sprintf("w%d", i)))
	}
	eventually(t, func() string {
		if !strings.Contains(y.workers[0].log.String(), "playing e") {
			return "it does not play: " + c.log.String() + y.workers[0].log.String()
		}
		return ""
	})
	kills := 0
	for over := false; !over && kills < 4; kills++ {
		end(kills % 3)
		select {
		case <-time.After(2 * time.Second):
		case <-c.done:
		}
		node(kills % 3)
		whole := func() string { // one at a time: the next one not before this one has caught up
			answer, err := http.Get("http://" + monitors[kills%3] + "/healthz")
			if err != nil {
				return err.Error() + "\n" + said.String()
			}
			defer func() { _ = answer.Body.Close() }()
			if answer.StatusCode != http.StatusOK {
				return answer.Status
			}
			return ""
		}
		eventually(t, whole)
		// Nor before games go on whose jobs were given since: its groups may still elect.
		since := time.Now().Add(3 * time.Second)
		eventually(t, func() string {
			select {
			case <-c.done:
				over = true
				return ""
			case <-time.After(300 * time.Millisecond): // each look is a program
			}
			if list := y.spans(); len(list) == 0 || list[len(list)-1].start.Before(since) {
				return "no game goes on: " + c.log.String()
			}
			return ""
		})
	}
	y.finish(c, want)
	var stalls []time.Duration
	for i, list := 1, y.spans(); i < len(list); i++ {
		stalls = append(stalls, list[i].end.Sub(list[i-1].end))
	}
	slices.Sort(stalls)
	slices.Reverse(stalls)
	t.Logf("%d kills; the longest times without a game: %v", kills, stalls[:kills])
	// A machine that has other things to do may hold up one of them.
	if stalls[0] > 30*time.Second || stalls[1] > 10*time.Second {
		t.Errorf("no game ended for %v", stalls[:2])
	}
	y.dismiss()
}

// The database is replaced by an older copy while the queue is newer: what the copy
// lacks is played again, each game once.
func TestExternalFleetRestored(t *testing.T) {
	t.Parallel()
	y := newYard(t, fleetEvent("breakthrough:6x6", "rounds: 8\n"+fourBots))
	want := y.whole()
	y.hire(2)
	db := filepath.Join(y.dir, "results", "arena.db")
	files := []string{"", "-wal"}
	c := y.coordinate("--local", "0")
	eventually(t, func() string {
		if !strings.Contains(y.workers[0].log.String(), "playing e") {
			return "it does not play: " + c.log.String()
		}
		return ""
	})
	stop := func() {
		_ = c.Process.Kill()
		<-c.done
	}
	stop()
	copied := map[string][]byte{}
	for _, tail := range files {
		if data, err := os.ReadFile(db + tail); err == nil {
			copied[tail] = data
		}
	}
	c = y.coordinate("--local", "0")
	select {
	case <-time.After(2 * time.Second):
	case <-c.done:
	}
	stop()
	_ = os.Remove(db + "-shm")
	for _, tail := range files {
		_ = os.Remove(db + tail)
		if data, ok := copied[tail]; ok {
			if err := os.WriteFile(db+tail, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	y.finish(y.coordinate("--local", "0"), want)
	y.dismiss()
}
