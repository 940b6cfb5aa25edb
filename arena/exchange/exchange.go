// Package exchange writes and reads played games in the formats of other programs: PGN
// for chess tools and rating programs, CSV for spreadsheets, JSON Lines with everything
// in the record.
//
// # PGN
//
// A game has the seven standard tags, then Variant (the game's name, for all but
// chess), SetUp and FEN (if the game does not begin at its own start), TimeControl,
// Termination, PlyCount and GameId ("EVENT/NUMBER"), and, as far as they are known,
// WhiteEngine and BlackEngine (the programs that play) with their options in
// WhiteOptions and BlackOptions ("Hash=16; Threads=1"). The first side is White,
// whatever the game calls it. Moves of chess are in standard algebraic notation, those
// of other games in their own.
//
// An opening of moves is written as moves, at the head of the game: tools that
// look for openings, positions or lengths of games see the whole game, and
// programs that pair games by FEN see none if there is none. Only an opening
// that begins at a position has a FEN.
//
// Termination has the words of the standard: normal (the rules or a resignation),
// adjudication (the move limit too), time forfeit, rules infraction (an illegal move, a
// breach of the protocol), abandoned (a crash or a stall). TimeControl is "60+0.5",
// "40/60", "1/0.1" for a fixed time a move, "-" if only nodes or depth are limited, "?"
// if it is not known; bots with clocks of their own have WhiteTimeControl and
// BlackTimeControl.
//
// # JSON Lines
//
// One object a line is one game, by event and number; [Line] names the members. Times
// are in seconds, to the microsecond; scores are of the mover, in centipawns, and mates
// in moves. The first game of each event carries the event's settings as YAML, without
// the private ones: commands, folders, environment and options of the bots.
//
// [Inspect] reads such a file and checks each game against the rules, and an [Importer]
// puts what it found into a database. What was read and is written again is the same,
// byte for byte. [Export] writes games of a database in each format, and an [Appender]
// those of an event while it runs.
//
// # Positions
//
// A [Positions] writes the positions of games in the lines of package
// botarena/protocol/positions, with the score that the bot which moved there told.
//
// # Results
//
// A [ResultsReader] reads the data for rating (players and result) of games from any
// source:
//
//   - PGN, of any game: the tags White, Black and Result of each game; the moves
//     are skipped, comments and variations included (see package pgn). Where Result
//     is missing, the result that ends the moves stands in.
//   - CSV with the columns first, second, result and pair (optional). The first
//     record may be a header, which then names the columns in any order; white
//     and black are other names of first and second. Of the other columns, event,
//     first_version and first_fingerprint (and those of second) are looked at.
//     Lines that begin with # are comments, but not below a header with a column
//     event, since an event may be named so.
//   - JSON Lines: one object a line with first (or white), second (or black),
//     result and pair (optional; a string or a number), and the same others as CSV.
//
// Texts that are kept of a game (names, fingerprints, event, pair) have at most 16 KiB.
//
// A result is 1-0, 0-1 or 1/2-1/2; in CSV and JSON also the points of the first side,
// 1, 0, 0.5 or 1/2. A * is an unfinished game: it is skipped and counted. So are games
// of a player against itself. Anything else is a [ParseError] in CSV and JSON, which
// programs write: a bad line means that the file is not what it seems. PGN comes from
// everywhere, so an unreadable game is skipped, reported and counted; it is an error
// only if no game can be read, or if the reader is strict. Nothing is left out
// silently.
//
// Versions of a bot are told apart by fingerprint, else by version number: each is a
// player of its own, "bot v2". A bot that is itself called so keeps its name; the
// version is then "bot v2'".
//
// Games of the same two players, event and pair value in one file are a pair. PGN
// has no such value: there a game is joined with the next one of the same two
// players and event with sides swapped and the same FEN tag (or both without one).
package exchange

import (
	"fmt"
	"slices"
	"strings"

	"botarena/arena"
	"botarena/engine"
)

// A Game is a played game with what is known of its bots and its event.
type Game struct {
	arena.Game
	Versions [2]Version           // of the first and the second bot
	Clocks   [2]arena.TimeControl // of the first and the second bot; zero where not known
	Engines  [2]Engine            // of the first and the second bot; empty where not known
	Config   string               // settings of the event, in the first game of it alone
}

// An Engine is the program that plays as a bot.
type Engine struct {
	Name    string
	Options string // "Hash=16; Threads=1", as they are set, without folders
}

// Describe fills in both sides' clocks and engines from the settings of the game's
// event.
func (g *Game) Describe(e *arena.Event) {
	g.Clocks = e.Clocks(&g.Game)
	for side, name := range []string{g.First, g.Second} {
		if i := arena.BotIndex(e.Bots, name); i >= 0 {
			g.Engines[side] = engineOf(&e.Bots[i])
		}
	}
}

func engineOf(b *arena.Bot) Engine {
	var e Engine
	switch {
	case b.Builtin != "":
		e.Name = b.Builtin
	case !slices.Equal(b.Command, []string{NotExported}):
		e.Name = arena.NameOf(b.Command)
	}
	if b.Version != "" && e.Name != "" {
		e.Name += " " + b.Version
	}
	var options []string
	for _, o := range b.Options {
		value := o.Value[strings.LastIndexAny(o.Value, `/\`)+1:] // where files lie is nobody else's business
		options = append(options, o.Name+"="+value)
	}
	e.Options = strings.Join(options, "; ")
	return e
}

// A Version is a bot with one fingerprint.
type Version struct {
	Number      int // in the order in which the database saw them; 0 if not known
	Fingerprint string
	Label       string // the version's own name, where it has one
}

// A Writer writes games in one format. Flush once at the end.
type Writer interface {
	Write(*Game) error
	Flush() error
}

// A rulebook returns games by name and keeps them, since opening one may take long.
type rulebook struct {
	catalog engine.Catalog
	known   map[string]engine.Game
}

func newRulebook(c engine.Catalog) rulebook { return rulebook{c, map[string]engine.Game{}} }

func (g rulebook) lookup(name string) (engine.Game, error) {
	if game, ok := g.known[name]; ok {
		return game, nil
	}
	game, err := g.catalog.Lookup(name)
	if err != nil {
		return nil, err
	}
	g.known[name] = game
	return game, nil
}

// start sets up the position that an opening begins at, before its moves.
func start(game engine.Game, o arena.Opening) (engine.Position, error) {
	if o.Position == "" {
		return game.Start(), nil
	}
	pos, err := game.Parse(o.Position)
	if err != nil {
		return nil, fmt.Errorf("opening: %w", err)
	}
	return pos, nil
}
