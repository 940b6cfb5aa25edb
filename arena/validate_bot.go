package arena

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"botarena/engine/nearest"
)

func (v *validator) bots(e *Event) {
	switch n := len(e.Bots); {
	case n == 0:
		v.fail("bots", "missing; list at least two, such as {builtin: minimax} or {name: mine, command: [python3, my_bot.py]}")
	case n < 2:
		v.fail("bots", "%d is too few; at least two bots play", n)
	case n > MaxBots:
		v.fail("bots", "%d are too many; at most %d", n, MaxBots)
		return
	}
	names, folded, seeds := map[string]string{}, map[string]string{}, map[int]string{}
	replaced := map[string]string{}
	for i := range e.Bots {
		b, at := &e.Bots[i], fmt.Sprintf("bots[%d]", i)
		v.bot(at, b)
		if b.Name != "" {
			low := strings.ToLower(b.Name)
			if other, ok := names[b.Name]; ok {
				v.fail(at+".name", "%q is the name of %s already; names are unique", clip(b.Name), other)
			} else if other, ok := folded[low]; ok {
				v.fail(at+".name", "%q differs from %q by upper and lower case only; choose another", clip(b.Name), clip(other))
			}
			names[b.Name], folded[low] = at, b.Name
		}
		if b.Seed > 0 {
			if other, ok := seeds[b.Seed]; ok {
				v.fail(at+".seed", "%d is the seed of %s already", b.Seed, other)
			}
			seeds[b.Seed] = at
		}
		for j, name := range b.Replaces {
			if b.Withdrawn {
				continue // as it did once
			}
			if other, ok := replaced[name]; ok {
				v.fail(fmt.Sprintf("%s.replaces[%d]", at, j), "%s replaces %q already", other, clip(name))
			}
			replaced[name] = at
		}
	}
	if n := len(e.Playing()); n < 2 && len(e.Bots) >= 2 {
		v.fail("bots", "only %d of them plays on and the others are withdrawn; at least two bots play", n)
	}
}

func (v *validator) bot(field string, b *Bot) {
	at := func(key string) string { return join(field, key) }
	v.values(field, reflect.ValueOf(b).Elem(), func(s *Setting) bool {
		return s.Key == "name" || s.Key == "builtin" || b.Builtin != "" && s.Key == "fleet"
	})
	if b.Name == "" {
		v.fail(at("name"), "missing; every bot has a name")
	} else {
		v.name(at("name"), b.Name)
	}
	switch {
	case b.Builtin != "" && len(b.Command) > 0:
		v.fail(at("command"), "a bot is either builtin or a command, not both")
	case b.Builtin != "":
		v.builtin(at("builtin"), b.Builtin)
		for _, s := range []struct {
			key string
			set bool
		}{{"args", len(b.Args) > 0}, {"dir", b.Dir != ""}, {"build", len(b.Build) > 0}, {"fleet", b.Travel != TravelBundle}} {
			if s.set {
				v.fail(at(s.key), "goes with a command only; a built-in bot takes options")
			}
		}
	case len(b.Command) == 0:
		v.fail(field, "needs builtin: NAME or command: [PROGRAM, ARGUMENTS...], or registered: NAME")
	default:
		v.program(at("command"), b.Command)
	}
	if b.Builtin == "" {
		v.program(at("build"), b.Build)
	}
	v.surroundings(field, b)
	for i, name := range b.Replaces {
		field := fmt.Sprintf("%s[%d]", at("replaces"), i)
		v.name(field, name)
		if name == b.Name {
			v.fail(field, "%q is the bot itself; its earlier version has another name", clip(name))
		}
	}
}

// surroundings checks a program's folder, environment, limits and sandbox.
func (v *validator) surroundings(field string, b *Bot) {
	at := func(key string) string { return join(field, key) }
	for i, kv := range b.Env {
		if name, _, ok := strings.Cut(kv, "="); !ok || name == "" {
			v.fail(fmt.Sprintf("%s[%d]", at("env"), i), "%q must be NAME=VALUE", clip(kv))
		}
	}
	v.options(at("options"), b.Options)
	for i, path := range b.SandboxRead {
		if path == "" {
			v.fail(fmt.Sprintf("%s[%d]", at("sandbox_read"), i), "is an empty path")
		}
	}
}

// program checks that a command, if there is one, begins with a program.
func (v *validator) program(field string, words []string) {
	if len(words) > 0 && words[0] == "" {
		v.fail(field, "names no program")
	}
}

func (v *validator) builtin(field, name string) {
	if v.known.Builtins == nil {
		v.name(field, name)
		return
	}
	if slices.Contains(v.known.Builtins, name) {
		return
	}
	hint := nearest.Hint(name, v.known.Builtins, "built-in bots: "+strings.Join(v.known.Builtins, ", "))
	v.fail(field, "no built-in bot %q; %s", clip(name), hint)
}

func (v *validator) options(field string, options []Option) {
	if len(options) > maxItems {
		v.fail(field, "has %d options; at most %d", len(options), maxItems)
		return
	}
	given := map[string]bool{} // in lower case
	for _, o := range options {
		at, low := join(field, clip(o.Name)), strings.ToLower(o.Name)
		// The name stands between the words "name" and "value" of a setoption line.
		switch words := strings.Fields(o.Name); {
		case strings.Join(words, " ") != o.Name || o.Name == "" || !printable(o.Name):
			v.fail(at, "is no name of an option: words with one blank between them")
		case slices.Contains(words, "value"):
			v.fail(at, "an option's name cannot have the word value in it")
		case !printable(o.Value):
			v.fail(at, "an option's value is one printable line")
		case given[low]:
			v.fail(at, "given twice: names of options do not tell upper from lower case")
		}
		given[low] = true
	}
}
