package config

import (
	"fmt"
	"math/bits"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"botarena/arena"
	"botarena/arena/rating"
	"botarena/arena/schedule"
	"botarena/engine"
)

const maxName = 64 // letters of an event's or a bot's name

// read fills the event from the root node and checks it as a whole.
func (r *reader) read(root *yaml.Node, file string) {
	root = value(root)
	r.event.Clock = arena.TimeControl{}
	r.mapping(root, "", r.keys())
	if root.Kind != yaml.MappingNode {
		return
	}
	if !r.has("event") {
		r.event.Name = eventName(file)
	}
	r.name("event", r.event.Name)
	r.game()
	r.openings()
	if !r.has("clock") {
		r.event.Clock = Default().Clock
	} else {
		r.event.Clock = r.clock("clock", r.event.Clock, defaultMargin)
	}
	r.allBots()
	r.format() // counts the bots
	r.adjudication()
	if r.event.Elo.KMin > r.event.Elo.K0 {
		if r.has("elo.k_min") {
			r.fail("elo.k_min", "%g is above k, %g", r.event.Elo.KMin, r.event.Elo.K0)
		} else {
			r.event.Elo.KMin = r.event.Elo.K0
		}
	}
}

func (r *reader) game() {
	switch {
	case !r.has("game"):
		hint := "name the game to play"
		if names := r.known.Catalog.Names(); len(names) > 0 {
			hint += ": " + strings.Join(names, ", ")
		}
		r.fail("game", "missing; %s", hint)
	case r.known.Catalog != nil:
		if r.event.Game == "" {
			return // not a text: reported
		}
		game, err := r.known.Catalog.Lookup(r.event.Game)
		if err != nil {
			r.fail("game", "%v", err)
			return
		}
		r.event.Game = game.Name()
	}
}

func (r *reader) openings() {
	var sources []string
	for _, k := range []string{"random", "file", "balanced"} {
		if r.has("openings." + k) {
			sources = append(sources, k)
		}
	}
	if len(sources) > 1 {
		r.fail("openings."+sources[1], "openings come from one source: %s is set already", sources[0])
	}
	if r.has("openings.balanced") {
		r.event.Openings.Balanced = &r.balanced
		r.builtin("openings.balanced.bot", r.balanced.Bot)
	}
	if !r.has("openings.file") && !r.has("openings.balanced") {
		for _, k := range []string{"order", "start"} {
			if r.has("openings." + k) {
				r.fail("openings."+k, "goes with openings from a file or balanced ones only")
			}
		}
	}
}

// clock checks a clock as written and gives it the margin that it does not name.
func (r *reader) clock(path string, c arena.TimeControl, margin time.Duration) arena.TimeControl {
	if !r.has(path + ".margin") {
		c.Margin = margin
	}
	has := func(k string) bool { return r.has(path + "." + k) }
	switch {
	case has("move") && (has("base") || has("increment") || has("moves")):
		r.fail(path, "move is a fixed time for each move; leave base, increment and moves out")
	case has("increment") && !has("base"):
		r.fail(path+".increment", "needs a base: {base: 10s, increment: 100ms}")
	case has("moves") && !has("base"):
		r.fail(path+".moves", "needs a base, the time for so many moves: {base: 60s, moves: 40}")
	case !has("move") && !has("base") && !has("nodes") && !has("depth") && !r.faulty(path):
		r.fail(path, "sets no limit; give one of move: 100ms, base: 10s, nodes: 2000, depth: 4")
	}
	return c
}

