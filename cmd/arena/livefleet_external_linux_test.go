//go:build external

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The moves of a game that a worker of a fleet plays come over the stream of pages that
// another process serves, in order, and are those of the record in the end; the page of
// the fleet names the worker, and hinders nobody.
func TestExternalLiveFleet(t *testing.T) {
	t.Parallel()
	y := newYard(t, `
event: e
game: breakthrough:5x5
clock: {move: 100ms, margin: 10s}
concurrency: 1
pin: off
rounds: 8
bots: [{builtin: mcts}, {name: other, builtin: mcts}]
`)
	coordinator := y.coordinate("--quiet")
	y.hire(1)
	address := freeAddress(t)
	pages := y.start("serve", "--listen", address)
	url := "http://" + address
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	followed := map[int]map[int]string{} // by number, the moves after which games of the worker were seen, by ply
	number := 0
	for number == 0 {
		if ctx.Err() != nil {
			t.Fatalf("no game of the worker was followed to its end: %v\n%s\n%s", followed, coordinator.log.String(), y.workers[0].log.String())
		}
		number = followRemote(ctx, t, url+"/live?event=e", followed)
	}
	var games []struct {
		Number int
		Worker string
		Moves  []string
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("game %d is not on record as the worker's: %+v", number, games)
		}
		answer, err := http.Get(url + "/events/e/games.json")
		if err != nil {
			t.Fatal(err)
		}
		err = json.NewDecoder(answer.Body).Decode(&games)
		if err := answer.Body.Close(); err != nil {
			t.Fatal(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(games) >= number && games[number-1].Worker != "" && len(games[number-1].Moves) > 0 {
			break
		}
	}
	moves := games[number-1].Moves
	for ply, move := range followed[number] {
		if ply > len(moves) || ply > 0 && moves[ply-1] != move {
			t.Errorf("game %d was followed as %v and is recorded as %v", number, followed[number], moves)
		}
	}
	if _, last := followed[number][len(moves)]; !last {
		t.Errorf("game %d was not followed to its last ply: %v", number, followed[number])
	}
	b := newTab(t)
	checker := axe(t)
	for _, scheme := range []string{"light", "dark"} {
		b.scheme(scheme)
		b.open(url + "/fleet")
		b.accessible(checker, everyRule)
	}
	if text := b.eval(`document.querySelector("main").innerText`); !strings.Contains(text, games[number-1].Worker) || !strings.Contains(text, "1 worker there") {
		t.Errorf("the page of the fleet does not name the worker:\n%s", text)
	}
	b.quiet(url)
	for _, c := range append([]*child{pages, coordinator}, y.workers...) {
		_ = c.Process.Signal(syscall.SIGINT)
		y.wait(c)
	}
}

// followRemote reads a stream until a game of a worker ends of which several plies came, and
// returns its number; 0 if the stream ends before.
func followRemote(ctx context.Context, t *testing.T, url string, moves map[int]map[int]string) int {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		time.Sleep(50 * time.Millisecond) // it does not listen yet
		return 0
	}
	defer func() { _ = answer.Body.Close() }()
	lines := bufio.NewReader(answer.Body)
	updates := map[int]int{}
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return 0
		}
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		var u struct {
			Games []struct {
				Number, From int
				Worker       string
				Over         bool
				Frames       []struct{ M string }
			}
		}
		if err := json.Unmarshal([]byte(data), &u); err != nil {
			t.Fatal(err)
		}
		for _, g := range u.Games {
			if g.Worker == "" {
				continue
			}
			if moves[g.Number] == nil {
				moves[g.Number] = map[int]string{}
			}
			for i, f := range g.Frames {
				moves[g.Number][g.From+i] = f.M
			}
			if len(g.Frames) > 0 && !g.Over {
				updates[g.Number]++
			}
			if g.Over && updates[g.Number] >= 3 { // it was followed move by move
				return g.Number
			}
		}
	}
}
