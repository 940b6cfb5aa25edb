package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/event"
	"botarena/arena/fleet/bundle"
	"botarena/arena/fleet/speed"
	"botarena/arena/fleet/wire"
	"botarena/arena/live"
	"botarena/arena/schedule"
)

// prepare fetches everything that an event needs, and starts its bots.
func (a *attendance) prepare(ctx context.Context, soft <-chan struct{}, e *wire.Event) (p *player, err error) {
	work, release, err := a.fetch(ctx, e)
	defer func() {
		if err != nil {
			release()
		}
	}()
	if err != nil {
		return nil, err
	}
	factor := ""
	if work.Event.Scale == arena.ScaleMeasured && e.Class == timed {
		by, err := speed.Factor(e.Speed, a.speed.Speed)
		if err != nil {
			return nil, err
		}
		factor = strconv.FormatFloat(by, 'g', -1, 64)
		scale(&work.Event, by)
	}
	hub := live.NewHub(a.Now)
	work.Borrowed = true
	work.Soft, work.Warn, work.Feed = soft, a.Tell, hub.Run(live.Event{Name: work.Event.Name})
	go a.tellMoves(ctx, e.Token, hub)
	workers, err := a.Play(work)
	if err != nil {
		return nil, err
	}
	if err := workers.Start(ctx); err != nil {
		workers.Close()
		return nil, err
	}
	n, _ := workers.Slots()
	return &player{
		conn: a.Conn, js: a.js, name: a.Name, event: *e, game: work.Event.Game, workers: workers, slots: n,
		feed: work.Feed, speed: factor, tell: a.Tell, now: a.Now, stats: &a.stats, release: release,
	}, nil
}

// scale multiplies the clocks of an event.
func scale(e *arena.Event, by float64) {
	e.Clock = e.Clock.Scaled(by)
	for i := range e.Bots {
		if own := e.Bots[i].Clock; own != nil {
			scaled := own.Scaled(by)
			e.Bots[i].Clock = &scaled
		}
	}
}

// fetch returns an announced event, with its bots as they are started here, its game,
// and a function that releases their files.
func (a *attendance) fetch(ctx context.Context, e *wire.Event) (work event.Work, release func(), err error) {
	event := &work.Event
	var held []func()
	release = func() {
		for _, let := range held {
			let()
		}
	}
	files, err := a.js.ObjectStore(ctx, wire.Files)
	if err != nil {
		return work, release, fmt.Errorf("the fleet's files: %w", err)
	}
	spec, err := readSpec(ctx, files, e.Spec)
	if err != nil {
		return work, release, err
	}
	if *event, err = config.Decode([]byte(spec.Config)); err != nil {
		return work, release, fmt.Errorf("the event: %w", err)
	}
	work.Tables = spec.Tables
	if len(spec.Bots) != len(event.Bots) {
		return work, release, fmt.Errorf("the event has %d bots, and %d are described", len(event.Bots), len(spec.Bots))
	}
	fetch := func(ctx context.Context, id bundle.ID) (io.ReadCloser, error) {
		return files.Get(ctx, wire.BundleName(string(id)))
	}
	ctx, cancel := context.WithTimeout(ctx, bringing)
	defer cancel()
	get := a.Bring
	if get == nil {
		get = bring(a.Programs, a.Tell)
	}
	var problems []error
	for i := range event.Bots {
		b := &event.Bots[i]
		if b.Withdrawn {
			continue
		}
		if spec.Bots[i].Name != b.Name {
			return work, release, fmt.Errorf("bot %d is %q, and %q is described", i+1, b.Name, spec.Bots[i].Name)
		}
		brought, let, err := get(ctx, *b, spec.Bots[i], fetch)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		*b = brought
		held = append(held, let)
	}
	if problems != nil {
		return work, release, errors.Join(problems...)
	}
	event.Concurrency = a.Slots
	if err := schedule.Validate(event, a.Known); err != nil {
		return work, release, err
	}
	if event.Rules == nil {
		work.Game, err = a.Known.Catalog.Lookup(event.Game)
		return work, release, err
	}
	if spec.Rules == nil || a.Programs == nil {
		return work, release, fmt.Errorf("the rules of %s are a program, which did not come along", arena.PlainName(event.Game))
	}
	game, program, let, err := a.bringRules(ctx, event, *spec.Rules, fetch)
	if err != nil {
		return work, release, err
	}
	event.Rules = program
	held = append(held, let)
	work.Game = game
	return work, release, nil
}

// readSpec returns the spec with that SHA-256.
func readSpec(ctx context.Context, files jetstream.ObjectStore, sum string) (spec wire.Spec, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	name := wire.SpecName(sum)
	info, err := files.GetInfo(ctx, name)
	if err != nil {
		return spec, fmt.Errorf("the event's own file: %w", err)
	}
	if info.Size > wire.MaxSpec {
		return spec, fmt.Errorf("the event's own file has %d bytes; at most %d", info.Size, wire.MaxSpec)
	}
	data, err := files.GetBytes(ctx, name)
	if err != nil {
		return spec, fmt.Errorf("the event's own file: %w", err)
	}
	if wire.Sum(data) != sum {
		return spec, errors.New("the event's own file is not what it is said to be")
	}
	return wire.Decode[wire.Spec](data)
}
