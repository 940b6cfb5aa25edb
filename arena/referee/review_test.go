package referee_test

import (
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/referee"
	"botarena/engine"
	"botarena/engine/games"
)

// walk plays the first legal move of each position, as the record has it.
func walk(t *testing.T, game engine.Game, most int) (arena.Game, referee.Spec) {
	t.Helper()
	spec := referee.Spec{Game: game, MaxPlies: most}
	for i := range spec.Clocks {
		spec.Clocks[i] = arena.TimeControl{Base: time.Second, Increment: time.Millisecond, Margin: 10 * time.Millisecond}
	}
	g := arena.Game{Number: 1, First: "a", Second: "b", Wall: time.Second}
	pos := game.Start()
	for !pos.Outcome().Over && len(g.Moves) < most {
		m := pos.Legal(nil)[0]
		g.Moves = append(g.Moves, arena.MoveRecord{Move: string(pos.AppendMove(nil, m)), Time: time.Millisecond})
		pos.Play(m)
	}
	g.Plies = len(g.Moves)
	if out := pos.Outcome(); out.Over {
		g.Result, g.Reason, g.Detail = arena.ResultFor(out.Winner), arena.WinByRule, out.Reason
	}
	return g, spec
}

func TestReview(t *testing.T) {
	game, err := games.All().Lookup("breakthrough:5x5")
	if err != nil {
		t.Fatal(err)
	}
	won, spec := walk(t, game, 1000)
	if err := referee.Review(spec, &won); err != nil {
		t.Fatalf("what was played does not hold: %v", err)
	}
	// short ends the game after some plies for a reason.
	short := func(plies int, result arena.Result, reason arena.Reason, blame string) func(*arena.Game, *referee.Spec) {
		return func(g *arena.Game, _ *referee.Spec) {
			g.Moves = g.Moves[:plies]
			g.Plies, g.Result, g.Reason, g.Detail, g.Blame = plies, result, reason, "said", blame
		}
	}
	for _, c := range []struct {
		name   string
		change func(*arena.Game, *referee.Spec)
		why    string // "" holds
	}{
		{"resigned to move", short(4, arena.SecondWins, arena.Resign, ""), ""},
		{"late to move", short(4, arena.SecondWins, arena.TimeForfeit, "a"), ""},
		{"a crash before the first move", short(0, arena.FirstWins, arena.Crash, "b"), ""},
		{"void", func(g *arena.Game, _ *referee.Spec) { *g = arena.Game{First: "a", Second: "b", Reason: arena.Void} }, ""},
		{"void with a result", func(g *arena.Game, _ *referee.Spec) { g.Reason = arena.Void }, "a void game with the result"},
		{"the other result", func(g *arena.Game, _ *referee.Spec) {
			g.Result = map[arena.Result]arena.Result{arena.FirstWins: arena.SecondWins, arena.SecondWins: arena.FirstWins}[g.Result]
		}, "it ends with"},
		{"another reason", func(g *arena.Game, _ *referee.Spec) { g.Reason = arena.Resign }, "it ends with"},
		{"another detail", func(g *arena.Game, _ *referee.Spec) { g.Detail = "because" }, "it ends with"},
		{"an illegal move", func(g *arena.Game, _ *referee.Spec) { g.Moves[2].Move = "a1a5" }, "ply 3"},
		{"a move that is none", func(g *arena.Game, _ *referee.Spec) { g.Moves[0].Move = "x" }, "ply 1"},
		{"moves after the end", func(g *arena.Game, _ *referee.Spec) {
			g.Moves = append(g.Moves, g.Moves[0])
			g.Plies++
		}, "the game was over before it"},
		{"a wrong number of plies", func(g *arena.Game, _ *referee.Spec) { g.Plies++ }, "plies is"},
		{"cut off", short(4, arena.FirstWins, arena.WinByRule, ""), "the moves do not end it"},
		{"an adjudication that nobody asked for", short(4, arena.FirstWins, arena.Adjudicated, ""), "the moves do not end it"},
		{"a move limit that is not reached", short(4, arena.Draw, arena.MoveLimit, ""), "the moves do not end it"},
		{"resigned for the other", short(4, arena.FirstWins, arena.Resign, ""), "can only have resigned"},
		{"late out of turn", short(4, arena.FirstWins, arena.TimeForfeit, "b"), "but a was to move"},
		{"a crash out of turn", short(4, arena.FirstWins, arena.Crash, "b"), "but a was to move"},
		{"late without a clock", func(g *arena.Game, s *referee.Spec) {
			s.Clocks = [2]arena.TimeControl{{Nodes: 1}, {Nodes: 1}}
			short(4, arena.SecondWins, arena.TimeForfeit, "a")(g, s)
		}, "without a clock"},
		{"a move beyond the clock", func(g *arena.Game, _ *referee.Spec) { g.Moves[2].Time, g.Wall = 2*time.Second, time.Hour }, "ply 3: it took 2s"},
		{"moves longer than the game", func(g *arena.Game, _ *referee.Spec) { g.Wall = time.Millisecond }, "the whole game 1ms"},
		{"blame of a third", short(4, arena.SecondWins, arena.Crash, "c"), "needs a blame"},
		{"a result that is none", func(g *arena.Game, _ *referee.Spec) { g.Result = "2-0" }, "is none of"},
		{"beyond the move limit", func(_ *arena.Game, s *referee.Spec) { s.MaxPlies = 3 }, "the game was over before it: move limit"},
		{"adjudication left out", func(g *arena.Game, s *referee.Spec) {
			s.Adjudicate = arena.Adjudication{Resign: arena.Resigning{Score: 500, Moves: 2}}
			for i := range g.Moves {
				g.Moves[i].HasScore, g.Moves[i].Score = true, -600
			}
		}, "the game was over before it: adjudication"},
		{"adjudicated", func(g *arena.Game, s *referee.Spec) {
			s.Adjudicate = arena.Adjudication{Resign: arena.Resigning{Score: 500, Moves: 2}}
			short(3, arena.SecondWins, arena.Adjudicated, "")(g, s)
			g.Detail = "the loser's score was -500 or less for 2 moves"
			for i := range g.Moves {
				g.Moves[i].HasScore, g.Moves[i].Score = i%2 == 0, -600
			}
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, spec := walk(t, game, 1000)
			c.change(&g, &spec)
			err := referee.Review(spec, &g)
			if c.why == "" && err != nil || c.why != "" && (err == nil || !strings.Contains(err.Error(), c.why)) {
				t.Errorf("%v; want %q", err, c.why)
			}
		})
	}
}
