// Package event runs an event: it plans games with arena/schedule, records them in
// arena/store, plays them with arena/referee between bots that arena/process started,
// and records their outcomes.
//
//	t := &event.Runner{Store: s, Starter: starter, ...}
//	summary, err := t.Run(ctx, event, event.Options{Soft: firstInterrupt})
//
// Run starts or resumes an event; only the database tells the two apart. README.md
// explains the decisions.
package event

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"botarena/arena"
	"botarena/arena/live"
	"botarena/arena/openings"
	"botarena/arena/openings/balanced"
	"botarena/arena/process"
	"botarena/arena/schedule"
	"botarena/arena/store"
	"botarena/engine"
	"botarena/engine/solve"
)

// A Runner runs events. It reaches the machine only through its fields.
type Runner struct {
	Store   *store.Store
	Self    process.Identity // the process that is to hold the event
	Catalog engine.Catalog
	Starter *process.Starter
	// Executable is arena's own file, absolute: a built-in bot is "Executable bot NAME".
	Executable string
	// Path is the PATH in which programs are looked up.
	Path string
	// BuiltinVersion is the version of a built-in bot, for its fingerprint.
	BuiltinVersion func(name string) string
	Now            func() time.Time // with a monotonic reading, as time.Now gives
	CPUs           []process.CPU    // that bots may use; none if unknown
	// Runtime is a folder in which runs of arena on this machine hold the cores that
	// they pin games to; "" for none, and cores that several may use.
	Runtime string
	// LogDir is the folder of the games' logs, a folder an event (see package gamelog);
	// "" for no logs.
	LogDir string
	// Books is the folder in which balanced openings are kept; "" keeps none.
	Books string
	// Judge returns the bot that scores the positions of balanced openings.
	Judge func(bot string) (balanced.Judge, error)
	// Tables is the folder of exact tables, for events that end games by them.
	Tables solve.Dir
	// Observe, if set, is called with each update, by one goroutine at a time. It
	// holds the event up while it runs.
	Observe func(Update)
	// Live, if set, shows runs and games in progress to whoever watches.
	Live *live.Hub
	// Patience limits the steps that have no game clock.
	Patience Patience
	// Recall, if set, takes results back while an event runs.
	Recall Recall
	// Workers, if set, returns the workers that play an event's games; nil is this
	// machine, by the fields above.
	Workers func(Work) (Workers, error)

	pauses      func() time.Time                                              // the watch's clock, in tests
	start       func(context.Context, process.Spec) (*process.Process, error) // instead of Starter's, in tests
	memory      func() (free float64, known bool)                             // instead of process.FreeMemory, in tests
	openSignals bool                                                          // as if bots could signal each other, in tests
}

// A Recall takes back results that are not trusted any more, such as those of a worker
// whose key was revoked. The run stops for it, and plays the games again.
type Recall interface {
	// Revoked returns a channel that is closed when more results may be due.
	Revoked() <-chan struct{}
	// Due reports whether results of the event are to be taken back.
	Due(ctx context.Context, event string) bool
	// TakeBack takes them back from an event that nobody holds, reports it, and returns
	// their number.
	TakeBack(ctx context.Context, t *Runner, event string, tell func(string)) (int, error)
}

// Patience holds the time limits of steps without a game clock; zero fields are the
// referee's defaults.
type Patience struct {
	Hello  time.Duration // for the handshake
	Ready  time.Duration // for readyok
	Silent time.Duration // for a move without a time limit
	Build  time.Duration // for a build command (default 10 minutes)
	// Fork limits how long a bot's start is retried if the machine has no room for a
	// process (default 10 s); then the game is void, and played again.
	Fork time.Duration
	// Plan limits how long the first game waits for planning if openings take long
	// (default 1 s): the rest is planned while games are played.
	Plan time.Duration
}

// Options are the arguments of one call of Run.
type Options struct {
	// Extend lets the configuration differ from the recorded one by more rounds,
	// more bots or wider limits.
	Extend bool
	// Same reports whether a bot is the one recorded under its name, whatever its program
	// is now, such as one whose interpreter was upgraded; nil: none is.
	Same func(bot string) bool
	// Soft, when closed, begins an orderly end: no new games, those in progress may
	// end within the event's Grace, the rest is void. Cancelling Run's context
	// ends at once. Nothing recorded is lost either way.
	Soft <-chan struct{}
	// Break, when closed, ends the run once the games in progress have ended, however
	// long they take: the event is to be gone on with, in another way.
	Break <-chan struct{}
}

// A Summary holds the progress of an event.
type Summary struct {
	Event       string
	Planned     int // games planned so far
	Played      int // of which have a result
	Now         int // of which this run played
	Voids       int // attempts that did not count, in this run
	Concurrency int
	Pinned      bool // each game had cores of its own
}

