package bundle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/process"
	"botarena/arena/process/sandbox"
)

// An Installer prepares other people's programs on this machine, as far as its owner
// allows them.
type Installer struct {
	Cache   *Cache
	Starter *process.Starter
	Path    string // PATH
	// Fetch returns the archive of a bundle.
	Fetch func(ctx context.Context, id ID) (io.ReadCloser, error)
	// BuiltinVersion returns the version of a built-in bot of this arena, "" for none
	// of that name.
	BuiltinVersion func(name string) string
	// AsEntered runs bots in the sandbox that their entry names; otherwise it is always
	// strict.
	AsEntered bool
	// Share lists folders of this machine that the programs of others may read, if
	// their entries name something in them. They see none of the owner's other files.
	Share []string
	// User is the home folder of this machine's owner, for "~"; "" for none.
	User string
	// Dir is a folder for what bots write; made if it is missing.
	Dir string
}

// refused returns the error that this machine does not play with a program.
func refused(program, format string, args ...any) error {
	return fmt.Errorf("%s: %s", program, fmt.Sprintf(format, args...))
}

// A Placed program can be started here until it is released.
type Placed struct {
	Command []string
	Dir     string
	Show    []string // for a strict sandbox: see process.Spec
	Within  []string // likewise
	Notes   []string // what is otherwise than where the event is
	held    []*Held
	folders []string
}

// Release frees the program's files, once it has ended.
func (p *Placed) Release() error {
	var errs []error
	for _, h := range p.held {
		errs = append(errs, h.Release())
	}
	for _, f := range p.folders {
		errs = append(errs, os.RemoveAll(f))
	}
	p.held, p.folders = nil, nil
	return errors.Join(errs...)
}

// probeTime limits how long a sandbox may take to start a program that does nothing.
const probeTime = 20 * time.Second

