package minimax

import "botarena/engine"

// A Board is a position as the search sees it. [Plain] makes one of any game; a
// game that has more to say (what is settled beyond its rules, which moves are
// forced, an evaluation that is kept up to date) brings its own.
type Board interface {
	// Set takes over a position.
	Set(engine.Position)
	// Key is a hash of all that the value of the position depends on.
	Key() uint64
	// Turn is the side to move.
	Turn() engine.Side
	// Settled reports whether the value of the position is certain without
	// search: by the rules, since the game is over, or by exact knowledge. The
	// score is for the side to move: Win-n where it wins in n plies at most, n-Win
	// where it loses in n at most, 0 for a draw.
	Settled() (score int, ok bool)
	// Moves appends the moves that a position that is not settled leaves to the
	// search: all legal ones, or fewer where the others are known to be worse.
	// With noisy, only those that change the balance at once, for the search at
	// the leaves.
	Moves(dst []Candidate, noisy bool) []Candidate
	// Play makes a legal move, Undo takes the last one back.
	Play(engine.Move)
	Undo()
	// Evaluate judges a position that is not settled in centipawns for the side to
	// move, within MaxEval.
	Evaluate() int
	// Traits tell the search what it may leave out.
	Traits() Traits
}

// A Passer is a Board on which the right to move is worth something in nearly
// every position, so that the search may ask what passing would lead to. Undo
// takes a Pass back.
type Passer interface{ Pass() }

// A Presser is a Board that tells positions in which the side to move must answer a
// threat, so that nothing can be concluded from how it stands: they are searched deeper.
// Others are taken to be at rest. It has to have an answer, of no matter what, for a
// position that is settled, too.
type Presser interface{ Pressed() bool }

// A Finder is a Board that knows a legal move without listing all of them: the search
// tries the move of its table before it asks for others.
type Finder interface {
	// Find returns the move as Moves lists it; ok is false where Moves does not.
	Find(engine.Move) (c Candidate, ok bool)
}

// A Candidate is a legal move with what its game knows of it.
type Candidate struct {
	Move engine.Move
	// Rank orders moves before the search has seen any: the highest first, within
	// +-8000, and 0 for one of which nothing is known.
	Rank int32
	// Noisy marks a capture or the like.
	Noisy bool
	// Keep marks a move that no rule of thumb may leave out or reduce.
	Keep bool
	// Forced marks the moves of a position that leaves no others: the search at the
	// leaves does not judge it before they are played.
	Forced bool
}

// Traits are what the search may take for granted in a game.
type Traits struct {
	// Margin is how many centipawns a quiet ply may be worth, for leaving out moves
	// that cannot reach a bound near the leaves; 0 leaves out none.
	Margin int
	// Late allows leaving out late quiet moves near the leaves.
	Late bool
	// Repeats tells that a position that comes up again is worth a draw, since it leads
	// to one or to where it was left before.
	Repeats bool
	// Vague tells that the evaluation says little, so that a search that can had better
	// play on at random.
	Vague bool
	// Reduce is by how much late moves are reduced: ln(depth)*ln(number)*100/Reduce
	// plies; 0 for none.
	Reduce int
}

// MaxEval bounds what a Board may say of a position that is not settled.
const MaxEval = 20_000

// Logit is how many centipawns a learnt table counts for a logit of the chance to win,
// which is 1/(1+e^(-score/Logit)).
const Logit = 150

// Plain makes a Board of any game: the rules come through engine.Position, the
// judgement through evaluate, which scores a position that is not over in
// centipawns for the side to move. mark, if it is not nil, says what is known of a
// legal move.
func Plain(evaluate func(engine.Position) int, mark func(engine.Position, engine.Move) Candidate, traits Traits) Board {
	return &plainBoard{evaluate: evaluate, mark: mark, traits: traits}
}

type plainBoard struct {
	evaluate func(engine.Position) int
	mark     func(engine.Position, engine.Move) Candidate
	traits   Traits
	pos      engine.Position
	moves    []engine.Move
}

func (b *plainBoard) Set(pos engine.Position) { b.pos = pos }
func (b *plainBoard) Key() uint64             { return b.pos.Hash() }
func (b *plainBoard) Turn() engine.Side       { return b.pos.Turn() }
func (b *plainBoard) Play(m engine.Move)      { b.pos.Play(m) }
func (b *plainBoard) Undo()                   { b.pos.Undo() }
func (b *plainBoard) Traits() Traits          { return b.traits }

func (b *plainBoard) Settled() (score int, ok bool) { return ByRule(b.pos) }

func (b *plainBoard) Evaluate() int { return Clamp(b.evaluate(b.pos)) }

func (b *plainBoard) Moves(dst []Candidate, noisy bool) []Candidate {
	if b.mark == nil && noisy {
		return dst
	}
	b.moves = b.pos.Legal(b.moves[:0])
	for _, m := range b.moves {
		c := Candidate{Move: m}
		if b.mark != nil {
			c = b.mark(b.pos, m)
		}
		if c.Noisy || !noisy {
			dst = append(dst, c)
		}
	}
	return dst
}

// ByRule is Settled by the rules alone.
func ByRule(pos engine.Position) (score int, ok bool) {
	out := pos.Outcome()
	switch {
	case !out.Over:
		return 0, false
	case out.Winner == engine.NoSide:
		return 0, true
	case out.Winner == pos.Turn():
		return Win, true
	}
	return -Win, true
}

// Clamp keeps an evaluation apart from the scores of won games.
func Clamp(score int) int { return max(-MaxEval, min(MaxEval, score)) }