// format checks the settings of the format against the rest.
func (r *reader) format() {
	e := &r.event
	for _, f := range []arena.Format{arena.FormatGauntlet, arena.FormatKnockout, arena.FormatLadder} {
		if r.has(string(f)) && e.Format != f {
			r.fail(string(f), "settings of another format: this event's is %s", e.Format)
		}
	}
	if r.has("sprt") {
		r.test()
	}
	n := len(r.bots)
	if e.Format == arena.FormatSwiss && !r.has("rounds") {
		e.Rounds = max(1, bits.Len(uint(max(0, n-1))))
	}
	if r.has("cycles") && e.Format != arena.FormatRoundRobin {
		r.fail("cycles", "goes with format round-robin only")
	}
	switch e.Format {
	case arena.FormatMatch:
		if n > 2 {
			r.fail("bots", "a match has two bots, not %d; more play a round-robin", n)
		}
	case arena.FormatGauntlet:
		if n >= 2 && e.Gauntlet.Challengers >= n {
			r.fail("gauntlet.challengers", "%d of %d bots leave nobody to challenge; at most %d", e.Gauntlet.Challengers, n, n-1)
		}
	case arena.FormatLadder:
		if r.has("rounds") {
			r.fail("rounds", "a ladder has no rounds; set ladder: {games: N}, time or width")
		}
		if e.Swap && e.Ladder.Games == 1 {
			r.fail("ladder.games", "1 is less than a pair of games; at least 2, or swap: false")
		}
		return
	}
	// A plan is kept whole in the database and in memory.
	const most = 10_000_000
	if games, _ := schedule.Total(*e); games > most {
		r.fail("rounds", "this event has %d games; at most %d", games, most)
	}
}

