package builtin_test

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"botarena/bots/builtin"
	"botarena/bots/kit"
	"botarena/engine"
	"botarena/engine/games"
)

// A guest is a bot as a host of cutegames' kind runs it. The host knows no rules:
// whose turn it is, whether a game is over and who has won, it asks the bots. It is
// written from the description of UGI that comes with cutegames.
type guest struct {
	t     *testing.T
	in    io.WriteCloser
	lines *bufio.Scanner
	ended chan error
}

func invite(t *testing.T, bot kit.Bot) *guest {
	in, toBot := io.Pipe()
	fromBot, out := io.Pipe()
	g := &guest{t: t, in: toBot, lines: bufio.NewScanner(fromBot), ended: make(chan error, 1)}
	g.lines.Buffer(nil, 1<<17)
	go func() {
		g.ended <- kit.Run(bot, in, out, time.Now)
		_ = out.Close()
	}()
	g.send("ugi")
	g.wait("ugiok", 1)
	g.send("isready")
	g.wait("readyok", 1)
	return g
}

func (g *guest) send(line string) {
	g.t.Helper()
	if _, err := io.WriteString(g.in, line+"\n"); err != nil {
		g.t.Fatal(err)
	}
}

// wait reads up to a line that begins with word, which has to have so many words, and
// returns its last: "bestmove a2a3 ponder b7b6" is no answer to cutegames.
func (g *guest) wait(word string, words int) string {
	g.t.Helper()
	parts := g.line(word)
	if len(parts) != words {
		g.t.Fatalf("%q has %d words, and the host knows %d", parts, len(parts), words)
	}
	return parts[words-1]
}

// line reads up to a line that begins with one of these words, and returns its words.
func (g *guest) line(words ...string) []string {
	g.t.Helper()
	for g.lines.Scan() {
		if parts := strings.Fields(g.lines.Text()); len(parts) > 0 && slices.Contains(words, parts[0]) {
			return parts
		}
	}
	g.t.Fatalf("the bot ended, and owes %s", words)
	return nil
}

// query asks about the position after these moves.
func (g *guest) query(fact string, moves []string) string {
	g.t.Helper()
	g.send(positionLine(moves))
	g.send("query " + fact)
	return g.wait("response", 2)
}

func positionLine(moves []string) string {
	if len(moves) == 0 {
		return "position startpos"
	}
	return "position startpos moves " + strings.Join(moves, " ")
}

func (g *guest) quit() {
	g.t.Helper()
	g.send("quit")
	if err := <-g.ended; err != nil {
		g.t.Error(err)
	}
}

// hosted plays a game to its end as cutegames does, and returns it with its result.
func hosted(t *testing.T, one, two *guest, clock string, most int) (moves []string, result string) {
	t.Helper()
	guests := [2]*guest{one, two}
	for _, g := range guests {
		g.send("uginewgame")
		g.send("isready")
		g.wait("readyok", 1)
	}
	for turn := 0; len(moves) < most; turn = 1 - turn {
		g := guests[turn]
		if over := g.query("gameover", moves); over == "true" {
			return moves, g.query("result", moves)
		}
		if first := g.query("p1turn", moves); first != fmt.Sprint(turn == 0) {
			t.Fatalf("after %v: query p1turn has the response %s", moves, first)
		}
		if result := g.query("result", moves); result != "none" {
			t.Fatalf("after %v, which is no end: query result has the response %s", moves, result)
		}
		g.send(positionLine(moves))
		g.send(clock)
		moves = append(moves, g.wait("bestmove", 2))
	}
	return moves, "limit"
}

func TestHostedByQueries(t *testing.T) {
	hostedByQueries(t, []string{"breakthrough:5x4", "owlman"})
}

// hostedByQueries lets every bot play games by a host that knows none of them: the
// moves are legal by arena's rules, and the result is theirs.
func hostedByQueries(t *testing.T, names []string) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			game, err := games.All().Lookup(name)
			if err != nil {
				t.Fatal(err)
			}
			for i, b := range builtin.All() {
				if b.Name == "perfect" { // has to be given its tables
					continue
				}
				bots := [2]kit.Bot{b.New(games.All()), builtin.All()[0].New(games.All())}
				if i%2 == 1 {
					bots[0], bots[1] = bots[1], bots[0]
				}
				for i := range bots {
					bots[i].Game = name // as arena bot NAME --game GAME
				}
				one, two := invite(t, bots[0]), invite(t, bots[1])
				clock := "go nodes 30"
				if b.Name == "greedy" {
					clock = "go p1time 1000 p2time 1000 p1inc 10 p2inc 10"
				}
				moves, result := hosted(t, one, two, clock, 400)
				one.quit()
				two.quit()
				pos := game.Start()
				for _, text := range moves {
					m, err := pos.ParseMove(text)
					if err != nil {
						t.Fatalf("%s: %v", b.Name, err)
					}
					pos.Play(m)
				}
				want := "limit"
				if out := pos.Outcome(); out.Over {
					want = map[engine.Side]string{engine.First: "p1win", engine.Second: "p2win", engine.NoSide: "draw"}[out.Winner]
				}
				if result != want {
					t.Errorf("%s: after %d plies the result is %s, want %s", b.Name, len(moves), result, want)
				}
			}
		})
	}
}
