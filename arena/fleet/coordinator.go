package fleet

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/event"
	"botarena/arena/fleet/bundle"
	"botarena/arena/fleet/speed"
	"botarena/arena/fleet/wire"
)

// LocalName is the name of the coordinator's own slots among the workers. No key has such a
// name.
const LocalName = "_local"

// A Coordinator has an event played by a fleet. Its method Workers is what
// event.Runner asks for.
type Coordinator struct {
	// Conn is a connection that may do everything.
	Conn *nats.Conn
	// Home tells this coordinator's record from those of others that use the same
	// server: the host's name and the database's path, say.
	Home string
	// Arena is the version of this program.
	Arena string
	// Secret marks the jobs of this record, so that nobody can send results of games that
	// were not given to it. A run that goes on has the same one; nil is one of its own.
	Secret []byte
	// Local returns the workers of this machine; nil where none of its slots play.
	Local func(event.Work) (event.Workers, error)
	// Recorded returns the game of an event as it is on record, nil where it has no
	// result: what a second result is compared with.
	Recorded func(ctx context.Context, event string, number int) (*arena.Game, error)
	// Mend, where set, restarts the server where it cannot go on: it looks by itself,
	// unless force asks for it, and reports whether it did.
	Mend func(force bool) (bool, error)
	// Trusted reports whether what a worker sends is looked at; nil trusts all.
	Trusted func(worker string) bool
	// Seen, where set, is told of workers' entries, Left of workers that are there no
	// more, and Faulty of results that do not hold.
	Seen   func(wire.Worker)
	Left   func(worker string)
	Faulty func(worker string)
	// Shut, where set, lets workers with the key of that one in no more while this process
	// runs: the server is this event's alone.
	Shut func(worker string)
	// Sender packs the programs that workers get; nil means that they must have them.
	Sender *Sender
	// SendEnv names the environment variables of bots that workers are told of: each can
	// read what all are told. The others stay here.
	SendEnv []string
	// Speed is how fast this machine is under full load; zero where that was not
	// measured. Noise is how large the spread of a worker's speed may be (see
	// speed.Measured) that plays by time; 0 is without a bound.
	Speed speed.Measured
	Noise float64
	// Lease is how long a worker may be silent; 0 is wire.Lease.
	Lease time.Duration
	Now   func() time.Time
	// Tell, where set, hears of what happens to the fleet, one line at a time. Any
	// goroutine may call it.
	Tell func(line string)
}

