// Package arena holds the domain types: an [Event], the [Bot]s that enter it, the
// record of a [Game] between two of them, and the [Link] to a running bot. What is done
// with them is in the packages below this one; this one imports only the rules engine's
// types.
package arena

import (
	"fmt"
	"strings"
	"time"

	"botarena/engine"
)

// An Event is the configuration of a competition: who plays what, how often and how
// fast. Package arena/config reads it from YAML. The tags of its fields say what each
// of them is in an event file: see [Setting].
type Event struct {
	Name string `key:"event"`
	Game string `key:"game"` // canonical name of the game
	// Rules is the program that knows the game's rules; nil for a game that arena
	// knows. Of a Bot's fields it has those whose tag says "rules": see arena/rules.
	Rules  *Bot
	Format Format `key:"format" default:"round-robin"` // see package schedule
	// Rounds counts pairs of games a pairing; rounds of a Swiss event; pairs a match
	// of a knockout.
	Rounds   int         `key:"rounds" range:"1..1000000" default:"1"`
	Cycles   int         `key:"cycles" range:"1..1000" default:"1"` // how often the whole schedule is repeated
	Gauntlet Gauntlet    `key:"gauntlet"`
	Knockout Knockout    `key:"knockout"`
	Ladder   Ladder      `key:"ladder"`
	Race     Race        `key:"race"`
	Tune     Tune        `key:"tune"`
	SPRT     *SPRT       `key:"sprt"`                // ends a match as soon as its results decide this test; nil: plays all rounds
	Swap     bool        `key:"swap" default:"true"` // side-swapped pairs from one opening; false: single games
	Seed     uint64      `key:"seed"`
	Openings Openings    `key:"openings"`
	Clock    TimeControl `key:"clock"` // of every bot that names none of its own
	// Concurrency is the number of games played at once; 0 is auto.
	Concurrency int          `key:"concurrency,aside" range:"1..4096" zero:"auto"`
	MaxPlies    int          `key:"max_plies,positive" range:"1..1000000"` // move limit; 0 is the game's own
	Adjudicate  Adjudication `key:"adjudicate"`
	Elo         Elo          `key:"elo"`
	// League names the events of a game that are rated together; "" stands for all with
	// the same clock.
	League string `key:"league,omit,aside"`
	// LinkVersions links the ratings of a bot's versions; "on" in leagues.
	LinkVersions LinkVersions  `key:"link_versions,omit,aside"`
	Pin          Pin           `key:"pin,aside" words:"auto on off" default:"auto"`
	Grace        time.Duration `key:"grace,aside" range:"0s..24000h" default:"2s"`                // how long a bot gets to quit, and games in progress get after the first Ctrl-C
	Handshake    time.Duration `key:"handshake,positive,aside" range:"1ns..24000h" default:"10s"` // how long a bot has for the handshake; 0 is the default, too
	// MaxFaults is the number of games in a row that a bot may lose by faults other
	// than time before it is withdrawn; 0 is no limit.
	MaxFaults   int   `key:"max_faults,usual,aside" range:"0..1000000" default:"10"`
	Ponder      bool  `key:"ponder,omit"`                                  // bots think while the other is to move, on cores of their own
	Suspend     bool  `key:"suspend,omit"`                                 // a bot is stopped while the other is to move; not with Ponder
	Scale       Scale `key:"scale,omit" words:"none measured" zero:"none"` // clocks of machines of a fleet by their speed
	LogProtocol bool  `key:"log,aside" words:"none protocol"`              // keep each game's whole dialogue
	Bots        []Bot `key:"bots"`
}

// A Format selects how the pairings of an event are chosen: package schedule has all of
// them.
type Format string

// The orders of a book's openings.
const (
	OrderSequential = "sequential"
	OrderShuffled   = "shuffled"
)

// The policies of openings. By event, each pair of games takes the next one. By round, all
// pairings of a round play the same; by pairing, each plays the same ones over the event.
const (
	PolicyEvent   = "event"
	PolicyRound   = "round"
	PolicyPairing = "pairing"
)

