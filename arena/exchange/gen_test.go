package exchange

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/schedule"
	"botarena/engine"
	"botarena/engine/games"
)

// Properties are checked less often than by default, unless -rapid.checks says otherwise.
func TestMain(m *testing.M) {
	must(flag.Set("rapid.checks", "15"))
	os.Exit(m.Run())
}

// played returns a random game that the rules allow, as game number of an event.
func played(rng *rand.Rand, name string, number int) *Game {
	game, err := games.All().Lookup(name)
	if err != nil {
		panic(err)
	}
	pos := game.Start()
	step := func() string {
		legal := pos.Legal(nil)
		if len(legal) == 0 {
			return ""
		}
		m := legal[rng.IntN(len(legal))]
		text := string(pos.AppendMove(nil, m))
		pos.Play(m)
		return text
	}
	g := &Game{
		Game: arena.Game{
			Event: "e", Number: number, Round: 1 + number/4, Pair: 1 + number/2, Game: name, First: "a", Second: "b",
			Start: time.UnixMicro(1_700_000_000_123_456 + int64(number)*1e6).UTC(), Wall: time.Duration(rng.IntN(1e9)) * time.Microsecond,
			CPU: [2]time.Duration{time.Duration(rng.IntN(1e6)) * time.Microsecond, 0}, OffTurn: [2]time.Duration{0, time.Duration(rng.IntN(1e6)) * time.Microsecond}, Attempts: rng.IntN(2),
		},
		Versions: [2]Version{{Number: 1, Fingerprint: "fa", Label: "1.0"}, {Number: 2, Fingerprint: "fb"}},
		Clocks:   [2]arena.TimeControl{{Move: 100 * time.Millisecond}, {Move: 100 * time.Millisecond}},
	}
	if rng.IntN(2) == 0 { // begin at a position
		for range rng.IntN(6) {
			step()
		}
		if text := pos.String(); !pos.Outcome().Over {
			if pos, err = game.Parse(text); err != nil {
				panic(err)
			}
			g.Opening.Name, g.Opening.Position = "line", text
		} else {
			pos = game.Start()
		}
	}
	for range rng.IntN(4) {
		if text := step(); text != "" {
			g.Opening.Moves = append(g.Opening.Moves, text)
		}
	}
	for plies := rng.IntN(200); len(g.Moves) < plies && !pos.Outcome().Over; {
		m := arena.MoveRecord{Move: step(), Time: time.Duration(rng.IntN(1e7)) * time.Microsecond}
		if rng.IntN(3) > 0 {
			m.Depth, m.Nodes, m.HasScore, m.Mate, m.Score = rng.IntN(40), rng.Int64N(1e12), true, rng.IntN(5) == 0, rng.IntN(4000)-2000
		}
		g.Moves = append(g.Moves, m)
	}
	g.Plies = len(g.Moves)
	finish(g, pos, rng)
	return g
}

// finish gives a game an end that fits how it stands.
func finish(g *Game, pos engine.Position, rng *rand.Rand) {
	if out := pos.Outcome(); out.Over {
		g.Result, g.Reason, g.Detail = arena.ResultFor(out.Winner), arena.WinByRule, out.Reason
		if out.Winner == engine.NoSide {
			g.Reason = arena.DrawByRule
		}
		return
	}
	loser := pos.Turn()
	g.Result = arena.ResultFor(loser.Other())
	switch g.Reason = []arena.Reason{arena.Resign, arena.MoveLimit, arena.Adjudicated, arena.TimeForfeit, arena.IllegalMove, arena.Crash}[rng.IntN(6)]; {
	case g.Reason == arena.MoveLimit:
		g.Result = arena.Draw
	case g.Reason.Forfeit():
		g.Blame, g.Detail = [2]string{g.First, g.Second}[loser], `it said "x\" {}`
	}
}

// configured returns the configuration of an event of a game, as text.
func configured(event, game string) string {
	e := config.Default()
	e.Name, e.Game, e.Format = event, game, schedule.FormatMatch
	for _, name := range []string{"a", "b"} {
		b := config.DefaultBot()
		b.Name, b.Command = name, []string{"./secret"}
		e.Bots = append(e.Bots, b)
	}
	text, err := config.Encode(Public(e))
	if err != nil {
		panic(err)
	}
	return string(text)
}

// writerOf returns a writer of all that a format has of games.
func writerOf(format Format, w io.Writer) Writer {
	switch format {
	case FormatPGN:
		return NewPGN(w, games.All(), PGNOptions{Comments: true})
	case FormatCSV:
		return NewCSV(w, true)
	}
	return NewJSONL(w)
}

func formats() []Format { return []Format{FormatPGN, FormatCSV, FormatJSONL} }

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

func gameNames() []string {
	return []string{"chess", "breakthrough", "breakthrough:5x5", "outwit", "owlman"}
}

func must(err error) {
	if err != nil {
		panic(fmt.Sprint("test data: ", err))
	}
}
