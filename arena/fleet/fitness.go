package fleet

import (
	"fmt"
	"math"

	"botarena/arena"
	"botarena/arena/fleet/audit"
	"botarena/arena/fleet/speed"
	"botarena/arena/fleet/wire"
)

const timed = "timed" // the class of events with a clock that runs: see Class

// unfit returns the reason why a worker gets no games of the event, nil if it gets
// some; mu is held.
func (f *fleet) unfit(m *member) error {
	if w := f.doubts[m.entry.Name]; w != nil && w.aside != "" {
		return fmt.Errorf("it is set aside: %s; they go to others", w.aside)
	}
	if m.entry.Name == LocalName {
		return nil
	}
	return speedFits(&f.event, m.entry.Rate(), m.entry.Spread)
}

// speedFits returns the reason why a machine of that speed and spread does not play an
// event, nil if it does. Coordinator and worker both call it.
func speedFits(e *wire.Event, rate, spread float64) error {
	switch {
	case e.Class != timed:
		return nil
	case e.Noise > 0 && spread > e.Noise:
		const percent = 100
		return fmt.Errorf("it is noisy: its speed varies by ±%.0f %% under full load, and games by time go to machines with ±%.0f %% at most (--noise); fewer --slots, or other programs ended there, may help",
			percent*spread, percent*e.Noise)
	case e.Scale:
		_, err := speed.Factor(e.Speed, rate)
		return err
	}
	return nil
}

// bar excludes a worker from the event, and reports it once; mu is held.
func (f *fleet) bar(m *member, why error) {
	m.barred = why.Error()
	f.slots -= m.plays()
	m.entry.Slots = 0
	f.tell(fmt.Sprintf("worker %s gets no games of this event: %v", m.entry.Name, why))
	for _, other := range f.workers {
		if other.barred == "" {
			signal(f.news)
			return
		}
	}
	f.tell("warning: no worker is left that gets games of this event: it waits for another one")
	signal(f.news)
}

func (f *fleet) isBarred(worker string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	m, w := f.workers[worker], f.doubts[worker]
	return m != nil && m.barred != "" || w != nil && w.aside != ""
}

const (
	leastLate = 5    // games lost on time, before anything follows from them
	mostLate  = 1e-4 // the chance of so many at a worker that is as punctual as the others
)

// punctual counts a worker's games by time, and bars it if it loses far more of them on
// time than all others together; mu is held.
func (f *fleet) punctual(worker string, g *arena.Game) {
	m := f.workers[worker]
	if m == nil || f.event.Class != timed || g.Reason == arena.Void {
		return
	}
	m.games++
	if g.Reason != arena.TimeForfeit {
		return
	}
	if m.lost++; m.lost < leastLate || worker == LocalName || m.barred != "" {
		return
	}
	games, lost := 0, 0
	for _, other := range f.workers {
		if other != m {
			games, lost = games+other.games, lost+other.lost
		}
	}
	if games >= m.games/2 && audit.Late(m.lost, m.games, lost, games) < mostLate {
		f.bar(m, fmt.Errorf("it answers late: %d of its %d games were lost on time, far more than elsewhere", m.lost, m.games))
	}
}

// slack is the tolerance of a worker's factor for its clocks, since each run measures
// speeds anew.
const slack = 1.25

// factor returns how much slower than this machine the worker of a result is; 0 if
// unknown. If clocks are scaled, it is the factor that they were multiplied by, and the
// error reports that it is too large.
func (f *fleet) factor(worker string, r *wire.Result) (float64, error) {
	if f.Speed.Speed == 0 {
		return 0, nil
	}
	if worker == LocalName {
		return 1, nil
	}
	f.mu.Lock()
	due := 0.0
	if m := f.workers[worker]; m != nil && m.entry.Rate() > 0 {
		due = f.Speed.Speed / m.entry.Rate()
	}
	f.mu.Unlock()
	if !f.event.Scale || f.event.Class != timed {
		const places = 1000
		return math.Round(due*places) / places, nil
	}
	used, err := r.Factor()
	if err != nil {
		return 0, err
	}
	if used < speed.LeastFactor || used > speed.MostFactor || due > 0 && (used > due*slack || used < due/slack) {
		return 0, fmt.Errorf("clocks were multiplied by %g, where %.3g is its due", used, due)
	}
	return used, nil
}
