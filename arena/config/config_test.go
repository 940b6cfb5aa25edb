package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/schedule"
	"botarena/engine/games"
)

func known() config.Known {
	return config.Known{Catalog: games.All(), Builtins: []string{"random", "greedy", "minimax", "mcts"}}
}

func read(text string) (arena.Event, error) {
	return config.Read([]byte(text), "dir/spring.yaml", "/league", known())
}

const two = "\nbots: [{builtin: minimax}, {builtin: mcts}]\n"

func TestMinimal(t *testing.T) {
	got, err := read("game: breakthrough:8x8\nbots:\n  - builtin: minimax\n  - builtin: mcts\n")
	if err != nil {
		t.Fatal(err)
	}
	want := config.Default()
	want.Name, want.Game = "spring", "breakthrough"
	for _, name := range []string{"minimax", "mcts"} {
		b := config.DefaultBot()
		b.Name, b.Builtin = name, name
		want.Bots = append(want.Bots, b)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got.Clock.Move != 100*time.Millisecond || got.Clock.Margin != 50*time.Millisecond || !got.Swap || got.Rounds != 1 {
		t.Errorf("%+v", got)
	}
}

func TestEveryValue(t *testing.T) {
	got, err := read(`
event: 2024
game: outwit:jump
format: knockout
rounds: 3
swap: false
seed: 18446744073709551615
openings: {file: book.txt, order: shuffled, start: 2}
clock: {base: 1m, increment: 0.5s, moves: 40, nodes: 1_000, depth: 9, margin: 0s}
concurrency: 4
max_plies: 77
pin: off
grace: 500ms
log: protocol
knockout: {third_place: true, tie_breaks: 0}
adjudicate:
  resign: {score: 500, both: true}
  draw: {score: 0, moves: 5, from: 10}
elo: {start: 0, k: 20, k_min: 1.5, n0: 10}
options: {hash: 64, Ponder: false}
limits: {memory: 1.5GiB, processes: 9}
sandbox: limits
restart: never
bots:
  - name: a
    command: ./a -x 'one two' "th\"ree" fo\ ur
    args: [1, true, x]
    dir: sub
    env: ["A=b=c", "D="]
    build: [make]
    options: {Hash: 128, Clear Hash: }
    protocol: uci
    threads: 2
    limits: {memory: 5kB, cpu_time: 1h, file_size: 1}
    sandbox: none
    restart: every-game
    version: 1.10
    fleet: installed
    clock: {move: 1s}
    seed: 2
  - {name: b, command: [b]}
`)
	if err != nil {
		t.Fatal(err)
	}
	want := config.Default()
	want.Name, want.Game, want.Format, want.Rounds, want.Swap, want.Seed = "2024", "outwit:jump", schedule.FormatKnockout, 3, false, 1<<64-1
	want.Openings = arena.Openings{File: "/league/book.txt", Order: "shuffled", Start: 2}
	want.Clock = arena.TimeControl{Base: time.Minute, Increment: 500 * time.Millisecond, Moves: 40, Nodes: 1000, Depth: 9}
	want.Concurrency, want.MaxPlies, want.Pin, want.Grace, want.LogProtocol = 4, 77, arena.PinOff, 500*time.Millisecond, true
	want.Knockout = arena.Knockout{ThirdPlace: true}
	want.Adjudicate = arena.Adjudication{Resign: arena.Resigning{Score: 500, Moves: 3, Both: true}, Draw: arena.Drawing{Moves: 5, From: 10}}
	want.Elo = arena.Elo{K0: 20, KMin: 1.5, N0: 10}
	want.Bots = []arena.Bot{{
		Name: "a", Command: []string{"./a", "-x", "one two", `th"ree`, "fo ur"}, Args: []string{"1", "true", "x"}, Dir: "/league/sub",
		Env: []string{"A=b=c", "D="}, Build: []string{"make"},
		Options:  []arena.Option{{Name: "Ponder", Value: "false"}, {Name: "Hash", Value: "128"}, {Name: "Clear Hash"}},
		Protocol: arena.ProtocolUCI, Threads: 2,
		Limits:  arena.Limits{Memory: 5000, Processes: 9, CPUTime: time.Hour, FileSize: 1},
		Sandbox: arena.SandboxNone, SandboxRead: []string{"."}, Restart: arena.RestartEvery, Version: "1.10",
		Travel: arena.TravelInstalled,
		Clock:  &arena.TimeControl{Move: time.Second}, Seed: 2,
	}, {
		Name: "b", Command: []string{"b"}, Dir: "/league",
		Options:  []arena.Option{{Name: "hash", Value: "64"}, {Name: "Ponder", Value: "false"}},
		Protocol: arena.ProtocolAuto, Threads: 1,
		Limits:  arena.Limits{Memory: 3 << 29, Processes: 9},
		Sandbox: arena.SandboxLimits, Restart: arena.RestartNever,
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestFormats(t *testing.T) {
	for text, want := range map[string]string{
		"format: swiss\nbots: [{builtin: random}, {name: b, builtin: random}, {name: c, builtin: random}, {name: d, builtin: random}, {name: e, builtin: random}]": "rounds 3",
		"format: swiss\nrounds: 7" + two: "rounds 7",
		"format: ladder\nladder: {games: 10, time: 1h, width: 30, choose: thompson}" + two: "{10 1h0m0s 30 thompson}",
		"format: gauntlet\ngauntlet: {challengers: 1}" + two:                               "challengers 1",
		"openings: {balanced: {plies: 6, count: 5}}" + two:                                 "balanced {6 minimax 4 50 5}",
		"cycles: 2" + two:       "cycles 2",
		"shared: &c {depth: 3}": "", // anchors need a place of their own: see TestAnchors
	} {
		e, err := read("game: outwit\n" + text)
		if want == "" {
			if err == nil {
				t.Errorf("%s is taken", text)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := fmt.Sprintf("rounds %d challengers %d %v cycles %d", e.Rounds, e.Gauntlet.Challengers, e.Ladder, e.Cycles)
		if e.Openings.Balanced != nil {
			got += fmt.Sprintf(" balanced %v", *e.Openings.Balanced)
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestAnchors(t *testing.T) {
	e, err := read(`
game: owlman
clock: &fast {nodes: 10}
bots:
  - &base {name: a, builtin: minimax, clock: *fast, threads: 2}
  - {<<: *base, name: b, clock: {<<: *fast, depth: 3}}
`)
	if err != nil {
		t.Fatal(err)
	}
	a, b := e.Bots[0], e.Bots[1]
	if a.Clock.Nodes != 10 || b.Name != "b" || b.Builtin != "minimax" || b.Threads != 2 || b.Clock.Nodes != 10 || b.Clock.Depth != 3 {
		t.Errorf("%+v %+v", a, b)
	}
}

func TestProgramFromFolder(t *testing.T) {
	k := known()
	k.IsFile = func(path string) bool { return path == "/league/bin/here" }
	e, err := config.Read([]byte(`
game: owlman
bots:
  - {name: a, dir: sub, command: bin/here}
  - {name: b, dir: sub, command: bin/there}
  - {name: c, command: bin/here}
`), "x.yaml", "/league", k)
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(e.Bots[0].Command, e.Bots[1].Command, e.Bots[2].Command, e.Bots[2].Dir)
	if got != "[/league/bin/here] [bin/there] [bin/here]/league" {
		t.Error(got)
	}
}

// Each mistake alone: the place, the key and the reason.
func TestProblems(t *testing.T) {
	const head = "game: outwit\n"
	for _, c := range []struct{ text, want string }{
		{"", "spring.yaml:1:1: the file is empty"},
		{"# nothing\n", "spring.yaml:1:1: the file is empty"},
		{"just words", ":1:1: must be a mapping with keys like event, game, format, not the text"},
		{"game: outwit\nbots: [\n", ":2: not YAML: "},
		{"game: outwit\n\tbots: 1\n", ":2: not YAML: "},
		{head + two + "---\ngame: outwit\n", ":4:1: a second document begins here"},
		{head + "roundz: 3" + two, `:2:1: roundz: unknown key; did you mean "rounds"?`},
		{head + "Rounds: 3" + two, `:2:1: Rounds: unknown key; did you mean "rounds"?`},
		{head + "zzzzzzzzz: 3" + two, "unknown key; known keys: event, game"},
		{head + "rounds: 3\nrounds: 4" + two, ":3:1: rounds: given twice"},
		{head + "rounds: three" + two, `:2:9: rounds: must be a whole number, not the text "three"`},
		{head + `rounds: "3"` + two, `rounds: must be a whole number, not the text "3"`},
		{head + "rounds: 1.5" + two, "rounds: must be a whole number, not the number 1.5"},
		{head + "rounds: 0" + two, "rounds: 0 is too small; at least 1"},
		{head + "rounds: -2" + two, "rounds: -2 is too small"},
		{head + "rounds: 99999999999999999999" + two, "rounds: "},
		{head + "rounds: 1000000\ncycles: 1000" + two, "rounds: this event has 2000000000 games"},
		{head + "rounds:" + two, ":2:1: rounds: has no value"},
		{head + "bots: [{builtin: mcts, fleet: installed}, {builtin: random}]", "bots[0].fleet: goes with a command only"},
		{head + "bots: [{command: x, fleet: sent}, {builtin: random}]", `bots[0].fleet: "sent" is not known; one of bundle, installed`},
		{head + "swap: maybe" + two, `swap: must be true or false, not the text "maybe"`},
		{head + "swap: 1" + two, "swap: must be true or false, not the number 1"},
		{head + "seed: -1" + two, "seed: -1 is out of range"},
		{head + "seed: x" + two, "seed: must be a whole number"},
		{head + "format: round-robbin" + two, `format: "round-robbin" is not known; did you mean "round-robin"?`},
		{head + "openings: {file: x, order: random}" + two, `openings.order: "random" is not known; did you mean "shuffled"?`},
		{head + "restart: on" + two, `restart: "on" is not known; did you mean "every-game"?`},
		{head + "event: [a]" + two, "event: must be a text, not a list"},
		{head + `event: ""` + two, "event: is empty"},
		{head + `event: "a\nb"` + two, "event: \"a\\nb\" has characters that cannot be printed"},
		{head + `event: " a"` + two, "begins or ends with a blank"},
		{head + "event: " + strings.Repeat("x", 65) + two, "event: has 65 letters; at most 64"},
		{"game: outwitt" + two, `:1:7: game: unknown game "outwitt"; did you mean "outwit"?`},
		{"game: breakthrough:1x5" + two, "game: game \"breakthrough:1x5\": "},
		{"rounds: 1" + two, "game: missing; name the game to play: breakthrough"},
		{head, "bots: missing"},
		{head + "bots: [{builtin: random}]", ":2:1: bots: 1 is too few; at least two bots play"},
		{head + "bots: {a: b}", "bots: must be a list of bots, not a mapping"},
		{head + "bots: [random, {builtin: mcts}]", ":2:8: bots[0]: must be a mapping with keys like name, builtin, command, not the text"},
		{head + "bots: [{name: a, builtin: mcts}, {name: a, builtin: random}]", `:2:41: bots[1].name: "a" is the name of bots[0] already`},
		{head + "bots: [{name: a, builtin: mcts}, {name: A, builtin: random}]", "by upper and lower case only"},
		{head + "bots: [{builtin: minmax}, {builtin: mcts}]", `bots[0].builtin: no built-in bot "minmax"; did you mean "minimax"?`},
		{head + "bots: [{builtin: zzzzzzz}, {builtin: mcts}]", "built-in bots: random, greedy, minimax, mcts"},
		{head + "bots: [{name: a}, {builtin: mcts}]", "bots[0]: needs builtin: NAME or command: "},
		{head + "bots: [{name: \"\", command: x}, {builtin: mcts}]", "bots[0].name: missing"},
		{head + "bots: [{name: a, builtin: mcts, command: x}, {builtin: mcts}]", "bots[0].command: a bot is either builtin or a command"},
		{head + "bots: [{name: a, builtin: mcts, args: [x]}, {builtin: mcts}]", "bots[0].args: goes with a command only"},
		{head + "bots: [{name: a, command: []}, {builtin: mcts}]", "bots[0].command: names no program"},
		{head + "bots: [{name: a, command: \"  \"}, {builtin: mcts}]", "bots[0].command: names no program"},
		{head + "bots: [{name: a, command: \"x 'y\"}, {builtin: mcts}]", "bots[0].command: a quote is not closed"},
		{head + "bots: [{name: a, command: 'make && x'}, {builtin: mcts}]", "bots[0].command: && needs a shell"},
		{head + "bots: [{name: a, command: {x: y}}, {builtin: mcts}]", "bots[0].command: must be a list or a string"},
		{head + "bots: [{name: a, command: x, env: [A]}, {builtin: mcts}]", `bots[0].env[0]: "A" must be NAME=VALUE`},
		{head + "bots: [{name: a, command: x, env: {A: b}}, {builtin: mcts}]", "bots[0].env: must be a list of"},
		{head + "bots: [{name: a, builtin: mcts, seed: 1}, {builtin: mcts, seed: 1}]", "bots[1].seed: 1 is the seed of bots[0] already"},
		{head + "bots: [{name: a, builtin: mcts, options: {Hash: [1]}}, {builtin: mcts}]", "bots[0].options.Hash: must be a single value"},
		{head + "bots: [{name: a, builtin: mcts, options: {Hash: 1, hash: 2}}, {builtin: mcts}]", "bots[0].options.hash: given twice"},
		{head + "bots: [{name: a, builtin: mcts, options: {the value: 1}}, {builtin: mcts}]", "cannot have the word value"},
		{head + "bots: [{name: a, builtin: mcts, options: {x: \"a\\nquit\"}}, {builtin: mcts}]", "one printable line"},
		{head + "bots: [{name: a, builtin: mcts, limits: {memory: lots}}, {builtin: mcts}]", "bots[0].limits.memory: must be a size such as 512MB"},
		{head + "bots: [{name: a, builtin: mcts, limits: {memory: 0}}, {builtin: mcts}]", "more than nothing"},
		{head + "bots: [{name: a, builtin: mcts, clock: {deph: 4}}, {builtin: mcts}]", `bots[0].clock.deph: unknown key; did you mean "depth"?`},
		{head + "bots: [{name: a, builtin: mcts, clock: {margin: 1s}}, {builtin: mcts}]", "bots[0].clock: sets no limit"},
		{head + "clock: fast" + two, `clock: clock "fast": cannot read "fast"; write 100ms a move`},
		{head + "clock: {}" + two, "clock: sets no limit"},
		{head + "clock: {move: 100}" + two, "clock.move: 100 has no unit; write 100ms or 100s"},
		{head + "clock: {move: soon}" + two, `clock.move: "soon" is no time`},
		{head + "clock: {move: -1s}" + two, "clock.move: -1s is too short"},
		{head + "clock: {move: 0s}" + two, "clock.move: 0s is too short"},
		{head + "clock: {move: 1s, base: 1s}" + two, "clock: move is a fixed time for each move"},
		{head + "clock: {increment: 1s, nodes: 1}" + two, "clock.increment: needs a base"},
		{head + "clock: {moves: 40, nodes: 1}" + two, "clock.moves: needs a base"},
		{head + "openings: {random: 4, file: x}" + two, "openings.file: openings come from one source: random is set already"},
		{head + "openings: {random: 4, order: shuffled}" + two, "openings.order: goes with file or balanced only"},
		{head + "openings: {balanced: {bot: minmax}}" + two, "openings.balanced.bot: no built-in bot"},
		{head + "concurrency: many" + two, "concurrency: must be auto or a number"},
		{head + "concurrency: 0" + two, "concurrency: 0 is too small"},
		{head + "gauntlet: {challengers: 1}" + two, "gauntlet: goes with format gauntlet only: this event's is round-robin"},
		{head + "format: gauntlet\ngauntlet: {challengers: 2}" + two, "gauntlet.challengers: 2 of 2 bots leave nobody"},
		{head + "format: swiss\ncycles: 2" + two, "cycles: goes with format round-robin only"},
		{head + "format: ladder\nrounds: 2" + two, "rounds: goes with format round-robin, gauntlet, swiss, knockout, race, match only: this event's is ladder, whose own settings are ladder"},
		{head + "sprt: {elo1: 3}" + two, "sprt: goes with format race, match only: this event's is round-robin"},
		{head + "format: race\nsprt: {}" + two, "bots: a race has a base and two candidates or more; one candidate plays a match with a test (arena sprt)"},
		{head + "format: race\nbots: [{builtin: random}, {builtin: mcts}, {builtin: greedy}]", "sprt: missing; a race is decided by a test of each candidate"},
		{head + "format: race\nswap: false\nsprt: {}\nbots: [{builtin: random}, {builtin: mcts}, {builtin: greedy}]", "sprt: is decided by pairs of games"},
		{head + "race: {best: true}" + two, "race: goes with format race only"},
		{head + "format: match\nswap: false\nsprt: {}" + two, "sprt: is decided by pairs of games"},
		{head + "format: match\nsprt: {elo0: 5}" + two, "elo0 must be less than elo1"},
		{head + "format: match\nsprt: {model: pentanomial}" + two, "sprt.model: "},
		{head + "format: ladder\nladder: {games: 1}" + two, "ladder.games: 1 is less than a pair"},
		{head + "format: match\nbots: [{builtin: random}, {builtin: mcts}, {builtin: greedy}]", "bots: a match has two bots, not 3"},
		{head + "adjudicate: {resign: {moves: 3}}" + two, "adjudicate.resign: needs score"},
		{head + "adjudicate: {draw: {score: 3}}" + two, "adjudicate.draw: needs moves"},
		{head + "elo: {k: 10, k_min: 20}" + two, "elo.k_min: 20 is above k, 10"},
		{head + "elo: {k: .nan}" + two, "elo.k: NaN is out of range"},
		{head + "ponder: true\nsuspend: true" + two, "does not go with ponder"},
		{head + "openings: {random: 2, plies: 3}" + two, "openings.plies: goes with file only"},
		{head + "openings: {file: a.BIN, order: shuffled}" + two, "drawn by its weights and the seed: leave order out"},
		{head + "log: all" + two, `log: "all" is not known; one of none, protocol`},
		{head + "1: 2" + two, "unknown key"},
		{head + "[1, 2]: 2" + two, "a key is a word, not a list"},
		{head + "<<: 3" + two, "<< takes a mapping"},
		{strings.Repeat(" ", 1<<20+1), "the file is larger than 1 MiB"},
	} {
		_, err := read(c.text)
		var all *config.Errors
		if !errors.As(err, &all) {
			t.Errorf("%.80q: %v", c.text, err)
			continue
		}
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.200q:\n%v\nwant %s", c.text, err, c.want)
		}
		if len(all.Problems) != 1 {
			t.Errorf("%.200q is one mistake and gives\n%v", c.text, err)
		}
	}
}

func TestAllProblemsAtOnce(t *testing.T) {
	_, err := read("game: breakthruogh\nrounds: -1\nclok: {nodes: 1}\nbots:\n  - {name: a, builtin: minmax}\n  - {name: a, command: x}\n")
	want := `dir/spring.yaml:1:7: game: unknown game "breakthruogh"; did you mean "breakthrough"?
dir/spring.yaml:2:9: rounds: -1 is too small; at least 1
dir/spring.yaml:3:1: clok: unknown key; did you mean "clock"?
dir/spring.yaml:5:24: bots[0].builtin: no built-in bot "minmax"; did you mean "minimax"?
dir/spring.yaml:6:12: bots[1].name: "a" is the name of bots[0] already; names are unique`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

// Aliases of aliases must not unfold without bound.
func TestAliasBomb(t *testing.T) {
	var b strings.Builder
	b.WriteString("game: outwit\noptions: &o {")
	for i := range 900 {
		fmt.Fprintf(&b, "o%d: 1, ", i)
	}
	b.WriteString("}\nbots:\n  - &b {name: a, builtin: mcts, options: {<<: [*o" + strings.Repeat(", *o", 39) + "]}}\n" + strings.Repeat("  - *b\n", 29))
	_, err := read(b.String())
	if err == nil || !strings.Contains(err.Error(), "unfold to too much") {
		t.Errorf("%.300v", err)
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "cup.yaml")
	if err := os.WriteFile(path, []byte("game: outwit\nbots: [{builtin: mcts}, {name: x, command: ./x}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := config.Load(path, known())
	if err != nil || e.Name != "cup" || e.Bots[1].Dir != dir {
		t.Errorf("%+v %v", e, err)
	}
	if _, err := config.Load(path+"x", known()); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// The shipped events are valid, and the reference shows every key.
func TestShipped(t *testing.T) {
	files, err := filepath.Glob("../../configs/*.yaml")
	if err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if filepath.Base(f) == "league.yaml" {
			continue // package host, which knows its block, reads it
		}
		if _, err := config.Load(f, known()); err != nil {
			t.Error(err)
		}
	}
	text, err := os.ReadFile("../../configs/reference.yaml")
	if err != nil {
		t.Fatal(err)
	}
	// What is commented out counts: "# key:" and "#   key:".
	shown := regexp.MustCompile(`(?m)^# ( *(?:- )?[a-z0-9_]+:)`).ReplaceAll(text, []byte("$1"))
	var root yaml.Node
	if err := yaml.Unmarshal(shown, &root); err != nil {
		t.Fatal(err)
	}
	var paths []string
	var walk func(prefix string, n *yaml.Node)
	walk = func(prefix string, n *yaml.Node) {
		switch n.Kind {
		case yaml.SequenceNode:
			for _, item := range n.Content {
				walk(prefix, item)
			}
		case yaml.MappingNode:
			for i := 0; i < len(n.Content); i += 2 {
				path := strings.TrimPrefix(prefix+"."+n.Content[i].Value, ".")
				paths = append(paths, path)
				walk(path, n.Content[i+1])
			}
		}
	}
	walk("", root.Content[0])
	keys := map[string]bool{}
	for _, k := range config.Keys() {
		// A bot's clock has the keys of the event's.
		path := strings.Replace(k.Path, "bots.clock.", "clock.", 1)
		keys[path] = true
		if !slices.Contains(paths, path) {
			t.Errorf("reference.yaml does not show %s", path)
		}
		if at := strings.LastIndexByte(path, '.'); k.Setting.Default != "" {
			line := regexp.MustCompile(`(?m)^[# -]*` + path[at+1:] + `:.*(\n *# .*)*`)
			if !strings.Contains(strings.Join(line.FindAllString(string(text), -1), "\n"), k.Setting.Default) {
				t.Errorf("reference.yaml does not name %s, the default of %s", k.Setting.Default, path)
			}
		}
	}
	for _, p := range paths {
		if !keys[strings.Replace(p, "bots.clock.", "clock.", 1)] && !strings.Contains(p, "options.") {
			t.Errorf("reference.yaml shows %s, which is no key", p)
		}
	}
}

// Where bots and books lie is not what they are; the fingerprint is, where known.
func TestDiffOfPlaces(t *testing.T) {
	in := func(folder, command, book string) arena.Event {
		e, err := config.Read([]byte("game: outwit\nopenings: {file: "+book+"}\nbots: [{name: a, command: "+command+"}, {builtin: mcts}]\n"), "x.yaml", folder, known())
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	old := in("/home/old", "bots/a -x", "b.txt")
	for _, now := range []arena.Event{in("/srv", "bots/a -x", "b.txt"), in("/srv", "/opt/a -x", "/srv/books/b.txt")} {
		if got := config.Diff(old, now); len(got) != 0 {
			t.Error(got)
		}
	}
	now := in("/home/old", "bots/c -y", "c.txt")
	want := []string{"openings: {file: b.txt, order: sequential, start: 1} -> {file: c.txt, order: sequential, start: 1}", "bots: a: command: [a, -x] -> [c, -y]"}
	if got := config.Diff(old, now); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	old.Openings.SHA256 = "1"
	if got := config.Diff(old, now); !slices.Equal(got, want) {
		t.Errorf("of a book without a sum: %q", got)
	}
	now.Openings.SHA256 = "1"
	if got := config.Diff(old, now); !slices.Equal(got, want[1:]) {
		t.Errorf("the same book of another name: %q", got)
	}
	now.Openings.SHA256 = "2"
	if got := config.Diff(old, now); len(got) != 3 || got[1] != "openings: file: /home/old/c.txt holds other openings now" {
		t.Errorf("another book: %q", got)
	}
	old.Openings.SHA256 = ""
	old.Bots[0].Fingerprint, now.Bots[0].Fingerprint = "1", "1"
	if got := config.Diff(old, now); !slices.Equal(got, want[:1]) {
		t.Errorf("%q", got)
	}
	now.Bots[0].Fingerprint = "2"
	if got := config.Diff(old, now); !slices.Equal(got, append(want, "bots: a: its program or what it reads is another one")) {
		t.Errorf("%q", got)
	}
}

func TestDiff(t *testing.T) {
	const base = "game: outwit\nrounds: 3\nclock: {nodes: 2000}\nbots: [{name: a, builtin: mcts}, {name: b, builtin: random}]\n"
	old, err := read(base)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]string{
		base: nil,
		base + "concurrency: 3\ngrace: 9s\nlog: protocol\npin: off\nevent: x":    nil,
		strings.Replace(base, "rounds: 3", "rounds: 4", 1):                       {"rounds: 3 -> 4"},
		strings.Replace(base, "{nodes: 2000}", "{depth: 4}", 1):                  {"clock: {nodes: 2000, margin: 50ms} -> {depth: 4, margin: 50ms}"},
		strings.Replace(base, "bots: [", "bots: [{name: mine, command: x}, ", 1): {"bots: mine was added"},
		base + "openings: {random: 2}":                                           {"openings: none -> {random: 2}"},
		strings.Replace(base, "name: b", "name: c", 1):                           {"bots: b was removed", "bots: c was added"},
		strings.Replace(base, "random}", "random, options: {Seed: 3}}", 1):       {`bots: b: options: none -> {Seed: "3"}`},
		strings.Replace(base, "[{name: a, builtin: mcts}, {name: b, builtin: random}]", "[{name: b, builtin: random}, {name: a, builtin: mcts}]", 1): {"bots: their order changed: a, b -> b, a"},
		strings.Replace(base, "outwit", "owlman", 1) + "seed: 2": {"game: outwit -> owlman", "seed: 0 -> 2"},
	} {
		now, err := read(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := config.Diff(old, now); !slices.Equal(got, want) {
			t.Errorf("%s\ngot  %q\nwant %q", text, got, want)
		}
	}
	now := old
	now.Bots = slices.Clone(old.Bots)
	now.Bots[0].Fingerprint = "x"
	if got := config.Diff(old, now); len(got) != 0 {
		t.Error(got)
	}
	old.Bots = slices.Clone(old.Bots)
	old.Bots[0].Fingerprint = "y"
	if got := config.Diff(old, now); len(got) != 1 || !strings.Contains(got[0], "bots: a: ") {
		t.Error(got)
	}
}

// A strict sandbox shows a folder that the bot's entry names, not the event's, and
// that is what goes to other machines.
func TestSandboxRead(t *testing.T) {
	e, err := config.Read([]byte(`game: outwit
sandbox: strict
bots:
  - {name: beside, command: python3 a.py}
  - {name: own, command: python3 a.py, dir: own}
  - {name: narrow, command: python3 a.py, dir: own, sandbox_read: []}
  - {name: wide, command: python3 a.py, sandbox_read: [., ~/nets, /srv/book]}
  - {name: open, command: python3 a.py, dir: own, sandbox: none}
`), "x.yaml", "/home/me/league", known())
	if err != nil {
		t.Fatal(err)
	}
	check := func(e arena.Event) {
		for i, want := range [][]string{nil, {"."}, nil, {".", "~/nets", "/srv/book"}, {"."}} {
			if got := e.Bots[i].SandboxRead; !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", e.Bots[i].Name, got, want)
			}
		}
	}
	check(e)
	// It is stored with the folder that the event file has given each bot.
	text, err := config.Encode(e)
	if err != nil {
		t.Fatal(err)
	}
	if e, err = config.Read(text, "x.yaml", "", known()); err != nil {
		t.Fatal(err)
	}
	check(e)
	// Events that were stored before showed all of the folder.
	old := regexp.MustCompile(`\n *sandbox_read: \[\]`).ReplaceAllString(string(text), "")
	if e, err = config.Read([]byte(old), "x.yaml", "", known()); err != nil || len(e.Bots) == 0 || !slices.Equal(e.Bots[0].SandboxRead, []string{"."}) {
		t.Errorf("%+v, %v", e.Bots, err)
	}
}

func TestSplitCommand(t *testing.T) {
	for line, want := range map[string][]string{
		`a b  c`:                         {"a", "b", "c"},
		`a 'b "c' "d'e"`:                 {"a", `b "c`, "d'e"},
		`a\ b "" ''`:                     {"a b", "", ""},
		`th\"ree fo\'ur`:                 {`th"ree`, "fo'ur"},
		`C:\bots\x "D:\a b" '\n'`:        {`C:\bots\x`, `D:\a b`, `\n`},
		`a\\b "it's" \` + "\t":           {`a\b`, "it's", "\t"},
		`./x --uri=h?a&b #1 ';' "a | b"`: {"./x", "--uri=h?a&b", "#1", ";", "a | b"},
		"":                               nil,
	} {
		got, err := config.SplitCommand(line)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v, want %q", line, got, err, want)
		}
	}
	for line, want := range map[string]string{`a "b`: "a quote is not closed", `a 'b\`: "a quote is not closed", `a \`: "ends with a backslash", "a | b": "needs a shell", "a > b": "needs a shell", "a && b": "needs a shell"} {
		if got, err := config.SplitCommand(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v, want %s", line, got, err, want)
		}
	}
}

// What is no event in the record, such as a file that was cut off, is none after reading.
func TestDecodeRefuses(t *testing.T) {
	for _, text := range []string{"", "just words", "[a]", "game: outwit\nroundz: 3\n"} {
		if e, err := config.Decode([]byte(text)); err == nil {
			t.Errorf("%q is read as %+v", text, e)
		}
	}
}
