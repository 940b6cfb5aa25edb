package arena_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"botarena/arena"
)

// bots makes entries of a short notation: "emil 2 < emil" replaces emil, "-emil" is
// withdrawn.
func bots(list string) arena.Event {
	var e arena.Event
	for _, word := range strings.Split(list, ", ") {
		if word == "" {
			continue
		}
		var b arena.Bot
		name, old, replaces := strings.Cut(word, " < ")
		if replaces {
			b.Replaces = strings.Split(old, "+")
		}
		b.Name, b.Withdrawn = strings.CutPrefix(name, "-")
		e.Bots = append(e.Bots, b)
	}
	return e
}

func list(e arena.Event) string {
	var words []string
	for _, b := range e.Bots {
		word := b.Name
		if b.Withdrawn {
			word = "-" + word
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

func TestGoOn(t *testing.T) {
	for _, c := range []struct{ name, file, recorded, want string }{
		{"new event", "a, b, c", "", "a, b, c"},
		{"new event, left before it began", "a, -b, c, d < c", "", "a, d"},
		{"same", "a, b, c", "a, b, c", "a, b, c"},
		{"replaced in its place", "a, b 2 < b, c", "a, b, c", "a, -b, c, b 2"},
		{"replaced and still listed", "a, b, c, b 2 < b", "a, b, c", "a, -b, c, b 2"},
		{"replaced before", "a, b 2 < b, c", "a, -b, c, b 2", "a, -b, c, b 2"},
		{"third version", "a, b 3 < b+b 2, c", "a, -b, c, b 2", "a, -b, c, -b 2, b 3"},
		{"second one never entered", "a, b 3 < b+b 2, c", "a, b, c", "a, -b, c, b 3"},
		{"withdrawn in the file", "a, -b, c", "a, b, c", "a, -b, c"},
		{"withdrawn in the record", "a, b, c", "a, -b, c", "a, -b, c"},
		{"withdrawn and no longer listed", "a, c", "a, -b, c", "a, -b, c"},
		{"removed without a word", "a, c", "a, b, c", "a, c"},
		{"another order", "c, b, a", "a, b, c", "c, b, a"},
		{"added", "a, b, c", "a, b", "a, b, c"},
		{"added and withdrawn at once", "a, b, -c", "a, b", "a, b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file, recorded := bots(c.file), bots(c.recorded)
			if got := file.GoOn(&recorded); list(got) != c.want {
				t.Errorf("%q on top of %q goes on as %q, want %q", c.file, c.recorded, list(got), c.want)
			}
		})
	}
}

// What an event went on as, it goes on as again: resuming changes nothing.
func TestGoOnSettles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) arena.Event {
			names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f"}), 1, 6, rapid.ID[string]).Draw(t, label)
			var e arena.Event
			for _, n := range names {
				b := arena.Bot{Name: n, Withdrawn: rapid.IntRange(0, 3).Draw(t, n+" withdrawn") == 0}
				if old := rapid.SampledFrom([]string{"", "", "a", "b", "x"}).Draw(t, n+" replaces"); old != "" && old != n {
					b.Replaces = []string{old}
				}
				e.Bots = append(e.Bots, b)
			}
			return e
		}
		file, recorded := draw("file"), draw("record")
		once := file.GoOn(&recorded)
		if twice := file.GoOn(&once); list(twice) != list(once) {
			t.Fatalf("%q on top of %q goes on as %q, and then as %q", list(file), list(recorded), list(once), list(twice))
		}
	})
}
