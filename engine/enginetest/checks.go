package enginetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"botarena/engine"
)

// reporter holds the methods that *testing.T and *rapid.T share.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// detail is the number of plies of a game that the costly checks follow.
const detail = 400

func rngFor(seed int) *rand.Rand { return rand.New(rand.NewPCG(uint64(seed), 0x9e3779b9)) }

// walk plays a random game of at most limit plies and calls visit before each
// move and at the end.
func (s *suite) walk(seed, limit int, visit func(pos engine.Position)) engine.Position {
	pos, rng := s.game.Start(), rngFor(seed)
	for ply := 0; ; ply++ {
		visit(pos)
		moves := pos.Legal(nil)
		if len(moves) == 0 || ply == limit {
			return pos
		}
		pos.Play(moves[rng.IntN(len(moves))])
	}
}

// reach goes to a random ply of the first 120 of a random game.
func (s *suite) reach(rng *rand.Rand) engine.Position {
	pos := s.game.Start()
	plies, _ := Playout(pos, rng, 120, nil)
	for range rng.IntN(plies + 1) {
		pos.Undo()
	}
	return pos
}

// A snapshot is all that a position shows.
type snapshot struct {
	text       string
	hash       uint64
	turn       engine.Side
	ply        int
	reversible int
	outcome    engine.Outcome
	legal      []engine.Move
	board      engine.Board
}

func snap(pos engine.Position) snapshot {
	return snapshot{
		text: pos.String(), hash: pos.Hash(), turn: pos.Turn(), ply: pos.Ply(),
		reversible: pos.Reversible(), outcome: pos.Outcome(), legal: pos.Legal(nil), board: pos.Board(),
	}
}

// same compares everything.
func (a snapshot) same(r reporter, b snapshot, when string) {
	r.Helper()
	a.sameRules(r, b, when)
	if !slices.Equal(a.legal, b.legal) {
		r.Errorf("%s: %s: Legal in another order: %v, want %v", when, a.text, b.legal, a.legal)
	}
	if a.ply != b.ply || a.reversible != b.reversible {
		r.Errorf("%s: %s: Ply, Reversible = %d, %d, want %d, %d", when, a.text, b.ply, b.reversible, a.ply, a.reversible)
	}
	if !slices.Equal(a.board.Last, b.board.Last) {
		r.Errorf("%s: %s: Board().Last = %v, want %v", when, a.text, b.board.Last, a.board.Last)
	}
}

// sameRules compares what the rules need, leaving aside counts of plies and order.
func (a snapshot) sameRules(r reporter, b snapshot, when string) {
	r.Helper()
	if a.text != b.text || a.hash != b.hash || a.turn != b.turn {
		r.Errorf("%s: text, hash, turn = %q, %x, %d, want %q, %x, %d", when, b.text, b.hash, b.turn, a.text, a.hash, a.turn)
	}
	if a.outcome != b.outcome {
		r.Errorf("%s: %s: outcome = %+v, want %+v", when, a.text, b.outcome, a.outcome)
	}
	if !slices.Equal(slices.Sorted(slices.Values(a.legal)), slices.Sorted(slices.Values(b.legal))) {
		r.Errorf("%s: %s: legal moves = %v, want %v", when, a.text, b.legal, a.legal)
	}
	if a.board.Cols != b.board.Cols || a.board.Rows != b.board.Rows || !slices.Equal(a.board.Cells, b.board.Cells) {
		r.Errorf("%s: %s: Board differs", when, a.text)
	}
}

