package live

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/process"
)

func self(t testing.TB) process.Identity {
	t.Helper()
	me, err := process.Self()
	if err != nil {
		t.Fatal(err)
	}
	return me
}

// watching returns a view of a database, which ends with the test.
func watching(t testing.TB, db string, own *Hub) *View {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	v := Watch(ctx, db, time.Now, own)
	t.Cleanup(func() {
		cancel()
		<-v.Stopped()
	})
	return v
}

// await waits until a view shows what is asked for.
func await(t testing.TB, v *View, what string, ok func(Snapshot) bool) Snapshot {
	t.Helper()
	timeout := time.After(20 * time.Second)
	for {
		changed := v.Changed()
		d := v.Snapshot()
		if ok(d) {
			return d
		}
		select {
		case <-changed:
		case <-timeout:
			t.Fatalf("no %s; there is %+v, problems %q", what, d, v.Problems())
		}
	}
}

// moves reports whether an event has one game in progress, with so many moves.
func moves(event string, n int) func(Snapshot) bool {
	return func(d Snapshot) bool {
		for _, g := range d.Games {
			if g.Event == event && !g.Over && len(g.Moves) == n {
				return true
			}
		}
		return false
	}
}

func nothing(d Snapshot) bool {
	return !slices.ContainsFunc(d.Games, func(g Game) bool { return !g.Over })
}

