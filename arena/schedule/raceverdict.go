package schedule

import (
	"fmt"
	"strings"

	"botarena/arena/rating/race"
	"botarena/arena/rating/sprt"
)

// A Race is the state of a race.
type Race struct {
	Base       string        `json:"base"`
	Best       bool          `json:"best"` // it asks for the best candidate only
	Test       sprt.Test     `json:"test"`
	Candidates []RaceVerdict `json:"candidates"` // in the order of entry
}

// A RaceVerdict is what a race says of a candidate so far. LLR, its bounds and the counts
// are those of its test against the base when it was decided.
type RaceVerdict struct {
	Bot      string           `json:"bot"`
	State    race.State       `json:"state"`
	Pairs    int              `json:"pairs"` // that count
	LLR      float64          `json:"llr"`
	Lower    float64          `json:"lower"`
	Upper    float64          `json:"upper"`
	Counts   sprt.Pentanomial `json:"counts"`
	Beats    int              `json:"beats_base_at,omitempty"` // the pair with which its test accepted H1
	By       string           `json:"by,omitempty"`            // who eliminated it
	RivalLLR float64          `json:"rival_llr,omitempty"`     // of its test against that candidate
	Why      string           `json:"why"`
}

// state returns the state of the race as far as it was judged.
func (h *heats) state() *Race {
	test := sprt.Of(h.event.SPRT)
	out := &Race{Base: h.event.Bots[0].Name, Best: h.event.Race.Best, Test: test}
	for i, c := range h.race.Candidates() {
		b := &h.event.Bots[1+i]
		v := RaceVerdict{
			Bot: b.Name, State: c.State, Pairs: c.Pairs(), LLR: c.LLR, Lower: c.Lower, Upper: c.Upper, Counts: c.Counts, Beats: c.Beats,
		}
		if v.State == race.Running && b.Withdrawn {
			v.State = race.Withdrawn
		}
		if v.State == race.Eliminated {
			if v.By = out.Base; c.By != race.Base {
				v.By, v.RivalLLR = h.event.Bots[1+c.By].Name, c.Against
			}
		}
		v.Why = out.why(&v, h.race.RivalBound())
		out.Candidates = append(out.Candidates, v)
	}
	return out
}

// why explains a verdict.
func (r *Race) why(v *RaceVerdict, rivalBound float64) string {
	unit := r.unit()
	beats := fmt.Sprintf("%g %s better than %s rather than %g", r.Test.Elo1, unit, r.Base, r.Test.Elo0)
	switch {
	case v.State == race.Accepted && r.Best && v.Beats < v.Pairs:
		return fmt.Sprintf("%s (pair %d), and the last one left", beats, v.Beats)
	case v.State == race.Accepted && r.Best:
		return beats + ", and the last one left"
	case v.State == race.Accepted:
		return beats
	case v.State == race.Eliminated && v.By != r.Base:
		return fmt.Sprintf("no %g %s better than %s (LLR %+.2f, bound %+.2f)", r.Test.Elo1-r.Test.Elo0, unit, v.By, v.RivalLLR, rivalBound)
	case v.State == race.Eliminated:
		return fmt.Sprintf("%g %s better than %s rather than %g", r.Test.Elo0, unit, r.Base, r.Test.Elo1)
	case v.State == race.Running && v.Beats > 0:
		return fmt.Sprintf("%s (pair %d); not the last one left", beats, v.Beats)
	}
	return ""
}

// Verdict returns what a race came to as the verdict of a test: AcceptH1 if a candidate
// was accepted, AcceptH0 if all were eliminated, Continue if it is not decided.
func (r *Race) Verdict() sprt.Verdict {
	verdict := sprt.AcceptH0
	for i := range r.Candidates {
		switch r.Candidates[i].State {
		case race.Running:
			return sprt.Continue
		case race.Accepted:
			verdict = sprt.AcceptH1
		}
	}
	return verdict
}

// Names lists the candidates in a state.
func (r *Race) Names(state race.State) []string {
	var names []string
	for i := range r.Candidates {
		if c := &r.Candidates[i]; c.State == state {
			names = append(names, c.Bot)
		}
	}
	return names
}

// Race returns the state of the race that is planned, as far as the plan has judged it;
// nil of another format.
func (p *Plan) Race() *Race {
	if h, ok := p.planner.(*heats); ok {
		return h.state()
	}
	return nil
}

// Decided returns the number of the last game that counts in a race that is decided by
// the results so far; ok is false if it is not, and for other formats.
func (p *Plan) Decided() (last int, ok bool) {
	if h, is := p.planner.(*heats); is {
		return h.decided()
	}
	return 0, false
}

// unit returns the unit of the test's hypotheses.
func (r *Race) unit() string {
	if r.Test.Model == sprt.Logistic {
		return "Elo"
	}
	return "nElo"
}

// Promise describes the question and the errors that the race holds.
func (r *Race) Promise() string {
	t, each := &r.Test, "Candidates that beat "+r.Base
	if r.Best {
		each = "The best candidate that beats " + r.Base
	}
	return fmt.Sprintf("%s: H0 %g against H1 %g %s; a wrong one is accepted with probability %g at most, one of H1 is thrown out by its test with %g.",
		each, t.Elo0, t.Elo1, r.unit(), t.Alpha, t.Beta)
}

// Sentence says what the race has come to.
func (r *Race) Sentence() string {
	const most = 8
	accepted, running := r.Names(race.Accepted), r.Names(race.Running)
	var parts []string
	verb := " beat "
	if len(accepted) == 1 {
		verb = " beats "
	}
	if n := len(accepted); n > most {
		accepted = append(accepted[:most:most], fmt.Sprintf("%d more", n-most))
	}
	names := strings.Join(accepted, ", ")
	switch {
	case names == "" && len(running) == 0:
		parts = append(parts, fmt.Sprintf("No candidate beats %s.", r.Base))
	case names != "" && r.Best:
		parts = append(parts, fmt.Sprintf("%s beats %s, and is the best candidate.", names, r.Base))
	case names != "":
		parts = append(parts, names+verb+r.Base+".")
	}
	if n := len(running); n > 0 {
		parts = append(parts, fmt.Sprintf("Not decided yet: %d of %d candidates.", n, len(r.Candidates)))
	}
	return strings.Join(parts, " ")
}
