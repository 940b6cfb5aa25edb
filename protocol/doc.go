// Package protocol reads and writes the lines that arena and a bot exchange: UGI, the
// Universal Game Interface, its chess dialect UCI, and xboard, which older chess
// engines speak. It implements both ends of the first two and arena's end of the third.
// It knows no process and no clock. This comment is the specification.
//
// # Lines
//
// A bot is a program that reads lines from its standard input and writes lines
// to its standard output. A line ends with a newline; a carriage return before
// it is ignored. A line has at most [MaxLine] bytes (64 KiB), the newline not
// counted; a longer one is a protocol error. Lines are UTF-8 without NUL bytes:
// a NUL byte anywhere is a protocol error, and so is invalid UTF-8, except in
// the free text of id and info lines, where old programs write Latin-1.
//
// A line consists of words that are separated by blanks (spaces and tabs, any
// number; also before the first and after the last word). Words are
// case-sensitive, apart from option names and the values of check and combo
// options. The first word decides what a line is. A line whose first word is
// none of those below is chatter: it is ignored, and it is not an error.
// (UCI lets a reader skip unknown words until it finds a known one. Neither end
// does that here: "my bestmove is a2a3" is chatter, not an answer.)
// A bot must flush its output after each line.
//
// In the grammar below, capitals stand for a value, brackets for a part that
// may be missing, braces for repetition, and a bar for a choice. N is a decimal
// integer, with a minus sign where a negative value has a meaning; a number
// beyond 64 bits counts as the largest such number. MOVE is one word, the text
// of a move in the game that is played. POSITION is the text of a position in
// that game; it may contain blanks, but not the word "moves".
//
// # From arena to bot
//
//	ugi                                       UCI: uci
//	setoption name NAME [value VALUE]
//	isready
//	uginewgame                                UCI: ucinewgame
//	position startpos|fen POSITION [moves MOVE {MOVE}]
//	legal MOVE {MOVE}
//	query FACT [ARGUMENT]
//	go {LIMIT}
//	stop
//	ponderhit
//	quit
//
// with, after go, any of
//
//	p1time N   p2time N                       UCI: wtime N   btime N
//	p1inc N    p2inc N                        UCI: winc N    binc N
//	movestogo N
//	movetime N
//	depth N
//	nodes N
//	infinite
//	ponder
//
// ugi opens the conversation, once. The bot answers with id and option lines in
// any order and ends them with ugiok.
//
// setoption sets an option that the bot declared, before the first isready and
// between games only. NAME and VALUE may contain blanks; NAME does not contain
// the word "value". A button has no value, and the empty string is written
// "<empty>".
//
// isready asks the bot to finish what it is busy with, other than thinking,
// and to answer readyok.
//
// uginewgame says that the next position is of another game. An isready always
// follows it.
//
// position sets the board: the game's own start or POSITION, then the moves
// played from there. It is repeated in full before each go. Arena may begin at
// the position after the last irreversible move, where that says all that the
// rules need, and it does so when the line would grow too long.
//
// legal lists the legal moves of the position just sent, at least one, in no
// promised order. It is sent after each position, and only to a bot that
// declared UGI_LegalMoves.
//
// query asks for a fact of the position just sent: see "Queries" below. Arena
// sends it to programs that know the rules of a game, never to a bot that plays.
//
// go starts the bot's thinking: it owes one bestmove. Times are in
// milliseconds, rounded down but never below 1. p1time and p2time are the
// times left on the clocks of player 1 and 2, p1inc and p2inc what each of
// them gains by a move. Player 1 is the side that moves first from the game's
// own start, whoever moves first here. A player without such a clock has no
// time and no increment on the line. movestogo says how many of the receiver's
// moves the time must last, this one included; without it, it must last for
// the game. movetime is the time for this move. depth and nodes bound the
// search in plies and positions. Where several limits are given each of them
// holds. Without any, or with infinite, the bot thinks until stop; arena sends
// neither in a game. A reader skips words after go that it does not know.
//
// stop ends thinking: the bot answers the go at once with a bestmove. A bot that
// is not thinking ignores it.
//
// go ponder is thinking while the opponent is to move, about the position after
// the move that the bot's own bestmove named behind ponder: the position line ends
// with that move. Its limits are those that will hold at the bot's turn. The bot
// answers only once it has been told how the guess came out: after ponderhit, the
// opponent has played it, and the clock runs since then; after stop, by a bestmove
// that is dropped, and position and go follow. Arena sends go ponder where the
// event has ponder: true, to bots that declare the option Ponder. The time from
// stop to bestmove is the bot's own. An answer before ponderhit or stop counts as
// one that came at the hit. A bot that speaks UCI and has a movetime gets stop,
// position and go after a hit, too: UCI does not say from when movetime counts there.
//
// quit ends the program, as does the end of the input.
//
// # From bot to arena
//
//	id name TEXT
//	id author TEXT
//	option name NAME type check [default true|false]
//	option name NAME type spin [default N] [min N] [max N]
//	option name NAME type combo [default TEXT] {var TEXT}
//	option name NAME type button
//	option name NAME type string [default TEXT]
//	ugiok                                     UCI: uciok
//	readyok
//	response ANSWER
//	info {FACT}
//	bestmove MOVE [ponder MOVE]
//	bestmove (none)
//	bestmove resign
//	resign
//
// with, after info, any of
//
//	depth N   seldepth N   time N   nodes N   nps N   multipv N   hashfull N
//	score cp N|mate N [lowerbound|upperbound]
//	currmove MOVE   currmovenumber N
//	pv MOVE {MOVE}
//	string TEXT
//
// id name and id author describe the program to people.
//
// option declares an option. A spin without min or max has no bound on that
// side. The parts after the type may come in any order, except that a string's
// default extends to the end of the line. "default <empty>" is the empty
// string.
//
// info tells how thinking goes. It never owes or settles anything. depth and
// seldepth are in plies, time in milliseconds since go, nodes in positions, nps
// in positions a second, hashfull in thousandths. score is from the view of the
// side to move: cp in hundredths of a pawn, or of whatever unit the bot counts
// in; mate in the mover's own moves until it wins, negative until it loses.
// string takes the rest of the line and is text for people. Facts with
// unknown names are skipped; a fact whose value cannot be read is left out, and
// reported by [ParseFromBot] as an error that a referee may overlook.
//
// bestmove answers go, once. A word after MOVE other than ponder is ignored. The
// move after ponder is the opponent's that the bot expects. "bestmove (none)",
// "bestmove resign" and "resign" give the game up.
//
// response answers a query, as many lines and in the same order as there were
// queries.
//
// # Queries
//
// A program that answers queries can be the rules of a game that arena does not
// know. UGI itself has three queries; each is about the position sent last:
//
//	query gameover       response true|false      is the game over?
//	query p1turn         response true|false      is player 1 to move? (any answer once it is over)
//	query result         response p1win|p2win|draw|none
//
// and this specification adds one that the rules of a game must answer
//
//	query moves          response MOVE {MOVE}     the legal moves; "response" alone once it is over
//
// and some that they may answer:
//
//	query reason         response TEXT            the rule by which the game ended, such as "four in a row"
//	query why MOVE       response TEXT            why that move is not legal, for people
//	query fen            response POSITION        the position as position fen reads it
//	query board          response ROW, several    a picture of the position, for people
//	query sides          response WORD WORD       what player 1 and player 2 are called, such as "white black"
//	query maxplies       response N               after so many plies a game ends (default 1000)
//	query atlimit        response p1win|p2win|draw  how it ends then (default draw)
//	query symmetric      response true|false      have both players the same pieces and goals? (default true)
//	query starts         response N               from how many positions games begin, where it is more than one
//	query start N        response POSITION        the N-th of them, from 0 on, as position fen reads it
//
// A query that a program does not know is answered with "response unknown", or not
// at all. Once, after the handshake, arena sends each of those that may be answered,
// followed by isready, and takes one without an answer before readyok for unknown.
// After a position line that it cannot read, a program answers every query with
// "response invalid TEXT", which says why.
//
// The rows of a board are words of one sign each, where that is possible: arena can
// draw such a board, with the names of files and ranks, which do not belong into the
// rows. A capital letter is a piece of player 1, a small one of player 2; "." is an
// empty square, "+" and "=" are goals of player 1 and 2, "#" is no square. Rows may
// be indented, as those of Hex are; any other rows are shown as they are.
//
// For each ply arena sends, in one write, position, the queries and isready, and
// reads the answers and readyok: one round trip. Where it knows the next positions
// beforehand (it replays a game, or tries moves), several of these requests come
// behind each other before the first is read. Moves are listed in an order that
// is the same whenever the position comes about by the same moves: random openings
// are drawn from it. The answers must agree with each other: a game that is over has
// a result and no moves, one that is not has moves and the result none. They must
// depend on nothing but the position line. Whatever breaks this is the fault of who
// runs the event, and no bot's.
//
// # Options with a meaning
//
// UGI_Variant (UCI: UCI_Variant), a combo of the names of games that the bot
// plays, or a string where it plays any. Arena sets it to the game of the event,
// its size included (breakthrough:6x6), before the first game, and refuses a bot
// whose list does not contain that. A bot that does not declare it is taken to
// play the event's game, and is not told which it is.
//
// UGI_LegalMoves, a check. Arena sets it to true if declared, and then sends
// legal lines: a bot that uses them needs to know no rules at all.
//
// UCI_Chess960, a check, of chess engines. Arena sets it to true if chess:960
// is played, and the variant option, if declared, to "chess", unless that names
// chess:960 itself. An engine that speaks UCI and has neither is refused.
//
// Ponder, a check. Arena sets it to true if the bot may think while its opponent
// is to move.
//
// Seed, a spin. Before each game, ahead of its uginewgame, arena sets it to a
// number within the declared bounds (from 1 to 2147483647 where none are
// declared), which depends on the seed of the event, the number of the game and
// the side. A bot that draws all its random numbers from it plays the same game
// again, where its moves do not depend on time.
//
// # What each side may count on
//
// The order of a conversation is: ugi, ugiok; any setoption; isready, readyok;
// then for each game setoption name Seed where declared, uginewgame, isready, readyok, and for each move of the bot
// position, legal where asked for, go, bestmove; at last quit. Arena writes
// position, legal and go at once, so that they arrive together.
//
// Between a bestmove and the next go a bot owes nothing and must not send a
// bestmove: one that does, or that sends one before the first go of a game,
// commits a protocol error. Thinking time runs from arena's writing of the go
// line to its reading of the newline after bestmove.
//
// UCI is the same conversation with the words in the right-hand column. Arena
// sends UCI's "legal" only to a bot that declared UGI_LegalMoves there, too. The
// other words of UCI (debug, register, searchmoves, mate,
// copyprotection, registration, refutation, currline, ...) are never sent, and
// ignored where received.
//
// # xboard
//
// The Chess Engine Communication Protocol of Tim Mann and H.G. Muller, version 2,
// and 1 where an engine sends no feature line. It is spoken for chess and, where
// the engine names the variant fischerandom, chess:960. The rules for lines are
// those above, but text in any encoding is let through.
//
// Arena sends xboard and protover 2. The engine has two seconds for its first
// feature line, and with done=0 the time of the handshake for that with done=1.
// Of the features these are used: ping, setboard, san, usermove, time, nps, name,
// reuse (0: a new process for each game), myname, variants, memory, smp, option.
// Each known one is answered by accepted, others by rejected. Without a feature
// line the defaults hold: no ping (the engine is taken to be ready), bare moves,
// and edit for positions, which cannot tell castling rights and en passant.
//
// Options are what the features name: option lines (set by option NAME=VALUE), Hash
// for memory, Threads for smp (cores), Ponder for hard and easy.
//
//	new                                       then variant fischerandom, force,
//	                                          easy or hard, post, [name, computer]
//	ping N                                    for isready
//	setboard FEN, or edit ... .               a position, in force mode
//	usermove M, or M                          a move: two squares, SAN with san=1,
//	                                          O-O and O-O-O in fischerandom
//	level MOVES BASE INC                      a clock, where it changes
//	st N   sd N   nps N                       move time; depth; nodes. Below 1.1 s
//	                                          a move: level and time, as of twelve moves
//	time N   otim N                           before each go, in hundredths
//	draw                                      the opponent offers one
//	go                                        or just the opponent's move
//	?                                         for stop
//	result R {WHY}                            after each game, with force
//	quit
//
// st and level take whole seconds, and engines use all of them. A move time below 1.1 s
// is told as the time of twelve moves; of longer ones 0.1 s is left out, and the rest
// rounded down. Nodes are told
// as st 1 and nps N to an engine that has the feature nps; another one cannot be
// limited so, nor by depth one that refuses sd, and neither is let into an event
// with such a clock.
//
// The engine answers go by move M; of version 1 also by N. ... M, and of version 2
// by "My move is : M". Lines of thinking, PLY SCORE TIME NODES PV, tell scores in
// centipawns, beyond 100000 moves to mate, and times in hundredths. resign gives
// the game up, at once or at the next go. offer draw is passed on to an opponent
// that speaks xboard, and where both bots offer one with moves that follow each
// other, the game is drawn. A claim (1-0 {WHY}, ...) ends nothing, since the rules
// decide: one of its own loss resigns, and another one that stands in the place of
// a move, with none within a second, is a protocol error. So is Illegal move for a
// move that is legal. Other lines are chatter.
//
// # A session
//
// A game of Breakthrough between this bot, player 1, and another. Lines marked >
// go to the bot, lines marked < come from it, and # begins a remark.
//
//	> ugi
//	< id name Pebble 1.2
//	< id author R. Brook
//	< option name UGI_Variant type combo default breakthrough var breakthrough var owlman
//	< option name UGI_LegalMoves type check default false
//	< option name Hash type spin default 16 min 1 max 1024
//	< option name Book File type string default <empty>
//	< ugiok
//	> setoption name UGI_Variant value breakthrough
//	> setoption name UGI_LegalMoves value true
//	> setoption name Hash value 64
//	> isready
//	< allocating 64 MiB              # chatter, ignored
//	< readyok
//	> uginewgame
//	> isready
//	< readyok
//	> position startpos
//	> legal a2a3 a2b3 b2a3 b2b3      # and 18 more
//	> go p1time 10000 p2time 10000 p1inc 100 p2inc 100
//	< info depth 1 score cp 10 nodes 22 time 0 pv b2b3
//	< info depth 6 seldepth 9 score cp 25 nodes 81034 nps 900377 time 90 pv b2b3 g7g6
//	< bestmove b2b3 ponder g7g6
//	                                 # the other bot plays g7f6
//	> position startpos moves b2b3 g7f6
//	> legal a2a3 b3a4 b3b4           # and so on
//	> go p1time 10009 p2time 9310 p1inc 100 p2inc 100
//	< info string the centre is mine
//	< info depth 7 score mate 12 nodes 190200
//	< bestmove b3b4
//	                                 # and so on, until the referee ends the game
//	> uginewgame                     # the next game, perhaps as player 2
//	> isready
//	< readyok
//	                                 # and so on
//	> quit
package protocol