// Openings say where games start from. At most one of Random, File and Balanced
// is set; with none, games start from the game's own start.
type Openings struct {
	Random   int       `key:"random,omit" range:"0..1000"` // plies of random legal moves
	File     string    `key:"file,omit,path"`              // a book
	SHA256   string    `key:"sha256,omit"`                 // of File's contents when the event began; "" if that is not known
	Balanced *Balanced `key:"balanced"`                    // random openings that a bot scores as level
	Order    string    `key:"order" words:"sequential shuffled" default:"sequential" with:"file balanced"`
	Start    int       `key:"start" range:"1..1000000" default:"1" with:"file balanced"` // 1-based line of a book to begin at
	Plies    int       `key:"plies,positive" range:"1..1000" with:"file"`                // of File's openings, so many at most; 0: all, and 16 of a Polyglot book
	Policy   string    `key:"policy,omit" words:"event round pairing" zero:"event"`      // which pairs of games share an opening
}

// Balanced asks for random openings that a bot scores within a window.
type Balanced struct {
	Plies  int    `key:"plies" range:"1..1000" default:"8"`      // of random moves
	Bot    string `key:"bot" default:"minimax"`                  // a built-in bot
	Depth  int    `key:"depth" range:"1..100" default:"4"`       // its depth
	Window int    `key:"window" range:"0..1000000" default:"50"` // widest accepted |score| in centipawns
	Count  int    `key:"count" range:"1..100000" default:"100"`  // how many to make
}

// A TimeControl limits one bot's thinking time. At least one of Move, Base, Nodes and
// Depth is set; times may be combined with Nodes or Depth.
type TimeControl struct {
	Move      time.Duration `key:"move,positive" range:"1ns..24000h"` // fixed time a move
	Base      time.Duration `key:"base,positive" range:"1ns..24000h"` // time for Moves moves, or for the game
	Increment time.Duration `key:"increment,omit" range:"0s..24000h"` // added after each move
	Moves     int           `key:"moves,positive" range:"1..1000000"` // moves in Base (cyclic); 0: the whole game
	Nodes     int64         `key:"nodes,positive" range:"1..9007199254740992"`
	Depth     int           `key:"depth,positive" range:"1..1000"`
	Margin    time.Duration `key:"margin" range:"0s..24000h" default:"50ms"` // overstepping that is forgiven; it is not added to the clock
}

// Scaled returns the clock with its times, but for the margin, multiplied by a factor.
// They stay whole milliseconds, the unit that bots are sent, and at least one.
func (c TimeControl) Scaled(factor float64) TimeControl {
	for _, t := range []*time.Duration{&c.Move, &c.Base, &c.Increment} {
		if *t > 0 {
			*t = max(time.Duration(float64(*t)*factor).Round(time.Millisecond), time.Millisecond)
		}
	}
	return c
}

// Clocks returns the clocks of a game of the event, the first side's first: a bot's own
// clock or the event's, scaled where the event says so.
func (e *Event) Clocks(g *Game) [2]TimeControl {
	var clocks [2]TimeControl
	for side, name := range []string{g.First, g.Second} {
		clocks[side] = e.Clock
		if i := BotIndex(e.Bots, name); i >= 0 {
			clocks[side] = e.ClockOf(&e.Bots[i])
		}
		if e.Scale == ScaleMeasured && g.Worker != "" && g.Factor > 0 {
			clocks[side] = clocks[side].Scaled(g.Factor)
		}
	}
	return clocks
}

// ClockOf returns the time control of a bot of the event: its own, or the event's.
func (e *Event) ClockOf(b *Bot) TimeControl {
	if b.Clock != nil {
		return *b.Clock
	}
	return e.Clock
}

// Timed reports whether the clock limits time.
func (c TimeControl) Timed() bool { return c.Move > 0 || c.Base > 0 }

