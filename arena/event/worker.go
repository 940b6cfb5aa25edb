package event

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/live"
	"botarena/arena/process"
	"botarena/arena/referee"
	"botarena/arena/rules"
	"botarena/arena/session"
	"botarena/engine"
	"botarena/protocol"
)

const (
	fewProcesses = 32   // that a worker keeps in any case; then the least recently used one goes
	leastMemory  = 0.25 // the share of memory that stays free where a worker keeps more
	mostEnding   = 8    // that end in the background at once, for each worker
	defaultFork  = 10 * time.Second
	mostFailures = 3 // starts that fail in a row before a bot is not tried again
)

// A worker plays one game at a time, with bot processes of its own.
type worker struct {
	*local
	slot    int
	cpus    []int // nil: not pinned
	ref     referee.Referee
	bots    map[string]*entrant
	game    engine.Game // the worker's own where its rules are a program: see rules.go
	rules   *rules.Game // that program's; nil if it does not run
	played  int
	said    dialogue
	ending  chan struct{} // a token for each process that ends in the background
	endings sync.WaitGroup
}

// An entrant is a bot at one worker.
type entrant struct {
	bot     *arena.Bot
	proc    *process.Process // nil while it does not run
	stderr  *session.Tail    // of the process, for its game or its start
	output  string           // the last lines of the process that was killed last
	session *session.Session
	used    int            // when it played last, by the worker's count
	last    int            // number of the game that it played last
	cpu     time.Duration  // of the process when its last game ended
	half    int            // of its slot's cores on which it is, counted from 1; 0: on all
	over    *session.Fault // why a bot that is never restarted plays no more
	found   arena.Protocol // what protocol: auto has found, where the way there is long
}

// failures counts the failed starts in a row of each bot, over all workers.
type failures struct {
	mu   sync.Mutex
	last map[string]failure
}

type failure struct {
	count int
	fault session.Fault
}

// add counts a fault at the start of a bot; nil is a successful start.
func (f *failures) add(bot string, fault *session.Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if fault == nil {
		delete(f.last, bot)
	} else if fault.Reason != arena.Void {
		f.last[bot] = failure{f.last[bot].count + 1, *fault}
	}
}

// hopeless returns the last fault of a bot that is not to be started again, else nil.
func (f *failures) hopeless(bot string) *session.Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l := f.last[bot]; l.count >= mostFailures {
		return &session.Fault{Reason: l.fault.Reason, Detail: fmt.Sprintf("not started again after %d failures in a row: %s", l.count, l.fault.Detail)}
	}
	return nil
}

func newWorker(l *local, slot int) *worker {
	w := &worker{local: l, slot: slot, game: l.Game, bots: map[string]*entrant{}, ending: make(chan struct{}, mostEnding)}
	w.ref = referee.Referee{Now: l.Now, Shielded: w.shielded()}
	return w
}

// work first starts its share of the bots, then plays the games that it is given.
func (w *worker) work(botsCtx context.Context, problems chan<- BotProblem, ready func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if w.cpus != nil {
		unpin, err := process.PinThread(w.cpus)
		if err != nil {
			problems <- BotProblem{Err: fmt.Errorf("pin a game to cores %v: %w; or set pin: off", w.cpus, err)}
		} else {
			defer unpin()
		}
	}
	defer w.endAll(botsCtx)
	defer w.endRules()
	if err := w.readyRules(botsCtx); err != nil {
		problems <- BotProblem{Err: err}
	}
	w.Kept.give(botsCtx, w)
	for i := w.slot; i < len(w.Event.Bots); i += len(w.slots) {
		if w.Event.Bots[i].Withdrawn || w.entrant(w.Event.Bots[i].Name).proc != nil {
			continue
		}
		if err := w.tryOut(botsCtx, &w.Event.Bots[i]); err != nil {
			problems <- BotProblem{w.Event.Bots[i].Name, err}
		}
	}
	ready()
	for g := range w.games {
		if w.stopped() {
			w.outcomes <- Outcome{Game: g}
			continue
		}
		w.outcomes <- w.judge(botsCtx, g)
	}
}

// stopped reports whether no game may begin any more.
func (w *worker) stopped() bool {
	select {
	case <-w.Soft:
		return true
	default:
		return w.stopping.Load()
	}
}

