package kit_test

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"time"

	"botarena/bots/kit"
	"botarena/engine"
	"botarena/engine/games"
	"botarena/protocol"
)

// firstMove plays the first legal move.
func firstMove() kit.Bot {
	return kit.Bot{
		Name: "first move", Author: "test", Games: games.All(),
		Choose: func(t *kit.Turn) engine.Move { return t.Position.Legal(nil)[0] },
	}
}

// untilStopped thinks until it is told to stop.
func untilStopped() kit.Bot {
	b := firstMove()
	b.Choose = func(t *kit.Turn) engine.Move {
		for !t.Stop() {
			time.Sleep(time.Millisecond)
		}
		return t.Position.Legal(nil)[0]
	}
	return b
}

func transcript(t *testing.T, bot kit.Bot, input string) (string, error) {
	t.Helper()
	var out strings.Builder
	err := kit.Run(bot, strings.NewReader(input), &out, time.Now)
	return out.String(), err
}

func TestDialogue(t *testing.T) {
	out, err := transcript(t, firstMove(), `ugi
setoption name UGI_Variant value breakthrough:4x5
setoption name Seed value 3
isready
uginewgame
isready
hello there
position startpos moves a2a3
go depth 1
position fen 4/P3/4/3p/4 w
go movetime 100
quit
`)
	if err != nil {
		t.Fatal(err)
	}
	want := `id name first move
id author test
option name UGI_Variant type string default breakthrough
option name Seed type spin default 1 min 0 max 9007199254740992
option name Ponder type check default false
ugiok
readyok
readyok
bestmove b4b3
bestmove a4a5
`
	if out != want {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
}

func TestEndOfInputEndsTheBot(t *testing.T) {
	if out, err := transcript(t, untilStopped(), "uci\nposition startpos\ngo infinite\n"); err != nil || !strings.Contains(out, "uciok") {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestFinishedPositionIsResigned(t *testing.T) {
	out, err := transcript(t, firstMove(), "position fen P7/8/8/8/8/8/7p/8 b\ngo nodes 1\nquit\n")
	if err != nil || out != "bestmove (none)\n" {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestBadRequestsAreErrors(t *testing.T) {
	for input, want := range map[string]string{
		"setoption name Sed value 3\n":                   "Seed",
		"setoption name Seed value many\n":               "Seed",
		"setoption name UGI_Variant value brekthrough\n": `did you mean "breakthrough"`,
		"position startpos moves a2a5\n":                 "a2a5",
		"position fen nonsense\n":                        "nonsense",
	} {
		_, err := transcript(t, firstMove(), input)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want mention of %s", input, err, want)
		}
	}
}

// A bot that ponders answers once its turn has come, by the clock that runs since
// then, and names the move that it expects.
func TestPonder(t *testing.T) {
	in, arena := io.Pipe()
	fromBot, out := io.Pipe()
	ended := make(chan error, 1)
	searching := make(chan bool)
	bot := firstMove()
	bot.Choose = func(turn *kit.Turn) engine.Move {
		pondering := turn.Pondering()
		searching <- pondering
		for turn.Pondering() && !turn.Stop() {
			time.Sleep(time.Millisecond)
		}
		moves := turn.Position.Legal(nil)
		best := string(turn.Text(moves[0]))
		turn.Info(protocol.Info{PV: []byte(best + " h7h6 x")})
		return moves[0]
	}
	go func() { ended <- kit.Run(bot, in, out, time.Now) }()
	lines := bufio.NewScanner(fromBot)
	answer := func() string {
		t.Helper()
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "bestmove") {
				return lines.Text()
			}
		}
		t.Fatal("no answer")
		return ""
	}
	send(t, arena, "setoption name Ponder value true\nposition startpos\ngo depth 1\n")
	if <-searching {
		t.Error("it ponders on its own turn")
	}
	if got := answer(); got != "bestmove a2a3 ponder h7h6" {
		t.Errorf("got %s", got)
	}
	for _, end := range []string{"ponderhit", "stop"} {
		send(t, arena, "position startpos moves a2a3 h7h6\ngo ponder depth 1 p1time 1000 p2time 1000\nisready\n")
		// readyok first: the pipe holds nothing, and whoever writes to it holds the bot up.
		if !lines.Scan() || lines.Text() != "readyok" {
			t.Errorf("it says %q before its turn", lines.Text())
		}
		if !<-searching {
			t.Error("it takes go ponder for its own turn")
		}
		send(t, arena, end+"\n")
		if got := answer(); !strings.HasPrefix(got, "bestmove ") {
			t.Errorf("got %s", got)
		}
	}
	send(t, arena, "quit\n")
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// isready is answered and stop obeyed while the bot thinks, however long.
func TestReadyAndStopWhileThinking(t *testing.T) {
	in, arena := io.Pipe()
	fromBot, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- kit.Run(untilStopped(), in, out, time.Now) }()
	lines := bufio.NewScanner(fromBot)
	for range 3 {
		send(t, arena, "position startpos\ngo infinite\nisready\n")
		expect(t, lines, "readyok")
		send(t, arena, "stop\n")
		expect(t, lines, "bestmove ")
	}
	send(t, arena, "stop\nisready\n") // a stop too many is ignored
	expect(t, lines, "readyok")
	send(t, arena, "quit\n")
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

func send(t *testing.T, w io.Writer, text string) {
	t.Helper()
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
}

func expect(t *testing.T, lines *bufio.Scanner, prefix string) {
	t.Helper()
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), prefix) {
		t.Fatalf("got %q, want %q", lines.Text(), prefix)
	}
}

// The budget leaves something for the way to the referee, and never more than
// the clock has.
func TestBudget(t *testing.T) {
	for input, want := range map[string][2]time.Duration{
		"go movetime 100":                    {80 * time.Millisecond, 95 * time.Millisecond},
		"go movetime 1":                      {200 * time.Microsecond, time.Millisecond},
		"go p1time 10000 p2time 1":           {300 * time.Millisecond, 500 * time.Millisecond},
		"go p1time 1000 p1inc 1000":          {600 * time.Millisecond, 800 * time.Millisecond},
		"go p1time 900 p2time 1 movestogo 1": {600 * time.Millisecond, 800 * time.Millisecond},
	} {
		var got time.Duration
		b := firstMove()
		b.Choose = func(t *kit.Turn) engine.Move { got = t.Budget; return 0 }
		if _, err := transcript(t, b, "position startpos\n"+input+"\nquit\n"); err != nil {
			t.Fatal(err)
		}
		if got < want[0] || got > want[1] {
			t.Errorf("%s: budget %v, want %v to %v", input, got, want[0], want[1])
		}
	}
}

// TestQueries is the conversation of a host that knows no rules.
func TestQueries(t *testing.T) {
	bot := firstMove()
	bot.Game = "breakthrough:3x5"
	out, err := transcript(t, bot, `position startpos
query gameover
query p1turn
query result
query moves
query sides
query symmetric
query board
query starts
query weather
query why a1a4
query why a2a3
position startpos moves a2a3 a4b3 a3b4 b3a2 b4c5
query gameover
query result
query moves
query reason
query fen
`)
	if err != nil {
		t.Fatal(err)
	}
	want := `response false
response true
response none
response a2a3 b2b3 c2c3 b2a3 c2b3 a2b3 b2c3
response white black
response true
response p p p
response p p p
response . . .
response P P P
response P P P
response unknown
response unknown
response not one step forward, straight or diagonally
response it is legal
response true
response p1win
response
response reached home row
response ppP/2p/3/pPP/PPP b
`
	if out != want {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
}
