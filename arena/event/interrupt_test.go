package event

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Who asks for an end while openings are looked for by slow rules is heard at once,
// whether politely or not.
func TestInterruptedAmongOpenings(t *testing.T) {
	t.Parallel()
	for _, polite := range []bool{true, false} {
		f := setup(t)
		asked := filepath.Join(f.folder, "asked")
		e := f.event(strings.ReplaceAll(`
game: {name: slow, rules: [SELF, slow, ASKED]}
clock: {nodes: 1}
rounds: 1000
openings: {random: 20}
bots: [{name: a, builtin: random}, {name: b, builtin: greedy}]
`, "ASKED", asked))
		ctx, cancel := context.WithCancel(t.Context())
		soft := make(chan struct{})
		whenThere(t, asked, func() {
			if polite {
				close(soft)
			} else {
				cancel()
			}
		})
		ended := make(chan error, 1)
		go func() {
			_, err := f.Run(ctx, e, Options{Soft: soft})
			ended <- err
		}()
		select {
		case err := <-ended:
			if !errors.Is(err, ErrInterrupted) {
				t.Errorf("polite %v: %v", polite, err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("polite %v: it goes on", polite)
		}
		cancel()
	}
}
