package kit

import (
	"math/rand/v2"
	"strconv"
	"time"

	"botarena/engine"
	"botarena/protocol"
)

// A Turn is one request to move: the position, the limits, and methods for options,
// time and info lines.
type Turn struct {
	// Position belongs to the bot, which may play and undo moves on it. It has the
	// history of the game, so repetitions are known.
	Position engine.Position
	// Depth and Nodes limit the search; 0 is no limit.
	Depth int
	Nodes int64
	// Budget is the time that the bot should spend at most; 0 is no limit. It is
	// computed from the clock with a reserve for communication.
	Budget time.Duration
	// Clock reports that the Budget is a share of a clock whose rest later moves can
	// use.
	Clock bool
	// Infinite asks to think until Stop returns true.
	Infinite bool
	// Rand is seeded by the option Seed; the same seed and the same moves give
	// the same numbers.
	Rand *rand.Rand

	options map[string]string
	now     func() time.Time
	start   time.Time
	stopped func() bool
	info    func(protocol.Info)
	failed  error
	// hit returns since when the clock runs in a turn that began by pondering; nil for
	// any other.
	hit func() (since time.Time, runs bool)
}

// NewTurn returns a turn outside any dialogue, for tests and for programs that
// call a bot's function themselves. now may be nil if there is no budget.
func NewTurn(pos engine.Position, seed uint64, now func() time.Time) *Turn {
	t := &Turn{
		Position: pos,
		Rand:     rand.New(rand.NewPCG(seed, 0)),
		now:      now,
		stopped:  func() bool { return false },
		info:     func(protocol.Info) {},
	}
	if now != nil {
		t.start = now()
	}
	return t
}

// OnInfo passes info lines to f, for programs that call a bot's function themselves and
// want its score.
func (t *Turn) OnInfo(f func(protocol.Info)) { t.info = f }

// Option returns the value of an option as set by the arena, or its default.
func (t *Turn) Option(name string) string { return t.options[name] }

// SetOption sets an option of a turn outside any dialogue.
func (t *Turn) SetOption(name, value string) {
	if t.options == nil {
		t.options = map[string]string{}
	}
	t.options[name] = value
}

// Number returns the value of a spin option, or otherwise if the option is not set.
func (t *Turn) Number(name string, otherwise int) int {
	if n, err := strconv.Atoi(t.options[name]); err == nil {
		return n
	}
	return otherwise
}

// Fail ends the dialogue once Choose has returned, without an answer: Run returns
// the error.
func (t *Turn) Fail(err error) { t.failed = err }

// Elapsed returns the time since the request came.
func (t *Turn) Elapsed() time.Duration {
	if t.now == nil {
		return 0
	}
	return t.now().Sub(t.start)
}

// Stop reports whether to answer at once: the budget is spent, or the arena said stop.
// It costs a clock reading; call it every thousand nodes or so.
func (t *Turn) Stop() bool {
	return t.stopped() || (t.Budget > 0 && t.spent() >= t.Budget)
}

// spent returns the time that the clock has run.
func (t *Turn) spent() time.Duration {
	if t.hit == nil {
		return t.Elapsed()
	}
	if since, runs := t.hit(); runs {
		return t.now().Sub(since)
	}
	return 0
}

// Early reports whether a search should answer before its budget is spent, to save
// clock time for later moves: the steadier the search has been, from 0 to 4, the
// sooner. It returns false if the budget is for this move alone.
func (t *Turn) Early(steady int) bool {
	if !t.Clock || t.Budget == 0 {
		return false
	}
	return t.spent() >= t.Budget*time.Duration(90-12*min(steady, 4))/100
}

// Pondering reports whether the opponent is to move and the clock does not run yet.
func (t *Turn) Pondering() bool {
	if t.hit == nil {
		return false
	}
	_, runs := t.hit()
	return !runs
}

// Limited reports whether the request has a limit; without one a bot should bound its
// search itself.
func (t *Turn) Limited() bool { return t.Depth > 0 || t.Nodes > 0 || t.Budget > 0 || t.Infinite }

// Info sends a line of progress, with the time since the request added.
func (t *Turn) Info(info protocol.Info) {
	spent := t.Elapsed()
	info.Time = spent.Milliseconds()
	info.Has |= protocol.HasTime
	if info.Has&protocol.HasNodes != 0 && spent > time.Millisecond {
		info.NPS = int64(float64(info.Nodes) / spent.Seconds())
		info.Has |= protocol.HasNPS
	}
	t.info(info)
}

// Text returns the move as the protocol writes it.
func (t *Turn) Text(m engine.Move) []byte { return t.Position.AppendMove(nil, m) }
