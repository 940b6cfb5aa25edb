package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kballard/go-shellquote"
	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/event"
	"botarena/arena/schedule"
	"botarena/engine/games"
	"botarena/engine/nearest"
)

// duel holds the flags of a command that plays bots against each other: match, sprt and
// race.
type duel struct {
	event  arena.Event  // as the flags say it
	each   arena.Bot    // what they say of each bot
	odds   [2]arena.Bot // and of the first two
	flags  settingFlags // of event
	common settingFlags // of each
	own    [2]settingFlags

	rules, pgn    string
	options       []string
	dryRun, quiet bool
	asJSON        bool
	fleet         fleetFlags
	serve         serveFlags
	queue         queueFlags
	// complete, if it is set, completes an event that has its bots.
	complete func(*arena.Event) error
}

// eventFlags are the settings of an event that match and sprt take as flags, and run in
// place of its file's.
func eventFlags() []settingFlag {
	return []settingFlag{
		{"concurrency", "", "games at once: a `number` or auto"},
		{"max_faults", "", "stop, without a verdict, when a bot has lost so many `games` in a row by faults, or withdraw it where more than two play; 0: never"},
	}
}

// duelFlags are the further settings of an event that match and sprt take as flags.
func duelFlags() []settingFlag {
	return []settingFlag{
		{"game", "game g", "the `game`; by default one that both bots play: breakthrough, or what they declare"},
		{"clock", "clock c", "the `clock`: " + config.ClockHelp},
		{"openings.random", "", "start each pair from so many random `plies`; 0 is the game's own start"},
		{"openings.file", "book", "start each pair from a line of this opening `file` instead (lines, EPD, PGN or Polyglot's .bin)"},
		{"openings.order", "", "the `order` of the book's openings: sequential or shuffled"},
		{"openings.start", "", "the first `opening` of the book to use, counted from 1"},
		{"openings.policy", "opening-policy", "which pairs of games share an opening, a `policy`: event (none), round or pairing, as in event files"},
		{"seed", "", "of openings and bots: the same `number`, the same match"},
		{"max_plies", "", "move limit in `plies` (default: the game's own)"},
		{"adjudicate.resign", "", "end games that are lost by the bots' own scores, by this `rule`: score=500,moves=3,both"},
		{"adjudicate.draw", "", "end games that are level by the bots' own scores, by this `rule`: score=10,moves=8,from=40"},
		{"adjudicate.tables", "", "end games whose winner exact tables know (see arena solve)"},
		{"ponder", "", "let the bots think while the other is to move, each on cores of its own"},
		{"suspend", "", "stop a bot while the other is to move, so that it cannot think then"},
		{"log", "", "keep each game's whole dialogue, a `mode`: none, or protocol, which --log alone means"},
		{"handshake", "", "the `time` that a bot has for the handshake"},
	}
}

func (d *duel) register(cmd *cobra.Command) {
	d.event.Format, d.event.Seed, d.event.Openings.Random = schedule.FormatMatch, 1, 4
	d.flags, d.common, d.own = settingFlags{}, settingFlags{}, [2]settingFlags{{}, {}}
	d.flags.add(cmd, &d.event, append(duelFlags(), eventFlags()...)...)
	d.common.add(cmd, &d.each,
		settingFlag{"limits", "", "`limits` of each bot, as in event files: memory=512MB,processes=8,cpu_time=1h,file_size=1GB"},
		settingFlag{"sandbox", "", "the `mode` of shutting the bots in: none, limits or strict (default: as registered, else none)"},
		settingFlag{"restart", "", "the `mode` of starting the bots anew: never, on-fault or every-game (default: as registered, else on-fault)"},
	)
	f := cmd.Flags()
	asSettings(f, append(slices.Sorted(maps.Keys(d.flags)), slices.Sorted(maps.Keys(d.common))...)...)
	d.flags.add(cmd, &d.event,
		settingFlag{"event", "", "record it under this `name`, and go on with it where it exists (default: a new name)"},
		scaleFlag(),
		settingFlag{"openings.plies", "book-plies", "cut the book's openings after so many `plies` (default: whole; of a Polyglot book 16)"},
	)
	d.own[0].add(cmd, &d.odds[0], settingFlag{"clock", "clock-a", "a `clock` for the first bot named, instead"})
	d.own[1].add(cmd, &d.odds[1], settingFlag{"clock", "clock-b", "a `clock` for the second bot named, instead"})
	rulesFlag(cmd, &d.rules)
	f.StringArrayVarP(&d.options, "option", "o", nil, "an option to set, `BOT:NAME=VALUE`, or NAME=VALUE for both; may be given again")
	f.BoolVar(&d.dryRun, "dry-run", false, "print the schedule, the number of games and a time estimate, and play nothing")
	f.BoolVarP(&d.quiet, "quiet", "q", false, "no progress, only the outcome")
	f.BoolVar(&d.asJSON, "json", false, "print the outcome as JSON")
	asSettings(f, "quiet")
	cmd.MarkFlagsMutuallyExclusive("random", "book")
	cmd.MarkFlagsMutuallyExclusive("ponder", "suspend")
	pgnFlag(cmd, &d.pgn)
	d.fleet.register(cmd)
	d.serve.registerBeside(cmd)
}

// complete completes a flag that is registered.
func complete(cmd *cobra.Command, flag string, how cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, how); err != nil {
		panic(err)
	}
}

