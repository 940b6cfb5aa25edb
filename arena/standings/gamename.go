package standings

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"botarena/arena"
	"botarena/arena/store"
	"botarena/engine"
	"botarena/engine/nearest"
)

// GameName returns the name under which a game is recorded: one of the catalog, or one
// whose rules are a program; of two with the same plain name, the one that has games.
// It starts no program. The error is an *engine.UnknownGameError, which lists the games
// of the record too, or a *ChoiceError.
func GameName(ctx context.Context, s *store.Store, catalog engine.Catalog, name string) (string, error) {
	known := ""
	g, err := catalog.Lookup(name)
	var unknown *engine.UnknownGameError
	switch {
	case err == nil:
		known = g.Name()
	case !errors.As(err, &unknown):
		return "", err
	}
	events, failed := s.Events(ctx)
	if failed != nil {
		return "", failed
	}
	var found []string
	for i := range events {
		switch of := events[i].Game; {
		case of == known || of == name:
			return of, nil
		case of != arena.PlainName(of) && arena.PlainName(of) == name:
			found = append(found, of)
		}
	}
	if unknown != nil && unknown.Why == "" {
		more := *unknown
		more.Known = slices.Clone(more.Known)
		var recorded []string
		for i := range events {
			recorded = append(recorded, arena.PlainName(events[i].Game))
		}
		slices.Sort(recorded)
		for _, of := range slices.Compact(recorded) {
			if !slices.Contains(more.Known, of) {
				more.Known = append(more.Known, of)
			}
		}
		if near := nearest.Of(name, recorded); more.Nearest == "" {
			more.Nearest = near
		}
		err = &more
	}
	slices.Sort(found)
	switch found = slices.Compact(found); {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", &ChoiceError{fmt.Sprintf(
			"games of %s were played by several rules, which are not rated together; name one: %s", name, strings.Join(found, ", "))}
	}
	return known, err
}
