// Package tournament runs an event: it plans games with arena/schedule, records
// them in arena/store, plays them with arena/referee between bots that
// arena/process started, and records what became of them.
//
//	t := &tournament.Tournament{Store: s, Starter: starter, ...}
//	summary, err := t.Run(ctx, event, tournament.Options{Soft: firstInterrupt})
//
// Run starts an event or goes on with it: there is no difference beyond what is
// in the database. The README beside says what is decided here, and why.
package tournament

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/openings"
	"botarena/arena/openings/balanced"
	"botarena/arena/process"
	"botarena/arena/schedule"
	"botarena/arena/store"
	"botarena/engine"
)

// A Tournament runs events. All that it knows of the machine is handed in.
type Tournament struct {
	Store   *store.Store
	Self    process.Identity // the process that is to hold the event
	Catalog engine.Catalog
	Starter *process.Starter
	// Executable is arena's own file, absolute: a built-in bot is "Executable bot NAME".
	Executable string
	// Path is the PATH in which programs are found.
	Path string
	// BuiltinVersion is the version of a built-in bot, for its fingerprint.
	BuiltinVersion func(name string) string
	Now            func() time.Time // with a monotonic reading, as time.Now gives
	CPUs           []process.CPU    // that bots may use; none where unknown
	// Runtime is a folder in which runs of arena on this machine hold the cores that
	// they pin games to; "" for none, and cores that several may use.
	Runtime string
	// LogDir is where games' logs go, a folder an event (see LogFiles); "" for nowhere.
	LogDir string
	// Books is where balanced openings are kept once they are found; "" for nowhere.
	Books string
	// Observe, where set, is told what happens, by one goroutine at a time. It
	// holds the event up while it runs.
	Observe func(Update)
	// Patience bounds what no game clock bounds.
	Patience Patience
	// Workers, where set, returns what plays an event's games; nil is this machine,
	// by what is named above.
	Workers func(Work) (Workers, error)

	pauses      func() time.Time                                              // the watch's clock, in tests
	start       func(context.Context, process.Spec) (*process.Process, error) // instead of Starter's, in tests
	memory      func() (free float64, known bool)                             // instead of process.FreeMemory, in tests
	openSignals bool                                                          // as if bots could signal each other, in tests
}

// Patience is how long bots may take where no game clock runs; zero fields are
// the referee's defaults.
type Patience struct {
	Hello  time.Duration // for the handshake
	Ready  time.Duration // for readyok
	Silent time.Duration // for a move without a time limit
	Build  time.Duration // for a build command (default 10 minutes)
	// Fork is how long a bot's start is tried again where the machine has no room
	// for a process (default 10 s); then the game is void, and played again.
	Fork time.Duration
}

// Options are what one call of Run is asked for.
type Options struct {
	// Extend lets the configuration differ from the recorded one by more rounds,
	// more bots or wider limits.
	Extend bool
	// Soft, when closed, begins an orderly end: no new games, those in the air may
	// end within the event's Grace, the rest is void. Cancelling Run's context
	// ends at once. Nothing recorded is lost either way.
	Soft <-chan struct{}
}

// A Summary says how far an event is.
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
	Building                 // Text is set: a bot and the command that builds it
	Searching                // Search is set: how far the search for balanced openings is
)

// An Update is something that happened in a run.
type Update struct {
	Kind    Kind
	Planned int // games planned so far
	Played  int // games with a result so far
	Game    *arena.Game
	Slot    int // 0-based, where the game was played
	Text    string
	Search  *balanced.Progress
	// Trial is where the event's test stands, nil without one. It may be read until
	// Observe returns.
	Trial *schedule.Trial
}

// ErrFinished says that all of the event's games are played already.
var ErrFinished = errors.New("the event is finished")

// ErrInterrupted says that a run was ended from outside; run again to go on.
var ErrInterrupted = errors.New("interrupted")

// A ChangedError says that an event of that name is recorded with another
// configuration.
type ChangedError struct {
	Event   string
	Changes []string
	// Why says why Options.Extend did not help; nil where it was not asked for.
	Why error
}

