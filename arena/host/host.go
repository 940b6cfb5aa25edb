// Package host runs a league: it accepts the submissions of teams, builds bots from
// them, and lets them play on a ladder until it is told to stop.
//
// A [Host] is one process. All that it knows is in the database and in a folder beside it,
// so another one goes on after this one was killed. A submission is a state machine in the
// database (package store): each step is begun again from its input where it did not end.
// Several workers run beside each other: two bring submissions further, one plays
// challenges, one builds the bots of experiments and four play the most urgent of these side by
// side, and the ladder is an event of package event, which is interrupted for a moment, between
// games, whenever versions enter or are benched. The ladder and the experiments share the slots,
// and the workers of a fleet if there is one.
//
// # What is kept
//
//	DIR/files/SHA256     what was handed in, as it came; read-only
//	DIR/bots/TEAM/N/     its files unpacked; N is its number within the team
//	DIR/bots/TEAM/N.built/   and built
//	DIR/experiments/N/   the bots of experiment N, until it is over
//	DIR/closed           the deadline, once it has passed
//	DIR/work/            what is in progress; emptied at the start
//
// All of it is the user's alone (0700); bots see their own folder through the sandbox.
//
// # Trust
//
// What a team hands in is a stranger's: package submission unpacks and builds it, bots run
// in the strict sandbox, and without a working one there is no host unless the file says
// trust: true. A token is 128 random bits, of which the database has the SHA-256.
package host

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/event"
	"botarena/arena/fleet"
	"botarena/arena/process"
	"botarena/arena/store"
	"botarena/arena/submission"
	"botarena/arena/web"
	"botarena/engine"
)

// A Config holds what a Host needs.
type Config struct {
	League  League
	Dir     string // of its files, absolute
	Runner  *event.Runner
	Builder Builder
	Now     func() time.Time // the clock by which the league opens and closes
	// Open returns the league's game for one submission, and what ends the program that knows
	// its rules, if one does.
	Open func(context.Context) (engine.Game, func() error, error)
	Kit  func(language string) ([]byte, error)
	// Log is called with news for the organiser, a line at a time, by several
	// goroutines.
	Log func(line string)
	// Spare lists the CPUs on which submissions are checked and tried and challenges are
	// played, so that games of the ladder are not disturbed; nil is any.
	Spare []process.CPU
	// Pause is the minimum time that the ladder plays before other bots enter; 0 is the
	// default: ten seconds, and more if it takes long to begin again, up to a minute.
	Pause time.Duration
}

// A Builder makes bots of submissions; *submission.Builder is one.
type Builder interface {
	Languages() []submission.Language
	Plan(dir string) (submission.Plan, error)
	Build(ctx context.Context, dir, to string, plan submission.Plan) (bot arena.Bot, log string, err error)
}

const (
	usualPause = 10 * time.Second
	longPause  = time.Minute
	costShare  = 30               // of the ladder's time that may go into beginning again, as its inverse
	retryAfter = 20 * time.Second // after an error of the machine's
	builders   = 2                // submissions worked at at once
	lookEvery  = 5 * time.Second  // at the clock, and for what other processes changed
)

// A Host holds a league. Its methods may be called from several goroutines.
type Host struct {
	config    Config
	league    *League
	store     *store.Store
	lock      *flock.Flock
	slots     *slots
	kept      event.Kept         // the bots of the ladder, between two of its runs
	took      time.Duration      // until the last of these played
	longTrial time.Duration      // that trial games may take together
	fleet     *fleet.Coordinator // nil if this machine plays alone

	mu      sync.Mutex
	busy    map[string]bool     // teams whose submissions are worked at
	later   map[int64]time.Time // submissions that failed by the machine's fault: when to try again
	changed chan struct{}       // closed when bots enter or leave
	wake    chan struct{}       // closed when there is more to do
	closed  bool                // the clock has passed the deadline

	taking sync.Mutex     // held while an experiment is taken, its state being read
	taken  map[int64]bool // the experiments that are played now
}

// ErrRunning is reported where another process hosts the league.
var ErrRunning = errors.New("another process hosts this league; end that one first")

