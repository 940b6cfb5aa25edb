package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"botarena/arena"
	"botarena/arena/exchange"
	"botarena/arena/store"
)

// A pgnFile appends the games of an event to a file of PGN while the event runs. It
// writes what is recorded, in the order of the games' numbers, so that it waits for a
// game that ends after later ones. Games that the file has already are not written
// again, and one that a killed run left half written is.
type pgnFile struct {
	app   *app
	store *store.Store
	event string
	f     *os.File
	has   map[int]bool // the event's games in the file
	last  int          // all games up to this one are there
	games *recordContext
	pgn   *exchange.PGN
	text  bytes.Buffer

	ended chan struct{} // one token: a game ended
	done  chan struct{} // closed when no more is to be written meanwhile
	idle  chan error    // what became of writing meanwhile
}

// openPGN opens the file and begins to append to it; nil for no path.
func (a *app) openPGN(ctx context.Context, s *store.Store, event, path string) (p *pgnFile, err error) {
	if path == "" {
		return nil, nil
	}
	p = &pgnFile{app: a, store: s, event: event, has: map[int]bool{}, ended: make(chan struct{}, 1), done: make(chan struct{}), idle: make(chan error, 1)}
	if p.f, err = os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666); err != nil {
		return nil, usageError(fmt.Errorf("--pgn: %w", err))
	}
	if err := p.resume(); err != nil {
		_ = p.f.Close()
		return nil, fmt.Errorf("--pgn %s: %w", path, err)
	}
	go p.follow(ctx)
	return p, nil
}

// resume looks up which games are in the file, and sets it up to be appended to. A
// beginning of a game of the event at its end is removed.
func (p *pgnFile) resume() error {
	var (
		in         = bufio.NewReader(p.f)
		end, begin int64           // of the file, and of its last game
		head       strings.Builder // of the last game: its first tag
		number     int             // of that game, where it is the event's
		moves      bool            // the last game has come to its moves
		complete   = true          // it has ended
		blank      = true          // the line before has nothing in it
		ours       = exchange.Tag("Event", p.event)
		id         = strings.TrimSuffix(exchange.Tag("GameId", p.event+"/"), `"]`)
	)
	for {
		line, err := in.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		switch text := strings.TrimRight(line, "\r\n"); {
		case line == "": // the end
		case text == "":
			if moves && err == nil && !complete {
				complete = true
				p.has[number] = true
			}
			blank = true
		case blank && strings.HasPrefix(text, "["):
			begin, number, moves, complete, blank = end, 0, false, false, false
			head.Reset()
			head.WriteString(text)
		default:
			if rest, ok := strings.CutPrefix(text, id); ok && !moves {
				number, _ = strconv.Atoi(strings.TrimSuffix(rest, `"]`))
			}
			moves = moves || !strings.HasPrefix(text, "[")
			blank = false
		}
		end += int64(len(line))
		if err != nil {
			break
		}
	}
	delete(p.has, 0)
	for p.has[p.last+1] {
		p.last++
	}
	if !complete && (head.String() == ours || strings.HasPrefix(ours, head.String())) {
		end = begin
		if err := p.f.Truncate(end); err != nil {
			return err
		}
	} else if !blank {
		p.text.WriteString("\n\n") // what another program wrote last ends so at the latest
	}
	_, err := p.f.Seek(end, io.SeekStart)
	return err
}

// tell says that a game ended.
func (p *pgnFile) tell() {
	if p == nil {
		return
	}
	select {
	case p.ended <- struct{}{}:
	default:
	}
}

// follow writes games as they end.
func (p *pgnFile) follow(ctx context.Context) {
	var err error
	for {
		select {
		case <-p.done:
			p.idle <- err
			return
		case <-p.ended:
			if err == nil && ctx.Err() == nil {
				err = p.write(ctx)
			}
		}
	}
}

// errGap ends a scan at a game that has no result yet.
var errGap = errors.New("a game without a result")

// write appends the games that have ended, up to the first that has not.
func (p *pgnFile) write(ctx context.Context) error {
	if p.pgn == nil {
		c, err := newContext(ctx, p.store, p.event, true)
		if err != nil {
			return err
		}
		catalog, err := p.app.catalog(ctx, p.store, "", "")
		if err != nil {
			return err
		}
		p.games, p.pgn = c, exchange.NewPGN(&p.text, catalog, exchange.PGNOptions{Comments: true})
	}
	err := p.store.Scan(ctx, store.Filter{Event: p.event, After: p.last, Moves: true}, func(r *store.Game) error {
		if r.Result == arena.Unplayed {
			return errGap
		}
		if !p.has[r.Number] {
			g, err := p.games.record(ctx, r)
			if err != nil {
				return err
			}
			if err := errors.Join(p.pgn.Write(g), p.pgn.Flush()); err != nil {
				return err
			}
			if _, err := p.f.Write(p.text.Bytes()); err != nil {
				return err
			}
			p.text.Reset()
			p.has[r.Number] = true
		}
		p.last = r.Number
		return nil
	})
	if errors.Is(err, errGap) {
		return nil
	}
	return err
}

// Close writes what is left and closes the file.
func (p *pgnFile) Close(ctx context.Context) error {
	if p == nil {
		return nil
	}
	close(p.done)
	err := <-p.idle
	var unknown *store.UnknownEventError
	if err == nil {
		if err = p.write(ctx); errors.As(err, &unknown) { // nothing was recorded
			err = nil
		}
	}
	if err = errors.Join(err, p.f.Close()); err != nil {
		return fmt.Errorf("--pgn %s: %w; the games are recorded, and the same command appends what is missing", p.f.Name(), err)
	}
	return nil
}
