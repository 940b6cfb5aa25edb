package tournament

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"time"

	"botarena/arena"
	"botarena/arena/process"
	"botarena/arena/referee"
	"botarena/engine"
	"botarena/protocol"
)

const (
	mostProcesses = 32 // that a worker keeps; the least recently used one goes
	mostEnding    = 8  // that end in the background at once, for each worker
	mostFailures  = 3  // starts that fail in a row before a bot is not tried again
)

// A worker plays one game at a time, with bot processes of its own.
type worker struct {
	*local
	slot    int
	cpus    []int // nil: not pinned
	ref     referee.Referee
	seats   map[string]*seat
	played  int
	said    dialogue
	ending  chan struct{} // a token for each process that ends in the background
	endings sync.WaitGroup
}

// A seat is a bot at one worker.
type seat struct {
	bot    *arena.Bot
	proc   *process.Process
	player *referee.Player
	used   int            // when it played last, by the worker's count
	cpu    time.Duration  // of the process when its last game ended
	over   *referee.Fault // why a bot that is never restarted plays no more
}

// failures are the starts of bots that failed in a row, over all workers.
type failures struct {
	mu   sync.Mutex
	last map[string]failure
}

type failure struct {
	count int
	fault referee.Fault
}

// add counts a fault at the start of a bot; a nil one is a start that went well.
func (f *failures) add(bot string, fault *referee.Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if fault == nil {
		delete(f.last, bot)
	} else if fault.Reason != arena.Void {
		f.last[bot] = failure{f.last[bot].count + 1, *fault}
	}
}

// hopeless returns the fault of a bot that is not worth another start.
func (f *failures) hopeless(bot string) *referee.Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l := f.last[bot]; l.count >= mostFailures {
		return &referee.Fault{Reason: l.fault.Reason, Detail: fmt.Sprintf("not started again after %d failures in a row: %s", l.count, l.fault.Detail)}
	}
	return nil
}

// A startProblem is what a worker found while it started bots: an error keeps
// the event from beginning, a warning does not.
type startProblem struct {
	bot     string
	err     error
	warning string
}

type clock func() time.Time

func (c clock) Now() time.Time { return c() }

func newWorker(l *local, slot int) *worker {
	w := &worker{local: l, slot: slot, seats: map[string]*seat{}, ending: make(chan struct{}, mostEnding)}
	w.ref = referee.Referee{Clock: clock(l.Now), Suspended: func(since time.Time) bool { return l.watch.suspended(since) }}
	return w
}

// work first starts its share of the bots, then plays the games that it is given.
func (w *worker) work(air context.Context, problems chan<- startProblem, ready func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if w.cpus != nil {
		unpin, err := process.PinThread(w.cpus)
		if err != nil {
			problems <- startProblem{err: fmt.Errorf("pin a game to cores %v: %w; or set pin: off", w.cpus, err)}
		} else {
			defer unpin()
		}
	}
	defer w.endAll(air)
	for i := w.slot; i < len(w.Event.Bots); i += len(w.slots) {
		if w.Event.Bots[i].Withdrawn {
			continue
		}
		if p, ok := w.tryOut(air, &w.Event.Bots[i]); ok {
			problems <- p
		}
	}
	ready()
	for g := range w.games {
		if w.stopping.Load() {
			w.outcomes <- Outcome{Game: g}
			continue
		}
		w.outcomes <- w.play(air, g)
	}
}

// tryOut starts a bot before the first game. A bot that cannot be started or
// takes none of its options is the event's mistake; one that does not shake
// hands is at fault itself, in each of its games.
func (w *worker) tryOut(air context.Context, b *arena.Bot) (startProblem, bool) {
	w.makeRoom()
	tail := &tail{next: w.logs.stderr(w.logs.start(b.Name))}
	fault, err := w.start(air, b, tail)
	switch {
	case air.Err() != nil:
		return startProblem{}, false
	case err != nil:
		return startProblem{bot: b.Name, err: err}, true
	case fault != nil:
		return startProblem{bot: b.Name, warning: fmt.Sprintf("bot %q does not start well: %v%s", b.Name, fault, tail)}, true
	}
	return startProblem{}, false
}

// seat returns the worker's place for a bot.
func (w *worker) seat(name string) *seat {
	s, ok := w.seats[name]
	if !ok {
		i := slices.IndexFunc(w.Event.Bots, func(b arena.Bot) bool { return b.Name == name })
		s = &seat{bot: &w.Event.Bots[i]}
		w.seats[name] = s
	}
	return s
}

