package main

import (
	"bufio"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkPages measures how long each page takes over a record of a million games:
// from the request to the first byte and to the last (and the server's processor time), as the median of some that each
// have the page made anew, since the record was written to before, and of one
// more that is answered from memory. ARENA_BENCH_DIR keeps the record.
//
//	go test -run xxx -bench 'Pages$' -benchtime 7x ./cmd/arena
func BenchmarkPages(b *testing.B) {
	paths, err := large()
	if err != nil {
		b.Fatal(err)
	}
	path := paths[1_000_000]
	db, err := sql.Open("sqlite", path+"?_pragma=synchronous(off)")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	touch := func() { // what another process writes while it plays
		if _, err := db.ExecContext(b.Context(), "UPDATE events SET played = played + 1 WHERE name = 'league'"); err != nil {
			b.Fatal(err)
		}
	}
	var game string
	if err := db.QueryRowContext(b.Context(), "SELECT g.id FROM games g JOIN events e ON e.id = g.event WHERE e.name = 'league' AND number = 500000").Scan(&game); err != nil {
		b.Fatal(err)
	}
	s := serve(b, path)
	for _, page := range []string{
		"/", "/events", "/bots", "/leaderboard", "/api", "/leaderboard/breakthrough",
		"/events/league", "/events/duel", "/events/league/leaderboard", "/events/league/crosstable", "/events/league/live",
		"/events/league/games", "/events/league/games?after=500000", "/events/league/games?before=1099511627776",
		"/events/league/games?bot=b07", "/events/league/games?bot=b07&against=b08&side=first&result=lost",
		"/events/league/games?reason=time+forfeit", "/events/league/games?reason=stall",
		"/events/league/games?faults=1", "/events/league/games?bot=b07&faults=1&before=1099511627776",
		"/bots/b07", "/compare/b07/b08", "/games/" + game, "/games/" + game + "/game.pgn",
		"/index.json", "/events.json", "/events/league.json", "/events/league/leaderboard.csv", "/events/league/crosstable.json",
		"/events/league/games.json", "/events/league/games.csv", "/events/league/games.json?after=990000", "/bots.json", "/bots/b07.json",
		"/leaderboard/breakthrough.json", "/leaderboard/breakthrough?from=20",
	} {
		b.Run(regexp.MustCompile(`\W+`).ReplaceAllString(page, "_"), func(b *testing.B) {
			s.ask(page) // SQLite has read what it needs
			var first, whole []time.Duration
			before := cpuTime(b, s.server.Process.Pid)
			for b.Loop() {
				b.StopTimer()
				touch()
				b.StartTimer()
				f, w, _ := s.ask(page)
				first, whole = append(first, f), append(whole, w)
			}
			cpu := cpuTime(b, s.server.Process.Pid) - before
			_, again, size := s.ask(page)
			slices.Sort(first)
			slices.Sort(whole)
			ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
			b.ReportMetric(ms(first[len(first)/2]), "first-ms")
			b.ReportMetric(ms(whole[len(whole)/2]), "made-ms")
			b.ReportMetric(ms(again), "kept-ms")
			b.ReportMetric(ms(cpu)/float64(len(first)), "cpu-ms")
			b.ReportMetric(float64(size)/1024, "KiB")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// cpuTime is the processor time of a process so far, also of threads that have ended; the
// kernel counts it in hundredths of a second.
func cpuTime(tb testing.TB, pid int) time.Duration {
	tb.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		tb.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), ") ") // the name may have blanks
	fields := strings.Fields(rest)
	var user, system time.Duration
	if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &system); err != nil {
		tb.Fatal(err)
	}
	return (user + system) * time.Second / 100
}

// ask reads a page, and says how long that took until its first byte and its last.
func (s *served) ask(page string) (first, whole time.Duration, size int64) {
	s.tb.Helper()
	start := time.Now()
	answer, err := http.Get(s.url + page)
	if err != nil {
		s.tb.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	body := bufio.NewReader(answer.Body)
	_, _ = body.Peek(1) // an empty body has no byte
	first = time.Since(start)
	size, err = io.Copy(io.Discard, body)
	if err != nil || answer.StatusCode != http.StatusOK {
		s.tb.Fatal(fmt.Errorf("%s: %s, %w", strings.TrimPrefix(page, s.url), answer.Status, err))
	}
	return first, time.Since(start), size
}
