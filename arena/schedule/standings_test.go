package schedule_test

import (
	"fmt"
	"testing"

	"botarena/arena"
	"botarena/arena/schedule"
)

// Points, Sonneborn-Berger and the direct encounter of a small round robin, by hand.
func TestStandings(t *testing.T) {
	e := arena.Event{Format: schedule.FormatRoundRobin, Bots: bots(4)}
	game := func(pair int, first, second string, r arena.Result) arena.Game {
		return arena.Game{Pair: pair, First: first, Second: second, Result: r}
	}
	games := []arena.Game{
		game(1, "bot1", "bot2", arena.SecondWins),
		game(2, "bot3", "bot4", arena.Draw),
		game(3, "bot1", "bot3", arena.FirstWins),
		game(4, "bot2", "bot4", arena.Draw),
		game(5, "bot1", "bot4", arena.FirstWins),
		game(6, "bot2", "bot3", arena.Draw),
		game(7, "bot2", "bot3", arena.Unplayed),
	}
	var got string
	for _, r := range schedule.Rows(e, games) {
		got += fmt.Sprintf("%d %s %d+%d=%d-%d %g SB %g D %g B %g\n",
			r.Place, r.Bot, r.Games, r.Wins, r.Draws, r.Losses, r.Points, r.SonnebornBerger, r.Direct, r.Buchholz)
	}
	// bot1: 2 points (beat bot3 and bot4); bot2: 2 (beat bot1); bot3 and bot4: 1.
	want := "1 bot2 3+1=2-0 2 SB 3 D 1 B 4\n" +
		"2 bot1 3+2=0-1 2 SB 2 D 0 B 4\n" +
		"3 bot3 3+0=2-1 1 SB 1.5 D 0.5 B 5\n" +
		"3 bot4 3+0=2-1 1 SB 1.5 D 0.5 B 5\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// A Swiss round of three bots: the one that rests has the points of a pair won.
func TestStandingsBye(t *testing.T) {
	e := arena.Event{Format: schedule.FormatSwiss, Bots: bots(3), Rounds: 1, Swap: true}
	games := []arena.Game{
		{Number: 1, Round: 1, Pair: 1, First: "bot1", Second: "bot3", Result: arena.FirstWins},
		{Number: 2, Round: 1, Pair: 1, First: "bot3", Second: "bot1", Result: arena.Draw},
	}
	rows := schedule.Rows(e, games)
	if r := rows[0]; r.Bot != "bot2" || r.Byes != 1 || r.Points != 2 || r.Buchholz != 2 || r.SonnebornBerger != 4 {
		t.Errorf("%+v", r)
	}
	if r := rows[1]; r.Bot != "bot1" || r.Points != 1.5 || r.Buchholz != 0.5 || r.SonnebornBerger != 0.75 {
		t.Errorf("%+v", r)
	}
}
