package event

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/openings"
	"botarena/arena/process"
	"botarena/arena/schedule"
	"botarena/arena/store"
)

// admit compares the event with the one recorded under its name and fills in the bots'
// fingerprints. It returns nil if nothing is recorded.
func (t *Runner) admit(ctx context.Context, event *arena.Event, opt Options) (*store.Event, error) {
	stored, old, err := t.goOn(ctx, event)
	if err != nil {
		return nil, err
	}
	if stored == nil {
		if err := book(&event.Openings, ""); err != nil {
			return nil, err
		}
		if err := t.build(ctx, opt.Soft, event.Bots); err != nil {
			return nil, err
		}
		err := t.fingerprint(event.Bots)
		if err == nil && event.Format != schedule.FormatTune {
			t.tellCopies(event.Bots)
		}
		return nil, err
	}
	if opt.Extend {
		var added []arena.Bot
		for _, b := range event.Bots {
			if !has(old.Bots, b.Name) {
				added = append(added, b)
			}
		}
		if err := t.build(ctx, opt.Soft, added); err != nil {
			return nil, err
		}
	}
	missing := t.fingerprint(event.Bots)
	for i := range event.Bots {
		b := &event.Bots[i]
		if at := arena.BotIndex(old.Bots, b.Name); at >= 0 && !b.Withdrawn && opt.Same != nil && opt.Same(b.Name) {
			b.Fingerprint = old.Bots[at].Fingerprint
		}
	}
	if opt.Extend && missing == nil {
		*event = t.renewed(old, *event)
	}
	switch {
	case stored.State == store.Finished && len(config.Diff(old, *event)) == 0:
		return nil, fmt.Errorf("event %q: %w", event.Name, ErrFinished)
	case missing != nil:
		return nil, missing
	}
	return stored, allowed(old, *event, opt.Extend)
}

// recorded is admit without side effects: it builds nothing, reads no book of a new
// event, and compares a bot that is missing, or not built yet, by its command.
func (t *Runner) recorded(ctx context.Context, event *arena.Event, extend bool) (*store.Event, error) {
	stored, old, err := t.goOn(ctx, event)
	if stored == nil || err != nil {
		return nil, err
	}
	_ = t.fingerprint(event.Bots) // what is missing is compared by its command
	if extend {
		*event = t.renewed(old, *event)
	}
	return stored, allowed(old, *event, extend)
}

// goOn makes the event continue the one recorded under its name, which it returns with
// its configuration; nil if none is.
func (t *Runner) goOn(ctx context.Context, event *arena.Event) (stored *store.Event, old arena.Event, err error) {
	stored, err = t.Store.Event(ctx, event.Name)
	var unknown *store.UnknownEventError
	if errors.As(err, &unknown) {
		*event = event.GoOn(&arena.Event{})
		return nil, old, nil
	}
	if err != nil {
		return nil, old, err
	}
	if old, err = Recorded(stored); err != nil {
		return nil, old, err
	}
	event.Bots = current(event.Bots, old.Bots)
	*event = event.GoOn(&old)
	return stored, old, book(&event.Openings, old.Openings.SHA256)
}

// Recorded returns the configuration of a recorded event, with the fingerprints by which
// its bots entered. One of an older version may be invalid, since it is only compared.
func Recorded(stored *store.Event) (arena.Event, error) {
	e, err := config.Decode(stored.Config)
	var invalid *arena.InvalidError
	if err != nil && !errors.As(err, &invalid) {
		return e, fmt.Errorf("configuration of event %q in the database: %w", stored.Name, err)
	}
	for i := range e.Bots {
		e.Bots[i].Fingerprint = entered(stored.Entries, e.Bots[i].Name)
	}
	return e, nil
}

// entered returns the fingerprint with which a bot entered an event, "" if it
// did not.
func entered(entries []store.Entry, bot string) string {
	i := slices.IndexFunc(entries, func(e store.Entry) bool { return e.Name == bot })
	if i < 0 {
		return ""
	}
	return entries[i].Fingerprint
}

