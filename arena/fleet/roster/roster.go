// Package roster manages the workers of a database's fleet: it invites machines, admits
// and revokes their keys, records when they were seen, takes back the games of revoked
// ones, and audits what workers recorded.
package roster

import (
	"context"
	"sync"
	"time"

	"botarena/arena/fleet/keys"
	"botarena/arena/fleet/wire"
	"botarena/arena/standings"
	"botarena/arena/store"
)

// rosterEvery is the interval at which a server reads who may join: another program may
// have revoked a key.
const rosterEvery = 200 * time.Millisecond

// A Roster holds who may join, as the database has it: whoever has one of its keys, or,
// with a site's own cluster, whoever that admits and was not revoked here.
type Roster struct {
	store *store.Store
	Guard *keys.Guard // decides at the server's door; nil at a site's own cluster

	mu      sync.Mutex
	known   map[string]string    // public key to name
	shut    map[string]bool      // names that were revoked and not invited again
	seen    map[string]*sighting // by the worker's name
	barred  map[string]bool      // names that were shut out while this runs
	changed map[string]bool      // keys of whose workers something is to be recorded
	revoked chan struct{}        // closed when a key is gone; another one takes its place
	now     func() time.Time
	ctx     context.Context //nolint:containedctx // for questions at the door, as long as the roster is open
	end     func()
	ended   chan struct{}
}

// sighting holds when a worker was seen and with what.
type sighting struct {
	entry  wire.Worker
	at     time.Time
	faults int // since they were noted
}

// Open reads who may join, and keeps looking until it is closed: a key that is revoked
// is cut off. What cannot be read is read later; nobody new is admitted then. With
// guarded false, a site's own cluster decides who is admitted.
func Open(ctx context.Context, s *store.Store, guarded bool, now func() time.Time) (*Roster, error) {
	ctx, cancel := context.WithCancel(ctx)
	r := &Roster{
		store: s, now: now, ctx: ctx, end: cancel, ended: make(chan struct{}), revoked: make(chan struct{}),
		seen: map[string]*sighting{}, changed: map[string]bool{}, barred: map[string]bool{},
	}
	err := r.read(ctx)
	if err == nil && guarded {
		r.Guard, err = keys.NewGuard(r.name, wire.WorkerSubjects)
	}
	if err != nil {
		cancel()
		return nil, err
	}
	go r.follow(ctx)
	return r, nil
}

func (r *Roster) follow(ctx context.Context) {
	defer close(r.ended)
	tick, note := time.NewTicker(rosterEvery), time.NewTicker(noteEvery)
	defer tick.Stop()
	defer note.Stop()
	for {
		select {
		case <-tick.C:
			_ = r.read(ctx)
		case <-note.C:
			r.note(ctx)
		case <-ctx.Done():
			r.note(context.WithoutCancel(ctx))
			return
		}
	}
}

// noteEvery is the interval at which sightings of workers are recorded.
const noteEvery = 3 * time.Second

// Saw records a worker's entry.
func (r *Roster) Saw(w wire.Worker) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.seen[w.Name]
	if s == nil {
		s = &sighting{}
		r.seen[w.Name] = s
	}
	s.entry, s.at = w, r.now()
	r.changed[keys.KeyOf(w.Name)] = true
}

// Left records that a worker has gone.
func (r *Roster) Left(worker string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.seen[worker]; s != nil {
		s.entry.Slots = 0
		r.changed[keys.KeyOf(worker)] = true
	}
}

// Faulty records a result that was refused.
func (r *Roster) Faulty(worker string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.seen[worker]; s != nil {
		s.faults++
	}
}

// note records the sightings of workers, those of one key together. What cannot be
// recorded is tried again the next time.
func (r *Roster) note(ctx context.Context) {
	r.mu.Lock()
	states := map[string]store.WorkerState{}
	for name, seen := range r.seen {
		if r.now().Sub(seen.at) > standings.AliveFor {
			continue
		}
		w := &seen.entry
		s := states[keys.KeyOf(name)]
		s.Slots += w.Slots
		s.Host, s.Platform = w.Host, w.Platform
		if seen.at.After(s.Seen) {
			s.Seen = seen.at
		}
		if speed := w.Rate(); speed > 0 && (s.Speed == 0 || speed < s.Speed) {
			s.Speed = speed
		}
		s.Spread = max(s.Spread, w.Spread)
		s.Faults += seen.faults
		seen.faults = 0
		states[keys.KeyOf(name)] = s
	}
	for key, s := range states {
		if s.Faults == 0 && !r.changed[key] || !r.admits(key) {
			delete(states, key)
		}
	}
	clear(r.changed)
	r.mu.Unlock()
	_ = r.store.NoteWorkers(ctx, states)
}

// admits reports whether workers of a name may join; mu is held.
func (r *Roster) admits(name string) bool {
	if r.Guard == nil {
		return !r.shut[name]
	}
	for _, known := range r.known {
		if known == name {
			return true
		}
	}
	return false
}

func (r *Roster) read(ctx context.Context) error {
	known, err := r.store.WorkerKeys(ctx)
	if err != nil {
		return err
	}
	shut, err := r.store.WorkersShut(ctx)
	if err != nil {
		return err
	}
	r.mu.Lock()
	before, open := r.known, r.shut
	r.known, r.shut = known, shut
	r.mu.Unlock()
	gone := false
	for key := range before {
		if _, ok := known[key]; !ok {
			gone = true
			if r.Guard != nil {
				r.Guard.Cut(key)
			}
		}
	}
	for name := range shut {
		gone = gone || !open[name]
	}
	if gone {
		r.mu.Lock()
		close(r.revoked)
		r.revoked = make(chan struct{})
		r.mu.Unlock()
	}
	return nil
}

func (r *Roster) name(public string) (string, bool) {
	look := func() (string, bool) {
		r.mu.Lock()
		defer r.mu.Unlock()
		name, ok := r.known[public]
		return name, ok && !r.barred[name]
	}
	if name, ok := look(); ok {
		return name, true
	}
	// It may have been invited since.
	if err := r.read(r.ctx); err != nil {
		return "", false
	}
	return look()
}

// Trusted reports whether results of a worker are to be believed.
func (r *Roster) Trusted(worker string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.admits(keys.KeyOf(worker))
}

// Shut refuses workers with the key of that one, as long as the roster is open.
func (r *Roster) Shut(worker string) {
	name := keys.KeyOf(worker)
	r.mu.Lock()
	r.barred[name] = true
	var public []string
	for key, of := range r.known {
		if of == name {
			public = append(public, key)
		}
	}
	r.mu.Unlock()
	for _, key := range public {
		r.Guard.Cut(key)
	}
}

// Close ends the roster.
func (r *Roster) Close() {
	r.end()
	<-r.ended
}
