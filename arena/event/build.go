package event

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/process"
)

// defaultBuild limits the duration of a build command unless Patience.Build is set.
const defaultBuild = 10 * time.Minute

// build runs the bots' build commands, before their programs are looked at, until
// soft is closed. The error is a *BotsError with the end of what the commands said.
func (t *Runner) build(ctx context.Context, soft <-chan struct{}, bots []arena.Bot) error {
	ctx, cancel := until(ctx, soft)
	defer cancel()
	var problems []BotProblem
	for _, b := range bots {
		if len(b.Build) == 0 || b.Withdrawn {
			continue
		}
		t.observe(Update{Kind: Building, Text: fmt.Sprintf("building %s: %s", b.Name, strings.Join(b.Build, " "))})
		said, err := t.Starter.Run(ctx, process.Task{
			Spec: process.Spec{Command: b.Build, Dir: b.Dir}, Timeout: cmp.Or(t.Patience.Build, defaultBuild),
		})
		if ctx.Err() != nil {
			return ErrInterrupted
		}
		if err != nil {
			problems = append(problems, BotProblem{b.Name, fmt.Errorf("build command %q: %w%s", strings.Join(b.Build, " "), err, ending(said))})
		}
	}
	if problems != nil {
		return &BotsError{problems}
	}
	return nil
}

// until returns a context that ends with ctx, or when soft is closed.
func until(ctx context.Context, soft <-chan struct{}) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-soft:
			cancel(ErrInterrupted)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// ending quotes the last lines of an output.
func ending(out []byte) string {
	const lines, most = 5, 600
	out = bytes.TrimSpace(out)
	if len(out) == 0 {
		return ""
	}
	list := bytes.Split(out, []byte("\n"))
	text := string(bytes.Join(list[max(0, len(list)-lines):], []byte("\n    ")))
	if len(text) > most {
		text = "..." + strings.ToValidUTF8(text[len(text)-most:], "")
	}
	return "; it said:\n    " + text
}

func (t *Runner) observe(u Update) {
	if t.Observe != nil {
		t.Observe(u)
	}
}
