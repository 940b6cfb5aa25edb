package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"botarena/arena/standings"
)

// killedEvent is an event of many short games.
func killedEvent(format, size string) string {
	return fmt.Sprintf(`
event: e
game: breakthrough:5x5
format: %s
%s
seed: 11
openings: {random: 2}
clock: {move: 1m, depth: 1}
concurrency: 2
pin: off
bots:
  - {name: a, builtin: random}
  - {name: b, builtin: minimax}
  - {name: c, builtin: greedy}
  - {name: d, command: [sh, bot.sh, pace, take, 10ms]}
`, format, size)
}

// killed runs an event to its end through kill -9s at random moments, wants its games
// and what it prints at last to be as an undisturbed run left them, and returns how
// many they were.
func killed(t *testing.T, event string, undisturbed []standings.GameLine, outcome string, rng *rand.Rand) (kills int) {
	t.Helper()
	p := newPlace(t, event)
	for {
		// While it starts, plans, plays or ends; later and later, so that a slow
		// machine gets through as well.
		after := time.Duration(20+rng.IntN(500)+20*kills) * time.Millisecond
		c := p.start("run", "event.yaml", "--quiet")
		timer := time.AfterFunc(after, func() { _ = c.Process.Signal(syscall.SIGKILL) })
		code := p.wait(c)
		timer.Stop()
		p.wantNothingLeft()
		if code == exitDone {
			break
		}
		if code != -1 {
			t.Fatalf("it cannot go on after %d kills: exit code %d\n%s", kills, code, c.log.String())
		}
		kills++
	}
	games := p.games()
	for i := range games {
		if games[i].Result == "" || games[i].Blame != "" {
			t.Errorf("%+v", games[i])
		}
	}
	sameGames(t, games, undisturbed)
	if got, _ := p.run(exitDone, "run", "event.yaml", "--quiet"); got != outcome {
		t.Errorf("%s\nwant\n%s", got, outcome)
	}
	return kills
}

// In a format that plans at once no pairing is lost by kill -9s, none is played twice, and
// the leaderboard is the same, as are the values of a tuning, which plans as results come
// in. The other formats are in TestExternalKilled.
func TestKilled(t *testing.T) {
	t.Parallel()
	killedFormats(t, map[string]string{
		"round-robin": "rounds: 1", "tune": "tune: {games: 30, lag: 3, params: [{name: Level, start: 5, min: 1, max: 10}]}",
	})
}

func killedFormats(t *testing.T, sizes map[string]string) {
	t.Helper()
	for format, size := range sizes {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(7, 8))
			event := killedEvent(format, size)
			if format == "tune" { // of one bot
				settings, _, _ := strings.Cut(event, "bots:")
				event = settings + "bots: [{builtin: minimax}]\n"
			}
			whole := newPlace(t, event)
			outcome, _ := whole.run(exitDone, "run", "event.yaml", "--quiet")
			undisturbed := whole.games()
			kills, events := 0, 0
			for kills == 0 {
				kills += killed(t, event, undisturbed, outcome, rng)
				events++
			}
			t.Logf("%d kills in %d events of %d games", kills, events, len(undisturbed))
		})
	}
}
