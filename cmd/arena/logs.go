package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"botarena/arena"
	"botarena/arena/event"
	"botarena/arena/exchange"
	"botarena/arena/gamelog"
	"botarena/arena/store"
	"botarena/engine"
)

// logFiles returns the paths of a game's logs.
func logFiles(s *store.Store, g *store.Game) gamelog.Paths {
	return gamelog.Files(logDir(s.Path()), g.Event, g.Number)
}

// logDir returns the folder of the logs of the games in the database at a path.
func logDir(db string) string { return filepath.Join(filepath.Dir(db), "logs") }

// showLog prints the dialogue of a game.
func (a *app) showLog(ctx context.Context, w io.Writer, s *store.Store, g *store.Game) error {
	path := logFiles(s, g).Protocol
	err := copyLog(w, path)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if g.Result == arena.Unplayed {
		return fmt.Errorf("game %s/%d has not been played yet", g.Event, g.Number)
	}
	e, err := s.Event(ctx, g.Event)
	if err != nil {
		return err
	}
	settings, err := event.Recorded(e)
	if err != nil {
		return err
	}
	if settings.LogProtocol {
		return fmt.Errorf("no %s: logs of an event's oldest games are removed where there are too many, a game that never began has none, and imported games have none either", path)
	}
	return fmt.Errorf("event %q was played without a log of the dialogue; for the next one write \"log: protocol\" into its file", g.Event)
}

// showStderr prints what the bots of a game wrote to stderr.
func (a *app) showStderr(w io.Writer, s *store.Store, g *store.Game) error {
	if g.Result == arena.Unplayed {
		return fmt.Errorf("game %s/%d has not been played yet", g.Event, g.Number)
	}
	files := logFiles(s, g)
	for side, name := range []string{g.First, g.Second} {
		printed := false
		for _, log := range []struct{ path, title string }{{files.Output[side], name + ", at fault:"}, {files.Stderr[side], name}} {
			var text bytes.Buffer
			err := copyLog(&text, log.path)
			switch {
			case err == nil:
				fmt.Fprintf(w, "== %s\n%s", log.title, text.Bytes())
				printed = true
			case !errors.Is(err, fs.ErrNotExist):
				return err
			case !printed && log.path == files.Stderr[side]:
				fmt.Fprintf(a.err, "nothing from %s\n", name)
			}
		}
	}
	return nil
}

// hint names the logs of a game that a bot lost by its own fault.
func hint(w io.Writer, s *store.Store, g *store.Game, name string) {
	if !g.Reason.Forfeit() {
		return
	}
	exists := func(path string) bool {
		_, err := os.Stat(path)
		return err == nil
	}
	files := logFiles(s, g)
	if exists(files.Protocol) {
		fmt.Fprintf(w, "the dialogue: arena show %s --log\n", name)
	}
	switch {
	case exists(files.Stderr[0]) || exists(files.Stderr[1]):
		fmt.Fprintf(w, "what the bots wrote to stderr: arena show %s --stderr\n", name)
	case exists(files.Output[0]) || exists(files.Output[1]):
		fmt.Fprintf(w, "what the bot at fault wrote last: arena show %s --stderr\n", name)
	}
}

// showRecord prints a game as `arena export` writes it: as JSON, or as PGN with comments.
func (a *app) showRecord(ctx context.Context, w io.Writer, s *store.Store, g *store.Game, catalog engine.Catalog) error {
	r, err := exchange.Recorded(ctx, s, g)
	if err != nil {
		return err
	}
	if catalog == nil {
		return a.printJSON(exchange.NewLine(r))
	}
	if g.Result == arena.Unplayed {
		return fmt.Errorf("game %s/%d has not been played yet", g.Event, g.Number)
	}
	pgn := exchange.NewPGN(w, catalog, exchange.PGNOptions{Comments: true})
	if err := pgn.Write(r); err != nil {
		return err
	}
	return pgn.Flush()
}

// copyLog copies a log, and ends its last line.
func copyLog(w io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	n, err := io.Copy(w, f)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	var last [1]byte
	if _, err := f.ReadAt(last[:], n-1); n == 0 || err == nil && last[0] != '\n' { // the bot ended in the middle of a line
		_, err = w.Write([]byte{'\n'})
		return err
	}
	return nil
}
