package fleet_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/event"
	"botarena/arena/fleet"
	"botarena/arena/fleet/embedded"
	"botarena/arena/fleet/wire"
	"botarena/arena/live"
	"botarena/arena/process"
	"botarena/arena/store"
	"botarena/engine"
	"botarena/engine/games"
)

// walkers are event.Workers that play random legal moves, the same for the same
// game, and wait for each as long as they are told.
type walkers struct {
	work     event.Work
	slots    int
	wait     time.Duration
	salt     func() string // changes the moves
	late     bool          // the first move never comes
	clock    func() time.Time
	before   func(arena.Game)
	games    chan arena.Game
	outcomes chan event.Outcome
	stopped  chan struct{}
	stop     sync.Once
	running  sync.WaitGroup
	playing  context.Context
}

func walk(slots int, wait time.Duration) func(event.Work) (event.Workers, error) {
	return walkSalted(slots, wait, nil)
}

func walkSalted(slots int, wait time.Duration, salt func() string) func(event.Work) (event.Workers, error) {
	return func(work event.Work) (event.Workers, error) {
		return &walkers{
			work: work, slots: slots, wait: wait, salt: salt, clock: time.Now, stopped: make(chan struct{}),
			games: make(chan arena.Game, slots), outcomes: make(chan event.Outcome, 2*slots),
		}, nil
	}
}

func (w *walkers) Start(air context.Context) error {
	w.playing = air
	for range w.slots {
		w.running.Go(func() {
			for g := range w.games {
				w.outcomes <- w.play(g)
			}
		})
	}
	return nil
}

func (w *walkers) play(g arena.Game) event.Outcome {
	o := event.Outcome{Game: g}
	select {
	case <-w.stopped:
		return o
	default:
	}
	o.Begun = true
	began, from := w.clock(), time.Now()
	if w.before != nil {
		w.before(g)
	}
	if w.wait > 0 {
		select {
		case <-time.After(w.wait):
		case <-w.playing.Done():
			o.Game.Reason, o.Game.Detail, o.Interrupted = arena.Void, "interrupted", true
			return o
		}
	}
	salt := ""
	if w.salt != nil {
		salt = w.salt()
	}
	walkGame(w.work.Game, &o.Game, salt)
	o.Game.Start, o.Game.Wall = began, time.Since(from)
	if w.late {
		o.Game.Moves, o.Game.Plies = nil, 0
		o.Game.Result, o.Game.Reason, o.Game.Detail, o.Game.Blame = arena.ResultFor(engine.Second), arena.TimeForfeit, "no move", o.Game.First
		o.Game.Wall = time.Hour
	}
	return o
}

// walkGame plays a game to its end by the rules.
func walkGame(rules engine.Game, g *arena.Game, salt string) {
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, g.Number, g.First, g.Second, salt)
	rng := rand.New(rand.NewPCG(h.Sum64(), 1))
	pos := rules.Start()
	for _, text := range g.Opening.Moves {
		m, err := pos.ParseMove(text)
		if err != nil {
			panic(err)
		}
		pos.Play(m)
	}
	var legal []engine.Move
	for !pos.Outcome().Over {
		legal = pos.Legal(legal[:0])
		m := legal[rng.IntN(len(legal))]
		g.Moves = append(g.Moves, arena.MoveRecord{Move: string(pos.AppendMove(nil, m)), Depth: rng.IntN(9), HasScore: true, Score: rng.IntN(99)})
		pos.Play(m)
	}
	out := pos.Outcome()
	g.Result, g.Reason, g.Detail, g.Plies = arena.ResultFor(out.Winner), arena.WinByRule, out.Reason, len(g.Moves)
}

func (w *walkers) Games() chan<- arena.Game       { return w.games }
func (w *walkers) Outcomes() <-chan event.Outcome { return w.outcomes }
func (w *walkers) Stop()                          { w.stop.Do(func() { close(w.stopped) }) }
func (w *walkers) Slots() (n int, pinned bool)    { return w.slots, false }
func (w *walkers) Close()                         { w.Stop(); close(w.games); w.running.Wait() }

// A rig is a server, a database and what runs on them.
type rig struct {
	t      testing.TB
	dir    string
	server *embedded.Server
	coord  *fleet.Coordinator
	// enter are what a worker's connection needs; nil for nothing.
	enter func(worker string) []nats.Option
	soft  <-chan struct{} // interrupts the event; nil for never

	mu   sync.Mutex
	said []string
	jobs sync.WaitGroup
	ctx  context.Context
}

