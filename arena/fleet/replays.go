package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/event"
	"botarena/arena/fleet/audit"
	"botarena/arena/fleet/wire"
)

// A replay is a unit that is played again by another worker than the one whose games
// are on record. Where its moves are others, it is played once more: only what two
// workers, or one twice, play alike is held against a third. What comes out otherwise
// each time is held against nobody, since then it is the bots that do not repeat
// themselves.
type replay struct {
	games   []arena.Game // on record
	worker  string       // who played them
	second  []arena.Game // what came out when they were played again; nil before
	auditor string       // who did that
	not     []string     // whom the job is not for
	parked  bool         // there is nobody to play it
	voids   int          // attempts that did not come to an end
}

// mostVoid is how often a replay that is void is tried again.
const mostVoid = 3

// unrepeatable tells once which games are not played again, and reports whether all
// are not.
func (f *fleet) unrepeatable() {
	f.noReplay = map[string]bool{}
	if f.Audit == 0 {
		return
	}
	whys := map[string][]string{}
	for i := range f.work.Event.Bots {
		b := &f.work.Event.Bots[i]
		if why := audit.Unrepeatable(&f.work.Event, b); why != "" && !b.Withdrawn {
			whys[why] = append(whys[why], b.Name)
			f.noReplay[b.Name] = true
		}
	}
	for why, names := range whys {
		f.work.Warn(fmt.Sprintf("games of %s are not played again to compare them: each %s, and so need not repeat its moves", strings.Join(names, ", "), why))
	}
}

// replays reports whether a unit's games are to be played again.
func (f *fleet) replays(games []arena.Game) bool {
	g := &games[0]
	return f.Audit > 0 && f.work.Audited != nil && !f.noReplay[g.First] && !f.noReplay[g.Second] && audit.Chosen(f.work.Event.Seed, g.Pair, f.Audit)
}

// resumeReplays has those pairs played again that a run before this one chose and did not
// come to.
func (f *fleet) resumeReplays(ctx context.Context) error {
	if f.Audit == 0 || f.work.Unaudited == nil {
		return nil
	}
	pairs, err := f.work.Unaudited(func(pair int) bool { return audit.Chosen(f.work.Event.Seed, pair, f.Audit) })
	if err != nil {
		return err
	}
	for _, numbers := range pairs {
		var games []arena.Game
		for _, n := range numbers {
			g, err := f.recorded(ctx, n)
			if err != nil {
				return err
			}
			if g != nil {
				games = append(games, *g)
			}
		}
		if len(games) == 0 || !f.replays(games) {
			continue
		}
		worker := games[0].Worker
		if worker == "" {
			worker = LocalName
		}
		f.resumed = true
		f.playAgain(&replay{games: games, worker: worker})
	}
	return nil
}

// playAgain has a unit whose games are recorded played by another worker.
func (f *fleet) playAgain(r *replay) {
	u := &unit{replay: r}
	for i := range r.games {
		u.numbers = append(u.numbers, r.games[i].Number)
	}
	f.mu.Lock()
	if f.stopping() {
		f.mu.Unlock()
		return
	}
	// No name of a run before this one: its job may be for others.
	f.replayed++
	u.name = fmt.Sprintf("%s_again%d", wire.Unit(gamesOf(r.games)), f.began.UnixMilli()+int64(f.replayed))
	f.units[u.name] = u
	f.mu.Unlock()
	f.publish(u)
}

func gamesOf(games []arena.Game) []wire.Game {
	list := make([]wire.Game, len(games))
	for i := range games {
		list[i] = wire.GameOf(&games[i])
	}
	return list
}

// address writes the job of a replay for whoever is there now, and reports whether
// somebody is; mu is held.
func (f *fleet) address(u *unit) bool {
	r := u.replay
	not := f.without(r.worker)
	if r.second != nil {
		if more := f.without(r.worker, r.auditor); more != nil {
			not = more // somebody else is there to decide
		}
	}
	if r.parked = not == nil; r.parked {
		return false
	}
	r.not = not
	job := wire.Job{Event: f.event.Token, Unit: u.name, Games: gamesOf(r.games), Audit: true, Not: not}
	var err error
	u.data, err = job.Encode()
	return err == nil // it was short enough the first time
}

// without returns whom a job is not for, so that none of these workers gets it and
// somebody else can: their keys where another key is there, else their names; nil
// where nobody else is there. mu is held.
func (f *fleet) without(workers ...string) []string {
	for _, of := range []func(string) string{keyOf, func(name string) string { return name }} {
		var not []string
		for _, w := range workers {
			not = append(not, of(w))
		}
		for name := range f.workers {
			if !slices.Contains(not, of(name)) {
				return not
			}
		}
	}
	return nil
}

// keyOf is what the names of all workers that join with one key begin with.
func keyOf(worker string) string {
	key, _, _ := strings.Cut(worker, "_")
	return key
}

// unpark publishes replays that nobody was there for.
func (f *fleet) unpark() {
	f.mu.Lock()
	var list []*unit
	for _, u := range f.units {
		if u.replay != nil && u.replay.parked {
			list = append(list, u)
		}
	}
	f.mu.Unlock()
	for _, u := range list {
		f.publish(u)
	}
}

