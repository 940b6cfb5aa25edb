package standings_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/listing"
	"botarena/arena/rating/sprt"
	"botarena/arena/schedule"
	"botarena/arena/standings"
)

// pairOf is two games of a against b from one opening: results from the view of
// the side that moves first.
func pairOf(pair int, opening string, one, two arena.Result, moves ...string) []arena.Game {
	o := arena.Opening{Name: opening}
	var record []arena.MoveRecord
	for _, m := range moves {
		record = append(record, arena.MoveRecord{Move: m})
	}
	return []arena.Game{
		{Event: "e", Pair: pair, Game: "chess", First: "a", Second: "b", Opening: o, Result: one, Moves: record},
		{Event: "e", Pair: pair, Game: "chess", First: "b", Second: "a", Opening: o, Result: two, Moves: record},
	}
}

func headToHead(t *testing.T, games []arena.Game, a, b string) *standings.HeadToHead {
	t.Helper()
	h, err := standings.NewHeadToHead(countsOf(games), a, b, "chess", [2]string{"white", "black"})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestHeadToHead(t *testing.T) {
	var games []arena.Game
	add := func(g []arena.Game) { games = append(games, g...) }
	add(pairOf(1, "x", arena.FirstWins, arena.SecondWins, "m1"))                                // a: 2 points
	add(pairOf(2, "x", arena.FirstWins, arena.FirstWins, "m2"))                                 // 1, a win and a loss
	add(pairOf(3, "y", arena.Draw, arena.Draw, "m4"))                                           // 1, two draws
	add(pairOf(4, "y", arena.Draw, arena.FirstWins, "m3"))                                      // 1/2
	add(pairOf(5, "x", arena.FirstWins, arena.Unplayed, "m1"))                                  // unpaired; its game is that of pair 1 again, from x
	add([]arena.Game{{Event: "e", Pair: 6, First: "a", Second: "c", Result: arena.SecondWins}}) // not theirs
	games[1].Blame, games[1].Reason = "b", arena.TimeForfeit

	h := headToHead(t, games, "a", "b")
	if want := (sprt.Pentanomial{0, 1, 2, 0, 1}); h.Pairs != want {
		t.Errorf("pairs %v, want %v", h.Pairs, want)
	}
	if h.Games != 9 || h.Wins != 4 || h.Draws != 3 || h.Losses != 2 || h.Points != 5.5 {
		t.Errorf("games %+v", h.Tally)
	}
	if h.AsFirst.Games != 5 || h.AsFirst.Points != 4 || h.AsSecond.Games != 4 || h.AsSecond.Points != 1.5 {
		t.Errorf("by role %+v %+v", h.AsFirst, h.AsSecond)
	}
	if len(h.Openings) != 2 || h.Openings[0].Opening != "x" || h.Openings[0].Points != 4 || h.Openings[1].Points != 1.5 {
		t.Errorf("by opening %+v", h.Openings)
	}
	if h.Unpaired != 1 || h.Unplayed != 1 || h.WinLossPairs != 1 || h.DrawDrawPairs != 1 {
		t.Errorf("unpaired %d, unplayed %d, level pairs %d and %d", h.Unpaired, h.Unplayed, h.WinLossPairs, h.DrawDrawPairs)
	}
	if h.Forfeits[0].Total() != 0 || h.Forfeits[1] != (standings.Forfeits{Time: 1}) {
		t.Errorf("forfeits %+v", h.Forfeits)
	}
	if h.Repeated != 1 {
		t.Errorf("%d games repeated, want 1", h.Repeated)
	}

	// The other's view is the mirror image.
	m := headToHead(t, games, "b", "a")
	if m.Pairs != (sprt.Pentanomial{1, 0, 2, 1, 0}) || m.Points != 3.5 || m.AsFirst.Points != 2.5 || m.Forfeits[0].Time != 1 {
		t.Errorf("mirrored: %+v", m)
	}

	var out bytes.Buffer
	if err := h.Table().Write(&out, listing.Text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"chess · a - b · 9 games of 10", "as white", "from x",
		"Pairs by points: 0: 0, ½: 1, 1: 2, 1½: 0, 2: 1.",
		"won to lost pairs: 1.00", "1 game is in no complete pair", "b lost 1 game on time", "1 of 9 games repeat an earlier one",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestHeadToHeadOfLittle(t *testing.T) {
	for name, games := range map[string][]arena.Game{
		"nothing": nil,
		"swept":   append(pairOf(1, "", arena.FirstWins, arena.SecondWins), pairOf(2, "", arena.FirstWins, arena.SecondWins)...),
		"lost":    pairOf(1, "", arena.SecondWins, arena.FirstWins),
		"level":   pairOf(1, "", arena.Draw, arena.Draw),
		"single":  pairOf(1, "", arena.FirstWins, arena.Unplayed),
	} {
		h := headToHead(t, games, "a", "b")
		text, err := json.Marshal(h) // refuses what is no number
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var out bytes.Buffer
		if err := h.Table().Write(&out, listing.Text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if s := out.String(); strings.Contains(s, "Inf") || strings.Contains(s, "NaN") || !strings.Contains(s, "a - b") {
			t.Errorf("%s:\n%s\n%s", name, s, text)
		}
		if testing.Verbose() {
			t.Logf("%s:\n%s", name, out.String())
		}
	}
}

// A test's outcome says its strength once, and what the head-to-head leaves out.
func TestSPRTOutcomeOfManyOpenings(t *testing.T) {
	var games []arena.Game
	for i := range 50 {
		one, two := arena.FirstWins, arena.SecondWins
		if i%4 == 0 {
			one, two = two, one
		}
		games = append(games, pairOf(i+1, fmt.Sprint("opening ", i%25), one, two, fmt.Sprint("m", i))...)
	}
	test := sprt.Test{Elo0: 0, Elo1: 50, Alpha: 0.05, Beta: 0.05, Model: sprt.Normalized}
	h := headToHead(t, games, "a", "b")
	r, err := test.Report(h.Pairs)
	if err != nil {
		t.Fatal(err)
	}
	o := standings.NewSPRTOutcome(test, r, h)
	var out bytes.Buffer
	if err := o.Table().Write(&out, listing.Text); err != nil {
		t.Fatal(err)
	}
	for want, times := range map[string]int{"5 more openings are in the JSON.": 1, "LOS": 0, "Pairs by points": 1, "Median-unbiased": 1} {
		if got := strings.Count(out.String(), want); got != times {
			t.Errorf("%q %d times, want %d, in\n%s", want, got, times, out.String())
		}
	}
}

// What a bot computes while the other is to move is told from its own view, whichever
// side it played.
func TestHeadToHeadOffTurn(t *testing.T) {
	a, b := arena.BotVersion{Name: "a", Version: 1}, arena.BotVersion{Name: "b", Version: 1}
	ending := func(first, second arena.BotVersion, cpu, off [2]time.Duration) arena.Ending {
		return arena.Ending{Event: "e", First: first, Second: second, Result: arena.FirstWins, Reason: arena.WinByRule, Games: 1, CPU: cpu, OffTurn: off}
	}
	for _, tt := range []struct {
		off  time.Duration // of b, in each game
		want string
	}{
		{2 * time.Second, "Off-turn CPU: a 0.0 s of 2.0 s, b 4.0 s of 10.0 s."},
		{200 * time.Millisecond, ""},
		{260 * time.Millisecond, "Off-turn CPU: a 0.0 s of 2.0 s, b 0.5 s of 10.0 s."},
	} {
		h, err := standings.NewHeadToHead(&arena.Counts{Endings: []arena.Ending{
			ending(a, b, [2]time.Duration{time.Second, 5 * time.Second}, [2]time.Duration{0, tt.off}),
			ending(b, a, [2]time.Duration{5 * time.Second, time.Second}, [2]time.Duration{tt.off, 0}),
		}}, "a", "b", "chess", [2]string{"white", "black"})
		if err != nil {
			t.Fatal(err)
		}
		if want := [2]float64{0, 2 * tt.off.Seconds()}; h.OffTurnCPU != want {
			t.Errorf("%v, want %v", h.OffTurnCPU, want)
		}
		text := ""
		for _, line := range h.Facts() {
			if strings.HasPrefix(line, "Off-turn") {
				text = line
			}
		}
		if text != tt.want {
			t.Errorf("got %q, want %q", text, tt.want)
		}
	}
}

// The progress of a match names the bot whose Elo it tells: the other one may lead.
func TestTrialStatusNamesTheBot(t *testing.T) {
	trial, err := schedule.NewTrial(arena.Event{Format: schedule.FormatMatch, Swap: true, Bots: []arena.Bot{{Name: "a"}, {Name: "b"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range pairOf(1, "", arena.SecondWins, arena.FirstWins) {
		trial.Add(&g)
	}
	if got := standings.TrialStatus("a", trial); !strings.HasPrefix(got, "Elo of a at all times up to +") {
		t.Error(got)
	}
}
