package event

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/live"
	"botarena/arena/openings"
	"botarena/arena/schedule"
	"botarena/arena/store"
	"botarena/engine"
)

const (
	mostVoids  = 5                // void attempts at one game in one run, interruptions not counted
	touchEvery = 30 * time.Second // sign of life to the database

	queueLength = 1000 // games that are read from the database at once
)

// A run is the state of one Run call. Its fields belong to the goroutine that called
// it, unless they say otherwise.
type run struct {
	*Runner
	opt       Options
	event     arena.Event
	game      engine.Game
	closeGame func() error // ends the program that knows the game's rules, if there is one
	// asking is the context of that program. hush cancels it: if the run is to end
	// before games are played, and after them.
	asking    context.Context //nolint:containedctx // as long as the run
	hush      func()
	playing   chan struct{} // closed when the first game can be played
	exact     *Exact        // ends games; nil if the event does not ask for it
	stored    *store.Event  // nil for a new event
	plan      *schedule.Plan
	source    openings.Source // nil until an opening is needed
	numbers   *schedule.Openings
	meanwhile bool            // games are planned while others are played: see ahead.go
	trial     *schedule.Trial // nil for an event that is no match
	tried     int             // games that the trial has taken
	decided   bool            // by the trial, and what is behind that is removed
	notes     *notes          // for all goroutines
	feed      *live.Run       // nil if nobody can watch
	workers   Workers

	stopping bool // no new games
	hold     *store.Hold
	keptHold func()       // ends the signs of life
	fresh    []arena.Game // planned, not yet recorded
	before   int          // openings needed for the games before
	state    schedule.State
	again    []arena.Game // that were void, to be played before the queue
	queue    []arena.Game // the next ones without a result
	queued   int          // the highest number that has been in the queue
	given    int          // the highest number given to a worker
	played   int
	now      int
	voids    int
	tries    map[int]int        // void attempts by number
	faulty   map[string]*faulty // by bot
	// Of a tuning, the iterations whose faults were reported, and the last fault.
	faults    []int
	lastFault string
	benched   []string
	recalled  bool              // results are to be taken back
	waited    map[string]waited // by bot
	idle      int               // games lost on time by bots that hardly computed
	gaveUp    []string          // games, and why
	failed    error             // why the run ends early
	began     time.Time
}

// follow plans the games that follow from the results, with their openings. It must be
// called again while the state is schedule.More.
func (r *run) follow(ctx context.Context) (err error) {
	defer engine.Catch(&err) // openings are made by the rules
	r.fresh, r.state = r.plan.Next()
	if len(r.fresh) > 0 && r.source == nil {
		if r.source, err = r.openings(ctx); err != nil {
			return err
		}
	}
	r.before = r.numbers.Needed()
	for i := range r.fresh {
		if r.fresh[i].Opening, err = r.source.Opening(r.numbers.Number(&r.fresh[i])); err != nil {
			return err
		}
	}
	return nil
}

// run plays the event. It returns when the workers have ended their bots.
func (r *run) run(ctx context.Context) error {
	// What has been played is recorded even where ctx has ended.
	keep := context.WithoutCancel(ctx)
	// botsCtx is the context of the bots and of the games in progress.
	botsCtx, endBots := context.WithCancel(ctx)
	defer endBots()
	closeWorkers := sync.OnceFunc(r.workers.Close)
	defer closeWorkers()
	if err := r.start(ctx, botsCtx, endBots); err != nil {
		endBots()
		return err
	}
	close(r.playing)
	r.loop(ctx, endBots)
	closeWorkers()
	r.warnOfThinkers()
	r.warnOfIdle()
	r.tell()
	return r.finish(ctx, keep)
}

// start waits for the bots, and records the event and its first games if all of them
// may enter.
func (r *run) start(ctx, botsCtx context.Context, endBots func()) error {
	started := make(chan error, 1)
	go func() { started <- r.workers.Start(botsCtx) }()
	var err error
	select {
	case err = <-started:
	case <-r.opt.Soft:
		endBots() // ends handshakes that hang
		err = <-started
	}
	r.tell()
	var bots *BotsError
	if botsCtx.Err() != nil && (err == nil || errors.As(err, &bots)) {
		return r.interrupted()
	}
	if err != nil {
		return err
	}
	text, err := config.Encode(r.event)
	if err != nil {
		return err
	}
	switch {
	case r.stored == nil:
		if r.hold, err = r.Store.Create(ctx, r.event, text, r.Self); err == nil {
			r.keptHold = r.keepHold(ctx)
		}
	case r.opt.Extend:
		err = r.hold.Extend(ctx, r.event, text)
	}
	if err != nil {
		return err
	}
	if len(r.fresh) == 0 {
		r.observe(Update{Kind: GamesPlanned})
	}
	began, patience := r.Now(), cmp.Or(r.Patience.Plan, defaultPlan)
	err = r.record(ctx)
	for err == nil && r.state == schedule.More && (r.plansAll() || r.meanwhile && r.Now().Sub(began) < patience) {
		select {
		case <-r.opt.Soft:
			return r.interrupted()
		default:
		}
		err = r.planOn(ctx)
	}
	if err != nil && r.asking.Err() != nil {
		return r.interrupted()
	}
	return err
}

