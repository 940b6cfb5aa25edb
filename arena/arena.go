// Package arena holds the words of the domain: what an [Event] is, which [Bot]s
// enter it, what a [Game] between two of them records, and how a bot is reached
// ([Link]). The duties are packages below this one; this one imports only the
// rules engine's types.
package arena

import (
	"fmt"
	"time"

	"botarena/engine"
)

// An Event is what a person asks for: who plays what, how often and how fast.
// Package arena/config reads it from YAML and gives the defaults named here.
type Event struct {
	Name string
	Game string // canonical name of the game
	// Rules is the program that knows the game's rules; nil for a game that arena
	// knows. Of a Bot's fields it has Command, Dir, Env, Options, Limits, Sandbox,
	// SandboxRead, Version and Fingerprint: see arena/rules.
	Rules    *Bot
	Format   Format
	Rounds   int  // round robin, gauntlet, match: pairs of games a pairing; Swiss: rounds; knockout: pairs a match
	Cycles   int  // round robin: how often the whole schedule is repeated (default 1)
	Swap     bool // side-swapped pairs from one opening (default true); false: single games
	Seed     uint64
	Openings Openings
	Clock    TimeControl // of every bot that names none of its own
	// Concurrency is the number of games played at once; 0 is auto.
	Concurrency int
	MaxPlies    int // move limit; 0 is the game's own
	Bots        []Bot

	Gauntlet    Gauntlet
	Knockout    Knockout
	Ladder      Ladder
	SPRT        *SPRT // match of pairs: ends as soon as its results decide this test; nil: plays all rounds
	Adjudicate  Adjudication
	Elo         Elo
	League      string        // events of a game that name the same one are rated together; "" goes by the clock
	Pin         Pin           // CPU pinning (default PinAuto)
	Grace       time.Duration // how long a bot gets to quit, and games in the air get after the first Ctrl-C (default 2s)
	Handshake   time.Duration // how long a bot has for the handshake (default 10s; 0 is the default, too)
	MaxFaults   int           // games in a row that a bot may lose by faults other than time before it plays no more (default 10); 0: any number
	LogProtocol bool          // keep each game's whole dialogue
	Ponder      bool          // bots think while the other is to move, on cores of their own
	Suspend     bool          // a bot is stopped while the other is to move; not with Ponder
	Scale       Scale         // clocks of machines of a fleet by their speed (default ScaleNone)
}

// A Format is how the pairings of an event come about.
type Format string

// The formats.
const (
	FormatRoundRobin Format = "round-robin"
	FormatGauntlet   Format = "gauntlet"
	FormatSwiss      Format = "swiss"
	FormatKnockout   Format = "knockout"
	FormatLadder     Format = "ladder"
	FormatMatch      Format = "match"
)

// Formats lists all formats.
func Formats() []Format {
	return []Format{FormatRoundRobin, FormatGauntlet, FormatSwiss, FormatKnockout, FormatLadder, FormatMatch}
}

// The orders of a book's openings.
const (
	OrderSequential = "sequential"
	OrderShuffled   = "shuffled"
)

// Orders lists the orders of a book's openings.
func Orders() []string { return []string{OrderSequential, OrderShuffled} }

// Choosers lists the ways to choose a ladder's next pair: see arena/rating.
func Choosers() []string { return []string{"information", "thompson"} }

// Models lists the units of a test's hypotheses: see arena/rating.
func Models() []string { return []string{"normalized", "logistic"} }

// Gauntlet is the format's own settings: the first Challengers bots play
// against all the others and not among themselves (default 1).
type Gauntlet struct{ Challengers int }

// Knockout is the format's own settings.
type Knockout struct {
	ThirdPlace bool // the losing semi-finalists play for third place
	TieBreaks  int  // extra pairs played one at a time while a match is level (default 3); then the better seed goes on
}

// Ladder is the format's own settings. It stops at whichever limit comes first.
type Ladder struct {
	Games  int           // 0: no limit
	Time   time.Duration // wall time of play; 0: no limit
	Width  float64       // stop when every 95 % interval is narrower than this many Elo (whole width); 0: never
	Choose string        // one of Choosers (default "information")
}

