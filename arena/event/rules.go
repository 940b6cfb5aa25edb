package event

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/process"
	"botarena/arena/rules"
	"botarena/arena/session"
	"botarena/engine"
)

// openGame returns the game of an event, and a function that ends its rules program. It
// sets the event's name of the game to the one under which it is recorded.
func (t *Runner) openGame(ctx context.Context, event *arena.Event) (engine.Game, func() error, error) {
	if event.Rules == nil {
		game, err := t.Catalog.Lookup(event.Game)
		if err != nil {
			return nil, keepGame, err
		}
		event.Game = game.Name()
		return game, keepGame, nil
	}
	name, err := rules.NameOf(event.Game, event.Rules, t.Path)
	if err != nil {
		return nil, keepGame, err
	}
	game, err := rules.Open(ctx, rules.ConfigOf(t.Starter, name, event.Rules, nil, t.Now))
	if err != nil {
		return nil, keepGame, err
	}
	event.Game = name
	return game, game.Close, nil
}

// slowRules warns of built-in bots whose clocks are too short for the rules program that
// they ask: they would lose on time by its slowness. They ask of a position and of those
// after each of its moves together.
func (r *run) slowRules(event *arena.Event) {
	const moves = 40 // of a side in a game, about
	began := r.Now()
	legal := r.game.Start().Legal(nil)
	took := r.Now().Sub(began)
	needs := 2 * took * time.Duration(1+len(legal)) // since the second time cannot be cut short
	for i := range event.Bots {
		b := &event.Bots[i]
		c := event.ClockOf(b)
		a := c.Move
		if c.Base > 0 {
			a = c.Increment + c.Base/time.Duration(cmp.Or(c.Moves, moves))
		}
		if c.Timed() && !b.Withdrawn && rules.Asks(b, event.Game, event.Rules, r.Catalog) && needs > a {
			r.observe(Update{Kind: Warning, Text: fmt.Sprintf("the rules take %.2f s to tell of a position, and bot %q has about %.2f s a move: it may lose on time by their slowness; give at least %.1f s a move, or nodes or depth without a time",
				took.Seconds(), b.Name, a.Seconds(), needs.Seconds())})
		}
	}
}

// keepGame does nothing: arena knows the rules itself.
func keepGame() error { return nil }

// readyRules starts the worker's own rules program, on the worker's cores, unless it
// runs.
func (w *worker) readyRules(botsCtx context.Context) error {
	if w.Event.Rules == nil || w.rules != nil {
		return nil
	}
	cfg := rules.ConfigOf(w.Starter, w.Event.Game, w.Event.Rules, w.cpus, w.Now)
	cfg.Suspended = w.watch.suspended
	game, err := rules.Open(botsCtx, cfg)
	if err != nil {
		return err
	}
	w.rules, w.game = game, game
	return nil
}

func (w *worker) endRules() {
	if w.rules == nil {
		return
	}
	if err := w.rules.Close(); err != nil {
		w.Warn(fmt.Sprintf("the rules of %s: %v", w.Event.Game, err))
	}
	w.rules = nil
}

// judge is play with rules that may fail: then the game is void and no bot is blamed.
func (w *worker) judge(botsCtx context.Context, g arena.Game) Outcome {
	if w.Event.Rules == nil {
		return w.play(botsCtx, g)
	}
	o, err := w.judged(botsCtx, g)
	var fault *rules.Fault
	if !errors.As(err, &fault) {
		return o
	}
	o = Outcome{Game: g, Slot: w.slot, Begun: true}
	o.Game.Reason, o.Game.Detail, o.Game.Start = arena.Void, fault.Line(), w.Now()
	w.endRules()
	for _, name := range []string{g.First, g.Second} {
		if e := w.bots[name]; e != nil && e.proc != nil {
			w.end(e) // it may think still
		}
	}
	switch {
	case botsCtx.Err() != nil:
		o.Interrupted, o.Game.Detail = true, "interrupted"
	case !fault.Void:
		o.Err = err
	}
	return o
}

func (w *worker) judged(botsCtx context.Context, g arena.Game) (o Outcome, err error) {
	defer engine.Catch(&err)
	if err := w.readyRules(botsCtx); err != nil {
		var broken *engine.RulesError
		if errors.As(err, &broken) {
			return o, err
		}
		return Outcome{Game: g, Slot: w.slot, Begun: true, Err: err}, nil
	}
	return w.play(botsCtx, g), nil
}

// asks reports whether a bot of the event asks a rules program of its own.
func (w *worker) asks(b *arena.Bot) bool {
	return rules.Asks(b, w.Event.Game, w.Event.Rules, w.Catalog)
}

// lastWords limits how long a bot may take to find out that its rules program does not
// answer.
const lastWords = session.DefaultReady + 5*time.Second

// blameRules returns the failure of a bot's own rules program if that is why the bot
// failed; nil if the bot failed by itself. It ends the bot.
func (w *worker) blameRules(ctx context.Context, e *entrant, reason arena.Reason, detail string) error {
	if !w.asks(e.bot) || e.proc == nil {
		return nil
	}
	var what string
	switch reason {
	case arena.IllegalMove:
		what = fmt.Sprintf("two processes of it disagree about legal moves: bot %q was told of one that is refused here: %s", e.bot.Name, detail)
	case arena.Crash, arena.TimeForfeit, arena.Stall:
		if !rulesEnded(e.proc, w.Now, w.Now().Add(lastWords)) {
			if ctx.Err() != nil { // it was ended before it could find out
				return &engine.RulesError{Err: &rules.Fault{Game: w.Event.Game, What: "interrupted", Void: true}}
			}
			return nil
		}
		what = fmt.Sprintf("the process of it that bot %q asks failed", e.bot.Name)
	default:
		return nil
	}
	w.end(e) // then its last words have arrived
	f := &rules.Fault{Game: w.Event.Game, Command: strings.Join(w.Event.Rules.Command, " "), What: what}
	if reason != arena.IllegalMove {
		f.Stderr = e.stderr.Lines(10)
	}
	return &engine.RulesError{Err: f}
}

// rulesEnded reports whether a bot ends as one does whose rules program failed, before
// it moves.
func rulesEnded(p *process.Process, now func() time.Time, deadline time.Time) bool {
	for {
		line, err := p.ReadLine(deadline)
		switch {
		case errors.Is(err, arena.ErrClosed):
			for p.Alive() && now().Before(deadline) { // a busy machine takes a while over it
				time.Sleep(time.Millisecond)
			}
			return p.ExitStatus() == fmt.Sprintf("exit status %d", rules.ExitStatus)
		case err != nil || bytes.HasPrefix(line, []byte("bestmove ")):
			return false
		}
	}
}
