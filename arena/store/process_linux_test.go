package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"botarena/arena"
	"botarena/arena/process"
)

// The test program doubles as other arena processes: see child.
func TestMain(m *testing.M) {
	if role := os.Getenv("STORE_TEST_ROLE"); role != "" {
		if err := roles()[role](context.Background(), os.Args[len(os.Args)-2], os.Args[len(os.Args)-1]); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func roles() map[string]func(ctx context.Context, path, event string) error {
	return map[string]func(context.Context, string, string) error{
		"play": childPlay, "hold": childHold, "full": childFull, "readonly": childReadOnly,
	}
}

// child starts this program in a role, on one event of one database.
func child(t *testing.T, role, path, event string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], path, event)
	cmd.Env = append(os.Environ(), "STORE_TEST_ROLE="+role)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if role == "full" || role == "readonly" {
		// A mount of its own needs a mount namespace, and without root a user's too.
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	if err := cmd.Start(); err != nil {
		if cmd.SysProcAttr.Cloneflags != 0 && errors.Is(err, syscall.EPERM) {
			t.Fatal("this machine allows no mounts in a namespace; run as root outside a container: ", err)
		}
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd, bufio.NewScanner(out)
}

func openSelf(ctx context.Context, path string) (*Store, process.Identity, error) {
	self, err := process.Self()
	if err != nil {
		return nil, self, err
	}
	s, err := Open(ctx, path, time.Now)
	return s, self, err
}

const childGames = 120

// childPlay finishes an event's games, saying each number once it is on the disk.
func childPlay(ctx context.Context, path, event string) error {
	s, self, err := openSelf(ctx, path)
	if err != nil {
		return err
	}
	h, err := s.Acquire(ctx, event, self)
	var unknown *UnknownEventError
	if errors.As(err, &unknown) {
		e := testEvent(event, "a", "b", "c")
		if h, err = s.Create(ctx, e, []byte("config"), self); err == nil {
			err = h.Append(ctx, plan(e, childGames))
		}
	}
	if err != nil {
		return err
	}
	if err := finishAll(ctx, h, childGames, func(n int) { fmt.Println("game", n) }); err != nil {
		return err
	}
	return errors.Join(h.Done(ctx), h.Release(ctx), s.Close())
}

func childHold(ctx context.Context, path, event string) error {
	s, self, err := openSelf(ctx, path)
	if err != nil {
		return err
	}
	if _, err := s.Acquire(ctx, event, self); err != nil {
		return err
	}
	fmt.Println("held")
	time.Sleep(time.Hour)
	return nil
}

func childFull(ctx context.Context, path, event string) error {
	if err := unix.Mount("tmpfs", path, "tmpfs", 0, "size=600k"); err != nil {
		return err
	}
	s, self, err := openSelf(ctx, filepath.Join(path, "arena.db"))
	if err != nil {
		return err
	}
	e := testEvent(event, "a", "b")
	const games = 400 // more than there is room for
	h, err := s.Create(ctx, e, []byte("config"), self)
	if err != nil {
		return err
	}
	if err := h.Append(ctx, plan(e, games)); err != nil {
		return err
	}
	played := 0
	err = finishAll(ctx, h, games, func(int) { played++ })
	fmt.Println("first run:", played, err)
	if err := errors.Join(unix.Mount("", path, "", unix.MS_REMOUNT, "size=8m"), s.Close()); err != nil {
		return err
	}
	if s, err = Open(ctx, filepath.Join(path, "arena.db"), time.Now); err != nil {
		return err
	}
	ev, err := s.Event(ctx, event)
	if err != nil {
		return err
	}
	fmt.Println("kept:", ev.Played-played)
	return nil
}

func childReadOnly(ctx context.Context, path, event string) error {
	if err := unix.Mount("tmpfs", path, "tmpfs", 0, ""); err != nil {
		return err
	}
	db := filepath.Join(path, "arena.db")
	s, self, err := openSelf(ctx, db)
	if err != nil {
		return err
	}
	if _, err := s.Create(ctx, testEvent(event, "a", "b"), []byte("config"), self); err != nil {
		return err
	}
	if err := errors.Join(s.Close(), unix.Mount("", path, "", unix.MS_REMOUNT|unix.MS_RDONLY, "")); err != nil {
		return err
	}
	_, err = Open(ctx, db, time.Now)
	fmt.Printf("open: %T %v\n", err, err)
	_, err = Open(ctx, filepath.Join(path, "new.db"), time.Now)
	fmt.Printf("new: %T %v\n", err, err)
	_, err = Open(ctx, filepath.Join(path, "new", "new.db"), time.Now)
	fmt.Printf("folder: %T %v\n", err, err)
	if s, err = OpenRead(ctx, db, time.Now); err != nil {
		return err
	}
	list, err := s.Events(ctx)
	fmt.Println("events:", len(list), err)
	return nil
}

func wait(t *testing.T, cmd *exec.Cmd, out *bufio.Scanner) []string {
	t.Helper()
	var lines []string
	for out.Scan() {
		lines = append(lines, out.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %q", err, lines)
	}
	return lines
}

// Killed at any moment: what was committed is there, nothing is there twice, and
// the next process takes over at once.
func TestKilledWhileWriting(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "arena.db")
	rng := rand.New(rand.NewPCG(1, 2))
	committed := map[string]bool{}
	kills := 0
	for done := false; !done; {
		cmd, out := child(t, "play", path, "e")
		until := 1 + rng.IntN(40)
		n := 0
		for out.Scan() {
			line := out.Text()
			if !strings.HasPrefix(line, "game ") {
				t.Fatal(line)
			}
			if committed[line] {
				t.Fatalf("%s was recorded twice", line)
			}
			committed[line] = true
			if n++; n == until {
				must(t, cmd.Process.Kill())
			}
		}
		err := cmd.Wait()
		done = err == nil
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() >= 0 {
			t.Fatal(err)
		}
		if !done {
			kills++
		}
	}
	s := openAt(t, path)
	games, err := s.Games(t.Context(), Filter{Played: true, Moves: true})
	if err != nil || len(games) != childGames {
		t.Fatalf("%d games, %v", len(games), err)
	}
	straight := openTest(t)
	h := create(t, straight, testEvent("e", "a", "b", "c"), childGames)
	must(t, finishAll(t.Context(), h, childGames, func(int) {}))
	want, err := straight.Event(t.Context(), "e")
	must(t, err)
	got, err := s.Event(t.Context(), "e")
	for _, e := range []*Event{got, want} { // the two were created one after the other
		for i := range e.Entries {
			e.Entries[i].Created = time.Time{}
		}
	}
	if err != nil || fmt.Sprint(got.Entries) != fmt.Sprint(want.Entries) || got.State != Finished {
		t.Errorf("%+v, %v\nwant %+v", got, err, want)
	}
	var ok string
	if err := s.write.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&ok); err != nil || ok != "ok" {
		t.Errorf("integrity: %s, %v", ok, err)
	}
	t.Logf("%d kills", kills)
}

func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "arena.db")
	one, oneOut := child(t, "play", path, "one")
	two, twoOut := child(t, "play", path, "two")
	if lines := wait(t, one, oneOut); len(lines) != childGames {
		t.Errorf("one: %d lines", len(lines))
	}
	if lines := wait(t, two, twoOut); len(lines) != childGames {
		t.Errorf("two: %d lines", len(lines))
	}
	s, err := OpenRead(t.Context(), path, time.Now)
	must(t, err)
	defer func() { _ = s.Close() }()
	if list, err := s.Games(t.Context(), Filter{Played: true}); err != nil || len(list) != 2*childGames {
		t.Errorf("%d games, %v", len(list), err)
	}
}

