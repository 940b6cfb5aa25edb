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

// storm has strangers do what they may (see stormProgram), until stop, which returns what
// came of it. It gives way: what is measured is the server.
func (s *served) storm(connections int, secrets ...string) (stop func() string) {
	s.tb.Helper()
	return s.beside(exec.Command("nice", append([]string{"-n", "19", "storm", strings.TrimPrefix(s.url, "http://"), fmt.Sprint(connections)}, secrets...)...))
}

// view has so many viewers follow a path, until stop, which returns what they say.
func (s *served) view(path string, count int) (stop func() string) {
	s.tb.Helper()
	return s.beside(exec.Command("viewers", s.url+path, fmt.Sprint(count)))
}

// beside runs a program that says when it is ready, until stop, which returns what it
// says then.
func (s *served) beside(cmd *exec.Cmd) (stop func() string) {
	s.tb.Helper()
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
		s.tb.Fatalf("%s says %q: %v", cmd.Args[0], line, err)
	}
	return func() string {
		_ = in.Close()
		said, _ := io.ReadAll(lines)
		_ = cmd.Wait()
		return strings.TrimSpace(string(said))
	}
}

// BenchmarkOverheadWatched is BenchmarkOverhead without the export, while nobody
// serves pages, while pages are served that nobody looks at, with viewers, and while ten
// thousand connections are held open and odd requests come as fast as they are answered
// (storm). The server and the viewers are processes of their own, whose CPU time is not
// counted, but which the games share the machine with: us/ply tells what they cost.
func BenchmarkOverheadWatched(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent)) // as main does
	dir := replayEngine(b, aChessGame(b))
	exe, err := exec.LookPath("arena")
	if err != nil {
		b.Fatal(err)
	}
	const stormed = 10_000
	for _, viewers := range []int{-1, 0, 1, 100, 1000, stormed} {
		name := fmt.Sprintf("viewers=%d", viewers)
		switch viewers {
		case -1:
			name = "unserved"
		case stormed:
			name = fmt.Sprintf("storm=%d", stormed)
		}
		b.Run(name, func(b *testing.B) {
			db := filepath.Join(b.TempDir(), "arena.db")
			stop := func() string { return "" }
			if viewers >= 0 {
				s := serve(b, db)
				switch {
				case viewers == stormed:
					stop = s.storm(stormed)
				case viewers > 0:
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
				b.Logf("%s: %s", name, said)
			}
		})
	}
}
