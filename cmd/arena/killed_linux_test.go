package main

import (
	"fmt"
	"math/rand/v2"
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
  - {name: d, builtin: random}
  - {name: e, command: [pace, take, 10ms]}
  - {name: f, command: [pace, take, 10ms]}
`, format, size)
}

// killed runs an event to its end through kill -9s at random moments, wants it to
// be as an undisturbed run left it, and returns how many they were.
func killed(t *testing.T, event string, undisturbed []standings.GameLine, rng *rand.Rand) (kills int, p *place) {
	t.Helper()
	p = newPlace(t, event)
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
	return kills, p
}

func TestKilled(t *testing.T) {
	t.Parallel()
	killedAgainAndAgain(t, "rounds: 1", 4)
}

// killedAgainAndAgain wants an event to end as if nothing had been, with the same
// leaderboard, after so many kills at least.
func killedAgainAndAgain(t *testing.T, size string, least int) {
	t.Helper()
	event := killedEvent("round-robin", size)
	whole := newPlace(t, event)
	want, _ := whole.run(exitDone, "run", "event.yaml", "--quiet")
	undisturbed := whole.games()
	rng := rand.New(rand.NewPCG(5, 6))
	kills := 0
	for kills < least {
		n, p := killed(t, event, undisturbed, rng)
		kills += n
		got, _ := p.run(exitDone, "run", "event.yaml", "--quiet")
		if got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	}
	t.Logf("%d kills", kills)
}
