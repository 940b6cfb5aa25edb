package event

import (
	"context"
	"reflect"
	"testing"
	"time"

	"botarena/arena/process"
)

// A run that keeps its bots leaves them to the next one, which starts only the new one, and
// whose games are those of bots that were started anew.
func TestKept(t *testing.T) {
	t.Parallel()
	const before, more = `
format: round-robin
concurrency: 1
seed: 1
openings: {random: 2}
bots:
  - {name: a, builtin: random}
  - {name: b, builtin: greedy}
`, "  - {name: c, builtin: random, options: {Seed: 4}}\n"
	anew, kept := setup(t), setup(t)
	var started []*process.Process
	kept.start = func(ctx context.Context, spec process.Spec) (*process.Process, error) {
		p, err := kept.Starter.Start(ctx, spec)
		started = append(started, p)
		return p, err
	}
	between := &Kept{}
	kept.Workers = func(work Work) (Workers, error) {
		work.Kept = between
		return NewLocal(kept.Runner, work)
	}
	for _, f := range []*fixture{anew, kept} {
		f.mustRun(f.event(before), Options{})
	}
	for _, f := range []*fixture{anew, kept} {
		f.mustRun(f.event(before+more), Options{Extend: true})
	}
	if got, want := kept.games("e"), anew.games("e"); len(got) != 6 || !reflect.DeepEqual(got, want) {
		t.Errorf("%d games differ from %d", len(got), len(want))
	}
	if len(started) != 3 {
		t.Errorf("three bots were started %d times", len(started))
	}
	if err := between.Close(time.Second); err != nil {
		t.Error(err)
	}
	for _, p := range started {
		if p.Alive() {
			t.Errorf("%d still runs", p.PID())
		}
	}
}
