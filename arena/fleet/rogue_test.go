package fleet_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"botarena/arena"
	"botarena/arena/event"
	"botarena/arena/fleet"
	"botarena/arena/fleet/wire"
	"botarena/arena/store"
	"botarena/engine/games"
)

// rogue takes jobs like a worker, one after the other, plays them, and sends what answer
// makes of the result; nil is to be called no more. The channel is closed then.
func (r *rig) rogue(name string, answer func(n int, e wire.Event, res *wire.Result) [][]byte) <-chan struct{} {
	r.t.Helper()
	conn, err := fleet.Dial("nats://"+r.server.Addr, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	js, err := jetstream.New(conn)
	if err != nil {
		r.t.Fatal(err)
	}
	rules, err := games.All().Lookup("breakthrough:5x5")
	if err != nil {
		r.t.Fatal(err)
	}
	events := r.events(conn)
	entry := wire.Worker{Name: name, Slots: 1, Joined: 1}
	data, err := wire.Encode(&entry)
	if err != nil {
		r.t.Fatal(err)
	}
	done := make(chan struct{})
	r.jobs.Go(func() {
		defer conn.Close()
		var e wire.Event
		for n := 0; r.ctx.Err() == nil; {
			select {
			case e = <-events:
			case <-r.ctx.Done():
				return
			}
			_ = conn.Publish("$KV."+wire.Workers+"."+name, data)
			if e.Barred[name] != "" {
				continue
			}
			c, err := js.Consumer(r.ctx, wire.Jobs, e.Token)
			if err != nil {
				continue
			}
			batch, err := c.Fetch(1, jetstream.FetchMaxWait(100*time.Millisecond))
			if err != nil {
				continue
			}
			for msg := range batch.Messages() {
				job, err := wire.Decode[wire.Job](msg.Data())
				if err != nil {
					_ = msg.Nak()
					continue
				}
				res := wire.Result{Event: job.Event, Unit: job.Unit, Sent: time.Now().UnixMicro()}
				for _, g := range job.Games {
					played := arena.Game{Number: g.Number, First: g.First, Second: g.Second, Opening: arena.Opening{Moves: g.Moves}, Start: time.Now(), Wall: time.Second}
					walkGame(rules, &played, "")
					res.Games = append(res.Games, wire.EndedOf(&played))
				}
				answers := answer(n, e, &res)
				n++
				// The job is given up first: it can be queued again as soon as the lie is found.
				_ = msg.DoubleAck(r.ctx)
				for _, data := range answers {
					_, _ = js.Publish(r.ctx, wire.ResultSubject(name, job.Event, res.Unit), data)
				}
				if answers == nil {
					close(done)
					return
				}
			}
			events <- e
		}
	})
	return done
}

// send returns a result as a message.
func send(res *wire.Result) [][]byte {
	data, err := wire.Encode(&wire.Batch{Results: []wire.Result{*res}})
	if err != nil {
		panic(err)
	}
	return [][]byte{data}
}

// crashed changes a game to one that ended before its first move by a crash.
func crashed(g *wire.Ended) {
	*g = wire.Ended{Number: g.Number, Result: "0-1", Reason: string(arena.Crash), Detail: "it ended", Blame: 1, Start: g.Start, Wall: g.Wall}
}

// after starts a worker once something is done.
func (r *rig) after(done <-chan struct{}, name string) {
	r.jobs.Go(func() {
		select {
		case <-done:
			r.worker(name, r.server.Addr, 2, 2*time.Millisecond)
		case <-r.ctx.Done():
		}
	})
}

// One worker says of all games that they are void, or that bots crash: neither ends the run
// nor a game. It is set aside, and others play what it had.
func TestOneWorkersWord(t *testing.T) {
	t.Parallel()
	for name, forge := range map[string]func(*wire.Ended){
		"crashes": crashed,
		"voids": func(g *wire.Ended) {
			*g = wire.Ended{Number: g.Number, Reason: string(arena.Void), Detail: "so I say", Start: g.Start}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			aside := make(chan struct{})
			r.rogue("forger", func(n int, _ wire.Event, res *wire.Result) [][]byte {
				for i := range res.Games {
					forge(&res.Games[i])
				}
				if n == 2 {
					close(aside)
				}
				return send(res)
			})
			r.after(aside, "honest")
			r.same(r.event(t, 6), nil)
			if !r.heard("worker forger gets no games of this event: it is set aside: 3 games in a row ended there by its word alone") {
				t.Errorf("%s", strings.Join(r.said, "\n"))
			}
		})
	}
}