// Workers returns what plays an event's games.
func (c *Coordinator) Workers(work event.Work) (event.Workers, error) {
	f := &fleet{
		Coordinator: c, work: work,
		games: make(chan arena.Game), outcomes: make(chan event.Outcome, 256),
		open: map[int]*openGame{}, units: map[string]*unit{}, doubts: map[string]*doubt{}, hoarding: map[string]time.Time{}, faulty: map[string]map[string]bool{},
		workers: map[string]*member{}, troubles: map[string]string{},
		changed: make(chan struct{}, 1), news: make(chan struct{}, 1),
		stopped: make(chan struct{}), closed: make(chan struct{}),
	}
	if c.Lease == 0 {
		f.lease = wire.Lease
	} else {
		f.lease = c.Lease
	}
	if f.secret = c.Secret; f.secret == nil {
		f.secret = make([]byte, 32)
		_, _ = rand.Read(f.secret) // it never fails
	}
	if c.Local != nil {
		var err error
		if f.local, err = c.Local(work); err != nil {
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
	lease  time.Duration
	secret []byte

	js       jetstream.JetStream
	mending  string      // what was told last of the server's own state
	relinked atomic.Bool // the connection was lost, and results with it
	event    wire.Event
	spec     []byte
	bundles  []bundle.ID
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
	// troubles are why workers could not play the last time.
	troubles map[string]string
	slots    int // of all workers
	next     int // slot number for the next worker
	counts   Counts
	refused  error                // why the server stored a job not, since the queue was looked at last
	longest  time.Duration        // of the games taken
	hoarding map[string]time.Time // since when workers keep more than they should; "" is whoever says nothing

	unread   map[string]int  // bytes of results that were not read yet, by key; nil where they are not counted
	strange  map[string]bool // subjects of results of other events
	flooding map[string]bool // keys that were shut out
}

// Counts say what became of results.
type Counts struct {
	Taken     int // results of games that were wanted
	Same      int // results that came again and were the same
	Different int // results that came again and were others
	Refused   int // that did not hold
	Stale     int // of games that are not, or are others
	Again     int // jobs that were lost and queued again
}

// An openGame is one that was given and has no outcome yet.
type openGame struct {
	game      arena.Game
	unit      *unit
	broadcast *broadcast // what watchers are told of it; nil for nothing
}

// A unit is a job.
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

// Start makes ready: the bots of this machine, the streams, the event's own
// consumers.
func (f *fleet) Start(air context.Context) error {
	f.playing, f.breakOff = context.WithCancel(air)
	if f.local != nil {
		if err := f.local.Start(air); err != nil {
			return err
		}
	}
	shared := f.shared()
	text, err := config.Encode(shared)
	if err != nil {
		return err
	}
	spec := wire.Spec{Config: string(text)}
	if f.work.Exact != nil {
		spec.Tables = f.work.Exact.Print
	}
	var sources []bundle.Source
	if f.Sender != nil {
		if sources, err = f.Sender.sources(air, shared.Bots); err != nil {
			return err
		}
	}
	for i, b := range shared.Bots {
		bot := wire.Bot{Name: b.Name, Fingerprint: b.Fingerprint}
		if sources != nil {
			bot.Source = sources[i]
		}
		spec.Bots = append(spec.Bots, bot)
		f.needs(&bot.Source)
	}
	if f.work.Event.Rules != nil {
		if f.Sender == nil {
			return fmt.Errorf("event %q: its rules are a program, and workers have no way to get it", f.work.Event.Name)
		}
		rules, err := f.Sender.rules(air, &shared)
		if err != nil {
			return err
		}
		spec.Rules = &rules
		f.needs(&rules)
	}
	if f.spec, err = spec.Encode(); err != nil {
		return fmt.Errorf("event %q for the fleet: %w", f.work.Event.Name, err)
	}
	sum := wire.Sum(f.spec)
	const digits = 20
	f.event = wire.Event{
		Token: wire.Sum([]byte(f.Home + "\x00" + f.work.Event.Name + "\x00" + sum))[:digits],
		Name:  f.work.Event.Name, Spec: sum, Class: Class(&f.work.Event), Lease: f.lease.Milliseconds(),
		Noise: f.Noise, Speed: f.Speed.Speed, Scale: f.work.Event.Scale == arena.ScaleMeasured,
	}
	if f.js, err = jetstream.New(f.Conn, jetstream.WithPublishAsyncMaxPending(maxPending)); err != nil {
		return err
	}
	f.startOver(air)
	told := func(err error) { f.tell(fmt.Sprintf("the fleet's server is not ready: %v", err)) }
	if err := retry(air, told, f.provision); err != nil {
		return fmt.Errorf("prepare the fleet: %w", err)
	}
	if f.Shut != nil {
		f.tidy(air)
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

// shared returns the event as workers are told of it, without the values of environment
// variables that are not to be sent.
func (f *fleet) shared() arena.Event {
	e := f.work.Event
	e.Bots = slices.Clone(e.Bots)
	for i := range e.Bots {
		b := &e.Bots[i]
		b.Env = f.sent(fmt.Sprintf("bot %q", b.Name), b.Env)
	}
	if e.Rules != nil {
		rules := *e.Rules
		rules.Env = f.sent("the program of the rules", rules.Env)
		e.Rules = &rules
	}
	return e
}

func (f *fleet) sent(whose string, env []string) (sent []string) {
	var kept []string
	for _, entry := range env {
		name, _, _ := strings.Cut(entry, "=")
		if slices.Contains(f.SendEnv, name) {
			sent = append(sent, entry)
		} else {
			kept = append(kept, name)
		}
	}
	if kept != nil {
		f.work.Warn(fmt.Sprintf("%s runs on workers without %s of its env, which every worker could read; --send-env %s sends it", whose, strings.Join(kept, ", "), strings.Join(kept, ",")))
	}
	return sent
}

// needs takes note of bundles that workers are to find on the server.
func (f *fleet) needs(s *bundle.Source) {
	if s.Bundle != "" && !slices.Contains(f.bundles, s.Bundle) {
		f.bundles = append(f.bundles, s.Bundle)
	}
}

// Class is what a worker must be able to do for an event: fixed where all clocks
// are nodes or depth, timed where one is time.
func Class(e *arena.Event) string {
	for _, b := range e.Bots {
		c := e.Clock
		if b.Clock != nil {
			c = *b.Clock
		}
		if c.Timed() && !b.Withdrawn {
			return timed
		}
	}
	return "fixed"
}

// listen hears what workers say beside results.
func (f *fleet) listen() error {
	all := map[string]nats.MsgHandler{
		wire.BegunOf(f.event.Token):   f.onBegun,
		wire.TroubleOf(f.event.Token): f.onTrouble,
		wire.LiveOf(f.event.Token):    f.onLive,
		wire.AllWorkers():             f.onWorker,
	}
	if f.Shut != nil {
		f.unread, f.strange, f.flooding = map[string]int{}, map[string]bool{}, map[string]bool{}
		all[wire.AllResults()] = f.onResult
	}
	for subject, hear := range all {
		if _, err := f.Conn.Subscribe(subject, hear); err != nil {
			return err
		}
	}
	return f.Conn.FlushTimeout(answer)
}

// beat tells workers of the event, again and again.
func (f *fleet) beat() {
	tick := time.NewTicker(wire.Beat)
	defer tick.Stop()
	for {
		f.announce(false)
		select {
		case <-tick.C:
		case <-f.news:
			continue
		case <-f.stopped:
			f.announce(true)
			return
		case <-f.closed:
			return
		}
		f.forget()
	}
}

func (f *fleet) announce(ending bool) {
	e := f.event
	e.Ending, e.Watched = ending, f.work.Feed.Watched()
	f.mu.Lock()
	for name, m := range f.workers {
		if m.barred != "" {
			if e.Barred == nil {
				e.Barred = map[string]string{}
			}
			e.Barred[name] = m.barred
		}
	}
	f.mu.Unlock()
	if data, err := e.Encode(); err == nil {
		_ = f.Conn.Publish(wire.EventSubject(e.Token), data)
	}
}

// room wakes whoever waits for room for more games.
func (f *fleet) room() {
	select {
	case f.changed <- struct{}{}:
	default:
	}
}

func (f *fleet) onBegun(msg *nats.Msg) {
	name := wire.Last(msg.Subject)
	f.mu.Lock()
	defer f.mu.Unlock()
	u := f.units[name]
	switch {
	case u == nil:
	case string(msg.Data) != wire.GivenBack:
		u.begun, u.since = wire.WorkerOf(msg.Subject), f.Now()
	default:
		u.begun = ""
		f.withdraw(u)
		if f.stopping() {
			// The games of it that ended are on their way.
			time.AfterFunc(lastBegun, func() { f.takeOut(u) })
		}
	}
}

// takeOut takes back what is left of a unit that nobody plays.
func (f *fleet) takeOut(u *unit) {
	var back []event.Outcome
	f.mu.Lock()
	if u.begun == "" {
		back = f.takeBack(u)
	}
	f.mu.Unlock()
	f.give(back)
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

// Games takes the games to play.
func (f *fleet) Games() chan<- arena.Game { return f.games }

// Outcomes returns what became of them.
func (f *fleet) Outcomes() <-chan event.Outcome { return f.outcomes }

// Stop keeps games that are in hand from beginning.
func (f *fleet) Stop() {
	f.stop.Do(func() {
		close(f.stopped)
		if f.local != nil {
			f.local.Stop()
		}
	})
}

// Close ends the bots of this machine, and takes what is left of the event off the
// server.
func (f *fleet) Close() {
	interrupted := f.stopping()
	f.Stop()
	close(f.closed)
	if f.breakOff != nil {
		f.breakOff()
	}
	f.running.Wait()
	if f.local != nil {
		f.local.Close()
	}
	if !f.ready {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(f.playing), answer)
	defer cancel()
	f.sweep(ctx, interrupted)
}

// sweep removes the event's jobs, and its results where it was not interrupted: the
// run that goes on with it takes those. Whatever is not removed does no harm, since
// that run knows what is recorded.
func (f *fleet) sweep(ctx context.Context, interrupted bool) {
	f.cancel(true)
	for stream, subject := range map[string]string{
		wire.Jobs: wire.JobsOf(f.event.Token), wire.Results: wire.ResultsOf(f.event.Token),
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
	c := wire.Cancel{Hard: hard}
	if data, err := c.Encode(); err == nil {
		_ = f.Conn.Publish(wire.CancelSubject(f.event.Token), data)
	}
}
