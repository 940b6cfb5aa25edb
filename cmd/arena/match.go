package main

import (
	"github.com/spf13/cobra"

	"botarena/arena/config"
	"botarena/arena/schedule"
)

func (a *app) matchCommand() *cobra.Command {
	d := duel{event: config.Default()}
	var extend, gauntlet bool
	var swap string
	cmd := &cobra.Command{
		Use:   "match A B [C...]",
		Short: "Play bots against each other",
		Long: `Play pairs of games between two bots, sides swapped and each pair from one
opening, and say what the result means. Three bots or more play a round-robin of
so many pairs each, or with --gauntlet the first against all others.

` + botHelp + `

Below the leaderboard and while the match runs there is an interval that holds at all
times together, so that one may look at it after each pair and stop the match; the
ordinary one, ±, is right only at an end that was fixed before.

The match is recorded as an event; --event with the name of one goes on with it,
and --extend with more pairs than were recorded.

` + queueHelp + `

"arena help fastchess" says what options of fastchess and cutechess-cli are called here.`,
		Example: `  arena match minimax mcts
  arena match minimax ./mybot --game owlman --pairs 50 --clock 10s+100ms
  arena match deep=minimax shallow=minimax --clock-a depth=4 --clock-b depth=2
  arena match ./new ./old minimax mcts --gauntlet -n 20
  arena match minimax "python3 my_bot.py" --book openings.txt --order shuffled
  arena match new=stockfish old=stockfish -o new:Hash=64 -o Threads=1 -c 8+0.08 --resign score=600,moves=4
  arena match guest.py minimax --sandbox strict --limits memory=256MB --log`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case swap != "on" && swap != "off":
				return usagef("--swap %q: write on or off", swap)
			case gauntlet && len(args) == 2:
				return usagef("--gauntlet is of three bots or more: two play a match")
			case gauntlet:
				d.event.Format = schedule.FormatGauntlet
			case len(args) > 2:
				d.event.Format = schedule.FormatRoundRobin
			}
			d.event.Swap = swap == "on"
			if d.queue.to != "" {
				return a.enqueue(cmd, &d, args)
			}
			event, err := a.matchEvent(cmd, &d, "match", args)
			if err != nil {
				return err
			}
			return a.playTyped(cmd, &d, event, extend, play{extend: extend, json: d.asJSON})
		},
	}
	d.event.Rounds = 10
	d.register(cmd)
	d.queue.register(cmd)
	d.flags.add(cmd, &d.event, settingFlag{"rounds", "pairs n", "`pairs` of games to play"})
	f := cmd.Flags()
	f.BoolVar(&extend, "extend", false, "accept more pairs than were recorded, and play what is missing")
	f.StringVar(&swap, "swap", "on", "the `mode` of pairing. on: pairs of games from one opening, sides swapped; off: single games instead")
	f.BoolVar(&gauntlet, "gauntlet", false, "of three bots or more: the first plays against each of the others, and they do not among themselves")
	complete(cmd, "swap", cobra.FixedCompletions([]string{"on", "off"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}
