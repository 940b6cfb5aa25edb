package fleet

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"botarena/arena"
	"botarena/arena/event"
	"botarena/arena/fleet/bundle"
	"botarena/arena/fleet/speed"
	"botarena/arena/fleet/wire"
)

// LocalName is the name of the coordinator's own slots among the workers. No key has such a
// name.
const LocalName = "_local"

// A Coordinator plays an event with a fleet. Its method Workers is the value for the
// field Workers of event.Runner.
type Coordinator struct {
	// Conn is a connection with all permissions.
	Conn *nats.Conn
	// Home identifies this coordinator's record among those on the same server, such as
	// by the host's name and the database's path.
	Home string
	// Arena is the version of this program.
	Arena string
	// Secret signs the names of this record's jobs, so that workers can only send
	// results of games given to them. A resumed run needs the same one; nil makes a new
	// one.
	Secret []byte
	// Local returns the workers of this machine; nil if none of its slots play.
	Local func(event.Work) (event.Workers, error)
	// Recorded reports whether a game of an event has a result on record: a repeated
	// result is dropped.
	Recorded func(ctx context.Context, event string, number int) (bool, error)
	// Mend, if set, restarts the server if it is damaged, or if force is set, and
	// reports whether it did.
	Mend func(force bool) (bool, error)
	// Trusted reports whether a worker's messages are accepted; nil trusts all.
	Trusted func(worker string) bool
	// Seen, if set, is called with workers' entries, Left with workers that have gone,
	// and Faulty with workers whose results were refused.
	Seen   func(wire.Worker)
	Left   func(worker string)
	Faulty func(worker string)
	// Shut, if set, refuses workers with the key of that one while this process runs.
	// It is set if the server serves this coordinator alone.
	Shut func(worker string)
	// Unread limits the bytes of results of one key's workers that wait to be read, on a
	// server whose workers can be shut out; 0 is 256 MiB.
	Unread int
	// Packer packs the programs for workers; nil means that workers must have them.
	Packer *bundle.Packer
	// SendEnv names the environment variables of bots whose values are sent to workers,
	// all of whom can read them.
	SendEnv []string
	// Speed is this machine's speed under full load; zero if not measured. Noise is the
	// largest spread of speed (see speed.Measured) at which a worker plays by time; 0
	// is no bound.
	Speed speed.Measured
	Noise float64
	// Lease limits how long a worker may be silent; 0 is wire.Lease.
	Lease time.Duration
	Now   func() time.Time
	// Tell, if set, is called with news of the fleet, one line at a time, from any
	// goroutine.
	Tell func(line string)

	runs runs
}

// Workers returns the workers that play an event's games.
func (c *Coordinator) Workers(work event.Work) (event.Workers, error) {
	return c.workers(work, c.Local, nil)
}