// A Bot is a program that enters an event, as its entry describes it.
type Bot struct {
	Name     string   `key:"name"`
	Builtin  string   `key:"builtin,omit"`                            // name of a built-in bot; "" for a program
	Command  []string `key:"command,omit,command,program,rules,team"` // the program and its first arguments; found relative to Dir
	Args     []string `key:"args,omit,program"`                       // appended to Command
	Dir      string   `key:"dir,omit,path,aside,rules"`               // working directory, absolute once read from a file
	Env      []string `key:"env,omit,rules"`                          // "K=V", added to the environment
	Build    []string `key:"build,omit,command,team"`                 // command run once in Dir before the event
	Options  []Option `key:"options,omit,rules,team"`                 // sent as setoption, in this order
	Protocol Protocol `key:"protocol,team" words:"auto ugi uci xboard" default:"auto"`
	Threads  int      `key:"threads" range:"1..4096" default:"1"` // cores that it wants
	Limits   Limits   `key:"limits,rules"`
	Sandbox  Sandbox  `key:"sandbox,rules" words:"none limits strict" default:"none"`
	// SandboxRead lists what a strict sandbox shows beside what Command and Args
	// name: files and folders, relative to Dir ("." is all of it) or to the user's
	// home ("~/").
	SandboxRead []string `key:"sandbox_read,aside,rules"`
	// Within, if it is not nil, holds the folders outside of which a strict sandbox
	// shows nothing that the bot's entry or its files name. A worker sets it for bots
	// of other people's events; it is no part of an entry.
	Within  []string
	Restart Restart `key:"restart" words:"never on-fault every-game" default:"on-fault"`
	// Travel selects how workers on other machines obtain the bot.
	Travel  Travel       `key:"fleet,omit,aside" words:"bundle installed" zero:"bundle"`
	Version string       `key:"version,omit,rules"`             // free text; part of the fingerprint where set
	Clock   *TimeControl `key:"clock"`                          // its own clock (odds); nil: the event's
	Seed    int          `key:"seed,positive" range:"1..10000"` // knockout seeding; 0: by order of entry
	// Replaces names earlier versions of the bot. Those that play in the event are
	// withdrawn when it enters; their games stay theirs.
	Replaces []string `key:"replaces,omit,aside"`
	// Withdrawn bots play no more games; those that they played stay.
	Withdrawn bool `key:"withdrawn,omit"`
	// Fingerprint identifies this version of the bot: see package arena/process.
	Fingerprint string
}

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
	Memory    int64         `key:"memory,positive,size" range:"1..9007199254740992"`    // bytes of data (RLIMIT_DATA)
	Processes int           `key:"processes,positive" range:"1..1000000"`               // processes and threads
	CPUTime   time.Duration `key:"cpu_time,positive" range:"1ns..24000h"`               // of the whole process life
	FileSize  int64         `key:"file_size,positive,size" range:"1..9007199254740992"` // bytes of the largest file it writes
}

// Below returns the stricter of both limits, field by field.
func (l Limits) Below(other Limits) Limits {
	return Limits{
		Memory: least(l.Memory, other.Memory), Processes: least(l.Processes, other.Processes),
		CPUTime: least(l.CPUTime, other.CPUTime), FileSize: least(l.FileSize, other.FileSize),
	}
}

// least returns the smaller of two limits, of which 0 is none.
func least[T int | int64 | time.Duration](a, b T) T {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// A Sandbox selects how far a bot is isolated from the machine.
type Sandbox string

// The sandboxes: see package arena/process.
const (
	SandboxNone   Sandbox = "none"
	SandboxLimits Sandbox = "limits"
	SandboxStrict Sandbox = "strict"
)

// A Scale selects how clocks are adjusted to the speed of a fleet's machines.
type Scale string

// The ways to scale clocks.
const (
	ScaleNone     Scale = ""         // they are the same everywhere
	ScaleMeasured Scale = "measured" // a machine of half the speed gives twice the time
)

// A Travel selects how a worker on another machine obtains a bot.
type Travel string

// The ways to travel: TravelBundle sends what the bot's entry names; TravelInstalled
// expects a bot with the same fingerprint on the worker.
const (
	TravelBundle    Travel = ""
	TravelInstalled Travel = "installed"
)

// A Restart selects when a bot's process is restarted.
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
	Resign Resigning `key:"resign,omit"`
	Draw   Drawing   `key:"draw,omit"`
	Tables bool      `key:"tables,omit"` // by the tables of `arena solve`, if they know the winner
}