// tryOut starts a bot before the first game. A bot that cannot be started or refuses
// its options is a mistake in the event; a failed handshake is the bot's fault, in each
// of its games.
func (w *worker) tryOut(botsCtx context.Context, b *arena.Bot) error {
	w.makeRoom()
	fault, err := w.start(botsCtx, b, w.logs.stderr(w.logs.start(b.Name)))
	switch {
	case botsCtx.Err() != nil:
		return nil
	case err != nil:
		return err
	case fault == nil && w.tunes(b) != nil:
		return w.tunes(b)
	case fault != nil:
		w.Warn(fmt.Sprintf("bot %q does not start well: %v%s", b.Name, fault, w.entrant(b.Name).output))
	case w.Event.Ponder && !w.entrant(b.Name).session.Ponders():
		w.Warn(fmt.Sprintf("ponder: true: bot %q declares no option Ponder: it waits while others are to move", b.Name))
	}
	return nil
}

// entrant returns the bot of that name at this worker.
func (w *worker) entrant(name string) *entrant {
	e, ok := w.bots[name]
	if !ok {
		i := arena.BotIndex(w.Event.Bots, name)
		e = &entrant{bot: &w.Event.Bots[i]}
		w.bots[name] = e
	}
	return e
}

// start starts, greets and configures a bot's process. A fault is the bot's; an error
// is in the bot's entry, or the machine's.
func (w *worker) start(botsCtx context.Context, b *arena.Bot, stderr io.Writer) (*session.Fault, error) {
	e := w.entrant(b.Name)
	spec := process.SpecOf(rules.Asking(*b, w.Event.Game, w.Event.Rules, w.Catalog), w.Executable)
	e.stderr, e.output = &session.Tail{Next: stderr}, ""
	spec.CPUs, spec.Stderr = w.cpus, e.stderr
	bot := *b
	bot.Protocol = cmp.Or(e.found, b.Protocol)
	s, err := session.Open(botsCtx, session.Config{
		Bot: bot, Now: w.Now, Suspended: w.watch.suspended, Hello: cmp.Or(w.Patience.Hello, w.Event.Handshake),
		Setup: session.Setup{Game: w.Event.Game, Timeout: w.Patience.Ready, Clock: w.Event.ClockOf(b), Ponder: w.Event.Ponder},
		Start: func(ctx context.Context, _ *session.Tail) (session.Process, error) {
			proc, err := w.fork(ctx, spec)
			if err != nil {
				return nil, err // a nil *Process must not hide in the interface
			}
			e.proc, e.half = proc, 0
			return proc, nil
		},
	})
	if s == nil {
		return nil, err
	}
	e.session = s
	if err == nil {
		w.failures.add(b.Name, nil)
		e.cpu = e.proc.CPUTime()
		if e.session.Declared.Dialect == protocol.XBoard {
			e.found = arena.ProtocolXBoard // the other words need not be tried again
			if text := hasty(w.Event.ClockOf(b)); text != "" {
				w.Warn(fmt.Sprintf("bot %q speaks xboard, %s", b.Name, text))
			}
		}
		return nil, nil
	}
	var fault *session.Fault
	isFault := errors.As(err, &fault)
	if isFault && botsCtx.Err() == nil {
		if broken := w.blameRules(botsCtx, e, fault.Reason, fault.Detail); broken != nil {
			return nil, broken
		}
	}
	w.end(e)
	if isFault {
		w.failures.add(b.Name, fault)
		return fault, nil
	}
	return nil, err
}

// hasty says at which clocks engines that speak xboard search, if this is not one of them;
// "" if it is. They count whole seconds, and hoichess of Debian moves at once where a
// fortieth of its time is less than 75 ms.
func hasty(c arena.TimeControl) string {
	const usual, least, move = 40, 3 * time.Second, 100 * time.Millisecond
	if c.Move >= move || c.Move == 0 && c.Base/time.Duration(cmp.Or(c.Moves, usual)) >= least/usual || !c.Timed() {
		return ""
	}
	return fmt.Sprintf("whose engines count whole seconds: at %s some move almost at once; give a base of %v or more for %d moves, or %v a move", config.FormatClock(c), least, usual, move)
}