func (c *Coordinator) workers(work event.Work, local func(event.Work) (event.Workers, error), mine Share) (event.Workers, error) {
	f := &fleet{
		Coordinator: c, work: work, mine: mine,
		games: make(chan arena.Game), outcomes: make(chan event.Outcome, 256),
		open: map[int]*openGame{}, units: map[string]*unit{}, doubts: map[string]*doubt{}, hoarding: map[string]time.Time{}, faulty: map[string]map[string]bool{},
		leftOut: map[string]int{}, lied: map[string]bool{},
		workers: map[string]*member{}, troubles: map[string]string{},
		changed: make(chan struct{}, 1), news: make(chan struct{}, 1),
		stopped: make(chan struct{}), closed: make(chan struct{}),
	}
	f.lease = cmp.Or(c.Lease, wire.Lease)
	if f.secret = c.Secret; f.secret == nil {
		f.secret = make([]byte, 32)
		_, _ = rand.Read(f.secret) // it never fails
	}
	if local != nil {
		var err error
		if f.local, err = local(work); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// A fleet is the event.Workers of one event.
type fleet struct {
	*Coordinator
	work   event.Work
	local  event.Workers // nil for none
	mine   Share         // nil if all workers play for this run
	lease  time.Duration
	secret []byte

	js       jetstream.JetStream
	mending  string       // what was told last of the server's own state
	relinked atomic.Bool  // the connection was lost, and results with it
	losses   atomic.Int32 // of jobs, since a result came
	event    wire.Event
	spec     []byte
	bundles  []bundle.ID
	heard    []*nats.Subscription
	ready    bool // Start succeeded
	running  sync.WaitGroup
	playing  context.Context //nolint:containedctx // lives as long as the fleet does
	breakOff context.CancelFunc

	games    chan arena.Game
	outcomes chan event.Outcome
	news     chan struct{} // holds a token when the event is to be told of at once
	changed  chan struct{} // holds a token when there may be room for more games
	stop     sync.Once
	stopped  chan struct{} // closed by Stop
	closed   chan struct{}

	mu      sync.Mutex
	open    map[int]*openGame          // given and not yet decided, by number
	units   map[string]*unit           // by name
	doubts  map[string]*doubt          // by the worker's name: see doubt.go
	faulty  map[string]map[string]bool // the workers at which a bot was at fault, by its name
	workers map[string]*member
	leftOut map[string]int  // messages that were left out, by key
	lied    map[string]bool // keys that sent an invalid result
	// troubles holds the last reasons why workers could not play, by worker.
	troubles map[string]string
	slots    int                  // of all workers that play for this run
	given    bool                 // it has had games
	next     int                  // slot number for the next worker
	refused  error                // why the server stored a job not, nil once it has stored one
	longest  time.Duration        // of the games taken
	hoarding map[string]time.Time // since when workers keep more than they should; "" is whoever says nothing

	unread   map[string]int  // bytes of results that were not read yet, by key; nil if they are not counted
	strange  map[string]bool // subjects of results of other events
	flooding map[string]bool // keys that were shut out
}

// openGame is a game without an outcome yet.
type openGame struct {
	game      arena.Game
	unit      *unit
	broadcast *broadcast // what watchers are told of it; nil for nothing
}

// unit is a job: the games that one worker plays together.
type unit struct {
	name    string
	numbers []int
	data    []byte
	left    int       // games without an outcome
	tried   time.Time // when it was published last
	queued  bool      // the stream has it, or had it
	gone    time.Time // when the stream was first found without it; zero where it has it
	before  uint64    // its result, if there is one, comes before this one
	silent  bool      // the stream had it when it was looked at last, and nobody was given anything
	since   time.Time // when that was said
	begun   string    // the worker that plays it, as far as is known
	held    bool      // its result is held back: see doubt.go
	voided  []string  // the workers at which it was void
}

// Start prepares the bots of this machine, the streams, and the event's consumers.
func (f *fleet) Start(botsCtx context.Context) error {
	f.playing, f.breakOff = context.WithCancel(botsCtx)
	if f.local != nil {
		if err := f.local.Start(botsCtx); err != nil {
			return err
		}
	}
	if err := f.describe(botsCtx); err != nil {
		return err
	}
	f.runs.begin(f.event.Token, f.objects())
	var err error
	if f.js, err = jetstream.New(f.Conn, jetstream.WithPublishAsyncMaxPending(maxPending)); err != nil {
		return err
	}
	f.running.Go(f.watchServer)
	f.startOver(botsCtx)
	told := func(err error) { f.tell(fmt.Sprintf("the fleet's server is not ready: %v", err)) }
	tries := 0
	if err := retry(botsCtx, told, func(ctx context.Context) error {
		if tries++; tries%mostFailing == 0 {
			f.repair(true)
		}
		return f.provision(ctx)
	}); err != nil {
		return fmt.Errorf("prepare the fleet: %w", err)
	}
	if f.Shut != nil {
		f.tidy(botsCtx)
	}
	if err := f.listen(); err != nil {
		return fmt.Errorf("prepare the fleet: %w", err)
	}
	f.ready = true
	f.running.Go(f.beat)
	f.running.Go(f.intake)
	f.running.Go(f.results)
	f.running.Go(f.reconcile)
	f.running.Go(f.endings)
	if f.local != nil {
		f.running.Go(f.playLocally)
	}
	return nil
}

// listen subscribes to workers' messages other than results.
func (f *fleet) listen() error {
	all := map[string]nats.MsgHandler{
		wire.BegunSubject(wire.Any, f.event.Token, wire.Any): f.onBegun,
		wire.TroubleSubject(wire.Any, f.event.Token):         f.onTrouble,
		wire.LiveSubject(wire.Any, f.event.Token):            f.onLive,
		wire.WorkerSubject(wire.Any):                         f.onWorker,
	}
	if f.Shut != nil {
		f.unread, f.strange, f.flooding = map[string]int{}, map[string]bool{}, map[string]bool{}
		all[wire.ResultSubject(wire.Any, wire.Any, wire.Any)] = f.onResult
	}
	for subject, hear := range all {
		s, err := f.Conn.Subscribe(subject, hear)
		if err != nil {
			return err
		}
		f.heard = append(f.heard, s)
	}
	return f.Conn.FlushTimeout(answer)
}

func (f *fleet) tell(line string) {
	if f.Tell != nil {
		f.Tell(line)
	}
}

// playLocally plays on this machine's slots, as every worker does.
func (f *fleet) playLocally() {
	n, _ := f.local.Slots()
	f.join(wire.Worker{Name: LocalName, Slots: n})
	p := &player{
		conn: f.Conn, js: f.js, name: LocalName, event: f.event, game: f.work.Game.Name(),
		workers: f.local, slots: n, tell: f.work.Warn, now: f.Now, stats: &stats{},
	}
	p.run(f.playing, f.stopped)
	if f.playing.Err() == nil && p.trouble.Load() >= mostTrouble {
		f.work.Warn("this machine's slots play no more: games failed one after the other")
	}
}

// Games accepts games to be played.
func (f *fleet) Games() chan<- arena.Game { return f.games }

// Outcomes returns the channel of outcomes.
func (f *fleet) Outcomes() <-chan event.Outcome { return f.outcomes }

// Stop prevents jobs that have not begun from starting.
func (f *fleet) Stop() {
	f.stop.Do(func() {
		close(f.stopped)
		if f.local != nil {
			f.local.Stop()
		}
	})
}

// Close ends the bots of this machine, and removes the event from the server.
func (f *fleet) Close() {
	interrupted := isClosed(f.stopped)
	f.Stop()
	close(f.closed)
	if f.breakOff != nil {
		f.breakOff()
	}
	f.running.Wait()
	for _, s := range f.heard {
		_ = s.Unsubscribe() // a lost connection has none
	}
	if f.local != nil {
		f.local.Close()
	}
	if f.event.Token != "" {
		defer f.runs.end(f.event.Token)
	}
	f.mu.Lock()
	for name := range f.workers {
		f.runs.know(name, -1)
	}
	clear(f.workers)
	f.mu.Unlock()
	if !f.ready {
		return
	}
	f.tellLeftOut()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(f.playing), answer)
	defer cancel()
	f.sweep(ctx, interrupted)
}

// sweep removes the event's jobs, and its results unless it was interrupted: the run
// that resumes it takes those. Anything left does no harm, since that run knows what is
// recorded.
func (f *fleet) sweep(ctx context.Context, interrupted bool) {
	f.cancel(true)
	for stream, subject := range map[string]string{
		wire.Jobs: wire.JobSubject(wire.Any, f.event.Token, wire.Any), wire.Results: wire.ResultSubject(wire.Any, f.event.Token, wire.Any),
	} {
		if interrupted && stream == wire.Results {
			continue
		}
		_ = f.js.DeleteConsumer(ctx, stream, f.event.Token)
		if s, err := f.js.Stream(ctx, stream); err == nil {
			_ = s.Purge(ctx, jetstream.WithPurgeSubject(subject))
		}
	}
	_ = f.Conn.FlushWithContext(ctx)
}

func (f *fleet) cancel(hard bool) {
	publish(f.Conn, wire.CancelSubject(f.event.Token), &wire.Cancel{Hard: hard})
}