// A Kind is the kind of an Update.
type Kind int

// The kinds of updates.
const (
	GamesPlanned Kind = iota // there are more games, or fewer
	GameStarted              // Game was given to a worker
	GameFinished             // Game has its result, moves included; Slot is set
	GameVoid                 // Game has the reason and detail of a void attempt; Slot is set
	Warning                  // Text is set
	Notice                   // Text is set: less than a warning
	Building                 // Text is set: a bot and the command that builds it
	Searching                // Search is set: how far the search for balanced openings is
)

// An Update reports something that happened in a run.
type Update struct {
	Kind    Kind
	Planned int // games planned so far
	Played  int // games with a result so far
	Total   int // games in all, as far as the format tells; 0 if nobody knows
	Game    *arena.Game
	Slot    int // 0-based, where the game was played
	Text    string
	Search  *balanced.Progress
	// Trial is the state of a match and its test, nil of other events. It may be read until
	// Observe returns.
	Trial *schedule.Trial
	// Tuning is the state of a tuning up to the iterations that its plan has used, nil of
	// other events. It may be read until Observe returns.
	Tuning *schedule.Tuning
	// Race returns the state of a race, nil of other events. It may be called until Observe
	// returns.
	Race func() *schedule.Race
}

// Run plays the event's games that have no result, and records them. The error is
// ErrFinished, ErrInterrupted, a *ChangedError, a *BotsError (nothing was recorded),
// one of the store's (*store.HeldError, *store.FullError, ...), an *engine.RulesError
// of a rules program that fails, or describes what is wrong with the event. The summary
// is valid in any case.
func (t *Runner) Run(ctx context.Context, event arena.Event, opt Options) (summary Summary, err error) {
	for {
		before := summary
		var benched []string
		summary, benched, err = t.runOnce(ctx, event, opt)
		if before.Now > 0 && errors.Is(err, ErrFinished) { // by what those played who are benched
			return before, nil
		}
		summary.Now, summary.Voids = summary.Now+before.Now, summary.Voids+before.Voids
		if err != nil && !errors.Is(err, ErrInterrupted) {
			return summary, err
		}
		again, reviseErr := t.afterwards(context.WithoutCancel(ctx), event.Name, benched)
		if reviseErr != nil {
			return summary, errors.Join(err, reviseErr)
		}
		if err != nil || !again {
			return summary, err
		}
		opt.Extend = false
	}
}

// afterwards withdraws benched bots and takes back results that are not trusted any
// more, and reports whether the event goes on.
func (t *Runner) afterwards(ctx context.Context, event string, benched []string) (again bool, err error) {
	if benched != nil {
		if err := t.Withdraw(ctx, event, benched, false); err != nil {
			return false, err
		}
	}
	taken := 0
	if t.Recall != nil {
		taken, err = t.Recall.TakeBack(ctx, t, event, func(text string) { t.observe(Update{Kind: Warning, Text: text}) })
	}
	return benched != nil || taken > 0, err
}

// runOnce plays until nothing is left, until results are to be taken back, or until
// bots are to be withdrawn that were at fault too often, which it returns.
func (t *Runner) runOnce(ctx context.Context, event arena.Event, opt Options) (summary Summary, benched []string, err error) {
	summary.Event = event.Name
	// An existing event is held before it is compared: what another process does to it
	// must not come in between.
	hold, err := t.Store.Acquire(ctx, event.Name, t.Self)
	var unknown *store.UnknownEventError
	if err != nil && !errors.As(err, &unknown) {
		return summary, nil, err
	}
	r := &run{Runner: t, opt: opt, hold: hold, closeGame: keepGame, notes: newNotes(), tries: map[int]int{}}
	asking, hush := context.WithCancel(ctx)
	defer hush()
	r.asking, r.hush, r.playing = asking, hush, make(chan struct{})
	go func() {
		select {
		case <-opt.Soft:
			hush() // rules programs may take minutes over openings
		case <-r.playing:
		case <-asking.Done():
		}
	}()
	defer func() {
		r.exact.Close()
		err = errors.Join(err, r.closeGame())
		r.keptHold()
		if r.hold != nil {
			err = errors.Join(err, r.hold.Release(context.WithoutCancel(ctx)))
		}
	}()
	r.keptHold = r.keepHold(ctx)
	err = r.prepare(ctx, event)
	if err != nil && asking.Err() != nil {
		err = fmt.Errorf("event %q: %w", event.Name, ErrInterrupted)
	}
	if err != nil {
		return summary, nil, err
	}
	err = r.run(ctx)
	r.feed.Close()
	summary.Planned, summary.Played, summary.Now, summary.Voids = r.plan.Len(), r.played, r.now, r.voids
	if r.state != schedule.Complete {
		summary.Planned = max(summary.Planned, r.total())
	}
	summary.Concurrency, summary.Pinned = r.workers.Slots()
	return summary, r.benched, err
}

