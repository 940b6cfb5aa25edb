package protocol

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

// The answers to [QueryResult], and to what a program does not know or cannot read.
const (
	P1Win    = "p1win"
	P2Win    = "p2win"
	DrawGame = "draw"
	NoResult = "none"
	Unknown  = "unknown"
	Invalid  = "invalid" // and why
)
