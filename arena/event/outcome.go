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
	// Start prepares for games and tries every bot. It returns when games may be given;
	// nothing is recorded of an event whose bots do not start. The error is a
	// *BotsError, or describes what prevents all games. When botsCtx is done, games in
	// progress and later ones are void.
	Start(botsCtx context.Context) error
	// Games returns the channel of games to play, in the order in which they are to
	// begin. A send blocks while enough games are queued.
	Games() chan<- arena.Game
	// Outcomes returns the channel of outcomes: one for each game given, in any order.
	Outcomes() <-chan Outcome
	// Stop prevents queued games from beginning.
	Stop()
	// Close ends the bots and waits for that. The caller has taken all outcomes and
	// gives no more games.
	Close()
	// Slots returns the number of games played at once, and whether each has cores of
	// its own.
	Slots() (n int, pinned bool)
}

// An Outcome reports how a game that was given to Workers ended.
type Outcome struct {
	// Game is the game given, with its result and all that the play filled in; its
	// Reason is arena.Void if it does not count.
	Game        arena.Game
	Slot        int    // 0-based, where it was played
	Begun       bool   // false if the game was not touched
	Interrupted bool   // void by the end of the run
	Err         error  // the workers' own fault: ends the run
	Output      string // the last lines that a bot at fault wrote, to be shown below what it did
	// Recorded, if set, is called once the outcome is on disk.
	Recorded func()
}

// Work describes the event that Workers are made for.
type Work struct {
	Event arena.Event
	Game  engine.Game
	// Exact holds the tables that end the event's games; nil if there are none, or if
	// Workers open them themselves, which must have the print Tables.
	Exact  *Exact
	Tables string
	// Borrowed reports that the bots' files came from another machine: a bot that
	// cannot be started is then the machine's fault, an Outcome's Err, and not the
	// bot's.
	Borrowed bool
	// Kept has the bots' processes of the run before, and gets those of this one; nil keeps
	// none. A Runner's Workers set it.
	Kept *Kept
	// Soft, when closed, keeps games that are in hand from beginning, as Stop does,
	// without a moment in between; nil never is.
	Soft <-chan struct{}
	// Warn shows the user a warning, once a run. Any goroutine may call it.
	Warn func(text string)
	// Feed publishes the beginning of games (Begin) and their moves; the run itself
	// publishes their ends. It may be nil.
	Feed *live.Run
}
