package exchange

import (
	"context"
	"fmt"
	"io"
	"time"

	"botarena/arena"
	"botarena/arena/process"
	"botarena/arena/store"
	"botarena/engine"
)

// An Importer checks files of JSON Lines against a database and each other, and records
// all of their events or none.
type Importer struct {
	Problems []error // none: all can be recorded
	Events   []FileEvent
	Again    int    // games that are recorded already, let through since their event has another name here
	Where    string // one of them is recorded

	catalog engine.Catalog
	as      string
	seen    map[gameKey]string // where each game is recorded, or stands in a file
	events  map[string]string  // where each event is
}

// gameKey identifies a game independently of its event's name: the same versions do not
// begin the same number of a schedule twice in one microsecond.
type gameKey struct {
	start         int64
	number, round int
	first, second string // fingerprints
}

func keyOf(start time.Time, number, round int, first, second string) gameKey {
	return gameKey{start.UnixMicro(), number, round, first, second}
}

// NewImporter returns an importer into a database, nil if there is none yet. Games are
// checked by the rules of the catalog; as, if not "", is the name of the event here.
func NewImporter(ctx context.Context, s *store.Store, catalog engine.Catalog, as string) (*Importer, error) {
	i := &Importer{catalog: catalog, as: as, seen: map[gameKey]string{}, events: map[string]string{}}
	if s == nil {
		return i, nil
	}
	events, err := s.Events(ctx)
	if err != nil {
		return nil, err
	}
	for j := range events {
		i.events[events[j].Name] = "the database"
	}
	records, err := NewRecords(ctx, s, "", false)
	if err != nil {
		return nil, err
	}
	return i, s.Scan(ctx, store.Filter{Played: true}, func(r *store.Game) error {
		key := keyOf(r.Start, r.Number, r.Round,
			records.versions[arena.BotVersion{Name: r.First, Version: r.FirstVersion}].Fingerprint,
			records.versions[arena.BotVersion{Name: r.Second, Version: r.SecondVersion}].Fingerprint)
		i.seen[key] = fmt.Sprintf("%s/%d", r.Event, r.Number)
		return nil
	})
}

// Add checks a file, which must stay open until Record returns, and collects its
// problems. The error is ErrPGN for a file of PGN, or that of reading.
func (i *Importer) Add(name string, file io.ReaderAt, size int64) error {
	found := Inspect(name, file, size, NewChecker(i.catalog), func(line int, g *Game) error { return i.once(name, line, g) })
	for _, p := range found.Problems {
		if p.Err == ErrPGN { //nolint:errorlint // Inspect's own, as it is
			return p
		}
		i.Problems = append(i.Problems, p)
	}
	for _, e := range found.Events {
		if e.Event.Rules != nil && len(found.Problems) == 0 { // as those by which they were checked
			game, err := i.catalog.Lookup(e.Event.Game)
			if err != nil {
				return err
			}
			e.Event.Game = game.Name()
		}
		if i.as != "" {
			e.Event.Name = i.as
		}
		if where, ok := i.events[e.Event.Name]; ok {
			i.Problems = append(i.Problems, &ParseError{File: name, Line: e.Line, Err: fmt.Errorf("event %q is in %s already; give it another name with --as", e.Event.Name, where)})
		}
		i.events[e.Event.Name] = name
		i.Events = append(i.Events, e)
	}
	return nil
}

// once returns an error if a game is recorded already, or is in another file.
func (i *Importer) once(name string, line int, g *Game) error {
	key := keyOf(g.Start, g.Number, g.Round, g.Versions[0].Fingerprint, g.Versions[1].Fingerprint)
	where, ok := i.seen[key]
	_, taken := i.events[g.Event]
	switch {
	case taken && i.as == "": // said once, of the event
	case !ok || g.Start.IsZero():
		i.seen[key] = fmt.Sprintf("%s:%d", name, line)
	case i.as == "":
		return fmt.Errorf("game %s/%d is %s already", g.Event, g.Number, where)
	default:
		i.Again, i.Where = i.Again+1, where
	}
	return nil
}

// Record writes all events that were found.
func (i *Importer) Record(ctx context.Context, s *store.Store, me process.Identity) error {
	var events []store.Import
	for j := range i.Events {
		e := &i.Events[j]
		config, err := e.Config()
		if err != nil {
			return err
		}
		events = append(events, store.Import{Event: e.Entered(), Config: config, Games: e.Records()})
	}
	return s.Import(ctx, events, me)
}
