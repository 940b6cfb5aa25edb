package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/standings"
	"botarena/arena/store"
	"botarena/engine"
)

// FinalName returns the name of a league's final.
func FinalName(league string) string { return league + " final" }

// FinalEvent returns the final of a league: its format, rounds and seed as the file says,
// between the versions that entered last, the best on the ladder seeded first. One that is
// recorded goes on as it is. The error says why there can be none yet.
func FinalEvent(ctx context.Context, s *store.Store, catalog engine.Catalog, l *League, now time.Time) (arena.Event, error) {
	h := &Host{store: s, league: l}
	subs, err := s.Submissions(ctx, l.Name, "")
	if err != nil {
		return arena.Event{}, err
	}
	stored, err := s.Event(ctx, FinalName(l.Name))
	var unknown *store.UnknownEventError
	if err == nil {
		e, err := config.Decode(stored.Config)
		if err != nil {
			return e, err
		}
		return e, fillIn(&e, subs)
	} else if !errors.As(err, &unknown) {
		return arena.Event{}, err
	}
	if now.Before(l.Closes) {
		return arena.Event{}, fmt.Errorf("league %q takes submissions until %s: the final is between the versions that are there then", l.Name, written(l.Closes))
	}
	if i := slices.IndexFunc(subs, func(s store.Submission) bool { return s.Pending() }); i >= 0 {
		return arena.Event{}, fmt.Errorf("number %d of %s is not through yet (%s); let `arena host` go on until all are", subs[i].Number, subs[i].Team, subs[i].State)
	}
	bots, err := h.bots(ctx)
	if err != nil {
		return arena.Event{}, err
	}
	bots = slices.DeleteFunc(bots, func(b arena.Bot) bool { return b.Withdrawn || arena.BotIndex(l.Bots, b.Name) >= 0 })
	if len(bots) < 2 {
		return arena.Event{}, fmt.Errorf("a final takes two bots or more of teams that play, and league %q has %d", l.Name, len(bots))
	}
	lb, err := leaderboard(ctx, s, catalog, l.Name)
	if err != nil {
		return arena.Event{}, err
	}
	place := func(b *arena.Bot) int {
		i := slices.IndexFunc(lb.Bots, func(r standings.Row) bool { return r.Bot == b.Name })
		return cmp.Or(i+1, len(lb.Bots)+1)
	}
	slices.SortStableFunc(bots, func(a, b arena.Bot) int { return cmp.Compare(place(&a), place(&b)) })
	for i := range bots {
		bots[i].Seed = i + 1
	}
	e := h.sideEvent(FinalName(l.Name), arena.Format(l.Final.Format), bots...)
	e.Rounds, e.Seed = l.Final.Rounds, l.Final.Seed
	return e, nil
}

// fillIn sets the folders that bots of a recorded event may see, which are not
// settings.
func fillIn(e *arena.Event, subs []store.Submission) error {
	for i := range e.Bots {
		at := slices.IndexFunc(subs, func(s store.Submission) bool { return s.Bot == e.Bots[i].Name })
		if at < 0 {
			continue
		}
		b, err := specOf(&subs[at])
		if err != nil {
			return err
		}
		e.Bots[i].Within = b.Within
	}
	return nil
}

// leaderboard returns the standings of a league's ladder.
func leaderboard(ctx context.Context, s *store.Store, catalog engine.Catalog, league string) (*standings.Leaderboard, error) {
	sel, err := standings.Choose(ctx, s, catalog, league, "", "", nil)
	if err != nil {
		return nil, err
	}
	return sel.Leaderboard()
}
