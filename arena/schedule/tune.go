package schedule

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"botarena/arena"
	"botarena/arena/rating/spsa"
)

// FormatTune is the format that tunes options of a bot.
const FormatTune arena.Format = "tune"

// tuning is the format in which a bot plays itself with other values of its options, to
// find better ones. A round is an iteration: see package spsa. Its first bot has the
// values of plus in it, its second those of minus.
type tuning struct{ common }

func (tuning) name() arena.Format { return FormatTune }
func (tuning) settings() []string { return []string{"tune"} }
func (tuning) order() []criterion { return []criterion{byPoints} }

func (tuning) planner(event arena.Event) planner { return &tuner{Tuning: *NewTuning(event)} }

func (tuning) most(event arena.Event) (games int, exact bool) {
	return iterations(&event.Tune) * 2 * event.Tune.Pairs, event.Tune.Time == 0
}

// iterations returns the number of iterations of a tuning without a limit of time.
func iterations(t *arena.Tune) int { return t.Games / (2 * max(1, t.Pairs)) }

func (tuning) extends(old, now arena.Event) error {
	switch before, after := old.Tune.Time, now.Tune.Time; {
	case before == after:
		return errors.New("of a tuning only the time can be extended, since its steps depend on all else: start one of another name")
	case after > 0 && (before == 0 || after < before):
		return errors.New("a tuning cannot shrink: leave its time as it was, or raise it")
	}
	return nil
}

// check looks at what the settings say together.
func (tuning) check(e *arena.Event) (field, why string) {
	t := &e.Tune
	switch {
	case len(t.Params) == 0:
		return "tune.params", "names no option to tune, such as [{name: Margin, start: 100, min: 0, max: 300}]"
	case len(e.Bots) > 2:
		return "bots", fmt.Sprintf("a tuning has one bot, which plays itself, not %d", len(e.Bots))
	case !e.Swap:
		return "swap", "a tuning plays pairs of games: leave swap out"
	case iterations(t) == 0:
		return "tune.games", fmt.Sprintf("%d games are not one iteration; at least %d", t.Games, 2*t.Pairs)
	}
	for i := range t.Params {
		p, at := &t.Params[i], fmt.Sprintf("tune.params[%d]", i)
		same := func(o arena.Param) bool { return strings.EqualFold(o.Name, p.Name) }
		known := spsaParam(p)
		switch err := known.Validate(); {
		case strings.TrimSpace(p.Name) == "":
			return at + ".name", "is empty; name an option of the bot"
		case slices.ContainsFunc(t.Params[:i], same):
			return at + ".name", fmt.Sprintf("%s is tuned already", p.Name)
		case err != nil:
			return at, fmt.Sprintf("%s: %v", p.Name, err)
		case p.Whole() && max(math.Abs(p.Min), math.Abs(p.Max)) > 1<<53:
			return at, p.Name + ": beyond 2^53 whole numbers are not exact"
		}
		for _, b := range e.Bots {
			if slices.ContainsFunc(b.Options, func(o arena.Option) bool { return strings.EqualFold(o.Name, p.Name) }) {
				return at + ".name", fmt.Sprintf("%s is set in the bot's options as well; leave it out there", p.Name)
			}
		}
	}
	return "", ""
}

// TunedBots returns both bots of the tuning of one: NAME+ and NAME-.
func TunedBots(b arena.Bot) []arena.Bot {
	plus, minus := b, b
	plus.Name, minus.Name = b.Name+"+", b.Name+"-"
	return []arena.Bot{plus, minus}
}

func spsaParam(p *arena.Param) spsa.Param {
	return spsa.Param{Start: p.Start, Min: p.Min, Max: p.Max, Whole: p.Whole(), Elo: p.Elo, C: p.CEnd, R: p.REnd}
}

// A Tuning follows the iterations of a tuning in their order.
type Tuning struct {
	// Tuner has the results of the first iterations, as many as were asked for.
	Tuner *spsa.Tuner
	// Faulty counts those that a fault decided, and FaultyNow those of them that came
	// last, one after the other.
	Faulty, FaultyNow int

	event   arena.Event
	planned int
	waiting []iteration // those after the Tuner's
}

// An iteration holds the results of one.
type iteration struct {
	planned int     // games
	open    int     // those without a result, and those not planned yet
	balance int     // wins less losses of the first bot
	fault   [2]bool // of the first and the second bot
}

