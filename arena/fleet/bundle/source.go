package bundle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"botarena/arena"
	"botarena/arena/process"
)

// A Source says how a worker on another machine gets a program.
type Source struct {
	Version  string `json:"version,omitempty"`  // a built-in bot's; "" for programs
	Bundle   ID     `json:"bundle,omitempty"`   // "" where it is installed there
	Platform string `json:"platform,omitempty"` // that the bundle is for, as linux/arm64; "" is any
	// Print is what an installed program has to be: the fingerprint of the bot.
	Print string `json:"print,omitempty"`
}

// Check reports what is wrong with a source that came from elsewhere.
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

// Put keeps a bundle where workers find it. It may be one that is there already.
type Put func(ctx context.Context, id ID, archive io.Reader) error

// Bot returns how workers get a bot, once what it needs was put where they find it.
// The errors are those of Pack, of process.Fingerprint and of put.
func (p Packer) Bot(ctx context.Context, bot arena.Bot, builtinVersion string, put Put) (Source, error) {
	if bot.Builtin != "" {
		return Source{Version: builtinVersion}, nil
	}
	if bot.Travel == arena.TravelInstalled {
		print, err := process.Fingerprint(bot, p.Path, "")
		return Source{Print: print}, err
	}
	return p.Program(ctx, Program{
		Name: fmt.Sprintf("bot %q", bot.Name), Command: append(append([]string{}, bot.Command...), bot.Args...),
		Dir: bot.Dir, Show: bot.SandboxRead,
	}, put)
}

// Program returns how workers get a program.
func (p Packer) Program(ctx context.Context, program Program, put Put) (Source, error) {
	info, err := p.send(ctx, program, put)
	if err != nil {
		return Source{}, err
	}
	return Source{Bundle: info.ID, Platform: info.Manifest.Platform}, nil
}

// send packs a program and puts it where workers find it.
func (p Packer) send(ctx context.Context, program Program, put Put) (info Info, err error) {
	spool, err := os.CreateTemp(p.Spool, "bundle-")
	if err != nil {
		return info, err
	}
	defer func() { err = errors.Join(err, spool.Close(), os.Remove(spool.Name())) }()
	if info, err = p.Pack(ctx, program, spool); err != nil {
		return info, err
	}
	if _, err := spool.Seek(0, io.SeekStart); err != nil {
		return info, err
	}
	if err := put(ctx, info.ID, spool); err != nil {
		return info, fmt.Errorf("send %s: %w", program.Name, err)
	}
	return info, nil
}
