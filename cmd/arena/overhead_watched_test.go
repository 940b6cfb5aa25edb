//go:build linux

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
)

// A served database is one with pages, and maybe viewers of them, in processes of
// their own.
type served struct {
	tb     testing.TB
	url    string
	server *exec.Cmd
}

// serve starts `arena serve`.
func serve(tb testing.TB, db string) *served {
	tb.Helper()
	s := &served{tb: tb, server: exec.Command("arena", "serve", "--db", db, "--listen", "127.0.0.1:0")}
	out, err := s.server.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := s.server.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if s.url = regexp.MustCompile(`http://[0-9.:]+`).FindString(line); s.url == "" {
		tb.Fatalf("arena serve says %q: %v", line, err)
	}
	return s
}

func (s *served) kill() {
	_ = s.server.Process.Kill()
	_ = s.server.Wait()
}

// view has so many viewers follow a path, until stop, which returns what they say.
func (s *served) view(path string, count int) (stop func() string) {
	s.tb.Helper()
	cmd := exec.Command("viewers", s.url+path, fmt.Sprint(count))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		s.tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.tb.Fatal(err)
	}
	lines := bufio.NewReader(out)
	if line, err := lines.ReadString('\n'); line != "ready\n" {
		s.tb.Fatalf("the viewers say %q: %v", line, err)
	}
	return func() string {
		_ = in.Close()
		said, _ := io.ReadAll(lines)
		_ = cmd.Wait()
		return strings.TrimSpace(string(said))
	}
}

// BenchmarkOverheadWatched is BenchmarkOverhead without the export, while nobody
// serves pages, while pages are served that nobody looks at, and with viewers. The
// server and the viewers are processes of their own, whose CPU time is not counted,
// but which the games share the machine with.
func BenchmarkOverheadWatched(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent)) // as main does
	dir := replayEngine(b, aChessGame(b))
	exe, err := exec.LookPath("arena")
	if err != nil {
		b.Fatal(err)
	}
	for _, viewers := range []int{-1, 0, 1, 100, 1000} {
		name := fmt.Sprintf("viewers=%d", viewers)
		if viewers < 0 {
			name = "unserved"
		}
		b.Run(name, func(b *testing.B) {
			db := filepath.Join(b.TempDir(), "arena.db")
			stop := func() string { return "" }
			if viewers >= 0 {
				s := serve(b, db)
				if viewers > 0 {
					stop = s.view("/live", viewers)
				}
			}
			before := ownCPU(b)
			n := 0
			for b.Loop() {
				n++
				event := fmt.Sprintf("event: overhead %d\ngame: chess\nformat: match\nrounds: %d\nclock: {nodes: 1}\nmax_plies: %d\nconcurrency: 1\npin: on\n"+
					"bots:\n  - {name: one, command: [./replay, game.txt], protocol: uci}\n  - {name: two, command: [./replay, game.txt], protocol: uci}\n",
					n, overheadGames/2, overheadPlies)
				if err := os.WriteFile(filepath.Join(dir, "overhead.yaml"), []byte(event), 0o600); err != nil {
					b.Fatal(err)
				}
				overheadArena(b, exe, "run", filepath.Join(dir, "overhead.yaml"), "--quiet", "--db", db)
			}
			plies := float64(n) * overheadGames * overheadPlies
			b.ReportMetric(float64((ownCPU(b)-before).Microseconds())/plies, "cpu-us/ply")
			b.ReportMetric(float64(b.Elapsed().Microseconds())/plies, "us/ply")
			if said := stop(); said != "" {
				b.Logf("%d viewers: %s", viewers, said)
			}
		})
	}
}
