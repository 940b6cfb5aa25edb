package event

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kballard/go-shellquote"

	"botarena/arena"
	"botarena/arena/process"
	"botarena/arena/rules"
	"botarena/arena/session"
	"botarena/engine"
)

// OpenRules starts the program b that knows the rules of a game of that name, by
// which it is recorded: see arena.RulesName. The error is an *engine.RulesError, or
// that of starting it.
func OpenRules(ctx context.Context, starter *process.Starter, name string, b *arena.Bot, now func() time.Time) (*rules.Game, error) {
	return rules.Open(ctx, rulesConfig(starter, name, b, nil, now))
}

func rulesConfig(starter *process.Starter, name string, b *arena.Bot, cpus []int, now func() time.Time) rules.Config {
	spec := process.SpecOf(*b, "")
	spec.CPUs = cpus
	plain, print, _ := strings.Cut(name, "@")
	return rules.Config{
		Name: plain, Print: print, Command: strings.Join(b.Command, " "), Options: b.Options, Now: now,
		Start: func(ctx context.Context, stderr *session.Tail) (session.Process, error) {
			own := spec
			own.Stderr = stderr
			p, err := starter.Start(ctx, own)
			if err != nil {
				return nil, err // a nil *Process must not hide in the interface
			}
			return p, nil
		},
	}
}

// RulesName returns the name under which games are recorded whose rules are the
// program b: see arena.RulesName. A name that says which program it must be is
// compared with. Path is where programs are found.
func RulesName(name string, b *arena.Bot, path string) (string, error) {
	print, _, err := process.Fingerprint(*b, path, "")
	if err != nil {
		return "", fmt.Errorf("the rules of %s: %w", arena.PlainName(name), err)
	}
	full := arena.RulesName(name, print)
	if strings.Contains(name, "@") && name != full {
		return "", fmt.Errorf("the rules of %s are another program now, or it reads something else: they make it %s, which is another game to the ratings; bring the program back, or leave out what follows the @", name, full)
	}
	return full, nil
}

// openGame returns the game of an event, and what ends the program that knows its
// rules, which is nil where arena does. It sets the event's name of the game to the
// one under which it is recorded.
func (t *Runner) openGame(ctx context.Context, event *arena.Event, cpus []int) (engine.Game, func() error, error) {
	if event.Rules == nil {
		game, err := t.Catalog.Lookup(event.Game)
		if err != nil {
			return nil, nil, err
		}
		event.Game = game.Name()
		return game, nil, nil
	}
	name, err := RulesName(event.Game, event.Rules, t.Path)
	if err != nil {
		return nil, nil, err
	}
	game, err := rules.Open(ctx, rulesConfig(t.Starter, name, event.Rules, cpus, t.Now))
	if err != nil {
		return nil, nil, err
	}
	event.Game = name
	return game.Several(), game.Close, nil
}

// readyRules sees to it that the worker has a program that knows the rules, which
// runs on the worker's own cores. It knows nothing of the games of others.
func (w *worker) readyRules(air context.Context) error {
	if w.Event.Rules == nil || w.rules != nil {
		return nil
	}
	cfg := rulesConfig(w.Starter, w.Event.Game, w.Event.Rules, w.cpus, w.Now)
	cfg.Suspended = w.watch.suspended
	game, err := rules.Open(air, cfg)
	if err != nil {
		return err
	}
	w.rules, w.game = game, game.Several()
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

// judge is play by rules that may fail: then the game is void, and no bot is to
// blame; where nobody is, it is played again.
func (w *worker) judge(air context.Context, g arena.Game) Outcome {
	if w.Event.Rules == nil {
		return w.play(air, g)
	}
	o, err := w.judged(air, g)
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
	case air.Err() != nil:
		o.Interrupted, o.Game.Detail = true, "interrupted"
	case !fault.Void:
		o.Err = err
	}
	return o
}

func (w *worker) judged(air context.Context, g arena.Game) (o Outcome, err error) {
	defer engine.Catch(&err)
	if err := w.readyRules(air); err != nil {
		var broken *engine.RulesError
		if errors.As(err, &broken) {
			return o, err
		}
		return Outcome{Game: g, Slot: w.slot, Begun: true, Err: err}, nil
	}
	return w.play(air, g), nil
}

// Asking is a bot as it is started for a game: a built-in one that does not know it
// is told the program that knows its rules (nil for none), and asks that.
func Asking(bot arena.Bot, game string, program *arena.Bot, catalog engine.Catalog) arena.Bot {
	plain := arena.PlainName(game)
	if _, err := catalog.Lookup(plain); bot.Builtin == "" || program == nil || err == nil {
		return bot
	}
	rules := program.On(process.Platform())
	words := slices.Concat(rules.Command, rules.Args)
	bot.Args = slices.Concat(bot.Args, []string{"--game", plain, "--rules", shellquote.Join(words...)})
	for _, o := range rules.Options {
		bot.Args = append(bot.Args, "--rules-option", o.Name+"="+o.Value)
	}
	bot.Dir = rules.Dir
	bot.Env = slices.Concat(bot.Env, rules.Env)
	bot.SandboxRead = slices.Concat(bot.SandboxRead, rules.SandboxRead)
	if bot.Within != nil {
		bot.Within = slices.Concat(bot.Within, rules.Within)
	}
	for _, word := range words {
		bot.SandboxRead = append(bot.SandboxRead, process.Named(rules.Dir, word)...)
	}
	return bot
}