// tell passes the notes of other goroutines to the observer.
func (r *run) tell() {
	for {
		select {
		case text := <-r.notes.list:
			r.observe(Update{Kind: Warning, Text: text})
		default:
			return
		}
	}
}

// observe calls the observer with an update and the event's progress.
func (r *run) observe(u Update) {
	u.Planned, u.Played, u.Total, u.Trial, u.Tuning, u.Race = r.plan.Len(), r.played, r.total(), r.trial, r.plan.Tuning(), r.plan.Race
	switch u.Kind {
	case GameFinished, GameVoid:
		r.feed.End(u.Game)
		r.progress(u.Total)
	case GamesPlanned:
		r.progress(u.Total)
	default:
	}
	r.Runner.observe(u)
}

// progress publishes the event's progress to watchers.
func (r *run) progress(total int) {
	if r.feed == nil {
		return
	}
	p := live.Progress{Planned: r.plan.Len(), Played: r.played, Total: total}
	p.Slots, _ = r.workers.Slots()
	r.feed.Progress(p)
}

// total returns how many games there will be, as far as the format tells; 0 if nobody
// knows.
func (r *run) total() int {
	games, _ := schedule.TotalAfter(r.event, r.plan.Len(), r.plan.Rounds())
	return games
}

// stop prevents further games from beginning.
func (r *run) stop() {
	r.stopping = true
	r.workers.Stop()
}

func (r *run) interrupted() error {
	return fmt.Errorf("event %q: %w", r.event.Name, ErrInterrupted)
}

// record records the newly planned games and queues them.
func (r *run) record(ctx context.Context) error {
	if len(r.fresh) == 0 {
		return nil
	}
	if err := r.hold.Append(ctx, r.fresh); err != nil {
		return err
	}
	if r.queued == r.fresh[0].Number-1 && len(r.queue) < queueLength {
		r.queue = append(r.queue, r.fresh...)
		r.queued = r.fresh[len(r.fresh)-1].Number
	}
	if n := r.source.Len(); n > 0 && r.before <= n && r.numbers.Needed() > n {
		r.observe(Update{Kind: Warning, Text: comeAgain(&r.event, n) + ", and deterministic bots may repeat games"})
	}
	r.fresh = nil
	r.observe(Update{Kind: GamesPlanned})
	return nil
}

// next returns the game to be given to a worker, nil if none waits for one.
func (r *run) next(ctx context.Context) (*arena.Game, error) {
	if len(r.again) > 0 {
		return &r.again[0], nil
	}
	if len(r.queue) == 0 && r.queued < r.plan.Last() {
		list, err := r.Store.Games(ctx, store.Filter{Event: r.event.Name, Unplayed: true, After: r.queued, First: queueLength})
		if err != nil {
			return nil, err
		}
		for i := range list {
			r.queue = append(r.queue, list[i].Game)
		}
		r.queued = r.plan.Last()
		if len(list) == queueLength {
			r.queued = list[len(list)-1].Number
		}
	}
	if len(r.queue) > 0 {
		return &r.queue[0], nil
	}
	return nil, nil
}

// gave records that a worker has the game that next returned.
func (r *run) gave(g *arena.Game) {
	if len(r.again) > 0 {
		r.again = r.again[1:]
	} else {
		r.queue = r.queue[1:]
	}
	r.given = max(r.given, g.Number)
}

// finish returns how the run ended, once no game is in progress.
func (r *run) finish(ctx, keep context.Context) error {
	switch {
	case r.failed != nil:
		return r.failed
	case ctx.Err() != nil:
		return r.interrupted()
	case r.benched != nil || r.recalled:
		return nil // the event is gone on with
	case r.gaveUp != nil:
		return fmt.Errorf("event %q: %d games were void %d times each and are left unplayed:\n  %s\nrun again to try them again",
			r.event.Name, len(r.gaveUp), mostVoids, strings.Join(r.gaveUp, "\n  "))
	case r.state != schedule.Complete:
		return fmt.Errorf("event %q: its schedule waits for results that cannot come", r.event.Name)
	}
	return r.hold.Done(keep)
}