// checkPosition holds any position, however it came about, to what each must be.
func checkPosition(r reporter, game engine.Game, pos engine.Position) {
	r.Helper()
	text := pos.String()
	if got := string(pos.AppendText([]byte("x"))); got != "x"+text {
		r.Errorf("AppendText = %q, want x and String %q", got, text)
	}
	if pos.Game().Name() != game.Name() {
		r.Errorf("%s: Game is %q, want %q", text, pos.Game().Name(), game.Name())
	}
	checkOutcome(r, pos)
	checkLegal(r, pos)
	checkBoard(r, pos)
	if pos.Reversible() < 0 || pos.Reversible() > pos.Ply() {
		r.Errorf("%s: Reversible = %d, Ply = %d", text, pos.Reversible(), pos.Ply())
	}

	again, err := game.Parse(text)
	if err != nil {
		r.Errorf("Parse refuses String: %v", err)
		return
	}
	if again.Ply() != 0 || again.Reversible() != 0 {
		r.Errorf("%s: Ply, Reversible after Parse = %d, %d, want 0", text, again.Ply(), again.Reversible())
	}
	if len(again.Board().Last) != 0 {
		r.Errorf("%s: a last move after Parse: %v", text, again.Board().Last)
	}
	// With no reversible move behind it, a position is its text.
	if pos.Reversible() == 0 {
		snap(pos).sameRules(r, snap(again), "after Parse(String)")
		return
	}
	if again.String() != text || again.Hash() != pos.Hash() || again.Turn() != pos.Turn() {
		r.Errorf("Parse(%q): text %q, hash %x, turn %d, want hash %x, turn %d",
			text, again.String(), again.Hash(), again.Turn(), pos.Hash(), pos.Turn())
	}
}

func checkOutcome(r reporter, pos engine.Position) {
	r.Helper()
	out, moves := pos.Outcome(), pos.Legal(nil)
	if out.Over != (len(moves) == 0) {
		r.Errorf("%s: Over is %v with %d legal moves", pos, out.Over, len(moves))
	}
	if out.Over != (out.Reason != "") {
		r.Errorf("%s: Over is %v with reason %q", pos, out.Over, out.Reason)
	}
	if !out.Over && out.Winner != engine.NoSide {
		r.Errorf("%s: winner %d of an unfinished game", pos, out.Winner)
	}
	if turn := pos.Turn(); turn != engine.First && turn != engine.Second {
		r.Errorf("%s: Turn = %d", pos, turn)
	}
}

// checkLegal also holds each legal move to its text's round trip.
func checkLegal(r reporter, pos engine.Position) {
	r.Helper()
	moves := pos.Legal(nil)
	if again := pos.Legal([]engine.Move{7}); len(again) == 0 || again[0] != 7 || !slices.Equal(again[1:], moves) {
		r.Errorf("%s: Legal does not append the same moves again: %v, want %v", pos, again, moves)
	}
	texts := make(map[string]bool, len(moves))
	for i, m := range moves {
		if m == 0 {
			r.Errorf("%s: the zero Move is legal", pos)
		}
		if slices.Contains(moves[:i], m) {
			r.Errorf("%s: %d is twice in Legal", pos, m)
		}
		text := moveText(pos, m)
		if got := string(pos.AppendMove([]byte("x"), m)); got != "x"+text {
			r.Errorf("%s: AppendMove to x = %q, want x%s", pos, got, text)
		}
		if text == "" || texts[text] {
			r.Errorf("%s: two legal moves are written %q", pos, text)
		}
		texts[text] = true
		if got, err := pos.ParseMove(text); err != nil || got != m {
			r.Errorf("%s: ParseMove(%q) = %d, %v, want %d", pos, text, got, err, m)
		}
	}
}

func checkBoard(r reporter, pos engine.Position) {
	r.Helper()
	b := pos.Board()
	if b.Cols < 1 || b.Rows < 1 || len(b.Cells) != b.Cols*b.Rows {
		r.Fatalf("%s: Board is %dx%d with %d cells", pos, b.Cols, b.Rows, len(b.Cells))
	}
	for i, c := range b.Cells {
		if (c.Piece == 0) != (c.Side == engine.NoSide) {
			r.Errorf("%s: cell %d has piece %q of side %d", pos, i, c.Piece, c.Side)
		}
		if c.Shade > engine.Off {
			r.Errorf("%s: cell %d has shade %d", pos, i, c.Shade)
		}
	}
	for _, i := range b.Last {
		if i < 0 || i >= len(b.Cells) {
			r.Errorf("%s: Board().Last has %d, off the board", pos, i)
		}
	}
	if (pos.Ply() > 0) != (len(b.Last) > 0) {
		r.Errorf("%s: at ply %d Board().Last is %v", pos, pos.Ply(), b.Last)
	}
}