// Ready returns an error that says what is missing if bots cannot be sandboxed as the
// owner wants it.
func (h *Installer) Ready(ctx context.Context) error {
	if h.AsEntered {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	p, err := h.Starter.Start(ctx, process.Spec{Command: []string{"true"}, Dir: string(filepath.Separator), Sandbox: arena.SandboxStrict})
	if err != nil {
		return fmt.Errorf("bots of strangers run in a strict sandbox only, and this machine has none: %w", err)
	}
	return p.End(time.Second)
}

// Bot returns the bot as it is started here, and its files, which the caller releases.
// The error says why this machine does not play with it, or is one of Cache.Hold's.
func (h *Installer) Bot(ctx context.Context, bot arena.Bot, source Source) (arena.Bot, *Placed, error) {
	name := fmt.Sprintf("bot %q", bot.Name)
	if !h.AsEntered {
		bot.Sandbox = arena.SandboxStrict
	}
	bot.Build, bot.Travel = nil, arena.TravelBundle // that is done here, and not to be done again
	if bot.Builtin != "" {
		switch have := h.BuiltinVersion(bot.Builtin); {
		case have == "":
			return bot, nil, refused(name, "this arena has no built-in bot %q; use the same version of arena on all machines", bot.Builtin)
		case have != source.Version:
			return bot, nil, refused(name, "%s is of version %s here and of version %s where the event is; use the same version of arena on all machines", bot.Builtin, have, source.Version)
		}
		bot.Dir = ""
		if err := h.shut(name, &bot); err != nil {
			return bot, nil, err
		}
		return bot, &Placed{}, nil
	}
	return h.Program(ctx, name, bot, source)
}

// Program returns a program that is not a bot, described like one, as it is started
// here, and its files, which the caller releases.
func (h *Installer) Program(ctx context.Context, name string, program arena.Bot, source Source) (arena.Bot, *Placed, error) {
	if !h.AsEntered {
		program.Sandbox = arena.SandboxStrict
	}
	placed, err := h.place(ctx, name, source, program)
	if err != nil {
		return program, nil, err
	}
	program.Command, program.Args, program.Dir, program.SandboxRead, program.Within = placed.Command, nil, placed.Dir, placed.Show, placed.Within
	return program, placed, nil
}

func (h *Installer) place(ctx context.Context, name string, source Source, bot arena.Bot) (*Placed, error) {
	if source.Bundle == "" {
		return h.installed(name, bot, source.Print)
	}
	if here := process.Platform(); source.Platform != "" && source.Platform != here {
		return nil, refused(name, "its program is for %s, and this machine is %s; install one here (fleet: installed)", source.Platform, here)
	}
	held, err := h.Cache.Hold(ctx, source.Bundle, func(ctx context.Context) (io.ReadCloser, error) { return h.Fetch(ctx, source.Bundle) })
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p := &Placed{held: []*Held{held}}
	if err := h.settle(name, p, held, bot); err != nil {
		return nil, errors.Join(err, p.Release())
	}
	return p, nil
}

// installed returns a program that must be on this machine already.
func (h *Installer) installed(name string, bot arena.Bot, print string) (*Placed, error) {
	if info, err := os.Stat(bot.Dir); err != nil || !info.IsDir() || !h.shares(bot.Dir) {
		// Only where the event is: a program of PATH needs none of its own.
		if err := os.MkdirAll(h.Dir, 0o755); err != nil {
			return nil, err
		}
		bot.Dir = h.Dir
	}
	if err := h.shut(name, &bot); err != nil {
		return nil, err
	}
	have, err := process.Fingerprint(bot, h.Path, "")
	if err != nil {
		return nil, refused(name, "it should be installed here: %v", err)
	}
	if have != print {
		return nil, refused(name, "what is installed here is another program, or what its arguments name differs; install the same one, or let it be sent (fleet: bundle)")
	}
	return &Placed{Command: slices.Concat(bot.Command, bot.Args), Dir: bot.Dir, Show: bot.SandboxRead, Within: bot.Within}, nil
}

// shut confines an installed program to what the owner shares. An entry that names a
// path outside of it is refused, whether the path exists or not.
func (h *Installer) shut(name string, bot *arena.Bot) error {
	if h.AsEntered {
		return nil
	}
	bot.Within = append([]string{}, h.Share...)
	var paths []string
	words := slices.Concat(bot.Command, bot.Args)
	for _, option := range bot.Options {
		words = append(words, option.Value)
	}
	for _, word := range words {
		paths = append(paths, word)
		if _, value, ok := strings.Cut(word, "="); ok {
			word = value
		}
		paths = append(paths, strings.Split(word, ":")...)
	}
	for _, path := range bot.SandboxRead {
		if rest, ok := strings.CutPrefix(path, "~"); ok {
			path = h.User + rest
		}
		paths = append(paths, path)
	}
	for _, path := range paths {
		if !filepath.IsLocal(path) && filepath.Clean(path) != "." && path != "" && !h.shares(place(bot.Dir, path)) {
			return refused(name, "it names %s, which the owner of this machine does not share; arena worker --share FOLDER shares a folder", path)
		}
	}
	return nil
}

func place(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// shares reports whether a path is in a folder that the owner shares, or one that
// is installed on the machine.
func (h *Installer) shares(path string) bool {
	path = filepath.Clean(path)
	return h.AsEntered || sandbox.OfSystem(path) || slices.ContainsFunc(h.Share, func(dir string) bool {
		rel, err := filepath.Rel(dir, path)
		return err == nil && filepath.IsLocal(rel)
	})
}

// settle prepares a bundle's program for starting.
func (h *Installer) settle(name string, p *Placed, held *Held, bot arena.Bot) error {
	for _, tool := range held.Manifest.Tools {
		found, err := process.FindProgram(tool.Name, string(filepath.Separator), h.Path)
		if err != nil {
			return refused(name, "it needs %s, which is not on this machine; install it", tool.Name)
		}
		if sum, err := hashFile(found); tool.SHA256 != "" && (err != nil || sum != tool.SHA256) {
			p.Notes = append(p.Notes, fmt.Sprintf("%s runs with another %s than where the event is", name, tool.Name))
		}
	}
	root := held.Root
	if bot.Sandbox != arena.SandboxStrict {
		// What it writes there is its own, and the cache stays as it is.
		var err error
		if root, err = h.copy(p, held); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	p.Command, p.Dir, p.Show = in(root, held.Manifest.Command), filepath.Join(root, inDir), held.Manifest.Show
	if !h.AsEntered {
		p.Within = append([]string{root}, h.Share...)
	}
	return nil
}

// copy makes a copy of a bundle that its program may write to.
func (h *Installer) copy(p *Placed, held *Held) (root string, err error) {
	if err := os.MkdirAll(h.Dir, 0o755); err != nil {
		return "", err
	}
	if root, err = os.MkdirTemp(h.Dir, held.ID.Short()+"-"); err != nil {
		return "", err
	}
	p.folders = append(p.folders, root)
	if err := os.Chmod(root, 0o755); err != nil { //nolint:gosec // a sandbox's user reads it
		return "", err
	}
	for _, part := range []string{inDir, outside} {
		from := filepath.Join(held.Root, part)
		if _, err := os.Stat(from); err != nil {
			continue
		}
		if err := os.CopyFS(filepath.Join(root, part), os.DirFS(from)); err != nil {
			return "", err
		}
	}
	return root, nil
}
