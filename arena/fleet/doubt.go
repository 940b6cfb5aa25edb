package fleet

import (
	"fmt"

	"botarena/arena"
	"botarena/arena/event"
)

// Some endings cannot be verified: that a bot crashed, or that a game is void. A single
// worker's report ends neither a run nor a game. Such results are held back until the
// worker plays a game that can be checked. After mostDoubtful of them in a row the
// worker is set aside and its held games go to others, unless another worker has seen
// the same bot at fault.

// mostDoubtful is the maximum number of unverifiable results in a row from one worker.
const mostDoubtful = 3

// doubt counts the evidence against a worker.
type doubt struct {
	row  int // doubtful results, one after the other
	held []doubtful
	// aside is the reason why its results are refused, "" if they are not, and bot the
	// one whose faults that rests on.
	aside, bot string
}

// doubtful is a valid result that cannot be verified.
type doubtful struct {
	unit  *unit
	games []arena.Game
	slot  int
}

// weigh decides about a worker's result: it returns the outcomes to be passed on,
// including ones held before, and the units to be queued again; mu is held.
func (f *fleet) weigh(worker string, d doubtful) (pass []doubtful, again []*unit) {
	if worker == LocalName {
		for i := range d.games {
			f.seenAt(worker, &d.games[i])
		}
		return []doubtful{d}, nil
	}
	w := f.doubts[worker]
	if w == nil {
		w = &doubt{}
		f.doubts[worker] = w
	}
	void, bot, fault := false, "", ""
	for i := range d.games {
		g := &d.games[i]
		void = void || g.Reason == arena.Void
		if f.seenAt(worker, g) {
			bot, fault = g.Blame, fmt.Sprintf("bot %q: %s", g.Blame, g.Reason)
		}
	}
	switch {
	case void && !f.isVoid(worker, d.unit):
		// It is played again, by another worker where there is one.
		w.row++
		if w.row < mostDoubtful {
			return nil, []*unit{d.unit}
		}
		return nil, append(f.setAside(worker, w, "games are void"), d.unit)
	case fault == "":
		pass = append(pass, w.held...)
		pass = append(pass, d)
		for i := range w.held {
			w.held[i].unit.held = false
		}
		w.row, w.held = 0, nil
		return pass, nil
	}
	w.row++
	w.held = append(w.held, d)
	d.unit.held = true
	if w.row < mostDoubtful {
		return nil, nil
	}
	w.bot = bot
	return nil, f.setAside(worker, w, fault)
}

// seenAt records which worker saw a bot at fault, and reports whether nobody else did.
// punctual handles losses on time.
func (f *fleet) seenAt(worker string, g *arena.Game) (doubtful bool) {
	if !g.Reason.Forfeit() || g.Reason == arena.TimeForfeit {
		return false
	}
	at := f.faulty[g.Blame]
	if at == nil {
		at = map[string]bool{}
		f.faulty[g.Blame] = at
	}
	at[keyOf(worker)] = true
	if len(at) == 1 {
		return true
	}
	for name, w := range f.doubts {
		if w.aside == "" || w.bot != g.Blame {
			continue
		}
		w.aside, w.row = "", 0 // it was right
		if m := f.workers[name]; m != nil {
			m.barred = ""
			f.tell(fmt.Sprintf("worker %s gets games again: others see bot %q at fault as well", name, g.Blame))
		}
	}
	return false
}

// isVoid records which worker reported a unit as void, and reports whether another one
// did before.
func (f *fleet) isVoid(worker string, u *unit) bool {
	for _, other := range u.voided {
		if other != keyOf(worker) {
			return true
		}
	}
	u.voided = append(u.voided[:0], keyOf(worker))
	return false
}

// setAside refuses further results of a worker, and returns its held units; mu is held.
func (f *fleet) setAside(worker string, w *doubt, why string) (again []*unit) {
	w.aside = fmt.Sprintf("%d games in a row ended there by its word alone (%s)", w.row, why)
	for _, d := range w.held {
		d.unit.held = false
		again = append(again, d.unit)
	}
	w.held = nil
	if m := f.workers[worker]; m != nil && m.barred == "" {
		f.bar(m, fmt.Errorf("it is set aside: %s; they go to others", w.aside))
	}
	return again
}

// unheld returns the held outcomes if nothing else is left to wait for; mu is held.
func (f *fleet) unheld() (list []event.Outcome) {
	for _, u := range f.units {
		if !u.held && !f.stopping() {
			return nil
		}
	}
	for worker, w := range f.doubts {
		for _, d := range w.held {
			d.unit.held = false
			list = append(list, f.close(worker, d)...)
		}
		w.held = nil
	}
	return list
}
