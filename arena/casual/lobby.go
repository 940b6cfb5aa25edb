package casual

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"
	"time"

	"botarena/arena"
	"botarena/arena/session"
	"botarena/engine"
	"botarena/protocol"
)

// An Offer is a bot that visitors may play against.
type Offer struct {
	Bot      arena.Bot
	Declared session.Declared
	// Start starts a process of the bot.
	Start session.Start
}

// A Level is a strength at which a bot can be asked to play.
type Level struct {
	Option   string // its name
	Default  string
	Min, Max int64    // of a number
	Values   []string // else the words that there are
	// Switch names an option that must be set to true as well; "" for none.
	Switch string
}

// Level returns the option that sets a bot's strength: Level, Skill Level, Strength or
// UCI_Elo (with UCI_LimitStrength); false if it has none.
func (o *Offer) Level() (Level, bool) {
	for _, name := range []string{"Level", "Skill Level", "Strength", "UCI_Elo"} {
		d, ok := o.Declared.Options.Find(name)
		switch {
		case ok && d.Type == protocol.Spin && d.Min != math.MinInt64 && d.Max != math.MaxInt64:
			l := Level{Option: d.Name, Default: d.Default, Min: d.Min, Max: d.Max}
			if limit, ok := o.Declared.Options.Find("UCI_LimitStrength"); ok && name == "UCI_Elo" {
				l.Switch = limit.Name
			}
			return l, true
		case ok && d.Type == protocol.Combo && len(d.Vars) > 1:
			return Level{Option: d.Name, Default: d.Default, Values: d.Vars}, true
		}
	}
	return Level{}, false
}

// options returns the options that set a level. The error names the valid levels.
func (l Level) options(value string) ([]arena.Option, error) {
	if l.Values != nil && !slices.Contains(l.Values, value) {
		return nil, fmt.Errorf("%s: there is no %q", l.Option, value)
	}
	if l.Values == nil {
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < l.Min || n > l.Max {
			return nil, fmt.Errorf("%s: write a number from %d to %d", l.Option, l.Min, l.Max)
		}
	}
	list := []arena.Option{{Name: l.Option, Value: value}}
	if l.Switch != "" {
		list = append(list, arena.Option{Name: l.Switch, Value: "true"})
	}
	return list, nil
}

// The default limits of a lobby.
const (
	DefaultTables = 4
	DefaultStay   = 10 * time.Minute
	DefaultLeave  = 45 * time.Second
	DefaultGame   = 2 * time.Hour
)

// A Lobby is where visitors play casual games, several at once. Its methods may be
// used by any goroutine.
type Lobby struct {
	Offers []Offer
	Now    func() time.Time
	// Tables is the maximum number of games at once; Stay limits how long a visitor may
	// be silent, Leave how long a visitor who watched may be away, and Game the
	// duration of a game. Zero fields are the defaults.
	Tables            int
	Stay, Leave, Game time.Duration
	// Record, if set, is given each game that has ended, and its bot's settings.
	Record func(g *arena.Game, bot arena.Bot, clocks [2]arena.TimeControl) error
	// Problem, if set, is called with errors outside of the games.
	Problem func(error)

	mu      sync.Mutex
	tables  map[string]*Table
	closed  bool
	running sync.WaitGroup
}

// ErrFull reports that the lobby has as many games as it may have.
var ErrFull = errors.New("all boards are taken")

// A Request describes the game that a visitor asks for.
type Request struct {
	Offer    int // of Lobby.Offers
	Level    string
	Game     engine.Game
	Position engine.Position // nil: the game's own start
	Person   engine.Side
	Clocks   [2]arena.TimeControl // the person's and the bot's
}

// open returns the number of tables in use; mu is held. Finished games do not count,
// since their bots have ended.
func (c *Lobby) open() (n int) {
	for _, t := range c.tables {
		if !t.over() {
			n++
		}
	}
	return n
}

// Sit begins a game. The error is ErrFull, or describes what is wrong with the request.
// The table reports failures of the bot.
func (c *Lobby) Sit(w Request) (*Table, error) {
	o := &c.Offers[w.Offer]
	bot := o.Bot
	bot.Options = slices.Clone(bot.Options)
	if l, ok := o.Level(); ok && w.Level != "" {
		options, err := l.options(w.Level)
		if err != nil {
			return nil, err
		}
		for _, n := range options {
			bot.Options = slices.DeleteFunc(bot.Options, func(b arena.Option) bool { return b.Name == n.Name })
			bot.Options = append(bot.Options, n)
		}
	}
	var id [16]byte
	_, _ = rand.Read(id[:]) // it does not fail
	t := &Table{
		ID: hex.EncodeToString(id[:]), Request: w, Bot: bot, lobby: c, asks: make(chan ask), changed: make(chan struct{}),
		gone: make(chan struct{}), last: c.Now(),
	}
	t.state = State{Turn: engine.First, Thinking: true, Since: c.Now()}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.open() >= cmp.Or(c.Tables, DefaultTables) {
		return nil, ErrFull
	}
	if c.tables == nil {
		c.tables = map[string]*Table{}
	}
	// What is over stays to be looked at, as long as there are few.
	for key, old := range c.tables {
		if old.over() && (len(c.tables) >= 100 || c.Now().Sub(old.lastSeen()) > time.Hour) {
			delete(c.tables, key)
		}
	}
	c.tables[t.ID] = t
	var ctx context.Context
	ctx, t.cancel = context.WithTimeout(context.Background(), cmp.Or(c.Game, DefaultGame))
	c.running.Go(func() { t.run(ctx, o.Start) })
	return t, nil
}

// Table returns a game by its ID, nil if there is none.
func (c *Lobby) Table(id string) *Table {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tables[id]
}

// Close ends all games and their bots, and waits for them.
func (c *Lobby) Close() {
	c.mu.Lock()
	c.closed = true
	for _, t := range c.tables {
		t.Leave()
	}
	c.mu.Unlock()
	c.running.Wait()
}

func (c *Lobby) problem(err error) {
	if err != nil && c.Problem != nil {
		c.Problem(err)
	}
}
