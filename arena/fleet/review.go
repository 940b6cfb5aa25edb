package fleet

import (
	"fmt"
	"slices"
	"time"

	"botarena/arena"
	"botarena/arena/fleet/wire"
	"botarena/arena/referee"
)

// referee returns the games of a result as they are to be recorded.
func (f *fleet) referee(u *unit, worker string, d *delivery, r *wire.Result) ([]arena.Game, error) {
	stored := f.Now()
	if meta, err := d.Metadata(); err == nil {
		stored = meta.Timestamp
	}
	shift := f.shift(worker, stored, r)
	var games []arena.Game
	for i := range r.Games {
		e := &r.Games[i]
		if !slices.Contains(u.numbers, e.Number) || slices.ContainsFunc(r.Games[:i], func(o wire.Ended) bool { return o.Number == e.Number }) {
			return nil, fmt.Errorf("game %d is not of the job", e.Number)
		}
		f.mu.Lock()
		o := f.open[e.Number]
		f.mu.Unlock()
		if o == nil || o.unit != u {
			continue
		}
		g := o.game
		if err := f.judge(&g, worker, r, e); err != nil {
			return nil, err
		}
		g.Start = g.Start.Add(shift)
		if early := stored.Add(-keepJobs - g.Wall); g.Start.Before(early) || g.Start.After(stored.Add(wrongClock)) {
			g.Start = stored.Add(-g.Wall) // its clock was set meanwhile, or it says what it likes
		}
		if g.Reason == arena.Void {
			g.Moves, g.Plies = nil, 0
			g.Detail = fmt.Sprintf("worker %s: %s", worker, g.Detail)
		} else if err := g.Validate(); err != nil {
			return nil, fmt.Errorf("game %d: %w", e.Number, err)
		}
		games = append(games, g)
	}
	return games, nil
}

// judge fills in a worker's report of a game. The error says why the report is
// impossible.
func (f *fleet) judge(g *arena.Game, worker string, r *wire.Result, e *wire.Ended) (err error) {
	if err := e.Fill(g); err != nil {
		return fmt.Errorf("game %d: %w", e.Number, err)
	}
	if worker != LocalName {
		g.Worker = worker
	}
	if g.Factor, err = f.factor(worker, r); err != nil {
		return err
	}
	if err := referee.Review(f.specOf(g), g); err != nil {
		return fmt.Errorf("game %d: %w", e.Number, err)
	}
	return nil
}

// specOf returns the referee's spec by which a game had to be played.
func (f *fleet) specOf(g *arena.Game) referee.Spec {
	e := &f.work.Event
	return referee.Spec{
		Game: f.work.Game, Opening: g.Opening, MaxPlies: e.MaxPlies, Adjudicate: e.Adjudicate, Exact: f.work.Exact.Judge(), Clocks: e.Clocks(g),
	}
}

// A worker's clock that is wrong by more than wrongClock is corrected, and reported.
const wrongClock = 10 * time.Second

// shift returns the correction of the times in a result that the server stored then.
func (f *fleet) shift(worker string, stored time.Time, r *wire.Result) time.Duration {
	off := stored.Sub(time.UnixMicro(r.Sent))
	if off.Abs() < wrongClock {
		return 0
	}
	f.mu.Lock()
	w := f.doubtOf(worker)
	told := w.clock
	w.clock = true
	f.mu.Unlock()
	if !told {
		f.work.Warn(fmt.Sprintf("the clock of worker %s is wrong by %v: the times of its games are corrected", worker, off.Abs().Round(time.Minute)))
	}
	return off
}