// New opens a host's folder. The error is ErrRunning if another host has it open.
func New(c Config) (*Host, error) {
	h := &Host{
		config: c, league: &c.League, store: c.Runner.Store, busy: map[string]bool{}, later: map[int64]time.Time{}, taken: map[int64]bool{}, longTrial: longTrial,
		changed: make(chan struct{}), wake: make(chan struct{}),
		slots: &slots{now: c.Runner.Now, free: max(1, c.League.Concurrency), at: c.Runner.Now(), workers: map[string]*worker{}},
	}
	for _, dir := range []string{c.Dir, h.path("files"), h.path("bots"), h.path("experiments"), h.path("work")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("folder of the host: %w", err)
		}
	}
	h.lock = flock.New(h.path("lock"))
	if ok, err := h.lock.TryLock(); err != nil || !ok {
		return nil, cmp.Or(err, ErrRunning)
	}
	if closed, err := os.ReadFile(h.path("closed")); err == nil {
		h.closed = string(closed) == h.league.Closes.UTC().Format(time.RFC3339Nano)
	}
	if err := os.RemoveAll(h.path("work")); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, errors.Join(os.Mkdir(h.path("work"), 0o700))
}

// Join lets a fleet play the ladder and the experiments, beside so many slots of this
// machine. It is called before Run.
func (h *Host) Join(c *fleet.Coordinator, local int) { h.fleet, h.slots.free = c, local }

// workers returns the workers of a party's run.
func (h *Host) workers(p *party) func(event.Work) (event.Workers, error) {
	local := func(work event.Work) (event.Workers, error) { return event.NewLocal(h.config.Runner, work) }
	switch {
	case h.fleet == nil:
		return h.slots.sharedBy(p, local)
	case h.fleet.Local == nil:
		local = nil
	default:
		local = h.slots.sharedBy(p, h.fleet.Local)
	}
	return h.fleet.Shared(local, func(c fleet.Claim) bool { return h.slots.plays(p, c) })
}

// Close releases the folder.
func (h *Host) Close() error { return h.lock.Close() }

func (h *Host) path(names ...string) string {
	return filepath.Join(append([]string{h.config.Dir}, names...)...)
}

// Run takes submissions and has bots play until soft is closed, which lets games in
// progress end within the event's grace, or ctx is done. The error is one that a person has
// to mend, such as a file that is not the league that was recorded.
func (h *Host) Run(ctx context.Context, soft <-chan struct{}) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	side, stop := context.WithCancel(ctx) // of all but the ladder
	defer stop()
	var done sync.WaitGroup
	for range builders {
		done.Go(func() { h.work(side, h.submissionStep) })
	}
	done.Go(func() { h.work(side, h.challenge) })
	done.Go(func() { h.work(side, h.buildExperiment) })
	for range mostAtOnce {
		done.Go(func() { h.work(side, h.experiment) })
	}
	done.Go(func() { h.watch(side) })
	err := h.ladder(ctx, soft)
	if err != nil {
		cancel(err)
	}
	stop()
	done.Wait()
	return err
}

// work calls do repeatedly, which reports whether it found something to do.
func (h *Host) work(ctx context.Context, do func(context.Context) (bool, error)) {
	for ctx.Err() == nil {
		h.mu.Lock()
		wake := h.wake
		h.mu.Unlock()
		did, err := do(ctx)
		if err != nil && ctx.Err() == nil {
			h.config.Log(fmt.Sprintf("warning: %v; it is tried again in %v", err, retryAfter))
		}
		if did && err == nil {
			continue
		}
		select {
		case <-wake:
		case <-time.After(lookEvery):
		case <-ctx.Done():
		}
	}
}

// rouse wakes workers that wait for more to do.
func (h *Host) rouse() {
	h.mu.Lock()
	defer h.mu.Unlock()
	close(h.wake)
	h.wake = make(chan struct{})
}

// renew tells the ladder that bots enter or leave.
func (h *Host) renew() {
	h.mu.Lock()
	defer h.mu.Unlock()
	close(h.changed)
	h.changed = make(chan struct{})
}

// renewals returns a channel that is closed when bots enter or leave.
func (h *Host) renewals() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.changed
}

// watch waits for the deadline, and reports it once.
func (h *Host) watch(ctx context.Context) {
	for ctx.Err() == nil {
		if h.isClosed() {
			h.config.Log(fmt.Sprintf("submissions are closed; the ladder plays on until %s", h.league.ends().Format(time.RFC3339)))
			return
		}
		select {
		case <-time.After(lookEvery):
		case <-ctx.Done():
		}
	}
}