// extends returns an error unless event is old with more rounds, more bots or wider
// limits and nothing else.
func extends(old, event arena.Event) error {
	like := old
	like.Rounds, like.Cycles, like.MaxPlies = event.Rounds, event.Cycles, old.MaxPlies
	like.Ladder.Games, like.Ladder.Time, like.Ladder.Width = event.Ladder.Games, event.Ladder.Time, event.Ladder.Width
	like.Tune.Time = event.Tune.Time
	like.Bots = slices.Clone(old.Bots)
	for _, b := range event.Bots {
		i := arena.BotIndex(old.Bots, b.Name)
		if i < 0 {
			if err := replaces(old, event, b); err != nil {
				return err
			}
			like.Bots = append(like.Bots, b)
			continue
		}
		if f, g := old.Bots[i].Fingerprint, b.Fingerprint; f != "" && g != "" && f != g {
			return fmt.Errorf("bot %q is another program now, and in a %s the new one cannot take its place: start an event of another name", b.Name, event.Format)
		}
		like.Bots[i].Withdrawn = b.Withdrawn
	}
	if rest := config.Diff(like, event); len(rest) > 0 {
		return fmt.Errorf("only rounds, cycles, bots, a ladder's limits and the time of a tuning can be extended, and bots replaced or withdrawn, not %s", strings.Join(rest, "; "))
	}
	return schedule.Extends(old, event)
}

// replaces reports whether a new bot replaces bots of the old event.
func replaces(old, event arena.Event, b arena.Bot) error {
	if len(b.Replaces) == 0 || slices.ContainsFunc(b.Replaces, func(name string) bool { return has(old.Bots, name) }) {
		return nil
	}
	var names []string
	for _, o := range event.Playing() {
		if o.Name != b.Name {
			names = append(names, o.Name)
		}
	}
	return fmt.Errorf("bot %q replaces %q, which never entered; the bots are %s", b.Name, b.Replaces[0], strings.Join(names, ", "))
}

func has(bots []arena.Bot, name string) bool {
	return arena.BotIndex(bots, name) >= 0
}

// fingerprint fills in the bots' fingerprints. The error is a *BotsError.
func (t *Runner) fingerprint(bots []arena.Bot) error {
	var problems []BotProblem
	hashes := process.Hashes{}
	for i := range bots {
		b := &bots[i]
		if b.Withdrawn { // it is as it was recorded; its program may be gone
			continue
		}
		version := ""
		if b.Builtin != "" && t.BuiltinVersion != nil {
			version = t.BuiltinVersion(b.Builtin)
		}
		print, err := hashes.Fingerprint(*b, t.Path, version)
		if err != nil {
			problems = append(problems, BotProblem{b.Name, err})
			continue
		}
		b.Fingerprint = print
	}
	if problems != nil {
		return &BotsError{problems}
	}
	return nil
}

// allowed returns a *ChangedError if the old event cannot go on as event.
func allowed(old, event arena.Event, extend bool) error {
	changes := config.Diff(old, event)
	switch {
	case len(changes) == 0:
		return nil
	case !extend:
		return &ChangedError{Event: event.Name, Changes: changes}
	}
	if err := extends(old, event); err != nil {
		return &ChangedError{Event: event.Name, Changes: changes, Why: err}
	}
	return nil
}

// book reads the event's book and fills in its SHA-256. A missing book is assumed to be
// the recorded one: if an opening is needed that is not recorded, that is an error
// later.
func book(o *arena.Openings, recorded string) error {
	if o.File == "" {
		return nil
	}
	data, err := openings.ReadFile(o.File)
	if errors.Is(err, fs.ErrNotExist) && recorded != "" {
		o.SHA256 = recorded
		return nil
	}
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	print := hex.EncodeToString(sum[:])
	if o.SHA256 != "" && o.SHA256 != print {
		return fmt.Errorf("openings: %s does not hold what its sha256 says: it is %s", o.File, print)
	}
	o.SHA256 = print
	return nil
}
