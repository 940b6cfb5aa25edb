package config_test

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/schedule"
)

func duration(t *rapid.T, name string, least time.Duration) time.Duration {
	return time.Duration(rapid.Int64Range(int64(least), int64(1000*time.Hour)).Draw(t, name))
}

func clock(t *rapid.T) arena.TimeControl {
	c := arena.TimeControl{Margin: duration(t, "margin", 0)}
	switch rapid.IntRange(0, 2).Draw(t, "clock") {
	case 0:
		c.Move = duration(t, "move", 1)
	case 1:
		c.Base, c.Increment = duration(t, "base", 1), duration(t, "increment", 0)/1000
		if c.Moves = rapid.IntRange(0, 100).Draw(t, "moves"); c.Moves > 0 {
			c.Base = min(c.Base, time.Duration(c.Moves)*4*time.Hour)
		}
	case 2:
		c.Depth = rapid.IntRange(1, 1000).Draw(t, "depth")
	}
	c.Nodes = rapid.Int64Range(0, 1<<53).Draw(t, "nodes")
	return c
}

// words are texts that YAML could take for something else.
func words() *rapid.Generator[string] {
	return rapid.OneOf(rapid.StringMatching(`[^\x00\x{80}-\x{9f}]{1,12}`), rapid.SampledFrom([]string{
		"true", "null", "~", "1e3", "0x10", "yes", "2024-01-01", "- x", "a: b", "#", "*a", "&a", "!x", "|", ">", "%", "@", "`", "'", `"`, "{}", "[", "<<", "=", " ", "a\nb", "\t",
	}))
}

func botOf(t *rapid.T, name string) arena.Bot {
	b := config.DefaultBot()
	b.Name = name
	if rapid.Bool().Draw(t, "builtin") {
		b.Builtin = rapid.SampledFrom([]string{"random", "greedy", "minimax", "mcts"}).Draw(t, "builtin")
	} else {
		b.Command = append([]string{"x"}, rapid.SliceOfN(words(), 0, 3).Draw(t, "command")...)
		b.Args = rapid.SliceOfN(words(), 0, 3).Draw(t, "args")
		b.Dir = "/" + rapid.StringMatching(`[a-z: #]{1,8}[a-z]`).Draw(t, "dir")
		if rapid.Bool().Draw(t, "build") {
			b.Build = []string{"make", rapid.SampledFrom([]string{"all", "", "a b"}).Draw(t, "build")}
		}
	}
	for _, w := range rapid.SliceOfN(words(), 0, 2).Draw(t, "env") {
		b.Env = append(b.Env, "A="+w)
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "options") {
		b.Options = append(b.Options, arena.Option{
			Name:  []string{"Hash", "true"}[i],
			Value: rapid.SampledFrom([]string{"", "1", "true", "null", "~", "a b", " ", "'", "1.50"}).Draw(t, "value"),
		})
	}
	b.Protocol = rapid.SampledFrom([]arena.Protocol{arena.ProtocolAuto, arena.ProtocolUGI, arena.ProtocolUCI, arena.ProtocolXBoard}).Draw(t, "protocol")
	b.Threads = rapid.IntRange(1, 4096).Draw(t, "threads")
	b.Limits = arena.Limits{
		Memory: rapid.Int64Range(0, 1<<50).Draw(t, "memory"), Processes: rapid.IntRange(0, 1000).Draw(t, "processes"),
		CPUTime: duration(t, "cpu", 0), FileSize: rapid.Int64Range(0, 1<<50).Draw(t, "file size"),
	}
	b.Sandbox = rapid.SampledFrom([]arena.Sandbox{arena.SandboxNone, arena.SandboxLimits, arena.SandboxStrict}).Draw(t, "sandbox")
	if rapid.Bool().Draw(t, "reads") {
		b.SandboxRead = []string{".", "~/nets", "a b"}[:rapid.IntRange(1, 3).Draw(t, "sandbox_read")]
	}
	if b.Builtin == "" {
		b.Travel = rapid.SampledFrom([]arena.Travel{arena.TravelBundle, arena.TravelInstalled}).Draw(t, "travel")
	}
	b.Restart = rapid.SampledFrom([]arena.Restart{arena.RestartNever, arena.RestartOnFault, arena.RestartEvery}).Draw(t, "restart")
	b.Version = rapid.SampledFrom([]string{"", "1.0", "v 2", "null"}).Draw(t, "version")
	if rapid.Bool().Draw(t, "own clock") {
		c := clock(t)
		b.Clock = &c
	}
	return b
}

