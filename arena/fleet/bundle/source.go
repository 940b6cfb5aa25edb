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
	// Version is a built-in bot's; "" for programs.
	Version string `json:"version,omitempty"`
	// Variants are the programs for platforms; a worker takes the one of its own, or
	// else that for any.
	Variants []Variant `json:"variants,omitempty"`
}

// A Variant is a program for one platform.
type Variant struct {
	Platform string `json:"platform,omitempty"` // as linux/arm64; "" is any
	Bundle   ID     `json:"bundle,omitempty"`   // "" where it is installed there
	// Print is what an installed program has to be: the fingerprint of the bot with
	// this program alone.
	Print string `json:"print,omitempty"`
	Build bool   `json:"build,omitempty"` // the bundle's build command is to be run
}

// Check says what is wrong with a source that came from elsewhere.
func (s Source) Check() error {
	const most = 1000
	if len(s.Variants) > most || len(s.Version) > most {
		return errors.New("a source of a program that is too long")
	}
	for _, v := range s.Variants {
		if v.Bundle != "" && !v.Bundle.Valid() || v.Bundle == "" && !ID(v.Print).Valid() {
			return fmt.Errorf("a source of a program for %q that is neither a bundle nor a fingerprint", v.Platform)
		}
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
	var s Source
	for _, platform := range platforms(bot) {
		v, err := p.variant(ctx, bot.On(platform), platform, bot.Travel, put)
		if err != nil {
			return s, err
		}
		s.Variants = append(s.Variants, v)
	}
	return s, nil
}

// Program returns how workers get a program that is no bot.
func (p Packer) Program(ctx context.Context, program Program, put Put) (Source, error) {
	info, err := p.send(ctx, program, put)
	if err != nil {
		return Source{}, err
	}
	return Source{Variants: []Variant{{Platform: info.Manifest.Platform, Bundle: info.ID}}}, nil
}

// platforms are those that a bot has programs for; "" is that of its command.
func platforms(bot arena.Bot) []string {
	all := []string{""}
	for _, p := range bot.Platforms {
		all = append(all, p.Name)
	}
	return all
}

func (p Packer) variant(ctx context.Context, bot arena.Bot, platform string, travel arena.Travel, put Put) (Variant, error) {
	if travel == arena.TravelInstalled {
		print, err := process.Fingerprint(bot, p.Path, "")
		return Variant{Platform: platform, Print: print}, err
	}
	program := Program{
		Name: fmt.Sprintf("bot %q", bot.Name), Command: append(append([]string{}, bot.Command...), bot.Args...),
		Dir: bot.Dir, Show: bot.SandboxRead, Foreign: platform != "",
	}
	build := travel == arena.TravelBuild && len(bot.Build) > 0
	if build {
		program.Build = bot.Build
	}
	info, err := p.send(ctx, program, put)
	if err != nil {
		return Variant{}, err
	}
	if platform == "" && !build {
		platform = info.Manifest.Platform
	}
	return Variant{Platform: platform, Bundle: info.ID, Build: build}, nil
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