func newRig(t testing.TB, change ...func(*embedded.Options)) *rig {
	t.Helper()
	r := &rig{t: t, dir: t.TempDir(), enter: func(string) []nats.Option { return nil }}
	options := embedded.Options{Listen: "127.0.0.1:0", Dir: filepath.Join(r.dir, "fleet")}
	for _, c := range change {
		c(&options)
	}
	var err error
	if r.server, err = embedded.Start(options); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.ctx = ctx
	conn, err := r.server.Connect(fleet.Reconnecting(r.say)...)
	if err != nil {
		t.Fatal(err)
	}
	r.coord = &fleet.Coordinator{Conn: conn, Home: r.dir, Now: time.Now, Lease: time.Second, Tell: r.say, Mend: r.server.Mend}
	t.Cleanup(func() {
		cancel()
		r.jobs.Wait()
		conn.Close()
		r.server.Close()
	})
	return r
}

func (r *rig) say(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said = append(r.said, line)
}

func (r *rig) heard(part string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Contains(strings.Join(r.said, "\n"), part)
}

// worker starts a worker that joins at an address.
func (r *rig) worker(name, addr string, slots int, wait time.Duration) {
	r.t.Helper()
	r.workerOf(name, addr, slots, walk(slots, wait))
}

func (r *rig) workerOf(name, addr string, slots int, play func(event.Work) (event.Workers, error), change ...func(*fleet.Worker)) {
	r.t.Helper()
	conn, err := fleet.Dial("nats://"+addr, r.say, append(r.enter(name), nats.CustomInboxPrefix(wire.InboxPrefix(name)))...)
	if err != nil {
		r.t.Fatal(err)
	}
	w := &fleet.Worker{
		Conn: conn, Name: name, Platform: "test", Slots: slots, Now: time.Now, Tell: r.say,
		Play: play, Known: arena.Known{Catalog: games.All(), Builtins: []string{"a", "b", "c"}},
		Bring: func(_ context.Context, b arena.Bot, _ wire.Bot, _ fleet.Fetch) (arena.Bot, func(), error) {
			return b, func() {}, nil
		},
	}
	for _, c := range change {
		c(w)
	}
	r.jobs.Go(func() {
		defer conn.Close()
		if err := w.Run(r.ctx, r.ctx.Done()); err != nil {
			r.say(err.Error())
		}
	})
}

