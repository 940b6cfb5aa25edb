package host

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/check"
	"botarena/arena/process"
	"botarena/arena/rules"
	"botarena/arena/session"
	"botarena/arena/store"
	"botarena/arena/submission"
)

// submissionStep brings a submission one step further, and reports whether there was one.
func (h *Host) submissionStep(ctx context.Context) (bool, error) {
	sub, err := h.take(ctx)
	if err != nil || sub == nil {
		return false, err
	}
	defer h.giveBack(sub)
	err = h.advance(ctx, sub)
	if err != nil && ctx.Err() == nil {
		h.mu.Lock()
		h.later[sub.ID] = time.Now().Add(retryAfter)
		h.mu.Unlock()
		err = fmt.Errorf("submission %d of %s: %w", sub.Number, sub.Team, err)
	}
	return true, err
}

// take returns the oldest submission on which something is to be done, of a team of which
// none is worked at: nil for none.
func (h *Host) take(ctx context.Context) (*store.Submission, error) {
	pending, err := h.store.PendingSubmissions(ctx, h.league.Name)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	waits := map[string]bool{} // a team's submissions enter in their order
	for i := range pending {
		sub := &pending[i]
		if at, ok := h.later[sub.ID]; ok && time.Now().Before(at) {
			waits[sub.Team] = true
		}
		if !h.busy[sub.Team] && !waits[sub.Team] {
			h.busy[sub.Team] = true
			return sub, nil
		}
	}
	return nil, nil
}

func (h *Host) giveBack(sub *store.Submission) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.busy, sub.Team)
}

