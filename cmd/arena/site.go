package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"botarena/arena/process"
	"botarena/arena/store"
	"botarena/arena/text"
	"botarena/arena/web"
	"botarena/arena/web/publish"
	"botarena/engine/games"
)

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
		RunE: a.reads(func(cmd *cobra.Command, args []string, s *store.Store) error {
			for _, name := range events {
				if _, err := s.Event(cmd.Context(), name); err != nil {
					return err
				}
			}
			ctx, stop := a.untilInterrupt(cmd.Context())
			defer stop()
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
		}),
	}
	cmd.Flags().StringArrayVar(&events, "event", nil, "only this `event` and what is about it; may be given again")
	cmd.Flags().BoolVar(&force, "force", false, "replace a folder that this command did not write, and all that is in it")
	cmd.Flags().BoolVar(&private, "private", false, "write what only the owner should read, too: commands, folders, options and environment of bots, and what they wrote to stderr")
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "no progress")
	return cmd
}

// writeSite writes the pages beside the folder, and replaces it.
func (a *app) writeSite(ctx context.Context, s *store.Store, dir string, events []string, force, quiet, private bool) (files int, err error) {
	folder, err := publish.Begin(dir, force)
	if err != nil {
		return 0, err
	}
	defer folder.Discard()
	c := web.Config{Store: s, Catalog: games.All(), Now: a.now, LogDir: logDir(s.Path()), Version: version, Rules: a.rulesOf(ctx, s.Events, a.err), Audience: web.Anyone}
	if private {
		c.Audience = web.Owner
	}
	if c.Self, err = process.Self(); err != nil {
		return 0, fmt.Errorf("find out about this process: %w", err)
	}
	told := a.now()
	files, err = web.WriteSite(ctx, c, folder.Path, web.SiteOptions{Events: events, Told: func(written, known int) {
		if now := a.now(); !quiet && now.Sub(told) > 2*time.Second {
			told = now
			fmt.Fprintf(a.err, "%d of at least %d files\n", written, known)
		}
	}})
	if err != nil {
		return 0, err
	}
	return files, folder.Publish()
}