func (r *rig) event(t testing.TB, rounds int) arena.Event {
	t.Helper()
	text := fmt.Sprintf("event: e\ngame: breakthrough:5x5\nclock: {nodes: 1}\nrounds: %d\nseed: 3\nopenings: {random: 2}\nbots: [{builtin: a}, {builtin: b}, {builtin: c}]\n", rounds)
	e, err := config.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// open opens a record.
func (r *rig) open(path string) *store.Store {
	r.t.Helper()
	s, err := store.Open(context.Background(), path, time.Now)
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

// play plays an event with workers, recording it there.
func (r *rig) play(s *store.Store, e arena.Event, workers func(event.Work) (event.Workers, error), observe func(event.Update), hub *live.Hub) {
	r.t.Helper()
	ctx := context.Background()
	r.coord.Recorded = func(ctx context.Context, event string, number int) (bool, error) {
		list, err := s.Games(ctx, store.Filter{Event: event, Number: number, Played: true})
		return len(list) > 0, err
	}
	self, err := process.Self()
	if err != nil {
		r.t.Fatal(err)
	}
	t := &event.Runner{
		Store: s, Self: self, Catalog: games.All(), BuiltinVersion: func(string) string { return "1" }, Now: time.Now, Live: hub,
		Workers: workers, Observe: func(u event.Update) {
			if u.Kind == event.Warning {
				r.say(u.Text)
			}
			if observe != nil {
				observe(u)
			}
		},
	}
	if _, err := t.Run(ctx, e, event.Options{Soft: r.soft}); err != nil && !errors.Is(err, event.ErrInterrupted) {
		r.t.Fatal(err)
	}
}

// run plays an event with workers and returns its games.
func (r *rig) run(db string, e arena.Event, workers func(event.Work) (event.Workers, error), observe func(event.Update)) []store.Game {
	r.t.Helper()
	return r.runLive(db, e, workers, observe, nil)
}

func (r *rig) runLive(db string, e arena.Event, workers func(event.Work) (event.Workers, error), observe func(event.Update), hub *live.Hub) []store.Game {
	r.t.Helper()
	s := r.open(filepath.Join(r.dir, db))
	defer func() { _ = s.Close() }()
	r.play(s, e, workers, observe, hub)
	return gamesOf(r.t, s, e.Name)
}

// gamesOf returns the games of an event, without what differs from run to run.
func gamesOf(t testing.TB, s *store.Store, event string) []store.Game {
	t.Helper()
	list, err := s.Games(context.Background(), store.Filter{Event: event, Moves: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		g := &list[i]
		g.Start, g.Wall, g.Worker, g.Attempts, g.ID = time.Time{}, 0, "", 0, 0
	}
	return list
}

// wholes holds, by name and rounds, the games of events that were played at one place.
var wholes sync.Map

// whole returns the games of an event of [rig.event] played at one place.
func (r *rig) whole(e arena.Event) []store.Game {
	r.t.Helper()
	key := fmt.Sprintf("%s-%d.db", e.Name, e.Rounds)
	games, ok := wholes.Load(key)
	if !ok {
		games = r.run(key, e, walk(1, 0), nil)
		wholes.Store(key, games)
	}
	return games.([]store.Game)
}

// same wants the fleet's games to be those of the event played at one place.
func (r *rig) same(e arena.Event, observe func(event.Update)) {
	r.t.Helper()
	want := r.whole(e)
	got := r.run("fleet.db", e, r.coord.Workers, observe)
	if len(got) == 0 || !reflect.DeepEqual(got, want) {
		r.t.Errorf("%d games differ from %d:\n%s", len(got), len(want), strings.Join(r.said, "\n"))
	}
}

func TestFleet(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for i := range 3 {
		r.worker(fmt.Sprintf("w%d", i), r.server.Addr, 2, 0)
	}
	r.same(r.event(t, 8), nil)
}

// A worker that joins late plays: the event began without any.
func TestLateWorker(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.coord.Tell = func(string) {}
	late := time.AfterFunc(time.Second, func() { r.worker("late", r.server.Addr, 2, 0) })
	defer late.Stop()
	var first time.Time
	r.same(r.event(t, 2), func(u event.Update) {
		if u.Kind == event.GameFinished && first.IsZero() {
			first = time.Now()
		}
	})
	if first.IsZero() {
		t.Error("no game was played")
	}
}

// A liar takes jobs, and sends what is not so: none of it is recorded, all of it is
// told with its name.
func TestLiar(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	lies, told := r.lie("liar")
	r.jobs.Go(func() { // once all lies are told: else there may be nothing left to lie about
		select {
		case <-told:
			r.worker("honest", r.server.Addr, 2, 2*time.Millisecond)
		case <-r.ctx.Done():
		}
	})
	r.same(r.event(t, 20), nil)
	for _, part := range lies {
		if !r.heard("worker liar sent a result that does not hold") || !r.heard(part) {
			t.Errorf("nothing of %q is said:\n%s", part, strings.Join(r.said, "\n"))
		}
	}
}

// events returns the events that are told of.
func (r *rig) events(conn *nats.Conn) chan wire.Event {
	r.t.Helper()
	events := make(chan wire.Event, 100)
	if _, err := conn.Subscribe(wire.EventSubject(wire.Any), func(m *nats.Msg) {
		if e, err := wire.Decode[wire.Event](m.Data); err == nil {
			select {
			case events <- e:
			default:
			}
		}
	}); err != nil {
		r.t.Fatal(err)
	}
	return events
}

// lie starts a worker that answers each job with another lie; it returns what is
// said of them, and a channel that is closed once each was told.
func (r *rig) lie(name string) ([]string, <-chan struct{}) {
	r.t.Helper()
	lies := []func(*wire.Result){
		func(res *wire.Result) { res.Games[0].Result = flip(res.Games[0].Result) },
		func(res *wire.Result) { res.Games[0].Moves = "a1a5" + res.Games[0].Moves[4:] },
		func(res *wire.Result) { res.Event = "ffffffffffffffffffff" },
		func(res *wire.Result) { res.Games[0].Number += 100_000 },
		func(res *wire.Result) { res.Games[1] = res.Games[0] },
		func(res *wire.Result) { res.Games[0].Times = nil },
		func(res *wire.Result) { res.Games[0].Reason, res.Games[0].Detail = "resign", "" },
		nil, // garbage
	}
	told := r.rogue(name, func(n int, _ wire.Event, res *wire.Result) [][]byte {
		switch {
		case n == len(lies):
			return nil
		case lies[n] == nil:
			return [][]byte{[]byte("\x01garbage")}
		}
		lies[n](res)
		return send(res)
	})
	return []string{"it ends with", "ply 1", "another event", "is not of the job", "lists of", "cannot be inflated"}, told
}

// until calls try every few milliseconds until it returns true.
func (r *rig) until(what string, try func() bool) {
	r.t.Helper()
	for end := time.Now().Add(2 * time.Minute); !try(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.t.Fatalf("%s does not come:\n%s", what, strings.Join(r.said, "\n"))
		}
	}
}

func flip(result string) string {
	if result == "1-0" {
		return "0-1"
	}
	return "1-0"
}

// Results come again, later and in another order, under other ids: they are compared
// and dropped.
func TestDuplicates(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	meddler, err := fleet.Dial("nats://"+r.server.Addr, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer meddler.Close()
	rng := rand.New(rand.NewPCG(1, 2))
	again := 0
	if _, err := meddler.Subscribe(wire.ResultSubject(wire.Any, wire.Any, wire.Any), func(m *nats.Msg) {
		if m.Header.Get("Meddled") != "" || rng.IntN(2) == 0 {
			return
		}
		msg := nats.NewMsg(m.Subject)
		msg.Data = m.Data
		msg.Header.Set("Meddled", "yes")
		again++
		time.AfterFunc(time.Duration(rng.IntN(300))*time.Millisecond, func() { _ = meddler.PublishMsg(msg) })
	}); err != nil {
		t.Fatal(err)
	}
	if err := meddler.Flush(); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		r.worker(fmt.Sprintf("w%d", i), r.server.Addr, 2, 3*time.Millisecond)
	}
	r.same(r.event(t, 12), nil)
	if again == 0 {
		t.Error("nothing came again")
	}
}

// Two runs share a server and its workers, which go to the run that a Share names and play
// the games that they have to their end: both runs are the same as alone, nothing is lost,
// and nobody is told that a worker gets no games.
func TestTwoRuns(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.coord.Shut = func(string) {} // the server serves this coordinator alone
	for i := range 3 {
		r.worker(fmt.Sprintf("w%d", i), r.server.Addr, 2, 100*time.Millisecond)
	}
	s := r.open(filepath.Join(r.dir, "both.db"))
	defer func() { _ = s.Close() }()
	r.coord.Recorded = func(ctx context.Context, event string, number int) (bool, error) {
		list, err := s.Games(ctx, store.Filter{Event: event, Number: number, Played: true})
		return len(list) > 0, err
	}
	self, err := process.Self()
	if err != nil {
		t.Fatal(err)
	}
	var turn atomic.Int32 // of the run that has the workers
	played := [2]int{}
	ended := make(chan int32, 2)
	run := func(n int32, e arena.Event) {
		runner := &event.Runner{
			Store: s, Self: self, Catalog: games.All(), BuiltinVersion: func(string) string { return "1" }, Now: time.Now,
			Workers: r.coord.Shared(nil, func(c fleet.Claim) bool { return c.Slots > 0 && turn.Load() == n }),
			Observe: func(u event.Update) {
				if u.Kind == event.GameFinished {
					if played[n]++; n == 0 && played[n] == 10 {
						turn.Store(1)
					}
				}
			},
		}
		if _, err := runner.Run(r.ctx, e, event.Options{}); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
		ended <- n
		turn.Store(1 - n)
	}
	first, second := r.event(t, 36), r.event(t, 2)
	second.Name = "f"
	var both sync.WaitGroup
	both.Go(func() { run(0, first) })
	r.until("the first run plays", func() bool { return turn.Load() == 1 })
	both.Go(func() { run(1, second) })
	both.Wait()
	if <-ended != 1 {
		t.Error("the workers did not leave the first run for the second")
	}
	for _, e := range []arena.Event{first, second} {
		want := r.whole(e)
		if got := gamesOf(t, s, e.Name); len(got) == 0 || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %d games differ from %d", e.Name, len(got), len(want))
		}
	}
	for _, wrong := range []string{"gets no games", "gives no games", "were lost", "left out"} {
		if r.heard(wrong) {
			t.Errorf("%q is said:\n%s", wrong, strings.Join(r.said, "\n"))
		}
	}
}
