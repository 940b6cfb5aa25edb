// Command calibrate rates the levels of minimax, game by game, in a pool with random
// and greedy, and writes the table that `arena bots` shows:
//
//	go run ./cmd/calibrate [--rounds N] GAME...
//
// The levels look at so many nodes, so that they play the same here, in one process,
// as over pipes, and the same command makes the same table on every machine. Whoever
// changes how minimax or a level plays calibrates again.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"botarena/arena/rating"
	"botarena/bots/builtin"
	"botarena/engine/games"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "calibrate:", err)
		}
		os.Exit(1)
	}
}

func run(args []string, out, log io.Writer) error {
	p := pool{log: log}
	flags := flag.NewFlagSet("calibrate", flag.ContinueOnError)
	flags.SetOutput(log)
	flags.IntVar(&p.rounds, "rounds", 40, "pairs of games of each pairing")
	flags.IntVar(&p.near, "near", 2, "how far apart in the order of the levels two of them meet; greedy meets all")
	flags.IntVar(&p.threads, "threads", 1, "games at once")
	flags.Uint64Var(&p.seed, "seed", 1, "of openings and bots")
	file := flags.String("file", filepath.Join("bots", "builtin", "ratings.json"), "the table to write, of which the other games stay")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 || p.rounds < 1 || p.near < 1 || p.threads < 1 {
		return errors.New("name the games to calibrate; --rounds, --near and --threads must be positive")
	}
	pools := map[string][]builtin.Rating{}
	data, err := os.ReadFile(*file)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, &pools); err != nil {
		return fmt.Errorf("%s: %w", *file, err)
	}
	for _, name := range flags.Args() {
		if p.game, err = games.All().Lookup(name); err != nil {
			return err
		}
		table, err := p.play()
		if err != nil {
			return fmt.Errorf("%s: %w", p.game.Name(), err)
		}
		pools[p.game.Name()] = ratings(p.game.Name(), table)
		tell(out, p.game.Name(), table)
		if data, err = json.MarshalIndent(pools, "", "\t"); err != nil {
			return err
		}
		if err := os.WriteFile(*file, append(data, '\n'), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// ratings returns what a pool says, in its order, in whole Elo.
func ratings(game string, table *rating.Table) []builtin.Rating {
	of := map[string]player{}
	for _, e := range entries() {
		of[e.name] = e
	}
	levels := builtin.LevelsOf(game)
	var list []builtin.Rating
	for _, b := range table.Players {
		e := of[b.Name]
		r := builtin.Rating{Bot: e.bot, Level: e.level, Elo: math.Round(*b.Elo), Error: math.Round(*b.Error), Games: b.Games}
		if e.level > 0 {
			r.At = levels[e.level-1]
		}
		list = append(list, r)
	}
	return list
}

// tell prints the distances between neighbours, from random up, each with its error
// and the likelihood that the upper one is stronger.
func tell(out io.Writer, game string, table *rating.Table) {
	fmt.Fprintf(out, "%s: %d games, from random up", game, table.Games)
	below := randomName
	for level := 1; level <= builtin.Levels; level++ {
		name := levelName(level)
		elo, wide, los, _ := table.Compare(name, below)
		fmt.Fprintf(out, ", %+.0f ± %.0f (LOS %.1f %%)", elo, wide, 100*los)
		below = name
	}
	fmt.Fprintln(out)
}
