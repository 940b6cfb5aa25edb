package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/schedule"
)

func (a *app) raceCommand() *cobra.Command {
	d := duel{event: config.Default()}
	cmd := &cobra.Command{
		Use:   "race [BASE CANDIDATE CANDIDATE...]",
		Short: "Find out which of several candidates beat a base, or which is best",
		Long: `Play candidates against one base, in rounds of pairs (one opening, sides swapped),
until a sequential test of each has said whether it is elo1 stronger than the base
(H1) or elo0 (H0): who is accepted or eliminated plays no more. However many
candidates there are, the chance that any of those accepted is not stronger than
elo0 is alpha at most: this is the error of all of them together, where tests of each
by itself, at alpha each, would err the more often the more there are. A candidate
that is elo1 stronger is eliminated by its test with probability beta at most.

--best asks for the best one of those that beat the base. A candidate is then also
eliminated by another one, when a test of the two says that it is not elo1-elo0
stronger than that, and the last one left is accepted once it beats the base. It saves
most games where some candidates are much better than others. A candidate that is so
much stronger than all others is eliminated by any of them with probability beta at
most; which one is left of those that are nearly as strong is left to chance.

The tests look in the order of the schedule, a round waits for the one before the
last: so the verdicts do not depend on how many games are played at once, and a race
that was interrupted, even by kill -9, goes on exactly. What a candidate had in progress
when it was decided is played, and does not count.

` + botHelp + `

The race is recorded as an event of format "race", its parameters with it: "arena race
--event NAME" shows one that has ended and goes on with one that has not. One that
--max-pairs ended undecided goes on with the same command and more of them. Its games
stay out of leaderboards over several events, as those of tests do.

Exit codes: 0 a candidate is accepted (all candidates are decided), 3 all are
eliminated, 4 undecided after --max-pairs, 1 failed (a base that fails in game after
game gives no verdict), 2 wrong usage, 130 interrupted.`,
		Example: `  arena race minimax weak=random mcts --game breakthrough:5x5 --clock nodes=200 --elo1 200
  arena race ./old ./new ./bot_a ./bot_b --clock 5s+50ms --elo1 10 --event patches
  arena race ./old ./new ./bot_a --best --elo0 0 --elo1 10 --max-pairs 5000
  arena race base=./bot slow=./bot fast=./bot -o slow:Skill=2 -o fast:Skill=8 --dry-run
  arena race --event patches`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 || len(args) == 2 {
				return fmt.Errorf("name the base and two candidates or more; arena sprt tests one candidate")
			}
			for i, word := range args {
				if at := slices.Index(args[:i], word); at == 0 {
					return fmt.Errorf("%q is the base and a candidate; to play it against itself on purpose, give both names: a=%s b=%s", word, word, word)
				} else if at > 0 {
					return fmt.Errorf("candidate %q is named twice; give both names, if they differ by options: a=%s b=%s", word, word, word)
				}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.playTest(cmd, &d, "race", args) },
	}
	test := arena.Defaults[arena.SPRT]()
	d.register(cmd)
	d.event.Format, d.event.SPRT, d.event.Rounds = schedule.FormatRace, &test, schedule.UsualRounds(schedule.FormatRace, 0)
	testFlags(cmd, d.flags, &d.event, "sprt.")
	d.flags.add(cmd, &d.event,
		settingFlag{"race.best", "", "ask for the best candidate only, and eliminate those that are behind another one"},
		settingFlag{"rounds", "max-pairs", "stop undecided after so many `pairs` of each candidate"},
	)
	return cmd
}
