// Package misbehaving implements a bot with faults, for testing programs that run bots.
//
// It speaks UGI and plays the first legal move that it is told (UGI_LegalMoves)
// in any game, except for one fault that it commits at a chosen move of a chosen
// game. Every fault limits itself: the bot and all that it starts end after
// [Config.Life] at the latest, it uses no network but the loopback, and it
// writes no file but in its working directory.
package misbehaving

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"botarena/engine/nearest"
)

// DefaultLife is the default maximum lifetime of the bot.
const DefaultLife = 5 * time.Minute

// A Fault is a kind of misbehaviour.
type Fault struct {
	Name string
	What string // what it does, for a person
	do   func(b *bot) verdict
}

// A verdict selects how to go on after a fault was committed.
type verdict int

const (
	answer verdict = iota // answer the request as if nothing had been
	silent                // owe the answer, and read on
	exitOK                // end with status 0
	exit3                 // end with status 3
)

// The faults that are not committed at a move; do is nil for these.
const (
	noHandshake   = "no-handshake"
	earlyBestmove = "early-bestmove"
	neverQuit     = "never-quit"
)

// Faults lists all faults. "none" is a bot that behaves.
func Faults() []Fault {
	return []Fault{
		{"none", "none: it plays the first legal move", func(*bot) verdict { return answer }},
		{noHandshake, "does not answer ugi", nil},
		{"slow", "answers too late", (*bot).slow},
		{"hang", "hangs, ignoring SIGTERM and the end of its input", (*bot).hang},
		{"crash", "ends with status 3 instead of an answer", func(*bot) verdict { return exit3 }},
		{"exit-after-move", "ends right after a good move", (*bot).exitAfterMove},
		{"illegal-move", "plays a move that is not legal", says("bestmove %s\n", impossible)},
		{"null-bytes", "answers with null bytes", says("bestmove \x00\x00\x00\n")},
		{"invalid-utf8", "answers with invalid UTF-8", says("bestmove \xff\xfe\x80\n")},
		{"two-bestmoves", "answers twice", (*bot).twoBestmoves},
		{earlyBestmove, "says bestmove before it is asked to go, and after", nil},
		{"endless-line", "writes 100 MB without a newline", (*bot).endlessLine},
		{"info-flood", "writes 100 MB of info lines before its move", (*bot).infoFlood},
		{"stderr-flood", "writes 100 MB to stderr before its move", (*bot).stderrFlood},
		{"close-stdout", "closes its output but lives on", (*bot).closeStdout},
		{"close-stdin", "closes its input and answers, but lives on", (*bot).closeStdin},
		{"fork-child", "starts a child that keeps its output open, and ends", (*bot).forkChild},
		{"fork-many", "starts many children and plays on", (*bot).forkMany},
		{"setsid-grandchild", "starts a grandchild in a session of its own that burns CPU, and plays on", (*bot).setsidGrandchild},
		{"memory", "takes 4 GB of memory and plays on", (*bot).takeMemory},
		{"write-files", "writes a file into its working directory and plays on", (*bot).writeFiles},
		{"socket", "listens on a port of the loopback and plays on", (*bot).socket},
		{"kill-parent", "kills its parent", (*bot).killParent},
		{"stop-opponent", "sends SIGSTOP to its opponent and plays on", (*bot).stopOpponent},
		{"stop-self", "sends SIGSTOP to itself", (*bot).stopSelf},
		{neverQuit, "plays well, but ignores quit, SIGTERM and the end of its input", nil},
	}
}

// impossible is a move in no game's list.
const impossible = "a1a1"

// A Config selects the fault, and when it is committed.
type Config struct {
	Fault string // the name of one of Faults
	// Game and Move select the Move-th own move of the Game-th game, counted from 1 (0
	// is 1).
	Game, Move int
	Life       time.Duration // 0: DefaultLife
	Delay      time.Duration // how late a slow answer comes (0: 5s)
	Memory     int64         // bytes that the fault "memory" takes (0: 4 GiB)
	Children   int           // that the fault "fork-many" starts (0: 64)

	// The program's own streams; they are closed for good by the faults that close them.
	Stdin  io.ReadCloser
	Stdout io.WriteCloser
	Stderr io.Writer
	// Environ is the program's environment, in which arena's mark identifies the run.
	Environ []string
}

// find returns the fault of that name. The error suggests the nearest.
func find(name string) (Fault, error) {
	var names []string
	for _, fault := range Faults() {
		if fault.Name == name {
			return fault, nil
		}
		names = append(names, fault.Name)
	}
	return Fault{}, fmt.Errorf("unknown fault %q; %s", name, nearest.Hint(name, names, "known: "+strings.Join(names, ", ")))
}

// Run plays until quit or the end of its input, and returns the exit status of the
// program. It takes over the program: some faults do not let it return. The error
// reports an unknown fault, with status 2, or one that the platform does not support.
func Run(config Config) (status int, err error) {
	b := &bot{Config: config, out: bufio.NewWriterSize(config.Stdout, 64<<10)}
	if b.fault, err = find(config.Fault); err != nil {
		return 2, err
	}
	b.Game, b.Move = max(b.Game, 1), max(b.Move, 1)
	b.Life, b.Delay = cmp.Or(b.Life, DefaultLife), cmp.Or(b.Delay, 5*time.Second)
	b.Memory, b.Children = cmp.Or(b.Memory, 4<<30), cmp.Or(b.Children, 64)
	defer endOfLife(b.Life)()
	status = b.play()
	return status, b.err
}

