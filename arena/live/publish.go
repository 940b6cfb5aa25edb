package live

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"botarena/arena/process"
	"botarena/arena/text"
)

const (
	// mostWatchers is the maximum number of watchers of one process.
	mostWatchers = 64
	// handshake limits how long either side waits for the other's proof.
	handshake = 5 * time.Second
	// slow limits how long a watcher may take to read a snapshot before it is dropped.
	slow = 2 * time.Second
	// farewell limits the same for the last snapshot, when the run has ended.
	farewell = 500 * time.Millisecond
	// mostWords is the maximum length in bytes of a line of the handshake.
	mostWords = 256
)

// The bytes with which a watcher requests a snapshot: in the background, or because
// somebody is watching.
const (
	askIdle    = 'i'
	askLooking = 'a'
)

// An Endpoint lets other processes watch a hub.
type Endpoint struct {
	hub      *Hub
	dir      string
	note     note
	listener net.Listener
	places   chan struct{} // a token for each connection
	ending   chan struct{} // closed when the hub has everything

	mu     sync.Mutex
	closed bool
	conns  map[net.Conn]bool
	done   sync.WaitGroup
}

// Publish makes a hub findable by every view of the database at path, until the
// endpoint is closed. me identifies this process. The error says why nobody can watch;
// the games do not depend on it.
func Publish(hub *Hub, db string, me process.Identity) (*Endpoint, error) {
	e, err := publish(hub, db, me)
	var path *fs.PathError
	if errors.As(err, &path) {
		err = fmt.Errorf("%s: %w", path.Path, path.Err)
	}
	if err != nil {
		return nil, fmt.Errorf("the games cannot be watched live: %w", err)
	}
	return e, nil
}

func publish(hub *Hub, db string, me process.Identity) (*Endpoint, error) {
	dir, err := folderOf(db)
	if err != nil {
		return nil, err
	}
	e := &Endpoint{hub: hub, dir: dir, places: make(chan struct{}, mostWatchers), ending: make(chan struct{}), conns: map[net.Conn]bool{}}
	e.note = note{Version: wireVersion, Hub: hub.id, Key: randomHex(keySize), Process: me}
	const tries = 5
	for try := 1; ; try++ { // the last run of others may remove the folder meanwhile
		if err = e.open(); err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) || try == tries {
			return nil, err
		}
	}
	sweep(dir, me, time.Now())
	e.done.Go(e.accept)
	return e, nil
}

// open makes the folder, listens there and writes the note.
func (e *Endpoint) open() (err error) {
	if err := makeFolder(e.dir); err != nil {
		return err
	}
	if e.listener, err = listen(e.dir, e.hub.id); err != nil {
		return err
	}
	e.note.Network, e.note.Address = "tcp", e.listener.Addr().String()
	if e.listener.Addr().Network() == "unix" {
		e.note.Network, e.note.Address = "unix", e.hub.id+socketExt
	}
	if err := e.note.write(e.dir); err != nil {
		_ = e.listener.Close()
		return err
	}
	return nil
}

// Close sends the watchers a last snapshot, ends all connections, and removes the
// files beside the database.
func (e *Endpoint) Close() error {
	if e == nil {
		return nil
	}
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil
	}
	e.closed = true
	for c := range e.conns {
		_ = c.SetDeadline(time.Now().Add(farewell))
	}
	close(e.ending)
	e.mu.Unlock()
	err := os.Remove(filepath.Join(e.dir, e.hub.id+noteExt))
	_ = e.listener.Close() // removes its socket
	e.done.Wait()
	_ = os.Remove(e.dir) // where no other run is left
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (e *Endpoint) accept() {
	for {
		c, err := e.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // no descriptor is left: others may free some
			time.Sleep(askEvery)
			continue
		}
		select {
		case e.places <- struct{}{}:
		default:
			_ = c.Close()
			continue
		}
		e.mu.Lock()
		if e.closed {
			e.mu.Unlock()
			_ = c.Close()
			return
		}
		e.conns[c] = true
		e.mu.Unlock()
		e.done.Go(func() {
			e.serve(c)
			e.mu.Lock()
			delete(e.conns, c)
			e.mu.Unlock()
			<-e.places
		})
	}
}

// serve answers one watcher until it disconnects or stops reading.
func (e *Endpoint) serve(c net.Conn) {
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(handshake))
	if err := prove(c, e.note.Key); err != nil {
		return
	}
	e.mu.Lock()
	if !e.closed {
		_ = c.SetDeadline(time.Time{})
	}
	e.mu.Unlock()
	asked := make(chan byte, 1)
	e.done.Go(func() {
		defer close(asked)
		var b [1]byte
		for {
			if _, err := c.Read(b[:]); err != nil {
				return
			}
			select {
			case asked <- b[0]:
			default: // the question before is not answered yet
			}
		}
	})
	s := sender{}
	tell := func() bool {
		line, err := s.next(e.hub.Snapshot())
		return err == nil && e.write(c, line)
	}
	for {
		select {
		case by, ok := <-asked:
			if by == askLooking {
				e.hub.look()
			}
			if !ok || !tell() {
				return
			}
		case <-e.ending:
			_ = tell()
			return
		}
	}
}

// write sends a line to the watcher with a deadline.
func (e *Endpoint) write(c net.Conn, line []byte) bool {
	e.mu.Lock()
	patience := slow
	if e.closed {
		patience = farewell
	}
	_ = c.SetWriteDeadline(time.Now().Add(patience))
	e.mu.Unlock()
	_, err := c.Write(line)
	return err == nil
}

// greeting begins the first line of a connection.
const greeting = "arena-live"

// prove performs the serving side of the handshake: it demands a proof that the watcher
// has the key, and gives its own.
func prove(c net.Conn, key string) error {
	mine := randomHex(keySize)
	if _, err := fmt.Fprintf(c, "%s %s\n", greeting, mine); err != nil {
		return err
	}
	line, err := readLine(text.NewLines(bufio.NewReader(c), mostWords))
	if err != nil {
		return err
	}
	theirs, proof, _ := strings.Cut(string(line), " ")
	if !hmac.Equal([]byte(proof), []byte(proofOf(key, "watch", mine, theirs))) {
		return errors.New("no proof")
	}
	_, err = fmt.Fprintf(c, "%s\n", proofOf(key, "serve", mine, theirs))
	return err
}

// join performs the watching side of the handshake.
func join(c net.Conn, r *bufio.Reader, key string) error {
	words := text.NewLines(r, mostWords)
	line, err := readLine(words)
	if err != nil {
		return err
	}
	theirs, found := strings.CutPrefix(string(line), greeting+" ")
	if !found {
		return errors.New("what answers is no arena")
	}
	mine := randomHex(keySize)
	if _, err := fmt.Fprintf(c, "%s %s\n", mine, proofOf(key, "watch", theirs, mine)); err != nil {
		return err
	}
	if line, err = readLine(words); err != nil {
		return err
	}
	if !hmac.Equal(line, []byte(proofOf(key, "serve", theirs, mine))) {
		return errors.New("what answers does not know the key")
	}
	return nil
}

func proofOf(key, who, server, watcher string) string {
	mac := hmac.New(sha256.New, []byte(key))
	_, _ = fmt.Fprintf(mac, "%s %s %s", who, server, watcher)
	return hex.EncodeToString(mac.Sum(nil))
}