// start starts a bot's process, shakes hands and configures it. A fault is the
// bot's; an error is about how it was entered, or the machine's.
func (w *worker) start(air context.Context, b *arena.Bot, stderr io.Writer) (*referee.Fault, error) {
	s := w.seat(b.Name)
	spec := process.SpecOf(*b, w.Executable)
	spec.CPUs, spec.Stderr = w.cpus, stderr
	proc, err := w.Starter.Start(air, spec)
	if err != nil {
		return nil, err
	}
	s.proc = proc
	s.player = &referee.Player{Name: b.Name, Link: proc, Why: proc.ExitStatus}
	err = w.ref.Handshake(air, s.player, referee.Hello{Protocol: b.Protocol, Timeout: w.Patience.Hello})
	if err == nil {
		err = w.ref.Configure(air, s.player, referee.Setup{Game: w.Event.Game, Options: b.Options, Timeout: w.Patience.Ready})
	}
	if err == nil {
		w.failures.add(b.Name, nil)
		s.cpu = proc.CPUTime()
		return nil, nil
	}
	w.end(s, 0)
	var fault *referee.Fault
	if errors.As(err, &fault) {
		w.failures.add(b.Name, fault)
		return fault, nil
	}
	return nil, err
}

// play plays a game and says what became of it.
func (w *worker) play(air context.Context, g arena.Game) Outcome {
	o := Outcome{Game: g, Slot: w.slot, Begun: true}
	w.played++
	names := [2]string{g.First, g.Second}
	stderr := w.logs.game(g.Number)
	var seats [2]*seat
	for side, name := range names {
		fault, err := w.ready(air, name, names, stderr[side])
		if err != nil && air.Err() == nil {
			o.Err = err
			return o
		}
		if air.Err() != nil {
			fault = &referee.Fault{Reason: arena.Void, Detail: "interrupted"}
		}
		if fault != nil {
			w.forfeit(&o, engine.Side(side), fault)
			return o
		}
		seats[side] = w.seats[name]
		seats[side].used = w.played
	}
	spec := referee.Spec{
		Game: w.Game, Opening: g.Opening, MaxPlies: w.Event.MaxPlies, Adjudicate: w.Event.Adjudicate,
		Ready: w.Patience.Ready, Silent: w.Patience.Silent,
		ShortHistory: shortHistory(w.Game, [2]protocol.Dialect{seats[0].player.Declared.Dialect, seats[1].player.Declared.Dialect}),
	}
	var said *dialogue
	if w.Event.LogProtocol && w.logs.dir != "" {
		said = &w.said
		said.begin(w.Now(), names)
	}
	for side, s := range seats {
		spec.Clocks[side] = w.Event.Clock
		if s.bot.Clock != nil {
			spec.Clocks[side] = *s.bot.Clock
		}
		s.player.Log = nil
		if said != nil {
			s.player.Log = said.of(side)
		}
		w.seed(s, &g, engine.Side(side))
	}
	record, err := w.ref.Play(air, spec, [2]*referee.Player{seats[0].player, seats[1].player})
	if err != nil {
		o.Err = err
		return o
	}
	record.Fill(&o.Game)
	for side, s := range seats {
		used := s.proc.CPUTime()
		o.Game.CPU[side], s.cpu = max(0, used-s.cpu), used
		w.after(s, &record, &o.Game, engine.Side(side))
	}
	if said != nil {
		said.save(w.logs, &o.Game)
	}
	o.Interrupted = o.Game.Reason == arena.Void && air.Err() != nil
	return o
}

// ready sees to it that a bot runs; its stderr goes to the game's log from now on.
func (w *worker) ready(air context.Context, name string, playing [2]string, stderr io.Writer) (*referee.Fault, error) {
	s := w.seat(name)
	if s.over != nil {
		return s.over, nil
	}
	if s.proc != nil {
		s.proc.SetStderr(stderr)
		return nil, nil
	}
	if fault := w.failures.hopeless(name); fault != nil {
		return fault, nil
	}
	w.makeRoom(playing[:]...)
	fault, err := w.start(air, s.bot, stderr)
	var options *referee.OptionsError
	switch {
	case errors.As(err, &options):
		fault, err = &referee.Fault{Reason: arena.ProtocolError, Detail: "it declares other options than before: " + err.Error()}, nil
	case err != nil && theBots(err):
		fault, err = &referee.Fault{Reason: arena.Crash, Detail: "it could not be started: " + err.Error()}, nil
		w.failures.add(name, fault)
	}
	if fault != nil && fault.Reason != arena.Void && s.bot.Restart == arena.RestartNever {
		s.over = fault
	}
	return fault, err
}

// theBots reports whether a bot's own files are why it did not start, rather than
// the machine.
func theBots(err error) bool {
	var (
		missing     *process.NotFoundError
		broken      *process.NotExecutableError
		interpreter *process.InterpreterError
		dir         *process.DirError
	)
	return errors.As(err, &missing) || errors.As(err, &broken) || errors.As(err, &interpreter) || errors.As(err, &dir)
}

// shortHistory reports whether positions are sent from the last irreversible move
// on. Chess engines read FEN as well as moves, and would spend more time on
// repeating a long game than arena does on refereeing it; other bots may keep a
// board of their own, and get every move.
func shortHistory(game engine.Game, dialects [2]protocol.Dialect) bool {
	return game.Name() == "chess" && dialects == [2]protocol.Dialect{protocol.UCI, protocol.UCI}
}

