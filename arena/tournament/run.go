package tournament

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/openings"
	"botarena/arena/schedule"
	"botarena/arena/store"
	"botarena/engine"
)

const (
	mostVoids  = 5                // void attempts at one game in one run, interruptions not counted
	touchEvery = 30 * time.Second // sign of life to the database
)

// A run is one call of Run. Its fields belong to the goroutine that called it,
// unless they say otherwise.
type run struct {
	*Tournament
	opt     Options
	event   arena.Event
	game    engine.Game
	stored  *store.Event // nil for a new event
	planner schedule.Planner
	source  openings.Source
	trial   *schedule.Trial // nil for an event without a test
	tried   int             // games that the trial has taken
	notes   notes           // for all goroutines
	workers Workers

	stopping bool // no new games
	hold     *store.Hold
	planned  []arena.Game
	fresh    []arena.Game // planned, not yet recorded
	state    schedule.State
	queue    []int // indexes into planned, in the order to be played
	given    int   // the highest number given to a worker
	played   int
	now      int
	voids    int
	tries    map[int]int // void attempts by number
	gaveUp   []VoidGame
	failed   error // why the run ends early
	began    time.Time
}

// plan asks for the games that follow from the results, with their openings.
func (r *run) plan() ([]arena.Game, schedule.State, error) {
	games, state := r.planner.Next(r.planned)
	for i := range games {
		o, err := r.source.Opening(games[i].Pair - 1)
		if err != nil {
			return nil, state, err
		}
		games[i].Opening = o
	}
	return games, state, nil
}

// run plays the event. It returns when the workers have ended their bots.
func (r *run) run(ctx context.Context) (err error) {
	// What has been played is recorded even where ctx has ended.
	keep := context.WithoutCancel(ctx)
	if r.stored != nil {
		if r.hold, err = r.Store.Acquire(ctx, r.event.Name, r.Self); err != nil {
			return err
		}
	}
	defer func() {
		if r.hold != nil {
			err = errors.Join(err, r.hold.Release(keep))
		}
	}()
	// air is the context of the bots and of the games in the air.
	air, ground := context.WithCancel(ctx)
	defer ground()
	closeWorkers := sync.OnceFunc(r.workers.Close)
	defer closeWorkers()
	if err := r.start(ctx, air, ground); err != nil {
		ground()
		return err
	}
	r.loop(ctx, ground)
	closeWorkers()
	r.tell()
	return r.finish(ctx, keep)
}

// start waits for the bots, and records the event and its first games where all
// of them may enter.
func (r *run) start(ctx, air context.Context, ground func()) error {
	started := make(chan error, 1)
	go func() { started <- r.workers.Start(air) }()
	var err error
	select {
	case err = <-started:
	case <-r.opt.Soft:
		ground() // ends handshakes that hang
		err = <-started
	}
	r.tell()
	var bots *BotsError
	if air.Err() != nil && (err == nil || errors.As(err, &bots)) {
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
		r.hold, err = r.Store.Create(ctx, r.event, text, r.Self)
	case r.opt.Extend:
		err = r.hold.Extend(ctx, r.event, text)
	}
	if err != nil {
		return err
	}
	for i := range r.planned {
		if r.planned[i].Result == arena.Unplayed {
			r.queue = append(r.queue, i)
		} else {
			r.played++
		}
	}
	if len(r.fresh) == 0 {
		r.observe(Update{Kind: GamesPlanned})
	}
	return r.record(ctx)
}

// tell passes on what other goroutines noted.
func (r *run) tell() {
	for _, text := range r.notes.take() {
		r.observe(Update{Kind: Warning, Text: text})
	}
}

// observe tells the observer, with how far the event is.
func (r *run) observe(u Update) {
	u.Planned, u.Played, u.Trial = len(r.planned), r.played, r.trial
	r.Tournament.observe(u)
}

// stop begins no more games.
func (r *run) stop() {
	r.stopping = true
	r.workers.Stop()
}

func (r *run) interrupted() error {
	return fmt.Errorf("event %q: %w", r.event.Name, ErrInterrupted)
}

// record writes down the fresh games and queues them.
func (r *run) record(ctx context.Context) error {
	if len(r.fresh) == 0 {
		return nil
	}
	if err := r.hold.Append(ctx, r.fresh); err != nil {
		return err
	}
	pairs := 0
	for _, g := range r.fresh {
		r.queue = append(r.queue, len(r.planned))
		r.planned = append(r.planned, g)
		pairs = max(pairs, g.Pair)
	}
	if n := r.source.Len(); n > 0 && pairs > n && r.fresh[0].Pair <= n+1 {
		text := fmt.Sprintf("there are %d openings: from pair %d on they come again", n, n+1)
		if n == 1 {
			text = "there is one opening: from pair 2 on it comes again"
		}
		r.observe(Update{Kind: Warning, Text: text + ", and deterministic bots may repeat games"})
	}
	r.fresh = nil
	r.observe(Update{Kind: GamesPlanned})
	return nil
}

