package replay_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"botarena/arena"
	"botarena/arena/replay"
	"botarena/engine"
	"botarena/engine/games"
)

func lookup(t interface{ Fatal(...any) }, name string) engine.Game {
	g, err := games.All().Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestReplay(t *testing.T) {
	scored := func(move string, cp int, d time.Duration) arena.MoveRecord {
		return arena.MoveRecord{Move: move, Score: cp, HasScore: true, Time: d, Depth: 4, Nodes: 1000}
	}
	g := &arena.Game{
		Event: "spring", First: "ann", Second: "bob", Game: "chess", Opening: arena.Opening{Moves: []string{"e2e4", "d7d5"}},
		Result: arena.FirstWins, Reason: arena.TimeForfeit, Detail: "2s passed", Blame: "bob",
		Moves: []arena.MoveRecord{
			scored("e4d5", 20, time.Second), scored("d8d5", 10, 2*time.Second),
			scored("b1c3", 300, 3*time.Second),
			{Move: "d5a5", Time: time.Second},
			{Move: "d2d4", Time: time.Second, Score: 5, Mate: true, HasScore: true},
		},
	}
	clocks := [2]arena.TimeControl{{Base: 10 * time.Second, Increment: time.Second}, {Move: 2 * time.Second}}
	r, err := replay.New(lookup(t, "chess"), g, clocks)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Frames) != 6 || r.Frames[0].Side != engine.NoSide || r.Frames[0].Turn != engine.First {
		t.Fatalf("%d frames, the first %+v", len(r.Frames), r.Frames[0])
	}
	if f := r.Frames[3]; f.Ply != 3 || f.Side != engine.First || f.Left != [2]time.Duration{8 * time.Second, 0} || f.Position != "rnb1kbnr/ppp1pppp/8/3q4/8/2N5/PPPP1PPP/R1BQKBNR b KQkq - 1 3" {
		t.Errorf("ply 3 is %+v", f)
	}
	for ply, want := range map[int]string{
		1: "Ply 1, white: pawn e4 to d5, takes pawn, score +0.20, 1.0 seconds.",
		4: "Ply 4, black: queen d5 to a5, 1.0 seconds.",
	} {
		if got := r.Frames[ply].Said; got != want {
			t.Errorf("said %q, want %q", got, want)
		}
	}
	want := []string{
		"3 swing ann changes its mind: +3.00 after +0.20",
		"5 fault time forfeit of bob: 2s passed",
	}
	var got []string
	for _, m := range r.Marks {
		got = append(got, fmt.Sprint(m.Ply, " ", m.Kind, " ", m.Text))
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("marks\n%s", strings.Join(got, "\n"))
	}
	if n := r.Bots[0]; n.Moves != 3 || n.Time != 5*time.Second || n.Longest != 3*time.Second || n.Depth != 4 || n.Nodes != 2000 || n.PerSec != 500 || n.Swings != 1 || n.Score.Score != 5 {
		t.Errorf("the first bot's numbers are %+v", n)
	}
	g.Moves = append(g.Moves, arena.MoveRecord{Move: "e1e5"})
	if _, err := replay.New(lookup(t, "chess"), g, clocks); err == nil || !strings.Contains(err.Error(), "ply 6") {
		t.Errorf("an illegal move: %v", err)
	}
}

// The squares that a move names are where its piece stood and where it stands, in
// every game that names two.
func TestSquares(t *testing.T) {
	names := append(games.All().Names(), "breakthrough:26x26", "breakthrough:3x12")
	rapid.Check(t, func(rt *rapid.T) {
		pos := lookup(rt, rapid.SampledFrom(names).Draw(rt, "game")).Start()
		for range rapid.IntRange(0, 40).Draw(rt, "plies") {
			legal := pos.Legal(nil)
			if len(legal) == 0 {
				return
			}
			m := rapid.SampledFrom(legal).Draw(rt, "move")
			text := string(pos.AppendMove(nil, m))
			before := pos.Board()
			turn := pos.Turn()
			pos.Play(m)
			from, to, _ := replay.Squares(text, before.Cols, before.Rows)
			if from < 0 || to < 0 {
				rt.Fatalf("%s names no squares", text)
			}
			if before.Cells[from].Side != turn {
				rt.Fatalf("%s: no piece of the mover on %s", text, replay.SquareName(from, before))
			}
			if !strings.HasPrefix(text, replay.SquareName(from, before)+replay.SquareName(to, before)) {
				rt.Fatalf("%s is read as %d to %d", text, from, to)
			}
		}
	})
	for move, want := range map[string][2]int{"c2": {-1, 5}, "drop": {-1, -1}, "": {-1, -1}, "a9": {-1, -1}, "a1z9": {-1, 6}, "a1b2=q": {6, 4}} {
		from, to, _ := replay.Squares(move, 3, 3)
		if [2]int{from, to} != want {
			t.Errorf("%q names %d and %d, want %v", move, from, to, want)
		}
	}
}

func TestDescribe(t *testing.T) {
	game := lookup(t, "owlman")
	pos, err := game.Parse("O7/8/8/8/8/8/8/5H1D w")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := replay.Describe(game, pos.Board()), "Doc: helper f1, Doc h1. Owlman: Owlman a8."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Each line of a dialogue belongs to one ply, also of one whose middle is missing.
func TestDialogue(t *testing.T) {
	var full []string
	full = append(full, "0.000001 > ann: uginewgame", "0.0 < ann: readyok")
	for ply := 1; ply <= 6; ply++ {
		bot := []string{"ann", "bob: x"}[(ply+1)%2]
		full = append(full,
			fmt.Sprintf("%d.1 > %s: position startpos moves %d", ply, bot, ply),
			fmt.Sprintf("%d.1 > %s: go movetime 5", ply, bot),
			fmt.Sprintf("%d.2 < %s: info depth %d", ply, bot, ply),
			fmt.Sprintf("%d.3 < %s: bestmove m%d", ply, bot, ply))
	}
	full = append(full, "7.0 < ann: good game")
	cut := append(append([]string{}, full[:8]...), "... (the middle is left out)")
	cut = append(cut, full[20:]...) // from the info of ply 5 on
	for name, log := range map[string][]string{"full": full, "cut": cut} {
		for ply := range 8 {
			got, err := replay.Dialogue(strings.NewReader(strings.Join(log, "\n")+"\n"), [2]string{"ann", "bob: x"}, ply, 6)
			if err != nil {
				t.Fatal(err)
			}
			text := strings.Join(got, "|")
			switch {
			case ply == 0:
				if text != strings.Join(full[:2], "|") {
					t.Errorf("%s: ply 0 is %s", name, text)
				}
			case ply == 7:
				if text != "7.0 < ann: good game" {
					t.Errorf("%s: ply 7 is %s", name, text)
				}
			case name == "full" || ply == 1 || ply == 6:
				if text != strings.Join(full[4*ply-2:4*ply+2], "|") {
					t.Errorf("%s: ply %d is %s", name, ply, text)
				}
			}
		}
	}
}