// Error lists the changes and says what to try.
func (e *ChangedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "event %q is in the database with another configuration:", e.Event)
	for _, c := range e.Changes {
		b.WriteString("\n  " + c)
	}
	if e.Why != nil {
		fmt.Fprintf(&b, "\nit cannot be extended like that: %v", e.Why)
	} else {
		b.WriteString("\nundo the change, or name the event otherwise")
	}
	return b.String()
}

// Unwrap returns Why.
func (e *ChangedError) Unwrap() error { return e.Why }

// A BotsError lists everything that keeps bots from entering the event.
type BotsError struct{ Problems []BotProblem }

// A BotProblem is what is wrong with one bot.
type BotProblem struct {
	Bot string
	Err error
}

// Error lists the problems, a line each.
func (e *BotsError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.Err.Error()
		if !strings.HasPrefix(lines[i], "bot ") {
			lines[i] = fmt.Sprintf("bot %q: %s", p.Bot, lines[i])
		}
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the problems' errors.
func (e *BotsError) Unwrap() []error {
	errs := make([]error, len(e.Problems))
	for i, p := range e.Problems {
		errs[i] = p.Err
	}
	return errs
}

// A FailingError says that a run was ended because its bots fail at once, in game
// after game. The games are recorded.
type FailingError struct {
	Event string
	Games int // that ended before a move, one after the other
	Last  arena.Game
}

// Error names the last game and what to look at.
func (e *FailingError) Error() string {
	return fmt.Sprintf("event %q: its bots fail at once: the last %d games ended without a move, and each bot was at fault; game %d (%s - %s): %s of %s: %s\ncheck each bot by itself, and whether it plays %s",
		e.Event, e.Games, e.Last.Number, e.Last.First, e.Last.Second, e.Last.Reason, e.Last.Blame, e.Last.Detail, e.Last.Game)
}

// A VoidError says that games were void so often that they were left unplayed.
// All other games are played; another run tries these again.
type VoidError struct {
	Event string
	Games []VoidGame
}

// A VoidGame is one that was given up in this run.
type VoidGame struct {
	Number int
	Detail string // of the last attempt
}

// Error names the games.
func (e *VoidError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "event %q: %d games were void %d times each and are left unplayed:", e.Event, len(e.Games), mostVoids)
	for _, g := range e.Games {
		fmt.Fprintf(&b, "\n  game %d: %s", g.Number, g.Detail)
	}
	b.WriteString("\nrun again to try them again")
	return b.String()
}

// Run plays the event's games that have no result, and records them. The error
// is ErrFinished, ErrInterrupted, a *ChangedError, a *BotsError (nothing was
// recorded), a *VoidError, a *FailingError, one of the store's (*store.HeldError,
// *store.FullError, ...) or says what is wrong with the event. The summary is as
// far as it came.
func (t *Tournament) Run(ctx context.Context, event arena.Event, opt Options) (summary Summary, err error) {
	summary.Event = event.Name
	// An event that there is, is held before it is looked at: what another process
	// does to it must not come in between.
	hold, err := t.Store.Acquire(ctx, event.Name, t.Self)
	var unknown *store.UnknownEventError
	if err != nil && !errors.As(err, &unknown) {
		return summary, err
	}
	r := &run{Tournament: t, opt: opt, hold: hold, tries: map[int]int{}}
	defer func() {
		if r.hold != nil {
			err = errors.Join(err, r.hold.Release(context.WithoutCancel(ctx)))
		}
	}()
	live := r.keepHold(ctx)
	err = r.prepare(ctx, event)
	live()
	if err != nil {
		return summary, err
	}
	err = r.run(ctx)
	summary.Planned, summary.Played, summary.Now, summary.Voids = r.plan.Len(), r.played, r.now, r.voids
	summary.Concurrency, summary.Pinned = r.workers.Slots()
	return summary, err
}