// fork starts a process, and retries for a while if the machine has no room for one.
func (w *worker) fork(botsCtx context.Context, spec process.Spec) (*process.Process, error) {
	start := w.Starter.Start
	if w.Runner.start != nil {
		start = w.Runner.start
	}
	patience := cmp.Or(w.Patience.Fork, defaultFork)
	for wait := patience / 128; ; wait *= 2 {
		proc, err := start(botsCtx, spec)
		var busy *process.BusyError
		if !errors.As(err, &busy) || wait > patience/2 || w.stopped() {
			return proc, err
		}
		select {
		case <-time.After(wait):
		case <-botsCtx.Done():
			return nil, err
		}
	}
}

// play plays a game and returns its outcome.
func (w *worker) play(botsCtx context.Context, g arena.Game) (o Outcome) {
	o = Outcome{Game: g, Slot: w.slot, Begun: true}
	defer func() {
		if err := w.lost(o.Game.Blame); err != nil && o.Err == nil {
			o.Err = err
		}
	}()
	w.played++
	names := [2]string{g.First, g.Second}
	stderr := w.logs.game(g.Number)
	var playing [2]*entrant
	for side, name := range names {
		fault, err := w.ready(botsCtx, name, names, stderr[side])
		if err != nil && botsCtx.Err() == nil {
			var broken *engine.RulesError
			if errors.As(err, &broken) {
				panic(broken)
			}
			o.Err = err
			return o
		}
		if botsCtx.Err() != nil {
			fault = &session.Fault{Reason: arena.Void, Detail: "interrupted"}
		}
		if fault != nil {
			verdict := w.ref.Unable(engine.Side(side), fault)
			verdict.Fill(&o.Game)
			if verdict.Blame != engine.NoSide {
				o.Output = w.entrant(name).output
				w.logs.output(g.Number, side, o.Output)
			}
			o.Interrupted = fault.Reason == arena.Void && botsCtx.Err() != nil
			return o
		}
		playing[side] = w.bots[name]
		playing[side].used = w.played
	}
	spec := referee.Spec{
		Game: w.game, Opening: g.Opening, MaxPlies: w.Event.MaxPlies, Adjudicate: w.Event.Adjudicate, Exact: w.Exact.Judge(),
		Ready: w.Patience.Ready, Silent: w.Patience.Silent, Ponder: w.Event.Ponder, Suspend: w.Event.Suspend,
	}
	var said *dialogue
	if w.Event.LogProtocol && w.logs.dir != "" {
		said = &w.said
		said.begin(w.Now(), names)
	}
	for side, e := range playing {
		spec.Clocks[side] = w.Event.ClockOf(e.bot)
		e.session.Log, e.session.Opponent = nil, names[1-side]
		if said != nil {
			e.session.Log = said.of(side)
		}
		deadline := w.Now().Add(cmp.Or(w.Patience.Ready, session.DefaultReady))
		if seed, ok := e.session.Declared.SeedOption(); ok {
			e.session.Seed(seed, seedFor(seed, e.bot.Options, w.Event.Seed, g.Number, engine.Side(side)), deadline)
		}
		if err := e.session.Set(g.Options[side], deadline); err != nil {
			o.Err = err
			return o
		}
	}
	if w.Event.Ponder && w.cpus != nil {
		if err := w.apart(playing); err != nil {
			o.Err = err
			return o
		}
	}
	if feed := w.Feed.Begin(live.Game{Game: g, Clocks: spec.Clocks, Slot: w.slot, At: w.Now()}); feed != nil {
		spec.Moved = feed.Moved
	}
	verdict, err := w.ref.Play(botsCtx, spec, [2]*session.Session{playing[0].session, playing[1].session})
	if err != nil {
		o.Err = err
		return o
	}
	if verdict.Blame != engine.NoSide && botsCtx.Err() == nil {
		if broken := w.blameRules(botsCtx, playing[verdict.Blame], verdict.Reason, verdict.Detail); broken != nil {
			panic(broken)
		}
	}
	verdict.Fill(&o.Game)
	for side, e := range playing {
		used := e.proc.CPUTime()
		o.Game.CPU[side], e.cpu = max(0, used-e.cpu), used
		w.after(e, &verdict, g.Number, engine.Side(side))
		if verdict.Blame == engine.Side(side) {
			o.Output = e.lastLines()
			w.logs.output(g.Number, side, o.Output)
		}
	}
	if said != nil {
		said.save(w.logs, &o.Game)
	}
	o.Interrupted = o.Game.Reason == arena.Void && botsCtx.Err() != nil
	return o
}

