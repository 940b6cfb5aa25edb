package session

import (
	"context"
	"time"

	"botarena/arena"
)

// A Config describes how to start, greet and configure a bot.
type Config struct {
	Bot    arena.Bot // its name, protocol, sandbox and options
	Start  Start
	Stderr *Tail // of its processes; nil: it is dropped
	Now    func() time.Time
	// Log and Suspended set the Session's fields.
	Log       func(Line)
	Suspended func(since time.Time) bool
	Hello     time.Duration // for the handshake; 0: DefaultHello
	// Setup configures the bot; its Options are added to the Bot's. Without a game, the
	// bot is only greeted.
	Setup Setup
	// Choose, if set, completes the setup from the bot's declarations.
	Choose func(*Declared, *Setup) error
}

// Open starts, greets and configures a bot. The error is from Start or Choose, a *Fault
// or an *OptionsError. The session is nil only if the bot could not be started; the
// caller ends it.
func Open(ctx context.Context, c Config) (*Session, error) {
	if c.Stderr == nil {
		c.Stderr = &Tail{}
	}
	p, err := c.Start(ctx, c.Stderr)
	if err != nil {
		return nil, err
	}
	s := &Session{Name: c.Bot.Name, Process: p, Now: c.Now, Log: c.Log, Suspended: c.Suspended}
	s.Again = func(ctx context.Context) (Process, error) { return c.Start(ctx, c.Stderr) }
	err = s.Greet(ctx, Hello{Protocol: c.Bot.Protocol, Timeout: c.Hello, Sandbox: c.Bot.Sandbox})
	s.Again = nil
	if err != nil {
		return s, err
	}
	setup := c.Setup
	setup.Options = append(c.Bot.Options[:len(c.Bot.Options):len(c.Bot.Options)], setup.Options...)
	if c.Choose != nil {
		if err := c.Choose(&s.Declared, &setup); err != nil {
			return s, err
		}
	}
	if setup.Game == "" {
		return s, nil
	}
	return s, s.Configure(ctx, setup)
}
