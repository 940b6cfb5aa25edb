package standings

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"botarena/arena"
	"botarena/arena/schedule"
	"botarena/arena/store"
)

// A Follower caches an event's games, so that no game is read twice. The zero value is
// ready to use. It is safe for concurrent use, for one event.
type Follower struct {
	mu sync.Mutex
	of string // the event as far as what was read holds
	followed
}

type followed struct {
	games []arena.Game // with results, from the first on, none left out

	trial   *schedule.Trial
	counted arena.Counter // the games up to the decision
	last    int           // number of the last game that the test looked at
	path    []float64     // the ratio after each pair

	tuned *schedule.Tuning // the games up to last
}

// begin clears the cache if results of the event were taken back since.
func (f *Follower) begin(ctx context.Context, s *store.Store, e *store.Event) error {
	back, err := s.TakenBack(ctx, e.ID)
	if of := fmt.Sprint(e.ID, " ", e.Created.UnixMicro(), " ", back); f.of != of {
		f.of, f.followed = of, followed{}
	}
	return err
}

var errEnough = errors.New("no more games are needed")

// test returns the state of the test of a selected event.
func (f *Follower) test(ctx context.Context, s *store.Store, sel *Selection) (*SPRTOutcome, error) {
	event := sel.Config
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.begin(ctx, s, sel.Event)
	if err == nil && f.trial == nil {
		f.trial, err = schedule.NewTrial(event)
	}
	if err != nil {
		return nil, err
	}
	// The test looks at games in their order, up to the first that has no result.
	if err := f.read(ctx, s, event.Name); err != nil {
		f.of = ""
		return nil, err
	}
	r, err := f.trial.Test.Report(f.trial.Counts())
	if err != nil {
		return nil, err
	}
	h, err := NewHeadToHead(f.counted.Counts(), event.Bots[0].Name, event.Bots[1].Name, event.Game, sel.Sides)
	if err != nil {
		return nil, err
	}
	h.Event = event.Name
	o := NewSPRTOutcome(f.trial.Test, r, h)
	o.After, o.Path = max(0, sel.Event.Played-f.trial.Games()), slices.Clone(f.path)
	return o, nil
}

func (f *Follower) read(ctx context.Context, s *store.Store, event string) error {
	if f.trial.Decided() {
		return nil
	}
	pairs := f.trial.Counts()
	err := s.Scan(ctx, store.Filter{Event: event, After: f.last}, func(r *store.Game) error {
		if !f.trial.Add(&r.Game) {
			return errEnough
		}
		f.counted.Add(&r.Game, r.FirstVersion, r.SecondVersion, r.Hash)
		f.last = r.Number
		if c := f.trial.Counts(); c != pairs {
			pairs = c
			f.path = append(f.path, f.trial.LLR())
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// all returns the games of an event, without their moves. The caller must not change
// them.
func (f *Follower) all(ctx context.Context, s *store.Store, e *store.Event) ([]arena.Game, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.begin(ctx, s, e); err != nil {
		return nil, err
	}
	list, last, whole := f.games[:len(f.games):len(f.games)], 0, true
	if len(list) > 0 {
		last = list[len(list)-1].Number
	}
	err := s.Scan(ctx, store.Filter{Event: e.Name, After: last}, func(r *store.Game) error {
		list = append(list, r.Game)
		if whole = whole && r.Result != arena.Unplayed; whole {
			f.games = append(f.games, r.Game)
		}
		return nil
	})
	if err != nil {
		f.of = ""
		return nil, err
	}
	return list, nil
}
