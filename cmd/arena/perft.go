package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"botarena/engine"
)

type perftResult struct {
	Game     string            `json:"game"`
	Position string            `json:"position"`
	Depth    int               `json:"depth"`
	Nodes    uint64            `json:"nodes"`
	Seconds  float64           `json:"seconds"`
	Divide   map[string]uint64 `json:"divide,omitempty"`
}

func (a *app) perftCommand() *cobra.Command {
	var position, program string
	var divide, asJSON bool
	cmd := &cobra.Command{
		Use:   "perft [GAME] DEPTH",
		Short: "Count the move paths of a given length",
		Long: `Count the paths of legal moves of DEPTH plies from a position: the standard test
of a move generator. A finished game is not extended, so a path that ends early
is not counted. GAME may be left out where --rules names a program.`,
		Example: `  arena perft breakthrough 6
  arena perft outwit:push 3 --divide
  arena perft owlman 5 --json
  arena perft 4 --rules bots/examples/own_game/connect4_rules.py`,
		RunE: func(cmd *cobra.Command, args []string) error {
			text := args[len(args)-1]
			depth, err := strconv.Atoi(text)
			switch {
			case len(args) == 1 && program == "":
				return usagef("name a game and a depth: arena perft GAME DEPTH, or a depth and --rules PROGRAM")
			case err != nil || depth < 0 || depth > 100:
				return usagef("depth %q: give a whole number from 0 to 100", text)
			}
			game, err := a.lookupGame(cmd.Context(), strings.Join(args[:len(args)-1], ""), program)
			if err != nil {
				return err
			}
			pos, err := positionOf(game, question{Position: position})
			if err != nil {
				return usageError(err)
			}
			return a.perft(pos, depth, divide, asJSON)
		},
	}
	cmd.Flags().StringVar(&position, "position", "", "start from this `position` instead of the game's own start")
	rulesFlag(cmd, &program)
	cmd.Flags().BoolVar(&divide, "divide", false, "count below each first move")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (a *app) perft(pos engine.Position, depth int, divide, asJSON bool) error {
	r := perftResult{Game: pos.Game().Name(), Position: pos.String(), Depth: depth}
	start := a.now()
	if divide && depth > 0 {
		r.Divide = map[string]uint64{}
		for _, b := range engine.PerftDivide(pos, depth) {
			r.Divide[string(pos.AppendMove(nil, b.Move))] = b.Nodes
			r.Nodes += b.Nodes
		}
	} else {
		r.Nodes = engine.Perft(pos, depth)
	}
	r.Seconds = a.now().Sub(start).Seconds()
	if asJSON {
		return json.NewEncoder(a.out).Encode(r)
	}
	for _, m := range slices.Sorted(maps.Keys(r.Divide)) {
		fmt.Fprintf(a.out, "%s: %d\n", m, r.Divide[m])
	}
	fmt.Fprintf(a.out, "%s depth %d: %d nodes in %.3f s", r.Game, depth, r.Nodes, r.Seconds)
	if r.Seconds > 0.001 {
		fmt.Fprintf(a.out, " (%.1f M/s)", float64(r.Nodes)/r.Seconds/1e6)
	}
	fmt.Fprintln(a.out)
	return nil
}
