// Command calibrate rates the levels of minimax, game by game, in a pool of arena's
// built-in bots, and writes the table that `arena bots levels` shows:
//
//	go run ./bots/calibrate [--rounds N] GAME...
//
// The games are played by arena itself, as an event in the folder --dir: run the same
// command again to go on after an interruption. A bot's change of play makes it another
// one, so calibrate again, in a new folder, when minimax or its levels have changed.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

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
	flags := flag.NewFlagSet("calibrate", flag.ContinueOnError)
	flags.SetOutput(log)
	rounds := flags.Int("rounds", 20, "pairs of games of each pairing")
	dir := flags.String("dir", filepath.Join("results", "levels"), "where the events and their database are kept")
	file := flags.String("file", filepath.Join("bots", "builtin", "ratings.json"), "the table to write")
	arena := flags.String("arena", "", "the arena to play with (default: go run ./cmd/arena)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 || *rounds < 1 {
		return errors.New("name the games to calibrate, and at least one round")
	}
	command := strings.Fields(*arena)
	if *arena == "" {
		command = []string{"go", "run", "./cmd/arena"}
	}
	if err := os.MkdirAll(*dir, 0o755); err != nil {
		return err
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
		game, err := games.All().Lookup(name)
		if err != nil {
			return err
		}
		config := filepath.Join(*dir, strings.ReplaceAll(game.Name(), ":", "-")+".yaml")
		if err := os.WriteFile(config, []byte(event(game.Name(), *rounds)), 0o644); err != nil {
			return err
		}
		db := filepath.Join(*dir, "levels.db")
		play := exec.Command(command[0], append(command[1:], "run", config, "--db", db)...)
		play.Stdout, play.Stderr = log, log
		if err := play.Run(); err != nil {
			return fmt.Errorf("play the pool of %s: %w", name, err)
		}
		read := exec.Command(command[0], append(command[1:], "leaderboard", "--event", eventName(game.Name()), "--db", db, "--json")...)
		read.Stderr = log
		board, err := read.Output()
		if err != nil {
			return fmt.Errorf("rate the pool of %s: %w", name, err)
		}
		if pools[game.Name()], err = pool(board); err != nil {
			return err
		}
		tell(out, game.Name(), pools[game.Name()])
	}
	if data, err = json.MarshalIndent(pools, "", "\t"); err != nil {
		return err
	}
	return os.WriteFile(*file, append(data, '\n'), 0o644)
}

func eventName(game string) string { return "levels of " + game }

// event is a round robin of random, the levels and greedy, from random openings. The
// clock is for greedy and random, which do not look at it.
func event(game string, rounds int) string {
	var text strings.Builder
	fmt.Fprintf(&text, "event: %s\ngame: %q\nformat: round-robin\nrounds: %d\nseed: 1\nopenings: {random: 4}\nclock: {nodes: 1000000}\nbots:\n", eventName(game), game, rounds)
	text.WriteString("  - {name: random, builtin: random}\n  - {name: greedy, builtin: greedy}\n")
	for level := 1; level <= builtin.Levels; level++ {
		fmt.Fprintf(&text, "  - {name: level %d, builtin: minimax, options: {%s: %d}}\n", level, builtin.OptionLevel, level)
	}
	return text.String()
}

// pool reads the ratings of a leaderboard, in its order.
func pool(board []byte) ([]builtin.Rating, error) {
	var read struct {
		Bots []struct {
			Bot   string
			Elo   float64
			Error float64
			Games int
		}
	}
	if err := json.Unmarshal(board, &read); err != nil {
		return nil, fmt.Errorf("read the leaderboard: %w", err)
	}
	var pool []builtin.Rating
	for _, b := range read.Bots {
		r := builtin.Rating{Bot: b.Bot, Elo: math.Round(b.Elo), Error: math.Round(b.Error), Games: b.Games}
		if _, err := fmt.Sscanf(b.Bot, "level %d", &r.Level); err == nil {
			r.Bot = "minimax"
		}
		pool = append(pool, r)
	}
	return pool, nil
}

// tell prints the distances between neighbours, from random up.
func tell(out io.Writer, game string, pool []builtin.Rating) {
	elo := map[int]float64{}
	for _, r := range pool {
		if r.Bot == "minimax" || r.Bot == "random" {
			elo[r.Level] = r.Elo
		}
	}
	fmt.Fprintf(out, "%s: from random up", game)
	for level := 1; level <= builtin.Levels; level++ {
		fmt.Fprintf(out, " %+.0f", elo[level]-elo[level-1])
	}
	fmt.Fprintln(out)
}