// keepHold renews the hold on the event, and counts the playing time, until it is
// stopped: building bots and looking for openings may take minutes.
func (r *run) keepHold(ctx context.Context) (stop func()) {
	if r.hold == nil {
		return func() {}
	}
	ctx = context.WithoutCancel(ctx)
	stopped := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(touchEvery)
		defer tick.Stop()
		playing, touched := r.playing, time.Time{}
		touch := func() {
			now, played := r.Now(), time.Duration(0)
			if playing == nil {
				played, touched = now.Sub(touched), now
			}
			_ = r.hold.Touch(ctx, played) // whatever is written next finds what is wrong
		}
		for {
			select {
			case <-playing:
				playing, touched = nil, r.Now()
			case <-tick.C:
				touch()
			case <-stopped:
				if playing == nil {
					touch()
				}
				return
			}
		}
	})
	return func() {
		close(stopped)
		done.Wait()
	}
}

// prepare does everything that can fail before anything is started or written.
func (r *run) prepare(ctx context.Context, event arena.Event) (err error) {
	defer engine.Catch(&err)
	if r.game, r.closeGame, err = r.openGame(r.asking, &event); err != nil {
		return err
	}
	if r.exact, err = r.openExact(&event, r.game, ""); err != nil {
		return err
	}
	event.Bots = slices.Clone(event.Bots) // fingerprints are filled in
	if r.stored, err = r.admit(ctx, &event, r.opt); err != nil {
		return err
	}
	r.event = event
	if err := r.restore(ctx); err != nil {
		return err
	}
	if event.Rules != nil && (r.stored == nil || r.stored.State != store.Finished) {
		r.slowRules(&event)
	}
	if r.meanwhile = slowOpenings(r.game); r.meanwhile {
		r.plan.Chunk = chunkMeanwhile
	}
	if err := r.follow(ctx); err != nil {
		return err
	}
	r.feed = r.Live.Run(live.Event{
		Name: event.Name, Game: event.Game, Format: event.Format, Before: r.played, Since: r.Now(),
	})
	work := Work{Event: event, Game: r.game, Exact: r.exact, Soft: r.opt.Soft, Warn: r.notes.add, Feed: r.feed}
	if r.Workers != nil {
		r.workers, err = r.Workers(work)
	} else {
		r.workers, err = NewLocal(r.Runner, work)
	}
	return err
}

// restore makes the event's plan and its test, and fills in the games that are
// recorded.
func (r *run) restore(ctx context.Context) (err error) {
	r.faulty = map[string]*faulty{}
	if r.plan, err = schedule.New(r.event); err != nil {
		return err
	}
	r.numbers = schedule.NewOpenings(&r.event)
	if r.trial, err = schedule.NewTrial(r.event); err != nil {
		return err
	}
	if r.stored == nil {
		return nil
	}
	return r.Store.Plan(ctx, r.event.Name, func(g *arena.Game) {
		if r.dropped(g) {
			return
		}
		r.plan.Add(g)
		r.numbers.Number(g)
		if g.Result != arena.Unplayed {
			r.played++
			r.count(g)
		}
	})
}

// dropped reports whether a game is not to be played any more, since one of its
// bots is withdrawn.
func (r *run) dropped(g *arena.Game) bool {
	return g.Result == arena.Unplayed && slices.ContainsFunc(r.event.Bots, func(b arena.Bot) bool {
		return b.Withdrawn && (b.Name == g.First || b.Name == g.Second)
	})
}

// openings opens the source of the event's openings.
func (r *run) openings(ctx context.Context) (openings.Source, error) {
	var book []arena.Opening
	if r.event.Openings.Balanced != nil {
		var err error
		if book, err = r.balanced(ctx); err != nil {
			return nil, err
		}
	}
	return openings.New(r.game, r.event.Openings, r.event.Seed, book)
}

// balanced finds the event's balanced openings, until Options.Soft is closed.
func (r *run) balanced(ctx context.Context) ([]arena.Opening, error) {
	ctx, cancel := until(ctx, r.opt.Soft)
	defer cancel()
	finder := balanced.Finder{Judge: r.Judge, Now: r.Now, Dir: r.Books, Tell: func(p balanced.Progress) {
		r.observe(Update{Kind: Searching, Search: &p})
	}}
	book, err := finder.Book(ctx, r.game, *r.event.Openings.Balanced, r.event.Seed)
	if ctx.Err() != nil {
		return nil, r.interrupted()
	}
	return book, err
}
