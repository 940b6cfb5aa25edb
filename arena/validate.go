package arena

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"botarena/engine"
	"botarena/engine/nearest"
)

// The largest values that make sense; beyond them a number is a slip.
const (
	MaxName  = 64 // letters of an event's or a bot's name
	MaxBots  = 10_000
	MaxGames = 10_000_000 // a plan is kept whole

	maxItems    = 1000 // arguments, environment, options
	maxRounds   = 1_000_000
	maxCycles   = 1000
	maxPlies    = 1_000_000
	maxOpening  = 1000 // plies
	maxSlots    = 4096
	maxCentis   = 1_000_000
	maxTestElo  = 1000
	maxNodes    = 1 << 53
	maxDepth    = 1000
	maxNumber   = 1e9
	maxBytes    = 1 << 53 // whole in a float64
	maxDuration = 1000 * 24 * time.Hour
	// maxGain is what a clock may gain a move: with it for every move of the longest
	// game, and a base and a margin of maxDuration, it still is a time.Duration.
	maxGain = 5 * time.Hour
)

// Known is what names are checked against; the zero Known takes any name.
type Known struct {
	Catalog  engine.Catalog // the games that exist
	Builtins []string       // names of the built-in bots
}

// A Problem is one thing that is wrong with an event or a bot.
type Problem struct {
	// Field is the path of the setting as event files write it, such as
	// "bots[1].clock.base" (counted from 0).
	Field string
	Why   string
}

// An InvalidError lists everything that is wrong with an event or a bot.
type InvalidError struct{ Problems []Problem }

// Error has one line a problem: "field: why".
func (e *InvalidError) Error() string {
	const most = 100
	var lines []string
	for _, p := range e.Problems[:min(most, len(e.Problems))] {
		line := p.Why
		if p.Field != "" {
			line = p.Field + ": " + p.Why
		}
		lines = append(lines, line)
	}
	if more := len(e.Problems) - most; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more problems", more))
	}
	return strings.Join(lines, "\n")
}

// Validate returns an *InvalidError with all that is wrong with the event, nil
// where it can be played, recorded, gone on with and exported. Every way in ends
// here: event files, flags, the database, imported files.
func (e *Event) Validate(known Known) error {
	v := validator{known: known}
	v.event(e)
	return v.err()
}

// Validate returns an *InvalidError with all that is wrong with the bot by itself.
func (b *Bot) Validate(known Known) error {
	v := validator{known: known}
	v.bot("", b)
	return v.err()
}

// Validate returns an *InvalidError with all that is wrong with the test.
func (s *SPRT) Validate() error {
	var v validator
	v.sprt("", s)
	return v.err()
}

// Validate returns an *InvalidError with all that is wrong with the time control.
func (c *TimeControl) Validate() error {
	var v validator
	v.clock("", c)
	return v.err()
}

// A validator collects problems.
type validator struct {
	known    Known
	problems []Problem
}

func (v *validator) err() error {
	if len(v.problems) == 0 {
		return nil
	}
	return &InvalidError{v.problems}
}

func (v *validator) fail(field, format string, args ...any) {
	v.problems = append(v.problems, Problem{field, fmt.Sprintf(format, args...)})
}

func (v *validator) event(e *Event) {
	v.name("event", e.Name)
	if e.Rules != nil {
		v.rules(e)
	} else {
		v.game(e.Game)
	}
	known := oneOf(v, "format", e.Format, Formats()...)
	v.openings("openings", &e.Openings)
	v.clock("clock", &e.Clock)
	within(v, "concurrency", e.Concurrency, 0, maxSlots)
	within(v, "max_plies", e.MaxPlies, 0, maxPlies)
	v.bots(e)
	if known {
		v.format(e)
	}
	if e.SPRT != nil {
		switch {
		case e.Format != FormatMatch:
			v.fail("sprt", "goes with format match only: this event's is %s", e.Format)
		case !e.Swap:
			v.fail("sprt", "is decided by pairs of games: leave swap out")
		}
		v.sprt("sprt", e.SPRT)
	}
	v.adjudication("adjudicate", &e.Adjudicate)
	if e.Adjudicate.Tables && e.Rules != nil {
		v.fail("adjudicate.tables", "there are no exact tables of a game whose rules are a program")
	}
	v.elo("elo", e.Elo)
	if e.League != "" {
		v.name("league", e.League)
	}
	oneOf(v, "pin", e.Pin, PinAuto, PinOn, PinOff)
	oneOf(v, "scale", cmp.Or(e.Scale, "none"), "none", ScaleMeasured)
	if e.Ponder && e.Suspend {
		v.fail("suspend", "does not go with ponder: a stopped bot cannot think; leave one of them out")
	}
	within(v, "grace", e.Grace, 0, maxDuration)
	within(v, "max_faults", e.MaxFaults, 0, maxRounds)
	within(v, "handshake", e.Handshake, 0, maxDuration)
}

