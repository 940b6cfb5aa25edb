package builtin_test

import (
	"testing"

	"botarena/bots/bottest"
	"botarena/bots/builtin"
	"botarena/engine/games"
)

// The bots that search tell which answer they expect, think about it while the other
// is to move, and do not answer before they are told that it was played, or that it was
// not, however soon they know.
func TestPonder(t *testing.T) {
	for _, name := range []string{"minimax", "mcts"} {
		for _, game := range []string{"breakthrough:5x5", "owlman"} {
			t.Run(name+"/"+game, func(t *testing.T) {
				b, err := builtin.Find(name)
				if err != nil {
					t.Fatal(err)
				}
				made := b.New(games.All())
				made.Game = game
				g := invite(t, made)
				g.send("setoption name Ponder value true")
				g.send("position startpos")
				g.send("go nodes 300")
				answer := g.line("bestmove")
				if len(answer) != 4 || answer[2] != "ponder" {
					t.Fatalf("it expects nothing: %q", answer)
				}
				pos := bottest.Open(t, game).Start()
				for _, text := range []string{answer[1], answer[3]} {
					m, err := pos.ParseMove(text)
					if err != nil {
						t.Fatal(err)
					}
					pos.Play(m)
				}
				for _, end := range []string{"ponderhit", "stop"} {
					g.send(positionLine([]string{answer[1], answer[3]}))
					g.send("go ponder nodes 300")
					for range 20 {
						g.send("isready")
						if early := g.line("readyok", "bestmove"); early[0] != "readyok" {
							t.Fatalf("before %s: %q", end, early)
						}
					}
					g.send(end)
					if _, err := pos.ParseMove(g.line("bestmove")[1]); err != nil {
						t.Errorf("after %s: %v", end, err)
					}
				}
				g.quit()
			})
		}
	}
}
