package live

import (
	"bufio"
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

	"botarena/arena/text"
)

// findEvery is the interval at which the folder is searched for new runs.
const findEvery = 200 * time.Millisecond

// The intervals at which a run is asked for snapshots: while somebody watches, and
// otherwise.
const (
	askEvery = 50 * time.Millisecond
	askRests = time.Second
)

// longestWait is the maximum delay before a run that did not answer is tried again.
const longestWait = 5 * time.Second

// Watch follows all runs of this machine's processes on the database at path, later
// ones included, until ctx is done. The database need not exist yet. The view's
// Problems list what cannot be watched. own is the hub of this process, which is watched
// without a connection; nil for none.
func Watch(ctx context.Context, db string, now func() time.Time, own *Hub) *View {
	v := newView(now)
	var id string
	var work sync.WaitGroup
	if own != nil {
		id = own.id
		s := &source{}
		v.put(s, own.Snapshot())
		work.Go(func() {
			v.ask(ctx.Done(), func(looking bool) error {
				if looking {
					own.look()
				}
				v.put(s, own.Snapshot())
				return nil
			})
		})
	}
	f := &finder{view: v, db: db, own: id, known: map[string]*found{}}
	f.look(ctx, &work)
	work.Go(func() { f.run(ctx, &work) })
	go func() {
		<-ctx.Done()
		work.Wait()
		close(v.stopped)
	}()
	return v
}

// Stopped returns a channel that is closed when the context of Watch is done and
// nothing of it runs any more.
func (v *View) Stopped() <-chan struct{} { return v.stopped }

// ask requests snapshots until done is closed or the call fails: often while somebody
// watches, rarely otherwise.
func (v *View) ask(done <-chan struct{}, call func(looking bool) error) {
	tick := time.NewTicker(askEvery)
	defer tick.Stop()
	var last time.Time
	for now := time.Now(); ; {
		if looking := v.attended(); looking || now.Sub(last) >= askRests {
			last = now
			if call(looking) != nil {
				return
			}
		}
		select {
		case now = <-tick.C:
		case <-done:
			return
		}
	}
}

// A finder looks for runs in a folder.
type finder struct {
	view *View
	db   string
	own  string

	mu    sync.Mutex
	known map[string]*found // by name of the note
}

// A found run is connected, or waits to be tried again.
type found struct {
	busy  bool
	next  time.Time
	wait  time.Duration
	there bool
}

func (f *finder) run(ctx context.Context, work *sync.WaitGroup) {
	tick := time.NewTicker(findEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			f.look(ctx, work)
		case <-ctx.Done():
			return
		}
	}
}

// look connects to runs that are new.
func (f *finder) look(ctx context.Context, work *sync.WaitGroup) {
	const about = "folder"
	dir, err := folderOf(f.db)
	if err == nil {
		err = trusted(dir)
	}
	var files []os.DirEntry
	if err == nil {
		files, err = os.ReadDir(dir)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	case errors.Is(err, fs.ErrPermission):
		err = fmt.Errorf("%s cannot be read by this user: the games of its runs are not shown live", filepath.Base(dir))
	}
	if err != nil {
		f.view.problem(about, err.Error())
	} else {
		f.view.problem(about, "")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, k := range f.known {
		k.there = false
	}
	for _, file := range files {
		name := file.Name()
		if !strings.HasSuffix(name, noteExt) || strings.TrimSuffix(name, noteExt) == f.own {
			continue
		}
		k := f.known[name]
		if k == nil {
			k = &found{wait: findEvery}
			f.known[name] = k
		}
		k.there = true
		if k.busy || time.Now().Before(k.next) {
			continue
		}
		k.busy = true
		work.Go(func() { f.ask(ctx, dir, name, k) })
	}
	for name, k := range f.known {
		if !k.there && !k.busy {
			delete(f.known, name)
			f.view.problem(name, "")
		}
	}
}

// ask watches one run until it ends or is lost.
func (f *finder) ask(ctx context.Context, dir, name string, k *found) {
	listened := f.listen(ctx, dir, name)
	f.mu.Lock()
	defer f.mu.Unlock()
	k.busy = false
	if listened {
		k.wait = findEvery
	} else {
		k.wait = min(2*k.wait, longestWait)
	}
	k.next = time.Now().Add(k.wait)
}

// listen connects to a run and handles its messages. It reports whether any came.
func (f *finder) listen(ctx context.Context, dir, name string) (listened bool) {
	n, err := readNote(dir, name)
	if err != nil {
		return false
	}
	if n.Version != wireVersion {
		f.view.problem(name, fmt.Sprintf("a run by another version of arena cannot be watched live (its feed is version %d, this is %d); run both with the same arena", n.Version, wireVersion))
		return false
	}
	address := n.Address
	if n.Network == "unix" {
		address = filepath.Join(dir, n.Address)
	}
	dialer := net.Dialer{Timeout: handshake}
	c, err := dialer.DialContext(ctx, n.Network, address)
	if err != nil {
		return false
	}
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer stop()
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(handshake))
	r := bufio.NewReaderSize(c, 64<<10)
	if join(c, r, n.Key) != nil {
		return false
	}
	_ = c.SetDeadline(time.Time{})
	over := make(chan struct{})
	defer close(over)
	go f.view.ask(over, func(looking bool) error {
		_ = c.SetWriteDeadline(time.Now().Add(slow))
		by := byte(askIdle)
		if looking {
			by = askLooking
		}
		_, err := c.Write([]byte{by}) // whoever reads finds out why it fails
		return err
	})
	var s source
	var feed receiver
	lines := text.NewLines(r, mostLine)
	defer f.view.lose(&s)
	for {
		line, err := readLine(lines)
		if err != nil {
			return listened
		}
		now, err := feed.take(line)
		if err != nil {
			return listened
		}
		f.view.put(&s, now)
		listened = true
	}
}
