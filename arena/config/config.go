// Package config reads an event from a YAML file.
//
// Reading is strict: an unknown key, a key given twice, a value of the wrong
// kind or whatever arena.Event's Validate says against the event is a [Problem]
// with line and column, and all problems of a file are reported together as
// [*Errors].
// configs/reference.yaml shows every key with a comment; [Keys] lists them.
//
// A minimal event names a game and two bots:
//
//	game: breakthrough
//	bots:
//	  - builtin: minimax
//	  - builtin: mcts
//
// # Defaults
//
// The event is named after its file; the format is round-robin with one round;
// both games of a pair start from the game's own start; every bot has 100ms a
// move unless the event or the bot has a clock; concurrency is auto. A Swiss
// event has as many rounds as it takes to single out a winner: the binary
// logarithm of the number of bots, rounded up. [Default] holds the rest.
//
// # Rules
//
// A game that arena does not know has a name and a program that knows its rules:
//
//	game: {name: hex, rules: [python3, hex_rules.py]}
//
// The program is a command, like a bot's, or a mapping with command and some of a bot's
// other keys. It runs in the file's folder unless dir is given.
//
// # Bots
//
// A bot is either builtin or a command; one without a name has that of the built-in
// bot, the script or the program. A command is a list, or a string that [SplitCommand]
// cuts into words. A command runs in dir, by default the file's folder; if dir is
// given, a program with a slash in its name is looked up in the file's folder first.
//
// A clock is a mapping, or a text as [ParseClock] reads it (10s+100ms, 40/60+0.6).
// A bot's clock replaces the event's, but for the margin where it names none. Of
// options and limits a bot's own replace the event's of the same name and leave
// the others; sandbox and restart of a bot replace the event's.
package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"botarena/arena"
	"botarena/engine"
)

// The defaults that are not zero.
const (
	defaultMargin = 50 * time.Millisecond
	defaultMove   = 100 * time.Millisecond
)

const maxSize = 1 << 20 // bytes of a file

// Known holds the names that a file's names are checked against.
type Known struct {
	// Catalog holds the games that exist; nil accepts any name.
	Catalog engine.Catalog
	// Builtins holds the names of the built-in bots; nil accepts any.
	Builtins []string
	// IsFile reports whether a path names a file, to find a program in the event file's
	// folder; nil finds none.
	IsFile func(path string) bool
	// Problems returns what is wrong with an event on this machine, such as folders that
	// are not there; nil does not look. The event may be invalid otherwise.
	Problems func(*arena.Event) []arena.Problem
	// Registered returns the bot that an event enters by its registered name; nil finds
	// none.
	Registered func(event, name string) (arena.Bot, error)
	// Block is a mapping beside the event's keys, for a command that wants more of a file
	// than the event; nil: there is none.
	Block *Block
}

// A Block is settings of one key at the top of an event file.
type Block struct {
	Key  string
	Into any // points to a struct of settings, which has its defaults
	// Check returns what is wrong with the settings once they are read, by their keys within
	// the block; nil does not look.
	Check func(*arena.Event) []arena.Problem
}

// Names returns the names for arena.Event's Validate.
func (k Known) Names() arena.Known { return arena.Known{Catalog: k.Catalog, Builtins: k.Builtins} }

// Default returns an event with all defaults, without a name, a game or bots.
func Default() arena.Event {
	e := arena.Defaults[arena.Event]()
	e.Clock.Move = defaultMove
	return e
}

// DefaultBot returns a bot with all defaults, without a name or a program.
func DefaultBot() arena.Bot { return arena.Defaults[arena.Bot]() }

// Load reads the event file at path. Its errors are those of reading the file
// and *Errors.
func Load(path string, known Known) (arena.Event, error) {
	f, err := os.Open(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return arena.Event{}, fmt.Errorf("%w: give the path of an event file, such as configs/quickstart.yaml", err)
		}
		return arena.Event{}, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return arena.Event{}, fmt.Errorf("read event file: %w", err)
	}
	folder, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return arena.Event{}, fmt.Errorf("find the folder of %s: %w", path, err)
	}
	return Read(data, path, folder, known)
}

// Read reads the text of an event file. file is its path in messages and the event's
// default name; relative paths in it start from folder. The error is *Errors.
func Read(data []byte, file, folder string, known Known) (arena.Event, error) {
	r := readAll(data, file, folder, known)
	if len(r.problems) > 0 {
		return arena.Event{}, newErrors(file, r.problems)
	}
	return r.Event, nil
}

func readAll(data []byte, name, folder string, known Known) *reader {
	d := &decoder{at: map[string]*yaml.Node{}, left: maxNodes}
	r := &reader{decoder: d, file: file{Event: Default(), All: arena.Defaults[forAll]()}, folder: folder, known: known}
	if root := d.parse(data); root == nil || !r.read(root, name) {
		r.written = len(d.problems)
	}
	return r
}

// parse returns the root of the only document, or nil after a problem.
func (d *decoder) parse(data []byte) *yaml.Node {
	if len(data) > maxSize {
		d.problem(Problem{Why: "the file is larger than 1 MiB; an event file is a few kB"})
		return nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		d.problem(Problem{Line: 1, Column: 1, Why: "the file is empty; an event names at least a game and two bots"})
		return nil
	case err != nil:
		d.syntax(err)
		return nil
	}
	switch err := dec.Decode(&second); {
	case err == nil:
		d.problem(Problem{Line: second.Line, Column: second.Column, Why: "a second document begins here; one file holds one event"})
		return nil
	case !errors.Is(err, io.EOF):
		d.syntax(err)
		return nil
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		d.problem(Problem{Line: 1, Column: 1, Why: "the file is empty; an event names at least a game and two bots"})
		return nil
	}
	return doc.Content[0]
}

// DefaultRules returns a rules program with all defaults, without a command.
func DefaultRules() arena.Bot {
	return arena.Bot{Sandbox: arena.SandboxNone}
}

// eventName makes an event's name of its file's.
func eventName(file string) string {
	base := filepath.Base(file)
	return strings.TrimSuffix(base, filepath.Ext(base))
}
