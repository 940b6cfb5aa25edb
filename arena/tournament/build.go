package tournament

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"

	"botarena/arena"
)

// build runs the bots' build commands, before their programs are looked at. The
// error is a *BotsError with the end of what the commands said.
func (t *Tournament) build(ctx context.Context, bots []arena.Bot) error {
	var problems []BotProblem
	for _, b := range bots {
		if len(b.Build) == 0 {
			continue
		}
		t.observe(Update{Kind: Building, Text: fmt.Sprintf("building %s: %s", b.Name, strings.Join(b.Build, " "))})
		cmd := exec.CommandContext(ctx, b.Build[0], b.Build[1:]...)
		cmd.Dir = b.Dir
		cmd.Env = append(cmd.Environ(), b.Env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			problems = append(problems, BotProblem{b.Name, fmt.Errorf("build command %q: %w%s", strings.Join(b.Build, " "), err, ending(out))})
		}
	}
	if problems != nil {
		return &BotsError{problems}
	}
	return nil
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

func (t *Tournament) observe(u Update) {
	if t.Observe != nil {
		t.Observe(u)
	}
}
