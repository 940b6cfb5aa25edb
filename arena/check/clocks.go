package check

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/session"
	"botarena/protocol"
)

// Margin is how far a bot may overstep its clock, as in a game whose clock names no
// margin.
const Margin = 50 * time.Millisecond

// timing is a clock and the number of moves played by it.
type timing struct {
	name  string
	clock arena.TimeControl
	moves int
}

func timings(quick bool) []timing {
	list := []timing{
		{"100ms a move", arena.TimeControl{Move: 100 * time.Millisecond}, 5},
		{"20ms a move", arena.TimeControl{Move: 20 * time.Millisecond}, 10},
		{"1s+50ms", arena.TimeControl{Base: time.Second, Increment: 50 * time.Millisecond}, 12},
		{"5 moves in 500ms", arena.TimeControl{Base: 500 * time.Millisecond, Moves: 5}, 12},
	}
	if quick {
		for i := range list {
			list[i].moves = list[i].moves/2 + 1
		}
	}
	return list
}

// A played holds how a bot kept one clock.
type played struct {
	slowest time.Duration // of its moves
	over    time.Duration // the most that it took beyond its clock; negative where it kept it
	left    time.Duration // of what it had then
	mark    int           // where the dialogue of that move begins
}

// timeKeeping plays some moves by each of several clocks. A bot that oversteps
// gets a second chance, since the machine may have been busy.
func (r *run) timeKeeping() outcome {
	var parts []string
	var late outcome // the last one that is no pass
	for _, t := range timings(r.Quick) {
		var p played
		var err error
		for try := range 2 {
			if err = r.ready(); err != nil {
				return r.broken(err)
			}
			p, err = r.byClock(t)
			if err != nil && !errors.Is(err, arena.ErrTimeout) {
				return r.broken(fmt.Errorf("%s: %w", t.name, err))
			}
			if err == nil && p.over <= Margin {
				break
			}
			took := fmt.Sprintf("%.3f s instead of %.3f", (p.left + p.over).Seconds(), p.left.Seconds())
			if err != nil {
				took = fmt.Sprintf("no move within %.1f s instead of %.3f", (p.left + overtime).Seconds(), p.left.Seconds())
			}
			if busy := r.busy(); try > 0 && busy != "" {
				return warn("the machine may be why: check again when it has nothing else to do", "%s: %s, twice, but %s", t.name, took, busy).
					quoting(r.session.since(p.mark)...)
			}
			if try > 0 {
				return fail("leave a reserve for the way to the referee, and look at the clock while you search", "%s: %s: a loss on time (margin %v)", t.name, took, Margin)
			}
			late = warn("if the machine was not busy, leave a larger reserve", "%s: %s once, and in time when asked again", t.name, took).
				quoting(r.session.since(p.mark)...)
			r.close()
		}
		parts = append(parts, fmt.Sprintf("%s: slowest %.3f s", t.name, p.slowest.Seconds()))
		if p.over > Margin/2 && late.status == "" {
			late = warn("leave a larger reserve: a busier machine would make it a loss", "%s: %.3f s beyond the clock, forgiven by the margin of %v", t.name, p.over.Seconds(), Margin).
				quoting(r.session.since(p.mark)...)
		}
	}
	if late.status != "" {
		return late
	}
	return pass("%s", strings.Join(parts, "; "))
}

// busy describes the machine's other load, "" if it is low.
func (r *run) busy() string {
	if r.Busy == nil {
		return ""
	}
	return r.Busy()
}

// overtime limits the wait for a late answer, to report how late it is.
const overtime = 6 * time.Second

