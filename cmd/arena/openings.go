package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/listing"
	"botarena/arena/openings"
	"botarena/arena/openings/balanced"
	"botarena/arena/text"
	"botarena/engine"
	"botarena/engine/games"
)

func (a *app) openingsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "openings",
		Short: "Make and check books of openings",
		Example: `  arena openings make breakthrough --output book.txt
  arena openings check book.txt --game breakthrough`,
	}
	cmd.AddCommand(a.openingsMakeCommand(), a.openingsListCommand(), a.openingsCheckCommand())
	return cmd
}

func (a *app) openingsMakeCommand() *cobra.Command {
	want := arena.Defaults[arena.Balanced]()
	var seed uint64
	var output, program string
	cmd := &cobra.Command{
		Use:   "make [GAME]",
		Short: "Find random openings that a bot scores as level",
		Long: `Find openings of random moves that a built-in bot, searching to a depth, scores
within a window of level, and write them as a book: one line of moves each. The
same flags make the same book.

An event file that says  openings: {balanced: {plies: 8, count: 100}}  plays the
openings that this command finds with the event's seed.`,
		Example: `  arena openings make breakthrough --output book.txt
  arena openings make outwit --plies 6 --count 50 --depth 5 --window 30 --seed 2`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && program == "" {
				return usagef("name one game: %s", strings.Join(games.All().Names(), ", "))
			}
			game, err := a.lookupGame(cmd.Context(), strings.Join(args, ""), program)
			if err != nil {
				return err
			}
			switch {
			case want.Plies < 0 || want.Depth < 1 || want.Window < 0:
				return usagef("--plies and --window cannot be negative, and --depth is at least 1")
			case want.Count < 1:
				return usagef("--count %d: make at least one opening", want.Count)
			}
			if _, err := judge(want.Bot); err != nil {
				return usageError(err)
			}
			finder := balanced.Finder{Judge: judge, Now: a.now, Tell: func(p balanced.Progress) { tellSearch(a.err, p) }}
			book, err := finder.Find(cmd.Context(), game, want, seed)
			if err != nil {
				return err
			}
			return a.toFile(output, func(w io.Writer) error {
				header, err := finder.Header(game, want, seed)
				if err != nil {
					return err
				}
				return openings.Write(w, book, header...)
			})
		},
	}
	rulesFlag(cmd, &program)
	f := cmd.Flags()
	f.IntVar(&want.Plies, "plies", want.Plies, "so many random `plies`")
	f.IntVar(&want.Count, "count", want.Count, "the `number` of openings to find")
	f.Uint64Var(&seed, "seed", 1, "of the random moves: a `number`")
	f.StringVar(&want.Bot, "bot", want.Bot, "the built-in `bot` that scores them")
	f.IntVar(&want.Depth, "depth", want.Depth, "how many `plies` deep it searches")
	f.IntVar(&want.Window, "window", want.Window, "`centipawns` at most from level")
	f.StringVarP(&output, "output", "o", "", "write to this `file` instead of stdout")
	return cmd
}

func (a *app) openingsListCommand() *cobra.Command {
	var game, program string
	var output outputFlags
	cmd := &cobra.Command{
		Use:   "list FILE --game GAME",
		Short: "List the openings of a book, and where they lead",
		Example: `  arena openings list configs/openings/outwit.txt --game outwit
  arena openings list book.pgn --game chess --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			g, lines, err := a.bookLines(cmd.Context(), args[0], game, program)
			if err != nil {
				return err
			}
			return output.print(a, lines, func() listing.Table { return openings.Table(args[0], g, lines) })
		},
	}
	gameFlag(cmd, &game, &program)
	output.register(cmd)
	return cmd
}

// bookJSON is a book as `arena openings check --json` prints it.
type bookJSON struct {
	File     string `json:"file"`
	Game     string `json:"game"`
	Openings int    `json:"openings"`
	Repeated int    `json:"repeated"` // lead to the position of another
}

func (a *app) openingsCheckCommand() *cobra.Command {
	var game, program string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check FILE --game GAME",
		Short: "Check a book against the rules and name every bad line",
		Long: `Play every opening of a book by the rules, as an event that uses it would do
before its first game. Each bad line is named with its number and what is wrong.

A book has one opening a line: a position, moves, or a position, the word moves
and moves; then, if you like, a semicolon and a name. Lines that begin with # are
comments. Chess books may be EPD, and books of any game may be PGN.

Exit codes: 0 all lines are good, 2 some are not.`,
		Example: "  arena openings check book.txt --game breakthrough",
		RunE: func(cmd *cobra.Command, args []string) error {
			g, lines, err := a.bookLines(cmd.Context(), args[0], game, program)
			if err != nil {
				return err
			}
			positions := map[string]int{}
			for _, l := range lines {
				positions[l.Leads]++
			}
			again := len(lines) - len(positions)
			if asJSON {
				return a.printJSON(bookJSON{args[0], g.Name(), len(lines), again})
			}
			text := fmt.Sprintf("%s: ok: %d openings of %s", args[0], len(lines), g.Name())
			if again > 0 {
				text += fmt.Sprintf(", %d of them lead to the position of another", again)
			}
			fmt.Fprintln(a.out, text)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	gameFlag(cmd, &game, &program)
	return cmd
}

// gameFlag is the flag of the game of a book, by its name or by its rules.
func gameFlag(cmd *cobra.Command, game, program *string) {
	cmd.Flags().StringVarP(game, "game", "g", "", "the `game` that the book is for")
	rulesFlag(cmd, program)
	cmd.MarkFlagsOneRequired("game", "rules")
}

// bookLines reads a book and plays its openings.
func (a *app) bookLines(ctx context.Context, file, name, program string) (engine.Game, []openings.Line, error) {
	game, err := a.lookupGame(ctx, name, program)
	if err != nil {
		return nil, nil, err
	}
	data, err := openings.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	book, err := openings.ReadAny(data, file, game)
	if err != nil {
		return nil, nil, usageError(err)
	}
	lines, err := openings.Lines(game, book)
	return game, lines, err
}

// tellSearch prints the progress of a search for balanced openings.
func tellSearch(w io.Writer, p balanced.Progress) {
	if p.Done {
		fmt.Fprintf(w, "openings of %s: %d found, %d scored by %s at depth %d, %s\n",
			p.Game, p.Found, p.Scored, p.Want.Bot, p.Want.Depth, text.Duration(p.Took.Round(10*time.Millisecond)))
		return
	}
	fmt.Fprintf(w, "openings of %s: %d of %d found, %d scored, %s\n", p.Game, p.Found, p.Want.Count, p.Scored, text.Duration(p.Took))
}
