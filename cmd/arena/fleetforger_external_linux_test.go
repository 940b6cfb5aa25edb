//go:build external

package main

import (
	"bytes"
	"compress/flate"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"botarena/arena"
	"botarena/arena/fleet"
	"botarena/arena/fleet/keys"
	"botarena/arena/fleet/wire"
)

// A forger is a worker with a key of its own that does whatever the protocol lets it do.
type forger struct {
	t     *testing.T
	conn  *nats.Conn
	js    jetstream.JetStream
	name  string
	event wire.Event
}

func (y *yard) forger(key, name string) *forger {
	y.t.Helper()
	k, err := keys.Read(filepath.Join(y.dir, key+".key"))
	if err != nil {
		y.t.Fatal(err)
	}
	f := &forger{t: y.t, name: keys.WorkerName(key, name)}
	quiet := nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})
	if f.conn, err = fleet.Dial(y.url(), nil, append(k.Options(f.name), nats.CustomInboxPrefix(wire.InboxPrefix(f.name)), quiet)...); err != nil {
		y.t.Fatal(err)
	}
	y.t.Cleanup(f.conn.Close)
	if f.js, err = jetstream.New(f.conn); err != nil {
		y.t.Fatal(err)
	}
	sub, err := f.conn.SubscribeSync(wire.EventSubject(wire.Any))
	if err != nil {
		y.t.Fatal(err)
	}
	msg, err := sub.NextMsg(generous)
	if err != nil {
		y.t.Fatal(err)
	}
	if f.event, err = wire.Decode[wire.Event](msg.Data); err != nil {
		y.t.Fatal(err)
	}
	entry, err := wire.Encode(&wire.Worker{Name: f.name, Slots: 64, Joined: 1})
	if err != nil {
		y.t.Fatal(err)
	}
	f.publish("$KV."+wire.Workers+"."+f.name, entry)
	return f
}

func (f *forger) publish(subject string, data []byte) {
	if err := f.conn.Publish(subject, data); err != nil {
		f.t.Error(err)
	}
	if err := f.conn.FlushTimeout(generous); err != nil {
		f.t.Error(err)
	}
}

// take takes jobs of the event.
func (f *forger) take(most int) (jobs []wire.Job) {
	f.t.Helper()
	c, err := f.js.Consumer(f.t.Context(), wire.Jobs, f.event.Token)
	if err != nil {
		f.t.Fatal(err)
	}
	batch, err := c.Fetch(most, jetstream.FetchMaxWait(2*time.Second))
	if err != nil {
		f.t.Fatal(err)
	}
	for msg := range batch.Messages() {
		job, err := wire.Decode[wire.Job](msg.Data())
		if err != nil {
			f.t.Fatal(err)
		}
		jobs = append(jobs, job)
	}
	return jobs
}

// send sends a result of a job whose games all ended in a way.
func (f *forger) send(job *wire.Job, ended wire.Ended) {
	res := wire.Result{Event: job.Event, Unit: job.Unit, Sent: time.Now().UnixMicro()}
	for _, g := range job.Games {
		ended.Number = g.Number
		res.Games = append(res.Games, ended)
	}
	data, err := wire.Encode(&wire.Batch{Results: []wire.Result{res}})
	if err != nil {
		f.t.Fatal(err)
	}
	f.publish(wire.ResultSubject(f.name, job.Event, job.Unit), data)
}

func crashed(start int64) wire.Ended {
	return wire.Ended{Result: "0-1", Reason: string(arena.Crash), Detail: "it ended", Blame: 1, Start: start, Wall: 1000}
}

