package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/kballard/go-shellquote"

	"botarena/arena/fleet/keys"
	"botarena/arena/fleet/wire"
	"botarena/arena/store"
)

// rosterEvery is how often a server looks at who may join: another program may have
// revoked a key.
const rosterEvery = 200 * time.Millisecond

// A roster is the keys that may join, as the database has them.
type roster struct {
	store *store.Store
	guard *keys.Guard

	mu    sync.Mutex
	known map[string]string // public key to name
	end   func()
	ended chan struct{}
}

// openRoster reads who may join, and keeps looking until it is closed: a key that is
// revoked is cut off. What cannot be read is read later; nobody new comes in then.
func openRoster(ctx context.Context, s *store.Store) (*roster, error) {
	ctx, cancel := context.WithCancel(ctx)
	r := &roster{store: s, end: cancel, ended: make(chan struct{})}
	err := r.read(ctx)
	if err == nil {
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
	tick := time.NewTicker(rosterEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			_ = r.read(ctx)
		case <-ctx.Done():
			return
		}
	}
}

func (r *roster) read(ctx context.Context) error {
	known, err := r.store.WorkerKeys(ctx)
	if err != nil {
		return err
	}
	r.mu.Lock()
	before := r.known
	r.known = known
	r.mu.Unlock()
	for key := range before {
		if _, ok := known[key]; !ok {
			r.guard.Cut(key)
		}
	}
	return nil
}

func (r *roster) name(public string) (string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	name, ok := r.known[public]
	return name, ok
}

// trusted reports whether results of a worker are to be believed.
func (r *roster) trusted(worker string) bool {
	key := keys.KeyOf(worker)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range r.known {
		if name == key {
			return true
		}
	}
	return false
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
