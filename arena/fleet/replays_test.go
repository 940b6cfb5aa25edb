package fleet_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"botarena/arena/config"
	"botarena/arena/event"
	"botarena/arena/store"
)

// differences returns what audits found, and the workers.
func (r *rig) differences() ([]store.Difference, map[string]store.Worker) {
	r.t.Helper()
	ctx := context.Background()
	s := r.open(filepath.Join(r.dir, "fleet.db"))
	defer func() { _ = s.Close() }()
	list, err := s.Differences(ctx, "e")
	if err != nil {
		r.t.Fatal(err)
	}
	workers, err := s.Workers(ctx)
	if err != nil {
		r.t.Fatal(err)
	}
	byName := map[string]store.Worker{}
	for _, w := range workers {
		byName[w.Name] = w
	}
	return list, byName
}

// A worker that plays other legal moves passes the referee, and is found out by what
// others play: each difference is held against it, whether it played first or again.
func TestAudit(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.coord.Audit = 1
	r.worker("honest", r.server.Addr, 1, 0)
	r.worker("fair", r.server.Addr, 1, 0)
	r.workerOf("liar", r.server.Addr, 1, walkSalted(1, 0, func() string { return "lie" }))
	r.run("fleet.db", r.event(t, 8), r.coord.Workers, nil)
	list, workers := r.differences()
	if len(list) == 0 {
		t.Fatalf("no difference is found:\n%s", strings.Join(r.said, "\n"))
	}
	as := map[string]int{}
	for _, d := range list {
		if d.Suspect != "liar" || d.Worker == d.Auditor || d.Worker != "liar" && d.Auditor != "liar" || d.Ply < 1 || !strings.Contains(d.Detail, " instead of ") {
			t.Errorf("%+v", d)
		}
		as[d.Worker]++
	}
	if workers["liar"].Differed != len(list) || workers["honest"].Differed+workers["fair"].Differed != 0 {
		t.Errorf("%+v", workers)
	}
	if audited := workers["liar"].Audited + workers["honest"].Audited + workers["fair"].Audited; audited < 40 {
		t.Errorf("%d of 48 games were played again:\n%s", audited, strings.Join(r.said, "\n"))
	}
	if !r.heard("with other moves (ply ") {
		t.Errorf("%s", strings.Join(r.said, "\n"))
	}
}

// Bots that play otherwise each time are held against nobody.
func TestAuditWithoutRepeating(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.coord.Audit = 1
	var n atomic.Int64
	salt := func() string { return fmt.Sprint(n.Add(1)) }
	r.workerOf("one", r.server.Addr, 1, walkSalted(1, 0, salt))
	r.workerOf("two", r.server.Addr, 1, walkSalted(1, 0, salt))
	r.run("fleet.db", r.event(t, 2), r.coord.Workers, nil)
	if list, workers := r.differences(); len(list) != 0 || workers["one"].Differed+workers["two"].Differed != 0 {
		t.Errorf("%+v\n%+v", list, workers)
	}
	if !r.heard("went otherwise each time") {
		t.Errorf("%s", strings.Join(r.said, "\n"))
	}
}

// What cannot be played again is not, and that is said.
func TestAuditOfNothing(t *testing.T) {
	t.Parallel()
	t.Run("alone", func(t *testing.T) {
		t.Parallel()
		r := newRig(t)
		r.coord.Audit = 1
		r.worker("alone", r.server.Addr, 1, 0)
		r.run("fleet.db", r.event(t, 1), r.coord.Workers, nil)
		if !r.heard("3 pairs were not played again to compare them: no other worker") {
			t.Errorf("%s", strings.Join(r.said, "\n"))
		}
	})
	t.Run("by time", func(t *testing.T) {
		t.Parallel()
		r := newRig(t)
		r.coord.Audit = 1
		r.worker("one", r.server.Addr, 1, 0)
		r.worker("two", r.server.Addr, 1, 0)
		e, err := config.Decode([]byte("event: e\ngame: breakthrough:5x5\nclock: {nodes: 1}\nrounds: 2\nbots: [{builtin: a, clock: {move: 10s}}, {builtin: b}, {builtin: c}]\n"))
		if err != nil {
			t.Fatal(err)
		}
		r.run("fleet.db", e, r.coord.Workers, nil)
		_, workers := r.differences()
		if audited := workers["one"].Audited + workers["two"].Audited; audited != 4 {
			t.Errorf("%d games were played again; 4 have no clock that runs\n%s", audited, strings.Join(r.said, "\n"))
		}
		if !r.heard("games of a are not played again to compare them: each plays by time") {
			t.Errorf("%s", strings.Join(r.said, "\n"))
		}
	})
}

// A run that goes on has those pairs played again, too, that the one before it did not
// come to.
func TestAuditGoesOn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.coord.Audit = 1
	r.worker("one", r.server.Addr, 2, 5*time.Millisecond)
	soft := make(chan struct{})
	r.soft = soft
	before := 0
	r.run("fleet.db", r.event(t, 8), r.coord.Workers, func(u event.Update) {
		if before = max(before, u.Played); u.Played == 10 && u.Kind == event.GameFinished {
			close(soft)
		}
	})
	if before < 10 || before == 48 {
		t.Fatalf("%d games before the interruption", before)
	}
	r.soft = nil
	r.worker("two", r.server.Addr, 2, 5*time.Millisecond)
	played := r.run("fleet.db", r.event(t, 8), r.coord.Workers, nil)
	_, workers := r.differences()
	if n := workers["one"].Audited + workers["two"].Audited; len(played) != 48 || n != 48 {
		t.Errorf("%d of %d games were played again:\n%s", n, len(played), strings.Join(r.said, "\n"))
	}
}