// SPRT is a sequential probability ratio test of whether the first bot of a match
// is Elo1 stronger than the second (H1) or Elo0 (H0): see arena/rating. Pairs of
// games are its observations.
type SPRT struct {
	Elo0, Elo1  float64 // default 0 and 5
	Alpha, Beta float64 // chance to accept H1 at Elo0, and H0 at Elo1 (default 0.05)
	Model       string  // unit of Elo0 and Elo1, one of Models (default "normalized")
}

// Openings say where games start from. At most one of Random, File and Balanced
// is set; with none, games start from the game's own start.
type Openings struct {
	Random   int       // plies of random legal moves
	File     string    // a book, one opening a line
	SHA256   string    // of File's contents when the event began; "" where that is not known
	Balanced *Balanced // random openings that a bot scores as level
	Order    string    // OrderSequential (default) or OrderShuffled
	Start    int       // 1-based line of a book to begin at (default 1)
	Plies    int       // of File's openings, so many at most; 0: all, and 16 of a Polyglot book
}

// Balanced asks for random openings that a bot scores within a window.
type Balanced struct {
	Plies  int    // of random moves
	Bot    string // a built-in bot (default minimax)
	Depth  int    // its depth (default 4)
	Window int    // widest accepted |score| in centipawns (default 50)
	Count  int    // how many to make (default 100)
}

// A TimeControl is one bot's thinking time. At least one of Move, Base, Nodes and
// Depth is set; times may be joined with Nodes or Depth.
type TimeControl struct {
	Move      time.Duration // fixed time a move
	Base      time.Duration // time for Moves moves, or for the game
	Increment time.Duration // added after each move
	Moves     int           // moves in Base (cyclic); 0: the whole game
	Nodes     int64
	Depth     int
	Margin    time.Duration // overstepping that is forgiven (default 50ms; it is not added to the clock)
}

// Scaled returns the clock with its times, but for the margin, multiplied by a factor.
// They stay whole milliseconds, which is what bots are told, and at least one.
func (c TimeControl) Scaled(factor float64) TimeControl {
	for _, t := range []*time.Duration{&c.Move, &c.Base, &c.Increment} {
		if *t > 0 {
			*t = max(time.Duration(float64(*t)*factor).Round(time.Millisecond), time.Millisecond)
		}
	}
	return c
}

// Clocks are those of a game of the event, the first side's first: a bot's own or the
// event's, scaled where the event says so.
func (e *Event) Clocks(g *Game) [2]TimeControl {
	var clocks [2]TimeControl
	for side, name := range []string{g.First, g.Second} {
		clocks[side] = e.Clock
		if i := BotIndex(e.Bots, name); i >= 0 && e.Bots[i].Clock != nil {
			clocks[side] = *e.Bots[i].Clock
		}
		if e.Scale == ScaleMeasured && g.Worker != "" && g.Factor > 0 {
			clocks[side] = clocks[side].Scaled(g.Factor)
		}
	}
	return clocks
}

// Timed reports whether the clock limits time.
func (c TimeControl) Timed() bool { return c.Move > 0 || c.Base > 0 }

// A Bot is a program that enters an event, as its entry describes it.
type Bot struct {
	Name     string
	Builtin  string   // name of a built-in bot; "" for a program
	Command  []string // the program and its first arguments; found relative to Dir
	Args     []string // appended to Command
	Dir      string   // working directory, absolute once read from a file
	Env      []string // "K=V", added to the environment
	Build    []string // command run once in Dir before the event
	Options  []Option // sent as setoption, in this order
	Protocol Protocol // default ProtocolAuto
	Threads  int      // cores that it wants (default 1)
	Limits   Limits
	Sandbox  Sandbox // default SandboxNone
	// SandboxRead lists what a strict sandbox shows beside what Command and Args
	// name: files and folders, relative to Dir ("." is all of it) or to the user's
	// home ("~/").
	SandboxRead []string
	// Within, where it is not nil, holds the folders outside of which a strict sandbox
	// shows nothing that the bot's entry or its files name. A worker sets it for bots
	// of other people's events; it is no part of an entry.
	Within  []string
	Restart Restart // default RestartOnFault
	// Travel is how workers on other machines get it (default TravelBundle).
	Travel  Travel
	Version string       // free text; part of the fingerprint where set
	Clock   *TimeControl // its own clock (odds); nil: the event's
	Seed    int          // knockout seeding; 0: by order of entry
	// Replaces names earlier versions of the bot. Those that play in the event are
	// withdrawn when it enters; their games stay theirs.
	Replaces []string
	// Withdrawn bots play no more games; those that they played stay.
	Withdrawn bool
	// Fingerprint identifies this version of the bot: see package arena/process.
	Fingerprint string
}

