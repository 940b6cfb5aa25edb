package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"
	"time"

	"botarena/arena"
	"botarena/arena/fleet/bundle"
	"botarena/arena/fleet/wire"
	"botarena/arena/rules"
	"botarena/engine"
)

// A Fetch returns the archive of a bundle.
type Fetch func(ctx context.Context, id bundle.ID) (io.ReadCloser, error)

// Bring prepares a bot of an event on a worker and returns its entry as it is started
// there, and a function that releases its files. The error says why it is not
// available.
type Bring func(ctx context.Context, bot arena.Bot, how wire.Bot, fetch Fetch) (arena.Bot, func(), error)

// bring returns the Bring of an installer.
func bring(installer *bundle.Installer, tell func(string)) Bring {
	return func(ctx context.Context, b arena.Bot, how wire.Bot, fetch Fetch) (arena.Bot, func(), error) {
		one := *installer
		one.Fetch = fetch
		bot, placed, err := one.Bot(ctx, b, how.Source)
		if errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission) {
			return b, nil, fmt.Errorf("%w; name a folder that can be written to with --cache", err)
		}
		if err != nil {
			return b, nil, err
		}
		bot.Fingerprint = how.Fingerprint
		return bot, release(fmt.Sprintf("bot %q", b.Name), placed, tell), nil
	}
}

// bringRules prepares and starts an event's rules program. It returns the game, the
// program's entry for further starts, and a function that ends the program and releases
// its files.
func (w *Worker) bringRules(ctx context.Context, e *arena.Event, how bundle.Source, fetch Fetch) (engine.Game, *arena.Bot, func(), error) {
	one := *w.Programs
	one.Fetch = fetch
	name := "the rules of " + arena.PlainName(e.Game)
	program, placed, err := one.Program(ctx, name, *e.Rules, how)
	if err != nil {
		return nil, nil, nil, err
	}
	let := release(name, placed, w.Tell)
	game, err := rules.Open(context.WithoutCancel(ctx), rules.ConfigOf(one.Starter, e.Game, &program, nil, time.Now))
	if err != nil {
		let()
		return nil, nil, nil, err
	}
	return game, &program, func() {
		if err := game.Close(); err != nil {
			w.Tell(fmt.Sprintf("%s: %v", name, err))
		}
		let()
	}, nil
}

// release reports how a program differs on this machine, and returns a function that
// releases its files.
func release(name string, placed *bundle.Placed, tell func(string)) func() {
	for _, note := range placed.Notes {
		tell(note)
	}
	return func() {
		if err := placed.Release(); err != nil {
			tell(fmt.Sprintf("%s: %v", name, err))
		}
	}
}
