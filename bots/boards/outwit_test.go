package boards_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"botarena/bots/bottest"
	"botarena/bots/minimax"
	"botarena/engine"
	"botarena/engine/outwit"
)

func outwits() []string { return []string{"outwit", "outwit:jump", "outwit:push"} }

// The board of Outwit lists the legal moves, none of which is noisy; Find knows each
// slide of a soldier as it is listed, and no move that is not.
func TestOutwitMoves(t *testing.T) {
	for _, name := range outwits() {
		game := bottest.Open(t, name)
		b := board(t, game)
		rapid.Check(t, func(rt *rapid.T) {
			pos := bottest.Random(rt, game).(*outwit.Position)
			b.Set(pos)
			if pos.Outcome().Over {
				return
			}
			listed := map[engine.Move]minimax.Candidate{}
			var moves []engine.Move
			for _, c := range b.Moves(nil, false) {
				listed[c.Move] = c
				moves = append(moves, c.Move)
			}
			legal := pos.Legal(nil)
			if slices.Sort(legal); !slices.Equal(legal, slices.Sorted(slices.Values(moves))) {
				rt.Fatalf("%s: lists %d moves of %d", pos, len(moves), len(legal))
			}
			if noisy := b.Moves(nil, true); len(noisy) > 0 {
				rt.Fatalf("%s: %d noisy moves", pos, len(noisy))
			}
			const squares = outwit.Files * outwit.Ranks
			for m := range engine.Move(squares << 7) {
				c, ok := b.(minimax.Finder).Find(m)
				if want, is := listed[m]; ok && (!is || c != want) || !ok && is && pos.Soldiers(pos.Turn()).Has(outwit.From(m)) && slide(pos, m) {
					rt.Fatalf("%s: finds %+v, %v, listed as %+v, %v", pos, c, ok, want, is)
				}
			}
		})
	}
}

// slide reports whether a soldier's legal move is no jump.
func slide(pos *outwit.Position, m engine.Move) bool {
	ends := pos.Ends(pos.Turn(), outwit.From(m))
	return slices.Contains(ends[:], outwit.To(m))
}

// A position is settled where the game is over or a slide ends it, and pressing where the
// enemy's slide would.
func TestOutwitSettled(t *testing.T) {
	found := map[bool]int{}
	for _, name := range outwits() {
		game := bottest.Open(t, name)
		b := board(t, game)
		rapid.Check(t, func(rt *rapid.T) {
			pos := lastChips(rt, game)
			if pos.Outcome().Over {
				return
			}
			b.Set(pos)
			wins := winsBySlide(pos)
			if score, ok := b.Settled(); ok != wins || ok && score != minimax.Win-1 {
				rt.Fatalf("%s: settled as %d, %v, wins at once: %v", pos, score, ok, wins)
			}
			found[wins]++
			text := []byte(pos.String())
			if last := &text[len(text)-1]; *last == 'l' {
				*last = 'd'
			} else {
				*last = 'l'
			}
			other := bottest.Parse(t, name, string(text)).(*outwit.Position)
			if pressed, want := b.(minimax.Presser).Pressed(), !other.Outcome().Over && winsBySlide(other); pressed != want {
				rt.Fatalf("%s: pressed %v, want %v", pos, pressed, want)
			}
		})
	}
	if found[true] == 0 || found[false] == 0 {
		t.Errorf("settled or not: %v", found)
	}
}

// winsBySlide plays each move that is neither a jump nor a push.
func winsBySlide(pos *outwit.Position) bool {
	side := pos.Turn()
	for _, m := range pos.Legal(nil) {
		if pushers, _ := outwit.Pushed(m); pushers > 0 {
			continue
		}
		if outwit.From(m) != pos.King(side) && !slide(pos, m) || jumps(pos, m) {
			continue
		}
		pos.Play(m)
		won := pos.Outcome().Over && pos.Outcome().Winner == side
		pos.Undo()
		if won {
			return true
		}
	}
	return false
}

// jumps reports whether a move of two squares passes a chip.
func jumps(pos *outwit.Position, m engine.Move) bool {
	from, to := outwit.From(m), outwit.To(m)
	files, ranks := to.File()-from.File(), to.Rank()-from.Rank()
	if max(files, -files, ranks, -ranks) != 2 {
		return false
	}
	return pos.PieceAt(outwit.SquareAt(from.File()+files/2, from.Rank()+ranks/2)) != 0
}

// lastChips is a position in which both sides have all but a chip or two at home.
func lastChips(rt *rapid.T, game engine.Game) *outwit.Position {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "chips"), 0))
	const squares = outwit.Files * outwit.Ranks
	var cells [squares]byte
	for side, letters := range [2]string{"SK", "sk"} {
		var home, out []int
		for s := range outwit.Square(squares) {
			switch outwit.CornerOf(s) {
			case engine.Side(side):
				home = append(home, int(s))
			case engine.NoSide:
				out = append(out, int(s))
			}
		}
		rng.Shuffle(len(home), func(i, j int) { home[i], home[j] = home[j], home[i] })
		places := home[:7+rng.IntN(2)]
		for len(places) < 9 {
			if s := out[rng.IntN(len(out))]; cells[s] == 0 && !slices.Contains(places, s) {
				places = append(places, s)
			}
		}
		king := rng.IntN(9)
		for i, s := range places {
			cells[s] = letters[0]
			if i == king {
				cells[s] = letters[1]
			}
		}
	}
	var text []byte
	for rank := outwit.Ranks - 1; rank >= 0; rank-- {
		for file := range outwit.Files {
			c := cells[outwit.SquareAt(file, rank)]
			if c == 0 {
				c = '1'
			}
			text = append(text, c)
		}
		text = append(text, '/')
	}
	text[len(text)-1] = ' '
	pos, err := game.Parse(string(append(text, "ld"[rng.IntN(2)])))
	if err != nil {
		rt.Fatal(err)
	}
	return pos.(*outwit.Position)
}
