package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/replay"
	"botarena/arena/standings"
	"botarena/arena/store"
	"botarena/arena/text"
	"botarena/engine"
	"botarena/engine/draw"
)

func (a *app) showCommand() *cobra.Command {
	var onlyMoves, svg, pgn, log, stderr, asJSON bool
	var program string
	cmd := &cobra.Command{
		Use:   "show GAME",
		Short: "Replay a game",
		Long: `Replay a game: the board after each ply, with what its bot said of it. GAME is the
id from "arena games", or EVENT/NUMBER.

--log prints the whole dialogue with both bots, of an event with "log: protocol":
seconds since the start of the game, ">" to the bot or "<" from it, the bot, the
line. --stderr prints what the bots wrote to stderr during the game.`,
		Example: `  arena show 17
  arena show spring/3 --moves
  arena show spring/3 --log
  arena show spring/3 --stderr
  arena show 17 --pgn
  arena show 17 --svg > last.svg`,
		RunE: a.reads(func(cmd *cobra.Command, args []string, s *store.Store) error {
			g, err := findGame(cmd.Context(), s, args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return a.showRecord(cmd.Context(), a.out, s, g, nil)
			}
			catalog, err := a.catalog(cmd.Context(), s, g.Game.Game, program)
			if err != nil {
				return err
			}
			w := bufio.NewWriter(a.out)
			switch {
			case log:
				err = a.showLog(cmd.Context(), w, s, g)
			case stderr:
				err = a.showStderr(w, s, g)
			case pgn:
				err = a.showRecord(cmd.Context(), w, s, g, catalog)
			case svg:
				err = a.show(w, &g.Game, catalog, onlyMoves, svg)
			default:
				w = bufio.NewWriter(raw(a.out)) // a board may have colours
				if err = a.show(w, &g.Game, catalog, onlyMoves, svg); err == nil && !onlyMoves {
					err = showVoids(cmd.Context(), text.NewWriter(w), s, g)
					hint(text.NewWriter(w), s, g, args[0])
				}
			}
			if err != nil {
				return err
			}
			return w.Flush()
		}),
	}
	rulesFlag(cmd, &program)
	cmd.Flags().BoolVar(&onlyMoves, "moves", false, "only the moves, no boards")
	cmd.Flags().BoolVar(&svg, "svg", false, "the last position as SVG")
	cmd.Flags().BoolVar(&pgn, "pgn", false, "the game as PGN, with comments")
	cmd.Flags().BoolVar(&asJSON, "json", false, "the game as JSON, as arena export --format jsonl writes it")
	cmd.Flags().BoolVar(&log, "log", false, "the dialogue with the bots")
	cmd.Flags().BoolVar(&stderr, "stderr", false, "what the bots wrote to stderr, and last of all where one failed")
	cmd.MarkFlagsMutuallyExclusive("json", "moves", "svg", "pgn", "log", "stderr")
	return cmd
}

// findGame returns the game of an id or of EVENT/NUMBER.
func findGame(ctx context.Context, s *store.Store, name string) (*store.Game, error) {
	filter := store.Filter{Moves: true}
	var err error
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		filter.Event = name[:i]
		if filter.Number, err = strconv.Atoi(name[i+1:]); err == nil && filter.Number > 0 {
			_, err = s.Event(ctx, filter.Event)
			if err != nil {
				return nil, err
			}
		}
	} else {
		filter.ID, err = strconv.ParseInt(name, 10, 64)
	}
	if err != nil || filter.ID+int64(filter.Number) <= 0 {
		return nil, usagef("game %q: give an id from `arena games`, or EVENT/NUMBER", name)
	}
	list, err := s.Games(ctx, filter)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, usagef("no game %s; `arena games` lists them", name)
	}
	return &list[0], nil
}

func (a *app) show(w io.Writer, g *arena.Game, catalog engine.Catalog, onlyMoves, svg bool) error {
	game, err := catalog.Lookup(g.Game)
	if err != nil {
		return err
	}
	r, err := replay.New(game, g, [2]arena.TimeControl{})
	if err != nil {
		return fmt.Errorf("game %d: %w", g.ID, err)
	}
	if svg {
		return draw.SVG(w, r.Last().Board, draw.Picture{
			Game:  g.Game,
			Title: fmt.Sprintf("%s - %s, %s, after ply %d", g.First, g.Second, g.Game, len(g.Moves)),
			Desc:  r.Last().Position,
		})
	}
	boards := w
	w = text.NewWriter(boards)
	fmt.Fprintf(w, "%s game %d, round %d: %s (%s) - %s (%s)\n", g.Event, g.Number, g.Round, g.First, r.Sides[0], g.Second, r.Sides[1])
	if o := standings.OpeningText(g.Opening); o != "" {
		fmt.Fprintf(w, "opening: %s\n", strings.TrimSpace(g.Opening.Name+" "+o))
	}
	for side, bot := range []string{g.First, g.Second} {
		if set := g.Options[side]; set != nil {
			fmt.Fprintf(w, "%s plays this game with %s\n", bot, arena.OptionsText(set))
		}
	}
	_, colour := a.terminal(a.out)
	options := draw.Options{Color: colour && a.getenv("NO_COLOR") == ""}
	for i := range r.Frames {
		f := &r.Frames[i]
		switch {
		case onlyMoves && f.Move != nil:
			fmt.Fprintln(w, f.Move.Move)
		case f.Move != nil:
			fmt.Fprintf(w, "\n%d. %s %s%s\n", f.Ply, [2]string{g.First, g.Second}[f.Side], f.Move.Move, f.Move.Remarks())
		}
		if onlyMoves {
			continue
		}
		if err := draw.Text(boards, f.Board, options); err != nil {
			return err
		}
	}
	if onlyMoves {
		return nil
	}
	fmt.Fprintf(w, "\n%s\n", ending(g))
	for side, bot := range []string{g.First, g.Second} {
		if g.OffTurn[side] >= 100*time.Millisecond {
			fmt.Fprintf(w, "%s used %.1f s of CPU, %.1f s of it while the other side was to move\n", bot, g.CPU[side].Seconds(), g.OffTurn[side].Seconds())
		}
	}
	return nil
}

// showVoids lists the void attempts at a game, and their reasons.
func showVoids(ctx context.Context, w io.Writer, s *store.Store, g *store.Game) error {
	voids, err := s.Voids(ctx, g.Event, g.Number)
	for _, v := range voids {
		fmt.Fprintf(w, "attempt %d, %s, did not count: %s\n", v.Attempt, v.At.Format(time.DateTime), v.Detail)
	}
	return err
}

// ending reports how a game ended, in one line.
func ending(g *arena.Game) string {
	if g.Result == arena.Unplayed {
		return "not played yet"
	}
	return fmt.Sprintf("%s: %s", g.Result, standings.EndingText(g.Reason, g.Blame, g.Detail))
}
