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

// A command line that names a command builds that one alone, and any other all of them.
func TestCommandOfItsLine(t *testing.T) {
	a := &app{}
	for name, build := range a.commands() {
		if is := build().Name(); is != name {
			t.Errorf("the command %s is called %s", name, is)
		}
	}
	all := len(a.commands())
	for line, want := range map[string]int{
		"match a b": 1, "--db run match": 1, "--db=x --trust-rules games void": 1,
		"": all, "mtach run": all, "-h match": all, "help match": all, "__complete match": all, manPagesName: all,
	} {
		if got := len(a.commandOf(strings.Fields(line)).Commands()); got != want {
			t.Errorf("%q builds %d commands, not %d", line, got, want)
		}
	}
}

// The usage of a command says how many arguments it takes.
func TestArgumentsOf(t *testing.T) {
	for usage, want := range map[string][2]int{
		"list": {0, 0}, "show GAME": {1, 1}, "rules [GAME]": {0, 1}, "perft [GAME] DEPTH": {1, 2}, "match A B [C...]": {2, anyNumber},
		"export LEAGUE.yaml --to FOLDER": {1, 1}, "worker --join URL --key FILE": {0, 0}, "submit [PATH] --to URL": {0, 1},
		"update NAME --as NEW -- COMMAND...": {1, anyNumber}, "tell BOT --param NAME=START,MIN,MAX ... < POINTS": {1, 1},
	} {
		if least, most := argumentsOf(usage); [2]int{least, most} != want {
			t.Errorf("%q takes %d to %d arguments, not %v", usage, least, most, want)
		}
	}
}

// walk visits a command and all below it.
func walk(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, sub := range cmd.Commands() {
		walk(sub, visit)
	}
}
