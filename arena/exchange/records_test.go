package exchange

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/process"
	"botarena/arena/schedule"
	"botarena/arena/store"
	"botarena/engine/games"
)

// opened returns a new database.
func opened(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "arena.db"), time.Now)
	must(err)
	t.Cleanup(func() { must(s.Close()) })
	return s
}

// record imports events of random games, numbers left out, whose bots have secrets.
func record(ctx context.Context, s *store.Store, seed uint64, me process.Identity) {
	rng := source(seed)
	for n, name := range gameNames() {
		e := config.Default()
		e.Name, e.Game, e.Format, e.Elo.K0 = fmt.Sprintf("event %d: \"%s\"", n, name), name, schedule.FormatMatch, float64(10+rng.IntN(50))
		e.Openings = arena.Openings{File: "/home/me/secret.epd", Order: "shuffled", Start: 3}
		for _, bot := range []string{"b", "a"} {
			b := config.DefaultBot()
			b.Name, b.Command, b.Env, b.Dir, b.Fingerprint = bot, []string{"/home/me/secret"}, []string{"TOKEN=secret"}, "/home/me", fmt.Sprint("f", bot, rng.IntN(2))
			e.Bots = append(e.Bots, b)
		}
		text, err := config.Encode(e)
		must(err)
		must(s.Import(ctx, []store.Import{{Event: e, Config: text, Games: func(yield func(*arena.Game, error) bool) {
			for number := 1; number < 12; number += 1 + rng.IntN(4) {
				g := played(rng, name, number)
				if g.Start = g.Start.Add(time.Duration(n) * time.Hour); !yield(&g.Game, nil) {
					return
				}
			}
		}}}, me))
	}
}

// exported returns all games of a database in a format.
func exported(ctx context.Context, s *store.Store, format Format) string {
	var out bytes.Buffer
	written, left, err := Export(ctx, s, store.Filter{Moves: true}, writerOf(format, &out), format == FormatPGN)
	must(err)
	if written == 0 || left > 0 {
		panic(fmt.Sprint(written, " games written, left out: ", left))
	}
	return out.String()
}

// elo returns the incremental Elo of all events, as text.
func elo(ctx context.Context, s *store.Store) (text string) {
	events, err := s.Events(ctx)
	must(err)
	for _, e := range events {
		for _, n := range e.Entries {
			text += fmt.Sprintln(e.Name, n.Name, n.Fingerprint, n.Label, n.Rating, n.Rated)
		}
	}
	return text
}

// Exported, imported elsewhere and exported again, a record is the same to the
// byte, and so are the ratings; commands and paths stay at home.
func TestExportImportExport(t *testing.T) {
	programs := regexp.MustCompile(`(?m)^\[(White|Black)(Engine|Options) .*\n`) // how bots are started stays with the first
	ctx := t.Context()
	me, err := process.Self()
	must(err)
	for seed := range uint64(2) {
		first, second := opened(t), opened(t)
		record(ctx, first, seed, me)
		text := []byte(exported(ctx, first, FormatJSONL))
		i, err := NewImporter(ctx, second, games.All(), "")
		must(errors.Join(err, i.Add("games.jsonl", bytes.NewReader(text), int64(len(text)))))
		must(errors.Join(append(i.Problems, i.Record(ctx, second, me))...))
		for _, format := range formats() {
			before, after := programs.ReplaceAllString(exported(ctx, first, format), ""), exported(ctx, second, format)
			if before != after {
				t.Fatalf("seed %d: first\n%s\nsecond\n%s", seed, before, after)
			}
		}
		for _, secret := range []string{"secret", "/home", "TOKEN"} {
			if bytes.Contains(text, []byte(secret)) {
				t.Fatalf("%q is exported:\n%s", secret, text)
			}
		}
		if elo(ctx, first) != elo(ctx, second) {
			t.Fatal("the incremental Elo differs")
		}
		again, err := NewImporter(ctx, second, games.All(), "")
		must(errors.Join(err, again.Add("games.jsonl", bytes.NewReader(text), int64(len(text)))))
		if len(again.Problems) != len(i.Events) {
			t.Fatalf("imported twice: %v", again.Problems)
		}
	}
}
