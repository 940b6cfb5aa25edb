// Package engine holds the rules of the games that arena referees.
//
// It defines [Game], [Position] (a state of play), [Move] and [Outcome]; each game is
// one package below this one, and package botarena/engine/games lists them all. The
// rules are pure: no process, no clock, no terminal, no global state.
//
// A position is played forward and back in place:
//
//	pos := game.Start()
//	moves := pos.Legal(nil)
//	pos.Play(moves[0])
//	if out := pos.Outcome(); out.Over { ... }
//	pos.Undo()
//
// Legal, Play and Undo allocate nothing once their buffers have grown.
// A Position must not be used by several goroutines at once; Clone it.
package engine

// A Side is one of the two players of a game: First moves first from the
// game's own start, Second is the other. A game gives the sides its own names.
type Side int8

// The sides, and the absence of one (a draw, an empty square).
const (
	First  Side = 0
	Second Side = 1
	NoSide Side = -1
)

// Other returns the opponent of s, and NoSide for NoSide.
func (s Side) Other() Side {
	if s == NoSide {
		return NoSide
	}
	return 1 - s
}

// A Move is a small value whose bits belong to its game. It has a meaning only
// together with a position of that game. The zero Move is never a legal move.
type Move uint32

// An Outcome holds whether a game is over, who won and by which rule.
type Outcome struct {
	Over   bool
	Winner Side   // NoSide for a draw, and while the game is not over
	Reason string // the rule that decided, such as "reached home row"; "" while not over
}

// A Game is one game at one size and in one variant. It is immutable and may be
// shared by goroutines.
type Game interface {
	// Name returns the canonical name, such as "breakthrough" or "breakthrough:6x5".
	Name() string
	// SideNames returns the names of First and Second, such as "white" and "black".
	SideNames() [2]string
	// Symmetric reports whether both sides have the same pieces and goals. If it is
	// false (Owlman), results by role matter more than results by side.
	Symmetric() bool
	// MaxPlies returns the default move limit in plies: a game that reaches it is
	// drawn, unless it is Undrawn.
	MaxPlies() int
	// Start returns a new position at the game's own start.
	Start() Position
	// Parse reads a position in the game's text form, history-free. The error is
	// a *PositionError.
	Parse(text string) (Position, error)
}

// Starts is implemented by games that begin from one of several positions, of which
// fair play draws one for each pair of games (Chess960). Start returns one of them.
type Starts interface {
	Game
	// Starts returns their number.
	Starts() int
	// StartAt returns a new position at start n, from 0 on.
	StartAt(n int) Position
}

// Undrawn is implemented by games that need not be drawn at the move limit.
type Undrawn interface {
	Game
	// AtLimit returns the winner at the move limit, NoSide for a draw.
	AtLimit() Side
}

// AtLimit returns the winner of a game that reaches its move limit, NoSide for a draw.
func AtLimit(g Game) Side {
	if u, ok := g.(Undrawn); ok {
		return u.AtLimit()
	}
	return NoSide
}

// MustParse is Parse of a text that the game's own package has made, and panics if that fails.
func MustParse(g Game, text string) Position {
	pos, err := g.Parse(text)
	if err != nil {
		panic(err)
	}
	return pos
}

// A Position is a state of play with its history since Start or Parse.
type Position interface {
	Game() Game
	// Turn returns the side to move (also after the end of the game).
	Turn() Side
	// Ply counts the moves played since Start or Parse.
	Ply() int
	// Legal appends the legal moves to dst and returns it; none once the game is
	// over. The order is fixed for a given position and history.
	Legal(dst []Move) []Move
	// Play makes a move, which must be one of Legal's.
	Play(m Move)
	// Undo takes back the last move played. It panics if Ply is 0.
	Undo()
	// Outcome reports whether and how the game has ended.
	Outcome() Outcome
	// ParseMove reads a move in the game's text form, in any spelling that its
	// rules allow, and returns it only if it is legal here. The error is a
	// *MoveError that says why not.
	ParseMove(text string) (Move, error)
	// AppendMove appends the canonical text of a legal move of this position.
	AppendMove(dst []byte, m Move) []byte
	// AppendText appends the canonical text of the position, which Parse reads.
	AppendText(dst []byte) []byte
	// String returns the canonical text of the position.
	String() string
	// Hash returns a 64-bit key of the placement and the side to move: equal for equal
	// texts, independent of the history.
	Hash() uint64
	// Reversible counts the plies played since the last irreversible move (or since
	// Start or Parse): the text of the position that many plies ago and the moves since
	// then hold everything that the rules need.
	Reversible() int
	// Clone returns an independent copy, history included.
	Clone() Position
	// Board describes the position for drawing.
	Board() Board
}

// Textless is implemented by positions that may lack a text, as in games whose rules
// program writes none: only the moves from the game's own start identify them.
type Textless interface {
	Position
	// FromStart returns these moves; ok is false if the position has a text.
	FromStart() (moves []string, ok bool)
}

// A Board is a picture of a position, for package botarena/engine/draw.
type Board struct {
	Cols, Rows int
	// Cells has Rows*Cols cells, row by row from the top rank, each from file a.
	Cells []Cell
	// Last holds the squares that the last move touched, as indexes into Cells; empty
	// if no move was played.
	Last []int
	// Indent holds the indentation of each row in half squares (Hex); nil for none.
	Indent []int
	// Text holds rows to be shown as they are, for a game whose board has no squares:
	// then Cols is 0 and Cells is empty.
	Text []string
}

// A Cell is one square of a Board.
type Cell struct {
	Piece byte // the letter of the position text, 0 for an empty square
	Side  Side // the owner of the piece, NoSide for an empty square
	Shade Shade
}

// A Shade is the kind of a square, from which its colour follows.
type Shade uint8

// The shades. A goal is a square that belongs to a side (Outwit's corners,
// Owlman's lair); Off is a square that no piece can use (Owlman's dark ones).
const (
	Plain Shade = iota
	Alternate
	FirstGoal
	SecondGoal
	Off
)
