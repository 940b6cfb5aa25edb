package enginetest

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"botarena/engine"

	"pgregory.net/rapid"
)

func (s *suite) testGame(t *testing.T) {
	name := s.game.Name()
	if name == "" || strings.ContainsAny(name, " \t\n;") {
		t.Errorf("Name = %q: it must be one word", name)
	}
	if sides := s.game.SideNames(); sides[0] == "" || sides[1] == "" || sides[0] == sides[1] {
		t.Errorf("SideNames = %q", sides)
	}
	if s.game.MaxPlies() < 1 {
		t.Errorf("MaxPlies = %d", s.game.MaxPlies())
	}
	a, b := s.game.Start(), s.game.Start()
	want := snap(b)
	if panics(a.Undo) == nil {
		t.Error("Undo at the start does not panic")
	}
	a = s.game.Start()
	if a.Turn() != engine.First || a.Ply() != 0 || a.Outcome().Over {
		t.Errorf("start: turn %d, ply %d, outcome %+v", a.Turn(), a.Ply(), a.Outcome())
	}
	a.Play(a.Legal(nil)[0])
	want.same(t, snap(b), "another Start after a move on the first")
	want.same(t, snap(s.game.Start()), "a new Start")
}

func (s *suite) testPositions(t *testing.T) {
	seeded(t, s.games, func(t *testing.T, seed int) {
		s.walk(seed, detail, func(pos engine.Position) { checkPosition(t, s.game, pos) })
	})
}

// testMoves tries texts of two squares: those of legal moves are accepted, all
// others refused.
func (s *suite) testMoves(t *testing.T) {
	seeded(t, s.games, func(t *testing.T, seed int) {
		rng := rngFor(seed)
		names := squares(s.game.Start().Board())
		s.walk(seed, 150, func(pos engine.Position) {
			texts := make(map[string]engine.Move)
			for _, m := range pos.Legal(nil) {
				texts[moveText(pos, m)] = m
			}
			// All pairs now and then on small boards, else a sample.
			if len(names) <= 100 && rng.IntN(150) == 0 {
				for _, from := range names {
					for _, to := range names {
						s.tryPair(t, pos, texts, from+to)
					}
				}
				return
			}
			for range 40 {
				s.tryPair(t, pos, texts, names[rng.IntN(len(names))]+names[rng.IntN(len(names))])
			}
		})
	})
}

func (s *suite) tryPair(t *testing.T, pos engine.Position, texts map[string]engine.Move, text string) {
	want, legal := texts[text]
	got := checkMove(t, pos, text)
	switch {
	case legal && got != want:
		t.Errorf("%s: ParseMove(%q) = %d, want %d", pos, text, got, want)
	case !legal && got != 0 && !s.spellings:
		t.Errorf("%s: ParseMove accepts %q as %s", pos, text, moveText(pos, got))
	}
}

func (s *suite) testUndo(t *testing.T) {
	seeded(t, s.games, func(t *testing.T, seed int) {
		var before []snapshot
		pos := s.walk(seed, detail, func(pos engine.Position) { before = append(before, snap(pos)) })
		for i := len(before) - 1; ; i-- {
			before[i].same(t, snap(pos), "after Undo")
			if i == 0 {
				break
			}
			pos.Undo()
		}
		// Every branch of a few plies, taken back at once.
		rng := rngFor(seed + 1000)
		for range 20 {
			pos := s.reach(rng)
			want := snap(pos)
			for _, m := range want.legal {
				pos.Play(m)
				if pos.Ply() != want.ply+1 {
					t.Errorf("%s: Ply = %d after a move at ply %d", pos, pos.Ply(), want.ply)
				}
				pos.Undo()
				want.same(t, snap(pos), "after Play and Undo of "+moveText(pos, m))
			}
		}
	})
}

func (s *suite) testClone(t *testing.T) {
	seeded(t, s.games, func(t *testing.T, seed int) {
		rng := rngFor(seed)
		pos := s.reach(rng)
		want := snap(pos)
		clone := pos.Clone()
		want.same(t, snap(clone), "a clone")
		played, _ := Playout(clone, rng, 50, nil)
		want.same(t, snap(pos), "the original after moves on its clone")
		ahead := snap(clone)
		// Moves on the original must not reach the clone's history.
		others, _ := Playout(pos, rng, 50, nil)
		ahead.same(t, snap(clone), "a clone after moves on the original")
		for range played {
			clone.Undo()
		}
		want.same(t, snap(clone), "a clone after its moves were taken back")
		for range others {
			pos.Undo()
		}
		want.same(t, snap(pos), "the original after its moves were taken back")
		// The history comes along: both go back to the start alike.
		for pos.Ply() > 0 {
			pos.Undo()
			clone.Undo()
			snap(pos).same(t, snap(clone), "a clone going back")
		}
		snap(s.game.Start()).same(t, snap(clone), "a clone taken back to the start")
	})
}

// testReversible rebuilds each position from the text that Reversible points to
// and the moves since.
func (s *suite) testReversible(t *testing.T) {
	seeded(t, s.games, func(t *testing.T, seed int) {
		var texts []string
		var moves []engine.Move
		pos, rng := s.game.Start(), rngFor(seed)
		for range detail {
			texts = append(texts, pos.String())
			back := len(texts) - 1 - pos.Reversible()
			if back < 0 {
				t.Fatalf("%s: Reversible = %d at ply %d", pos, pos.Reversible(), pos.Ply())
			}
			again, err := s.game.Parse(texts[back])
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range moves[back:] {
				again.Play(m)
			}
			snap(pos).sameRules(t, snap(again), "rebuilt from "+texts[back])
			legal := pos.Legal(nil)
			if len(legal) == 0 {
				return
			}
			m := legal[rng.IntN(len(legal))]
			moves = append(moves, m)
			pos.Play(m)
		}
	})
}

