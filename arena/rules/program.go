package rules

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/process"
	"botarena/arena/process/sandbox"
	"botarena/arena/session"
	"botarena/engine"
)

// NameOf returns the name under which games are recorded whose rules are the program b:
// see arena.RulesName. `./rules.py` and `python3 rules.py` are one game. A name with a
// fingerprint must match the program's. path is the PATH for programs.
func NameOf(name string, b *arena.Bot, path string) (string, error) {
	print, err := process.FingerprintScript(*b, path)
	if err != nil {
		return "", fmt.Errorf("the rules of %s: %w", arena.PlainName(name), err)
	}
	full := arena.RulesName(name, print)
	if strings.Contains(name, "@") && name != full {
		return "", fmt.Errorf("the rules of %s are another program now, or it reads something else: they make it %s, which is another game to the ratings; bring the program back, or leave out what follows the @", name, full)
	}
	return full, nil
}

// ConfigOf returns the configuration that starts the program b, in its sandbox and with
// its limits, for a game of that recorded name, pinned to cpus; nil for no pinning.
func ConfigOf(starter *process.Starter, name string, b *arena.Bot, cpus []int, now func() time.Time) Config {
	spec := process.SpecOf(*b, "")
	spec.CPUs = cpus
	plain, print, _ := strings.Cut(name, "@")
	return Config{
		Name: plain, Print: print, Command: strings.Join(b.Command, " "), Options: b.Options, Now: now,
		Start: func(ctx context.Context, stderr *session.Tail) (session.Process, error) {
			own := spec
			own.Stderr = stderr
			p, err := starter.Start(ctx, own)
			if err != nil {
				return nil, err // a nil *Process must not hide in the interface
			}
			return p, nil
		},
	}
}

// EntryVariable is the environment variable that names a built-in bot's rules program.
// It is not an argument, since every user of the machine can read those.
const EntryVariable = "ARENA_RULES_ENTRY"

// ExitStatus is the exit status of a built-in bot whose rules program failed.
const ExitStatus = 3

// An Entry is a game and the program that knows its rules.
type Entry struct {
	Game    string
	Program arena.Bot
}

// DecodeEntry reads an Entry as Asking writes it.
func DecodeEntry(text string) (Entry, error) {
	var e Entry
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		return e, fmt.Errorf("%s: %w", EntryVariable, err)
	}
	return e, nil
}

// Asks reports whether a bot uses a rules program in a process of its own: a built-in
// bot that does not know the game.
func Asks(bot *arena.Bot, game string, program *arena.Bot, catalog engine.Catalog) bool {
	_, err := catalog.Lookup(arena.PlainName(game))
	return bot.Builtin != "" && program != nil && err != nil
}

// Asking returns a bot as started for a game. A bot that Asks gets the program (nil for
// none) in its environment and starts it in the program's own sandbox and limits. A
// strict sandbox of the bot applies to both, and shows what the program needs; the
// program's limits are then at most the bot's, and the limit of processes is the bot's,
// since it counts both.
func Asking(bot arena.Bot, game string, program *arena.Bot, catalog engine.Catalog) arena.Bot {
	if !Asks(&bot, game, program, catalog) {
		return bot
	}
	rules := *program
	bot.Dir = rules.Dir
	if bot.Sandbox == arena.SandboxStrict {
		bot.SandboxRead = slices.Concat(bot.SandboxRead, rules.SandboxRead)
		for _, word := range slices.Concat(rules.Command, rules.Args) {
			bot.SandboxRead = append(bot.SandboxRead, sandbox.Named(rules.Dir, word)...)
		}
		if bot.Within != nil {
			bot.Within = slices.Concat(bot.Within, rules.Within)
		}
		rules.Sandbox, rules.Limits.Processes = arena.SandboxNone, 0
	}
	rules.Limits = rules.Limits.Below(bot.Limits)
	rules.Within = nil
	entry, err := json.Marshal(Entry{Game: arena.PlainName(game), Program: rules})
	if err != nil {
		panic(err) // texts and numbers
	}
	bot.Env = slices.Concat(bot.Env, []string{EntryVariable + "=" + string(entry)})
	return bot
}