// A bot plays.
type bot struct {
	Config
	fault Fault
	out   *bufio.Writer
	err   error // the platform cannot commit the fault

	game, move int
	legal      string // the first legal move of the position
	held       [][]byte
	listener   io.Closer
}

// play reads and answers lines.
func (b *bot) play() int {
	if b.fault.Name == neverQuit {
		ignoreTerm()
	}
	lines := bufio.NewReaderSize(b.Stdin, 64<<10)
	for {
		line, err := lines.ReadSlice('\n')
		for errors.Is(err, bufio.ErrBufferFull) { // no line of use to this bot is so long
			_, err = lines.ReadSlice('\n')
		}
		if err != nil {
			if b.fault.Name == neverQuit {
				time.Sleep(b.Life)
			}
			return 0
		}
		status, over := b.line(bytes.Fields(line))
		if b.out.Flush() != nil || over {
			return status
		}
	}
}

// line answers one line.
func (b *bot) line(words [][]byte) (status int, over bool) {
	if len(words) == 0 {
		return 0, false
	}
	switch string(words[0]) {
	case "ugi":
		if b.fault.Name != noHandshake {
			b.say("id name misbehaving %s\nid author botarena\noption name UGI_LegalMoves type check default false\nugiok\n", b.fault.Name)
		}
	case "isready":
		b.say("readyok\n")
	case "uginewgame":
		b.game++
		b.move = 0
	case "legal":
		if len(words) > 1 {
			b.legal = string(words[1])
		}
		if b.fault.Name == earlyBestmove && b.due(b.move+1) {
			b.bestmove()
		}
	case "go":
		b.move++
		return b.goes()
	case "quit":
		return 0, b.fault.Name != neverQuit
	}
	return 0, false
}

// due reports whether the fault is committed at that move.
func (b *bot) due(move int) bool { return max(b.game, 1) == b.Game && move == b.Move }

// goes answers a go.
func (b *bot) goes() (status int, over bool) {
	then := answer
	if b.fault.do != nil && b.due(b.move) {
		then = b.fault.do(b)
	}
	switch then {
	case answer:
		b.bestmove()
	case exitOK:
		return 0, true
	case exit3:
		return 3, true
	case silent:
	}
	return 0, b.err != nil
}

func (b *bot) say(format string, args ...any) {
	fmt.Fprintf(b.out, format, args...)
}

func (b *bot) bestmove() { b.say("bestmove %s\n", b.legal) }

// tell writes a line for the log.
func (b *bot) tell(format string, args ...any) {
	b.say("info string "+format+"\n", args...)
}

// cannot reports that the fault could not be committed.
func (b *bot) cannot(err error) verdict {
	b.err = fmt.Errorf("fault %s: %w", b.fault.Name, err)
	return exit3
}

// says returns a fault that answers with a text.
func says(format string, args ...any) func(*bot) verdict {
	return func(b *bot) verdict {
		b.say(format, args...)
		return silent
	}
}

func (b *bot) slow() verdict {
	time.Sleep(b.Delay)
	return answer
}

func (b *bot) hang() verdict {
	ignoreTerm()
	time.Sleep(b.Life)
	return exit3
}

func (b *bot) exitAfterMove() verdict {
	b.bestmove()
	return exitOK
}

func (b *bot) twoBestmoves() verdict {
	b.bestmove()
	return answer
}

// flood is the number of bytes that the flooding faults write.
const flood = 100_000_000

// repeat writes a text again and again.
func repeat(w io.Writer, text string) {
	for written := 0; written < flood; written += len(text) {
		if _, err := io.WriteString(w, text); err != nil {
			return
		}
	}
}

func (b *bot) endlessLine() verdict {
	repeat(b.out, strings.Repeat("x", 1000))
	b.say("\n")
	return answer
}

func (b *bot) infoFlood() verdict {
	repeat(b.out, "info depth 1 score cp 0 nodes 1 string there is more to come\n")
	return answer
}

func (b *bot) stderrFlood() verdict {
	repeat(b.Stderr, strings.Repeat("the same complaint again\n", 100))
	return answer
}

func (b *bot) closeStdout() verdict {
	_ = b.out.Flush()
	if err := b.Stdout.Close(); err != nil {
		return b.cannot(err)
	}
	b.out.Reset(io.Discard)
	return silent
}

func (b *bot) closeStdin() verdict {
	if err := b.Stdin.Close(); err != nil {
		return b.cannot(err)
	}
	b.bestmove()
	_ = b.out.Flush()
	time.Sleep(b.Life)
	return exit3
}

// takeMemory touches the memory page by page, so that it is really used.
func (b *bot) takeMemory() verdict {
	const piece, page = 16 << 20, 4096
	for taken := int64(0); taken < b.Memory; taken += piece {
		memory := make([]byte, piece)
		for i := 0; i < len(memory); i += page {
			memory[i] = 1
		}
		b.held = append(b.held, memory)
	}
	b.tell("took %d bytes", b.Memory)
	return answer
}
