//go:build external && linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"botarena/arena/live"
)

// runSlow starts a run of a match between bots that take a tenth of a second a move.
func runSlow(t *testing.T, dir, event string, rounds int) (cmd *exec.Cmd, said *bytes.Buffer) {
	t.Helper()
	file := filepath.Join(dir, event+".yaml")
	text := fmt.Sprintf("event: %s\ngame: breakthrough:5x5\nformat: match\nrounds: %d\nclock: {move: 100ms}\nconcurrency: 1\npin: off\nbots: [{builtin: mcts}, {name: twin, builtin: mcts}]\n", event, rounds)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command("arena", "run", file, "--quiet", "--db", filepath.Join(dir, "arena.db"))
	said = &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd, said
}

// watchView watches a database from this process.
func watchView(t *testing.T, db string) *live.View {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	v := live.Watch(ctx, db, time.Now, nil)
	release := v.Attend()
	t.Cleanup(func() {
		release()
		cancel()
		<-v.Stopped()
	})
	return v
}

// awaitView waits until a view shows something.
func awaitView(t *testing.T, v *live.View, what string, ok func(live.Snapshot) bool) {
	t.Helper()
	deadline := time.After(time.Minute)
	for {
		changed := v.Changed()
		d := v.Snapshot()
		if ok(d) {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("no %s: %+v", what, d)
		}
	}
}

// TestExternalLiveMoves measures how long after a bot's answer its move is with a
// watcher in another process, and with a browser behind arena serve.
func TestExternalLiveMoves(t *testing.T) {
	dir := t.TempDir()
	db := filepath.Join(dir, "arena.db")
	s := serve(t, db)
	runSlow(t, dir, "moves", 20)
	const enough = 60 // moves of each
	var direct []time.Duration
	view := watchView(t, db)
	done := make(chan []time.Duration)
	go func() { done <- streamed(t, s.url+"/live?event=moves", enough) }()
	seen := map[uint64]int{}
	for first := true; len(direct) < enough; first = false {
		changed, now := view.Changed(), view.Snapshot()
		for i := range now.Games {
			if g := &now.Games[i]; len(g.Moves) > seen[g.ID] && !g.Over {
				if seen[g.ID] = len(g.Moves); !first {
					direct = append(direct, time.Since(g.At))
				}
			}
		}
		select {
		case <-changed:
		case <-time.After(time.Minute):
			t.Fatalf("%d moves came", len(direct))
		}
	}
	for name, list := range map[string][]time.Duration{"watcher": direct, "stream": <-done} {
		slices.Sort(list)
		t.Logf("%s: median %v, 95 %% %v, slowest %v of %d moves", name, list[len(list)/2], list[len(list)*95/100], list[len(list)-1], len(list))
		// Half of them are the measure: a busy machine holds some up.
		if median := list[len(list)/2]; median > 200*time.Millisecond {
			t.Errorf("%s: half of the moves take more than %v", name, median)
		}
	}
}

// streamed reads a stream, and says how old the last move in each message is.
func streamed(t *testing.T, url string, enough int) (ages []time.Duration) {
	answer, err := http.Get(url)
	if err != nil {
		t.Error(err)
		return []time.Duration{time.Hour}
	}
	defer func() { _ = answer.Body.Close() }()
	lines := bufio.NewReader(answer.Body)
	for first := true; len(ages) < enough; {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Errorf("after %d messages: %v", len(ages), err)
			return []time.Duration{time.Hour}
		}
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		var u struct {
			Games []struct {
				At    time.Time
				Plies int
				Over  bool
			}
		}
		if err := json.Unmarshal([]byte(data), &u); err != nil {
			t.Error(err)
		}
		for _, g := range u.Games {
			if g.Plies > 0 && !first && !g.Over {
				ages = append(ages, time.Since(g.At))
			}
		}
		first = false
	}
	return ages
}