// Workers that forge whatever they can change no game, end no run and fill neither the
// memory nor the log of the coordinator.
func TestExternalFleetForger(t *testing.T) {
	t.Parallel()
	y := newYard(t, fleetEvent("breakthrough:6x6", "rounds: 20\n"+fourBots))
	want := y.whole()
	c := y.coordinate("--local", "0")
	c.says(t, "workers join with")
	for _, attack := range []struct {
		name string
		do   func(f *forger)
		says string
	}{
		{"unasked", func(f *forger) {
			for n := range 100 {
				games := []wire.Game{{Number: 2*n + 1, Pair: n + 1, First: "a", Second: "b"}, {Number: 2*n + 2, Pair: n + 1, First: "b", Second: "a"}}
				f.send(&wire.Job{Event: f.event.Token, Unit: wire.Unit([]byte("guessed"), f.event.Token, games), Games: games}, crashed(time.Now().UnixMicro()))
			}
		}, "worker unasked_1 gets no games of this event: it is set aside: 10 results in a row do not hold"},
		{"crashes", func(f *forger) {
			for _, job := range f.take(5) {
				f.send(&job, crashed(time.Now().UnixMicro()))
			}
		}, "worker crashes_1 gets no games of this event: it is set aside: 3 games in a row ended there by its word alone"},
		{"bounds", func(f *forger) {
			year := time.Date(287000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
			for k, job := range f.take(5) {
				ended := []wire.Ended{
					{Result: "1-0", Reason: "win by rule", Moves: "b2b3", Times: []int64{1}, Depths: []int{1}, Nodes: []int64{math.MaxInt64}, Scores: []string{""}},
					{Result: "1-0", Reason: "win by rule", Moves: "b2b3", Times: []int64{1}, Depths: []int{math.MinInt64}, Nodes: []int64{1}, Scores: []string{""}},
					{Result: "1-0", Reason: "win by rule", Moves: "a1a6", Times: []int64{1}, Depths: []int{1}, Nodes: []int64{1}, Scores: []string{""}},
					{Result: "0-1", Reason: "time forfeit", Blame: 1, Wall: math.MaxInt64},
					crashed(0),
				}[k%5]
				ended.Start = year
				f.send(&job, ended)
			}
		}, "worker bounds_1 sent a result that does not hold"},
		{"bombs", func(f *forger) {
			var bomb bytes.Buffer
			bomb.WriteByte(1)
			w, _ := flate.NewWriter(&bomb, flate.BestCompression)
			_, _ = w.Write(bytes.Repeat([]byte("{"), 256<<20))
			_ = w.Close()
			for n := range 100 {
				f.publish(wire.ResultSubject(f.name, f.event.Token, fmt.Sprint(n)), bomb.Bytes())
				f.publish(wire.TroubleSubject(f.name, f.event.Token), bomb.Bytes())
			}
		}, "a message under the name of worker bombs_1 is no result, and is left out: a message of more than"},
		{"flood", func(f *forger) {
			junk := make([]byte, 1<<20-1<<10)
			for n := 0; n < 1000 && !strings.Contains(c.log.String(), "the key flood are shut out"); n++ {
				_ = f.conn.Publish(wire.ResultSubject(f.name, strings.Repeat("f", 20), fmt.Sprint(n)), junk)
				_ = f.conn.FlushTimeout(time.Second)
			}
		}, "workers with the key flood are shut out while this runs: they send more results than can be read"},
		{"hoard", func(f *forger) {
			if jobs := f.take(1000); len(jobs) < 10 {
				t.Errorf("%d jobs were there to be taken", len(jobs))
			}
		}, "kept by workers that do not say that they play them"},
	} {
		y.run(exitDone, "fleet", "invite", attack.name)
		f := y.forger(attack.name, "1")
		c.says(t, "worker "+f.name+" has joined")
		attack.do(f)
		c.says(t, attack.says)
		if attack.name != "hoard" {
			f.conn.Close()
		}
	}
	y.hire(2)
	y.finish(c, want)
	y.dismiss()
	for _, g := range y.games() {
		if g.Worker != "here" {
			t.Errorf("game %d was played by %q: %s", g.Number, g.Worker, g.Reason)
		}
	}
	lines := strings.Count(c.log.String(), "\n")
	t.Logf("%d kB at most, %d lines:\n%s", c.peak, lines, c.log.String())
	const mostMemory = memoryFactor * 800 << 10
	if c.peak > mostMemory || lines > 60 {
		t.Errorf("the coordinator took %d kB and said %d lines", c.peak, lines)
	}
}
