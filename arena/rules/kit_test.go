package rules_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"botarena/arena/rules"
	"botarena/arena/session/sessiontest"
	"botarena/bots/kit"
	"botarena/engine"
	"botarena/engine/enginetest"
	"botarena/engine/games"
)

// openKit opens the game of a program that is written with the kit, and the name by
// which it is recorded.
func openKit(t *testing.T, name string, bot kit.Bot) engine.Game {
	t.Helper()
	in, toBot := io.Pipe()
	fromBot, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- kit.Run(bot, in, out, time.Now)
		_ = out.Close()
	}()
	lines := bufio.NewScanner(fromBot)
	lines.Buffer(nil, 1<<17)
	b := &sessiontest.Bot{Clock: sessiontest.NewClock(), Answer: func(b *sessiontest.Bot, line string) {
		if _, err := io.WriteString(toBot, line+"\n"); err != nil {
			t.Error(err)
		}
		last := map[string]string{"ugi": "ugiok", "isready": "readyok"}[line]
		if strings.HasPrefix(line, "query ") {
			last = "response"
		}
		for last != "" && lines.Scan() {
			b.Say(0, "%s", lines.Text())
			word, _, _ := strings.Cut(lines.Text(), " ")
			if word == last {
				break
			}
		}
	}}
	t.Cleanup(func() {
		_ = toBot.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	game, err := rules.Open(t.Context(), rules.Config{Name: name, Command: "kit", Now: b.Clock.Now, Start: starter(b)})
	if err != nil {
		t.Fatal(err)
	}
	return game
}

// TestEveryGameByProgram plays random games of every game by a bot that answers
// queries and by arena's own rules, and asks both for all that there is to know.
func TestEveryGameByProgram(t *testing.T) {
	for _, name := range append(games.All().Names(), "breakthrough:5x4", "breakthrough:12x10") {
		t.Run(name, func(t *testing.T) {
			own, err := games.All().Lookup(name)
			if err != nil {
				t.Fatal(err)
			}
			other := openKit(t, name, kit.Bot{Name: "answers", Games: games.All(), Game: name})
			if other.SideNames() != own.SideNames() || other.Symmetric() != own.Symmetric() ||
				other.MaxPlies() != own.MaxPlies() || engine.AtLimit(other) != engine.AtLimit(own) {
				t.Errorf("%v, %v, %d, %d", other.SideNames(), other.Symmetric(), other.MaxPlies(), engine.AtLimit(other))
			}
			rng := rand.New(rand.NewPCG(1, 1))
			a, b := own.Start(), other.Start()
			if several, ok := own.(engine.Starts); ok {
				others, ok := other.(engine.Starts)
				if !ok || others.Starts() != several.Starts() {
					t.Fatalf("it has not %d starts", several.Starts())
				}
				a, b = several.StartAt(500), others.StartAt(500)
			}
			for !a.Outcome().Over && a.Ply() < 40 {
				moves := a.Legal(nil)
				// Random openings are drawn from the list: its order counts.
				i := rng.IntN(len(moves))
				text := string(a.AppendMove(nil, moves[i]))
				others := b.Legal(nil)
				if len(others) != len(moves) || string(b.AppendMove(nil, others[i])) != text {
					t.Fatalf("%s: %d moves and not %d, or in another order", a, len(others), len(moves))
				}
				a.Play(moves[i])
				b.Play(others[i])
				if a.String() != b.String() || a.Turn() != b.Turn() || a.Outcome() != b.Outcome() {
					t.Fatalf("after %s: %s %v, by the program %s %v", text, a, a.Outcome(), b, b.Outcome())
				}
			}
		})
	}
}

// An xo is a board of noughts and crosses.
type xo string

func xoRules() kit.Rules[xo] {
	count := func(s xo, sign string) int { return strings.Count(string(s), sign) }
	turn := func(s xo) engine.Side { return engine.Side(count(s, "X") - count(s, "o")) } //nolint:gosec // 0 or 1
	outcome := func(s xo) engine.Outcome {
		for _, l := range [][3]int{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}} {
			if c := s[l[0]]; c != '.' && c == s[l[1]] && c == s[l[2]] {
				return engine.Outcome{Over: true, Winner: turn(s).Other(), Reason: "three in a row"}
			}
		}
		return engine.Outcome{Over: count(s, ".") == 0, Winner: engine.NoSide, Reason: "board full"}
	}
	return kit.Rules[xo]{
		Name: "xo", Sides: [2]string{"crosses", "noughts"}, Start: ".........",
		Moves: func(s xo, dst []string) []string {
			for i, c := range s {
				if c == '.' {
					dst = append(dst, fmt.Sprintf("%c%d", 'a'+i%3, 3-i/3))
				}
			}
			return dst
		},
		Play: func(s xo, move string) xo {
			i := int(move[0]-'a') + 3*int('3'-move[1])
			return s[:i] + xo("Xo"[turn(s)]) + s[i+1:]
		},
		Outcome: outcome, Turn: turn,
		Board: func(s xo) (rows []string) {
			for r := range 3 {
				rows = append(rows, strings.Join(strings.Split(string(s[3*r:3*r+3]), ""), " "))
			}
			return rows
		},
		Text: func(s xo) string { return string(s) },
		Parse: func(text string) (xo, error) {
			s := xo(text)
			crosses, noughts := count(s, "X"), count(s, "o")
			if len(s) != 9 || crosses+noughts+count(s, ".") != 9 || crosses-noughts < 0 || crosses-noughts > 1 {
				return "", errors.New("nine signs of X, o and . are a board, X begins")
			}
			return s, nil
		},
	}
}

// TestOwnConformance holds a game that is written with the kit to the contract of the
// games built in, as arena sees it.
func TestOwnConformance(t *testing.T) {
	own, err := kit.NewGame(xoRules())
	if err != nil {
		t.Fatal(err)
	}
	game := openKit(t, "noughts", kit.Bot{Name: "xo", Own: own})
	enginetest.Run(t, game, enginetest.Allocates(), enginetest.Games(2))
	for depth, want := range []uint64{1, 9, 72, 504, 3024, 15120} {
		if n := engine.Perft(game.Start(), depth); n != want {
			t.Errorf("perft %d: %d by the program, want %d", depth, n, want)
		}
	}
	for depth, want := range []uint64{1, 9, 72, 504, 3024, 15120, 54720, 148176} {
		if n := engine.Perft(own.Start(), depth); n != want {
			t.Errorf("perft %d: %d, want %d", depth, n, want)
		}
	}
}