// TestExternalLiveKilled has a run and those who watch it killed in turn: neither
// harms the other.
func TestExternalLiveKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := filepath.Join(dir, "arena.db")
	view := watchView(t, db) // before there is anything
	run, _ := runSlow(t, dir, "one", 20)
	inAir := func(event string) func(live.Snapshot) bool {
		return func(d live.Snapshot) bool {
			return slices.ContainsFunc(d.Games, func(g live.Game) bool { return g.Event == event && !g.Over })
		}
	}
	awaitView(t, view, "game in progress", inAir("one"))
	s := serve(t, db)
	other, otherSaid := runSlow(t, dir, "two", 1)
	awaitView(t, view, "game of the second run", inAir("two"))

	if err := run.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = run.Wait()
	awaitView(t, view, "end of the killed run", func(d live.Snapshot) bool {
		return !inAir("one")(d) && slices.ContainsFunc(d.Events, func(e live.Event) bool { return e.Name == "one" && !e.Running })
	})
	answer, err := http.Get(s.url + "/")
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("the pages of a killed run: %v %v", answer, err)
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	_ = answer.Body.Close()

	again, againSaid := runSlow(t, dir, "one", 1) // another configuration: refused, and nothing is lost
	if err := again.Wait(); err == nil || !strings.Contains(againSaid.String(), "another configuration") {
		t.Errorf("%v: %s", err, againSaid)
	}
	run, _ = runSlow(t, dir, "one", 20) // goes on
	awaitView(t, view, "game of the run that goes on", inAir("one"))

	s.kill()
	if err := other.Wait(); err != nil {
		t.Errorf("a run whose pages were killed: %v\n%s", err, otherSaid)
	}
	awaitView(t, view, "end of the second run", func(d live.Snapshot) bool {
		return slices.ContainsFunc(d.Events, func(e live.Event) bool { return e.Name == "two" && !e.Running && e.Played == 2 })
	})
	if err := run.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = run.Wait()
	if left, err := os.ReadDir(db + "-live"); err == nil {
		t.Errorf("beside the database there is left: %v", left)
	}
}

// TestExternalConnections opens ten thousand connections that say half a request
// and no more, while an event is played: the server holds a bounded number of them,
// for a bounded time, and answers again; the run goes on to its end.
func TestExternalConnections(t *testing.T) {
	dir := t.TempDir()
	db := filepath.Join(dir, "arena.db")
	s := serve(t, db)
	run, said := runSlow(t, dir, "calm", 1)
	address := strings.TrimPrefix(s.url, "http://")
	const many = 10_000
	descriptors := func() int {
		list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.server.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	var open []net.Conn
	defer func() {
		for _, c := range open {
			_ = c.Close()
		}
	}()
	most := 0
	for i := range many {
		c, err := net.DialTimeout("tcp", address, 30*time.Second)
		if err != nil {
			t.Fatalf("connection %d: %v", i, err) // the server's queue takes them up to its limit, and the system the rest
		}
		open = append(open, c)
		_, _ = fmt.Fprintf(c, "GET /live HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
		if i%500 == 0 {
			most = max(most, descriptors())
		}
	}
	most = max(most, descriptors())
	if most > 9000 { // it takes 8192 connections
		t.Errorf("the server holds %d descriptors", most)
	}
	client := &http.Client{Timeout: 2 * time.Minute}
	start := time.Now()
	answer, err := client.Get(s.url + "/events")
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("after %v: %v %v", time.Since(start), answer, err)
	}
	_ = answer.Body.Close()
	t.Logf("%d connections: at most %d descriptors, an answer after %v", many, most, time.Since(start).Round(time.Millisecond))
	if err := run.Wait(); err != nil {
		t.Errorf("the run: %v\n%s", err, said)
	}
}

// TestExternalStorm has strangers do to the pages of an event that is being played
// whatever they may: no answer is the server's error, none tells of the machine, visitors
// are answered in the end, and the event is played to its end, with no game lost on time.
func TestExternalStorm(t *testing.T) {
	dir := t.TempDir()
	db := filepath.Join(dir, "arena.db")
	s := serve(t, db)
	run, said := runSlow(t, dir, "storm", 1)
	stop := s.storm(10_000, dir)
	long := 45 * time.Second // the server takes connections in turn, some hundred a second
	if testing.Short() {
		long = 15 * time.Second
	}
	enough := time.After(long)
	if err := run.Wait(); err != nil {
		t.Errorf("the run: %v\n%s", err, said)
	}
	<-enough
	told := stop()
	t.Log(told)
	if !regexp.MustCompile(`answers: [1-9]\d* of 2xx, \d+ of 3xx, [1-9]\d* of 4xx, 0 of 5xx; 0 secrets told$`).MatchString(told) {
		t.Errorf("of a storm came: %s", told)
	}
	answer, err := http.Get(s.url + "/events/storm.json")
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("after the storm: %v %v", answer, err)
	}
	defer func() { _ = answer.Body.Close() }()
	data, err := io.ReadAll(answer.Body)
	if err != nil || strings.Contains(string(data), "time forfeit") {
		t.Errorf("the event after the storm: %v\n%.2000s", err, data)
	}
}