// takeReplay takes the result of a replay. It reports whether the result holds.
func (f *fleet) takeReplay(u *unit, worker string, msg part, res *wire.Result) bool {
	defer func() { _ = msg.Ack() }()
	r := u.replay
	games, void, err := f.replayOf(r, worker, res)
	if err != nil {
		f.refuse(worker, err)
		f.publish(u)
		return false
	}
	if void != "" {
		if r.voids++; r.voids < mostVoid {
			f.publish(u)
			return true
		}
		f.work.Warn(fmt.Sprintf("%s cannot be played again to compare them: %s", pairOf(r.games), void))
		f.closeReplay(u)
		return true
	}
	switch {
	case r.second == nil && audit.AllSame(r.games, games):
		f.conclude(u, worker, "", nil, "")
	case r.second == nil:
		f.mu.Lock()
		r.second, r.auditor = games, worker
		f.mu.Unlock()
		f.closeReplay(u)
		f.playAgain(r)
	case audit.AllSame(r.second, games):
		how := "as " + called(worker) + " plays it"
		if worker == r.auditor {
			how = "twice"
		}
		f.conclude(u, r.auditor, r.worker, r.second, how)
	case audit.AllSame(r.games, games):
		f.conclude(u, r.auditor, r.auditor, r.second, "but "+called(worker)+" plays it as on record")
	default:
		f.work.Warn(fmt.Sprintf("%s went otherwise each time (by %s, then %s, then %s): %s or %s does not repeat its moves, or a worker plays what it likes; arena games and arena fleet audit may tell more",
			pairOf(r.games), called(r.worker), called(r.auditor), called(worker), r.games[0].First, r.games[0].Second))
		f.closeReplay(u)
	}
	return true
}

// replayOf returns the games of a replay's result, refereed, or why it is void.
func (f *fleet) replayOf(r *replay, worker string, res *wire.Result) (games []arena.Game, void string, err error) {
	f.mu.Lock()
	job := wire.Job{Not: r.not}
	f.mu.Unlock()
	if !job.For(worker) || len(res.Games) != len(r.games) {
		return nil, "", errors.New("it answers for a pair that others are to play again")
	}
	for i := range res.Games {
		g := r.games[i]
		if res.Games[i].Number != g.Number {
			return nil, "", fmt.Errorf("game %d is not of the job", res.Games[i].Number)
		}
		if err := f.judge(&g, worker, res, &res.Games[i]); err != nil {
			return nil, "", err
		}
		if g.Reason == arena.Void {
			return nil, g.Detail, nil
		}
		games = append(games, g)
	}
	return games, "", nil
}

// conclude records what came of a replay. Suspect is the worker against which it
// speaks, "" for none.
func (f *fleet) conclude(u *unit, auditor, suspect string, other []arena.Game, how string) {
	r := u.replay
	if f.revoked(r.worker) || f.revoked(auditor) {
		f.closeReplay(u)
		return
	}
	for i := range r.games {
		a := event.Audit{Number: r.games[i].Number, Worker: recordName(r.worker), Auditor: recordName(auditor)}
		if other != nil {
			if ply, detail := audit.Compare(&r.games[i], &other[i]); detail != "" {
				a.Differs, a.Ply, a.Detail, a.Suspect = true, ply, detail+", "+how, recordName(suspect)
				f.work.Warn(fmt.Sprintf("game %d of worker %s was played again by %s with other moves (ply %d: %s); look at arena fleet audit",
					a.Number, called(r.worker), called(auditor), ply, a.Detail))
			}
		}
		if err := f.work.Audited(a); err != nil {
			f.work.Warn(fmt.Sprintf("what came of game %d when it was played again is not recorded: %v", a.Number, err))
		}
	}
	f.mu.Lock()
	f.counts.Audited++
	f.mu.Unlock()
	f.closeReplay(u)
}

// revoked reports whether a worker is believed no more.
func (f *fleet) revoked(worker string) bool {
	return f.Trusted != nil && worker != LocalName && !f.Trusted(worker)
}

// closeReplay forgets a replay.
func (f *fleet) closeReplay(u *unit) {
	f.mu.Lock()
	delete(f.units, u.name)
	f.mu.Unlock()
}

// awaitReplays waits, once all games are played, for those that are played again,
// while there is somebody to do it and nobody interrupts.
func (f *fleet) awaitReplays() {
	told := false
	for {
		f.mu.Lock()
		left, able := 0, false
		for _, u := range f.units {
			if u.replay != nil {
				left++
				able = able || f.without(u.replay.worker) != nil
			}
		}
		f.mu.Unlock()
		ended := f.air == nil || f.air.Err() != nil || f.stopping() || isClosed(f.work.Soft)
		switch {
		case left == 0:
			return
		case ended:
			f.tell(fmt.Sprintf("%d pairs were not played again to compare them: the event ended before", left))
			return
		case !able && (!f.resumed || f.Now().Sub(f.began) >= comeBack):
			f.tell(fmt.Sprintf("%d pairs were not played again to compare them: no other worker is there to do it", left))
			return
		case !told && able:
			told = true
			f.tell(fmt.Sprintf("all games are played; %d pairs are being played again to compare them (--audit)", left))
		}
		time.Sleep(replayLook)
	}
}

const (
	replayLook = 20 * time.Millisecond // whether all replays have come
	comeBack   = 5 * time.Second       // for workers of a run before this one, which may have had no more to play
)

func pairOf(games []arena.Game) string {
	if len(games) == 1 {
		return fmt.Sprintf("game %d", games[0].Number)
	}
	return fmt.Sprintf("games %d and %d", games[0].Number, games[len(games)-1].Number)
}

// recordName is a worker's name on record: the machine that runs the event has none.
func recordName(worker string) string {
	if worker == LocalName {
		return ""
	}
	return worker
}

// called is a worker's name in a message.
func called(worker string) string {
	if worker == LocalName {
		return "this machine"
	}
	return worker
}
