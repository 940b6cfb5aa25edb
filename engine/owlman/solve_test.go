package owlman

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"botarena/engine"
	"botarena/engine/owlman/board"
)

// A solution tells who can force a win, without the demand to vary, in all
// placements of at most two helpers. Where neither can, play goes on for ever.
//
// This decides the game with the demand, too, for positions without a history.
// If Owlman can force a win he can do so along a way that never meets a position
// twice, where the demand bars nothing. If he cannot, White can avoid loss for
// ever, the demand only takes moves away from Owlman, and no game with it is
// endless: White wins.
type solution struct {
	game *game
	sets []uint32
	set  map[uint32]int
	wins [2][]bool // by side: it can force a win
}

func (s *solution) key(st *state) int {
	n, ok := s.set[st.helpers]
	if !ok {
		panic("too many helpers")
	}
	return ((n*(board.Squares+1)+int(st.doc))*board.Squares+int(st.owl))*2 + int(st.turn)
}

func (s *solution) winner(st state) engine.Side {
	switch k := s.key(&st); {
	case s.wins[engine.First][k]:
		return engine.First
	case s.wins[engine.Second][k]:
		return engine.Second
	}
	return engine.NoSide
}

// whiteWins reports whether White wins with the demand to vary.
func (s *solution) whiteWins(st state) bool { return s.winner(st) != engine.Second }

// solve works back from the ends of the game.
func solve(g *game) *solution {
	s := &solution{game: g, set: map[uint32]int{}}
	add := func(helpers uint32) {
		s.set[helpers] = len(s.sets)
		s.sets = append(s.sets, helpers)
	}
	add(0)
	for a := range uint8(board.Squares) {
		add(board.Bit(a))
		for b := range a {
			add(board.Bit(a) | board.Bit(b))
		}
	}
	total := len(s.sets) * (board.Squares + 1) * board.Squares * 2
	s.wins[0], s.wins[1] = make([]bool, total), make([]bool, total)
	turns := make([]engine.Side, total)
	left := make([]uint8, total) // moves not yet known to lose
	var from, to []uint32        // edges
	var queue []uint32
	p := &position{game: g}
	for _, helpers := range s.sets {
		for doc := range uint8(board.Squares + 1) {
			for owl := range uint8(board.Squares) {
				for turn := engine.First; turn <= engine.Second; turn++ {
					if board.Bit(doc)&helpers != 0 || board.Bit(owl)&helpers != 0 || doc == owl {
						continue
					}
					p.state = state{helpers: helpers, doc: doc, owl: owl, turn: turn}
					k := uint32(s.key(&p.state))
					turns[k] = turn
					if out := p.Outcome(); out.Over {
						s.wins[out.Winner][k] = true
						queue = append(queue, k)
						continue
					}
					moves := p.Legal(nil)
					left[k] = uint8(len(moves))
					for _, m := range moves {
						next := p.state
						g.play(&next, m)
						next.nights = 0
						from = append(from, k)
						to = append(to, uint32(s.key(&next)))
					}
				}
			}
		}
	}
	first := make([]uint32, total+1) // predecessors of k are preds[first[k]:first[k+1]]
	for _, k := range to {
		first[k+1]++
	}
	for k := range total {
		first[k+1] += first[k]
	}
	preds, at := make([]uint32, len(to)), append([]uint32(nil), first...)
	for i, k := range to {
		preds[at[k]] = from[i]
		at[k]++
	}
	for len(queue) > 0 {
		k := queue[0]
		queue = queue[1:]
		winner := engine.First
		if s.wins[engine.Second][k] {
			winner = engine.Second
		}
		for _, prev := range preds[first[k]:first[k+1]] {
			if s.wins[0][prev] || s.wins[1][prev] {
				continue
			}
			if left[prev]--; turns[prev] == winner || left[prev] == 0 {
				s.wins[winner][prev] = true
				queue = append(queue, prev)
			}
		}
	}
	return s
}

func newGame(t *testing.T, variant string) *game {
	t.Helper()
	g, err := Family{}.Open(variant)
	if err != nil {
		t.Fatal(err)
	}
	return g.(*game)
}

func at(t *testing.T, g *game, text string) *position {
	t.Helper()
	pos, err := g.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return pos.(*position)
}

func after(t *testing.T, p *position, move string) state {
	t.Helper()
	m, err := p.ParseMove(move)
	if err != nil {
		t.Fatal(err)
	}
	next := p.state
	p.game.play(&next, m)
	return next
}

