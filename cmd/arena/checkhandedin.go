package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"botarena/arena"
	"botarena/arena/submission"
)

// isHandedIn reports whether a path is checked as what a team hands in to a league: an
// archive, a source file of a compiled language, a folder with a bot.yaml.
func isHandedIn(path string) bool {
	name := strings.ToLower(path)
	for _, end := range []string{".zip", ".tar", ".tar.gz", ".tgz", ".c", ".cc", ".cpp", ".cxx", ".go", ".rs"} {
		if strings.HasSuffix(name, end) {
			return isFile(path)
		}
	}
	return isFile(filepath.Join(path, "bot.yaml"))
}

// handedIn makes a bot of what is handed in, as the host of a league does, in a sandbox if
// that is strict. The bot lies in a folder that is for the caller to remove.
func (a *app) handedIn(ctx context.Context, path string, sandbox arena.Sandbox) (bot arena.Bot, folder string, err error) {
	starter, err := a.newStarter()
	if err != nil {
		return bot, "", err
	}
	defer func() { err = errors.Join(err, starter.Close()) }()
	builder, err := submission.New(ctx, submission.Config{Starter: starter, Path: a.getenv("PATH"), Trusted: sandbox != arena.SandboxStrict})
	if err != nil {
		return bot, "", err
	}
	if folder, err = os.MkdirTemp("", "arena-check-"); err != nil {
		return bot, "", err
	}
	source := filepath.Join(folder, "source")
	if info, statErr := os.Stat(path); statErr == nil && info.IsDir() {
		source, err = filepath.Abs(path)
	} else {
		err = submission.Unpack(ctx, path, path, source, submission.Limits{})
	}
	var plan submission.Plan
	if err == nil {
		plan, err = builder.Plan(source)
	}
	if err == nil && plan.Build != nil {
		fmt.Fprintf(a.err, "building it: %s\n", strings.Join(plan.Build, " "))
	}
	if err == nil {
		bot, _, err = builder.Build(ctx, source, filepath.Join(folder, "built"), plan)
	}
	if refused := new(submission.RefusedError); errors.As(err, &refused) && refused.Log != "" {
		fmt.Fprint(a.err, refused.Log)
	}
	base := filepath.Base(path)
	bot.Name = arena.NameOf([]string{strings.TrimSuffix(base, filepath.Ext(base))})
	return bot, folder, err
}