// byClock plays moves against random ones.
func (r *run) byClock(t timing) (played, error) {
	s := r.session
	random := r.random(TimeKeeping + t.name)
	worst := played{over: -time.Hour}
	var path *session.Path
	var timers *session.Timers
	for range t.moves {
		if path == nil || path.Position.Outcome().Over {
			path, timers = session.NewPath(r.report.Game), session.NewTimers([2]arena.TimeControl{t.clock, t.clock})
			if err := s.NewGame(r.ctx, r.within(readyTime)); err != nil {
				return worst, fmt.Errorf("new game: %w", err)
			}
		}
		side := path.Position.Turn()
		left := timers[side].Allowance()
		mark := s.mark()
		a, err := r.move(path, timers.Limits(side), r.within(left+overtime), random)
		over := a.Time - left
		if err != nil || over > worst.over {
			worst.over, worst.left, worst.mark = over, left, mark
		}
		worst.slowest = max(worst.slowest, a.Time)
		if err != nil || worst.over > Margin {
			return worst, err
		}
		timers[side].Spend(a.Time)
		playRandom(path, random)
	}
	return worst, nil
}

// memory plays short games and looks at the memory after each.
func (r *run) memory() outcome {
	const budget = 6 * time.Second
	want := count(100, r.Quick)
	s := r.session
	if o, ok := s.Declared.Options.Find("Hash"); ok && o.Type == protocol.Spin && o.Min > 0 {
		// A table that fills up looks like a leak.
		if err := s.SetOption(r.ctx, o, strconv.FormatInt(o.Min, 10), r.within(readyTime)); err != nil {
			return r.broken(fmt.Errorf("option Hash at its min: %w", err))
		}
	}
	random := r.random(Memory)
	var sizes []int64
	why := "not on this platform"
	start := r.Now()
	games := 0
	for games < want && r.Now().Sub(start) < budget {
		r.mark = s.mark()
		if err := s.NewGame(r.ctx, r.within(readyTime)); err != nil {
			return r.broken(fmt.Errorf("game %d: %w", games+1, err))
		}
		path := session.NewPath(r.report.Game)
		for moves := 0; moves < 10 && !path.Position.Outcome().Over; moves++ {
			if _, err := r.move(path, protocol.GoParams{MoveTime: time.Millisecond}, r.within(moveTime), random); err != nil {
				return r.broken(fmt.Errorf("game %d: %w", games+1, err))
			}
			playRandom(path, random)
		}
		games++
		if r.Resident == nil {
			continue
		}
		size, err := r.Resident(s.Process.PID())
		if err != nil {
			why = err.Error()
			continue
		}
		sizes = append(sizes, size)
	}
	if len(sizes) == 0 {
		return pass("%d games; memory is not measured: %s", games, why)
	}
	text := fmt.Sprintf("%s after the first of %d games, %s after the last", mebibytes(sizes[0]), games, mebibytes(sizes[len(sizes)-1]))
	none := []string{} // the dialogue shows nothing of it
	switch {
	case slices.Max(sizes) > 2<<30:
		return warn("bound your tables by an option such as Hash: games at once share the machine's memory", "%s", text).quoting(none...)
	case grows(sizes):
		return warn("free what belongs to a game when the next begins; a runtime that collects garbage may only not have needed to yet: bound its heap to be sure", "it grows steadily: %s", text).quoting(none...)
	case games < want:
		return warn("heed movetime: it was 1 ms", "%d of %d games in %.1f s; %s", games, want, budget.Seconds(), text).quoting(none...)
	}
	return pass("%s", text)
}

// grows reports whether the sizes, one a game, rise by at least 1 MiB from quarter to
// quarter, not counting the first, in which tables fill.
func grows(sizes []int64) bool {
	if len(sizes) < 40 { // too few to tell a leak from a warm-up
		return false
	}
	quarter := len(sizes) / 4
	var medians [4]int64
	for i := range medians {
		part := slices.Clone(sizes[i*quarter : (i+1)*quarter])
		slices.Sort(part)
		medians[i] = part[len(part)/2]
	}
	const step = 1 << 20
	return medians[2]-medians[1] >= step && medians[3]-medians[2] >= step
}

func mebibytes(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