// testHash wants equal hashes for equal texts and, since a 64-bit key hardly
// ever collides, different hashes for different placements.
func (s *suite) testHash(t *testing.T) {
	byText, byHash := make(map[string]uint64), make(map[uint64]string)
	for seed := range s.games * 4 {
		s.walk(seed, detail, func(pos engine.Position) {
			text, hash := pos.String(), pos.Hash()
			if old, ok := byText[text]; ok && old != hash {
				t.Errorf("%s: hash %x, before %x", text, hash, old)
			}
			byText[text] = hash
			place := placement(pos)
			if old, ok := byHash[hash]; ok && old != place {
				t.Errorf("one hash %x for %s and another placement", hash, text)
			}
			byHash[hash] = place
		})
	}
}

func placement(pos engine.Position) string {
	cells := pos.Board().Cells
	b := make([]byte, 0, len(cells)+1)
	for _, c := range cells {
		b = append(b, c.Piece)
	}
	return string(append(b, byte(pos.Turn())))
}

func (s *suite) testEnd(t *testing.T) {
	seeded(t, s.games, func(t *testing.T, seed int) {
		play := func() (engine.Position, []engine.Move) {
			pos, rng := s.game.Start(), rngFor(seed)
			var line, buf []engine.Move
			for range mostPlies {
				if buf = pos.Legal(buf[:0]); len(buf) == 0 {
					break
				}
				m := buf[rng.IntN(len(buf))]
				line = append(line, m)
				pos.Play(m)
			}
			return pos, line
		}
		pos, line := play()
		if !pos.Outcome().Over {
			t.Fatalf("not over after %d random plies: %s", mostPlies, pos)
		}
		again, line2 := play()
		if !slices.Equal(line, line2) || pos.String() != again.String() {
			t.Error("the same seed gave another game")
		}
		played := struct{ engine.Position }{pos} // not an engine.Perfter, whose draws may go on
		if engine.Perft(played, 0) != 1 || engine.Perft(played, 1) != 0 || len(engine.PerftDivide(pos, 2)) != 0 {
			t.Errorf("%s: a finished game goes on", pos)
		}
		checkPosition(t, s.game, pos)
	})
}

// hostile are texts that a reader must survive.
func hostile() []string {
	return []string{
		"", " ", "/", "\x00", "\xff\xfe", "w", "8", "a1", "a1a", "a0a1", "a1a1", "zz", "é4é5", "a" + strings.Repeat("é", 100), "é/8 w", "8é/8 w", "-", "=", "a2-", "()", "\n",
		"a99999999999999999999a1", "99999999999999999999/8 w", "-1/8 w",
		strings.Repeat("8/", 50_000), strings.Repeat("p", 100_000), strings.Repeat("1", 100_000),
	}
}

func (s *suite) testGarbagePositions(t *testing.T) {
	for _, text := range hostile() {
		checkParse(t, s.game, text)
	}
	Check(t, 8*s.games, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		text := s.reach(rng).String()
		for range 10 {
			checkParse(rt, s.game, mutate(rng, text))
		}
		checkParse(rt, s.game, rapid.StringN(0, 60, 200).Draw(rt, "text"))
	})
}

func (s *suite) testGarbageMoves(t *testing.T) {
	start := s.game.Start()
	for _, text := range hostile() {
		checkMove(t, start, text)
	}
	Check(t, 8*s.games, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 2))
		pos := s.reach(rng)
		for _, m := range pos.Legal(nil) {
			checkMove(rt, pos, mutate(rng, moveText(pos, m)))
		}
		checkMove(rt, pos, rapid.StringN(0, 12, 40).Draw(rt, "text"))
	})
}

// testPerft compares the production counts with the plain one, where that takes
// no more than about 200,000 moves. The positions come without a history, which
// an engine.Perfter leaves out of account.
func (s *suite) testPerft(t *testing.T) {
	rng := rngFor(3)
	positions := []engine.Position{s.game.Start()}
	for range s.games {
		pos, err := s.game.Parse(s.reach(rng).String())
		if err != nil {
			t.Fatal(err)
		}
		positions = append(positions, pos)
	}
	for _, pos := range positions {
		width := uint64(max(1, len(pos.Legal(nil))))
		before := snap(pos)
		for depth, cost := 0, uint64(1); depth <= 4 && cost < 200_000; depth, cost = depth+1, cost*width {
			want := Perft(pos, depth)
			if got := engine.Perft(pos, depth); got != want {
				t.Errorf("%s: engine.Perft(%d) = %d, want %d", pos, depth, got, want)
			}
			var sum uint64
			for i, branch := range engine.PerftDivide(pos, depth) {
				sum += branch.Nodes
				if branch.Move != before.legal[i] {
					t.Errorf("%s: branch %d of PerftDivide is not in the order of Legal", pos, i)
				}
			}
			if depth > 0 && sum != want {
				t.Errorf("%s: PerftDivide(%d) adds up to %d, want %d", pos, depth, sum, want)
			}
		}
		before.same(t, snap(pos), "after Perft")
	}
}

func (s *suite) testAllocations(t *testing.T) {
	if s.allocates {
		return
	}
	pos := s.game.Start()
	src := rand.NewPCG(5, 5)
	rng := rand.New(src)
	var buf []engine.Move
	game := func() {
		src.Seed(5, 5)
		var plies int
		plies, buf = Playout(pos, rng, 2000, buf)
		for range plies {
			pos.Undo()
		}
	}
	game()
	if n := testing.AllocsPerRun(5, game); n != 0 {
		t.Errorf("Legal, Play, Outcome and Undo allocate %v times a game", n)
	}
}
