package minimax

import "botarena/engine"

// A Board is a position as the search sees it. [Plain] makes one for any game; a game
// with more knowledge (what is settled beyond its rules, which moves are forced, an
// incremental evaluation) has its own.
type Board interface {
	// Set copies a position.
	Set(engine.Position)
	// Key returns a hash of everything that the value of the position depends on.
	Key() uint64
	// Turn returns the side to move.
	Turn() engine.Side
	// Settled reports whether the value of the position is certain without search: by
	// the rules, since the game is over, or by exact knowledge. The score is for the
	// side to move: Win-n if it wins in at most n plies, n-Win if it loses in at most
	// n, 0 for a draw.
	Settled() (score int, ok bool)
	// Moves appends the moves to be searched in a position that is not settled: all
	// legal ones, or fewer if the others are known to be worse. With noisy, only those
	// that change the balance at once, for the search at the leaves.
	Moves(dst []Candidate, noisy bool) []Candidate
	// Play makes a legal move, Undo takes the last one back.
	Play(engine.Move)
	Undo()
	// Evaluate evaluates a position that is not settled, in centipawns for the side to
	// move, within MaxEval.
	Evaluate() int
	// Traits returns what the search may assume.
	Traits() Traits
}

// A Passer is a Board on which moving is better than passing in nearly every position,
// so that the search may prune by a null move. Undo takes a Pass back.
type Passer interface{ Pass() }

// A Presser is a Board that knows positions in which the side to move must answer a
// threat, whose evaluation is unreliable: they are searched deeper. Pressed may return
// anything for a settled position.
type Presser interface{ Pressed() bool }

// A Finder is a Board that can check a single move without listing all of them: the
// search tries the move of its table before it generates others.
type Finder interface {
	// Find returns the move as Moves lists it; ok is false if Moves does not.
	Find(engine.Move) (c Candidate, ok bool)
}

// A Candidate is a legal move with its game's knowledge of it.
type Candidate struct {
	Move engine.Move
	// Rank orders moves before the search has seen any: the highest first, within
	// +-8000, and 0 if nothing is known.
	Rank int32
	// Noisy marks a capture or the like.
	Noisy bool
	// Keep marks a move that must not be pruned or reduced.
	Keep bool
	// Forced marks the moves of a position without alternatives: the search at the
	// leaves does not evaluate it before they are played.
	Forced bool
}

// Traits holds what the search may assume of a game.
type Traits struct {
	// Margin is the most that a quiet ply may be worth, in centipawns, for pruning
	// moves that cannot reach a bound near the leaves; 0 prunes none.
	Margin int
	// Late allows pruning late quiet moves near the leaves.
	Late bool
	// Repeats reports that a repeated position counts as a draw.
	Repeats bool
	// Vague reports that the evaluation is unreliable, so that a search may prefer
	// random playouts.
	Vague bool
	// Reduce sets the reduction of late moves: ln(depth)*ln(number)*100/Reduce plies; 0
	// for none.
	Reduce int
}

// MaxEval is the largest evaluation of a position that is not settled, in centipawns.
const MaxEval = 20_000

// Logit is the number of centipawns of a learnt table for a logit of the probability to
// win, which is 1/(1+e^(-score/Logit)).
const Logit = 150

// Plain makes a Board for any game: the rules come from engine.Position, the evaluation
// from evaluate, which scores a position that is not over in centipawns for the side to
// move. mark, if it is not nil, returns the knowledge of a legal move.
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

// ByRule implements Settled by the rules alone.
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

// Clamp bounds an evaluation by MaxEval.
func Clamp(score int) int { return max(-MaxEval, min(MaxEval, score)) }
