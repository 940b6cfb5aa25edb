package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/store"
	"botarena/engine/games"
	"botarena/engine/nearest"
)

// duel is what the flags of a command that plays two bots against each other
// say: match and sprt.
type duel struct {
	event, game, rules, clock                    string
	clocks                                       [2]string
	random, start, plies, bookPlies, faults      int
	book, order                                  string
	seed                                         uint64
	options                                      []string
	swap                                         string
	gauntlet                                     bool
	resign, draw, limits, sandbox, restart, logs string
	concurrency                                  string
	hello                                        time.Duration
	dryRun, quiet, ponder, suspend, tables       bool
	pgn                                          string
	fleet                                        fleetFlags
	serve                                        serveFlags
}

func (d *duel) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&d.event, "event", "", "record it under this `name`, and go on with it where it exists (default: a new name)")
	f.StringVarP(&d.game, "game", "g", "", "the `game`; by default one that both bots play: breakthrough, or what they declare")
	rulesFlag(cmd, &d.rules)
	f.StringVarP(&d.clock, "clock", "c", "100ms", "the `clock`: "+clockHelp)
	f.StringVar(&d.clocks[0], "clock-a", "", "a `clock` for the first bot named, instead")
	f.StringVar(&d.clocks[1], "clock-b", "", "a `clock` for the second bot named, instead")
	f.StringArrayVarP(&d.options, "option", "o", nil, "an option to set, `BOT:NAME=VALUE`, or NAME=VALUE for both; may be given again")
	f.IntVar(&d.random, "random", 4, "start each pair from so many random `plies`; 0 is the game's own start")
	f.StringVar(&d.book, "book", "", "start each pair from a line of this opening `file` instead (lines, EPD, PGN or Polyglot's .bin)")
	f.IntVar(&d.bookPlies, "book-plies", 0, "cut the book's openings after so many `plies` (default: whole; of a Polyglot book 16)")
	f.StringVar(&d.order, "order", arena.OrderSequential, "the `order` of the book's openings: sequential or shuffled")
	f.IntVar(&d.start, "start", 1, "the first `opening` of the book to use, counted from 1")
	f.Uint64Var(&d.seed, "seed", 1, "of openings and bots: the same `number`, the same match")
	f.IntVar(&d.plies, "max-plies", 0, "move limit in `plies` (default: the game's own)")
	f.StringVar(&d.resign, "resign", "", "end games that are lost by the bots' own scores, by this `rule`: score=500,moves=3,both")
	f.StringVar(&d.draw, "draw", "", "end games that are level by the bots' own scores, by this `rule`: score=10,moves=8,from=40")
	f.BoolVar(&d.tables, "tables", false, "end games whose winner exact tables know (see arena solve)")
	f.StringVar(&d.limits, "limits", "", "`limits` of each bot, as in event files: memory=512MB,processes=8,cpu_time=1h,file_size=1GB")
	f.StringVar(&d.sandbox, "sandbox", "", "the `mode` of shutting the bots in: none, limits or strict (default: as registered, else none)")
	f.StringVar(&d.restart, "restart", "", "the `mode` of starting the bots anew: never, on-fault or every-game (default: as registered, else on-fault)")
	f.BoolVar(&d.ponder, "ponder", false, "let the bots think while the other is to move, each on cores of its own")
	f.BoolVar(&d.suspend, "suspend", false, "stop a bot while the other is to move, so that it cannot think then")
	f.StringVar(&d.logs, "log", logNone, "keep each game's whole dialogue, a `mode`: none, or protocol, which --log alone means")
	f.Lookup("log").NoOptDefVal = logProtocol
	f.DurationVar(&d.hello, "handshake", config.Default().Handshake, "the `time` that a bot has for the handshake")
	faultsFlag(f, &d.faults)
	f.StringVar(&d.concurrency, "concurrency", "", "games at once: a `number` or auto")
	f.BoolVar(&d.dryRun, "dry-run", false, "print the schedule, the number of games and a time estimate, and play nothing")
	f.BoolVarP(&d.quiet, "quiet", "q", false, "no progress, only the outcome")
	cmd.MarkFlagsMutuallyExclusive("random", "book")
	cmd.MarkFlagsMutuallyExclusive("ponder", "suspend")
	pgnFlag(cmd, &d.pgn)
	d.fleet.register(cmd)
	d.serve.registerBeside(cmd)
	asSettings(f, "game", "clock", "random", "book", "order", "start", "seed", "max-plies", "resign", "draw", "tables",
		"limits", "sandbox", "restart", "ponder", "suspend", "log", "handshake", "max-faults", "concurrency", "quiet")
	for name, words := range map[string][]string{
		"order": {arena.OrderSequential, arena.OrderShuffled}, "log": {logNone, logProtocol},
		"sandbox": {string(arena.SandboxNone), string(arena.SandboxLimits), string(arena.SandboxStrict)},
		"restart": {string(arena.RestartNever), string(arena.RestartOnFault), string(arena.RestartEvery)},
	} {
		complete(cmd, name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	}
	complete(cmd, "game", completeGames)
}

