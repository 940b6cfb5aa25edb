package check

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"botarena/arena/rules"
	"botarena/engine"
)

// The checks of a rules program.
const (
	RulesStart     = "start"
	RulesGames     = "random games"
	RulesAgain     = "same answers"
	RulesProcess   = "another process"
	RulesAccepted  = "legal moves"
	RulesRefused   = "other moves"
	RulesPositions = "positions"
	RulesPace      = "pace"
	RulesEnd       = "quit"
)

// A RulesConfig describes the rules program to check.
type RulesConfig struct {
	// Open starts the program anew.
	Open    func(context.Context) (*rules.Game, error)
	Now     func() time.Time
	Seed    uint64       // of the games
	Quick   bool         // a fifth of the games
	Observe func(Result) // where set, is given each result as it comes
	// Progress, if set, is called every few seconds during a check.
	Progress func(text string)
}

// Rules checks whether the answers of a rules program are consistent. A wrong answer is
// a result, never an error. After Limit the program is killed. The error is ctx's.
func Rules(ctx context.Context, c RulesConfig) (*Report, error) {
	limited, cancel := context.WithTimeout(ctx, Limit)
	defer cancel()
	r := &rulesRun{RulesConfig: c, ctx: limited, report: &Report{}, rng: rand.New(rand.NewPCG(c.Seed, 0)), end: c.Now().Add(Limit)}
	defer func() { _ = r.close() }()
	r.all()
	return r.report, ctx.Err()
}

// A rulesRun is the state of one Rules call.
type rulesRun struct {
	RulesConfig
	ctx    context.Context //nolint:containedctx // lives as long as one call
	report *Report
	rng    *rand.Rand
	end    time.Time
	game   *rules.Game // nil if it has to be started anew
	lines  [][]string  // the games played, as moves
	asked  int         // positions
	spent  time.Duration
	early  pace      // of plies in the first quarter of their games
	last   pace      // in the last quarter
	doing  string    // the check that runs
	told   time.Time // when Progress was told last
}

// pace measures the time that plies take.
type pace struct {
	spent time.Duration
	plies int
}

func (p *pace) add(d time.Duration) { p.spent, p.plies = p.spent+d, p.plies+1 }

func (p *pace) each() time.Duration { return p.spent / time.Duration(max(1, p.plies)) }

func (r *rulesRun) all() {
	if r.check(RulesStart, r.start) == Fail {
		return
	}
	if r.check(RulesGames, r.games) == Fail {
		return
	}
	r.check(RulesAgain, r.again)
	r.check(RulesProcess, r.process)
	r.check(RulesAccepted, r.accepted)
	r.check(RulesRefused, r.refused)
	r.check(RulesPositions, r.positions)
	r.check(RulesPace, r.pace)
	r.check(RulesEnd, r.quit)
}

// check runs one check, in a new process if the last one failed.
func (r *rulesRun) check(name string, f func() outcome) Status {
	start := r.Now()
	r.doing, r.told = name, start
	var o outcome
	err := func() (err error) {
		defer engine.Catch(&err)
		if r.game == nil {
			if r.game, err = r.Open(r.ctx); err != nil {
				return err
			}
		}
		o = f()
		return nil
	}()
	var fault *rules.Fault
	switch {
	case errors.Is(r.ctx.Err(), context.DeadlineExceeded):
		o = skip(outOfTime())
	case r.ctx.Err() != nil:
		o = skip("interrupted")
	case errors.As(err, &fault):
		o = outcome{status: Fail, detail: fault.What, quote: fault.Dialogue, stderr: fault.Stderr}
	case err != nil:
		o = fail("", "%v", err)
	}
	if o.status == Fail || err != nil {
		_ = r.close() // it may be in any state
	}
	return r.report.add(name, o, r.Now().Sub(start), r.Observe)
}

func (r *rulesRun) close() error {
	if r.game == nil {
		return nil
	}
	g := r.game
	r.game = nil
	return g.Close()
}

func (r *rulesRun) start() outcome {
	offered := r.game.Offered()
	text := "it answers the four queries that it must"
	if len(offered) > 0 {
		text += " and " + strings.Join(offered, ", ")
	}
	sides := r.game.SideNames()
	pos := r.game.Start()
	return pass("%s; %s and %s, %d moves at the start", text, sides[0], sides[1], len(pos.Legal(nil)))
}

// count returns n, or less in a shortened check.
func (r *rulesRun) count(n int) int { return count(n, r.Quick) }

func count(n int, quick bool) int {
	if quick {
		return max(1, n/5)
	}
	return n
}

// late reports whether a part of the check that began at since has to end.
func (r *rulesRun) late(since time.Time, within time.Duration) bool {
	now := r.Now()
	const each = 3 * time.Second
	if r.Progress != nil && now.Sub(r.told) > each {
		r.told = now
		r.Progress(fmt.Sprintf("%s: %.0f s, %d positions asked about", r.doing, now.Sub(since).Seconds(), r.asked))
	}
	return r.ctx.Err() != nil || now.After(r.end) || now.Sub(since) > within
}