// A bot that is at fault at every worker is so on record, and nobody is set aside for good.
func TestBotAtFaultEverywhere(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, name := range []string{"one", "two"} {
		r.rogue(name, func(_ int, _ wire.Event, res *wire.Result) [][]byte {
			for i := range res.Games {
				if g := &res.Games[i]; g.Number%3 == 0 { // bot b meets c in some of these
					crashed(g)
				}
			}
			return send(res)
		})
	}
	list := r.run("fleet.db", r.event(t, 4), r.coord.Workers, nil)
	crashes := 0
	for i := range list {
		if list[i].Reason == arena.Crash {
			crashes++
		}
	}
	if len(list) != 24 || crashes != 8 {
		t.Errorf("%d games, %d crashes on record; want 24 and 8:\n%s", len(list), crashes, strings.Join(r.said, "\n"))
	}
}

// Results of games that a worker was never given are not recorded, and not kept for when
// they are wanted.
func TestResultsOfOthers(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	conn, err := fleet.Dial("nats://"+r.server.Addr, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	e := r.event(t, 6)
	events := r.events(conn)
	sent := make(chan struct{})
	r.jobs.Go(func() {
		told := <-events
		// All that a worker can know: the plan follows from the event.
		for number := 1; number < 36; number += 2 {
			games := []wire.Game{{Number: number, Pair: (number + 1) / 2, First: "a", Second: "b"}, {Number: number + 1, Pair: (number + 1) / 2, First: "b", Second: "a"}}
			res := wire.Result{Event: told.Token, Unit: wire.Unit([]byte("guessed"), told.Token, games), Sent: time.Now().UnixMicro()}
			for _, g := range games {
				ended := wire.Ended{Number: g.Number, Start: time.Now().UnixMicro(), Wall: 1e6}
				crashed(&ended)
				res.Games = append(res.Games, ended)
			}
			if err := conn.Publish(wire.ResultSubject("forger", told.Token, res.Unit), send(&res)[0]); err != nil {
				t.Error(err)
			}
		}
		_ = conn.Flush()
		close(sent)
	})
	r.after(sent, "honest")
	r.same(e, nil)
	if !r.heard("worker forger sent a result that does not hold, and it is left out: a result of a job that was not given to it") {
		t.Errorf("%s", strings.Join(r.said, "\n"))
	}
}

// What is out of bounds is not recorded: depths and nodes are refused, a time that no clock
// shows is put right.
func TestFieldsOutOfBounds(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	forged := []func(*wire.Ended){
		func(g *wire.Ended) { g.Nodes[0] = math.MaxInt64 },
		func(g *wire.Ended) { g.Nodes[0] = -1 },
		func(g *wire.Ended) { g.Depths[0] = math.MinInt64 / 2 },
		func(g *wire.Ended) { g.Scores[0] = fmt.Sprint(int64(math.MaxInt64)) },
		func(g *wire.Ended) { g.Start = time.Date(287000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro() },
		func(g *wire.Ended) { g.Start = math.MinInt64 },
		func(g *wire.Ended) { g.Start = math.MaxInt64 },
	}
	done := r.rogue("forger", func(n int, _ wire.Event, res *wire.Result) [][]byte {
		if n == len(forged) {
			return nil
		}
		forged[n](&res.Games[0])
		return send(res)
	})
	r.after(done, "honest")
	from := time.Now()
	s := r.open(r.dir + "/fleet.db")
	defer func() { _ = s.Close() }()
	r.play(s, r.event(t, 6), r.coord.Workers, nil, nil)
	list, err := s.Games(r.ctx, store.Filter{Event: "e", Moves: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		g := &list[i]
		if err := g.Validate(); err != nil {
			t.Errorf("game %d: %v", g.Number, err)
		}
		if g.Start.Before(from.Add(-time.Minute)) || g.Start.After(time.Now().Add(time.Minute)) {
			t.Errorf("game %d began at %v", g.Number, g.Start)
		}
	}
	for _, part := range []string{"nodes; from 0", "a depth of", "a score of"} {
		if !r.heard(part) {
			t.Errorf("nothing of %q is said:\n%s", part, strings.Join(r.said, "\n"))
		}
	}
}

// A worker of which a result did not hold is no witness of a crash that another one forged.
func TestWordOfLiars(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	lied, aside := make(chan struct{}), make(chan struct{})
	r.rogue("forger", func(n int, _ wire.Event, res *wire.Result) [][]byte {
		for i := range res.Games {
			crashed(&res.Games[i])
		}
		if n == 2 {
			close(lied)
		}
		return send(res)
	})
	r.jobs.Go(func() {
		<-lied
		r.rogue("liar", func(n int, _ wire.Event, res *wire.Result) [][]byte {
			if n == 0 {
				res.Games[0].Nodes[0] = -1
				return send(res)
			}
			for i := range res.Games {
				crashed(&res.Games[i])
			}
			if n == 3 {
				close(aside)
			}
			return send(res)
		})
	})
	r.after(aside, "honest")
	r.same(r.event(t, 6), nil)
	if said := strings.Join(r.said, "\n"); !strings.Contains(said, "worker liar gets no games of this event: it is set aside: 3 games in a row ended there by its word alone") {
		t.Errorf("%s", said)
	}
}

// A worker whose results do not hold is set aside after ten in a row, and few lines are said
// of it.
func TestResultsThatDoNotHold(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	aside := make(chan struct{})
	r.rogue("forger_1", func(n int, _ wire.Event, res *wire.Result) [][]byte {
		res.Games[0].Nodes[0] = -1 - int64(n)
		if n == 9 {
			close(aside)
		}
		data := send(res)
		for k := range 12 {
			data = append(data, fmt.Appendf(nil, "junk %d, %d", n, k))
		}
		return data
	})
	r.after(aside, "honest")
	r.same(r.event(t, 6), nil)
	said := strings.Join(r.said, "\n")
	if !strings.Contains(said, "worker forger_1 gets no games of this event: it is set aside: 10 results in a row do not hold") {
		t.Errorf("%s", said)
	}
	if n := strings.Count(said, "left out"); n > 12 || !strings.Contains(said, "100 messages under the key forger are no results that hold, and were left out") {
		t.Errorf("%d lines:\n%s", n, said)
	}
}

// A worker that sends more than is read is shut out, what it sent is dropped, and so are
// results of events that nobody plays.
func TestFlood(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	shut := make(chan string, 1)
	r.coord.Shut, r.coord.Unread = func(worker string) { shut <- worker }, 4<<20
	conn, err := fleet.Dial("nats://"+r.server.Addr, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	events := r.events(conn)
	over := make(chan struct{})
	r.jobs.Go(func() {
		defer close(over)
		<-events
		junk := make([]byte, 1<<20)
		for n, out := 0, false; !out && r.ctx.Err() == nil; n++ {
			select {
			case worker := <-shut:
				if out = true; worker != "flood_1" {
					t.Errorf("%s is shut out", worker)
				}
			default:
			}
			_ = conn.PublishMsg(&nats.Msg{Subject: wire.ResultSubject("flood_1", "ffffffffffffffffffff", fmt.Sprint(n)), Data: junk})
			_ = conn.Flush()
		}
		js, err := jetstream.New(conn)
		if err != nil {
			t.Error(err)
			return
		}
		r.until("room on the server", func() bool {
			results, err := js.Stream(r.ctx, wire.Results)
			return err == nil && results.CachedInfo().State.Bytes == 0
		})
	})
	r.after(over, "honest")
	r.same(r.event(t, 2), nil)
}

// Nothing of a revoked worker is recorded after the revoke's commit, though it is not
// noticed before the worker has sent more.
func TestNothingAfterRevoke(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.worker("bad_1", r.server.Addr, 4, 2*time.Millisecond)
	s := r.open(r.dir + "/fleet.db")
	defer func() { _ = s.Close() }()
	revoked := make(chan struct{})
	before, finished := 0, 0
	r.after(revoked, "good_1")
	r.play(s, r.event(t, 20), r.coord.Workers, func(u event.Update) {
		if u.Kind != event.GameFinished {
			return
		}
		if finished++; finished != 20 {
			return
		}
		own := r.open(r.dir + "/fleet.db") // as another process has it
		defer func() { _ = own.Close() }()
		w, err := own.Revoke(r.ctx, "bad", "a test", true)
		if err != nil {
			t.Error(err)
		}
		before = w.Games
		close(revoked)
	}, nil)
	list, err := s.Workers(r.ctx)
	if err != nil || len(list) != 2 || list[0].Name != "bad" || list[0].Games > before || list[1].Games != 120-list[0].Games {
		t.Errorf("%d games before; %+v, %v", before, list, err)
	}
}

// Values of environment variables stay where the event runs, but for those that are to be
// sent: whatever is on the server, every worker can read.
func TestSecretsStayHere(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.coord.SendEnv = []string{"THREADS"}
	e := r.event(t, 2)
	e.Bots[0].Env = []string{"API_KEY=planted-secret", "THREADS=planted-two"}
	var all []byte
	r.workerOf("w", r.server.Addr, 1, func(work event.Work) (event.Workers, error) {
		js, err := jetstream.New(r.coord.Conn)
		if err != nil {
			return nil, err
		}
		files, err := js.ObjectStore(r.ctx, wire.Files)
		if err != nil {
			return nil, err
		}
		list, err := files.List(r.ctx)
		if err != nil {
			return nil, err
		}
		for _, o := range list {
			data, err := files.GetBytes(r.ctx, o.Name)
			if err != nil {
				return nil, err
			}
			spec, err := wire.Decode[wire.Spec](data)
			if err != nil {
				return nil, err
			}
			all = fmt.Append(all, spec)
		}
		return walk(1, 0)(work)
	})
	r.run("fleet.db", e, r.coord.Workers, nil)
	if s := string(all); !strings.Contains(s, "planted-two") || strings.Contains(s, "planted-secret") {
		t.Errorf("workers read %s", s)
	}
	if !r.heard(`bot "a" runs on workers without API_KEY of its env`) {
		t.Errorf("%s", strings.Join(r.said, "\n"))
	}
}