// swapOff is the value of --swap that plays single games.
const swapOff = "off"

// registerFormat registers the flags of a match that a test does not have.
func (d *duel) registerFormat(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&d.swap, "swap", "on", "the `mode` of pairing. on: pairs of games from one opening, sides swapped; off: single games instead")
	f.BoolVar(&d.gauntlet, "gauntlet", false, "of three bots or more: the first plays against each of the others, and they do not among themselves")
	complete(cmd, "swap", cobra.FixedCompletions([]string{"on", swapOff}, cobra.ShellCompDirectiveNoFileComp))
}

// The values of --log, as event files have them.
const (
	logNone     = "none"
	logProtocol = "protocol"
)

// complete completes a flag that is registered.
func complete(cmd *cobra.Command, flag string, how cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, how); err != nil {
		panic(err)
	}
}

// matchEvent returns the event of a match of so many pairs between two bots, or of a
// round-robin or gauntlet of more, as the flags describe it; a test, where not nil, may
// end it early. Its name is d.event, or prefix and the next free number.
func (a *app) matchEvent(cmd *cobra.Command, d *duel, prefix string, bots []string, pairs int, test *arena.SPRT) (arena.Event, error) {
	if _, err := a.settings(cmd); err != nil { // which the flags below hold then
		return arena.Event{}, err
	}
	if f := cmd.Flags(); d.book == "" { // order and start of the settings wait for a book
		if !f.Changed("order") {
			d.order = arena.OrderSequential
		}
		if !f.Changed("start") {
			d.start = 1
		}
	}
	event, err := d.common()
	if err != nil {
		return event, err
	}
	if d.rules != "" {
		if event.Rules, err = a.rulesProgram(d.rules); err != nil {
			return event, err
		}
		if event.Game, err = rulesGame(d.game, event.Rules); err != nil {
			return event, err
		}
	}
	event.Rounds, event.SPRT, event.Swap = pairs, test, d.swap != swapOff
	switch {
	case d.gauntlet:
		event.Format = arena.FormatGauntlet
	case len(bots) > 2:
		event.Format = arena.FormatRoundRobin
	}
	if err := d.fleet.setScale(&event); err != nil {
		return event, err
	}
	s, err := a.openRegistry(cmd)
	if err != nil {
		return event, err
	}
	if s != nil {
		defer s.Close()
	}
	for i, arg := range bots {
		b, err := a.resolveBot(cmd.Context(), s, arg)
		if err != nil {
			return event, err
		}
		clock := ""
		if i < len(d.clocks) {
			clock = d.clocks[i]
		}
		if err := d.bot(&b, clock); err != nil {
			return event, err
		}
		event.Bots = append(event.Bots, b)
	}
	apartNames(event.Bots, bots)
	if err := setOptions(event.Bots, d.options); err != nil {
		return event, err
	}
	if event.Name = d.event; !cmd.Flags().Changed("event") {
		if event.Name, err = freeName(cmd.Context(), s, prefix); err != nil {
			return event, err
		}
	}
	game := d.game != "" || d.rules != ""
	if !game {
		event.Game = games.All().Names()[0] // until the bots are asked, who must be valid for that
	}
	if err := flagProblems(event.Validate(known().Names()), func(field string) string {
		if field == "rounds" && test != nil {
			return "--max-pairs"
		}
		return duelFlag(field, bots)
	}); err != nil || game {
		return event, err
	}
	event.Game, err = a.commonGame(cmd.Context(), event.Bots, event.Handshake)
	return event, err
}