// forfeit ends a game that could not begin.
func (w *worker) forfeit(o *Outcome, side engine.Side, fault *referee.Fault) {
	g := &o.Game
	g.Start, g.Reason, g.Detail = w.Now(), fault.Reason, fault.Detail
	if fault.Reason == arena.Void {
		o.Interrupted = true
		return
	}
	g.Result = arena.ResultFor(side.Other())
	g.Blame = [2]string{g.First, g.Second}[side]
}

// seed tells a bot its seed for the game.
func (w *worker) seed(s *seat, g *arena.Game, side engine.Side) {
	line := seedFor(s.player.Declared.Options, s.bot.Options, w.Event.Seed, g.Number, side)
	if line == nil {
		return
	}
	now := w.Now()
	if s.player.Log != nil {
		s.player.Log(referee.Line{At: now, ToBot: true, Text: bytes.TrimSuffix(line, []byte("\n"))})
	}
	// A bot that does not take it will not take what follows either, and that is
	// the referee's to find.
	_ = s.player.Link.Write(line, now.Add(cmp.Or(w.Patience.Ready, referee.DefaultReady)))
}

// after ends the process of a bot that must not or is not to play on in it.
func (w *worker) after(s *seat, record *referee.Verdict, g *arena.Game, side engine.Side) {
	blamed := record.Blame == side
	switch {
	case record.Dirty[side]:
		if blamed && (g.Reason == arena.TimeForfeit || g.Reason == arena.Stall) && s.proc.Stopped() {
			w.stopped(g)
		}
		w.end(s, 0)
		if s.bot.Restart == arena.RestartNever && g.Reason != arena.Void {
			s.over = &referee.Fault{Reason: arena.Crash, Detail: fmt.Sprintf("it ended in game %d and is never restarted", g.Number)}
		}
	case s.bot.Restart == arena.RestartEvery, blamed && s.bot.Restart != arena.RestartNever:
		w.retire(s)
	}
}

// stopped judges a game whose blamed bot ran out of time because a signal stopped
// it: where only that bot can have sent the signal it has lost, else nobody has.
func (w *worker) stopped(g *arena.Game) {
	if w.shielded() {
		g.Detail += "; it was stopped by a signal, and only its own processes can send it one"
		return
	}
	g.Detail = g.Blame + " was stopped by a signal that another bot may have sent; sandbox: strict keeps bots from that"
	g.Result, g.Reason, g.Blame = arena.Unplayed, arena.Void, ""
}

// shielded reports whether no bot of the event can signal another.
func (w *worker) shielded() bool {
	if w.openSignals {
		return false
	}
	return w.Starter.Shields() || !slices.ContainsFunc(w.Event.Bots, func(b arena.Bot) bool { return b.Sandbox != arena.SandboxStrict })
}

// makeRoom ends the bots that have not played for longest where the worker has
// too many processes.
func (w *worker) makeRoom(playing ...string) {
	for {
		var oldest *seat
		running := 0
		for name, s := range w.seats {
			if s.proc == nil {
				continue
			}
			running++
			if !slices.Contains(playing, name) && (oldest == nil || s.used < oldest.used) {
				oldest = s
			}
		}
		if running < mostProcesses || oldest == nil {
			return
		}
		w.retire(oldest)
	}
}

// end ends a bot's process, killing it after grace.
func (w *worker) end(s *seat, grace time.Duration) {
	proc := s.proc
	s.proc, s.player = nil, nil
	if err := proc.End(grace); err != nil {
		w.Warn(fmt.Sprintf("bot %q: %v", s.bot.Name, err))
	}
}

// retire asks a bot to quit and ends it in the background.
func (w *worker) retire(s *seat) {
	proc, name := s.proc, s.bot.Name
	s.proc, s.player = nil, nil
	w.ending <- struct{}{}
	w.endings.Add(1)
	go func() {
		defer w.endings.Done()
		defer func() { <-w.ending }()
		// One that does not read gets the same grace as one that does not obey.
		_ = proc.Write(protocol.AppendQuit(nil), w.Now())
		if err := proc.End(w.Event.Grace); err != nil {
			w.Warn(fmt.Sprintf("bot %q: %v", name, err))
		}
	}()
}

// endAll ends all bots of the worker, at once where the run was broken off.
func (w *worker) endAll(air context.Context) {
	for _, s := range w.seats {
		switch {
		case s.proc == nil:
		case air.Err() != nil:
			w.end(s, 0)
		default:
			w.retire(s)
		}
	}
	w.endings.Wait()
}

// A tail passes on what is written to it and remembers the end.
type tail struct {
	mu   sync.Mutex
	next io.Writer // nil: nowhere
	last []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	const most = 2000
	t.last = append(t.last, b[max(0, len(b)-most):]...)
	t.last = append(t.last[:0], t.last[max(0, len(t.last)-most):]...)
	if t.next == nil {
		return len(b), nil
	}
	return t.next.Write(b)
}

// String quotes the end, for a message.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return ending(t.last)
}