// Resigning ends games that are lost by the bots' own scores.
type Resigning struct {
	Score int  `key:"score,positive,needed" range:"1..1000000"` // centipawns below which a bot is lost; 0: off
	Moves int  `key:"moves" range:"1..1000000" default:"3"`     // for so many of its moves in a row
	Both  bool `key:"both"`                                     // the winner's score must agree (twosided)
}

// Drawing ends games that are level by the bots' own scores.
type Drawing struct {
	Score int `key:"score,needed" range:"0..1000000"` // centipawns within which both are level
	Moves int `key:"moves,needed" range:"1..1000000"` // for so many moves of both in a row; 0: off
	From  int `key:"from" range:"0..1000000"`         // not before this ply
}

// Elo holds the constants of the incremental rating: see package arena/rating.
type Elo struct {
	Start float64 `key:"start" range:"-1e9..1e9" default:"1500"`
	K0    float64 `key:"k" range:"0..1e9" default:"40"`
	KMin  float64 `key:"k_min" range:"0..1e9" default:"10"`
	N0    float64 `key:"n0" range:"0.001..1e9" default:"30"`
}

// A Result is the result of a game from the first side's view, written as in PGN.
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

// Score returns the first side's score: 1, 1/2 or 0; ok is false for Unplayed.
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

// A Reason classifies how a game ended; the record's detail says more.
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

// AtLimit returns the result and the detail of a game that has reached its move limit.
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

// A Game is one row of the record, planned first and played later. A pair is two games
// of the same two bots from one opening, with sides swapped.
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
	// Options are set for this game alone, of the first and the second bot, in the
	// order of their names. They replace those of the bots' entries.
	Options [2][]Option

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
	// Worker names the machine of a fleet that played the game, "" for the
	// coordinator's own; Factor is its time per unit of work relative to the
	// coordinator's, 0 if it was not measured.
	Worker string
	Factor float64
}

// An Opening holds where a game starts: a position (the game's own start if Position is
// "") and moves from there.
type Opening struct {
	Name     string   `json:"name,omitempty"` // of the book line; "" for none
	Position string   `json:"position,omitempty"`
	Moves    []string `json:"moves,omitempty"`
}

// A MoveRecord is one move with the search facts that its bot reported.
type MoveRecord struct {
	Move     string
	Time     time.Duration // by the referee's clock
	Depth    int
	Nodes    int64
	Score    int  // centipawns for the mover, or moves to mate
	Mate     bool // Score counts moves to mate (negative: being mated)
	HasScore bool
}

// Remarks formats the bot's search facts of the move, and its time, in brackets.
func (m *MoveRecord) Remarks() string {
	parts := []string{fmt.Sprintf("%.3f s", m.Time.Seconds())}
	if m.Depth > 0 {
		parts = append(parts, fmt.Sprintf("depth %d", m.Depth))
	}
	if m.Nodes > 0 {
		parts = append(parts, fmt.Sprintf("%d nodes", m.Nodes))
	}
	switch {
	case m.HasScore && m.Mate:
		parts = append(parts, fmt.Sprintf("mate %d", m.Score))
	case m.HasScore:
		parts = append(parts, fmt.Sprintf("score %+.2f", float64(m.Score)/100))
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// InPawns returns a bot's score of its move in pawns for the mover, "+0.35", or the moves
// to mate, "-M3"; "" if it gave none.
func (m *MoveRecord) InPawns() string {
	switch {
	case !m.HasScore:
		return ""
	case m.Mate && m.Score < 0:
		return fmt.Sprintf("-M%d", -m.Score)
	case m.Mate:
		return fmt.Sprintf("+M%d", m.Score)
	case m.Score == 0:
		return "0.00"
	}
	return fmt.Sprintf("%+.2f", float64(m.Score)/100)
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
