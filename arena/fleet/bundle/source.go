package bundle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"botarena/arena"
	"botarena/arena/process"
)

// A Source describes how a worker on another machine obtains a program.
type Source struct {
	Version  string `json:"version,omitempty"`  // a built-in bot's; "" for programs
	Bundle   ID     `json:"bundle,omitempty"`   // "" if it is installed there
	Platform string `json:"platform,omitempty"` // that the bundle is for, as linux/arm64; "" is any
	// Print is the fingerprint that an installed program must have.
	Print string `json:"print,omitempty"`
}

// Check returns an error if a source that came from elsewhere is invalid.
func (s Source) Check() error {
	const most = 1000
	switch {
	case len(s.Version) > most || len(s.Platform) > most:
		return errors.New("a source of a program that is too long")
	case s.Bundle != "" && !s.Bundle.Valid(), s.Print != "" && !ID(s.Print).Valid():
		return errors.New("a source of a program whose bundle or fingerprint is none")
	}
	return nil
}

// Bot packs a bot and returns how workers obtain it. The errors are those of Pack and
// of process.Fingerprint.
func (p Packer) Bot(ctx context.Context, bot arena.Bot) (Source, error) {
	if bot.Builtin != "" {
		return Source{Version: p.BuiltinVersion(bot.Builtin)}, nil
	}
	if bot.Travel == arena.TravelInstalled {
		print, err := process.Fingerprint(bot, p.Path, "")
		return Source{Print: print}, err
	}
	return p.Program(ctx, Program{
		Name: fmt.Sprintf("bot %q", bot.Name), Command: slices.Concat(bot.Command, bot.Args),
		Dir: bot.Dir, Show: bot.SandboxRead,
	})
}

// Program packs a program and returns how workers obtain it.
func (p Packer) Program(ctx context.Context, program Program) (Source, error) {
	if err := os.MkdirAll(p.Dir, 0o700); err != nil {
		return Source{}, err
	}
	fresh, err := os.CreateTemp(p.Dir, "new-")
	if err != nil {
		return Source{}, err
	}
	defer func() { _ = os.Remove(fresh.Name()) }()
	info, err := p.Pack(ctx, program, fresh)
	if err := errors.Join(err, fresh.Close()); err != nil {
		return Source{}, err
	}
	if err := os.Rename(fresh.Name(), p.file(info.ID)); err != nil {
		return Source{}, fmt.Errorf("%s: %w", program.Name, err)
	}
	return Source{Bundle: info.ID, Platform: info.Manifest.Platform}, nil
}

func (p Packer) file(id ID) string { return filepath.Join(p.Dir, string(id)+".tar.zst") }

// Open opens the archive of a packed bundle.
func (p Packer) Open(id ID) (io.ReadCloser, error) { return os.Open(p.file(id)) }

// keepArchives is the time after which an archive that was not packed again is removed.
const keepArchives = 7 * 24 * time.Hour

// Tidy removes archives that were not packed again for keepArchives.
func (p Packer) Tidy() {
	entries, err := os.ReadDir(p.Dir)
	if err != nil {
		return // it is only tidying
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > keepArchives {
			_ = os.Remove(filepath.Join(p.Dir, e.Name()))
		}
	}
}
