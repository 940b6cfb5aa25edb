package fleet

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"botarena/arena"
	"botarena/arena/event"
	"botarena/arena/fleet/bundle"
)

// A Sender packs the bots of events into a folder, from which they are uploaded to the
// server whenever it has lost them.
type Sender struct {
	Dir    string
	Packer bundle.Packer
	// BuiltinVersion returns the version of a built-in bot.
	BuiltinVersion func(name string) string
}

// keepBundles is how long a bundle stays that no event was played with.
const keepBundles = 7 * 24 * time.Hour

// sources returns how workers get bots. The error is a *event.BotsError where
// some cannot travel.
func (s *Sender) sources(ctx context.Context, bots []arena.Bot) ([]bundle.Source, error) {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return nil, err
	}
	s.Packer.Spool = s.Dir
	list := make([]bundle.Source, len(bots))
	var problems []event.BotProblem
	for i, b := range bots {
		if b.Withdrawn {
			continue
		}
		version := ""
		if b.Builtin != "" {
			version = s.BuiltinVersion(b.Builtin)
		}
		var err error
		if list[i], err = s.Packer.Bot(ctx, b, version, s.put); err != nil {
			problems = append(problems, event.BotProblem{Bot: b.Name, Err: err})
		}
	}
	if problems != nil {
		return nil, &event.BotsError{Problems: problems}
	}
	s.tidy()
	return list, nil
}

// rules returns how workers get the program that knows an event's rules.
func (s *Sender) rules(ctx context.Context, e *arena.Event) (bundle.Source, error) {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return bundle.Source{}, err
	}
	s.Packer.Spool = s.Dir
	return s.Packer.Program(ctx, bundle.Program{
		Name:    "the rules of " + arena.PlainName(e.Game),
		Command: slices.Concat(e.Rules.Command, e.Rules.Args), Dir: e.Rules.Dir, Show: e.Rules.SandboxRead,
	}, s.put)
}

func (s *Sender) file(id bundle.ID) string { return filepath.Join(s.Dir, string(id)+".tar.zst") }

// put keeps an archive, whole or not at all.
func (s *Sender) put(_ context.Context, id bundle.ID, archive io.Reader) error {
	fresh, err := os.CreateTemp(s.Dir, "new-")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(fresh.Name()) }()
	_, err = io.Copy(fresh, archive)
	if err := errors.Join(err, fresh.Close()); err != nil {
		return err
	}
	return os.Rename(fresh.Name(), s.file(id))
}

func (s *Sender) open(id bundle.ID) (io.ReadCloser, error) { return os.Open(s.file(id)) }

// tidy removes what was not packed again for long.
func (s *Sender) tidy() {
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		return // it is only tidying
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > keepBundles {
			_ = os.Remove(filepath.Join(s.Dir, e.Name()))
		}
	}
}