// common returns the event of what is said of both bots.
func (d *duel) common() (arena.Event, error) {
	event := config.Default()
	event.Format, event.Seed, event.MaxPlies, event.Handshake = arena.FormatMatch, d.seed, d.plies, d.hello
	event.Ponder, event.Suspend, event.MaxFaults = d.ponder, d.suspend, d.faults
	if d.game != "" && d.rules == "" {
		game, err := games.All().Lookup(d.game)
		if err != nil {
			return event, usageError(err)
		}
		event.Game = game.Name()
	}
	var err error
	if event.Clock, err = parseClock(d.clock); err != nil {
		return event, err
	}
	event.Openings.Random, event.Openings.Order, event.Openings.Start = d.random, d.order, d.start
	if meant := arena.Meant(d.order); meant == arena.OrderShuffled {
		event.Openings.Order = meant
	}
	event.Openings.Plies = d.bookPlies
	if d.book != "" {
		event.Openings.Random = 0
		if event.Openings.File, err = filepath.Abs(d.book); err != nil {
			return event, fmt.Errorf("find %s: %w", d.book, err)
		}
	}
	if event.Adjudicate, err = config.ParseAdjudication(d.resign, d.draw); err != nil {
		return event, flagProblems(err, func(field string) string { return duelFlag(field, nil) })
	}
	event.Adjudicate.Tables = d.tables
	switch d.logs {
	case logNone, logProtocol:
		event.LogProtocol = d.logs == logProtocol
	default:
		return event, usagef("--log %q: one of %s, %s; --log alone is %s", d.logs, logNone, logProtocol, logProtocol)
	}
	return event, setConcurrency(&event, d.concurrency)
}

// bot sets what is said of a bot beyond its own entry, which gives way.
func (d *duel) bot(b *arena.Bot, clock string) error {
	if clock != "" {
		c, err := parseClock(clock)
		if err != nil {
			return err
		}
		b.Clock = &c
	}
	if d.sandbox != "" {
		b.Sandbox = arena.Sandbox(d.sandbox)
	}
	if d.restart != "" {
		b.Restart = arena.Restart(cmp.Or(arena.Meant(d.restart), d.restart))
	}
	if d.limits == "" {
		return nil
	}
	l, err := config.ParseLimits(d.limits)
	if l.Memory > 0 {
		b.Limits.Memory = l.Memory
	}
	if l.Processes > 0 {
		b.Limits.Processes = l.Processes
	}
	if l.CPUTime > 0 {
		b.Limits.CPUTime = l.CPUTime
	}
	if l.FileSize > 0 {
		b.Limits.FileSize = l.FileSize
	}
	return flagProblems(err, func(field string) string { return duelFlag(field, nil) })
}

// setOptions sets options of bots, [BOT:]NAME=VALUE each, in place of their own of
// the same name.
func setOptions(bots []arena.Bot, options []string) error {
	for _, text := range options {
		to := bots
		i := slices.IndexFunc(bots, func(b arena.Bot) bool { return strings.HasPrefix(text, b.Name+":") })
		setting := text
		if i >= 0 {
			to, setting = bots[i:i+1], text[len(bots[i].Name)+1:]
		}
		name, value, _ := strings.Cut(setting, "=")
		name = strings.TrimSpace(name)
		if other, _, found := strings.Cut(name, ":"); i < 0 && found {
			names := make([]string, len(bots))
			for i := range bots {
				names[i] = bots[i].Name
			}
			if near := nearest.Of(other, names); near != "" {
				return usagef("--option %q: no bot %q plays; did you mean %q?", text, other, near)
			}
			return usagef("--option %q: no bot %q plays; write %s:NAME=VALUE, or NAME=VALUE for both", text, other, strings.Join(names, ":NAME=VALUE or "))
		}
		if name == "" {
			return usagef("--option %q: names no option; write NAME=VALUE, or BOT:NAME=VALUE for one bot", text)
		}
		for i := range to {
			b := &to[i]
			b.Options = slices.Clone(b.Options)
			o := arena.Option{Name: name, Value: value}
			if at := slices.IndexFunc(b.Options, func(o arena.Option) bool { return strings.EqualFold(o.Name, name) }); at >= 0 {
				b.Options[at] = o
			} else {
				b.Options = append(b.Options, o)
			}
		}
	}
	return nil
}

