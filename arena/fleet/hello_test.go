package fleet_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"botarena/arena/fleet"
)

// stranger is a connection of something that this arena knows nothing of.
func (r *rig) stranger() *nats.Conn {
	r.t.Helper()
	conn, err := fleet.Dial("nats://"+r.server.Addr, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(conn.Close)
	return conn
}

// until calls try every few milliseconds until it returns true.
func (r *rig) until(what string, try func() bool) {
	r.t.Helper()
	for end := time.Now().Add(30 * time.Second); !try(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.t.Fatalf("%s does not come:\n%s", what, strings.Join(r.said, "\n"))
		}
	}
}

// Workers of other versions are told of, once, and one of the first version is told
// itself in its own words why it gets nothing.
func TestWorkersOfOtherVersions(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.coord.Arena = "7.0"
	other := r.stranger()
	answers, err := other.SubscribeSync("arena.v1.event.*")
	if err != nil {
		t.Fatal(err)
	}
	r.jobs.Go(func() {
		r.until("word of both", func() bool {
			_ = other.Publish("$KV.arena_v1_workers.old", []byte(`{"v":1,"name":"old","host":"h","platform":"linux-amd64","arena":"0.9","slots":2,"busy":0,"games":0,"faults":0,"joined":1}`))
			_ = other.Publish("arena.hello.worker.new", []byte(`{"v":99,"arena":"8.1","name":"new","member":"of later versions"}`))
			_ = other.Publish("arena.hello.worker.bad", []byte(`{"v":"x"}`))
			return r.heard("worker old") && r.heard("worker new")
		})
		r.worker("w", r.server.Addr, 2, 0)
	})
	r.same(r.event(t, 2), nil)
	for _, line := range []string{
		"worker old speaks version 1 of the fleet's protocol (arena 0.9), the machine that runs e version 2 (arena 7.0): install the newer arena on the worker",
		"worker new speaks version 99 of the fleet's protocol (arena 8.1), the machine that runs e version 2 (arena 7.0): install the newer arena on that machine",
	} {
		if n := strings.Count(strings.Join(r.said, "\n"), line); n != 1 {
			t.Errorf("%d times %q:\n%s", n, line, strings.Join(r.said, "\n"))
		}
	}
	msg, err := answers.NextMsg(5 * time.Second)
	if err != nil {
		t.Fatalf("the old worker hears nothing: %v", err)
	}
	// The members of the first version, and no others.
	var heard struct {
		V      int
		Token  string
		Name   string
		Spec   string
		Class  string
		Lease  int64
		Barred map[string]string
	}
	d := json.NewDecoder(strings.NewReader(string(msg.Data)))
	d.DisallowUnknownFields()
	if err := d.Decode(&heard); err != nil || heard.V != 1 || msg.Subject != "arena.v1.event."+heard.Token || len(heard.Spec) != 64 || heard.Class == "" || heard.Lease < 1 ||
		!strings.Contains(heard.Barred["old"], "install the newer arena on the worker") {
		t.Errorf("the old worker hears %s under %s: %v", msg.Data, msg.Subject, err)
	}
}

// A worker tells of events that speak other versions, and a coordinator of the first
// version is told in its own words.
func TestEventsOfOtherVersions(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	other := r.stranger()
	troubles, err := other.SubscribeSync("arena.v1.trouble.*.*")
	if err != nil {
		t.Fatal(err)
	}
	r.workerOf("w", r.server.Addr, 2, walk(2, 0), func(w *fleet.Worker) { w.Arena = "7.0" })
	r.until("word of both", func() bool {
		_ = other.Publish("arena.v1.event.f00", []byte(`{"v":1,"token":"f00","name":"league","spec":"x","class":"fixed","lease":30000}`))
		_ = other.Publish("arena.hello.event.ba5", []byte(`{"v":99,"arena":"8.1","name":"cup","later":[]}`))
		return r.heard("league") && r.heard("cup")
	})
	for _, line := range []string{
		"worker w speaks version 2 of the fleet's protocol (arena 7.0), the machine that runs league version 1: install the newer arena on that machine",
		"worker w speaks version 2 of the fleet's protocol (arena 7.0), the machine that runs cup version 99 (arena 8.1): install the newer arena on the worker",
	} {
		if !r.heard(line) {
			t.Errorf("nothing of %q:\n%s", line, strings.Join(r.said, "\n"))
		}
	}
	msg, err := troubles.NextMsg(5 * time.Second)
	if err != nil {
		t.Fatalf("the old coordinator hears nothing: %v", err)
	}
	var heard struct {
		V   int
		Why string
	}
	if err := json.Unmarshal(msg.Data, &heard); err != nil || heard.V != 1 || msg.Subject != "arena.v1.trouble.w.f00" || !strings.Contains(heard.Why, "install the newer arena on that machine") {
		t.Errorf("the old coordinator hears %s under %s: %v", msg.Data, msg.Subject, err)
	}
}
