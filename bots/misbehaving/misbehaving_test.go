//go:build linux

package misbehaving_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/process"
	"botarena/bots/misbehaving"
)

// TestMain lets the test program be the bot ("bot FAULT"), a watchdog
// ("watchdog RUN"), and an arena whose bot kills it ("arena RUN").
func TestMain(m *testing.M) {
	if len(os.Args) != 3 || strings.HasPrefix(os.Args[1], "-") {
		// Most tests wait rather than compute, so that more of them may run at once than
		// there are cores.
		if err := flag.Set("test.parallel", "6"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(m.Run())
	}
	status, err := 0, error(nil)
	if os.Args[1] == "bot" {
		status, err = misbehaving.Run(misbehaving.Config{
			Fault: os.Args[2], Move: 2, Life: time.Minute, Memory: 64 << 20,
			Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Environ: os.Environ(),
		})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = max(status, 1)
	}
	os.Exit(status)
}

const generous = 30 * time.Second

func starter(t *testing.T, run string) *process.Starter {
	t.Helper()
	s, err := process.NewStarter(process.Config{RunID: run, Environ: os.Environ(), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func start(t *testing.T, s *process.Starter, fault string, change ...func(*process.Spec)) *process.Process {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	spec := process.Spec{Command: []string{exe, "bot", fault}, Dir: t.TempDir()}
	for _, c := range change {
		c(&spec)
	}
	p, err := s.Start(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.End(0); err != nil {
			t.Error(err)
		}
	})
	return p
}

// ask sends lines and reads until a line begins with the word.
func ask(p *process.Process, lines, word string, patience time.Duration) (string, error) {
	deadline := time.Now().Add(patience)
	p.Reset()
	if err := p.Write([]byte(lines), deadline); err != nil {
		return "", err
	}
	for {
		line, err := p.ReadLine(deadline)
		if err != nil {
			return "", err
		}
		if first, rest, _ := strings.Cut(string(line), " "); first == word {
			return rest, nil
		}
	}
}

const goes = "position startpos\nlegal a2a3 b2b3\ngo movetime 100\n"

// What a bot's line channel answers where a fault is committed.
var wants = map[string]struct {
	handshake, move, next error
	answer                string // where it answers; "" for the good move
	status                string // where it has ended
	patience              time.Duration
}{
	"none":              {},
	"no-handshake":      {handshake: arena.ErrTimeout, patience: time.Second},
	"slow":              {move: arena.ErrTimeout, patience: time.Second},
	"hang":              {move: arena.ErrTimeout, patience: time.Second},
	"crash":             {move: arena.ErrClosed, status: "exit status 3"},
	"exit-after-move":   {next: arena.ErrClosed, status: "exit status 0"},
	"illegal-move":      {answer: "a1a1"},
	"null-bytes":        {answer: "\x00\x00\x00"},
	"invalid-utf8":      {answer: "\xff\xfe\x80"},
	"two-bestmoves":     {},
	"early-bestmove":    {},
	"endless-line":      {move: arena.ErrLineTooLong},
	"info-flood":        {move: arena.ErrFlood},
	"stderr-flood":      {},
	"close-stdout":      {move: arena.ErrClosed, status: "still running"},
	"close-stdin":       {next: arena.ErrClosed, status: "still running"},
	"fork-child":        {move: arena.ErrClosed, status: "exit status 0"},
	"fork-many":         {},
	"setsid-grandchild": {},
	"memory":            {},
	"write-files":       {},
	"socket":            {},
	"stop-self":         {move: arena.ErrTimeout, patience: time.Second},
	"never-quit":        {},
}

// TestFaults commits each fault at the second move and looks at what the line
// channel says, how long it takes, and what is left.
func TestFaults(t *testing.T) {
	run := fmt.Sprintf("faults-%d-%d", os.Getpid(), time.Now().UnixNano())
	s := starter(t, run)
	t.Run("at once", func(t *testing.T) { faults(t, s) })
	if left := marked(t, run); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func faults(t *testing.T, s *process.Starter) {
	for _, fault := range misbehaving.Faults() {
		want, ok := wants[fault.Name]
		if !ok {
			switch fault.Name {
			case "kill-parent", "stop-opponent": // tests of their own
			default:
				t.Errorf("no test for %s", fault.Name)
			}
			continue
		}
		t.Run(fault.Name, func(t *testing.T) {
			t.Parallel()
			patience := max(want.patience, 0)
			if patience == 0 {
				patience = generous
			}
			p := start(t, s, fault.Name)
			_, err := ask(p, "ugi\n", "ugiok", patience)
			if !errors.Is(err, want.handshake) {
				t.Fatalf("handshake: %v", err)
			}
			if want.handshake == nil {
				if _, err := ask(p, "setoption name UGI_LegalMoves value true\nuginewgame\nisready\n", "readyok", generous); err != nil {
					t.Fatal(err)
				}
				if got, err := ask(p, goes, "bestmove", generous); err != nil || got != "a2a3" {
					t.Fatalf("first move: %q, %v", got, err)
				}
				got, err := ask(p, goes, "bestmove", patience)
				wantAnswer := want.answer
				if wantAnswer == "" && err == nil {
					wantAnswer = "a2a3"
				}
				if !errors.Is(err, want.move) || got != wantAnswer {
					t.Fatalf("second move: %q, %v; want %q, %v", got, err, wantAnswer, want.move)
				}
				if want.move == nil {
					if _, err := ask(p, goes, "bestmove", patience); !errors.Is(err, want.next) {
						t.Errorf("third move: %v, want %v", err, want.next)
					}
				}
				if want.status != "" && p.ExitStatus() != want.status {
					t.Errorf("status %q, want %q", p.ExitStatus(), want.status)
				}
			}
			_ = p.Write([]byte("quit\n"), time.Now().Add(100*time.Millisecond))
			begin := time.Now()
			if err := p.End(300 * time.Millisecond); err != nil {
				t.Error(err)
			}
			if took := time.Since(begin); took > generous {
				t.Errorf("the end took %v", took)
			}
		})
	}
}

// marked lists the living processes of a run.
func marked(t *testing.T, run string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, file := range files {
		environ, _ := os.ReadFile(file)
		if bytes.Contains(environ, []byte(process.MarkVariable+"="+run+".")) {
			found = append(found, file)
		}
	}
	return found
}

// bestmoves counts the answers to one request, and where the first one came.
func TestAnswersTooMany(t *testing.T) {
	s := starter(t, fmt.Sprintf("many-%d", os.Getpid()))
	for _, fault := range []string{"two-bestmoves", "early-bestmove"} {
		p := start(t, s, fault)
		if _, err := ask(p, "ugi\nuginewgame\n"+goes, "bestmove", generous); err != nil {
			t.Fatal(err)
		}
		request := goes
		if fault == "early-bestmove" { // which must not wait for go
			request = "position startpos\nlegal a2a3 b2b3\n"
		}
		if _, err := ask(p, request, "bestmove", generous); err != nil {
			t.Errorf("%s: %v", fault, err)
		}
		if fault == "early-bestmove" {
			request = "go movetime 100\n"
		} else {
			request = ""
		}
		if _, err := ask(p, request, "bestmove", generous); err != nil {
			t.Errorf("%s: %v", fault, err)
		}
		if _, err := ask(p, "isready\n", "readyok", generous); err != nil {
			t.Errorf("%s: %v", fault, err)
		}
	}
}

// The fault is committed in the chosen game alone.
func TestWhen(t *testing.T) {
	var out bytes.Buffer
	status, err := misbehaving.Run(misbehaving.Config{
		Fault: "illegal-move", Game: 2, Move: 2, Stdout: nopCloser{&out}, Stderr: io.Discard,
		Stdin: io.NopCloser(strings.NewReader(strings.Repeat("uginewgame\n"+goes+goes+goes, 3) + "quit\nugi\n")),
	})
	if err != nil || status != 0 {
		t.Fatal(status, err)
	}
	const good, bad = "bestmove a2a3\n", "bestmove a1a1\n"
	if want := strings.Repeat(good, 4) + bad + strings.Repeat(good, 4); out.String() != want {
		t.Errorf("%q", out.String())
	}
	if status, err := misbehaving.Run(misbehaving.Config{Fault: "bad-breath"}); err == nil || status != 2 || !strings.Contains(err.Error(), "two-bestmoves") {
		t.Error(status, err)
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// Only where the kernel cannot keep bots from signalling each other does this work.
func TestStopOpponent(t *testing.T) {
	s := starter(t, fmt.Sprintf("opponent-%d", os.Getpid()))
	bystander := starter(t, fmt.Sprintf("bystander-%d", os.Getpid()))
	victim, other, hostile := start(t, s, "none"), start(t, bystander, "none"), start(t, s, "stop-opponent")
	for _, p := range []*process.Process{victim, other} {
		if _, err := ask(p, "ugi\n", "ugiok", generous); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if _, err := ask(hostile, "ugi\n"+goes, "bestmove", generous); err != nil {
			t.Fatal(err)
		}
	}
	for end := time.Now().Add(generous); !s.Shields() && !victim.Stopped(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the opponent runs")
		}
	}
	if other.Stopped() || hostile.Stopped() || s.Shields() && victim.Stopped() {
		t.Error("it stopped what it cannot or should not")
	}
	victim.Continue()
	if _, err := ask(victim, "isready\n", "readyok", generous); err != nil {
		t.Error(err)
	}
}
