package exchange

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"

	"botarena/arena"
	"botarena/arena/store"
	"botarena/arena/text"
	"botarena/engine"
)

// An Appender appends the games of an event to a PGN file while the event runs. It
// writes recorded games in the order of their numbers, so a long game delays later
// ones. Games that the file has already are not written again, except one that a killed
// run left half written.
type Appender struct {
	store   *store.Store
	catalog func(context.Context) (engine.Catalog, error)
	event   string
	f       *os.File
	has     map[int]bool // the event's games in the file
	last    int          // all games up to this one are there
	records *Records
	pgn     *PGN
	text    bytes.Buffer

	ended chan struct{} // holds a token once a game ended
	idle  chan error    // what became of writing meanwhile
}

// NewAppender opens the file and begins to append to it. It calls catalog once there
// are games of the event.
func NewAppender(ctx context.Context, s *store.Store, event, path string, catalog func(context.Context) (engine.Catalog, error)) (*Appender, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	p := &Appender{store: s, catalog: catalog, event: event, f: f, has: map[int]bool{}, ended: make(chan struct{}, 1), idle: make(chan error, 1)}
	if err := p.resume(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	go func() {
		var err error
		for range p.ended {
			if err == nil && ctx.Err() == nil {
				err = p.write(ctx)
			}
		}
		p.idle <- err
	}()
	return p, nil
}

// resume finds the games that are in the file, removes a half-written one at its end,
// and prepares for appending.
func (p *Appender) resume() error {
	var (
		begin, end int64  // of the last game, and of the file
		head       string // the first tag of the last game
		number     int    // of that game, where it is the event's
		moves      bool   // the last game has come to its moves
		complete   = true // it has ended
		blank      = true // the line before has nothing in it
		ours       = Tag("Event", p.event)
		id         = strings.TrimSuffix(Tag("GameId", p.event+"/"), `"]`)
	)
	for lines := text.NewLines(bufio.NewReader(p.f), text.MaxLine); ; {
		raw, err := lines.Next()
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		switch line := strings.TrimRight(string(raw), "\r\n"); {
		case len(raw) == 0: // the end
		case line == "":
			if moves && err == nil && !complete {
				complete = true
				p.has[number] = true
			}
			blank = true
		case blank && line[0] == '[':
			begin, head, number, moves, complete, blank = end, line, 0, false, false, false
		default:
			if rest, ok := strings.CutPrefix(line, id); ok && !moves {
				number, _ = strconv.Atoi(strings.TrimSuffix(rest, `"]`))
			}
			moves = moves || line[0] != '['
			blank = false
		}
		end += int64(len(raw))
		if err != nil {
			break
		}
	}
	delete(p.has, 0)
	if !complete && strings.HasPrefix(ours, head) {
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

// GameEnded signals that a recorded game may be written.
func (p *Appender) GameEnded() {
	select {
	case p.ended <- struct{}{}:
	default:
	}
}

// errGap ends a scan at a game that has no result yet.
var errGap = errors.New("a game without a result")

// write appends the games that have ended, up to the first that has not.
func (p *Appender) write(ctx context.Context) error {
	if p.pgn == nil {
		r, err := NewRecords(ctx, p.store, p.event, true)
		if err != nil {
			return err
		}
		catalog, err := p.catalog(ctx)
		if err != nil {
			return err
		}
		p.records, p.pgn = r, NewPGN(&p.text, catalog, PGNOptions{Comments: true})
	}
	err := p.store.Scan(ctx, store.Filter{Event: p.event, After: p.last, Moves: true}, func(row *store.Game) error {
		switch {
		case row.Result == arena.Unplayed:
			return errGap
		case !p.has[row.Number]:
			g, err := p.records.Game(ctx, row)
			if err == nil {
				err = errors.Join(p.pgn.Write(g), p.pgn.Flush())
			}
			if err == nil {
				_, err = p.text.WriteTo(p.f)
			}
			if err != nil {
				return err
			}
		}
		p.last = row.Number
		return nil
	})
	if errors.Is(err, errGap) {
		return nil
	}
	return err
}

// Close writes what is left and closes the file; no game may end any more.
func (p *Appender) Close(ctx context.Context) error {
	close(p.ended)
	err := <-p.idle
	if err == nil {
		err = p.write(ctx)
	}
	if unknown := (*store.UnknownEventError)(nil); errors.As(err, &unknown) { // nothing was recorded
		err = nil
	}
	return errors.Join(err, p.f.Close())
}