// games plays random games to their ends.
func (r *rulesRun) games() outcome {
	want, since := r.count(50), r.Now()
	ends := map[string]int{}
	plies, longest, limited := 0, 0, 0
	for len(r.lines) < want && !r.late(since, 15*time.Second) {
		pos := r.game.Start()
		var line []string
		var took []time.Duration
		whole := true
		for !pos.Outcome().Over && len(line) < r.game.MaxPlies() {
			if whole = !r.late(since, 30*time.Second); !whole {
				break
			}
			legal := pos.Legal(nil)
			m := legal[r.rng.IntN(len(legal))]
			line = append(line, string(pos.AppendMove(nil, m)))
			pos.Play(m)
			begin := r.Now()
			_ = pos.Outcome()
			took = append(took, r.Now().Sub(begin))
			r.asked++
		}
		if len(line) > 0 {
			r.lines = append(r.lines, line)
		}
		for i, d := range took {
			if i < len(took)/4 {
				r.early.add(d)
			} else if i >= len(took)-len(took)/4 {
				r.last.add(d)
			}
		}
		if !whole {
			return warn(r.slowHint(), "no time for a whole game: %d plies in %.0f s", len(line), r.Now().Sub(since).Seconds())
		}
		plies, longest = plies+len(line), max(longest, len(line))
		if out := pos.Outcome(); !out.Over {
			limited++
		} else {
			ends[r.ending(out)]++
		}
	}
	r.spent = r.Now().Sub(since)
	var list []string
	for e, n := range ends {
		list = append(list, fmt.Sprintf("%s %d", e, n))
	}
	slices.Sort(list)
	if limited > 0 {
		list = append(list, fmt.Sprintf("move limit %d", limited))
	}
	text := fmt.Sprintf("%d games of %.0f plies, the longest of %d: %s", len(r.lines), float64(plies)/float64(len(r.lines)), longest, strings.Join(list, ", "))
	if len(r.lines) == 0 {
		return warn(r.slowHint(), "no time for a game")
	}
	switch {
	case limited == len(r.lines):
		return warn(fmt.Sprintf("no random game has ended within %d plies: does the game end at all? \"query maxplies\" sets another limit", r.game.MaxPlies()), "%s", text)
	case len(r.lines) < want:
		return warn(r.slowHint(), "%s; no time for %d", text, want)
	}
	return pass("%s", text)
}

func (r *rulesRun) ending(out engine.Outcome) string {
	if out.Winner == engine.NoSide {
		return "drawn"
	}
	return r.game.SideNames()[out.Winner] + " won"
}

// replays reports whether plies late in a game take far longer than early ones.
func (r *rulesRun) replays() bool {
	const ratio, least = 3, time.Millisecond
	return r.early.plies > 0 && r.last.plies > 0 && r.last.each() > least && r.last.each() > ratio*r.early.each()
}

// slowHint reports what to do about a slow program.
func (r *rulesRun) slowHint() string {
	if r.replays() {
		return fmt.Sprintf("a ply takes %v early in a game and %v late: the position line has all moves of the game each time, and the program plays them all again; keep the last position with its moves, and play only what is new",
			r.early.each().Round(time.Microsecond), r.last.each().Round(time.Microsecond))
	}
	return "each ply costs one position line and four queries: see which of them is slow; the line has all moves of the game each time, so keep the last position with its moves, and play only what is new"
}

// told returns a program's facts about a position as texts to compare.
func told(pos engine.Position) (facts string, moves []string) {
	for _, m := range pos.Legal(nil) {
		moves = append(moves, string(pos.AppendMove(nil, m)))
	}
	sorted := slices.Sorted(slices.Values(moves))
	return fmt.Sprintf("%+v; turn %d; moves %s; text %s", pos.Outcome(), pos.Turn(), strings.Join(sorted, " "), pos), moves
}

// partTime limits the duration of one part of the check.
const partTime = 10 * time.Second

// compare asks game again about the positions of some of the games played.
func (r *rulesRun) compare(what string, games int, with *rules.Game) outcome {
	since, n := r.Now(), 0
	for _, line := range r.lines[:min(len(r.lines), games)] {
		a, b := r.game.Start(), with.Start()
		for i := -1; i < len(line); i++ {
			if i >= 0 {
				play(a, line[i])
				if !play(b, line[i]) {
					return fail("", "%s does not take %s after %q", what, line[i], strings.Join(line[:i], " "))
				}
			}
			one, first := told(a)
			other, second := told(b)
			n++
			r.asked += 2
			at := fmt.Sprintf("after %q", strings.Join(line[:i+1], " "))
			if one != other {
				return fail("the answers may depend on the position line alone: forget what was before it, and draw no random numbers",
					"%s gives another answer %s", what, at).quoting("first: "+one, "then:  "+other)
			}
			if !slices.Equal(first, second) {
				return warn("random openings are drawn from the list: with another order, the same seed gives other openings; sort the moves (sets have no order in Python)",
					"%s lists the moves in another order %s", what, at).quoting("first: "+strings.Join(first, " "), "then:  "+strings.Join(second, " "))
			}
			if r.late(since, partTime) {
				return pass("%d positions; no time for more", n)
			}
		}
	}
	return pass("%d positions", n)
}

