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
// the same bot at fault. Once a key has sent an invalid result, its reports count for
// nothing.

const (
	// mostDoubtful is the maximum number of unverifiable results in a row from one worker.
	mostDoubtful = 3
	// mostRefused is the number of invalid results in a row that set a worker aside.
	mostRefused = 10
	// fewLeftOut is the number of messages of a key whose reasons for being left out are
	// told. Then their count is, whenever it has grown tenfold, and at the end.
	fewLeftOut = 10
)

// doubt counts the evidence against a worker.
type doubt struct {
	row     int // doubtful results, one after the other
	held    []doubtful
	refused int  // invalid results, one after the other
	clock   bool // it was told that its clock is wrong
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
	w := f.doubtOf(worker)
	w.refused = 0
	lied := f.lied[keyOf(worker)]
	void, bot, fault := false, "", ""
	for i := range d.games {
		g := &d.games[i]
		void = void || g.Reason == arena.Void
		if f.seenAt(worker, g) {
			bot, fault = g.Blame, fmt.Sprintf("bot %q: %s", g.Blame, g.Reason)
		}
	}
	switch {
	case void && (lied || !f.isVoid(worker, d.unit)), lied && fault != "":
		// It is played again, by another worker if there is one.
		if void {
			fault = "games are void"
		}
		w.row++
		if w.row < mostDoubtful {
			return nil, []*unit{d.unit}
		}
		return nil, append(f.setAside(worker, w, w.inRow(fault)), d.unit)
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
	return nil, f.setAside(worker, w, w.inRow(fault))
}

// doubtOf returns the evidence against a worker; mu is held.
func (f *fleet) doubtOf(worker string) *doubt {
	w := f.doubts[worker]
	if w == nil {
		w = &doubt{}
		f.doubts[worker] = w
	}
	return w
}

func (w *doubt) inRow(why string) string {
	return fmt.Sprintf("%d games in a row ended there by its word alone (%s)", w.row, why)
}

// refuse reports that a worker sent an invalid result, and sets the worker aside after
// mostRefused of them in a row.
func (f *fleet) refuse(worker string, err error) {
	if f.Faulty != nil {
		f.Faulty(worker)
	}
	f.leaveOut(worker, fmt.Sprintf("worker %s sent a result that does not hold, and it is left out: %v", worker, err))
	f.mu.Lock()
	w := f.doubtOf(worker)
	again := w.release()
	f.lied[keyOf(worker)] = true
	if w.refused++; w.refused >= mostRefused && w.aside == "" && worker != LocalName {
		_ = f.setAside(worker, w, fmt.Sprintf("%d results in a row do not hold", w.refused))
	}
	f.mu.Unlock()
	for _, u := range again {
		f.publish(u)
	}
}

// release drops the held results, and returns their units, to be queued again.
func (w *doubt) release() (again []*unit) {
	for _, d := range w.held {
		d.unit.held = false
		again = append(again, d.unit)
	}
	w.held = nil
	return again
}

// leaveOut counts a message that is left out, and reports why if it is one of the first.
func (f *fleet) leaveOut(worker, why string) {
	f.mu.Lock()
	key := keyOf(worker)
	f.leftOut[key]++
	n := f.leftOut[key]
	f.mu.Unlock()
	switch {
	case n <= fewLeftOut:
		f.work.Warn(why)
	case isPowerOfTen(n):
		f.work.Warn(leftOutOf(key, n))
	}
}

func leftOutOf(key string, n int) string {
	return fmt.Sprintf("%d messages under the key %s are no results that hold, and were left out", n, key)
}

func isPowerOfTen(n int) bool {
	const base = 10
	for n > 1 && n%base == 0 {
		n /= base
	}
	return n == 1
}

// tellLeftOut reports how many messages were left out in all.
func (f *fleet) tellLeftOut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for key, n := range f.leftOut {
		if n > fewLeftOut && !isPowerOfTen(n) {
			f.tell("warning: " + leftOutOf(key, n))
		}
	}
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
	if f.lied[keyOf(worker)] {
		return true
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
	w.aside = why
	again = w.release()
	if m := f.workers[worker]; m != nil && m.barred == "" {
		f.bar(m, fmt.Errorf("it is set aside: %s; they go to others", w.aside))
	}
	return again
}

// unheld returns the held outcomes if nothing else is left to wait for; mu is held.
func (f *fleet) unheld() (list []event.Outcome) {
	for _, u := range f.units {
		if !u.held && !isClosed(f.stopped) {
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
