package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/text"
	"botarena/engine"
	"botarena/protocol"
)

// A Setup configures a bot before its first game.
type Setup struct {
	Game    string         // name of the event's game
	Options []arena.Option // of the bot's entry, sent in this order
	Timeout time.Duration  // for readyok; 0: DefaultReady
	// Clock is the bot's time control; zero is any. Some xboard engines cannot be
	// limited by nodes or depth, which is an OptionsError.
	Clock arena.TimeControl
	// Ponder lets the bot think while its opponent is to move, if it declares that it
	// can (the option Ponder).
	Ponder bool
}

// An OptionsError lists every option of a bot's entry that the bot does not accept, and
// a game that it does not play: a mistake in the event, not a fault of the bot.
type OptionsError struct {
	Bot      string
	Problems []error // *protocol.OptionError, wrapped or not
}

// Error joins the problems.
func (e *OptionsError) Error() string {
	texts := make([]string, len(e.Problems))
	for i, err := range e.Problems {
		texts[i] = text.Line(err.Error(), mostText)
	}
	return fmt.Sprintf("bot %q: %s", e.Bot, strings.Join(texts, "; "))
}

// Unwrap returns the problems.
func (e *OptionsError) Unwrap() []error { return e.Problems }

// Configure sets the game, UGI_LegalMoves and the options of the bot's entry, each if
// declared, and waits until the bot is ready. Options of the entry take precedence. The
// error is an *OptionsError, before anything was sent, or a *Fault.
func (s *Session) Configure(ctx context.Context, setup Setup) error {
	setup.Game = arena.PlainName(setup.Game)
	declared := s.Declared.Options
	own := map[string]bool{} // options that the entry sets
	for _, o := range setup.Options {
		own[strings.ToLower(o.Name)] = true
	}
	var problems []error
	out := s.out[:0]
	s.sendsLegal, s.game, s.ponders = false, setup.Game, false
	shuffled, by960 := declared.Find(protocol.Chess960Option)
	by960 = by960 && shuffled.Type == protocol.Check && setup.Game == chess960
	names960 := setup.Game != chess960 || by960 || s.Declared.Dialect == protocol.UGI || own[strings.ToLower(protocol.Chess960Option)]
	for _, name := range []string{protocol.UGI.VariantOption(), protocol.UCI.VariantOption()} {
		if _, ok := declared.Find(name); !ok || own[strings.ToLower(name)] {
			continue
		}
		names960 = true
		name, value, err := declared.Resolve(name, setup.Game)
		if err == nil {
			by960 = false
		} else if by960 {
			name, value, err = declared.Resolve(name, uciGame)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("it does not play %s: %w", setup.Game, err))
		}
		out = s.appendOption(out, protocol.Combo, name, value)
	}
	if by960 && !own[strings.ToLower(protocol.Chess960Option)] {
		out = s.appendOption(out, shuffled.Type, shuffled.Name, "true")
	}
	if !names960 {
		problems = append(problems, fmt.Errorf("it does not play %s: it declares no option %s", chess960, protocol.Chess960Option))
	}
	if o, ok := declared.Find(protocol.LegalMovesOption); ok && o.Type == protocol.Check && !own[strings.ToLower(o.Name)] {
		out = s.appendOption(out, o.Type, o.Name, "true")
		s.sendsLegal = true
	}
	if o, ok := declared.Find(protocol.PonderOption); ok && o.Type == protocol.Check && setup.Ponder {
		s.ponders = true
		if !own[strings.ToLower(o.Name)] {
			out = s.appendOption(out, o.Type, o.Name, "true")
		}
	}
	out, problems = s.appendOptions(out, setup.Options, problems, func(name, value string) {
		switch {
		case strings.EqualFold(name, protocol.LegalMovesOption):
			s.sendsLegal = value == "true"
		case strings.EqualFold(name, protocol.PonderOption):
			s.ponders = s.ponders && value == "true"
		}
	})
	if s.xboard != nil && setup.Clock.Nodes > 0 && !s.xboard.nps {
		problems = append(problems, errors.New("it cannot be limited by nodes: it speaks xboard without the feature nps; give it a clock of its own"))
	}
	if problems != nil {
		return &OptionsError{Bot: s.Name, Problems: problems}
	}
	timeout := cmp.Or(setup.Timeout, DefaultReady)
	if err := s.ready(ctx, out, timeout, true); err != nil || s.xboard == nil || setup.Clock.Depth <= 0 {
		return err
	}
	err := s.ready(ctx, s.xboard.appendDepth(s.out[:0], int64(setup.Clock.Depth)), timeout, true)
	if err == nil && s.xboard.refusesDepth() {
		return &OptionsError{Bot: s.Name, Problems: []error{errors.New("it cannot be limited by depth: it does not know the command sd; give it a clock of its own")}}
	}
	return err
}

