//go:build unix

package process_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"botarena/arena"
	"botarena/arena/process"
)

func TestFingerprint(t *testing.T) {
	make1 := func() string {
		dir := t.TempDir()
		for name, text := range map[string]string{"bot": "#!/bin/sh\n", "book.txt": "a", "net.bin": "n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	dir, moved := make1(), make1()
	bot := func() arena.Bot {
		return arena.Bot{
			Name: "b", Dir: dir, Command: []string{"./bot", "book.txt"}, Args: []string{"--net=net.bin", "-v"},
			Env: []string{"A=1"}, Options: []arena.Option{{Name: "Hash", Value: "16"}, {Name: "Threads", Value: "1"}}, Version: "2",
		}
	}
	of := func(b arena.Bot) string {
		t.Helper()
		print, err := process.Fingerprint(b, "/bin", "")
		if err != nil {
			t.Fatal(err)
		}
		return print
	}
	base := of(bot())
	if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(base) {
		t.Fatalf("%q", base)
	}
	same := map[string]func(*arena.Bot){
		"nothing":    func(*arena.Bot) {},
		"its name":   func(b *arena.Bot) { b.Name = "c" },
		"its folder": func(b *arena.Bot) { b.Dir = moved },
		"its place":  func(b *arena.Bot) { b.Command[0] = filepath.Join(dir, "bot") },
		"its files' place": func(b *arena.Bot) {
			b.Command[1], b.Args[0] = filepath.Join(moved, "book.txt"), "--net="+filepath.Join(dir, "net.bin")
		},
		"its cores": func(b *arena.Bot) { b.Threads, b.Sandbox = 4, arena.SandboxStrict },
		"where the arguments are written": func(b *arena.Bot) {
			b.Command, b.Args = append(b.Command, b.Args...), nil
		},
	}
	for name, change := range same {
		b := bot()
		change(&b)
		if of(b) != base {
			t.Errorf("%s changes the fingerprint", name)
		}
	}
	seen := map[string]string{base: "nothing"}
	different := map[string]func(*arena.Bot){
		"an argument":           func(b *arena.Bot) { b.Args[1] = "-w" },
		"one argument less":     func(b *arena.Bot) { b.Args = b.Args[:1] },
		"arguments joined":      func(b *arena.Bot) { b.Args = []string{"--net=net.bin-v"} },
		"an option's value":     func(b *arena.Bot) { b.Options[0].Value = "17" },
		"an option's name":      func(b *arena.Bot) { b.Options[0].Name = "hash" },
		"the order of options":  func(b *arena.Bot) { b.Options[0], b.Options[1] = b.Options[1], b.Options[0] },
		"no options":            func(b *arena.Bot) { b.Options = nil },
		"the environment":       func(b *arena.Bot) { b.Env[0] = "A=2" },
		"the version":           func(b *arena.Bot) { b.Version = "3" },
		"the program":           func(b *arena.Bot) { b.Command[0] = "sh" },
		"a built-in":            func(b *arena.Bot) { b.Builtin = "bot" },
		"another built-in":      func(b *arena.Bot) { b.Builtin = "minimax" },
		"environment and args":  func(b *arena.Bot) { b.Args, b.Env = append(b.Args, "A=1"), nil },
		"a file that is absent": func(b *arena.Bot) { b.Command[1] = "book2.txt" },
	}
	check := func(name string, b arena.Bot) {
		t.Helper()
		print := of(b)
		if other, ok := seen[print]; ok {
			t.Errorf("%s and %s have the same fingerprint", name, other)
		}
		seen[print] = name
	}
	for name, change := range different {
		b := bot()
		change(&b)
		check(name, b)
	}
	for _, file := range []string{"bot", "book.txt", "net.bin"} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte("#!/bin/sh\n:\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		check("contents of "+file, bot())
	}
}

// A script is the same program whoever runs it, and another script another one.
func TestFingerprintScript(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"rules.sh": "#!/bin/sh\n:\n", "other.sh": "#!/bin/sh\nexit\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	of := func(command ...string) string {
		t.Helper()
		print, err := process.FingerprintScript(arena.Bot{Dir: dir, Command: command}, "/bin:/usr/bin")
		if err != nil {
			t.Fatal(err)
		}
		return print
	}
	same := of("./rules.sh", "7")
	for _, command := range [][]string{{"sh", "rules.sh", "7"}, {"/bin/sh", "-x", "./rules.sh", "7"}, {filepath.Join(dir, "rules.sh"), "7"}} {
		if of(command...) != same {
			t.Errorf("%q has another fingerprint", command)
		}
	}
	for _, command := range [][]string{{"sh", "rules.sh"}, {"./rules.sh", "8"}, {"./other.sh", "7"}, {"sh", "other.sh", "7"}, {"cat", "rules.sh", "7"}, {"sh", "-c", "rules.sh", "7"}} {
		if of(command...) == same {
			t.Errorf("%q has the same fingerprint", command)
		}
	}
}

// Other weights are another bot, wherever they lie; a number is no file's name.
func TestFingerprintOfOptionFiles(t *testing.T) {
	dir, moved := t.TempDir(), t.TempDir()
	write := func(dir, name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	of := func(value string) string {
		t.Helper()
		print, err := process.Fingerprint(arena.Bot{Builtin: "minimax", Dir: dir, Options: []arena.Option{{Name: "EvalFile", Value: value}}}, "", "1")
		if err != nil {
			t.Fatal(err)
		}
		return print
	}
	none := of("weights")
	write(dir, "weights", "a")
	write(moved, "weights", "a")
	first := of("weights")
	elsewhere := of(filepath.Join(moved, "weights"))
	write(dir, "weights", "b")
	second := of("weights")
	if first == none || first == second || first != elsewhere {
		t.Errorf("no file %s, one %s, the same elsewhere %s, another %s", none, first, elsewhere, second)
	}
	number := of("16")
	write(dir, "16", "a")
	if now := of("16"); now != number {
		t.Error("a file in the folder changes what 16 means")
	}
}

func TestFingerprintBuiltin(t *testing.T) {
	bot := arena.Bot{Builtin: "minimax"}
	one, err := process.Fingerprint(bot, "", "1")
	if err != nil {
		t.Fatal(err)
	}
	two, err := process.Fingerprint(bot, "", "2")
	if err != nil || one == two {
		t.Errorf("version 2 is like 1, %v", err)
	}
	if _, err := process.Fingerprint(arena.Bot{Name: "x"}, "", ""); err == nil {
		t.Error("a bot without a command has a fingerprint")
	}
	if _, err := process.Fingerprint(arena.Bot{Command: []string{"nowhere-to-be-found"}, Dir: t.TempDir()}, "/bin", ""); err == nil {
		t.Error("a bot that does not exist has a fingerprint")
	}
}

func TestSlots(t *testing.T) {
	// Two physical cores with two hyperthreads each, as Linux numbers them.
	smt := []process.CPU{{ID: 0, Core: 0}, {ID: 1, Core: 1}, {ID: 2, Core: 0}, {ID: 3, Core: 1}}
	// As other machines number them: neighbours share a core.
	neighbours := []process.CPU{{ID: 0, Core: 0}, {ID: 1, Core: 0}, {ID: 2, Core: 2}, {ID: 3, Core: 2}}
	for _, test := range []struct {
		cpus, taken []process.CPU
		games, each int
		want        [][]int
	}{
		{smt, nil, 1, 1, [][]int{{0}}},
		{smt, nil, 2, 1, [][]int{{0}, {1}}},
		{smt, nil, 4, 1, [][]int{{0}, {1}, {2}, {3}}},
		{smt, nil, 1, 2, [][]int{{0, 1}}},
		{neighbours, nil, 2, 1, [][]int{{0}, {2}}},
		{neighbours, nil, 3, 1, [][]int{{0}, {2}, {1}}},
		{neighbours[1:], nil, 2, 1, [][]int{{1}, {2}}},
		{neighbours[1:], neighbours[:1], 2, 1, [][]int{{2}, {1}}}, // another run has the first core
	} {
		got, err := process.Slots(test.cpus, test.taken, test.games, test.each)
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%d x %d of %v: %v, %v; want %v", test.games, test.each, test.cpus, got, err, test.want)
		}
	}
	for _, test := range []struct {
		cpus  []process.CPU
		games int
		want  []int
	}{{smt, 1, []int{1, 3}}, {neighbours, 1, []int{2, 3}}, {neighbours, 2, []int{1, 3}}, {smt, 3, []int{3}}, {smt, 4, nil}, {smt, 5, nil}, {nil, 1, nil}} {
		if got := process.IDs(process.Spare(test.cpus, test.games)); !slices.Equal(got, test.want) {
			t.Errorf("spare beside %d games on %v: %v, want %v", test.games, test.cpus, got, test.want)
		}
	}
	if n := process.Cores(neighbours[1:]); n != 2 {
		t.Errorf("%d cores", n)
	}
	for _, wrong := range [][2]int{{5, 1}, {3, 2}, {0, 1}, {1, 0}} {
		if slots, err := process.Slots(smt, nil, wrong[0], wrong[1]); err == nil {
			t.Errorf("%v: %v", wrong, slots)
		}
	}
}
