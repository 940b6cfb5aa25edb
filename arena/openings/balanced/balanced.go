// Package balanced makes books of openings that a bot scores as level. It knows no bot:
// the maker of a [Finder] provides the [Judge].
package balanced

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/openings"
	"botarena/engine"
)

// A Judge scores positions for a Finder.
type Judge struct {
	Version string // changes whenever the scores do
	// Score returns the score of a position, searched to a depth, in centipawns for the
	// side to move. It must depend on nothing else.
	Score func(pos engine.Position, depth int) (int, error)
}

// A Finder makes books. The same game, settings and seed make the same book.
type Finder struct {
	// Judge returns the judge of a name. Its error names one that is unknown.
	Judge func(bot string) (Judge, error)
	Now   func() time.Time
	// Dir is the folder in which Book keeps what it has found; "" keeps nothing.
	Dir string
	// Tell, if set, is called with the state of a search every few seconds and at its end.
	Tell func(Progress)
}

// Progress holds the state of a search.
type Progress struct {
	Game   string
	Want   arena.Balanced
	Found  int
	Scored int
	Took   time.Duration
	Done   bool
}

// triesPerOpening bounds how many random openings are scored for one that is
// level enough.
const triesPerOpening = 200

// tellEvery is the interval at which a search reports its progress.
const tellEvery = 10 * time.Second

// Book returns the kept book, or finds it and keeps it. A kept file that was cut short
// or altered is made anew.
func (f Finder) Book(ctx context.Context, game engine.Game, want arena.Balanced, seed uint64) ([]arena.Opening, error) {
	if f.Dir == "" {
		return f.Find(ctx, game, want, seed)
	}
	judge, err := f.Judge(want.Bot)
	if err != nil {
		return nil, err
	}
	header := headerOf(judge, game, want, seed)
	file := filepath.Join(f.Dir, fileName(judge, game, want, seed))
	data, err := os.ReadFile(file)
	switch {
	case err == nil:
		if book, err := openings.ReadBook(data, file, game); err == nil && len(book) == want.Count && bytes.HasPrefix(data, []byte("# "+strings.Join(header, "\n# ")+"\n")) {
			return book, nil
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("read the openings found before: %w", err)
	}
	book, err := f.Find(ctx, game, want, seed)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := openings.Write(&text, book, header...); err != nil {
		return nil, err
	}
	if err := keep(file, text.Bytes()); err != nil {
		return nil, fmt.Errorf("keep the openings: %w", err)
	}
	return book, nil
}

// Find searches for the openings. The error is from ctx, names a bot that is unknown or
// reports no scores, or reports how many were found if they are too few.
func (f Finder) Find(ctx context.Context, game engine.Game, want arena.Balanced, seed uint64) ([]arena.Opening, error) {
	judge, err := f.Judge(want.Bot)
	if err != nil {
		return nil, err
	}
	begun := f.Now()
	told := begun
	p := Progress{Game: game.Name(), Want: want}
	tell := func(now time.Time) {
		told, p.Took = now, now.Sub(begun)
		if f.Tell != nil {
			f.Tell(p)
		}
	}
	source := openings.Random(game, want.Plies, seed)
	var book []arena.Opening
	for i := 0; len(book) < want.Count && i < want.Count*triesPerOpening; i++ {
		o, err := source.Opening(i)
		if err != nil {
			return nil, err
		}
		if n := source.Len(); n > 0 && i >= n {
			break // all have been scored
		}
		if err := context.Cause(ctx); err != nil {
			return nil, fmt.Errorf("score an opening of %s: %w", game.Name(), err)
		}
		pos, err := openings.After(game, o)
		if err != nil {
			return nil, err
		}
		s, err := judge.Score(pos, want.Depth)
		if err != nil {
			return nil, fmt.Errorf("score an opening of %s: %w", game.Name(), err)
		}
		p.Scored++
		if max(s, -s) <= want.Window {
			book = append(book, o)
		}
		p.Found = len(book)
		if now := f.Now(); now.Sub(told) >= tellEvery {
			tell(now)
		}
	}
	if len(book) < want.Count {
		return nil, fmt.Errorf("%s: only %d of %d openings of %d plies are within %d centipawns: ask for fewer, or for a wider window",
			game.Name(), len(book), want.Count, want.Plies, want.Window)
	}
	p.Done = true
	tell(f.Now())
	return book, nil
}

// Header returns the comment lines of a book: the command that made it and what that
// did. The error names a bot that is unknown.
func (f Finder) Header(game engine.Game, want arena.Balanced, seed uint64) ([]string, error) {
	judge, err := f.Judge(want.Bot)
	if err != nil {
		return nil, err
	}
	return headerOf(judge, game, want, seed), nil
}

func headerOf(judge Judge, game engine.Game, want arena.Balanced, seed uint64) []string {
	sides, name := game.SideNames(), game.Name()
	if plain := arena.PlainName(name); plain != name {
		name = plain + " --rules PROGRAM"
	}
	lines := []string{
		fmt.Sprintf("arena openings make %s --plies %d --count %d --seed %d --bot %s --depth %d --window %d",
			name, want.Plies, want.Count, seed, want.Bot, want.Depth, want.Window),
		fmt.Sprintf("%s, version %s, scores each within %d centipawns of level for %s and %s.",
			want.Bot, judge.Version, want.Window, sides[0], sides[1]),
	}
	if name != game.Name() {
		lines = append(lines, "PROGRAM makes the game "+game.Name()+".")
	}
	return lines
}

// fileName returns a name that encodes everything that decides which openings are
// found.
func fileName(judge Judge, game engine.Game, want arena.Balanced, seed uint64) string {
	return fmt.Sprintf("%s-plies%d-count%d-seed%d-%s%s-depth%d-window%d.txt", strings.ReplaceAll(game.Name(), ":", "-"),
		want.Plies, want.Count, seed, want.Bot, judge.Version, want.Depth, want.Window)
}

// keep writes a file atomically.
func keep(file string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // gone already once it was renamed
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}
