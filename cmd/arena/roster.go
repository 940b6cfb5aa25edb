package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kballard/go-shellquote"

	"botarena/arena/fleet/keys"
	"botarena/arena/fleet/wire"
	"botarena/arena/standings"
	"botarena/arena/store"
)

// rosterEvery is how often a server looks at who may join: another program may have
// revoked a key.
const rosterEvery = 200 * time.Millisecond

// A roster is who may join, as the database has it: whoever has one of its keys, or,
// at a site's own cluster, whoever that lets in and was not revoked here.
type roster struct {
	store *store.Store
	guard *keys.Guard // nil at a site's own cluster

	mu      sync.Mutex
	known   map[string]string      // public key to name
	shut    map[string]bool        // names that were revoked and not invited again
	entries map[string]wire.Worker // by the worker's name
	seen    map[string]time.Time   // likewise
	faults  map[string]int         // likewise, since they were noted
	changed map[string]bool        // keys of whose workers something is to be recorded
	revoked chan struct{}          // holds a token when a key is gone
	now     func() time.Time
	ctx     context.Context //nolint:containedctx // for questions at the door, as long as the roster is open
	end     func()
	ended   chan struct{}
}

// openRoster reads who may join, and keeps looking until it is closed: a key that is
// revoked is cut off. What cannot be read is read later; nobody new comes in then. With
// guarded false, a site's own cluster decides who comes in.
func openRoster(ctx context.Context, s *store.Store, guarded bool, now func() time.Time) (*roster, error) {
	ctx, cancel := context.WithCancel(ctx)
	r := &roster{
		store: s, now: now, ctx: ctx, end: cancel, ended: make(chan struct{}), revoked: make(chan struct{}, 1),
		entries: map[string]wire.Worker{}, seen: map[string]time.Time{}, faults: map[string]int{}, changed: map[string]bool{},
	}
	err := r.read(ctx)
	if err == nil && guarded {
		r.guard, err = keys.NewGuard(r.name, wire.WorkerSubjects)
	}
	if err != nil {
		cancel()
		return nil, err
	}
	go r.follow(ctx)
	return r, nil
}

func (r *roster) follow(ctx context.Context) {
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

// noteEvery is how often it is recorded what was seen of workers.
const noteEvery = 3 * time.Second

// saw takes note of a worker's entry.
func (r *roster) saw(w wire.Worker) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries[w.Name], r.seen[w.Name] = w, r.now()
	r.changed[keys.KeyOf(w.Name)] = true
}

// left takes note of a worker that is there no more.
func (r *roster) left(worker string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if w, ok := r.entries[worker]; ok {
		w.Slots = 0
		r.entries[worker] = w
		r.changed[keys.KeyOf(worker)] = true
	}
}

// faulty takes note of a result that did not hold.
func (r *roster) faulty(worker string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults[worker]++
}

// note records what was seen of workers: those of one key together. What cannot be
// recorded is, the next time.
func (r *roster) note(ctx context.Context) {
	r.mu.Lock()
	states := map[string]store.WorkerState{}
	for name, w := range r.entries {
		at := r.seen[name]
		if r.now().Sub(at) > standings.AliveFor {
			continue
		}
		key := keys.KeyOf(name)
		s := states[key]
		s.Slots += w.Slots
		s.Host, s.Platform = w.Host, w.Platform
		if at.After(s.Seen) {
			s.Seen = at
		}
		if speed, err := strconv.ParseFloat(w.Speed, 64); err == nil && (s.Speed == 0 || speed < s.Speed) {
			s.Speed = speed
		}
		s.Spread = max(s.Spread, w.Spread)
		states[key] = s
	}
	faults := r.faults
	r.faults = map[string]int{}
	for worker, n := range faults {
		if s, ok := states[keys.KeyOf(worker)]; ok {
			s.Faults += n
			states[keys.KeyOf(worker)] = s
		}
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
func (r *roster) admits(name string) bool {
	if r.guard == nil {
		return !r.shut[name]
	}
	for _, known := range r.known {
		if known == name {
			return true
		}
	}
	return false
}

func (r *roster) read(ctx context.Context) error {
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
			if r.guard != nil {
				r.guard.Cut(key)
			}
		}
	}
	for name := range shut {
		gone = gone || !open[name]
	}
	if gone {
		select {
		case r.revoked <- struct{}{}:
		default:
		}
	}
	return nil
}

func (r *roster) name(public string) (string, bool) {
	look := func() (string, bool) {
		r.mu.Lock()
		defer r.mu.Unlock()
		name, ok := r.known[public]
		return name, ok
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

// trusted reports whether results of a worker are to be believed.
func (r *roster) trusted(worker string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.admits(keys.KeyOf(worker))
}

func (r *roster) close() {
	r.end()
	<-r.ended
}

// hereName is the key of workers on the same machine as the event.
const hereName = "here"

// hereKey returns the file of a key for workers on this machine, made where there is
// none that is good for the fleet.
func hereKey(ctx context.Context, s *store.Store, dir, pin string) (string, error) {
	file := filepath.Join(dir, hereName+".key")
	known, err := s.WorkerKeys(ctx)
	if err != nil {
		return "", err
	}
	if k, err := keys.Read(file); err == nil && k.Pin == pin {
		if known[k.Public] != "" {
			return file, nil
		}
		// The database may be an older copy, and workers have the key already.
		err := s.Invite(ctx, hereName, k.Public)
		if err == nil {
			return file, nil
		}
		var revoked *store.RevokedKeyError
		if !errors.Is(err, store.ErrWorkerExists) && !errors.As(err, &revoked) {
			return "", err
		}
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for _, name := range known {
		if name == hereName { // its file is gone
			if _, err := s.Revoke(ctx, hereName, "its file is lost", false); err != nil {
				return "", err
			}
			break
		}
	}
	return file, invite(ctx, s, hereName, pin, "", file)
}

// invite makes a key and its file, and lets it in.
func invite(ctx context.Context, s *store.Store, name, pin, address, file string) error {
	k, err := keys.New(name, pin, address)
	if err != nil {
		return err
	}
	if err := k.Write(file); err != nil {
		return err
	}
	if err := s.Invite(ctx, name, k.Public); err != nil {
		return errors.Join(err, os.Remove(file))
	}
	return nil
}

// addressFile is where the server of a fleet was last, for those that are invited.
const addressFile = "address"

func rememberAddress(dir, address string) error {
	return os.WriteFile(filepath.Join(dir, addressFile), []byte(address+"\n"), 0o600)
}

func lastAddress(dir string) string {
	data, err := os.ReadFile(filepath.Join(dir, addressFile))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// outside is the address of a server as others reach it: a host's name where it
// listens on all of them.
func outside(address string) (reach string, loopback bool) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return address, false
	}
	ip := net.ParseIP(host)
	if ip != nil && ip.IsUnspecified() {
		if name, err := os.Hostname(); err == nil {
			return net.JoinHostPort(name, port), false
		}
	}
	return address, host == "localhost" || ip != nil && ip.IsLoopback()
}

// joinCommand is what a worker's owner types.
func joinCommand(address, file string) string {
	return fmt.Sprintf("arena worker --join tls://%s --key %s", address, shellquote.Join(file))
}
