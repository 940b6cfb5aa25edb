package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// A foreignOption is an option of fastchess and cutechess-cli, with its keys, and its
// equivalent here.
type foreignOption struct{ theirs, here string }

// foreignOptions returns the table of foreign options. Options, as opposed to keys,
// begin with a dash.
func foreignOptions() []foreignOption {
	return []foreignOption{
		{"-engine cmd=./a name=A", "A=./a, an argument of arena match"},
		{"-engine cmd=./a args=--deep", `A="./a --deep"`},
		{"-engine cmd=./a dir=D proto=uci", "arena bots add A --dir D --protocol uci -- ./a, then A"},
		{"-each KEY=VALUE", "-c, -o and other flags, which hold for all bots"},
		{"tc=40/60+0.6, st=1, nodes=N, depth=N", "-c with the same, joined with commas"},
		{"tc=inf depth=N", "-c tc=inf,depth=N (a clock limits something)"},
		{"timemargin=100", "-c tc=10+0.1,timemargin=100, or margin=100ms"},
		{"option.Hash=64", "-o Hash=64, or -o A:Hash=64 for one bot"},
		{"restart=on, restart=off", "--restart every-game, --restart on-fault; on and off are read, too"},
		{"-tournament gauntlet", "--gauntlet; three bots or more play a round-robin else, and event files have further formats"},
		{"-rounds N", "-n N: pairs of games, sides swapped (-rounds N -games 2 -repeat)"},
		{"-games 2", "nothing: a round is a pair of games; --swap off where it is -games 1"},
		{"-repeat", "nothing: both games of a pair start from one opening, sides swapped"},
		{"-noswap", "--swap off plays single games"},
		{"-concurrency N", "--concurrency N"},
		{"-openings file=F order=random", "--book F --order shuffled; random is read, too"},
		{"-openings start=N plies=N", "--start N --book-plies N"},
		{"-openings policy=round", "--opening-policy round; encounter is what event does, and pairing plays the same openings in every pairing"},
		{"-srand N", "--seed N"},
		{"-resign movecount=3 score=600", "--resign movecount=3,score=600, or moves=3"},
		{"-resign twosided=true", "--resign twosided=true, or both: the winner says that it is ahead"},
		{"-draw movecount=8 score=10", "--draw movecount=8,score=10, or moves=8"},
		{"-draw movenumber=40", "--draw movenumber=40, or from=80: plies of the bots, after the opening"},
		{"-maxmoves N", "--max-plies with twice as many"},
		{"-tb PATH", "--tables, of the games that arena solve knows; no tables for chess"},
		{"-sprt elo0=0 elo1=5 alpha=0.05 beta=0.05", "arena sprt A B --elo0 0 --elo1 5 --alpha 0.05 --beta 0.05"},
		{"-variant fischerandom", "-g fischerandom, or chess:960"},
		{"-ponder", "--ponder"},
		{"-recover", "nothing: bots are started anew after a fault; --max-faults N stops after so many in a row"},
		{"-event NAME", "--event NAME"},
		{"-pgnout FILE", "--pgn FILE while it is played; arena export --event NAME --format pgn -o FILE after it"},
		{"-log FILE, -debug", "--log: arena show EVENT/NUMBER --log prints a game's whole dialogue"},
		{"-config FILE", "an event file, which arena run FILE plays, or arena.yaml for what holds always"},
		{"-wait N, -site S, -output F, -report R, -autosaveinterval N, -ratinginterval N, -scoreinterval N, -outcomeinterval N", "nothing"},
		{"-use-affinity, -affinity LIST, -force-concurrency", "nothing: games are pinned to cores of their own where there are enough"},
		{"-reverse, -bookmode MODE, -strikes N, -epdout FILE, -livepgnout FILE, -crc32, -testEnv, -startup-ms N", "nothing"},
		{"-tbpieces N, -tbignore50, -tbadjudicate R", "nothing: no tables for chess"},
	}
}

// foreignCommand returns the help topic about options of other programs.
func foreignCommand() *cobra.Command {
	var b strings.Builder
	b.WriteString("What options of fastchess and cutechess-cli are called here:\n\n")
	for _, o := range foreignOptions() {
		if len(o.theirs) > 40 {
			o.theirs += "\n" + strings.Repeat(" ", 42)
		}
		fmt.Fprintf(&b, "  %-40s  %s\n", o.theirs, o.here)
	}
	b.WriteString(`
They are single words there; here a flag takes one value, its keys joined with
commas: arena match A=./a B=./b -c 10+0.1 -o Hash=64 -n 50 --resign movecount=3,score=600`)
	return &cobra.Command{
		Use:     "fastchess",
		Aliases: []string{"cutechess", "cutechess-cli"},
		Short:   "What options of fastchess and cutechess-cli are called here",
		Long:    b.String(),
	}
}

// foreignHint returns a hint about the equivalent of an option or a key, named without
// its dash; "" if it is not in the table.
func foreignHint(option string) string {
	option, _, _ = strings.Cut(option, "=")
	option, _, _ = strings.Cut(option, ".")
	names := regexp.MustCompile(`(^|[ -])` + regexp.QuoteMeta(option) + `($|[ ,=.])`)
	var options, keys []string
	for _, o := range foreignOptions() {
		switch said := o.theirs + " is " + o.here; {
		case option == "" || !names.MatchString(o.theirs):
		case strings.Contains(" "+o.theirs, " -"+option):
			options = append(options, said)
		default:
			keys = append(keys, said)
		}
	}
	if options == nil {
		options = keys
	}
	if options == nil {
		return ""
	}
	return fmt.Sprintf("of fastchess and cutechess-cli, %s; see 'arena help fastchess'", strings.Join(options, "; "))
}

// refuseForeign returns an error for an option of other programs among a match's flags.
// One-letter flags would misread some of them: -games as -g ames.
func refuseForeign(args []string) error {
	if len(args) == 0 || args[0] != "match" && args[0] != "sprt" && !strings.HasPrefix(args[0], "-") {
		return nil
	}
	for _, arg := range args {
		if arg == "--" {
			return nil
		}
		if option := strings.TrimPrefix(arg, "-"); option != arg && len(option) > 1 && option[0] != '-' {
			if hint := foreignHint(option); hint != "" {
				return usagef("%s", hint)
			}
		}
	}
	return nil
}
