package proof_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"botarena/engine"
	"botarena/engine/breakthrough"
	"botarena/engine/breakthrough/exact"
	"botarena/engine/breakthrough/proof"
	"botarena/engine/solve/file"
)

func prove(t testing.TB, cols, rows int) *proof.Proof {
	t.Helper()
	g, err := breakthrough.New(cols, rows)
	if err != nil {
		t.Fatal(err)
	}
	s, err := exact.NewProver(g, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Prove(context.Background(), g, 3, file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func written(t testing.TB, p *proof.Proof) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := p.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A proof comes back from its file, and each byte that was changed is found out.
func TestFile(t *testing.T) {
	was := prove(t, 4, 4)
	data := written(t, was)
	p, err := proof.Read(data)
	if err != nil || p.Cols != 4 || p.Rows != 4 || p.Winner != was.Winner || p.Answers() != was.Answers() || p.Answers() == 0 {
		t.Fatalf("read back: %+v, %v", p, err)
	}
	if _, err := p.Check(context.Background(), nil); err != nil {
		t.Error(err)
	}
	var damaged *file.DamagedError
	for at := range data {
		changed := bytes.Clone(data)
		changed[at] ^= 1
		if _, err := proof.Read(changed); !errors.Is(err, file.ErrVersion) && !errors.As(err, &damaged) {
			t.Fatalf("byte %d changed: %v", at, err)
		}
	}
	for n := range data {
		if _, err := proof.Read(data[:n]); !errors.Is(err, file.ErrVersion) && !errors.As(err, &damaged) {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
	}
}

// What fits its checksum and is wrong is found out by the replay.
func TestCheckFindsWrong(t *testing.T) {
	check := func(what string, p *proof.Proof, says string) {
		t.Helper()
		p, err := proof.Read(written(t, p))
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if _, err := p.Check(context.Background(), nil); err == nil || !strings.HasPrefix(err.Error(), "wrong proof: ") || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, size := range [][2]int{{4, 4}, {2, 5}} {
		p := prove(t, size[0], size[1])
		for i := range p.Answers() {
			check("an answer is missing", p.Edited(i, -1, -1), "the proof has no answer")
			check("an answer is illegal", p.Edited(-1, i, -1), "its answer is no legal move")
		}
		check("an answer too many", p.Edited(-1, -1, 0), "no line reaches 1 of its ")
		other := *p
		other.Winner = p.Winner.Other()
		check("the wrong winner", &other, " ")
		shallow := *p
		shallow.Plies = 1
		check("searches too shallow", &shallow, "no win within 1 ply")
	}
}

// What a proof tells of a position is so, and it tells enough to play by: its winner,
// who keeps to what is known, is never at a loss.
func TestSide(t *testing.T) {
	for _, size := range [][2]int{{4, 4}, {3, 5}} {
		p := prove(t, size[0], size[1])
		g, err := breakthrough.New(size[0], size[1])
		if err != nil {
			t.Fatal(err)
		}
		table, err := exact.Solve(context.Background(), g, file.Options{Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		known := 0
		look := func(pos *breakthrough.Position) engine.Side {
			side := p.Side(pos)
			want, err := table.Winner(pos)
			if err != nil || side != engine.NoSide && side != want {
				t.Fatalf("%s: side %d wins by the proof, %d by the table, %v", pos, side, want, err)
			}
			if side != engine.NoSide {
				known++
			}
			return side
		}
		for range 200 {
			look(exact.Draw(g, rng))
		}
		for range 5 {
			pos := g.Start().(*breakthrough.Position)
			for !pos.Outcome().Over {
				if look(pos) != p.Winner {
					t.Fatalf("%s: not the winner's, though he plays by the proof", pos)
				}
				moves := pos.Legal(nil)
				rng.Shuffle(len(moves), func(i, j int) { moves[i], moves[j] = moves[j], moves[i] })
				for i, m := range moves {
					mine := pos.Turn() == p.Winner
					pos.Play(m)
					if !mine || look(pos) == p.Winner || i == len(moves)-1 {
						break
					}
					pos.Undo()
				}
			}
			if pos.Outcome().Winner != p.Winner {
				t.Fatalf("%s: lost", pos)
			}
		}
		if known < 100 {
			t.Errorf("%dx%d: only %d positions were known", size[0], size[1], known)
		}
	}
}

func TestCheckIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := prove(t, 3, 6)
	if _, err := p.Check(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(written(f, prove(f, 2, 4)))
	f.Fuzz(func(_ *testing.T, data []byte) {
		if p, err := proof.Read(data); err == nil && p.Cols*p.Rows <= 12 {
			_, _ = p.Check(context.Background(), nil)
		}
	})
}
