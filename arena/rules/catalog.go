package rules

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"botarena/engine"
)

// A Catalog is the family of all games whose rules are programs. Each program is
// started when its game is first opened, shared by all callers, and started again some
// time after it failed. A Catalog is safe for concurrent use; the owner of Start ends
// the programs.
type Catalog struct {
	// Start starts the program that knows the rules of a recorded game.
	Start func(ctx context.Context, game string) (*Game, error)
	Now   func() time.Time
	Warn  func(game string, err error) // is told why a program does not run; nil: nobody
	Ctx   context.Context              //nolint:containedctx // of the programs, which outlive who asks

	mu    sync.Mutex
	known map[string]*opened
}

// An opened holds a running program, or the error of its start.
type opened struct {
	game *Game
	err  error
	at   time.Time // of the try
}

// The time in which a failed program is not started again, and the maximum number of
// programs.
const (
	retryAfter = 30 * time.Second
	mostOpen   = 16
)

// Name returns "": the games of programs have names of their own.
func (*Catalog) Name() string { return "" }

// Names returns nil, since the games cannot be listed.
func (*Catalog) Names() []string { return nil }

// Has reports whether the rules of a game are a program.
func (*Catalog) Has(game string) bool { return strings.Contains(game, "@") }

// Open returns the game of that name.
func (c *Catalog) Open(game string) (engine.Game, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.known[game]
	if k != nil && k.game != nil && k.game.Broken() != nil {
		k.err, k.game, k.at = k.game.Broken(), nil, c.Now()
	}
	if k == nil || k.game == nil && c.Now().Sub(k.at) > retryAfter {
		again := k != nil
		k = &opened{at: c.Now()}
		if !again && len(c.known) >= mostOpen {
			k.err = fmt.Errorf("%d programs that know rules run already", mostOpen)
		} else {
			k.game, k.err = c.Start(c.Ctx, game)
		}
		if c.known == nil {
			c.known = map[string]*opened{}
		}
		c.known[game] = k
		if k.err != nil && c.Warn != nil {
			c.Warn(game, k.err)
		}
	}
	if k.err != nil {
		return nil, k.err
	}
	return k.game, nil
}

var _ engine.Whole = (*Catalog)(nil)
