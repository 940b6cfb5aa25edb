package fleet

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/event"
	"botarena/arena/fleet/bundle"
	"botarena/arena/fleet/wire"
)

// describe makes the event's spec, the bundles of its bots and its entry for workers.
func (f *fleet) describe(ctx context.Context) error {
	shared := f.shared()
	text, err := config.Encode(shared)
	if err != nil {
		return err
	}
	spec := wire.Spec{Config: string(text)}
	if f.work.Exact != nil {
		spec.Tables = f.work.Exact.Print
	}
	var sources []bundle.Source
	if f.Packer != nil {
		if sources, err = f.sources(ctx, shared.Bots); err != nil {
			return err
		}
	}
	for i, b := range shared.Bots {
		bot := wire.Bot{Name: b.Name, Fingerprint: b.Fingerprint}
		if sources != nil {
			bot.Source = sources[i]
		}
		spec.Bots = append(spec.Bots, bot)
		f.needs(&bot.Source)
	}
	if f.work.Event.Rules != nil {
		if f.Packer == nil {
			return fmt.Errorf("event %q: its rules are a program, and workers have no way to get it", f.work.Event.Name)
		}
		rules, err := f.Packer.Program(ctx, bundle.Program{
			Name:    "the rules of " + arena.PlainName(shared.Game),
			Command: slices.Concat(shared.Rules.Command, shared.Rules.Args), Dir: shared.Rules.Dir, Show: shared.Rules.SandboxRead,
		})
		if err != nil {
			return err
		}
		spec.Rules = &rules
		f.needs(&rules)
	}
	if f.spec, err = wire.Encode(&spec); err != nil {
		return fmt.Errorf("event %q for the fleet: %w", f.work.Event.Name, err)
	}
	sum := wire.Sum(f.spec)
	const digits = 20
	f.event = wire.Event{
		Token: wire.Sum([]byte(f.Home + "\x00" + f.work.Event.Name + "\x00" + sum))[:digits],
		Name:  f.work.Event.Name, Spec: sum, Class: Class(&f.work.Event), Lease: f.lease.Milliseconds(),
		Noise: f.Noise, Speed: f.Speed.Speed, Scale: f.work.Event.Scale == arena.ScaleMeasured,
	}
	return nil
}

// sources returns how workers obtain bots. The error is a *event.BotsError if some
// cannot be sent.
func (f *fleet) sources(ctx context.Context, bots []arena.Bot) ([]bundle.Source, error) {
	list := make([]bundle.Source, len(bots))
	var problems []event.BotProblem
	for i, b := range bots {
		if b.Withdrawn {
			continue
		}
		var err error
		if list[i], err = f.Packer.Bot(ctx, b); err != nil {
			problems = append(problems, event.BotProblem{Bot: b.Name, Err: err})
		}
	}
	if problems != nil {
		return nil, &event.BotsError{Problems: problems}
	}
	f.Packer.Tidy()
	return list, nil
}

// shared returns the event as sent to workers, without the values of environment
// variables that are not to be sent.
func (f *fleet) shared() arena.Event {
	e := f.work.Event
	e.Bots = slices.Clone(e.Bots)
	for i := range e.Bots {
		b := &e.Bots[i]
		b.Env = f.sent(fmt.Sprintf("bot %q", b.Name), b.Env)
	}
	if e.Rules != nil {
		rules := *e.Rules
		rules.Env = f.sent("the program of the rules", rules.Env)
		e.Rules = &rules
	}
	return e
}

func (f *fleet) sent(whose string, env []string) (sent []string) {
	var kept []string
	for _, entry := range env {
		name, _, _ := strings.Cut(entry, "=")
		if slices.Contains(f.SendEnv, name) {
			sent = append(sent, entry)
		} else {
			kept = append(kept, name)
		}
	}
	if kept != nil {
		f.work.Warn(fmt.Sprintf("%s runs on workers without %s of its env, which every worker could read; --send-env %s sends it", whose, strings.Join(kept, ", "), strings.Join(kept, ",")))
	}
	return sent
}

// needs adds a source's bundle to those that the server must have.
func (f *fleet) needs(s *bundle.Source) {
	if s.Bundle != "" && !slices.Contains(f.bundles, s.Bundle) {
		f.bundles = append(f.bundles, s.Bundle)
	}
}

// Class returns the class of worker that an event needs: fixed if all clocks are nodes
// or depth, timed if one is time.
func Class(e *arena.Event) string {
	for i := range e.Bots {
		if b := &e.Bots[i]; !b.Withdrawn && e.ClockOf(b).Timed() {
			return timed
		}
	}
	return "fixed"
}