func (v *validator) game(name string) {
	if name == "" {
		hint := "name the game to play"
		if names := v.known.Catalog.Names(); len(names) > 0 {
			hint += ": " + strings.Join(names, ", ")
		}
		v.fail("game", "missing; %s", hint)
		return
	}
	if v.known.Catalog == nil {
		if !printable(name) || strings.TrimSpace(name) != name {
			v.fail("game", "%q is no name of a game", clip(name))
		}
		return
	}
	game, err := v.known.Catalog.Lookup(name)
	switch {
	case err != nil:
		v.fail("game", "%v", err)
	case game.Name() != name:
		v.fail("game", "%q is written %q", clip(name), game.Name())
	}
}

// rules checks a game whose rules are a program.
func (v *validator) rules(e *Event) {
	v.name("game.name", e.Game)
	if base, print, ok := strings.Cut(e.Game, "@"); ok && (base == "" || strings.Trim(print, "0123456789abcdef") != "" || print == "") {
		v.fail("game.name", "%q: what follows the @ is the beginning of the fingerprint of its rules; leave it out", clip(e.Game))
	}
	at, b := "game.rules", e.Rules
	if len(b.Command) == 0 {
		v.fail(at, "names no program, such as [python3, hex_rules.py]")
	} else {
		v.command(at+".command", b.Command)
	}
	v.surroundings(at, b)
}

func (v *validator) openings(field string, o *Openings) {
	within(v, field+".random", o.Random, 0, maxOpening)
	v.text(field+".file", o.File)
	if sum, err := hex.DecodeString(o.SHA256); o.SHA256 != "" && (err != nil || len(sum) != sha256.Size || o.File == "") {
		v.fail(field+".sha256", "it is the SHA-256 of file, 64 hexadecimal digits; leave it out")
	}
	var sources []string
	for _, s := range []struct {
		name string
		set  bool
	}{{"random", o.Random != 0}, {"file", o.File != ""}, {"balanced", o.Balanced != nil}} {
		if s.set {
			sources = append(sources, s.name)
		}
	}
	if len(sources) > 1 {
		v.fail(field+"."+sources[1], "openings come from one source: %s is set already", sources[0])
	}
	if b := o.Balanced; b != nil {
		at := field + ".balanced"
		within(v, at+".plies", b.Plies, 1, maxOpening)
		v.builtin(at+".bot", b.Bot)
		within(v, at+".depth", b.Depth, 1, 100)
		within(v, at+".window", b.Window, 0, maxCentis)
		within(v, at+".count", b.Count, 1, 100_000)
	}
	within(v, field+".plies", o.Plies, 0, maxOpening)
	if o.Plies != 0 && o.File == "" {
		v.fail(field+".plies", "goes with openings from a file only: others are as long as random or balanced.plies says")
	}
	if strings.EqualFold(filepath.Ext(o.File), ".bin") && o.Order == OrderShuffled {
		v.fail(field+".order", "openings of a Polyglot book are drawn by its weights and the seed: leave order out")
	}
	if o.File == "" && o.Balanced == nil {
		const why = "goes with openings from a file or balanced ones only"
		if o.Order != "" && o.Order != OrderSequential {
			v.fail(field+".order", why)
		}
		if o.Start != 0 && o.Start != 1 {
			v.fail(field+".start", why)
		}
		return
	}
	oneOf(v, field+".order", o.Order, Orders()...)
	within(v, field+".start", o.Start, 1, maxRounds)
}