// NewTuning returns the state of a tuning before its first game; nil of other events.
func NewTuning(event arena.Event) *Tuning {
	if event.Format != FormatTune {
		return nil
	}
	t := &event.Tune
	config := spsa.Config{
		Iterations: iterations(t), Pairs: t.Pairs, Seed: event.Seed, Alpha: t.Alpha, Gamma: t.Gamma, Stability: t.Stability,
	}
	for i := range t.Params {
		config.Params = append(config.Params, spsaParam(&t.Params[i]))
	}
	return &Tuning{Tuner: spsa.New(config), event: event}
}

// Add adds the next planned game, with its result if it has one.
func (t *Tuning) Add(g *arena.Game) {
	if g.Round > t.planned {
		t.planned = g.Round
		t.waiting = append(t.waiting, iteration{open: 2 * t.event.Tune.Pairs})
	}
	if n := len(t.waiting); n > 0 {
		t.waiting[n-1].planned++
	}
	if g.Result != arena.Unplayed {
		t.finish(g)
	}
}

// finish adds the result of a game that was added before.
func (t *Tuning) finish(g *arena.Game) {
	at := (g.Pair-1)/t.event.Tune.Pairs - t.Tuner.Done()
	if at < 0 || at >= len(t.waiting) {
		return
	}
	i := &t.waiting[at]
	i.open--
	score, _ := g.Result.Score()
	gain := int(math.Round(2*score)) - 1
	if g.First != t.event.Bots[0].Name {
		gain = -gain
	}
	i.balance += gain
	if g.Blame != "" && g.Reason != arena.TimeForfeit {
		second := 0
		if g.Blame != t.event.Bots[0].Name {
			second = 1
		}
		i.fault[second] = true
	}
}

// Take updates the Tuner with the results of iterations up to that number, and reports
// whether they have all come. An iteration in which one of both bots was at fault, but
// for losses on time, counts as lost by it.
func (t *Tuning) Take(last int) bool {
	for t.Tuner.Done() < last {
		if len(t.waiting) == 0 || t.waiting[0].open > 0 {
			return false
		}
		i := t.waiting[0]
		t.waiting = t.waiting[1:]
		lost := 2 * t.event.Tune.Pairs
		switch i.fault {
		case [2]bool{true, false}:
			i.balance = -lost
		case [2]bool{false, true}:
			i.balance = lost
		}
		if t.FaultyNow++; i.fault == [2]bool{} {
			t.FaultyNow = 0
		} else {
			t.Faulty++
		}
		t.Tuner.Update(i.balance)
	}
	return true
}

// Options returns values as options that are set, in the order of their names.
func (t *Tuning) Options(values []float64) []arena.Option {
	options := make([]arena.Option, len(values))
	for i, v := range values {
		p := &t.event.Tune.Params[i]
		options[i] = arena.Option{Name: p.Name, Value: p.Text(v)}
	}
	slices.SortFunc(options, func(a, b arena.Option) int { return strings.Compare(a.Name, b.Name) })
	return options
}

// tuner plans iterations, each with the results of those before it but for the lag. So
// the games do not depend on the concurrency.
type tuner struct{ Tuning }

func (t *tuner) add(g *arena.Game, opens bool) {
	t.Add(g)
	if opens { // what an event has played long ago need not wait
		t.Take(t.seen(t.planned))
	}
}

func (t *tuner) finish(g *arena.Game) { t.Tuning.finish(g) }

// seen returns the number of iterations whose results an iteration sees.
func (t *tuner) seen(iteration int) int { return max(0, iteration-1-t.event.Tune.Lag) }

func (t *tuner) next(p *Plan) State {
	for {
		k, pairs := t.planned+1, t.event.Tune.Pairs
		if n := len(t.waiting); n > 0 && t.waiting[n-1].planned < 2*pairs { // the event's time ended it before
			k, pairs = t.planned, pairs-t.waiting[n-1].planned/2
		}
		switch {
		case k > iterations(&t.event.Tune):
			return Complete
		case p.full():
			return More
		}
		if !t.Take(t.seen(k)) {
			return Waiting
		}
		plus, minus := t.Tuner.Points(k)
		m := pairing{
			first: t.event.Bots[0].Name, second: t.event.Bots[1].Name, round: k,
			options: &[2][]arena.Option{t.Options(plus), t.Options(minus)},
		}
		for range pairs {
			p.meet(m)
		}
	}
}

// Tuning returns the state of a tuning up to the iterations that the plan has used; nil
// of other events.
func (p *Plan) Tuning() *Tuning {
	if t, ok := p.planner.(*tuner); ok {
		return &t.Tuning
	}
	return nil
}
