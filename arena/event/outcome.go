package event

import (
	"context"

	"botarena/arena"
	"botarena/arena/live"
	"botarena/engine"
)

// Workers play the games of one event. The cores of this machine are one
// implementation; a run cannot tell it from others.
//
// A run calls Start once, then gives games and takes outcomes, then Close. Stop
// may come at any time.
type Workers interface {
	// Start makes ready for games and tries every bot. It returns when games may
	// be given; nothing is recorded of an event whose bots do not start. The error
	// is a *BotsError, or says what keeps games from being played at all. When botsCtx
	// is done, games that are being played are void, now and later.
	Start(botsCtx context.Context) error
	// Games takes the games to play, in the order in which they are to begin. A
	// send waits while as many are in hand as are wanted beforehand.
	Games() chan<- arena.Game
	// Outcomes returns what became of them: one for each game given, in any order.
	Outcomes() <-chan Outcome
	// Stop keeps games that are in hand from beginning.
	Stop()
	// Close ends the bots and returns when that is done. No game may be given any
	// more, and the outcomes of all have been taken.
	Close()
	// Slots is how many games are played at once, and whether each has cores of
	// its own.
	Slots() (n int, pinned bool)
}

// An Outcome is what became of a game that was given to Workers.
type Outcome struct {
	// Game is the game given, with its result and all that the play filled in; its
	// Reason is arena.Void if it does not count.
	Game        arena.Game
	Slot        int    // 0-based, where it was played
	Begun       bool   // false if the game was not touched
	Interrupted bool   // void by the end of the run
	Err         error  // the workers' own fault: ends the run
	Output      string // the last lines that a bot at fault wrote, to be shown below what it did
	// Recorded, if set, is called once what became of the game is on the disk.
	Recorded func()
}

// Work is what Workers are needed for.
type Work struct {
	Event arena.Event
	Game  engine.Game
	// Exact is what the tables know where the event ends games by them; nil if it
	// does not, or where Workers have to open them, which have the print Tables then.
	Exact  *Exact
	Tables string
	// Borrowed says that the bots' files are not this machine's own: a bot that cannot be
	// started is the machine's fault then, an Outcome's Err, and not the bot's.
	Borrowed bool
	// Soft, when closed, keeps games that are in hand from beginning, as Stop does,
	// without a moment in between; nil never is.
	Soft <-chan struct{}
	// Warn tells the user something, once a run. Any goroutine may call it.
	Warn func(text string)
	// Feed is called for games when they begin (Begin) and for their moves; the run
	// itself tells how they end. It may be nil.
	Feed *live.Run
}