// apart gives each of two bots that ponder half of the slot's cores.
func (w *worker) apart(playing [2]*entrant) error {
	first := 0
	if playing[0].half == 2 || playing[0].half == 0 && playing[1].half == 1 {
		first = 1
	}
	middle := len(w.cpus) / 2
	halves := [2][]int{w.cpus[:middle], w.cpus[middle:]}
	for side, e := range playing {
		at := first ^ side
		if e.half == at+1 {
			continue
		}
		if err := e.proc.Place(halves[at]); err != nil {
			return fmt.Errorf("ponder: true: %w; or set pin: off", err)
		}
		e.half = at + 1
	}
	return nil
}

// ready starts a bot unless it runs, and directs its stderr to the game's log.
func (w *worker) ready(botsCtx context.Context, name string, playing [2]string, stderr io.Writer) (*session.Fault, error) {
	e := w.entrant(name)
	if e.over != nil {
		return e.over, nil
	}
	if e.proc != nil {
		e.stderr = &session.Tail{Next: stderr}
		e.proc.SetStderr(e.stderr)
		return nil, nil
	}
	if fault := w.failures.hopeless(name); fault != nil {
		return fault, nil
	}
	w.makeRoom(playing[:]...)
	fault, err := w.start(botsCtx, e.bot, stderr)
	var options *session.OptionsError
	var busy *process.BusyError
	switch {
	case errors.As(err, &options):
		fault, err = &session.Fault{Reason: arena.ProtocolError, Detail: "it declares other options than before: " + err.Error()}, nil
	case errors.As(err, &busy):
		fault, err = &session.Fault{Reason: arena.Void, Detail: "bot " + name + " could not be started: " + err.Error()}, nil
	case err != nil && theBots(err) && !w.Borrowed:
		fault, err = &session.Fault{Reason: arena.Crash, Detail: "it could not be started: " + err.Error()}, nil
		w.failures.add(name, fault)
	}
	if fault != nil && fault.Reason != arena.Void && e.bot.Restart == arena.RestartNever {
		e.over = fault
	}
	return fault, err
}

// lost returns an error if the folder of a bot at fault was sent to this machine and is
// gone: the machine lost it, perhaps while the bot was started.
func (w *worker) lost(bot string) error {
	if !w.Borrowed || bot == "" {
		return nil
	}
	dir := w.entrant(bot).bot.Dir
	if _, err := os.Stat(dir); dir != "" && errors.Is(err, fs.ErrNotExist) {
		return &process.DirError{Dir: dir, Err: fs.ErrNotExist}
	}
	return nil
}

// theBots reports whether a bot's own files, rather than the machine, prevented its
// start.
func theBots(err error) bool {
	var (
		missing *process.NotFoundError
		broken  *process.NotExecutableError
		dir     *process.DirError
	)
	return errors.As(err, &missing) || errors.As(err, &broken) || errors.As(err, &dir)
}

// after ends a bot's process if it must not, or is not to, play another game. One at
// fault is killed at once, before the next game has its core.
func (w *worker) after(e *entrant, v *referee.Verdict, number int, side engine.Side) {
	never := e.bot.Restart == arena.RestartNever
	if !v.Lost[side] { // else it did not get to play this one
		e.last = number
	}
	switch {
	case v.Dirty[side]:
		w.end(e)
		if never && (v.Reason != arena.Void || v.Lost[side]) {
			e.over = &session.Fault{Reason: arena.Crash, Detail: fmt.Sprintf("it ended in or after game %d and is never restarted", e.last)}
		}
	case v.Blame == side && !never:
		w.end(e)
	case e.bot.Restart == arena.RestartEvery, e.session.OneGame():
		w.retire(e)
	}
}

// shielded reports whether no bot of the event can signal another.
func (w *worker) shielded() bool {
	if w.openSignals {
		return false
	}
	return w.Starter.Shields() || !slices.ContainsFunc(w.Event.Bots, func(b arena.Bot) bool { return b.Sandbox != arena.SandboxStrict })
}