func (v *validator) clock(field string, c *TimeControl) {
	at := func(key string) string { return join(field, key) }
	sound := true
	for _, ok := range []bool{
		within(v, at("move"), c.Move, 0, maxDuration),
		within(v, at("base"), c.Base, 0, maxDuration),
		within(v, at("increment"), c.Increment, 0, maxDuration),
		within(v, at("moves"), c.Moves, 0, maxPlies),
		within(v, at("nodes"), c.Nodes, 0, maxNodes),
		within(v, at("depth"), c.Depth, 0, maxDepth),
	} {
		sound = sound && ok
	}
	within(v, at("margin"), c.Margin, 0, maxDuration)
	switch {
	case !sound:
	case c.Move > 0 && (c.Base > 0 || c.Increment > 0 || c.Moves > 0):
		v.fail(field, "move is a fixed time for each move; leave base, increment and moves out")
	case c.Increment > 0 && c.Base == 0:
		v.fail(at("increment"), "needs a base: {base: 10s, increment: 100ms}")
	case c.Moves > 0 && c.Base == 0:
		v.fail(at("moves"), "needs a base, the time for so many moves: {base: 60s, moves: 40}")
	case c.Increment > maxGain:
		v.fail(at("increment"), "%v is out of range; at most %v", c.Increment, maxGain)
	case c.Moves > 0 && c.Increment+c.Base/time.Duration(c.Moves) > maxGain:
		v.fail(at("base"), "%v for %d moves is out of range; at most %v a move", c.Base, c.Moves, maxGain)
	case !c.Timed() && c.Nodes == 0 && c.Depth == 0:
		v.fail(field, "sets no limit; give one of move: 100ms, base: 10s, nodes: 2000, depth: 4")
	}
}

// format checks the settings of the event's format.
func (v *validator) format(e *Event) {
	n := len(e.Bots)
	sound := true
	switch e.Format {
	case FormatLadder:
		within(v, "ladder.games", e.Ladder.Games, 0, 1_000_000_000)
		within(v, "ladder.time", e.Ladder.Time, 0, maxDuration)
		if e.Ladder.Width != 0 {
			v.number("ladder.width", e.Ladder.Width, 0.001, maxNumber)
		}
		oneOf(v, "ladder.choose", e.Ladder.Choose, Choosers()...)
		if e.Swap && e.Ladder.Games == 1 {
			v.fail("ladder.games", "1 is less than a pair of games; at least 2, or swap: false")
		}
		return
	case FormatMatch:
		if n > 2 {
			v.fail("bots", "a match has two bots, not %d; more play a round-robin", n)
		}
	case FormatRoundRobin:
		sound = within(v, "cycles", e.Cycles, 1, maxCycles)
	case FormatGauntlet:
		sound = within(v, "gauntlet.challengers", e.Gauntlet.Challengers, 1, MaxBots)
		if c := e.Gauntlet.Challengers; n >= 2 && c >= n {
			sound = false
			v.fail("gauntlet.challengers", "%d of %d bots leave nobody to challenge; at most %d", c, n, n-1)
		}
	case FormatKnockout:
		within(v, "knockout.tie_breaks", e.Knockout.TieBreaks, 0, 1000)
	case FormatSwiss:
	}
	if !within(v, "rounds", e.Rounds, 1, maxRounds) || !sound || n > MaxBots {
		return
	}
	if games, _ := e.Total(); games > MaxGames {
		v.fail("rounds", "this event has %d games; at most %d", games, MaxGames)
	}
}