func TestHolders(t *testing.T) {
	s := openTest(t)
	ctx := t.Context()
	first := create(t, s, testEvent("e", "a", "b"), 2)
	var held *HeldError
	if _, err := s.Acquire(ctx, "e", me(t)); !errors.As(err, &held) || !held.Sure || held.By.PID != os.Getpid() {
		t.Fatalf("held by this process: %v", err)
	}
	must(t, first.Release(ctx))
	if err := first.Finish(ctx, &arena.Game{Number: 1, Result: arena.Draw, Reason: arena.MoveLimit}); !errors.Is(err, ErrLost) {
		t.Errorf("wrote after the release: %v", err)
	}
	cmd, out := child(t, "hold", s.Path(), "e")
	if !out.Scan() || out.Text() != "held" {
		t.Fatal(out.Text())
	}
	if _, err := s.Acquire(ctx, "e", me(t)); !errors.As(err, &held) || held.By.PID != cmd.Process.Pid || !strings.Contains(err.Error(), fmt.Sprint(cmd.Process.Pid)) {
		t.Fatalf("held by a child: %v", err)
	}
	if ev, err := s.Event(ctx, "e"); err != nil || ev.Holder == nil || ev.Holder.PID != cmd.Process.Pid {
		t.Errorf("%+v, %v", ev, err)
	}
	must(t, cmd.Process.Kill())
	// Dead, though not waited for yet, is dead. Killing takes a moment.
	deadline := time.Now().Add(20 * time.Second)
	for {
		h, err := s.Acquire(ctx, "e", me(t))
		if err == nil {
			if err := h.Finish(ctx, &arena.Game{Number: 1, Result: arena.Draw, Reason: arena.MoveLimit}); err != nil {
				t.Error(err)
			}
			return
		}
		if !errors.As(err, &held) || time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// A holder that is out of sight lives as long as it gives signs of life.
func TestHolderOutOfSight(t *testing.T) {
	self := me(t)
	far := self
	far.Boot, far.Host = "another", "elsewhere"
	now := time.Now()
	var held *HeldError
	if err := refuse("e", Holder{Identity: far, Seen: now.Add(-silence / 2)}, self, now); !errors.As(err, &held) || held.Sure {
		t.Errorf("seen lately: %v", err)
	}
	if err := refuse("e", Holder{Identity: far, Seen: now.Add(-2 * silence)}, self, now); err != nil {
		t.Errorf("silent for long: %v", err)
	}
}

// A program that has the database open twice, as one that plays and serves pages does, keeps
// its lock: else the next program that closes the database takes the log away from it.
func TestOpenTwiceInAProcess(t *testing.T) {
	t.Parallel()
	s := openTest(t)
	create(t, s, testEvent("e", "a", "b"), 2)
	info, err := os.Stat(s.Path())
	must(t, err)
	lock := fmt.Sprintf(":%d ", info.Sys().(*syscall.Stat_t).Ino)
	held := func() bool {
		list, err := os.ReadFile("/proc/locks")
		must(t, err)
		for line := range strings.Lines(string(list)) {
			if strings.Contains(line, fmt.Sprintf(" %d ", os.Getpid())) && strings.Contains(line, lock) {
				return true
			}
		}
		return false
	}
	if !held() {
		t.Fatal("it holds no lock")
	}
	for _, open := range []func(context.Context, string, func() time.Time, ...Option) (*Store, error){OpenRead, Open} {
		again, err := open(t.Context(), s.Path(), time.Now)
		must(t, err)
		must(t, again.Close())
		if !held() {
			t.Error("its lock is gone")
		}
	}
}