// isClosed reports whether the deadline has passed. That is kept in a file: a clock that is put
// back opens nothing again, but a later deadline does.
func (h *Host) isClosed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if closes := h.league.Closes; !h.closed && !closes.IsZero() && !h.config.Now().Before(closes) {
		h.closed = true
		if err := os.WriteFile(h.path("closed"), []byte(closes.UTC().Format(time.RFC3339Nano)), 0o600); err != nil {
			h.config.Log(fmt.Sprintf("warning: note that the league has closed: %v; leave the clock as it is", err))
		}
	}
	return h.closed
}

// specOf returns the bot that a submission is.
func specOf(sub *store.Submission) (b arena.Bot, err error) {
	if err := json.Unmarshal([]byte(sub.Spec), &b); err != nil {
		return b, fmt.Errorf("submission %d of %s: how it is started: %w", sub.Number, sub.Team, err)
	}
	b.Name = cmp.Or(sub.Bot, botName(sub))
	return b, nil
}

// botName returns the name under which a submission plays.
func botName(sub *store.Submission) string { return sub.Team + " " + strconv.Itoa(sub.Number) }

// bots returns the league's bots: the house's, and of each team the version that entered
// last, withdrawn where it is benched, in the order in which they were recorded.
func (h *Host) bots(ctx context.Context) ([]arena.Bot, error) {
	subs, err := h.store.Submissions(ctx, h.league.Name, "")
	if err != nil {
		return nil, err
	}
	recorded, err := h.recorded(ctx)
	if err != nil {
		return nil, err
	}
	bots := slices.Clone(h.league.Bots)
	current := map[string]int{} // by team, in bots
	for i := range subs {       // the newest first
		sub := &subs[i]
		if sub.Bot == "" {
			continue
		}
		if at, ok := current[sub.Team]; ok {
			// One that was replaced before the ladder knew it has no place to give.
			if arena.BotIndex(recorded.Bots, sub.Bot) >= 0 {
				bots[at].Replaces = append(bots[at].Replaces, sub.Bot)
			}
			continue
		}
		b, err := specOf(sub)
		if err != nil {
			return nil, err
		}
		b.Withdrawn = sub.State == store.Benched
		current[sub.Team] = len(bots)
		bots = append(bots, b)
	}
	place := func(b *arena.Bot) int {
		if i := arena.BotIndex(recorded.Bots, b.Name); i >= 0 {
			return i
		}
		return len(recorded.Bots)
	}
	slices.SortStableFunc(bots, func(a, b arena.Bot) int { return cmp.Compare(place(&a), place(&b)) })
	// Of those that leave before they entered, nothing is recorded.
	return slices.DeleteFunc(bots, func(b arena.Bot) bool { return b.Withdrawn && place(&b) == len(recorded.Bots) }), nil
}

// recorded returns the league's event as it is recorded; without bots if it is not.
func (h *Host) recorded(ctx context.Context) (arena.Event, error) {
	stored, err := h.store.Event(ctx, h.league.Name)
	var unknown *store.UnknownEventError
	if errors.As(err, &unknown) {
		return arena.Event{}, nil
	} else if err != nil {
		return arena.Event{}, err
	}
	e, err := config.Decode(stored.Config)
	var invalid *arena.InvalidError
	if errors.As(err, &invalid) {
		err = nil
	}
	return e, err
}

// playing returns the version of a team, or the bot of the house, that plays now under a
// name: a team's, or a bot's own.
func (h *Host) playing(ctx context.Context, name string) (arena.Bot, error) {
	bots, err := h.bots(ctx)
	if err != nil {
		return arena.Bot{}, err
	}
	subs, err := h.store.Submissions(ctx, h.league.Name, name)
	if err != nil {
		return arena.Bot{}, err
	}
	for _, b := range bots {
		own := slices.ContainsFunc(subs, func(s store.Submission) bool { return s.Bot == b.Name })
		if !b.Withdrawn && (b.Name == name || own) {
			return b, nil
		}
	}
	return arena.Bot{}, &store.UnknownBotError{Name: name}
}

var _ web.Host = (*Host)(nil)
