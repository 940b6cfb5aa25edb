package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The help of every flag says what its value is by a noun, or by a form that values
// have; pflag would take any other words in back quotes, or its own names of types.
func TestFlagsNameTheirValues(t *testing.T) {
	nouns := strings.Fields(`address bot bytes centipawns clock command cores counts day duration Elo event exponent file
		folder format game games iterations level limits megabytes mode move moves name nodes number opening order pairs parameter
		path period plies policy position positions probability program protocol reason result rule share side size
		text time unit BOT BOT:NAME=VALUE BOT=1500 HOST:PORT NAME,... NAME=VALUE PLAYER=1500 URL`)
	walk((&app{}).rootCommand(), func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			noun, _ := pflag.UnquoteUsage(f)
			switch {
			case f.Value.Type() == "bool" && noun != "":
				t.Errorf("%s --%s takes no value, but its help shows %q", cmd.CommandPath(), f.Name, noun)
			case f.Value.Type() != "bool" && !slices.Contains(nouns, noun):
				t.Errorf("%s --%s: its help shows %q, which is no noun of a value", cmd.CommandPath(), f.Name, noun)
			}
		})
	})
}

// Wrong arguments and flags of any command are told in words of arena's own, with the
// command's usage.
func TestUsageErrorsAreOurs(t *testing.T) {
	walk((&app{}).rootCommand(), func(cmd *cobra.Command) {
		for _, args := range [][]string{nil, {"a"}, strings.Fields("a b c d e f g")} {
			err := cmd.Args(cmd, args)
			if err == nil {
				continue
			}
			for _, word := range []string{"arg(s)", "requires at least", "accepts", "in the group", "flag(s)"} {
				if strings.Contains(err.Error(), word) {
					t.Errorf("%s: %v", cmd.CommandPath(), err)
				}
			}
			if !strings.Contains(err.Error(), "; usage: arena") && !strings.Contains(err.Error(), "unknown command") {
				t.Errorf("%s does not tell its usage: %v", cmd.CommandPath(), err)
			}
		}
	})
}

// walk visits a command and all below it.
func walk(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, sub := range cmd.Commands() {
		walk(sub, visit)
	}
}
