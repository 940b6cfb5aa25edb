// Command train learns the tables that minimax judges games by: it lets the bot play
// itself, fits a table to the games, plays the new table against the last one, and
// continues from the new one if it is stronger. A new weight differs from the last one
// only if many positions support that, since nearly level games contain much noise.
//
//	go run ./bots/train breakthrough
//
// The games are limited by nodes, so that the same seed gives the same games on any
// machine. The work is kept in --dir: run the same command again to resume it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"botarena/bots/learnt"
	"botarena/engine"
	"botarena/engine/games"
)

func main() {
	err := run(os.Args[1:], os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

// A plan holds the command line's settings.
type plan struct {
	game        engine.Game
	form        *learnt.Form
	dir         string
	start       string
	data        []string // files to learn from instead of playing; nil plays
	seed        uint64
	generations int
	games       []int    // of each generation; the last number goes on
	nodes       [2]int64 // from, to
	window      int
	epochs      int
	lambda      float64
	result      float64
	rate        float64
	prior       float64
	pairs       int
	matchNodes  int64
	threads     int
	log         io.Writer
}

func run(args []string, log io.Writer) error {
	p := plan{log: log}
	flags := flag.NewFlagSet("train", flag.ContinueOnError)
	flags.SetOutput(log)
	flags.Usage = func() {
		fmt.Fprintln(log, "usage: train [flags] GAME\n\nGAME is Breakthrough of any size, Outwit or Owlman with their variants.")
		flags.PrintDefaults()
	}
	flags.StringVar(&p.dir, "dir", "", "where games and tables are kept (default results/train/GAME)")
	flags.StringVar(&p.start, "start", "hand", "the first table: hand, built-in or a file")
	flags.Func("data", "learn from the positions in this file instead of playing, once; may be given again: what\narena datagen and arena export --format positions write", func(file string) error {
		p.data = append(p.data, file)
		return nil
	})
	flags.Uint64Var(&p.seed, "seed", 1, "of openings and bots")
	flags.IntVar(&p.generations, "generations", 6, "how often to play and to fit")
	count := flags.String("games", "1500,3000,6000", "games of each generation, separated by commas; the last number is that of all later ones.\nThe first tables say little, and little is lost by learning them from few games")
	flags.Int64Var(&p.nodes[0], "nodes-from", 500, "fewest nodes a move; each game draws its own number")
	flags.Int64Var(&p.nodes[1], "nodes-to", 2500, "most nodes a move")
	flags.IntVar(&p.window, "window", 3, "how many generations' games to fit to")
	flags.IntVar(&p.epochs, "epochs", 12, "how often to go through them")
	flags.Float64Var(&p.lambda, "lambda", 0, "how much what comes later in the game says of a position, the result at its end:\n0 the search's score of the position alone, 1 the result alone")
	flags.Float64Var(&p.result, "result", 0, "share of the game's result in the target besides")
	flags.Float64Var(&p.rate, "rate", 0.06, "first step of AdaGrad; the last is near 0")
	flags.Float64Var(&p.prior, "prior", 300, "how hard a weight is held to the last table's: where four times so many positions speak of it,\nwhat is learnt is believed by half; 0 for not at all")
	flags.IntVar(&p.pairs, "pairs", 100, "pairs of games between a new table and the last one")
	flags.Int64Var(&p.matchNodes, "match-nodes", 3000, "nodes a move in those")
	flags.IntVar(&p.threads, "threads", 1, "games at once")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		flags.Usage()
		return flag.ErrHelp
	}
	for text := range strings.SplitSeq(*count, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return fmt.Errorf("--games %s: %q must be a positive number", *count, text)
		}
		p.games = append(p.games, n)
	}
	g, err := games.All().Lookup(flags.Arg(0))
	if err != nil {
		return err
	}
	p.game = g
	if p.form, err = learnt.FormOf(g); err != nil {
		return err
	}
	if p.nodes[0] < 1 || p.nodes[1] < p.nodes[0] || p.threads < 1 || p.window < 1 || p.pairs < 1 {
		return errors.New("--nodes-from, --nodes-to (no less), --threads, --window and --pairs must be positive")
	}
	for _, share := range []struct {
		name string
		of   float64
	}{{"lambda", p.lambda}, {"result", p.result}} {
		if !(share.of >= 0 && share.of <= 1) {
			return fmt.Errorf("--%s %v: it is a share, from 0 to 1", share.name, share.of)
		}
	}
	if p.data != nil {
		p.generations = 1
	}
	if p.dir == "" {
		p.dir = filepath.Join("results", "train", strings.ReplaceAll(g.Name(), ":", "-"))
	}
	return p.train()
}

// first returns the table to begin with, nil for rules of thumb.
func (p *plan) first() ([]byte, error) {
	switch p.start {
	case "hand":
		return nil, nil
	case "built-in":
		table := learnt.Table(p.game)
		if table == nil {
			return nil, fmt.Errorf("no table for %s comes with arena; begin with --start hand", p.game.Name())
		}
		return table, nil
	}
	return os.ReadFile(p.start)
}

// train makes the generations one after another. Each has a folder with its games, its
// table and the match's result.
func (p *plan) train() error {
	best, err := p.first()
	if err != nil {
		return err
	}
	var shards [][]string
	for g := 1; g <= p.generations; g++ {
		dir := filepath.Join(p.dir, fmt.Sprintf("generation-%02d", g))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		made, err := p.play(dir, g, best)
		if err != nil {
			return err
		}
		shards = append(shards, made)
		if len(shards) > p.window {
			shards = shards[1:]
		}
		file := filepath.Join(dir, "table")
		table, err := os.ReadFile(file)
		if errors.Is(err, os.ErrNotExist) {
			if table, err = p.fit(shards, best, g); err == nil {
				err = write(file, table)
			}
		}
		if err != nil {
			return err
		}
		stronger, err := p.compare(dir, table, best)
		if err != nil {
			return err
		}
		if stronger {
			best = table
		}
	}
	if best == nil {
		fmt.Fprintln(p.log, "no table was stronger than rules of thumb")
		return nil
	}
	file := filepath.Join(p.dir, "table")
	if err := write(file, best); err != nil {
		return err
	}
	fmt.Fprintf(p.log, "the best table is %s; try it: arena bot minimax with the option EvalFile\n", file)
	return nil
}

// write writes a file atomically.
func write(file string, data []byte) error {
	if err := os.WriteFile(file+".new", data, 0o644); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}