func published(t testing.TB, hub *Hub, db string) *Endpoint {
	t.Helper()
	e, err := Publish(hub, db, self(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// play begins a run with one game in progress.
func play(hub *Hub, event string) (*Run, *Playing) {
	run := hub.Run(Event{Name: event, Game: "chess"})
	return run, run.Begin(Game{Game: arena.Game{Number: 1, Game: "chess", First: "a", Second: "b"}})
}

func list(n int) []arena.MoveRecord {
	moves := make([]arena.MoveRecord, n)
	for i := range moves {
		moves[i] = aMove(i)
	}
	return moves
}

func TestWatchMany(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "arena.db")
	early := watching(t, db, nil)
	first, second := NewHub(time.Now), NewHub(time.Now)
	run, game := play(first, "one")
	game.Moved(list(3), time.Now())
	e := published(t, first, db)
	await(t, early, "first run", moves("one", 3))
	_, other := play(second, "two")
	published(t, second, db)
	other.Moved(list(1), time.Now())
	late := watching(t, db, first)
	for _, v := range []*View{early, late} {
		await(t, v, "first run", moves("one", 3))
		await(t, v, "second run", moves("two", 1))
	}
	game.Moved(list(5), time.Now())
	for _, v := range []*View{early, late} {
		await(t, v, "move", moves("one", 5))
	}
	run.End(&arena.Game{Number: 1, Result: arena.FirstWins, Reason: arena.Resign, Moves: list(5)})
	run.Close()
	for _, v := range []*View{early, late} {
		await(t, v, "end", func(d Snapshot) bool {
			return len(d.Events) == 2 && !d.Events[0].Running && len(d.Games) == 2 && d.Games[0].Result == arena.FirstWins
		})
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// TestFolderGoes is what is left beside a database: nothing.
func TestFolderGoes(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "arena.db")
	a, b := published(t, NewHub(time.Now), db), published(t, NewHub(time.Now), db)
	for _, e := range []*Endpoint{a, b} {
		if _, err := os.Stat(db + "-live"); err != nil {
			t.Error(err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(db + "-live"); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
}

// TestKilled is a run that left its note and nobody to answer: a view ignores it,
// the next run removes it.
func TestKilled(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "arena.db")
	dir := db + "-live"
	dead := self(t)
	dead.PID, dead.Started = 1<<22+1, 1 // above what Linux gives
	for _, network := range [][2]string{{"unix", "00ff.sock"}, {"tcp", "127.0.0.1:1"}} {
		if err := makeFolder(dir); err != nil {
			t.Fatal(err)
		}
		n := note{Version: wireVersion, Hub: "00ff", Network: network[0], Address: network[1], Key: randomHex(keySize), Process: dead}
		if err := n.write(dir); err != nil {
			t.Fatal(err)
		}
		v := watching(t, db, nil)
		hub := NewHub(time.Now)
		_, game := play(hub, "next")
		game.Moved(list(2), time.Now())
		e := published(t, hub, db)
		await(t, v, "next run", moves("next", 2))
		if p := v.Problems(); len(p) > 0 {
			t.Errorf("problems: %q", p)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(dir, "00ff.json")); !os.IsNotExist(err) {
			t.Errorf("the note is still there: %v", err)
		}
	}
}

// TestPaths is one database by several names, and in a folder too deep for a
// socket.
func TestPaths(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	deep := filepath.Join(root, strings.Repeat("deep folder/", 12))
	if err := os.MkdirAll(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	db := filepath.Join(deep, "arena.db")
	link := filepath.Join(root, "link.db")
	folder := filepath.Join(root, "folder")
	if err := os.Symlink(db, link); err != nil {
		t.Skipf("no links here: %v", err)
	}
	if err := os.Symlink(deep, folder); err != nil {
		t.Fatal(err)
	}
	names := []string{db, link, filepath.Join(folder, "arena.db")}
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, link); err == nil {
			names = append(names, rel)
		}
	}
	for _, exists := range []bool{false, true} {
		if exists {
			if err := os.WriteFile(db, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		hub := NewHub(time.Now)
		_, game := play(hub, "deep")
		game.Moved(list(2), time.Now())
		e := published(t, hub, link)
		for _, name := range names {
			await(t, watching(t, name, nil), name, moves("deep", 2))
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestFolderOfOthers(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("rights are passed on there")
	}
	db := filepath.Join(t.TempDir(), "arena.db")
	dir := db + "-live"
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil { //nolint:gosec // that is what is tested
		t.Fatal(err)
	}
	hub := NewHub(time.Now)
	if _, err := Publish(hub, db, self(t)); err == nil || !strings.Contains(err.Error(), "other users") {
		t.Errorf("published in a folder that is open to all: %v", err)
	}
	if p := watching(t, db, nil).Problems(); len(p) != 1 || !strings.Contains(p[0], "other users") {
		t.Errorf("problems: %q", p)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	published(t, hub, db)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v", e.Name(), info.Mode())
		}
	}
}

func TestNoFolder(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "arena.db")
	if err := os.WriteFile(db+"-live", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Publish(NewHub(time.Now), db, self(t))
	if err == nil || !strings.Contains(err.Error(), "cannot be watched live") {
		t.Errorf("error: %v", err)
	}
	if p := watching(t, db, nil).Problems(); len(p) != 1 {
		t.Errorf("problems: %q", p)
	}
}

// dial connects to an endpoint as a stranger would.
func dial(t *testing.T, e *Endpoint) net.Conn {
	t.Helper()
	address := e.note.Address
	if e.note.Network == "unix" {
		address = filepath.Join(e.dir, address)
	}
	c, err := net.Dial(e.note.Network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestStranger is a watcher without the key: it is told nothing. Nor is what
// answers without the key believed.
func TestStranger(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "arena.db")
	hub := NewHub(time.Now)
	_, game := play(hub, "secret")
	game.Moved(list(1), time.Now())
	e := published(t, hub, db)
	for _, say := range []string{"\n", strings.Repeat("x", 10_000) + "\n", "00 " + strings.Repeat("0", 64) + "\n", "GET / HTTP/1.1\r\n\r\n"} {
		c := dial(t, e)
		if _, err := c.Write([]byte(say)); err != nil {
			t.Fatal(err)
		}
		said := 0
		scan := bufio.NewScanner(c)
		for scan.Scan() {
			said++
			if strings.Contains(scan.Text(), "secret") || said > 1 {
				t.Errorf("after %.20q: %s", say, scan.Text())
			}
		}
	}
	c := dial(t, e)
	if err := join(c, bufio.NewReader(c), randomHex(keySize)); err == nil {
		t.Error("a wrong key joined")
	}

	a, b := net.Pipe()
	defer func() { _ = a.Close() }()
	go func() {
		defer func() { _ = b.Close() }()
		_, _ = fmt.Fprintf(b, "%s 00\n", greeting)
		r := bufio.NewReader(b)
		_, _ = r.ReadString('\n')
		_, _ = fmt.Fprintf(b, "%s\n", strings.Repeat("0", 64))
	}()
	if err := join(a, bufio.NewReader(a), randomHex(keySize)); err == nil || !strings.Contains(err.Error(), "key") {
		t.Errorf("an impostor was believed: %v", err)
	}
}

func TestOtherVersion(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "arena.db")
	e := published(t, NewHub(time.Now), db)
	e.note.Version++
	if err := e.note.write(e.dir); err != nil {
		t.Fatal(err)
	}
	v := watching(t, db, nil)
	await(t, v, "problem", func(Snapshot) bool { return strings.Contains(strings.Join(v.Problems(), "\n"), "another version") })
}

// TestSlowWatcher asks and never reads: it is dropped, and others are served
// meanwhile.
func TestSlowWatcher(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "arena.db")
	hub := NewHub(time.Now)
	run, game := play(hub, "e")
	e := published(t, hub, db)
	c := dial(t, e)
	if err := join(c, bufio.NewReader(c), e.note.Key); err != nil {
		t.Fatal(err)
	}
	v := watching(t, db, nil)
	long := make([]arena.MoveRecord, 200)
	for i := range long {
		long[i].Move = strings.Repeat("x", 10_000) // more than a socket holds
	}
	game.Moved(long, time.Now())
	if _, err := c.Write([]byte{askLooking}); err != nil {
		t.Fatal(err)
	}
	await(t, v, "long game", moves("e", len(long)))
	run.End(&arena.Game{Number: 1, Result: arena.Draw, Moves: long})
	await(t, v, "end", nothing)
	conns := func() int {
		e.mu.Lock()
		defer e.mu.Unlock()
		return len(e.conns)
	}
	for wait := time.Now().Add(20 * time.Second); conns() != 1; time.Sleep(askEvery) {
		if time.Now().After(wait) {
			t.Fatalf("%d connections", conns())
		}
	}
}

func TestMostWatchers(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "arena.db")
	hub := NewHub(time.Now)
	_, game := play(hub, "e")
	game.Moved(list(1), time.Now())
	e := published(t, hub, db)
	var held []net.Conn
	for range mostWatchers {
		c := dial(t, e)
		if err := join(c, bufio.NewReader(c), e.note.Key); err != nil {
			t.Fatal(err)
		}
		held = append(held, c)
	}
	c := dial(t, e)
	if err := join(c, bufio.NewReader(c), e.note.Key); err == nil {
		t.Error("one more joined")
	}
	v := watching(t, db, nil) // has to wait
	_ = held[0].Close()
	await(t, v, "game", moves("e", 1))
}

// TestFarewell is a run that ends at once after its last game: whoever watches is
// told how that ended.
func TestFarewell(t *testing.T) {
	t.Parallel()
	for range 5 {
		db := filepath.Join(t.TempDir(), "arena.db")
		hub := NewHub(time.Now)
		run, game := play(hub, "e")
		e := published(t, hub, db)
		v := watching(t, db, nil)
		await(t, v, "game", moves("e", 0))
		game.Moved(list(4), time.Now())
		run.End(&arena.Game{Number: 1, Result: arena.FirstWins, Reason: arena.Resign, Moves: list(4), Plies: 4})
		run.Progress(Progress{Planned: 1, Played: 1})
		run.Close()
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		await(t, v, "end", func(d Snapshot) bool {
			return len(d.Games) == 1 && d.Games[0].Over && len(d.Games[0].Moves) == 4 && !d.Events[0].Running && d.Events[0].Played == 1
		})
	}
}
