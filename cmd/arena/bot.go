package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"botarena/bots/builtin"
	"botarena/bots/kit"
	"botarena/engine/games"
)

func (a *app) botCommand() *cobra.Command {
	long := "Run a built-in bot, speaking UGI (or UCI) on stdin and stdout. arena starts its\nbuilt-in bots this way, as programs like any other.\n\n"
	for _, b := range builtin.All() {
		long += fmt.Sprintf("  %-8s %s\n", b.Name, b.What)
	}
	return &cobra.Command{
		Use:   "bot NAME",
		Short: "Run a built-in bot on stdin and stdout",
		Long:  long,
		Example: `  arena bot minimax
  printf 'ugi\nposition startpos\ngo depth 4\n' | arena bot minimax`,
		Args:      cobra.ExactArgs(1),
		ValidArgs: builtin.Names(),
		RunE: func(_ *cobra.Command, args []string) error {
			b, err := builtin.Find(args[0])
			if err != nil {
				return usageError(err)
			}
			return kit.Run(b.New(games.All()), a.in, a.out, a.now)
		},
	}
}