// play makes a move of that text, and reports whether it is legal.
func play(pos engine.Position, text string) bool {
	m, err := pos.ParseMove(text)
	if err != nil {
		return false
	}
	pos.Play(m)
	return true
}

func (r *rulesRun) again() outcome { return r.compare("the same process", r.count(10), r.game) }

func (r *rulesRun) process() outcome {
	other, err := r.Open(r.ctx)
	if err != nil {
		return fail("", "a second process does not start: %v", err)
	}
	defer func() { _ = other.Close() }() // what it says counts
	return r.compare("a second process", r.count(10), other)
}

// sample walks through some positions of the games that are not over, with the moves
// that led there.
func (r *rulesRun) sample(games, each int) iter.Seq2[engine.Position, []string] {
	return func(yield func(engine.Position, []string) bool) {
		since := r.Now()
		for _, line := range r.lines[:min(len(r.lines), games)] {
			pos := r.game.Start()
			step := max(1, len(line)/each)
			for i := range line {
				if i%step == 0 && !yield(pos, line[:i]) || r.late(since, partTime) {
					return
				}
				play(pos, line[i])
			}
		}
	}
}

// accepted plays every legal move of some positions.
func (r *rulesRun) accepted() outcome {
	positions, moves, since := 0, 0, r.Now()
	for pos := range r.sample(r.count(10), 5) {
		positions++
		for _, m := range pos.Legal(nil) {
			if r.late(since, partTime) {
				break
			}
			r.asked++
			pos.Play(m)
			_ = pos.Outcome()
			pos.Undo()
			moves++
		}
	}
	return pass("%d moves of %d positions are taken", moves, positions)
}

// refused sends moves that are not legal: those of other positions, and none at all.
func (r *rulesRun) refused() outcome {
	const hint = "arena sends none, but other hosts may: answer the queries with \"response invalid WHY\""
	pool := []string{"zz99", "0000"}
	for _, line := range r.lines {
		for _, m := range line {
			if !slices.Contains(pool, m) && len(pool) < 200 {
				pool = append(pool, m)
			}
		}
	}
	tried, since, taken := 0, r.Now(), ""
	for pos, line := range r.sample(r.count(5), 3) {
		_, legal := told(pos)
		for _, m := range pool {
			if slices.Contains(legal, m) {
				continue
			}
			if r.late(since, partTime) {
				break
			}
			r.asked++
			if _, err := pos.ParseMove(m); err == nil || strings.HasSuffix(err.Error(), ": ") {
				return fail("", "%s is no legal move after %q, and it is taken, or refused without a reason", m, strings.Join(line, " "))
			}
			tried++
		}
		m := pool[r.rng.IntN(len(pool))]
		if slices.Contains(legal, m) || taken != "" {
			continue
		}
		refused, err := r.game.Refuses(pos, m)
		if err != nil {
			_ = r.close() // it is gone, or as good as that
			return warn(hint, "a position line with the move %s, which is not legal, ends it: %v", m, err)
		}
		if !refused {
			taken = m
		}
	}
	if taken != "" {
		return warn(hint, "%d of other positions, and of none, are refused; but a position line with the move %s, which is not legal, is taken", tried, taken)
	}
	return pass("%d of other positions, and of none, are refused", tried)
}

// positions reads the texts of positions back.
func (r *rulesRun) positions() outcome {
	if !slices.Contains(r.game.Offered(), "fen") {
		return skip("it does not write positions down")
	}
	n := 0
	for pos := range r.sample(r.count(10), 8) {
		n++
		text := pos.String()
		back, err := r.game.Parse(text)
		var broken *engine.RulesError
		switch {
		case errors.As(err, &broken):
			panic(broken)
		case err != nil:
			return fail("", "it does not read its own position %q: %v", text, err)
		case back.String() != text || back.Turn() != pos.Turn() || len(back.Legal(nil)) != len(pos.Legal(nil)):
			one, _ := told(pos)
			other, _ := told(back)
			return fail("what the text leaves out, such as repetitions, may not change the legal moves",
				"the position %q is another one when it is read back", text).quoting("written: "+one, "read:    "+other)
		}
	}
	return pass("%d are read back as they were written", n)
}

// pace reports what a ply costs.
func (r *rulesRun) pace() outcome {
	plies := 0
	for _, line := range r.lines {
		plies += len(line)
	}
	if plies == 0 {
		return skip("no game was played")
	}
	each := r.spent / time.Duration(plies)
	text := fmt.Sprintf("%v a ply", each.Round(time.Microsecond))
	if each > 20*time.Millisecond || r.replays() {
		return warn("that is what each ply of each game takes longer by; "+r.slowHint(), "%s", text)
	}
	return pass("%s", text)
}

func (r *rulesRun) quit() outcome {
	since := r.Now()
	if err := r.close(); err != nil {
		return fail("", "it cannot be ended: %v", err)
	}
	if took := r.Now().Sub(since); took > rules.Grace*9/10 {
		return warn("leave the program when the line quit comes, and at the end of the input", "it does not end at quit")
	}
	return pass("it ends")
}