// SetOption sets a declared option and awaits readyok. The error is a *Fault.
func (s *Session) SetOption(ctx context.Context, o protocol.Option, value string, timeout time.Duration) error {
	return s.ready(ctx, s.appendOption(s.out[:0], o.Type, o.Name, value), timeout, false)
}

// SeedOption returns the option by which a bot is told the seed of its random
// numbers; ok is false if it declares none.
func (d *Declared) SeedOption() (o protocol.Option, ok bool) {
	o, ok = d.Options.Find(protocol.SeedOption)
	return o, ok && o.Type == protocol.Spin
}

// Seed sends a seed within the bounds of SeedOption, without waiting. A bot that does
// not read is detected by the next request.
func (s *Session) Seed(o protocol.Option, value int64, deadline time.Time) {
	s.out = s.appendOption(s.out[:0], o.Type, o.Name, strconv.FormatInt(value, 10))
	_ = s.write(deadline)
}

// Set sends options, without waiting. A bot that does not read is detected by the next
// request. The error is an *OptionsError, before anything was sent.
func (s *Session) Set(options []arena.Option, deadline time.Time) error {
	if len(options) == 0 {
		return nil
	}
	out, problems := s.appendOptions(s.out[:0], options, nil, func(string, string) {})
	if problems != nil {
		return &OptionsError{Bot: s.Name, Problems: problems}
	}
	s.out = out
	_ = s.write(deadline)
	return nil
}

// appendOptions sets options as the bot declares them, calls set with each, and appends to
// problems what is wrong with the others.
func (s *Session) appendOptions(dst []byte, options []arena.Option, problems []error, set func(name, value string)) ([]byte, []error) {
	for _, o := range options {
		name, value, err := s.Declared.Options.Resolve(o.Name, o.Value)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		d, _ := s.Declared.Options.Find(name)
		dst = s.appendOption(dst, d.Type, name, value)
		set(name, value)
	}
	return dst, problems
}

// ChooseGame returns the game that a bot should play by its declarations, and why: the
// default of its variant option or a game among that option's values, chess if it
// speaks UCI and has no such option, else the catalog's first. The error reports that
// it plays none of the catalog's games.
func ChooseGame(d *Declared, catalog engine.Catalog) (game engine.Game, why string, err error) {
	usual := catalog.Names()[0]
	o, ok := d.variantOption()
	switch {
	case !ok && d.Dialect != protocol.UGI:
		usual, why = uciGame, "it speaks "+map[protocol.Dialect]string{protocol.UCI: "UCI", protocol.XBoard: "xboard"}[d.Dialect]+" and names no game"
	case !ok:
		why = "it names no game"
	case o.Type == protocol.Combo && !slices.ContainsFunc(o.Vars, func(v string) bool { return strings.EqualFold(v, usual) }):
		for _, v := range append([]string{o.Default}, o.Vars...) {
			if g, err := catalog.Lookup(v); err == nil {
				return g, "by " + o.Name, nil
			}
		}
		return nil, "", fmt.Errorf("%s has none of arena's games: %s", o.Name, strings.Join(o.Vars[:min(len(o.Vars), 20)], ", "))
	case o.Type == protocol.String && o.Default != "":
		if g, err := catalog.Lookup(o.Default); err == nil {
			return g, "default of " + o.Name, nil
		}
		why = "the default of " + o.Name + " is unknown"
	default:
		why = "by " + o.Name
	}
	game, err = catalog.Lookup(usual)
	return game, why, err
}

// Plays reports whether a bot plays a game by its declarations: one that its variant
// option lists; without that option, chess if it speaks UCI (and Chess960 with
// UCI_Chess960), else any game.
func (d *Declared) Plays(game string) bool {
	o, ok := d.variantOption()
	if ok {
		_, _, err := d.Options.Resolve(o.Name, game)
		return err == nil
	}
	o, shuffled := d.Options.Find(protocol.Chess960Option)
	return d.Dialect == protocol.UGI || game == uciGame || game == chess960 && shuffled && o.Type == protocol.Check
}

// variantOption returns the option that selects the game.
func (d *Declared) variantOption() (o protocol.Option, ok bool) {
	if o, ok = d.Options.Find(d.Dialect.VariantOption()); ok {
		return o, ok
	}
	if o, ok = d.Options.Find(protocol.UGI.VariantOption()); ok {
		return o, ok
	}
	return d.Options.Find(protocol.UCI.VariantOption())
}
