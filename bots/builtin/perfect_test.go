package builtin

import (
	"context"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"botarena/bots/bottest"
	"botarena/bots/kit"
	"botarena/engine"
	"botarena/engine/owlman"
	"botarena/engine/owlman/exact"
	"botarena/engine/solve"
	"botarena/protocol"
)

// any plays any of the moves: what the tables leave open may not matter.
func anyOf(t *kit.Turn, moves []engine.Move) engine.Move { return moves[t.Rand.IntN(len(moves))] }

// solved computes Owlman's tables of up to two helpers.
func solved(t *testing.T) solve.Dir {
	t.Helper()
	dir := solve.Dir(t.TempDir())
	s, err := dir.Solver(bottest.Open(t, "owlman"), 2, false)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Solve(context.Background(), solve.Options{Threads: 2, Forced: 2, Keep: time.Hour, Now: time.Now, Log: io.Discard}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// drawn is a random position with one or two helpers that is not over.
func drawn(t *testing.T, game engine.Game, rng *rand.Rand) exact.Position {
	t.Helper()
	for {
		// Rows of a8 b8 ... are all light squares a8 c8 ..., b7 d7 ..., of which h1 is Owlman's.
		var b strings.Builder
		at := rng.Perm(32)
		pieces := "ODHH"[:3+rng.IntN(2)]
		for sq := range 32 {
			piece := byte('1')
			if i := slices.Index(at, sq); i < len(pieces) {
				piece = pieces[i]
			}
			b.WriteString([]string{string(piece) + "1", "1" + string(piece)}[sq/4%2])
			if sq%4 == 3 && sq < 31 {
				b.WriteByte('/')
			}
		}
		if last := b.String()[70]; last == 'D' || last == 'H' {
			continue
		}
		pos, err := game.Parse(b.String() + []string{" w", " b"}[rng.IntN(2)])
		if err != nil {
			t.Fatal(err)
		}
		if !pos.Outcome().Over {
			return pos.(exact.Position)
		}
	}
}

// play plays a game of the perfect player against random moves and returns who won.
func play(t *testing.T, p *perfectPlayer, dir solve.Dir, pos engine.Position, side engine.Side, rng *rand.Rand) engine.Side {
	t.Helper()
	for !pos.Outcome().Over {
		if pos.Ply() > 5000 {
			t.Fatalf("no end: %s", pos)
		}
		legal := pos.Legal(nil)
		m := legal[rng.IntN(len(legal))]
		if pos.Turn() == side {
			m = p.choose(kit.NewTurn(pos.Clone(), rng.Uint64(), nil), dir)
		}
		pos.Play(m)
	}
	return pos.Outcome().Winner
}

// Whoever stands to win by the tables wins, whatever the other plays; in daybreak,
// whoever can within the moves that are left.
func TestNeverGivesAWinAway(t *testing.T) {
	dir := solved(t)
	o := &solve.Oracle{Dir: dir}
	defer o.Close()
	p := &perfectPlayer{search: anyOf}
	for _, variant := range []string{"", "daybreak"} {
		game, err := owlman.Family{}.Open(variant)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, uint64(len(variant))))
		won := [2]int{}
		for range 400 {
			pos := drawn(t, game, rng)
			v, err := o.Value(pos)
			if err != nil {
				t.Fatal(err)
			}
			want := v.Winner
			text := pos.String()
			if got := play(t, p, dir, pos, want, rng); got != want {
				t.Errorf("%s %s: side %d wins, want %d (%+v)", game.Name(), text, got, want, v)
			}
			won[want]++
		}
		if min(won[0], won[1]) < 3 {
			t.Errorf("%s: too one-sided to say anything: %v", game.Name(), won)
		}
	}
}

// Without a table it searches, and says so.
func TestSaysWhereTablesEnd(t *testing.T) {
	game, err := owlman.Family{}.Open("")
	if err != nil {
		t.Fatal(err)
	}
	told := ""
	turn := kit.NewTurn(game.Start(), 1, nil)
	turn.OnInfo(func(i protocol.Info) { told += string(i.String) })
	moves := 0
	p := &perfectPlayer{search: func(_ *kit.Turn, m []engine.Move) engine.Move { moves = len(m); return m[0] }}
	if m := p.choose(turn, solve.Dir(t.TempDir())); m == 0 || moves != 9 || !strings.Contains(told, "playing by search: the tables in ") {
		t.Errorf("move %v of %d, told %q", m, moves, told)
	}
}