// loop gives games to workers and records what comes back, until there is
// nothing left to do or the run has to end.
func (r *run) loop(ctx context.Context, ground func()) {
	games, outcomes := r.workers.Games(), r.workers.Outcomes()
	soft := r.opt.Soft
	hard := ctx.Done()
	var grace <-chan time.Time
	touch := time.NewTicker(touchEvery)
	defer touch.Stop()
	r.began = r.Now()
	touched := r.began
	stop := func(why error) {
		if r.failed == nil {
			r.failed = why
		}
		r.stop()
	}
	r.enough(ctx, stop)
	inAir := 0
	for {
		var give chan<- arena.Game
		var next arena.Game
		if len(r.queue) > 0 && !r.stopping {
			give, next = games, r.planned[r.queue[0]]
		} else if inAir == 0 {
			break
		}
		select { // an end asked for comes before more games
		case <-soft:
			soft, grace = nil, time.After(r.event.Grace)
			stop(r.interrupted())
			continue
		default:
		}
		select {
		case give <- next:
			r.queue = r.queue[1:]
			r.given = max(r.given, next.Number)
			inAir++
			r.observe(Update{Kind: GameStarted, Game: &next})
		case o := <-outcomes:
			inAir--
			r.tell()
			if err := r.take(context.WithoutCancel(ctx), &o); err != nil {
				stop(err)
				ground()
			}
			r.enough(ctx, stop)
		case <-soft:
			soft, grace = nil, time.After(r.event.Grace)
			stop(r.interrupted())
		case <-grace:
			ground()
		case <-hard:
			hard = nil
			stop(r.interrupted())
			ground()
		case <-touch.C:
			now := r.Now()
			if err := r.hold.Touch(ctx, now.Sub(touched)); err != nil && ctx.Err() == nil {
				stop(err)
				ground()
			}
			touched = now
		}
	}
	// What is not told is not lost: the time of play is for information.
	_ = r.hold.Touch(context.WithoutCancel(ctx), r.Now().Sub(touched))
}

// take records a worker's outcome and plans what follows from it.
func (r *run) take(ctx context.Context, o *Outcome) error {
	if o.Err != nil {
		return fmt.Errorf("game %d: %w", o.Game.Number, o.Err)
	}
	if !o.Begun {
		return nil
	}
	i := r.at(o.Game.Number)
	g := &o.Game
	if g.Reason == arena.Void {
		attempts, err := r.hold.Void(ctx, g.Number, g.Detail)
		if err != nil {
			return err
		}
		r.voids++
		g.Attempts = attempts
		if !o.Interrupted {
			r.tries[g.Number]++
		}
		r.observe(Update{Kind: GameVoid, Game: g, Slot: o.Slot})
		if r.tries[g.Number] >= mostVoids {
			r.gaveUp = append(r.gaveUp, VoidGame{g.Number, g.Detail})
			return nil
		}
		r.queue = slices.Insert(r.queue, 0, i)
		return nil
	}
	if err := r.hold.Finish(ctx, g); err != nil {
		return err
	}
	r.played++
	r.now++
	r.observe(Update{Kind: GameFinished, Game: g, Slot: o.Slot})
	g.Moves = nil // the planners do not look at them
	r.planned[i] = *g
	if r.state == schedule.Complete || r.stopping {
		return nil
	}
	var err error
	if r.fresh, r.state, err = r.plan(); err != nil {
		return err
	}
	return r.record(ctx)
}

// at returns the index into planned of a game's number, or of the first one above
// it: a bot that was withdrawn leaves gaps.
func (r *run) at(number int) int {
	i, _ := slices.BinarySearchFunc(r.planned, number, func(g arena.Game, n int) int { return g.Number - n })
	return i
}

// enough ends the schedule where the event's own limit of time or its test says so: games that no worker has are removed, but for the rest of their pairs.
func (r *run) enough(ctx context.Context, stop func(error)) {
	if r.trial != nil {
		for r.tried < len(r.planned) && r.trial.Add(&r.planned[r.tried]) {
			r.tried++
		}
	}
	if r.stopping || len(r.queue) == 0 && r.state == schedule.Complete || !r.isEnough() {
		return
	}
	r.state = schedule.Complete
	last := r.at(r.given + 1) // the first game that is not kept
	for i := range r.planned {
		if r.planned[i].Result != arena.Unplayed {
			last = max(last, i+1)
		}
	}
	for last > 0 && last < len(r.planned) && r.planned[last].Pair == r.planned[last-1].Pair {
		last++
	}
	if last == len(r.planned) {
		return
	}
	after := 0
	if last > 0 {
		after = r.planned[last-1].Number
	}
	if err := r.hold.Drop(context.WithoutCancel(ctx), after); err != nil {
		stop(err)
		return
	}
	r.planned = r.planned[:last]
	r.queue = slices.DeleteFunc(r.queue, func(i int) bool { return i >= last })
	r.observe(Update{Kind: GamesPlanned})
}

func (r *run) isEnough() bool {
	if limit := r.event.Ladder.Time; r.event.Format == arena.FormatLadder && limit > 0 {
		played := r.Now().Sub(r.began)
		if r.stored != nil {
			played += r.stored.PlayTime
		}
		if played >= limit {
			return true
		}
	}
	return r.trial != nil && r.trial.Decided()
}

// finish says how the run ended, once no game is in the air.
func (r *run) finish(ctx, keep context.Context) error {
	switch {
	case r.failed != nil:
		return r.failed
	case ctx.Err() != nil:
		return r.interrupted()
	case r.gaveUp != nil:
		return &VoidError{Event: r.event.Name, Games: r.gaveUp}
	case r.state != schedule.Complete:
		return fmt.Errorf("event %q: its schedule waits for results that cannot come", r.event.Name)
	}
	return r.hold.Done(keep)
}
