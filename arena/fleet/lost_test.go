package fleet_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"botarena/arena"
	"botarena/arena/event"
	"botarena/arena/fleet"
	"botarena/arena/fleet/embedded"
	"botarena/arena/fleet/wire"
)

// meddle calls do with a connection that may do everything, once the event is told of
// and its jobs are queued.
func (r *rig) meddle(do func(js jetstream.JetStream, e wire.Event) error) {
	r.t.Helper()
	conn, err := fleet.Dial("nats://"+r.server.Addr, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	events := r.events(conn)
	js, err := jetstream.New(conn)
	if err != nil {
		r.t.Fatal(err)
	}
	r.jobs.Go(func() {
		defer conn.Close()
		select {
		case e := <-events:
			for r.ctx.Err() == nil {
				s, err := js.Stream(r.ctx, wire.Jobs)
				if err == nil && s.CachedInfo().State.Msgs > 0 {
					if err := do(js, e); err != nil && r.ctx.Err() == nil {
						r.t.Error(err)
					}
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
		case <-r.ctx.Done():
		}
	})
}

// A server that was killed may have jobs again that it has noted as done: it gives
// them to nobody, and takes no others in their place. They are played all the same.
func TestJobsGivenToNobody(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.meddle(func(js jetstream.JetStream, e wire.Event) error {
		_, err := js.Conn().Request("$JS.API.CONSUMER.RESET."+wire.Jobs+"."+e.Token, []byte(`{"seq": 1000}`), time.Second)
		r.worker("w", r.server.Addr, 2, 0)
		return err
	})
	r.same(r.event(t, 4), nil)
	if !r.heard("gives to nobody") {
		t.Error("nothing is said of it")
	}
}

// Jobs whose results are lost are queued again, also while a result waits for games
// that never come.
func TestJobsLost(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.meddle(func(js jetstream.JetStream, e wire.Event) error {
		stray := wire.Result{Event: e.Token, Unit: "999_abc", Games: []wire.Ended{wire.EndedOf(&arena.Game{Number: 999})}}
		data, err := wire.Encode(&wire.Batch{Results: []wire.Result{stray}})
		if err != nil {
			return err
		}
		if _, err := js.Publish(r.ctx, wire.ResultSubject("w", e.Token, stray.Unit), data); err != nil {
			return err
		}
		c, err := js.Consumer(r.ctx, wire.Jobs, e.Token)
		if err != nil {
			return err
		}
		batch, err := c.Fetch(2, jetstream.FetchMaxWait(time.Second))
		if err != nil {
			return err
		}
		for msg := range batch.Messages() {
			if err := msg.DoubleAck(r.ctx); err != nil {
				return err
			}
		}
		r.worker("w", r.server.Addr, 2, 0)
		return nil
	})
	r.same(r.event(t, 4), nil)
	if !r.heard("jobs were lost on the server and are queued again") {
		t.Errorf("nothing is said of it: %q", r.said)
	}
}

// A result that was lost with the coordinator's connection comes again as soon as there
// is another one, however long a worker may be silent.
func TestResultsLostWithTheConnection(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.coord.Lease = time.Hour
	r.meddle(func(js jetstream.JetStream, e wire.Event) error {
		c, err := js.Consumer(r.ctx, wire.Results, e.Token)
		if err != nil {
			return err
		}
		r.worker("w", r.server.Addr, 2, 50*time.Millisecond)
		for taken := 0; taken == 0 && r.ctx.Err() == nil; { // in the coordinator's place
			batch, err := c.Fetch(1, jetstream.FetchMaxWait(time.Second))
			if err != nil {
				return err
			}
			for range batch.Messages() {
				taken++
			}
		}
		return r.coord.Conn.ForceReconnect()
	})
	r.same(r.event(t, 4), nil)
}

// A worker that takes all jobs and keeps them is told of.
func TestHoarder(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.meddle(func(js jetstream.JetStream, e wire.Event) error {
		c, err := js.Consumer(r.ctx, wire.Jobs, e.Token)
		if err != nil {
			return err
		}
		batch, err := c.Fetch(100, jetstream.FetchMaxWait(100*time.Millisecond))
		if err != nil {
			return err
		}
		var kept []jetstream.Msg
		for msg := range batch.Messages() {
			kept = append(kept, msg)
		}
		r.until("a warning", func() bool {
			for _, msg := range kept {
				_ = msg.InProgress()
			}
			return r.heard("jobs kept by workers that do not say that they play them")
		})
		for _, msg := range kept {
			_ = msg.Nak()
		}
		r.worker("w", r.server.Addr, 2, 0)
		return nil
	})
	r.same(r.event(t, 4), nil)
}

// A server of arena's own keeps no files but those of the event that is played.
func TestFilesGo(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.worker("w", r.server.Addr, 2, 0)
	r.coord.Shut = func(string) {}
	names := map[int]string{}
	for n := 1; n <= 3; n++ {
		r.run(fmt.Sprintf("fleet%d.db", n), r.event(t, n), r.coord.Workers, nil) // more rounds: another spec
		js, err := jetstream.New(r.coord.Conn)
		if err != nil {
			t.Fatal(err)
		}
		files, err := js.ObjectStore(r.ctx, wire.Files)
		if err != nil {
			t.Fatal(err)
		}
		list, err := files.List(r.ctx)
		if err != nil || len(list) != 1 {
			t.Fatalf("%d files, %v", len(list), err)
		}
		names[n] = list[0].Name
	}
	if names[1] == names[3] {
		t.Errorf("%v", names)
	}
}

// A server that has no room for jobs is told of, and with room again the event goes on.
func TestNoRoom(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.meddle(func(js jetstream.JetStream, _ wire.Event) error {
		s, err := js.Stream(r.ctx, wire.Jobs)
		if err != nil {
			return err
		}
		config := s.CachedInfo().Config
		config.MaxBytes = 1
		if _, err := js.UpdateStream(r.ctx, config); err != nil {
			return err
		}
		if err := s.Purge(r.ctx); err != nil {
			return err
		}
		r.until("word of it", func() bool { return r.heard("it stores no jobs; is there room on its disk?") })
		config.MaxBytes = -1
		r.until("room", func() bool { // the server may be started again meanwhile
			_, err := js.UpdateStream(r.ctx, config)
			return err == nil
		})
		r.worker("w", r.server.Addr, 2, 0)
		return nil
	})
	r.same(r.event(t, 4), nil)
}

// A server that lost its folder before an event begins is started again. A part of it:
// TestExternalStreamsLostBeforeTheStart.
func TestFolderLostBeforeTheStart(t *testing.T) {
	t.Parallel()
	lostBeforeTheStart(t, "")
}

func lostBeforeTheStart(t *testing.T, part string) {
	t.Helper()
	r := newRig(t)
	r.worker("w", r.server.Addr, 2, 0)
	r.run("before.db", r.event(t, 1), r.coord.Workers, nil)
	if err := os.RemoveAll(filepath.Join(r.dir, "fleet", "jetstream", part)); err != nil {
		t.Fatal(err)
	}
	r.same(r.event(t, 4), nil) // which may end before anybody looks for the folder
}

// mayNotCreate lets everybody do everything, but for making streams once it says so.
type mayNotCreate struct{ atomic.Bool }

func (m *mayNotCreate) Check(c server.ClientAuthentication) bool {
	u := &server.User{Permissions: &server.Permissions{}}
	if m.Load() {
		u.Permissions.Publish = &server.SubjectPermission{Deny: []string{"$JS.API.STREAM.CREATE.>"}}
	}
	c.RegisterUser(u)
	return true
}

// An administrator may have made the streams and let coordinators make none.
func TestStreamsOfAnAdministrator(t *testing.T) {
	t.Parallel()
	guard := &mayNotCreate{}
	r := newRig(t, func(o *embedded.Options) { o.Guard = guard })
	r.worker("w", r.server.Addr, 2, 0)
	r.run("before.db", r.event(t, 1), r.coord.Workers, nil) // makes them
	guard.Store(true)
	if err := r.coord.Conn.ForceReconnect(); err != nil {
		t.Fatal(err)
	}
	r.same(r.event(t, 4), nil)
}

// A worker that goes elsewhere between the games of a job and comes back plays the job
// again: what it sends then is not dropped as what it has sent before.
func TestSameJobAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var begun, left atomic.Bool
	r.workerOf("w", r.server.Addr, 1, func(work event.Work) (event.Workers, error) {
		workers, err := walk(1, 0)(work)
		w := workers.(*walkers)
		w.before = func(arena.Game) {
			if begun.CompareAndSwap(false, true) {
				<-w.stopped
				left.Store(true)
			}
		}
		return w, err
	})
	shared := r.coord.Shared(nil, func(fleet.Claim) bool { return !begun.Load() || left.Load() })
	e := r.event(t, 2)
	want := r.whole(e)
	if got := r.run("fleet.db", e, shared, nil); len(got) == 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("%d games differ from %d", len(got), len(want))
	}
	if !left.Load() || r.heard("were lost") {
		t.Errorf("a result was dropped: %q", r.said)
	}
}
