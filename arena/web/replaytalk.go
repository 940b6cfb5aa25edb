package web

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"botarena/arena"
	"botarena/arena/gamelog"
	"botarena/arena/replay"
)

// mostWords is the maximum number of bytes of a bot's output on a page: the rest is in
// the file.
const mostWords = 20_000

// talk reads the logs of the game.
func (v *replayView) talk(logs string, ply int) error {
	if logs == "" {
		return nil
	}
	files := gamelog.Files(logs, v.Game.Event, v.Game.Number)
	for side, path := range files.Stderr {
		words, err := tail(path, mostWords)
		if err != nil {
			return err
		}
		v.Stderr[side] = words
	}
	lines, err := v.dialogue(files.Protocol, ply)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	v.HasTalk = true
	v.Dialogue = lines
	if n := 0; len(lines) > 0 {
		for i, line := range lines {
			if n += len(line); n > mostWords {
				v.Dialogue, v.Cut = lines[:i], true
				break
			}
		}
	}
	return nil
}

// dialogue returns the lines of a ply, and after the last one those that followed.
func (v *replayView) dialogue(path string, ply int) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return dialogueOf(f, &v.Game.Game, ply)
}

func dialogueOf(r io.ReadSeeker, g *arena.Game, ply int) ([]string, error) {
	names := [2]string{g.First, g.Second}
	lines, err := replay.Dialogue(r, names, ply, len(g.Moves))
	if err != nil || ply < len(g.Moves) {
		return lines, err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	// A fault comes after the last move.
	after, err := replay.Dialogue(r, names, ply+1, len(g.Moves))
	return append(lines, after...), err
}

// tail returns the end of a file, "" if there is none.
func tail(path string, most int64) (string, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	cut := ""
	if info.Size() > most {
		cut = fmt.Sprintf("... (the first %d bytes are left out)\n", info.Size()-most)
		if _, err := f.Seek(-most, io.SeekEnd); err != nil {
			return "", err
		}
	}
	words, err := io.ReadAll(io.LimitReader(f, most))
	return cut + string(words), err
}
