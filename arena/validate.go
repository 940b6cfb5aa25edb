package arena

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"botarena/engine"
	"botarena/engine/nearest"
)

// Upper bounds of settings that no tag can express: beyond them a number is a mistake.
const (
	MaxName  = 64 // letters of an event's or a bot's name
	MaxBots  = 10_000
	MaxGames = 10_000_000 // a plan is kept whole

	maxItems = 1000 // arguments, environment, options
	// maxGain is the longest increment: with it for every move of the longest game, and
	// the longest base and margin, the sum still fits a time.Duration.
	maxGain = 5 * time.Hour
)

// Known holds the names that settings are checked against; the zero Known accepts any
// name.
type Known struct {
	Catalog  engine.Catalog // the games that exist
	Builtins []string       // names of the built-in bots
}

// A Problem describes one thing that is wrong with an event or a bot.
type Problem struct {
	// Field is the path of the setting as event files write it, such as
	// "bots[1].clock.base" (counted from 0).
	Field string
	Why   string
}

// An InvalidError lists everything that is wrong with an event or a bot.
type InvalidError struct{ Problems []Problem }

// Error returns one line for each problem: "field: why".
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

// FormatRules checks an event by the rules of its format: package schedule implements
// it.
type FormatRules interface {
	// Only lists the formats that have a setting of events, nil if all have it.
	Only(key string) []string
	// Problem returns a setting of the event and what the format finds wrong with it; ""
	// if nothing. sound tells that each setting by itself is right.
	Problem(e *Event, sound bool) (field, why string)
}

// Validate returns an *InvalidError with all problems of the event, or nil if it can be
// played, recorded, resumed and exported. Event files, flags, the database and imported
// files are all checked here, by schedule.Validate.
func (e *Event) Validate(known Known, rules FormatRules) error {
	v := validator{known: known}
	v.event(e, rules)
	return v.err()
}

// Validate returns an *InvalidError with all problems of the bot by itself.
func (b *Bot) Validate(known Known) error {
	v := validator{known: known}
	v.bot("", b)
	return v.err()
}

// Validate returns an *InvalidError with all problems of the test.
func (s *SPRT) Validate() error {
	var v validator
	v.values("", reflect.ValueOf(s).Elem(), nil)
	v.sprt("", s)
	return v.err()
}

// Validate returns an *InvalidError with all problems of the time control.
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

// values checks each setting of a struct by itself, and those of the structs in it.
// Those that are skipped are no settings here. It reports whether all are sound.
func (v *validator) values(field string, of reflect.Value, skip func(*Setting) bool) bool {
	before := len(v.problems)
	all := settings(of)
	for _, s := range all {
		at, value := join(field, s.Key), s.Value
		if skip != nil && skip(&s) || value.Kind() == reflect.Struct && s.Is("omit") && value.IsZero() {
			continue
		}
		if !s.Goes(all) {
			if plain := fmt.Sprint(value); !value.IsZero() && plain != s.Default {
				v.fail(at, "goes with %s only", strings.Join(s.With, " or "))
			}
			continue
		}
		if value.Kind() == reflect.Pointer && !value.IsNil() {
			value = value.Elem()
		}
		switch list := value.Interface().(type) {
		case []string:
			v.texts(at, list)
		case TimeControl:
			v.clock(at, &list)
		default:
			if value.Kind() == reflect.Struct {
				v.values(at, value, nil)
			} else if params, ok := value.Interface().([]Param); ok {
				for i := range params {
					v.values(fmt.Sprintf("%s[%d]", at, i), reflect.ValueOf(&params[i]).Elem(), nil)
				}
			} else if why := s.Problem(); why != "" {
				v.fail(at, "%s", why)
			}
		}
	}
	return len(v.problems) == before
}

