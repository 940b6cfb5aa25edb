package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"botarena/arena/casual/console"
	"botarena/arena/session"
	"botarena/engine"
	"botarena/engine/games"
)

// openTable starts the bot that the arguments name, for a person at the terminal.
func (a *app) openTable(ctx context.Context, cmd *cobra.Command, args []string, s console.Setup) (*console.Table, error) {
	if err := checkHello(s.Hello); err != nil {
		return nil, err
	}
	var err error
	if s.Bot, err = a.resolveArgs(cmd, args); err != nil {
		return nil, err
	}
	starter, err := a.newStarter()
	if err != nil {
		return nil, err
	}
	s.Start, s.End, s.Catalog = a.startOf(starter, a.asking(s.Bot, s.Game)), starter.Close, games.All()
	_, prompt := a.terminal(a.out)
	return console.Open(ctx, console.Terminal{In: a.in, Out: a.out, Err: a.err, Raw: raw(a.out), Color: a.colour(), Prompt: prompt, Now: a.now}, s)
}

// wanted returns the game named by flags, nil if they name none.
func (a *app) wanted(ctx context.Context, game, program string) (engine.Game, error) {
	if game == "" && program == "" {
		return nil, nil
	}
	return a.lookupGame(ctx, game, program)
}

// helloFlag is the flag of the handshake's limit.
func helloFlag(cmd *cobra.Command, to *time.Duration) {
	cmd.Flags().DurationVar(to, "handshake", session.DefaultHello, "the `time` that the bot has for the handshake")
}

func checkHello(d time.Duration) error {
	if d <= 0 {
		return usagef("--handshake %v: give a time above 0", d)
	}
	return nil
}
