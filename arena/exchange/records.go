package exchange

import (
	"context"
	"fmt"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/store"
)

// Records fills in what the export of a game needs besides its own row.
type Records struct {
	store    *store.Store
	versions map[arena.BotVersion]Version
	names    map[arena.BotVersion]string // of the bots in the events exported, nil if versions share one
	event    string                      // of the last record
	config   string
	settings arena.Event
}

// NewRecords prepares to read the games of an event, or of all events for "". With
// apart set, versions of a bot have names of their own.
func NewRecords(ctx context.Context, s *store.Store, event string, apart bool) (*Records, error) {
	r := &Records{store: s, versions: map[arena.BotVersion]Version{}}
	versions, err := s.Versions(ctx)
	if err != nil {
		return nil, err
	}
	for _, v := range versions {
		r.versions[arena.BotVersion{Name: v.Bot, Version: v.Number}] = Version{Number: v.Number, Fingerprint: v.Fingerprint, Label: v.Label}
	}
	if !apart {
		return r, nil
	}
	events, err := s.Events(ctx)
	if err != nil {
		return nil, err
	}
	r.names = map[arena.BotVersion]string{}
	for i := range events {
		if event != "" && events[i].Name != event {
			continue
		}
		for _, e := range events[i].Entries {
			r.names[arena.BotVersion{Name: e.Name, Version: e.Version}] = ""
		}
	}
	arena.NameVersions(r.names)
	return r, nil
}

// Recorded returns one game of the database as it is exported.
func Recorded(ctx context.Context, s *store.Store, g *store.Game) (*Game, error) {
	r, err := NewRecords(ctx, s, g.Event, false)
	if err != nil {
		return nil, err
	}
	return r.Game(ctx, g)
}

// Game returns a game of the database with what is known of its event and bots.
func (r *Records) Game(ctx context.Context, row *store.Game) (*Game, error) {
	first, second := arena.BotVersion{Name: row.First, Version: row.FirstVersion}, arena.BotVersion{Name: row.Second, Version: row.SecondVersion}
	g := &Game{Game: row.Game, Versions: [2]Version{r.versions[first], r.versions[second]}}
	if row.Event != r.event {
		if err := r.begin(ctx, row.Event); err != nil {
			return nil, err
		}
		g.Config = r.config
	}
	g.Describe(&r.settings)
	if r.names != nil {
		g.First, g.Second = r.names[first], r.names[second]
	}
	return g, nil
}

func (r *Records) begin(ctx context.Context, event string) error {
	e, err := r.store.Event(ctx, event)
	if err != nil {
		return err
	}
	if r.settings, err = config.Decode(e.Config); err != nil {
		return fmt.Errorf("the settings of event %q in the database: %w", event, err)
	}
	text, err := config.Encode(Public(r.settings))
	r.event, r.config = event, string(text)
	return err
}

// Export writes the games that a filter selects, and returns their number and that of
// games left out because they have no result. With apart set, versions of a bot have
// names of their own.
func Export(ctx context.Context, s *store.Store, f store.Filter, w Writer, apart bool) (written, left int, err error) {
	r, err := NewRecords(ctx, s, f.Event, apart)
	if err != nil {
		return 0, 0, err
	}
	err = s.Scan(ctx, f, func(row *store.Game) error {
		if row.Result == arena.Unplayed {
			left++
			return nil
		}
		written++
		g, err := r.Game(ctx, row)
		if err != nil {
			return err
		}
		return w.Write(g)
	})
	if err == nil {
		err = w.Flush()
	}
	return written, left, err
}