// apartNames gives bots of one name others, as far as their arguments name none: the
// names of their programs' folders where these differ, else numbers.
func apartNames(bots []arena.Bot, args []string) {
	for i := range bots {
		var same []int // those whose name may change
		for j := range bots {
			_, _, named := namedBot(args[j])
			if strings.EqualFold(bots[j].Name, bots[i].Name) && !named {
				same = append(same, j)
			}
		}
		apart := len(same) > 1
		folders := map[string]bool{}
		for _, j := range same {
			folder := strings.ToLower(folderOf(bots[j]))
			apart = apart && folder != "" && !folders[folder] && !slices.ContainsFunc(bots, func(b arena.Bot) bool { return strings.EqualFold(b.Name, folder) })
			folders[folder] = true
		}
		for _, j := range same {
			if apart {
				bots[j].Name = folderOf(bots[j])
			} else if taken(bots[:j], bots[j].Name) {
				bots[j].Name = numbered(bots[:j], bots[j].Name)
			}
		}
	}
}

func taken(bots []arena.Bot, name string) bool {
	return slices.ContainsFunc(bots, func(b arena.Bot) bool { return strings.EqualFold(b.Name, name) })
}

// numbered returns "NAME 2", or the next number that is free.
func numbered(bots []arena.Bot, name string) string {
	for n := 2; ; n++ {
		suffix := fmt.Sprintf(" %d", n)
		letters := []rune(name)
		if next := strings.TrimSpace(string(letters[:min(len(letters), arena.MaxName-len(suffix))])) + suffix; !taken(bots, next) {
			return next
		}
	}
}

// folderOf returns the name of the folder in which a bot's own file lies, "" if its
// command names none.
func folderOf(b arena.Bot) string {
	file := arena.ProgramOf(b.Command)
	if file == "" || filepath.Base(file) == file && arena.Interpreter(file) == nil {
		return "" // found in PATH
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(b.Dir, file)
	}
	return arena.NameOf([]string{filepath.Dir(file)})
}

// duelFlag names the flag or the argument from which a field of a match's event
// comes; "" if none does.
func duelFlag(field string, bots []string) string {
	for i, arg := range bots {
		own, ok := strings.CutPrefix(field, fmt.Sprintf("bots[%d]", i))
		switch {
		case !ok:
		case i < 2 && (own == ".clock" || strings.HasPrefix(own, ".clock.")):
			return [2]string{"--clock-a", "--clock-b"}[i]
		case own == ".sandbox" || own == ".restart":
			return "--" + own[1:]
		case strings.HasPrefix(own, ".limits."):
			return duelFlag(own[1:], bots)
		default:
			return fmt.Sprintf("bot %q", arg)
		}
	}
	top, below, _ := strings.Cut(field, ".")
	switch {
	case field == "openings.file":
		return "--book"
	case field == "openings.plies":
		return "--book-plies"
	case top == "adjudicate":
		return strings.TrimSpace("--" + strings.Replace(below, ".", " ", 1))
	case top == "limits":
		return strings.TrimSpace("--limits " + below)
	case field == "sprt":
		return "--elo0"
	case top == "openings" || top == "sprt":
		return "--" + below
	case top == "rounds":
		return "--pairs"
	}
	return "--" + strings.ReplaceAll(top, "_", "-")
}

// flagProblems makes a usage error of an *arena.InvalidError, its problems named
// by the flags that they come from.
func flagProblems(err error, flag func(field string) string) error {
	var invalid *arena.InvalidError
	if !errors.As(err, &invalid) {
		return err
	}
	var renamed []arena.Problem
	for _, p := range invalid.Problems {
		if from := flag(p.Field); from != "" {
			p.Field = from
		}
		if !slices.Contains(renamed, p) { // of both bots
			renamed = append(renamed, p)
		}
	}
	return usageError(&arena.InvalidError{Problems: renamed})
}

// freeName returns the first of "PREFIX-1", "PREFIX-2", ... that no event of s,
// which may be nil, has.
func freeName(ctx context.Context, s *store.Store, prefix string) (string, error) {
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s-%d", prefix, n)
		if s == nil {
			return name, nil
		}
		_, err := s.Event(ctx, name)
		var unknown *store.UnknownEventError
		if errors.As(err, &unknown) {
			return name, nil
		}
		if err != nil {
			return "", err
		}
	}
}