// TestFigures proves what the source claims of its three endings.
func TestFigures(t *testing.T) {
	g := newGame(t, "")
	s := solve(g)

	// Fig. 6: Doc b7, helpers a6 c8. White wins wherever Owlman is and whoever is
	// to move, except with Owlman on h1 to move.
	fig6 := at(t, g, "2H5/1D6/H7/8/8/8/8/7O b").state
	for owl := range uint8(board.Squares) {
		if fig6.white()&board.Bit(owl) != 0 {
			continue
		}
		for turn := engine.First; turn <= engine.Second; turn++ {
			st := fig6
			st.owl, st.turn = owl, turn
			if want := owl != board.H1 || turn == engine.First; s.whiteWins(st) != want {
				t.Errorf("Fig. 6, Owlman on %s, side %d to move: White wins %v", squareName(owl), turn, !want)
			}
		}
	}
	// ... where capturing wins as the source plays it, a6b5 being the only way.
	pos := at(t, g, "2H5/1D6/H7/8/8/8/8/7O b")
	for _, move := range []string{"h1a6", "c8d7", "a6b5", "d7c6", "b5e4", "c6d7", "e4f5", "d7c6", "f5g2", "c6d7", "g2h1"} {
		if pos.turn == engine.Second {
			for _, m := range pos.Legal(nil) {
				next := pos.state
				g.play(&next, m)
				text := string(pos.AppendMove(nil, m))
				if wins := !s.whiteWins(next); text == move && !wins || move == "a6b5" && text != move && wins {
					t.Errorf("Fig. 6: after %s Owlman wins %v", text, wins)
				}
			}
		}
		m, err := pos.ParseMove(move)
		if err != nil {
			t.Fatal(err)
		}
		pos.Play(m)
	}

	// Fig. 7: Doc a8, helpers b5 c4, Owlman on h1 to move.
	without := at(t, g, "D7/8/8/1H6/2H5/8/8/7O b")
	if s.winner(without.state) != engine.Second {
		t.Error("Fig. 7 without h3: Owlman does not win")
	}
	st := after(t, without, "h1b5")
	st.turn = engine.Second
	if !s.whiteWins(st) {
		t.Error("Fig. 7 without h3, after h1b5 with Owlman to move: White does not win")
	}
	with := at(t, g, "D7/8/8/1H6/2H5/7H/8/7O b")
	for _, m := range with.Legal(nil) {
		next := with.state
		g.play(&next, m)
		if !s.whiteWins(next) {
			t.Errorf("Fig. 7 with h3: Owlman wins by %s", with.AppendMove(nil, m))
		}
	}
	with.state = after(t, with, "h1b5")
	if !s.whiteWins(after(t, with, "h3g4")) {
		t.Error("Fig. 7 with h3: h3g4 does not win")
	}

	// Fig. 8: Doc a8, helper c8, Owlman b7, White to move: without the demand to
	// vary nobody can force a win, so with it White does.
	fig8 := at(t, g, "D1H5/1O6/8/8/8/8/8/8 w")
	if got := s.winner(fig8.state); got != engine.NoSide {
		t.Errorf("Fig. 8 without the demand to vary: side %d wins", got)
	}
	if !s.whiteWins(fig8.state) {
		t.Error("Fig. 8: White does not win")
	}
	defend(t, s, fig8)
}

// defend plays Fig. 8 by the real rules: White only avoids what loses, Owlman
// also avoids what loses by force, and the demand to vary must decide for White.
func defend(t *testing.T, s *solution, start *position) {
	t.Helper()
	longest, byDemand := 0, 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 8))
		p := start.Clone().(*position)
		for !p.Outcome().Over {
			moves := p.Legal(nil)
			rng.Shuffle(len(moves), func(i, j int) { moves[i], moves[j] = moves[j], moves[i] })
			best := moves[0]
			for _, m := range moves {
				next := p.state
				p.game.play(&next, m)
				next.nights = 0
				if w := s.winner(next); p.turn == engine.First && w != engine.Second || p.turn == engine.Second && w != engine.First {
					best = m
					break
				}
			}
			if p.turn == engine.Second && p.barred != 0 {
				byDemand++
			}
			p.Play(best)
		}
		if out := p.Outcome(); out.Winner != engine.First {
			t.Fatalf("seed %d: %+v after %d plies", seed, out, p.Ply())
		}
		longest = max(longest, p.Ply())
	}
	if byDemand == 0 {
		t.Error("the demand to vary barred nothing")
	}
	t.Logf("longest game %d plies", longest)
}

// TestWhiteCanMove: the rule for White without a move is never needed with at
// most twelve helpers, and is tested with more.
func TestWhiteCanMove(t *testing.T) {
	g := newGame(t, "")
	// White pieces are stuck only where they fill a whole region of the board less
	// Owlman's square and the tower, or stand on the tower with Owlman on g2. If
	// the only small region is a8, with Owlman on b7, then one piece at most can be
	// stuck, and a single White piece means that the game is over.
	for owl := range uint8(board.Squares) {
		rest := ^(board.Bit(owl) | board.Bit(board.H1))
		for rest != 0 {
			region := rest & -rest
			for grown := uint32(0); grown != region; {
				grown = region
				for set := grown; set != 0; set &= set - 1 {
					region |= g.geo.Step[bits.TrailingZeros32(set)] & rest
				}
			}
			if n := bits.OnesCount32(region); n > 1 && n < 29 || n == 1 && (region != board.Bit(board.A8) || owl != board.B7) {
				t.Errorf("Owlman on %s: a region of %d squares", squareName(owl), n)
			}
			rest &^= region
		}
	}
	p := at(t, g, "D7/1O6/8/8/8/8/8/7H w")
	p.helpers = ^(board.Bit(board.A8) | board.Bit(board.B7) | board.Bit(board.H1)) // more helpers than there are
	if out := p.Outcome(); !out.Over || out.Winner != engine.Second || out.Reason != noLegalMove || len(p.Legal(nil)) > 0 {
		t.Errorf("White without a move: %+v", out)
	}
}
