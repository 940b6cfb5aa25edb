package event

import (
	"fmt"
	"slices"
	"strings"

	"botarena/arena"
	"botarena/arena/schedule"
)

// faulty tracks a bot's consecutive faults. Losses on time are not counted: they may be
// the clock's fault.
type faulty struct {
	games   int
	workers map[string]bool // that played them, "" for this machine
	told    bool            // of its first fault
}

// count counts a finished game for both of its bots. A bot's row of faults ends with
// a game in which it moved and was not at fault.
func (r *run) count(g *arena.Game) {
	for side, name := range []string{g.First, g.Second} {
		f := r.faulty[name]
		switch {
		case g.Blame == name && g.Reason != arena.TimeForfeit:
			if f == nil {
				f = &faulty{workers: map[string]bool{}}
				r.faulty[name] = f
			}
			f.games++
			f.workers[g.Worker] = true
		case f != nil && g.Plies > side:
			f.games = 0
			clear(f.workers)
		}
	}
}

// judgeFault reports the first fault of a bot. After too many in a row it returns
// errFailing in a match, in a test or between the last two bots, and marks the bot as
// benched elsewhere.
func (r *run) judgeFault(o *Outcome) error {
	g := &o.Game
	f := r.faulty[g.Blame]
	if g.Blame == "" || f == nil || f.games == 0 {
		return nil
	}
	if r.plan.Tuning() != nil {
		return r.judgeTuned(f, o)
	}
	if !f.told {
		f.told = true
		r.observe(Update{Kind: Warning, Text: fmt.Sprintf("bot %q lost game %d (%s - %s) by a fault, %s: %s%s", g.Blame, g.Number, g.First, g.Second, g.Reason, g.Detail, o.Output)})
	}
	limit := r.event.MaxFaults
	if limit == 0 || f.games < limit || slices.Contains(r.benched, g.Blame) || !r.believed(f) {
		return nil
	}
	without := withdrawn(r.event, append([]string{g.Blame}, r.benched...), true)
	switch several := len(r.event.Playing())-len(r.benched) > 2; {
	case several && schedule.Extends(r.event, without) != nil: // whoever fails, a bracket goes on
		return nil
	case several && schedule.Validate(&without, arena.Known{}) == nil:
		r.benched = append(r.benched, g.Blame)
		r.observe(Update{Kind: Warning, Text: fmt.Sprintf("bot %q was at fault in its last %d games and is withdrawn; `arena bots withdraw %s %s --undo` lets it play on", g.Blame, f.games, r.event.Name, g.Blame)})
		r.stop()
		return nil
	}
	return r.failing(g.Blame, f.games, fmt.Sprintf("; game %d (%s - %s): %s: %s", g.Number, g.First, g.Second, g.Reason, g.Detail))
}

// believed reports whether a bot's faults are its own: those that a single worker
// reports may be that worker's.
func (r *run) believed(f *faulty) bool { return f.workers[""] || len(f.workers) > 1 }

// withdrawn returns an event with the named bots withdrawn, or back.
func withdrawn(e arena.Event, names []string, is bool) arena.Event {
	e.Bots = slices.Clone(e.Bots)
	for _, name := range names {
		e.Bots[arena.BotIndex(e.Bots, name)].Withdrawn = is
	}
	return e
}

// failing returns the error of a run that is stopped because of a bot.
func (r *run) failing(bot string, games int, last string) error {
	return fmt.Errorf("event %q is %w: bot %q was at fault in its last %d games%s\ncheck it by itself, and whether it plays %s; --max-faults 0 plays on whatever fails",
		r.event.Name, errFailing, bot, games, last, r.event.Game)
}

// onlyFaults returns errFailing if all games of this run ended by faults, so that a
// match or test has no meaning, and nil otherwise. With both it also returns nil if
// only one bot failed.
func (r *run) onlyFaults(both bool) error {
	total, failing, worst := 0, 0, ""
	for name, f := range r.faulty {
		if f.games == 0 {
			continue
		}
		total += f.games
		failing++
		if worst == "" || f.games > r.faulty[worst].games || f.games == r.faulty[worst].games && name < worst {
			worst = name
		}
	}
	if r.event.MaxFaults == 0 || total < 2 || total != r.played || both && failing < 2 {
		return nil
	}
	return r.failing(worst, r.faulty[worst].games, "")
}

// quotedLines is the number of lines quoted of each stream.
const quotedLines = 5

// quoted formats the last lines that a bot wrote to a stream, indented; "" for none.
func quoted(stream string, lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return "\n  its last lines on " + stream + ":\n    " + strings.Join(lines, "\n    ")
}
