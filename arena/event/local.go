package event

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"botarena/arena"
	"botarena/arena/process"
	"botarena/arena/process/sandbox"
)

// local implements Workers on this machine: one worker a slot, each with a thread and,
// if games are pinned, cores of its own.
type local struct {
	*Runner
	Work
	logs     *logs
	watch    *watch
	slots    []*worker
	games    chan arena.Game
	outcomes chan Outcome
	failures failures
	claimed  *process.Claim // of cores; none if games are not pinned
	stopping atomic.Bool
	keep     int // most processes a slot, but for those that are ending
	running  sync.WaitGroup
	opened   *Exact // that it opened itself
}

// NewLocal returns the Workers of this machine. It chooses the number of concurrent
// games and their cores. Of t only the fields about the machine are used; it needs no
// Store.
func NewLocal(t *Runner, work Work) (Workers, error) {
	l := &local{Runner: t, Work: work, failures: failures{last: map[string]failure{}}}
	if l.Event.Suspend {
		if err := process.CheckSuspend(); err != nil {
			return nil, fmt.Errorf("suspend: true: %w", err)
		}
	}
	if l.Exact == nil {
		var err error
		if l.Exact, err = t.openExact(&l.Event, l.Game, work.Tables); err != nil {
			return nil, err
		}
		l.opened = l.Exact
	}
	claim, err := l.claim()
	if err != nil {
		return nil, err
	}
	l.claimed = claim
	n, threads := slots(&l.Event, process.Cores(claim.Free))
	if l.Event.Concurrency <= 0 {
		l.sayTaken("", n, threads)
	} else if n*threads > len(claim.Free) {
		l.sayTaken("; lower concurrency, or wait for them", n, threads)
	}
	if cores := len(l.CPUs); cores > 0 && n*threads > cores {
		ponder := ""
		if l.Event.Ponder {
			ponder = " (ponder: true doubles them)"
		}
		l.Warn(fmt.Sprintf("%d games at once with %d threads each%s want %d cores and %d are there: time losses mean little; lower concurrency or threads",
			n, threads, ponder, n*threads, cores))
	}
	if err := l.fit(n); err != nil {
		return nil, err
	}
	cores, err := l.pin(n, threads)
	if err != nil {
		claim.Keep(nil)
		return nil, err
	}
	claim.Keep(cores)
	if l.logs, err = openLogs(l.LogDir, l.Event.Name, l.Warn); err != nil {
		claim.Keep(nil)
		return nil, err
	}
	guarded := map[string]string{}
	if l.Store != nil {
		guarded["the database"] = l.Store.Path()
	}
	for _, text := range sandbox.SharedFolders(l.Event.Bots, guarded) {
		l.Warn(text)
	}
	for i := range n {
		w := newWorker(l, i)
		if cores != nil {
			w.cpus = cores[i]
		}
		l.slots = append(l.slots, w)
	}
	l.games, l.outcomes = make(chan arena.Game, n), make(chan Outcome, 2*n)
	return l, nil
}

// fit decides how many processes each slot may keep. The error is a
// *process.CapacityError if not even two fit.
func (l *local) fit(slots int) error {
	others := mostEnding
	if l.Event.Rules != nil {
		others++
	}
	fits := func(each int) error { return l.Starter.Fits(slots*(each+others), slots) }
	const least = 2
	if err := fits(least); err != nil {
		return err
	}
	more := max(0, len(l.Event.Playing())-least)
	l.keep = least + sort.Search(more, func(i int) bool { return fits(least+i+1) != nil })
	return nil
}

// claim claims the cores of this machine that no other run of arena holds.
func (l *local) claim() (*process.Claim, error) {
	if l.Runtime == "" || l.Event.Pin == arena.PinOff || !process.CanPin() {
		return &process.Claim{Free: l.CPUs}, nil
	}
	claim, err := process.ClaimCPUs(l.Runtime, l.CPUs)
	if err != nil && l.Event.Pin == arena.PinOn {
		return nil, fmt.Errorf("pin: on: %w", err)
	}
	if err != nil {
		l.Warn(fmt.Sprintf("whether other runs of arena use the same cores is not known: %v", err))
		return &process.Claim{Free: l.CPUs}, nil
	}
	return claim, nil
}

// sayTaken warns that other runs hold cores.
func (l *local) sayTaken(hint string, n, threads int) {
	if taken := len(l.claimed.Taken); taken > 0 {
		how := "one game is played at once"
		if n > 1 {
			how = fmt.Sprintf("%d games are played at once", n)
		}
		if n*threads > len(l.claimed.Free) {
			how += ", not pinned, and time losses mean less"
		}
		l.Warn(fmt.Sprintf("other runs of arena hold %d of the %d cores of this machine: %s%s", taken, len(l.CPUs), how, hint))
	}
}

// pin returns the cores of each slot, nil if games are not pinned: by default if a bot
// has several threads.
func (l *local) pin(slots, threads int) ([][]int, error) {
	switch l.Event.Pin {
	case arena.PinOff:
		return nil, nil
	case arena.PinOn:
		if !process.CanPin() {
			return nil, errors.New("pin: on: this platform cannot pin programs to cores; leave pin out")
		}
		if len(l.CPUs) == 0 {
			return nil, errors.New("pin: on: the cores of this machine are not known on this platform; leave pin out")
		}
		cores, err := process.Slots(l.claimed.Free, l.claimed.Taken, slots, threads)
		if err != nil && len(l.claimed.Taken) > 0 {
			return nil, fmt.Errorf("pin: on: %w; other runs of arena hold %d more", err, len(l.claimed.Taken))
		}
		if err != nil {
			return nil, fmt.Errorf("pin: on: %w", err)
		}
		return cores, nil
	case arena.PinAuto:
	}
	several := threads > 1 && !l.Event.Ponder || threads > 2
	if several || !process.CanPin() {
		return nil, nil
	}
	cores, err := process.Slots(l.claimed.Free, l.claimed.Taken, slots, threads)
	if err != nil {
		return nil, nil //nolint:nilerr // without enough cores, auto means not to pin
	}
	return cores, nil
}

func (l *local) Games() chan<- arena.Game { return l.games }

func (l *local) Outcomes() <-chan Outcome { return l.outcomes }

func (l *local) Slots() (n int, pinned bool) { return len(l.slots), l.slots[0].cpus != nil }

// Start starts the bots, distributed over the slots; their processes stay for the
// games.
func (l *local) Start(botsCtx context.Context) error {
	now := l.Now
	if l.pauses != nil {
		now = l.pauses
	}
	l.watch = startWatch(now)
	problems := make(chan BotProblem, len(l.Event.Bots)+2*len(l.slots))
	var ready sync.WaitGroup
	ready.Add(len(l.slots))
	for _, w := range l.slots {
		l.running.Go(func() { w.work(botsCtx, problems, ready.Done) })
	}
	ready.Wait()
	close(problems)
	var list []BotProblem
	for p := range problems {
		if p.Bot == "" { // it is the machine's
			return p.Err
		}
		list = append(list, p)
	}
	if list == nil {
		return nil
	}
	order := func(p BotProblem) int { return arena.BotIndex(l.Event.Bots, p.Bot) }
	slices.SortFunc(list, func(a, b BotProblem) int { return order(a) - order(b) })
	return &BotsError{list}
}

func (l *local) Stop() { l.stopping.Store(true) }

func (l *local) Close() {
	l.Stop()
	close(l.games)
	l.running.Wait()
	if l.watch != nil {
		l.watch.close()
	}
	l.claimed.Keep(nil)
	l.opened.Close()
}