func (v *validator) event(e *Event, rules FormatRules) {
	elsewhere := func(key string) bool { // it is a setting of other formats
		only := rules.Only(key)
		return only != nil && !slices.Contains(only, string(e.Format))
	}
	sound := v.values("", reflect.ValueOf(e).Elem(), func(s *Setting) bool {
		return s.Key == "event" || s.Key == "game" || s.Key != "sprt" && elsewhere(s.Key)
	})
	v.name("event", e.Name)
	if e.Rules != nil {
		v.rules(e)
	} else {
		v.game(e.Game)
	}
	v.openings("openings", &e.Openings)
	v.bots(e)
	if field, why := rules.Problem(e, sound); why != "" {
		v.fail(field, "%s", why)
	}
	if e.SPRT != nil {
		switch {
		case elsewhere("sprt"):
			v.fail("sprt", "goes with format %s only: this event's is %s", strings.Join(rules.Only("sprt"), ", "), e.Format)
		case !e.Swap:
			v.fail("sprt", "is decided by pairs of games: leave swap out")
		}
		v.sprt("sprt", e.SPRT)
	}
	if a := &e.Adjudicate; a.Resign.Score == 0 && a.Resign != (Resigning{}) {
		v.fail("adjudicate.resign", "needs score: how many centipawns behind a bot is lost")
	}
	if e.Adjudicate.Tables && e.Rules != nil {
		v.fail("adjudicate.tables", "there are no exact tables of a game whose rules are a program")
	}
	if sound && e.Elo.KMin > e.Elo.K0 {
		v.fail("elo.k_min", "%g is above k, %g", e.Elo.KMin, e.Elo.K0)
	}
	if e.League != "" {
		v.name("league", e.League)
	}
	if _, _, err := e.LinkVersions.Parse(); err != nil {
		v.fail("link_versions", "%v", err)
	}
	if e.Ponder && e.Suspend {
		v.fail("suspend", "does not go with ponder: a stopped bot cannot think; leave one of them out")
	}
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
	v.values(at, reflect.ValueOf(b).Elem(), func(s *Setting) bool { return !s.Is("rules") })
	if len(b.Command) == 0 {
		v.fail(at, "names no program, such as [python3, hex_rules.py]")
	} else {
		v.program(at+".command", b.Command)
	}
	v.surroundings(at, b)
}

func (v *validator) openings(field string, o *Openings) {
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
	if o.Balanced != nil {
		v.builtin(field+".balanced.bot", o.Balanced.Bot)
	}
	if strings.EqualFold(filepath.Ext(o.File), ".bin") && o.Order == OrderShuffled {
		v.fail(field+".order", "openings of a Polyglot book are drawn by its weights and the seed: leave order out")
	}
}

func (v *validator) clock(field string, c *TimeControl) {
	at := func(key string) string { return join(field, key) }
	switch sound := v.values(field, reflect.ValueOf(c).Elem(), nil); {
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

// sprt checks what the settings of a test say together.
func (v *validator) sprt(field string, s *SPRT) {
	if s.Elo0 >= s.Elo1 {
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

// wrongText reports why a text cannot be an argument or a path; "" if it can.
func wrongText(text string) string {
	switch {
	case strings.ContainsRune(text, 0):
		return "holds a null character"
	case !utf8.ValidString(text):
		return fmt.Sprintf("%q is not UTF-8", clip(text))
	}
	return ""
}

func (v *validator) texts(field string, list []string) {
	if len(list) > maxItems {
		v.fail(field, "has %d words; at most %d", len(list), maxItems)
		return
	}
	for i, text := range list {
		if why := wrongText(text); why != "" {
			v.fail(fmt.Sprintf("%s[%d]", field, i), "%s", why)
		}
	}
}

// Meant translates the values of fastchess and cutechess for order (random) and restart
// (on, off, auto); it returns "" for other words.
func Meant(word string) string {
	switch word {
	case "random":
		return OrderShuffled
	case "on":
		return string(RestartEvery)
	case "off", "auto": // between games, that is
		return string(RestartOnFault)
	}
	return ""
}

// NotOneOf reports that a word is none of those, and which is near; "" if it is.
func NotOneOf(word string, words []string) string {
	if slices.Contains(words, word) {
		return ""
	}
	hint := "one of " + strings.Join(words, ", ")
	near := Meant(word)
	if !slices.Contains(words, near) {
		near = nearest.Of(word, words)
	}
	if near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	return fmt.Sprintf("%q is not known; %s", clip(word), hint)
}

func words[T ~string](list []T) []string {
	all := make([]string, len(list))
	for i, w := range list {
		all[i] = string(w)
	}
	return all
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
