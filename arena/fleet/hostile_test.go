package fleet_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"botarena/arena/fleet"
	"botarena/arena/fleet/embedded"
	"botarena/arena/fleet/keys"
	"botarena/arena/fleet/wire"
)

// newGuardedRig is a rig whose server lets nobody in but two keys: good and vandal.
func newGuardedRig(t testing.TB) *rig {
	t.Helper()
	byName, byPublic := map[string]*keys.Key{}, map[string]string{}
	certificate, err := keys.OpenCertificate(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"good", "vandal"} {
		k, err := keys.New(name, certificate.Pin, "")
		if err != nil {
			t.Fatal(err)
		}
		byName[name], byPublic[k.Public] = k, name
	}
	guard, err := keys.NewGuard(func(public string) (string, bool) {
		name, ok := byPublic[public]
		return name, ok
	}, wire.WorkerSubjects)
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, func(o *embedded.Options) { o.TLS, o.Guard, o.Own = certificate.ServerTLS(), guard, guard.Own() })
	guard.Serve(r.server.Disconnect)
	r.enter = func(worker string) []nats.Option { return byName[keys.KeyOf(worker)].Options(worker) }
	return r
}

// A worker with a valid key sends all that it may send, and what it may not: garbage,
// what is too large, other versions, results of other events and of jobs that others
// play, signs of life and acknowledgements of those. The event is the same, and who it
// was is said.
func TestVandal(t *testing.T) {
	t.Parallel()
	r := newGuardedRig(t)
	const name = "vandal_x"
	conn, err := fleet.Dial("tls://"+r.server.Addr, nil, r.enter(name)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	events := r.events(conn)
	started := make(chan struct{})
	r.jobs.Go(func() {
		for n := 0; ; n++ {
			select {
			case e := <-events:
				vandalise(t, conn, name, e)
			case <-r.ctx.Done():
				return
			}
			if n == 0 {
				close(started)
			}
		}
	})
	r.jobs.Go(func() {
		select {
		case <-started:
			r.worker("good_1", r.server.Addr, 2, 5*time.Millisecond)
		case <-r.ctx.Done():
		}
	})
	r.same(r.event(t, 6), nil)
	for _, part := range []string{
		"a message under the name of worker vandal_x is no result", "cannot be inflated", "version 1 of the fleet's protocol", "does not follow the protocol",
	} {
		if !r.heard(part) {
			t.Errorf("nothing of %q is said:\n%s", part, strings.Join(r.said, "\n"))
		}
	}
	if r.heard("worker good_1 s") || r.heard("good_9") {
		t.Errorf("others are blamed:\n%s", strings.Join(r.said, "\n"))
	}
}

// vandalise sends what a worker could send that means harm.
func vandalise(t testing.TB, conn *nats.Conn, name string, e wire.Event) {
	bad := [][]byte{
		nil,
		{0},
		{1},
		[]byte("\x01garbage"), []byte("{"), []byte("[]"), []byte("null"), []byte(`{"v":2}`),
		[]byte(`{"v":1,"results":[]}`), []byte(`{"v":2,"results":[{}],"more":1}`),
		[]byte(`{"v":2,"results":` + strings.Repeat("[", 20_000)),
		[]byte(strings.Repeat("\xff", 1<<20)),
	}
	own := func(kind, rest string) string { return "arena.v2." + kind + "." + name + "." + e.Token + rest }
	subjects := []string{own("result", ".1-2_abc"), own("begun", ".1-2_abc"), own("trouble", ""), own("live", ""), "$KV." + wire.Workers + "." + name}
	for _, data := range bad {
		for _, subject := range subjects {
			if err := conn.Publish(subject, data); err != nil && !conn.IsClosed() { // the run may have ended
				t.Errorf("%s: %v", subject, err)
			}
		}
	}
	if err := conn.Publish(subjects[0], make([]byte, 1<<20+1)); !errors.Is(err, nats.ErrMaxPayload) && !conn.IsClosed() {
		t.Errorf("a message of more than 1 MiB: %v", err)
	}
	// Of another worker's name, of another event, and acknowledgements of all jobs.
	for _, subject := range []string{
		"arena.v2.result.good_9." + e.Token + ".1-2_abc", "arena.v2.trouble.good_9." + e.Token, "$KV." + wire.Workers + ".good_9",
		"arena.v2.result." + name + ".ffffffffffffffffffff.1-2_abc", wire.EventSubject(e.Token), wire.CancelSubject(e.Token),
		"arena.v2.job.fixed." + e.Token + ".1-2_abc", "$JS.API.STREAM.DELETE." + wire.Jobs, "$JS.API.STREAM.PURGE." + wire.Results,
	} {
		_ = conn.Publish(subject, []byte(`{"v":2,"why":"good_9 is gone","hard":true}`))
	}
	for n := 1; n <= 40; n++ {
		_ = conn.Publish(fmt.Sprintf("$JS.ACK.%s.%s.1.%d.%d.%d.0", wire.Jobs, e.Token, n, n, time.Now().UnixNano()), []byte("+TERM"))
	}
	if err := conn.Flush(); err != nil && !conn.IsClosed() {
		t.Errorf("the server does not listen any more: %v", err)
	}
}
