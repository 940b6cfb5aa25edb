package event

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"botarena/arena"
	"botarena/arena/schedule"
	"botarena/arena/session"
	"botarena/protocol"
)

// Tunable returns an *session.OptionsError with the parameters that a bot does not
// declare, or not with their range; nil if it declares all of them.
func Tunable(bot string, declared protocol.Options, params []arena.Param) error {
	var problems []error
	for i := range params {
		p := &params[i]
		o, found := declared.Find(p.Name)
		_, _, err := declared.Resolve(p.Name, p.Text(p.Min))
		if err == nil {
			_, _, err = declared.Resolve(p.Name, p.Text(p.Max))
		}
		if numbers := o.Type == protocol.Spin || o.Type == protocol.String; found && !numbers {
			err = fmt.Errorf("option %q: it is a %s, which has no numbers to tune", p.Name, o.Type)
		}
		if found && o.Type == protocol.Spin && !p.Whole() {
			err = fmt.Errorf("option %q: it takes whole numbers only: leave type: float out", p.Name)
		}
		if err != nil {
			problems = append(problems, err)
		}
	}
	if problems == nil {
		return nil
	}
	return &session.OptionsError{Bot: bot, Problems: problems}
}

// ParamsOf returns the options of a bot that can be tuned, of those that it declares as
// whole numbers between bounds, from their defaults. Those that every bot has are left
// out: they are of the machine and the protocol, not of the play.
func ParamsOf(declared protocol.Options) []arena.Param {
	var params []arena.Param
	for _, o := range declared {
		p := arena.Param{Name: o.Name, Type: "int", Min: float64(o.Min), Max: float64(o.Max)}
		bounded := o.Type == protocol.Spin && o.Min != math.MinInt64 && o.Max != math.MaxInt64 && o.Min < o.Max
		if _, err := fmt.Sscan(o.Default, &p.Start); bounded && err == nil && !common(o.Name) {
			params = append(params, p)
		}
	}
	return params
}

// common reports whether an option is one of those that are no parameters of the play.
func common(name string) bool {
	switch strings.ToLower(name) {
	case "hash", "threads", "multipv", "move overhead", "moveoverhead", "level", "skill level", "nodestime", "slow mover", "uci_elo", strings.ToLower(protocol.SeedOption):
		return true
	}
	return strings.HasPrefix(strings.ToLower(name), "syzygy")
}

// tunes returns what prevents a bot from being tuned as the event says; nil if nothing.
func (w *worker) tunes(b *arena.Bot) error {
	if w.Event.Format != schedule.FormatTune {
		return nil
	}
	return Tunable(b.Name, w.entrant(b.Name).session.Declared.Options, w.Event.Tune.Params)
}

// mostTold is the number of iterations of a tuning whose faults are reported.
const mostTold = 20

// judgeTuned reports a fault of a tuning with the values that it was played with, and
// returns errFailing after too many of one side in a row.
func (r *run) judgeTuned(f *faulty, o *Outcome) error {
	g := &o.Game
	if g.Reason == arena.TimeForfeit {
		return nil
	}
	side := 0
	if g.Blame == g.Second {
		side = 1
	}
	fault := fmt.Sprintf("game %d, %s with %s: %s: %s", g.Number, g.Blame, arena.OptionsText(g.Options[side]), g.Reason, g.Detail)
	r.lastFault = "; " + fault
	if !slices.Contains(r.faults, g.Round) && len(r.faults) < mostTold {
		if len(r.faults) > 0 {
			o.Output = "" // the first tells what is wrong
		}
		r.faults = append(r.faults, g.Round)
		r.observe(Update{Kind: Warning, Text: fmt.Sprintf("iteration %d counts as lost by the bot that failed in it: %s%s", g.Round, fault, o.Output)})
	}
	if limit := r.event.MaxFaults; limit > 0 && f.games >= limit && r.believed(f) {
		return r.failing(g.Blame, f.games, r.lastFault)
	}
	return nil
}

// untunable returns the error of a tuning in which too many iterations end by faults.
func (r *run) untunable(t *schedule.Tuning) error {
	return fmt.Errorf("event %q is %w: the last %d iterations were decided by faults, around %s%s\nnarrow the ranges to values that the bot can play with; --max-faults 0 goes on whatever fails",
		r.event.Name, errFailing, t.FaultyNow, arena.OptionsText(t.Options(t.Tuner.Theta())), r.lastFault)
}
