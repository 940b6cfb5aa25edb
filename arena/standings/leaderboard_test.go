package standings_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strings"
	"testing"
	"unicode/utf8"

	"botarena/arena"
	"botarena/arena/listing"
	"botarena/arena/rating"
	"botarena/arena/standings"
)

// season is games of an event: each line is "a b N", N pairs of which a wins all
// games but the lost ones, one pair of "a b N lost".
func season(t *testing.T, lines ...string) []arena.Game {
	t.Helper()
	var games []arena.Game
	for _, line := range lines {
		var a, b string
		var pairs, lost int
		if _, err := fmt.Sscanf(line+" 0", "%s %s %d %d", &a, &b, &pairs, &lost); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		for i := range pairs {
			one, two := arena.FirstWins, arena.SecondWins
			if i < lost {
				one, two = two, one
			}
			p := len(games)/2 + 1
			moves := []arena.MoveRecord{{Move: fmt.Sprint("m", p)}}
			games = append(
				games,
				arena.Game{Event: "e", Number: 2*p - 1, Pair: p, First: a, Second: b, Result: one, Moves: moves, Plies: 1},
				arena.Game{Event: "e", Number: 2 * p, Pair: p, First: b, Second: a, Result: two, Moves: moves, Plies: 1},
			)
		}
	}
	return games
}

// countsOf adds up games; those with the same moves are the same.
func countsOf(games []arena.Game) *arena.Counts {
	var c arena.Counter
	for i := range games {
		h := fnv.New64a()
		fmt.Fprint(h, games[i].First, games[i].Opening)
		for _, m := range games[i].Moves {
			fmt.Fprint(h, " ", m.Move)
		}
		hash := int64(h.Sum64() >> 1)
		if len(games[i].Moves) == 0 {
			hash = 0
		}
		c.Add(&games[i], 1, 1, hash)
	}
	return c.Counts()
}

func leaderboard(t *testing.T, games []arena.Game, o standings.Selection) (*standings.Leaderboard, string) {
	t.Helper()
	o.Sides, o.Counts = [2]string{"white", "black"}, *countsOf(games)
	lb, err := o.Leaderboard()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(lb); err != nil { // refuses what is no number
		t.Error(err)
	}
	var out bytes.Buffer
	if err := lb.Table().Write(&out, listing.Text); err != nil {
		t.Fatal(err)
	}
	return lb, out.String()
}

func TestLeaderboardSaysWhatIsNotTransitive(t *testing.T) {
	games := season(t, "rock scissors 40 2", "scissors paper 40 2", "paper rock 40 2")
	lb, text := leaderboard(t, games, standings.Selection{Rated: standings.Rated{Nash: true}})
	if !strings.Contains(strings.Join(strings.Fields(text), " "), "rock beats scissors beats paper beats rock") {
		t.Errorf("no word of the circle in\n%s", text)
	}
	for _, r := range lb.Bots {
		if r.NashShare == nil || *r.NashShare < 0.32 || *r.NashShare > 0.35 || *r.NashElo < -1 || *r.NashElo > 1 {
			t.Errorf("%s: Nash %v of %v, want a third of 0", r.Bot, r.NashShare, r.NashElo)
		}
	}
	if _, text := leaderboard(t, season(t, "a b 40 2", "b c 40 2", "a c 40 2"), standings.Selection{}); strings.Contains(text, "transitive") || strings.Contains(text, "Nash") {
		t.Errorf("a circle where there is none\n%s", text)
	}
}

func TestLeaderboardCountsRepeatedGames(t *testing.T) {
	games := season(t, "a b 4 1")
	for i := range games {
		games[i].Moves = games[0].Moves
	}
	if _, text := leaderboard(t, games, standings.Selection{}); !strings.Contains(text, "6 of 8 games repeat an earlier one move for move") {
		t.Errorf("no word of repeated games in\n%s", text)
	}
	if _, text := leaderboard(t, season(t, "a b 4 1"), standings.Selection{}); strings.Contains(text, "repeat") {
		t.Errorf("repeated games where there are none\n%s", text)
	}
}

// Where results do not compare all bots that games link, a prior rates them together, so
// that numbers and order agree; without one, pieces and bounds are one note each.
func TestLeaderboardInPieces(t *testing.T) {
	games := season(t, "top a 2", "a b 6 3", "a low 1", "b lower 2", "a lowest 1", "x y 4 1", "over x 3")
	lb, text := leaderboard(t, games, standings.Selection{Rated: standings.Rated{PriorIfApart: rating.UsualPrior}})
	if lb.Prior != rating.UsualPrior || len(lb.Components) != 2 || !strings.Contains(strings.Join(strings.Fields(text), " "), "(a prior of ±400 Elo) and will move with more games.") || strings.Contains(text, "…") {
		t.Errorf("prior %g, %d pieces\n%s", lb.Prior, len(lb.Components), text)
	}
	// Bots that no game links are in pools of their own, with places and LOS within.
	if lb.Pools != 2 || lb.Bots[6].Bot != "over" || lb.Bots[6].Rank != 1 || lb.Bots[5].LOS != nil || lb.Bots[6].LOS == nil || lb.Bots[5].Pool != 1 || lb.Bots[6].Pool != 2 || !strings.Contains(text, " Pool ") {
		t.Errorf("%d pools\n%s", lb.Pools, text)
	}
	for i := range lb.Bots[1:] {
		if lb.Bots[i].Pool == lb.Bots[i+1].Pool && *lb.Bots[i].Elo < *lb.Bots[i+1].Elo {
			t.Errorf("%s (%+.0f) stands above %s (%+.0f)", lb.Bots[i].Bot, *lb.Bots[i].Elo, lb.Bots[i+1].Bot, *lb.Bots[i+1].Elo)
		}
	}
	if full := strings.Join(lb.Table().InFull().Notes, "\n"); !strings.Contains(full, "top above") {
		t.Errorf("the notes in full do not say who is above whom:\n%s", full)
	}

	lb, text = leaderboard(t, games, standings.Selection{})
	if n := strings.Count(text, "Note: "); n != len(lb.Notes) || n != 2 {
		t.Errorf("%d notes shown, %d kept, want 2:\n%s", n, len(lb.Notes), text)
	}
	if !strings.Contains(text, " Piece ") {
		t.Errorf("no column tells the pieces apart:\n%s", text)
	}
	text = strings.Join(lb.Table().InFull().Notes, "\n")
	text = "\n" + text
	_, below, _ := strings.Cut(text, "\nElo: ")
	for line := range strings.SplitSeq(below, "\n") {
		if utf8.RuneCountInString(line) > 100 {
			t.Errorf("a line of %d columns: %s", utf8.RuneCountInString(line), line)
		}
	}
	for _, want := range []string{"top at least", "lower at most", "over at least", "each rated around its own mean"} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	lb, _ = leaderboard(t, games, standings.Selection{Rated: standings.Rated{Prior: 400, Anchor: &rating.Anchor{Name: "b", Elo: 1000}}})
	for _, r := range lb.Bots {
		if r.Elo == nil || r.Bounds != nil || (r.Bot == "b") != (*r.Elo == 1000) {
			t.Errorf("with a prior %s has %v", r.Bot, r.Elo)
		}
	}
}
