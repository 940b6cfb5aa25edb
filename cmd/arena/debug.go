package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botarena/arena/casual/console"
)

func (a *app) debugCommand() *cobra.Command {
	var game, program string
	var hello time.Duration
	cmd := &cobra.Command{
		Use:   "debug BOT [ARGUMENT...]",
		Short: "Talk to a bot interactively",
		Long: `Talk to a bot interactively, and see the board and the whole dialogue: seconds since
the start, > to the bot, < from it. Works from a pipe, too: a command waits until
the bot has answered the go before it.

  ` + strings.ReplaceAll(console.DebugHelp, "\n", "\n  ") + `

` + botHelp + `

Exit codes: 0 done, 1 the bot failed, 2 wrong usage, 130 interrupted.`,
		Example: `  arena debug first_bot.py
  printf 'a2a3\nh7h6\ngo depth 4\nplay\n' | arena debug minimax`,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			interrupts, stop := a.signals()
			defer stop()
			wanted, err := a.wanted(cmd.Context(), game, program)
			if err != nil {
				return err
			}
			t, err := a.openTable(cmd.Context(), cmd, args, console.Setup{Game: wanted, Hello: hello, Log: true})
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, t.Close()) }()
			if err = t.Debug(cmd.Context(), interrupts); errors.Is(err, console.ErrInterrupted) {
				fmt.Fprintln(a.err, "\ninterrupted")
				return &exitError{code: exitInterrupted}
			}
			return err
		},
	}
	rulesFlag(cmd, &program)
	helloFlag(cmd, &hello)
	cmd.Flags().StringVar(&game, "game", "", "the `game` on the board; by default what the bot declares, else breakthrough")
	return cmd
}