func (v *validator) sprt(field string, s *SPRT) {
	sound := v.number(join(field, "elo0"), s.Elo0, -maxTestElo, maxTestElo)
	sound = v.number(join(field, "elo1"), s.Elo1, -maxTestElo, maxTestElo) && sound
	if sound && s.Elo0 >= s.Elo1 {
		v.fail(field, "elo0 %g and elo1 %g: elo0 must be less than elo1", s.Elo0, s.Elo1)
	}
	for _, p := range []struct {
		name  string
		value float64
	}{{"alpha", s.Alpha}, {"beta", s.Beta}} {
		// Not "p <= 0 || p >= 0.5", which lets NaN pass.
		if !(p.value > 0 && p.value < 0.5) {
			v.fail(join(field, p.name), "%g must lie between 0 and 0.5 (0.05 is usual)", p.value)
		}
	}
	oneOf(v, join(field, "model"), s.Model, Models()...)
}

func (v *validator) adjudication(field string, a *Adjudication) {
	within(v, field+".resign.score", a.ResignScore, 0, maxCentis)
	least := 0
	if a.ResignScore > 0 {
		least = 1
	}
	within(v, field+".resign.moves", a.ResignMoves, least, maxPlies)
	within(v, field+".draw.score", a.DrawScore, 0, maxCentis)
	within(v, field+".draw.moves", a.DrawMoves, 0, maxPlies)
	within(v, field+".draw.from", a.DrawFrom, 0, maxPlies)
	if a.DrawMoves == 0 && (a.DrawScore != 0 || a.DrawFrom != 0) {
		v.fail(field+".draw", "needs score and moves: within how many centipawns, for how many moves")
	}
}

func (v *validator) elo(field string, e Elo) {
	v.number(field+".start", e.Start, -maxNumber, maxNumber)
	sound := v.number(field+".k", e.K0, 0, maxNumber)
	sound = v.number(field+".k_min", e.KMin, 0, maxNumber) && sound
	v.number(field+".n0", e.N0, 0.001, maxNumber)
	if sound && e.KMin > e.K0 {
		v.fail(field+".k_min", "%g is above k, %g", e.KMin, e.K0)
	}
}

// name checks a name that is printed in tables and files.
func (v *validator) name(field, name string) {
	switch letters := utf8.RuneCountInString(name); {
	case name == "":
		v.fail(field, "is empty; give a name")
	case strings.TrimSpace(name) != name:
		v.fail(field, "%q begins or ends with a blank", clip(name))
	case !printable(name):
		v.fail(field, "%q has characters that cannot be printed", clip(name))
	case letters > MaxName:
		v.fail(field, "has %d letters; at most %d", letters, MaxName)
	}
}

// text checks what can be an argument or a path.
func (v *validator) text(field, text string) {
	switch {
	case strings.ContainsRune(text, 0):
		v.fail(field, "holds a null character")
	case !utf8.ValidString(text):
		v.fail(field, "%q is not UTF-8", clip(text))
	}
}

func (v *validator) texts(field string, list []string) {
	if len(list) > maxItems {
		v.fail(field, "has %d words; at most %d", len(list), maxItems)
		return
	}
	for i, text := range list {
		v.text(fmt.Sprintf("%s[%d]", field, i), text)
	}
}

// number reports whether a value lies within bounds, which NaN does not.
func (v *validator) number(field string, value, least, most float64) bool {
	if value >= least && value <= most {
		return true
	}
	v.fail(field, "%g is out of range; from %g to %g", value, least, most)
	return false
}

// within reports whether a value lies within bounds.
func within[T int | int64 | time.Duration](v *validator, field string, value, least, most T) bool {
	switch {
	case value > most:
		v.fail(field, "%v is out of range; at most %v", value, most)
	case value < least:
		v.fail(field, "%v is too small; at least %v", value, least)
	default:
		return true
	}
	return false
}

// oneOf reports whether a word is one of those.
func oneOf[T ~string](v *validator, field string, word T, words ...T) bool {
	if slices.Contains(words, word) {
		return true
	}
	names := make([]string, len(words))
	for i, w := range words {
		names[i] = string(w)
	}
	hint := "one of " + strings.Join(names, ", ")
	if near := nearest.Of(string(word), names); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	v.fail(field, "%q is not known; %s", clip(string(word)), hint)
	return false
}

func join(field, key string) string {
	if field == "" {
		return key
	}
	return field + "." + key
}

func printable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// clip shortens a long text for a message.
func clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}
