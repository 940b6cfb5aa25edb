package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"botarena/arena/process"
	"botarena/arena/store"
	"botarena/arena/text"
	"botarena/arena/web"
	"botarena/engine/games"
)

// siteMark is a file in each folder that `arena site` wrote, by which it knows that
// it may replace it.
const siteMark = ".arena-site"

func (a *app) siteCommand() *cobra.Command {
	var events []string
	var force, quiet, private bool
	cmd := &cobra.Command{
		Use:   "site DIR",
		Short: "Write the pages to a folder, for any web host or to be opened from the disk",
		Long: `Write the pages that "arena serve" shows to a folder: plain files with relative
links, replays included, for any web host or to be opened from the disk. All
events are written but for archived ones, or those that --event names and what is
about them alone.

How bots are started, and what they wrote to stderr, is left out unless --private
asks for it.

The folder is replaced as a whole once all of it is written, so that nobody ever
sees half of it. One that is neither empty nor written by this command is left as
it is, unless --force says otherwise.`,
		Example: `  arena site public
  arena site public --event spring
  arena site public --event spring --event small`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.openRead(cmd)
			if err != nil {
				return err
			}
			defer s.Close()
			for _, name := range events {
				if _, err := s.Event(cmd.Context(), name); err != nil {
					return err
				}
			}
			ctx, cancel := context.WithCancel(cmd.Context())
			defer cancel()
			interrupts, stop := a.signals()
			defer stop()
			go func() {
				select {
				case <-interrupts:
					cancel()
				case <-ctx.Done():
				}
			}()
			files, err := a.writeSite(ctx, s, args[0], events, force, quiet, private)
			if errors.Is(err, context.Canceled) {
				fmt.Fprintf(a.err, "interrupted: %s is as it was\n", args[0])
				return &exitError{code: exitInterrupted}
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(a.out, "wrote %s to %s: open %s\n", text.Plural(files, "file"), args[0], filepath.Join(args[0], "index.html"))
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&events, "event", nil, "only this `event` and what is about it; may be given again")
	cmd.Flags().BoolVar(&force, "force", false, "replace a folder that this command did not write, and all that is in it")
	cmd.Flags().BoolVar(&private, "private", false, "write what only the owner should read, too: commands, folders, options and environment of bots, and what they wrote to stderr")
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "no progress")
	return cmd
}

// writeSite writes the pages beside the folder, and puts them in its place.
func (a *app) writeSite(ctx context.Context, s *store.Store, dir string, events []string, force, quiet, private bool) (files int, err error) {
	dir, err = siteFolder(dir, force)
	if err != nil {
		return 0, err
	}
	shelf := a.newRulesShelf(ctx, s, a.err)
	defer func() { err = errors.Join(err, shelf.Close()) }()
	c := web.Config{Store: s, Catalog: games.All(), Now: a.now, LogDir: logDir(s.Path()), Version: version, Rules: shelf.rules, Audience: web.Anyone}
	if private {
		c.Audience = web.Owner
	}
	if c.Self, err = process.Self(); err != nil {
		return 0, fmt.Errorf("find out about this process: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return 0, fmt.Errorf("write %s: %w", dir, reason(err))
	}
	part, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+".part-*")
	if err != nil {
		return 0, fmt.Errorf("write %s: %w", dir, reason(err))
	}
	defer func() { _ = os.RemoveAll(part) }() // it has been moved where all went well
	told := a.now()
	files, err = web.WriteSite(ctx, c, part, web.SiteOptions{Events: events, Told: func(written, known int) {
		if now := a.now(); !quiet && now.Sub(told) > 2*time.Second {
			told = now
			fmt.Fprintf(a.err, "%d of at least %d files\n", written, known)
		}
	}})
	if err != nil {
		return 0, err
	}
	err = errors.Join(os.WriteFile(filepath.Join(part, siteMark), []byte("written by arena site\n"), 0o666), os.Chmod(part, 0o755))
	if err != nil {
		return 0, fmt.Errorf("write %s: %w", dir, reason(err))
	}
	return files, replaceFolder(dir, part)
}

// siteFolder returns the folder itself where dir is a link to one. It is an error
// where something is there that may not be replaced.
func siteFolder(dir string, force bool) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if to, err := filepath.EvalSymlinks(dir); err == nil {
		dir = to
	}
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err = putBack(dir); err != nil {
			return "", err
		}
		info, err = os.Stat(dir)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return dir, nil
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", dir, reason(err))
	}
	if !info.IsDir() {
		return "", usagef("%s is a file: name a folder", dir)
	}
	here, err := os.Getwd()
	if err == nil && (dir == here || dir == filepath.Dir(dir)) {
		return "", usagef("%s cannot be replaced as a whole from within: name a folder in it", dir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", fmt.Errorf("%s: %w", dir, reason(err))
	}
	if _, err := os.Stat(filepath.Join(dir, siteMark)); err != nil && len(entries) > 0 && !force {
		return "", usagef("%s has files that arena site did not write: name another folder, or add --force to replace it and all that is in it", dir)
	}
	return dir, nil
}

// replaceFolder puts the folder part in the place of dir. What was there goes away
// last. Where the system can exchange two folders, there is a whole one at any moment;
// elsewhere there is none between two renames, and what a kill leaves then is put back
// by the next call (see putBack).
func replaceFolder(dir, part string) error {
	old, err := part, exchangeFolders(part, dir)
	switch {
	case err == nil: // part is what was there before
	case errors.Is(err, fs.ErrNotExist):
		if err := os.Rename(part, dir); err != nil {
			return fmt.Errorf("replace %s: %w", dir, reason(err))
		}
		return nil
	case errors.Is(err, errors.ErrUnsupported):
		old = part + oldFolder
		if err := os.Rename(dir, old); err != nil {
			return fmt.Errorf("replace %s: %w", dir, reason(err))
		}
		if err := os.Rename(part, dir); err != nil {
			return fmt.Errorf("replace %s: %w", dir, errors.Join(err, os.Rename(old, dir)))
		}
	default:
		return fmt.Errorf("replace %s: %w", dir, reason(err))
	}
	if err := os.RemoveAll(old); err != nil {
		return fmt.Errorf("remove what was in %s before: %w", dir, reason(err))
	}
	return nil
}

// oldFolder ends the name of what was in a folder before, while it is replaced.
const oldFolder = ".old"

// putBack gives a folder that is missing back what was in it, where a call that was
// killed had just taken it away.
func putBack(dir string) error {
	left, err := filepath.Glob(filepath.Join(filepath.Dir(dir), "."+filepath.Base(dir)+".part-*"+oldFolder))
	if err != nil || len(left) == 0 {
		return nil //nolint:nilerr // a name that is no pattern has nothing left of it
	}
	if err := os.Rename(left[len(left)-1], dir); err != nil {
		return fmt.Errorf("put back %s: %w", dir, reason(err))
	}
	return nil
}