// advance does the next step of a submission. The error is the machine's: the step is tried
// again.
func (h *Host) advance(ctx context.Context, sub *store.Submission) error {
	step := sub.Next()
	if err := h.store.BeginStep(ctx, sub.ID, step); err != nil {
		return err
	}
	said, err := h.do(ctx, sub, step)
	var refused *submission.RefusedError
	switch {
	case ctx.Err() != nil:
		return ctx.Err() // it is begun again
	case err == nil:
		sub.State = string(step)
	case errors.As(err, &refused):
		sub.State, sub.Refused, sub.Reason = store.Refused, step, refused.Reason
		said = cmp.Or(refused.Log, said)
	default:
		return err
	}
	if err := h.store.EndStep(ctx, *sub, step, said); err != nil {
		return err
	}
	switch {
	case sub.State == store.Refused:
		h.config.Log(fmt.Sprintf("%s: number %d is refused (%s): %s", sub.Team, sub.Number, step, firstLine(sub.Reason)))
		return h.remove(sub)
	case step == store.Entered:
		h.config.Log(fmt.Sprintf("%s: number %d enters as %q", sub.Team, sub.Number, sub.Bot))
		h.renew()
	}
	return nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// folder returns the folders of a submission's files, before and after the build.
func (h *Host) folder(sub *store.Submission) (files, built string) {
	files = h.path("bots", sub.Team, strconv.Itoa(sub.Number))
	return files, files + ".built"
}

// remove deletes the files of a submission that plays no more; what was handed in stays.
func (h *Host) remove(sub *store.Submission) error {
	files, built := h.folder(sub)
	return errors.Join(os.RemoveAll(files), os.RemoveAll(built))
}

// do does a step and returns its log. It is begun again from the start where it did not end.
func (h *Host) do(ctx context.Context, sub *store.Submission, step store.Step) (said string, err error) {
	files, built := h.folder(sub)
	switch step {
	case store.Unpacked:
		if err := os.MkdirAll(h.path("bots", sub.Team), 0o700); err != nil {
			return "", err
		}
		if err := submission.Unpack(ctx, h.path("files", sub.SHA256), sub.File, files, h.league.Unpacked()); err != nil {
			return "", err
		}
		plan, err := h.config.Builder.Plan(files)
		sub.Language = plan.Language
		return planned(plan), err
	case store.Built:
		plan, err := h.config.Builder.Plan(files)
		if err != nil {
			return "", err
		}
		sub.Spec, said, err = h.build(ctx, files, built, plan, botName(sub), sub.SHA256)
		return said, err
	case store.Entered:
		sub.Bot = botName(sub)
		return "", nil
	}
	bot, err := specOf(sub)
	if err != nil {
		return "", err
	}
	if step == store.Checked {
		said, err = h.check(ctx, bot)
	} else {
		said, err = h.try(ctx, sub, bot)
	}
	// Where the host keeps its files is not a team's business.
	return strings.NewReplacer(built, ".", files, ".").Replace(said), err
}

// build builds a bot of a team with the league's limits, and returns how it is started, as
// JSON, and what the build said.
func (h *Host) build(ctx context.Context, files, built string, plan submission.Plan, name, hash string) (spec, said string, err error) {
	bot, said, err := h.config.Builder.Build(ctx, files, built, plan)
	if err != nil {
		return "", said, err
	}
	bot.Name, bot.Limits, bot.Version = name, h.league.Limits, hash
	if bot.Sandbox != arena.SandboxStrict {
		bot.Limits.Processes = 0 // it would be of all of the user's, and of root's none
	}
	text, err := json.Marshal(bot)
	return string(text), said, err
}

// planned describes how a submission becomes a bot.
func planned(p submission.Plan) string {
	text := ""
	if p.Language != "" {
		text += "language: " + p.Language + "\n"
	}
	if p.Build != nil {
		text += "build: " + strings.Join(p.Build, " ") + "\n"
	}
	if p.Command != nil { // nor is there one of what is refused
		text += "start: " + strings.Join(p.Command, " ") + "\n"
	}
	return text
}

// check runs the checks of arena check on a bot.
func (h *Host) check(ctx context.Context, bot arena.Bot) (text string, err error) {
	r := h.config.Runner
	game, end, err := h.config.Open(ctx)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, end()) }()
	spec := process.SpecOf(rules.Asking(bot, h.league.Game, h.league.Rules, r.Catalog), r.Executable)
	spec.CPUs = process.IDs(h.config.Spare)
	report, err := check.Run(ctx, check.Config{
		Bot: bot, Now: r.Now, Game: game, Catalog: r.Catalog, Seed: h.league.Seed, Quick: true,
		Handshake: h.league.Handshake, Resident: process.ResidentSet,
		Busy: func() string { return "games are played on it meanwhile" }, // the ladder tells who keeps its time
		Start: func(ctx context.Context, stderr *session.Tail) (session.Process, error) {
			own := spec
			own.Stderr = stderr
			p, err := r.Starter.Start(ctx, own)
			if err != nil {
				return nil, err // a nil *Process must not hide in the interface
			}
			return p, nil
		},
	})
	if err != nil {
		return "", theirs(err)
	}
	var said strings.Builder
	var failed []string
	for i := range report.Results {
		result := &report.Results[i]
		if result.Status == check.Skip { // for what failed above
			continue
		}
		fmt.Fprintf(&said, "%-4s  %-22s  %s\n", result.Status, result.Check, result.Detail)
		for _, line := range result.Lines() {
			fmt.Fprintf(&said, "      %s\n", line)
		}
		if result.Status == check.Fail {
			failed = append(failed, fmt.Sprintf("%s: %s", result.Check, result.Detail))
			if result.Hint != "" {
				failed = append(failed, "hint: "+result.Hint)
			}
		}
	}
	if failed != nil {
		return said.String(), &submission.RefusedError{Reason: "It fails a check that loses games; `arena check` shows the same on your machine.\n" + strings.Join(failed, "\n")}
	}
	return said.String(), nil
}

// theirs makes an error of starting a bot a refusal where the bot's files are to blame.
func theirs(err error) error {
	var (
		missing *process.NotFoundError
		broken  *process.NotExecutableError
		dir     *process.DirError
	)
	if errors.As(err, &missing) || errors.As(err, &broken) || errors.As(err, &dir) {
		return &submission.RefusedError{Reason: fmt.Sprintf("It cannot be started: %v; look at the command in bot.yaml.", err)}
	}
	return err
}

// tidy deletes the files of versions that were replaced, or refused before they were removed,
// a while ago.
func (h *Host) tidy(ctx context.Context) error {
	const while = time.Hour // challenges of the old version may go on
	subs, err := h.store.Submissions(ctx, h.league.Name, "")
	if err != nil {
		return err
	}
	over := []string{store.Replaced, store.Refused}
	for i := range subs {
		if slices.Contains(over, subs[i].State) && h.config.Now().Sub(subs[i].Changed) > while {
			err = errors.Join(err, h.remove(&subs[i]))
		}
	}
	return errors.Join(err, h.tidyExperiments(ctx))
}