func generated(t *rapid.T) arena.Event {
	e := config.Default()
	e.Name = rapid.SampledFrom([]string{"spring", "true", "2024", "a: b", "'", "ü #1"}).Draw(t, "name")
	e.Game = rapid.SampledFrom([]string{"breakthrough", "breakthrough:6x5", "outwit:push"}).Draw(t, "game")
	for i, name := range []string{"null", "b", "3", "d e"}[:rapid.IntRange(2, 4).Draw(t, "bots")] {
		b := botOf(t, name)
		if rapid.Bool().Draw(t, "seeded") {
			b.Seed = i + 1
		}
		e.Bots = append(e.Bots, b)
	}
	formats := slices.DeleteFunc(schedule.Formats(), func(f string) bool {
		switch arena.Format(f) {
		case schedule.FormatMatch, schedule.FormatTune:
			return len(e.Bots) != 2
		case schedule.FormatRace:
			return len(e.Bots) < 3
		}
		return false
	})
	e.Format = arena.Format(rapid.SampledFrom(formats).Draw(t, "format"))
	e.Swap = rapid.Bool().Draw(t, "swap")
	e.Seed = rapid.Uint64().Draw(t, "seed")
	if schedule.Has(e.Format, "rounds") {
		e.Rounds = rapid.IntRange(1, 1000).Draw(t, "rounds")
	}
	switch e.Format {
	case schedule.FormatRoundRobin:
		e.Cycles = rapid.IntRange(1, 9).Draw(t, "cycles")
	case schedule.FormatGauntlet:
		e.Gauntlet.Challengers = rapid.IntRange(1, len(e.Bots)-1).Draw(t, "challengers")
	case schedule.FormatKnockout:
		e.Knockout = arena.Knockout{ThirdPlace: rapid.Bool().Draw(t, "third"), TieBreaks: rapid.IntRange(0, 9).Draw(t, "tie breaks")}
	case schedule.FormatTune:
		e.Swap = true
		e.Tune = arena.Tune{
			Games: rapid.IntRange(200, 9999).Draw(t, "games"), Time: duration(t, "time", 0), Pairs: rapid.IntRange(1, 100).Draw(t, "pairs"), Lag: rapid.IntRange(0, 99).Draw(t, "lag"),
			Alpha: 0.6, Gamma: rapid.Float64Range(0.01, 1).Draw(t, "gamma"), Stability: 0.1,
			Params: []arena.Param{{Name: "Tuned 1", Type: "int", Start: 1, Max: 3, Elo: rapid.Float64Range(1, 100).Draw(t, "elo")}, {Name: "null", Type: "float", Min: -1e-9, Max: 1e17, CEnd: 0.1, REnd: 1e-7}},
		}
	case schedule.FormatLadder:
		e.Ladder.Games = rapid.SampledFrom([]int{0, 2, 100}).Draw(t, "games")
		e.Ladder.Time = duration(t, "time", 0)
		e.Ladder.Width = rapid.SampledFrom([]float64{0, 0.5, 1.0 / 3, 20}).Draw(t, "width")
		e.Ladder.Choose = rapid.SampledFrom([]string{"information", "thompson"}).Draw(t, "choose")
	}
	if e.Format == schedule.FormatRace {
		e.Swap, e.Race.Best = true, rapid.Bool().Draw(t, "best")
	}
	if e.Format == schedule.FormatRace || e.Format == schedule.FormatMatch && e.Swap && rapid.Bool().Draw(t, "sprt") {
		e.SPRT = &arena.SPRT{
			Elo0: rapid.Float64Range(-50, 0).Draw(t, "elo0"), Elo1: rapid.Float64Range(0.5, 50).Draw(t, "elo1"),
			Alpha: rapid.Float64Range(0.001, 0.4).Draw(t, "alpha"), Beta: rapid.Float64Range(0.001, 0.4).Draw(t, "beta"),
			Model: rapid.SampledFrom([]string{"normalized", "logistic"}).Draw(t, "model"),
		}
	}
	switch rapid.IntRange(0, 3).Draw(t, "openings") {
	case 1:
		e.Openings.Random = rapid.IntRange(1, 1000).Draw(t, "random")
	case 2:
		e.Openings = arena.Openings{File: "/a b/c", Order: "shuffled", Start: rapid.IntRange(1, 9).Draw(t, "start")}
		if rapid.Bool().Draw(t, "known") {
			e.Openings.SHA256 = strings.Repeat(rapid.StringMatching("[0-9a-f]{4}").Draw(t, "sha256"), 16)
		}
	case 3:
		e.Openings.Balanced = &arena.Balanced{Plies: 3, Bot: "greedy", Depth: 1, Window: rapid.IntRange(0, 99).Draw(t, "window"), Count: 7}
	}
	e.Clock = clock(t)
	e.Concurrency = rapid.IntRange(0, 9).Draw(t, "concurrency")
	e.MaxPlies = rapid.IntRange(0, 999).Draw(t, "plies")
	if rapid.Bool().Draw(t, "adjudicate") {
		e.Adjudicate = arena.Adjudication{
			Resign: arena.Resigning{Score: rapid.IntRange(1, 999).Draw(t, "score"), Moves: rapid.IntRange(1, 9).Draw(t, "moves"), Both: rapid.Bool().Draw(t, "both")},
			Draw:   arena.Drawing{Score: rapid.IntRange(0, 9).Draw(t, "draw"), Moves: rapid.IntRange(1, 9).Draw(t, "for"), From: rapid.IntRange(0, 9).Draw(t, "from")},
		}
	}
	e.Elo = arena.Elo{Start: rapid.Float64Range(-3000, 3000).Draw(t, "elo"), K0: rapid.Float64Range(10, 99).Draw(t, "k"), KMin: rapid.Float64Range(0, 10).Draw(t, "k_min"), N0: rapid.Float64Range(1, 99).Draw(t, "n0")}
	e.Pin = rapid.SampledFrom([]arena.Pin{arena.PinAuto, arena.PinOn, arena.PinOff}).Draw(t, "pin")
	e.Grace = duration(t, "grace", 0)
	e.Handshake = duration(t, "handshake", 1)
	e.MaxFaults = rapid.IntRange(0, 20).Draw(t, "max faults")
	e.LogProtocol = rapid.Bool().Draw(t, "log")
	e.Ponder = rapid.Bool().Draw(t, "ponder")
	e.Suspend = !e.Ponder && rapid.Bool().Draw(t, "suspend")
	e.LinkVersions = rapid.SampledFrom([]arena.LinkVersions{"", "off", "on", "30"}).Draw(t, "link versions")
	e.League = rapid.SampledFrom([]string{"", "spring 2026"}).Draw(t, "league")
	e.Scale = rapid.SampledFrom([]arena.Scale{arena.ScaleNone, arena.ScaleMeasured}).Draw(t, "scale")
	e.Openings.Policy = rapid.SampledFrom([]string{"", arena.PolicyRound, arena.PolicyPairing}).Draw(t, "policy")
	if e.Format == schedule.FormatLadder && e.Openings.Policy == arena.PolicyRound {
		e.Openings.Policy = ""
	}
	if e.Openings.File != "" {
		e.Openings.Plies = rapid.IntRange(0, 20).Draw(t, "plies")
	}
	return e
}

func TestEncodeReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := generated(t)
		text, err := config.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		got, err := config.Decode(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if !sameEvent(got, e) {
			t.Fatalf("%s\ngot  %+v\nwant %+v", text, got, e)
		}
		if d := config.Diff(e, got); len(d) != 0 {
			t.Fatalf("%q", d)
		}
		again, err := config.Encode(got)
		if err != nil || !bytes.Equal(again, text) {
			t.Fatalf("%s\nbecomes\n%s%v", text, again, err)
		}
		// The same file is valid to a reader that checks names, wherever it lies.
		if _, err := config.Read(text, "x.yaml", "/elsewhere", known()); err != nil {
			t.Fatal(err)
		}
	})
}

// sameEvent takes a nil list and an empty one for equal.
func sameEvent(a, b arena.Event) bool {
	for _, e := range []*arena.Event{&a, &b} {
		bots := append([]arena.Bot{}, e.Bots...)
		for i := range bots {
			if len(bots[i].Args) == 0 {
				bots[i].Args = nil
			}
		}
		e.Bots = bots
	}
	return reflect.DeepEqual(a, b)
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"game: outwit\nbots: [{builtin: mcts}, {name: x, command: ./x}]\n", "a: &a [*a]", "? x\n: y", "<<: [*a]", "&a {<<: *a, game: x}",
		"bots: &b [*b]", "game: !!binary aGk=\nbots: 3", "\xff\xfe", "--- x\n...\n", "clock: {move: 1s}\noptions: &o {a: *o}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := config.Read(data, "x.yaml", "/league", known())
		if err != nil {
			if err.Error() == "" {
				t.Fatal("an error without a text")
			}
			return
		}
		text, err := config.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		got, err := config.Decode(text)
		if err != nil || !sameEvent(got, e) {
			t.Fatalf("%s\n%v\ngot  %+v\nwant %+v", text, err, got, e)
		}
	})
}
