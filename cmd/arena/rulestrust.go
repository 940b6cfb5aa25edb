package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"botarena/arena"
)

// A database names the rules programs of its games, and may come from anybody. Reading
// it starts only those that were used on this machine before, which are listed in a
// file of the user's.

// rulesKey identifies the command of a rules program. Its contents are identified by
// the name of its game.
func rulesKey(b *arena.Bot) string {
	text, err := json.Marshal([]any{b.Command, b.Args, b.Dir, b.Env, b.Options})
	if err != nil {
		panic(err) // texts
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// playedRules returns the file of the keys, a line each; "" if there is no place for it.
func (a *app) playedRules() string { return a.userFile("XDG_STATE_HOME", "rules") }

// rememberRules records that an event uses a rules program on this machine. If that
// fails, the program counts as unknown.
func (a *app) rememberRules(b *arena.Bot) {
	file := a.playedRules()
	if b == nil || file == "" || a.remembersRules(b) || os.MkdirAll(filepath.Dir(file), 0o700) != nil {
		return
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	_, _ = f.WriteString(rulesKey(b) + "\n")
	_ = f.Close()
}

func (a *app) remembersRules(b *arena.Bot) bool {
	text, err := os.ReadFile(a.playedRules())
	return err == nil && strings.Contains("\n"+string(text), "\n"+rulesKey(b)+"\n")
}

// checkRemembered returns an error if a program that a database names must not be
// started.
func (a *app) checkRemembered(game string, b *arena.Bot) error {
	if a.trustRules || a.remembersRules(b) {
		return nil
	}
	return fmt.Errorf("the rules of %s are a program that the database names and that was never played by here: %q in %s; --trust-rules starts it, --rules names another one",
		arena.PlainName(game), strings.Join(append(append([]string{}, b.Command...), b.Args...), " "), b.Dir)
}