// An Option is a name and a value for setoption.
type Option struct{ Name, Value string }

// A Protocol is the dialect that a bot speaks.
type Protocol string

// The dialects. Auto tries UGI, then UCI, then xboard.
const (
	ProtocolAuto   Protocol = "auto"
	ProtocolUGI    Protocol = "ugi"
	ProtocolUCI    Protocol = "uci"
	ProtocolXBoard Protocol = "xboard"
)

// Limits bound what a bot may use; a zero field is no limit.
type Limits struct {
	Memory    int64         // bytes of data (RLIMIT_DATA)
	Processes int           // processes and threads
	CPUTime   time.Duration // of the whole process life
	FileSize  int64         // bytes of the largest file it writes
}

// Below returns the limits, none of them above that of the other.
func (l Limits) Below(other Limits) Limits {
	return Limits{
		Memory: least(l.Memory, other.Memory), Processes: least(l.Processes, other.Processes),
		CPUTime: least(l.CPUTime, other.CPUTime), FileSize: least(l.FileSize, other.FileSize),
	}
}

// least is the smaller of two limits, of which 0 is none.
func least[T int | int64 | time.Duration](a, b T) T {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// A Sandbox is how far a bot is shut in.
type Sandbox string

// The sandboxes: see package arena/process.
const (
	SandboxNone   Sandbox = "none"
	SandboxLimits Sandbox = "limits"
	SandboxStrict Sandbox = "strict"
)

// A Scale says what becomes of clocks on the machines of a fleet.
type Scale string

// The ways to scale clocks.
const (
	ScaleNone     Scale = ""         // they are the same everywhere
	ScaleMeasured Scale = "measured" // a machine of half the speed gives twice the time
)

// A Travel is how a worker on another machine gets a bot.
type Travel string

// The ways to travel: what its entry names is sent; or it is there, with the same
// fingerprint.
const (
	TravelBundle    Travel = ""
	TravelInstalled Travel = "installed"
)

// A Restart is when a bot's process is started anew.
type Restart string

// The restart policies. With RestartNever a bot that died loses its remaining
// games of that worker as crashes.
const (
	RestartNever   Restart = "never"
	RestartOnFault Restart = "on-fault"
	RestartEvery   Restart = "every-game"
)

// Pin says whether the slot of a game (referee and both bots) is bound to cores.
type Pin string

// The pinning policies. Auto pins where the bots are single-threaded and there
// are as many cores as games at once.
const (
	PinAuto Pin = "auto"
	PinOn   Pin = "on"
	PinOff  Pin = "off"
)

// Adjudication ends games early: by the bots' own scores, or by exact tables. Off
// (zero) by default.
type Adjudication struct {
	ResignScore int  // centipawns below which a bot is lost; 0: off
	ResignMoves int  // for so many of its moves in a row (default 3)
	ResignBoth  bool // the winner's score must agree (twosided)
	DrawScore   int  // centipawns within which both are level; meaningful where DrawMoves > 0
	DrawMoves   int  // for so many moves of both in a row; 0: off
	DrawFrom    int  // not before this ply
	Tables      bool // by the tables of `arena solve`, where they know the winner
}

// Elo is the incremental rating's constants: see package arena/rating.
type Elo struct {
	Start float64 // default 1500
	K0    float64 // default 40
	KMin  float64 // default 10
	N0    float64 // default 30
}

// A Result is how a game ended, from the first side's view, as PGN writes it.
type Result string

// The results; Unplayed is also that of a void game.
const (
	Unplayed   Result = ""
	FirstWins  Result = "1-0"
	SecondWins Result = "0-1"
	Draw       Result = "1/2-1/2"
)

// ResultFor returns the result of a game that winner won; engine.NoSide is a draw.
func ResultFor(winner engine.Side) Result {
	switch winner {
	case engine.First:
		return FirstWins
	case engine.Second:
		return SecondWins
	}
	return Draw
}

// Score is the first side's score: 1, 1/2 or 0; ok is false for Unplayed.
func (r Result) Score() (score float64, ok bool) {
	switch r {
	case FirstWins:
		return 1, true
	case SecondWins:
		return 0, true
	case Draw:
		return 0.5, true
	}
	return 0, false
}

// A Reason is the kind of a game's ending; the record's detail says more.
type Reason string

// The reasons. WinByRule and DrawByRule carry the engine's rule as detail.
const (
	WinByRule     Reason = "win by rule"
	DrawByRule    Reason = "draw by rule"
	MoveLimit     Reason = "move limit"
	Adjudicated   Reason = "adjudication" // by the bots' own scores
	ExactTables   Reason = "exact tables" // which know the winner
	Resign        Reason = "resign"
	TimeForfeit   Reason = "time forfeit"
	IllegalMove   Reason = "illegal move"
	Crash         Reason = "crash"          // the process ended, or could not be started
	Stall         Reason = "stall"          // no handshake, no readyok, input not read, or silent without a clock
	ProtocolError Reason = "protocol error" // garbage, an overlong line, a flood
	Void          Reason = "void"           // nobody's fault: played again, never rated
)

// Reasons lists the reasons that a recorded game can have: all but Void.
func Reasons() []Reason {
	return []Reason{WinByRule, DrawByRule, MoveLimit, Adjudicated, ExactTables, Resign, TimeForfeit, IllegalMove, Crash, Stall, ProtocolError}
}

// AtLimit is how a game ends that has reached its move limit: its result, and a
// detail.
func AtLimit(game engine.Game, plies int) (Result, string) {
	detail := fmt.Sprintf("%d plies", plies)
	winner := engine.AtLimit(game)
	if winner != engine.NoSide {
		detail += fmt.Sprintf("; %s knows no draw, and %s wins", PlainName(game.Name()), game.SideNames()[winner])
	}
	return ResultFor(winner), detail
}

// Forfeit reports whether the reason is a bot's fault.
func (r Reason) Forfeit() bool {
	switch r {
	case TimeForfeit, IllegalMove, Crash, Stall, ProtocolError:
		return true
	}
	return false
}

// A Game is one row of the record: planned first, played later. A pair is two
// games of the same two bots from one opening, with sides swapped.
type Game struct {
	ID      int64
	Event   string
	Number  int    // 1-based, the order of the schedule, which is the order of ratings
	Round   int    // 1-based
	Pair    int    // 1-based number of the pair within the event; single games have one each
	Stage   string // knockout: "quarter-final", "third place", ...; else ""
	Game    string // canonical name of the game
	First   string // name of the bot that plays the first side
	Second  string
	Opening Opening

	Result Result
	Reason Reason // "" while unplayed
	Detail string // the rule, the illegal move, the exit status: a line for a person
	Blame  string // the bot at fault, "" for none
	Plies  int    // plies played by the bots, the opening's not counted
	Moves  []MoveRecord
	Start  time.Time
	Wall   time.Duration
	// CPU is the CPU time that the first and the second bot used during the game.
	CPU [2]time.Duration
	// OffTurn is the part of CPU that each of them used while the other was to
	// move, as far as it was measured: see arena/referee.
	OffTurn  [2]time.Duration
	Attempts int // how often it was void before
	// Worker is the machine of a fleet that played it, "" for the one that runs the
	// event, and Factor how much slower that one is; 0 where it was not measured.
	Worker string
	Factor float64
}

// An Opening is where a game starts: a position (the game's own start where
// Position is "") and moves from there.
type Opening struct {
	Name     string // of the book line; "" for none
	Position string
	Moves    []string
}

// A MoveRecord is one move with what its bot said of it.
type MoveRecord struct {
	Move     string
	Time     time.Duration // by the referee's clock
	Depth    int
	Nodes    int64
	Score    int  // centipawns for the mover, or moves to mate
	Mate     bool // Score counts moves to mate (negative: being mated)
	HasScore bool
}

// A Link is a line channel to a running bot. Only one goroutine uses it.
type Link interface {
	// Write sends complete lines in one write, by the deadline. The error is
	// ErrTimeout (the bot does not read), ErrClosed or another of the pipe's.
	Write(lines []byte, deadline time.Time) error
	// ReadLine returns the next line without its newline (and carriage return),
	// valid until the next call. The error is ErrTimeout at the deadline,
	// ErrClosed at the end of the bot's output, ErrLineTooLong for a line over
	// the limit, ErrFlood where more bytes came since the last Reset than allowed.
	ReadLine(deadline time.Time) ([]byte, error)
	// Reset begins a new count of bytes for ErrFlood: called before each request.
	Reset()
}