// checkParse holds the reader to its contract on any text.
func checkParse(r reporter, game engine.Game, text string) {
	r.Helper()
	pos, err := game.Parse(text)
	if err != nil {
		var bad *engine.PositionError
		if !errors.As(err, &bad) {
			r.Fatalf("Parse(%q): error is a %T, want a *engine.PositionError: %v", text, err, err)
		}
		if bad.Game != game.Name() || bad.Why == "" || bad.Column < 0 || bad.Column > len(text)+1 {
			r.Errorf("Parse(%q): game %q, column %d, why %q", text, bad.Game, bad.Column, bad.Why)
		}
		if strings.ContainsRune(bad.Why, 'Ã') && !strings.ContainsRune(text, 'Ã') {
			r.Errorf("Parse(%q): half a letter in %q", text, bad.Why)
		}
		if len(err.Error()) > 2000 {
			r.Errorf("Parse of %d bytes: an error of %d bytes", len(text), len(err.Error()))
		}
		return
	}
	checkPosition(r, game, pos)
	if panics(pos.Undo) == nil {
		r.Errorf("%s: Undo at ply 0 does not panic", pos)
	}
	if moves := pos.Legal(nil); len(moves) > 0 {
		before := snap(pos)
		pos.Play(moves[len(text)%len(moves)])
		checkPosition(r, game, pos)
		pos.Undo()
		before.same(r, snap(pos), "after Play and Undo")
	}
}

// checkMove holds the move reader to its contract on any text, and returns what
// was read (0 if it was refused).
func checkMove(r reporter, pos engine.Position, text string) engine.Move {
	before := pos.Hash()
	m, err := pos.ParseMove(text)
	if pos.Hash() != before {
		r.Errorf("%s: ParseMove(%q) changed the position", pos, text)
	}
	if err == nil {
		if !slices.Contains(pos.Legal(nil), m) {
			r.Errorf("%s: ParseMove(%q) = %s, which is not legal", pos, text, moveText(pos, m))
		}
		return m
	}
	var bad *engine.MoveError
	if !errors.As(err, &bad) {
		r.Fatalf("%s: ParseMove(%q): error is a %T, want a *engine.MoveError: %v", pos, text, err, err)
	}
	if utf8.ValidString(text) && !utf8.ValidString(err.Error()) {
		r.Errorf("%s: ParseMove(%q): half a letter in %q", pos, text, err)
	}
	if m != 0 || bad.Why == "" || len(err.Error()) > 2000 {
		r.Errorf("%s: ParseMove of %d bytes: move %d, why %q, an error of %d bytes", pos, len(text), m, bad.Why, len(err.Error()))
	}
	return 0
}

func moveText(pos engine.Position, m engine.Move) string { return string(pos.AppendMove(nil, m)) }

// squares lists the names of all squares of the board, file letter and rank.
func squares(b engine.Board) []string {
	names := make([]string, 0, b.Cols*b.Rows)
	for rank := 1; rank <= b.Rows; rank++ {
		for file := range b.Cols {
			names = append(names, string(rune('a'+file))+strconv.Itoa(rank))
		}
	}
	return names
}

// mutate changes text in up to three places.
func mutate(rng *rand.Rand, text string) string {
	const letters = "pPwWsSkKlLdDhHoObB/ 0123456789-=x*()abcdefghijz\x00\xff\n"
	b := []byte(text)
	for range 1 + rng.IntN(3) {
		at := rng.IntN(len(b) + 1)
		switch letter := letters[rng.IntN(len(letters))]; rng.IntN(5) {
		case 0:
			b = slices.Insert(b, at, letter)
		case 1:
			if at < len(b) {
				b = slices.Delete(b, at, at+1)
			}
		case 2:
			if at < len(b) {
				b[at] = letter
			}
		case 3:
			if other := rng.IntN(len(b) + 1); at < len(b) && other < len(b) {
				b[at], b[other] = b[other], b[at]
			}
		case 4:
			if rng.IntN(8) == 0 {
				b = b[:at]
			}
		}
	}
	return string(b)
}

// panics calls f and returns what it panicked with.
func panics(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

func seeded(t *testing.T, n int, f func(t *testing.T, seed int)) {
	t.Helper()
	for seed := range n {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) { f(t, seed) })
		if t.Failed() {
			return
		}
	}
}
