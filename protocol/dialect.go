package protocol

// MaxLine is the maximum length of a line in bytes, without its newline.
const MaxLine = 64 << 10

// A Dialect is one of the vocabularies of the protocol.
type Dialect uint8

// The dialects. XBoard is a protocol of its own, for chess engines; functions that need
// words of a dialect use those of UCI for it.
const (
	UGI Dialect = iota
	UCI
	XBoard
)

// String returns "ugi", "uci" or "xboard", which is also the line that opens a
// conversation.
func (d Dialect) String() string {
	switch d {
	case UCI:
		return "uci"
	case XBoard:
		return "xboard"
	}
	return "ugi"
}

// VariantOption returns the name of the option that chooses the game: "UGI_Variant" or
// "UCI_Variant".
func (d Dialect) VariantOption() string {
	if d != UGI {
		return "UCI_Variant"
	}
	return "UGI_Variant"
}

// LegalMovesOption is the name of the option by which a bot asks for legal
// lines, in both dialects.
const LegalMovesOption = "UGI_LegalMoves"

// SeedOption is the name of the option that sets the seed of the bot's random numbers,
// in both dialects.
const SeedOption = "Seed"

// Chess960Option is the name of the option that switches a chess engine to Chess960, in
// both dialects.
const Chess960Option = "UCI_Chess960"

// PonderOption is the name of the option that allows a bot to think while its opponent
// is to move, in both dialects.
const PonderOption = "Ponder"

// The words after bestmove that resign the game.
const (
	NoMove     = "(none)"
	ResignMove = "resign"
)

func (d Dialect) ok() string {
	if d != UGI {
		return "uciok"
	}
	return "ugiok"
}

func (d Dialect) newGame() string {
	if d != UGI {
		return "ucinewgame"
	}
	return "uginewgame"
}

// clockWords returns the words that precede the times and the increments on a go line.
func (d Dialect) clockWords() (times, incs [2]string) {
	if d != UGI {
		return [2]string{" wtime ", " btime "}, [2]string{" winc ", " binc "}
	}
	return [2]string{" p1time ", " p2time "}, [2]string{" p1inc ", " p2inc "}
}

// The facts that a query asks for: see "Queries" in the package comment. The first
// four are what the rules of a game must answer.
const (
	QueryGameOver  = "gameover"
	QueryP1Turn    = "p1turn"
	QueryResult    = "result"
	QueryMoves     = "moves"
	QueryReason    = "reason"
	QueryWhy       = "why"
	QueryFEN       = "fen"
	QueryBoard     = "board"
	QuerySides     = "sides"
	QueryMaxPlies  = "maxplies"
	QueryAtLimit   = "atlimit"
	QuerySymmetric = "symmetric"
	QueryStarts    = "starts"
	QueryStart     = "start"
)

// The answers to [QueryResult], and to queries that a program does not know or cannot
// read.
const (
	P1Win    = "p1win"
	P2Win    = "p2win"
	DrawGame = "draw"
	NoResult = "none"
	Unknown  = "unknown"
	Invalid  = "invalid" // and why
)