// keepHold gives signs of life until it is told to stop: bots may be built, and
// openings looked for, for minutes.
func (r *run) keepHold(ctx context.Context) (stop func()) {
	if r.hold == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(touchEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				_ = r.hold.Touch(ctx, 0) // whatever is written next finds what is wrong
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// prepare does all that can fail before anything is started or written.
func (r *run) prepare(ctx context.Context, event arena.Event) (err error) {
	if r.game, err = r.Catalog.Lookup(event.Game); err != nil {
		return err
	}
	event.Game = r.game.Name()
	event.Bots = slices.Clone(event.Bots) // fingerprints are filled in
	if r.stored, err = r.admit(ctx, &event, r.opt); err != nil {
		return err
	}
	r.event = event
	if err := r.restore(ctx); err != nil {
		return err
	}
	if err := r.follow(ctx); err != nil {
		return err
	}
	work := Work{Event: event, Game: r.game, Soft: r.opt.Soft, Warn: r.notes.add}
	if r.Workers != nil {
		r.workers, err = r.Workers(work)
	} else {
		r.workers, err = newLocal(r.Tournament, work)
	}
	return err
}

// admit compares the event with what is recorded under its name and fills in the
// bots' fingerprints. It returns nil where nothing is recorded.
func (t *Tournament) admit(ctx context.Context, event *arena.Event, opt Options) (*store.Event, error) {
	stored, err := t.Store.Event(ctx, event.Name)
	var unknown *store.UnknownEventError
	if errors.As(err, &unknown) {
		*event = event.GoOn(&arena.Event{})
		if err := book(&event.Openings, ""); err != nil {
			return nil, err
		}
		if err := t.build(ctx, opt.Soft, event.Bots); err != nil {
			return nil, err
		}
		return nil, t.fingerprint(ctx, event.Bots, nil)
	}
	if err != nil {
		return nil, err
	}
	old, err := recordedConfig(stored)
	if err != nil {
		return nil, err
	}
	*event = event.GoOn(&old)
	if err := book(&event.Openings, old.Openings.SHA256); err != nil {
		return nil, err
	}
	if opt.Extend {
		var added []arena.Bot
		for _, b := range event.Bots {
			if !has(old.Bots, b.Name) {
				added = append(added, b)
			}
		}
		if err := t.build(ctx, opt.Soft, added); err != nil {
			return nil, err
		}
	}
	missing := t.fingerprint(ctx, event.Bots, stored.Entries)
	switch {
	case stored.State == store.Finished && len(config.Diff(old, *event)) == 0:
		return nil, fmt.Errorf("event %q: %w", event.Name, ErrFinished)
	case missing != nil:
		return nil, missing
	}
	return stored, allowed(old, *event, opt.Extend)
}

// recordedConfig reads the configuration of a recorded event. That of an older
// version may not be valid: it is only compared with.
func recordedConfig(stored *store.Event) (arena.Event, error) {
	e, err := config.Decode(stored.Config)
	var invalid *arena.InvalidError
	if err != nil && !errors.As(err, &invalid) {
		return e, fmt.Errorf("configuration of event %q in the database: %w", stored.Name, err)
	}
	for i := range e.Bots {
		e.Bots[i].Fingerprint = entered(stored.Entries, e.Bots[i].Name)
	}
	return e, nil
}

// entered returns the fingerprint with which a bot entered an event, "" where it
// did not.
func entered(entries []store.Entry, bot string) string {
	i := slices.IndexFunc(entries, func(e store.Entry) bool { return e.Name == bot })
	if i < 0 {
		return ""
	}
	return entries[i].Fingerprint
}

// extends reports whether event is old with more rounds, more bots or wider limits
// and nothing else.
func extends(old, event arena.Event) error {
	like := old
	like.Rounds, like.Cycles, like.MaxPlies = event.Rounds, event.Cycles, old.MaxPlies
	like.Ladder.Games, like.Ladder.Time, like.Ladder.Width = event.Ladder.Games, event.Ladder.Time, event.Ladder.Width
	like.Bots = slices.Clone(old.Bots)
	for _, b := range event.Bots {
		i := slices.IndexFunc(old.Bots, func(o arena.Bot) bool { return o.Name == b.Name })
		if i < 0 {
			if err := replaces(old, event, b); err != nil {
				return err
			}
			like.Bots = append(like.Bots, b)
			continue
		}
		if f, g := old.Bots[i].Fingerprint, b.Fingerprint; f != "" && g != "" && f != g {
			return fmt.Errorf("bot %q is another program now, and the games of the two would be mixed: give the new one a name of its own and let it take the place of the old one, as in {name: %q, replaces: %q, ...}", b.Name, nextName(old, b.Name), b.Name)
		}
		like.Bots[i].Withdrawn = b.Withdrawn
	}
	if rest := config.Diff(like, event); len(rest) > 0 {
		return fmt.Errorf("only rounds, cycles, bots and a ladder's limits can be extended, and bots replaced or withdrawn, not %s", strings.Join(rest, "; "))
	}
	return schedule.Extends(old, event)
}

// replaces reports whether a new bot takes the place of bots that there are.
func replaces(old, event arena.Event, b arena.Bot) error {
	if len(b.Replaces) == 0 || slices.ContainsFunc(b.Replaces, func(name string) bool { return has(old.Bots, name) }) {
		return nil
	}
	var names []string
	for _, o := range event.Playing() {
		if o.Name != b.Name {
			names = append(names, o.Name)
		}
	}
	return fmt.Errorf("bot %q replaces %q, which never entered; the bots are %s", b.Name, b.Replaces[0], strings.Join(names, ", "))
}

// nextName is a name for the next version of a bot: "emil 2" after "emil".
func nextName(event arena.Event, name string) string {
	for n := 2; ; n++ {
		if next := fmt.Sprintf("%s %d", strings.TrimRight(name, " 0123456789"), n); !has(event.Bots, next) {
			return next
		}
	}
}

func has(bots []arena.Bot, name string) bool {
	return slices.ContainsFunc(bots, func(b arena.Bot) bool { return b.Name == name })
}

// fingerprint fills in the bots' fingerprints: those of entries of the event, or
// by which the database knows the bots, where they are of an older version's
// making. The error is a *BotsError, or the store's.
func (t *Tournament) fingerprint(ctx context.Context, bots []arena.Bot, entries []store.Entry) error {
	var problems []BotProblem
	for i := range bots {
		b := &bots[i]
		if b.Withdrawn { // it is as it was recorded; its program may be gone
			continue
		}
		version := ""
		if b.Builtin != "" && t.BuiltinVersion != nil {
			version = t.BuiltinVersion(b.Builtin)
		}
		print, older, err := process.Fingerprint(*b, t.Path, version)
		if err != nil {
			problems = append(problems, BotProblem{b.Name, err})
			continue
		}
		b.Fingerprint = print
		switch known := entered(entries, b.Name); {
		case older == print || known == print:
		case known == older:
			b.Fingerprint = older
		case known == "" && t.Store != nil:
			old, err := t.Store.HasVersion(ctx, b.Name, older)
			if err != nil {
				return err
			}
			if old {
				b.Fingerprint = older
			}
		}
	}
	if problems != nil {
		return &BotsError{problems}
	}
	return nil
}

// A Preview is what is still to be played of an event.
type Preview struct {
	Games    []arena.Game // the first games without a result, those not recorded yet included
	Left     int          // how many there are of them: more than Games where they are very many
	Played   int          // games that have a result
	Complete bool         // false where more games follow from results
	Rounds   int          // the highest round planned
	Pairs    int          // the highest pair planned
	Openings int          // different openings that there are; 0 where no end is known, or no more are needed
}

// mostPreviewed is how many games a preview lists.
const mostPreviewed = 10_000

// Preview returns the schedule of an event, with openings: of one that has not
// begun, or, where Store is set and knows the event, what is left of it. Of opt
// only Extend counts. It starts no bot and records nothing. The error is a
// *ChangedError where Run would refuse the event for it.
func (t *Tournament) Preview(ctx context.Context, event arena.Event, opt Options) (Preview, error) {
	game, err := t.Catalog.Lookup(event.Game)
	if err != nil {
		return Preview{}, err
	}
	event.Game = game.Name()
	r := &run{Tournament: t, event: event, game: game}
	if t.Store != nil {
		if r.stored, err = t.recorded(ctx, &r.event, opt.Extend); err != nil {
			return Preview{}, err
		}
	}
	if err := r.restore(ctx); err != nil {
		return Preview{}, err
	}
	p := Preview{Played: r.played, Left: r.plan.Len() - r.played}
	if r.stored != nil {
		list, err := t.Store.Games(ctx, store.Filter{Event: event.Name, Unplayed: true, First: mostPreviewed})
		if err != nil {
			return p, err
		}
		for i := range list {
			if !r.dropped(&list[i].Game) {
				p.Games = append(p.Games, list[i].Game)
			}
		}
	}
	for r.state = schedule.More; r.state == schedule.More; {
		if err := r.follow(ctx); err != nil {
			return p, err
		}
		p.Left += len(r.fresh)
		if len(p.Games) == mostPreviewed {
			continue
		}
		p.Games = append(p.Games, r.fresh[:min(len(r.fresh), mostPreviewed-len(p.Games))]...)
	}
	p.Complete, p.Rounds, p.Pairs = r.state == schedule.Complete, r.plan.Rounds(), r.plan.Pairs()
	if r.source == nil && p.Left > 0 {
		// All openings are recorded: a book that is gone is not needed any more.
		if r.source, err = r.openings(ctx); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return p, err
		}
	}
	if r.source != nil {
		p.Openings = r.source.Len()
	}
	return p, nil
}

// recorded returns an event that may be recorded already, nil where it is not, and
// makes the event go on from there.
func (t *Tournament) recorded(ctx context.Context, event *arena.Event, extend bool) (*store.Event, error) {
	stored, err := t.Store.Event(ctx, event.Name)
	var unknown *store.UnknownEventError
	if errors.As(err, &unknown) {
		*event = event.GoOn(&arena.Event{})
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	old, err := recordedConfig(stored)
	if err != nil {
		return nil, err
	}
	*event = event.GoOn(&old)
	if err := book(&event.Openings, old.Openings.SHA256); err != nil {
		return nil, err
	}
	// A bot that is not there, or not built yet, is compared by its command.
	var missing *BotsError
	if err := t.fingerprint(ctx, event.Bots, stored.Entries); err != nil && !errors.As(err, &missing) {
		return nil, err
	}
	return stored, allowed(old, *event, extend)
}

// allowed returns a *ChangedError where an event cannot go on as another one.
func allowed(old, event arena.Event, extend bool) error {
	changes := config.Diff(old, event)
	switch {
	case len(changes) == 0:
		return nil
	case !extend:
		return &ChangedError{Event: event.Name, Changes: changes}
	}
	if err := extends(old, event); err != nil {
		return &ChangedError{Event: event.Name, Changes: changes, Why: err}
	}
	return nil
}

// book fills in what the event's book holds. A book that is gone is taken for the
// one that was there: it matters only where an opening is needed that is not
// recorded, and that is an error then.
func book(o *arena.Openings, recorded string) error {
	if o.File == "" {
		return nil
	}
	data, err := os.ReadFile(o.File)
	if errors.Is(err, fs.ErrNotExist) && recorded != "" {
		o.SHA256 = recorded
		return nil
	}
	if err != nil {
		return fmt.Errorf("read openings: %w", err)
	}
	sum := sha256.Sum256(data)
	print := hex.EncodeToString(sum[:])
	if o.SHA256 != "" && o.SHA256 != print {
		return fmt.Errorf("openings: %s does not hold what its sha256 says: it is %s", o.File, print)
	}
	o.SHA256 = print
	return nil
}

// restore makes the event's plan and its test, and fills in the games that are
// recorded.
func (r *run) restore(ctx context.Context) (err error) {
	if r.plan, err = schedule.New(r.event); err != nil {
		return err
	}
	if r.event.SPRT != nil {
		if r.trial, err = schedule.NewTrial(r.event); err != nil {
			return err
		}
	}
	if r.stored == nil {
		return nil
	}
	return r.Store.Scan(ctx, store.Filter{Event: r.event.Name}, func(g *store.Game) error {
		if r.dropped(&g.Game) {
			return nil
		}
		r.plan.Add(&g.Game)
		if g.Result != arena.Unplayed {
			r.played++
		}
		return nil
	})
}

// dropped reports whether a game is not to be played any more, since one of its
// bots is withdrawn.
func (r *run) dropped(g *arena.Game) bool {
	return g.Result == arena.Unplayed && slices.ContainsFunc(r.event.Bots, func(b arena.Bot) bool {
		return b.Withdrawn && (b.Name == g.First || b.Name == g.Second)
	})
}

// openings opens where the event's games start from.
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
	finder := balanced.Finder{Catalog: r.Catalog, Now: r.Now, Dir: r.Books, Tell: func(p balanced.Progress) {
		r.observe(Update{Kind: Searching, Search: &p})
	}}
	book, err := finder.Book(ctx, r.game, *r.event.Openings.Balanced, r.event.Seed)
	if ctx.Err() != nil {
		return nil, r.interrupted()
	}
	return book, err
}