// test checks the sequential test of a match.
func (r *reader) test() {
	e := &r.event
	e.SPRT = &r.sprt
	switch {
	case e.Format != arena.FormatMatch:
		r.fail("sprt", "goes with format match only: this event's is %s", e.Format)
	case !e.Swap:
		r.fail("sprt", "is decided by pairs of games: leave swap out")
	}
	if r.faulty("sprt") {
		return
	}
	t := rating.SPRT{Elo0: r.sprt.Elo0, Elo1: r.sprt.Elo1, Alpha: r.sprt.Alpha, Beta: r.sprt.Beta, Model: rating.Model(r.sprt.Model)}
	if err := t.Validate(); err != nil {
		r.fail("sprt", "%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
}

func (r *reader) adjudication() {
	a := &r.event.Adjudicate
	if r.has("adjudicate.resign") {
		if !r.has("adjudicate.resign.score") {
			r.fail("adjudicate.resign", "needs a score: how many centipawns behind a bot is lost")
		}
		a.ResignScore, a.ResignBoth = r.resign.ResignScore, r.resign.ResignBoth
		if r.resign.ResignMoves > 0 {
			a.ResignMoves = r.resign.ResignMoves
		}
	}
	if r.has("adjudicate.draw") {
		if !r.has("adjudicate.draw.score") || !r.has("adjudicate.draw.moves") {
			r.fail("adjudicate.draw", "needs score and moves: within how many centipawns, for how many moves")
		}
		a.DrawScore, a.DrawMoves, a.DrawFrom = r.draw.DrawScore, r.draw.DrawMoves, r.draw.DrawFrom
	}
}

func (r *reader) allBots() {
	switch n := len(r.bots); {
	case !r.has("bots"):
		r.fail("bots", "missing; list at least two, such as {builtin: minimax} or {name: mine, command: [python3, my_bot.py]}")
	case n < 2 && r.at["bots"] != nil:
		if !r.faulty("bots") {
			r.fail("bots", "%d is too few; at least two bots play", n)
		}
	}
	names, folded, seeds := map[string]string{}, map[string]string{}, map[int]string{}
	for _, b := range r.bots {
		if b.broken {
			continue
		}
		r.oneBot(b)
		if b.Name != "" {
			if other, ok := names[b.Name]; ok {
				r.fail(b.path+".name", "%q is the name of %s already; names are unique", clip(b.Name), other)
			} else if other, ok := folded[strings.ToLower(b.Name)]; ok {
				r.fail(b.path+".name", "%q differs from the name of %s by upper and lower case only; choose another", clip(b.Name), other)
			}
			names[b.Name], folded[strings.ToLower(b.Name)] = b.path, b.path
		}
		if b.Seed > 0 {
			if other, ok := seeds[b.Seed]; ok {
				r.fail(b.path+".seed", "%d is the seed of %s already", b.Seed, other)
			}
			seeds[b.Seed] = b.path
		}
		r.event.Bots = append(r.event.Bots, b.Bot)
	}
}

func (r *reader) oneBot(b *bot) {
	if b.Name == "" && !r.has(b.path+".name") {
		if b.Builtin == "" {
			r.fail(b.path+".name", "missing; every bot has a name")
		}
		b.Name = b.Builtin
	} else {
		r.name(b.path+".name", b.Name)
	}
	r.program(b)
	if r.has(b.path + ".clock") {
		c := r.clock(b.path+".clock", b.clock, r.event.Clock.Margin)
		b.Clock = &c
	}
	b.Options = r.allOptions(b.Options)
	// The registry says of a bot what its entry does not, then the event.
	usual := DefaultBot()
	if !r.has(b.path+".sandbox") && b.Sandbox == usual.Sandbox {
		b.Sandbox = r.sandbox
	}
	if !r.has(b.path+".restart") && b.Restart == usual.Restart {
		b.Restart = r.restart
	}
	l, all := &b.Limits, r.limits
	if l.Memory == 0 {
		l.Memory = all.Memory
	}
	if l.Processes == 0 {
		l.Processes = all.Processes
	}
	if l.CPUTime == 0 {
		l.CPUTime = all.CPUTime
	}
	if l.FileSize == 0 {
		l.FileSize = all.FileSize
	}
}

// program checks what a bot is, and where.
func (r *reader) program(b *bot) {
	builtin, command := r.has(b.path+".builtin"), r.has(b.path+".command")
	switch {
	case b.registered != "" && (builtin || command):
		r.fail(b.path+".registered", "the registry says what this bot is; leave builtin and command out")
	case b.registered != "":
	case builtin && command:
		r.fail(b.path+".command", "a bot is either builtin or a command, not both")
	case builtin:
		r.builtin(b.path+".builtin", b.Builtin)
		for _, k := range []string{"args", "dir", "build"} {
			if r.has(b.path + "." + k) {
				r.fail(b.path+"."+k, "goes with a command only; a built-in bot takes options")
			}
		}
	case command:
		own := r.has(b.path + ".dir")
		if !own {
			b.Dir = r.folder
		}
		if own && len(b.Command) > 0 && r.known.IsFile != nil {
			p := b.Command[0]
			if filepath.Base(p) != p && !filepath.IsAbs(p) {
				if from := filepath.Join(r.folder, p); r.known.IsFile(from) {
					b.Command[0] = from
				}
			}
		}
	default:
		r.fail(b.path, "needs builtin: NAME or command: [PROGRAM, ARGUMENTS...], or registered: NAME")
	}
}

func (r *reader) builtin(path, name string) {
	if r.known.Builtins == nil || name == "" && !r.has(path) || slices.Contains(r.known.Builtins, name) {
		return
	}
	hint := "built-in bots: " + strings.Join(r.known.Builtins, ", ")
	if near := engine.Nearest(name, r.known.Builtins); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	r.fail(path, "no built-in bot %q; %s", clip(name), hint)
}

// allOptions puts a bot's own options behind the event's that it does not set.
func (r *reader) allOptions(own []arena.Option) []arena.Option {
	given := map[string]bool{}
	for _, o := range own {
		given[strings.ToLower(o.Name)] = true
	}
	var all []arena.Option
	for _, o := range r.options {
		if !given[strings.ToLower(o.Name)] {
			all = append(all, o)
		}
	}
	return append(all, own...)
}

// name checks a name that is printed in tables and files.
func (r *reader) name(path, name string) {
	switch {
	case name == "":
		if !r.faulty(path) {
			r.fail(path, "is empty; give a name")
		}
	case strings.TrimSpace(name) != name:
		r.fail(path, "%q begins or ends with a blank", clip(name))
	case !printable(name):
		r.fail(path, "%q has characters that cannot be printed", clip(name))
	case utf8.RuneCountInString(name) > maxName:
		r.fail(path, "has %d letters; at most %d", utf8.RuneCountInString(name), maxName)
	}
}

func printable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}