// matchEvent returns the event of a match, of a round-robin or a gauntlet of more than two
// bots, or of a test, as the flags describe it. Its name is that of --event, or prefix and
// the next free number.
func (a *app) matchEvent(cmd *cobra.Command, d *duel, prefix string, bots []string) (arena.Event, error) {
	if _, err := a.settings(cmd); err != nil { // which the flags hold then
		return arena.Event{}, err
	}
	e := d.event
	if err := d.openings(cmd, &e.Openings); err != nil {
		return e, err
	}
	if err := a.matchGame(d, &e); err != nil {
		return e, err
	}
	s, err := a.openRegistry(cmd)
	if err != nil {
		return e, err
	}
	if s != nil {
		defer s.Close()
	}
	resolve, names := func(arg string) (arena.Bot, error) { return a.resolveBot(cmd.Context(), s, arg) }, known().Names()
	if sent := d.queue.sent; sent != nil {
		resolve, names = sent.resolve, arena.Known{} // the host knows what it has
		e.Game = cmp.Or(e.Game, sent.game)
	}
	named := make([]bool, len(bots))
	for i, arg := range bots {
		_, _, named[i] = namedBot(arg)
		b, err := resolve(arg)
		if err != nil {
			return e, err
		}
		d.common.apply(&b)
		if i < len(d.own) {
			d.own[i].apply(&b)
		}
		e.Bots = append(e.Bots, b)
	}
	event.TellApart(e.Bots, named)
	if err := setOptions(e.Bots, d.options); err != nil {
		return e, err
	}
	if d.complete != nil {
		if err := d.complete(&e); err != nil {
			return e, err
		}
	}
	if !cmd.Flags().Changed("event") {
		if e.Name, err = event.FreeName(cmd.Context(), s, prefix); err != nil {
			return e, err
		}
	}
	chosen := e.Game != ""
	if !chosen {
		e.Game = games.All().Names()[0] // until the bots are asked, who must be valid for that
	}
	if err := flagProblems(schedule.Validate(&e, names), func(field string) string { return d.named(field, bots) }); err != nil || chosen {
		return e, err
	}
	e.Game, err = a.commonGame(cmd.Context(), e.Bots, e.Handshake)
	return e, err
}

// openings completes the event's openings from the flags. Without a book the order and
// start from settings do not apply, and those from flags are mistakes.
func (d *duel) openings(cmd *cobra.Command, o *arena.Openings) (err error) {
	if o.File == "" {
		for _, flag := range []string{"order", "start", "book-plies"} {
			if cmd.Flags().Changed(flag) {
				return usagef("--%s goes with --book FILE", flag)
			}
		}
		o.Order, o.Start = arena.OrderSequential, 1
		return nil
	}
	o.Random = 0
	if o.File, err = filepath.Abs(o.File); err != nil {
		return fmt.Errorf("find the book: %w", err)
	}
	return nil
}

// matchGame sets the event's game if a flag names it or its rules.
func (a *app) matchGame(d *duel, event *arena.Event) (err error) {
	switch {
	case d.rules != "":
		if event.Rules, err = a.rulesProgram(d.rules); err != nil {
			return err
		}
		event.Game, err = rulesGame(event.Game, event.Rules)
		return err
	case event.Game == "":
		return nil
	}
	game, err := games.All().Lookup(event.Game)
	if err != nil {
		return usageError(err)
	}
	event.Game = game.Name()
	return nil
}

// setOptions sets options of bots, [BOT:]NAME=VALUE each, and replaces their own of the
// same name.
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
			write := fmt.Sprintf("write %s:NAME=VALUE, or NAME=VALUE for both", strings.Join(names, ":NAME=VALUE or "))
			return usagef("--option %q: no bot %q plays; %s", text, other, nearest.Hint(other, names, write))
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

// named returns the flag or the argument from which a field of a match's event comes; ""
// if none does.
func (d *duel) named(field string, bots []string) string {
	for i, arg := range bots {
		setting, ok := strings.CutPrefix(field, fmt.Sprintf("bots[%d].", i))
		if !ok {
			continue
		}
		flag := d.common.named(setting)
		if flag == "" && i < len(d.own) {
			flag = d.own[i].named(setting)
		}
		return cmp.Or(flag, fmt.Sprintf("bot %q", arg))
	}
	switch {
	case field == "sprt":
		return "--elo0"
	case strings.HasPrefix(field, "tune.params"):
		return "--param"
	}
	return d.flags.named(field)
}

// flagProblems converts an *arena.InvalidError to a usage error that names the flags of
// its problems.
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

// playTyped plays an event that was typed as flags, or tells its schedule where that was
// asked for: as an extended one if extended. Of p it fills in what d has.
func (a *app) playTyped(cmd *cobra.Command, d *duel, event arena.Event, extended bool, p play) error {
	db, err := a.settings(cmd)
	if err != nil {
		return err
	}
	if d.dryRun {
		return changedFlags(a.dryRun(cmd.Context(), event, db, extended))
	}
	p.db, p.quiet, p.typed, p.pgn, p.fleet, p.serve = db, d.quiet, true, d.pgn, &d.fleet, &d.serve
	p.resume = "the same command and --event " + event.Name
	if p.test {
		p.resume = cmd.CommandPath() + " --event " + shellquote.Join(event.Name) + withDB(db)
	}
	return a.playEvent(cmd.Context(), event, p)
}
