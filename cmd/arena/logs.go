package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/exchange"
	"botarena/arena/gamelog"
	"botarena/arena/store"
	"botarena/engine"
)

// logFiles returns where the logs of a game are.
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
	settings, err := config.Decode(e.Config)
	var invalid *arena.InvalidError // recorded by an older version
	if err != nil && !errors.As(err, &invalid) {
		return fmt.Errorf("configuration of event %q: %w", g.Event, err)
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
	names := [2]string{g.First, g.Second}
	files := logFiles(s, g)
	for side, path := range files.Output {
		if _, err := os.Stat(path); err != nil {
			continue
		}
		fmt.Fprintf(w, "== %s, at fault:\n", names[side])
		if err := copyLog(w, path); err != nil {
			return err
		}
	}
	for side, path := range files.Stderr {
		_, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			fmt.Fprintf(a.err, "nothing from %s\n", names[side])
			continue
		case err != nil:
			return err
		}
		fmt.Fprintf(w, "== %s\n", names[side])
		if err := copyLog(w, path); err != nil {
			return err
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

// showJSON prints a game as `arena export --format jsonl` writes it.
func (a *app) showJSON(ctx context.Context, s *store.Store, g *store.Game) error {
	r, err := exchange.Recorded(ctx, s, g)
	if err != nil {
		return err
	}
	return a.printJSON(exchange.NewLine(r))
}

// showPGN prints a game as PGN with comments.
func showPGN(ctx context.Context, w io.Writer, s *store.Store, g *store.Game, catalog engine.Catalog) error {
	if g.Result == arena.Unplayed {
		return fmt.Errorf("game %s/%d has not been played yet", g.Event, g.Number)
	}
	r, err := exchange.Recorded(ctx, s, g)
	if err != nil {
		return err
	}
	pgn := exchange.NewPGN(w, catalog, exchange.PGNOptions{Comments: true})
	if err := pgn.Write(r); err != nil {
		return err
	}
	return pgn.Flush()
}

// copyLog copies a log as it is.
func copyLog(w io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	last := &lastByte{w: w}
	if _, err := io.Copy(last, f); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	if last.b != '\n' { // the bot ended in the middle of a line
		_, err = w.Write([]byte{'\n'})
	}
	return err
}

// A lastByte remembers the last byte written.
type lastByte struct {
	w io.Writer
	b byte
}

func (l *lastByte) Write(p []byte) (int, error) {
	if len(p) > 0 {
		l.b = p[len(p)-1]
	}
	return l.w.Write(p)
}
