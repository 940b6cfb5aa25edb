package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"botarena/arena"
)

// Diff lists in words what differs between two events, such as "rounds: 3 -> 4" or
// "bots: mine was added"; nothing where the games are the same. What does not alter
// games is left out: the event's name, settings whose tag says "aside", and where a
// book or a bot lies. Bots are compared by fingerprint if both events have one, else by
// command; books by SHA-256, else by name.
func Diff(old, now arena.Event) []string {
	book, other := sameBook(&old.Openings, &now.Openings)
	changes := append(diffGames(old, now), diffTrees("", placeless(old), placeless(now),
		append(keysOf(arena.Settings(&old), "aside"), "event", "game", "bots")...)...)
	if other {
		changes = append(changes, fmt.Sprintf("openings: file: %s holds other openings now", book))
	}
	kept := func(bots, others []arena.Bot) []string {
		var names []string
		for _, b := range bots {
			if arena.BotIndex(others, b.Name) >= 0 {
				names = append(names, b.Name)
			}
		}
		return names
	}
	for _, b := range old.Bots {
		i := arena.BotIndex(now.Bots, b.Name)
		if i < 0 {
			changes = append(changes, fmt.Sprintf("bots: %s was removed", b.Name))
			continue
		}
		f, g := b.Fingerprint, now.Bots[i].Fingerprint
		printed := f != "" && g != ""
		ignore := keysOf(arena.Settings(&b), "aside")
		if printed && f == g {
			ignore = append(ignore, keysOf(arena.Settings(&b), "program")...)
		}
		settings := diffTrees("bots: "+b.Name+": ", placelessBot(b), placelessBot(now.Bots[i]), ignore...)
		changes = append(changes, settings...)
		if printed && f != g && !slices.ContainsFunc(settings, prints) {
			changes = append(changes, fmt.Sprintf("bots: %s: its program or what it reads is another one", b.Name))
		}
	}
	for _, b := range now.Bots {
		if arena.BotIndex(old.Bots, b.Name) < 0 {
			changes = append(changes, fmt.Sprintf("bots: %s was added", b.Name))
		}
	}
	if before, after := kept(old.Bots, now.Bots), kept(now.Bots, old.Bots); !slices.Equal(before, after) {
		changes = append(changes, fmt.Sprintf("bots: their order changed: %s -> %s",
			strings.Join(before, ", "), strings.Join(after, ", ")))
	}
	return changes
}

// prints reports whether a changed setting of a bot changes its fingerprint.
func prints(change string) bool {
	for _, key := range []string{"args", "options", "version"} {
		if _, rest, _ := strings.Cut(change, ": "); strings.Contains(rest, ": "+key+": ") {
			return true
		}
	}
	return false
}

// diffGames compares games: by the fingerprint of their rules in the name, else by the
// rules' command.
func diffGames(old, now arena.Event) []string {
	base := func(e arena.Event) (name, print string) {
		name, print, _ = strings.Cut(e.Game, "@")
		return name, print
	}
	name, print := base(old)
	nameNow, printNow := base(now)
	switch {
	case name != nameNow:
		return []string{fmt.Sprintf("game: %s -> %s", name, nameNow)}
	case (old.Rules == nil) != (now.Rules == nil):
		return []string{fmt.Sprintf("game: %s: its rules are a program in one, and arena's own in the other", name)}
	case old.Rules == nil:
		return diffTrees("", tree{{"game", text(old.Game)}}, tree{{"game", text(now.Game)}})
	}
	ignore := keysOf(rulesSettings(old.Rules), "aside")
	printed := print != "" && printNow != ""
	if printed && print == printNow {
		ignore = append(ignore, "command")
	}
	before, after := *old.Rules, *now.Rules
	before.Command, after.Command = placelessWords(before.Command, true), placelessWords(after.Command, true)
	changes := diffTrees("game: rules: ", rulesTree(before), rulesTree(after), ignore...)
	if printed && print != printNow {
		changes = append(changes, fmt.Sprintf("game: the rules of %s are another program now, or it reads something else: %s -> %s", name, old.Game, now.Game))
	}
	return changes
}

// sameBook makes two books look alike unless their contents are known to differ, which
// other reports.
func sameBook(old, now *arena.Openings) (book string, other bool) {
	known := old.SHA256 != "" && now.SHA256 != ""
	if known && old.SHA256 == now.SHA256 {
		now.File = old.File
	}
	other = known && old.SHA256 != now.SHA256
	old.SHA256, now.SHA256 = "", ""
	return now.File, other
}

// placeless returns an event whose book is named without its folder.
func placeless(e arena.Event) tree {
	if e.Openings.File != "" {
		e.Openings.File = filepath.Base(e.Openings.File)
	}
	return eventTree(e)
}

// placelessBot returns a bot whose program, and files that its arguments name from the
// root on, are named without their folders.
func placelessBot(b arena.Bot) tree {
	b.Command, b.Args = placelessWords(b.Command, true), placelessWords(b.Args, false)
	return botTree(b)
}

func placelessWords(list []string, program bool) []string {
	short := slices.Clone(list)
	for i, w := range short {
		if program && i == 0 || filepath.IsAbs(w) {
			short[i] = filepath.Base(w)
		}
	}
	return short
}

// diffTrees compares two mappings key by key, but for the keys to ignore.
func diffTrees(prefix string, old, now tree, ignore ...string) []string {
	var keys, changes []string
	for _, f := range slices.Concat(old, now) {
		if !slices.Contains(keys, f.key) && !slices.Contains(ignore, f.key) {
			keys = append(keys, f.key)
		}
	}
	for _, k := range keys {
		if before, after := show(old.get(k)), show(now.get(k)); before != after {
			changes = append(changes, fmt.Sprintf("%s%s: %s -> %s", prefix, k, before, after))
		}
	}
	return changes
}

// show returns a value on one line.
func show(n *yaml.Node) string {
	if n == nil {
		return "none"
	}
	b, err := yaml.Marshal(n)
	if err != nil {
		return fmt.Sprintf("%q", n.Value)
	}
	return strings.TrimSpace(string(b))
}

// keysOf lists the keys of settings that have an option.
func keysOf(all []arena.Setting, option string) []string {
	var keys []string
	for _, s := range all {
		if s.Is(option) {
			keys = append(keys, s.Key)
		}
	}
	return keys
}
