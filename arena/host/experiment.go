package host

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/event"
	"botarena/arena/schedule"
	"botarena/arena/standings"
	"botarena/arena/store"
	"botarena/arena/submission"
	"botarena/engine/nearest"
)

// Limits of what a team may queue.
const (
	mostExperiments = 50 // of a team that are not over
	mostPriority    = 100
)

// mostAtOnce is the maximum number of experiments that are played side by side.
const mostAtOnce = 4

// KeepBot keeps a file that a team sends to build a bot of an experiment from it. The error is
// a *web.RefusedError, or body's.
func (h *Host) KeepBot(ctx context.Context, team, file string, body io.Reader) (store.ExperimentBot, error) {
	if err := h.mayExperiment(ctx, team); err != nil {
		return store.ExperimentBot{}, err
	}
	if err := h.hasRoom(); err != nil {
		return store.ExperimentBot{}, err
	}
	_, hash, err := h.keep(body)
	return store.ExperimentBot{File: fileName(file), SHA256: hash}, err
}

func (h *Host) mayExperiment(ctx context.Context, team string) error {
	may, err := h.store.MayExperiment(ctx, team)
	if err == nil && !may {
		err = refuse(http.StatusForbidden, "Your team may not queue experiments here; ask the organiser, who allows it by `arena host teams add --experiments`.")
	}
	return err
}

// Experiment queues an experiment of a team, of which Priority, Config and Bots are taken; House
// of a bot names any bot of the league, also a version that was replaced. The error is a
// *web.RefusedError.
func (h *Host) Experiment(ctx context.Context, team string, x store.Experiment) (store.Experiment, error) {
	if err := h.mayExperiment(ctx, team); err != nil {
		return x, err
	}
	if err := checkPriority(x.Priority); err != nil {
		return x, err
	}
	x.League, x.Team = h.league.Name, team
	for i := range x.Bots {
		if err := h.find(ctx, &x.Bots[i]); err != nil {
			return x, err
		}
	}
	err := addBook(&x)
	if err == nil {
		_, err = h.experimentEvent(&x)
	}
	if err != nil {
		return x, refuse(http.StatusUnprocessableEntity, "It cannot be queued: %v", err)
	}
	x, err = h.store.AddExperiment(ctx, x, mostExperiments)
	var quota *store.QuotaError
	if errors.As(err, &quota) {
		return x, refuse(http.StatusTooManyRequests, "%d experiments of your team are not over yet; wait for one to end, or stop one.", quota.Most)
	}
	if err == nil {
		h.config.Log(fmt.Sprintf("%s queued experiment %d, of priority %d", team, x.ID, x.Priority))
		h.rouse()
	}
	return x, err
}

// addBook names the book that came with an experiment in its event, whatever that says of it.
func addBook(x *store.Experiment) error {
	e, err := config.Decode(x.Config)
	if err != nil || e.Openings.File == "" {
		return err
	}
	if x.Book.SHA256 == "" {
		return errors.New("its book did not come with it; send that as the part “book” of the form")
	}
	e.Openings.File, e.Openings.SHA256 = x.Book.File, x.Book.SHA256
	x.Config, err = config.Encode(e)
	return err
}

func checkPriority(p int) error {
	if p < -mostPriority || p > mostPriority {
		return refuse(http.StatusBadRequest, "A priority is a number from %d to %d.", -mostPriority, mostPriority)
	}
	return nil
}

// find finds out what a bot of the league is built from: one of the house stays named.
func (h *Host) find(ctx context.Context, b *store.ExperimentBot) error {
	if b.House == "" || arena.BotIndex(h.league.Bots, b.House) >= 0 {
		return nil
	}
	subs, err := h.store.Submissions(ctx, h.league.Name, "")
	if err != nil {
		return err
	}
	var names []string
	for i := range h.league.Bots {
		names = append(names, h.league.Bots[i].Name)
	}
	for i := range subs { // the newest first: a team's name is that of its newest version
		if sub := &subs[i]; sub.Bot != "" {
			if b.House == sub.Bot || b.House == sub.Team {
				*b = store.ExperimentBot{File: sub.File, SHA256: sub.SHA256}
				return nil
			}
			names = append(names, sub.Bot)
		}
	}
	return refuse(http.StatusUnprocessableEntity, "There is no bot %q in the league, nor a built-in bot, nor a file of yours; %s",
		b.House, nearest.Hint(b.House, names, "the league has "+strings.Join(names, ", ")))
}

// experimentEvent returns the event that an experiment is played as. What concerns the
// machine is the host's, not the team's.
func (h *Host) experimentEvent(x *store.Experiment) (arena.Event, error) {
	e, err := config.Decode(x.Config)
	switch {
	case err != nil:
		return e, err
	case e.Rules != nil:
		return e, errors.New("rules of your own do not travel to a host; leave --rules out")
	case e.Openings.Balanced != nil:
		return e, errors.New("balanced openings are not looked for on a host; make a book of them (arena openings make), or use --random")
	case len(e.Bots) != len(x.Bots):
		return e, fmt.Errorf("%d bots play, and it is said of %d where they come from", len(e.Bots), len(x.Bots))
	case e.Format == schedule.FormatLadder:
		return e, errors.New("a ladder has no end; queue a match or a test")
	}
	if book := &e.Openings; book.File != "" { // its ending says what it is
		book.File = filepath.Join(h.experimentDir(x), "book"+filepath.Ext(book.File))
	}
	e.Name = ExperimentName(h.league.Name, x.ID)
	e.League, e.Concurrency, e.Pin, e.LogProtocol, e.Scale = "", h.league.Concurrency, arena.PinOff, false, ""
	e.Grace, e.Handshake = h.league.Grace, h.league.Handshake
	if e.Game == h.league.Game {
		e.Rules = h.league.Rules
	}
	for i := range e.Bots {
		if e.Bots[i], err = h.experimentBot(&e.Bots[i], x, i); err != nil {
			return e, err
		}
	}
	return e, schedule.Validate(&e, arena.Known{Catalog: h.config.Runner.Catalog})
}

// ExperimentName returns the name of the event of an experiment.
func ExperimentName(league string, id int64) string {
	return fmt.Sprintf("%s experiment %d", league, id)
}

// experimentBot returns a bot of an experiment. Its name has the experiment's number, so
// that nobody's games count as those of another bot.
func (h *Host) experimentBot(asked *arena.Bot, x *store.Experiment, i int) (b arena.Bot, err error) {
	from := &x.Bots[i]
	switch {
	case from.SHA256 != "":
		b = config.DefaultBot()
		b.Command = []string{from.File} // until it is built
		if from.Spec != "" {
			b = arena.Bot{}
			err = json.Unmarshal([]byte(from.Spec), &b)
		}
	case from.House != "":
		at := arena.BotIndex(h.league.Bots, from.House)
		if at < 0 {
			return b, fmt.Errorf("bot %q does not belong to the house any more", from.House)
		}
		b = h.league.Bots[at]
	case asked.Builtin != "":
		b = config.DefaultBot()
		b.Builtin = asked.Builtin
	default:
		return b, fmt.Errorf("bot %q: no file of it was sent", asked.Name)
	}
	ending := fmt.Sprintf(" (%d)", x.ID)
	name := []rune(asked.Name)
	b.Name = strings.TrimSpace(string(name[:min(len(name), arena.MaxName-len(ending))])) + ending
	b.Clock, b.Restart = asked.Clock, asked.Restart
	b.Options = slices.Clone(b.Options)
	for _, o := range asked.Options {
		at := slices.IndexFunc(b.Options, func(p arena.Option) bool { return strings.EqualFold(p.Name, o.Name) })
		if at >= 0 {
			b.Options[at] = o
		} else {
			b.Options = append(b.Options, o)
		}
	}
	return b, err
}

// Prioritize gives an experiment of a team another priority. The error is a *web.RefusedError
// or a *store.ExperimentError.
func (h *Host) Prioritize(ctx context.Context, team string, id int64, priority int) error {
	err := cmp.Or(h.ownExperiment(ctx, team, id), checkPriority(priority))
	if err == nil {
		err = h.store.PrioritizeExperiment(ctx, h.league.Name, id, priority)
	}
	if err == nil {
		h.config.Log(fmt.Sprintf("%s gave experiment %d the priority %d", team, id, priority))
		h.rouse()
	}
	return err
}

// StopExperiment ends an experiment of a team at once; its games stay. The error is a
// *web.RefusedError or a *store.ExperimentError.
func (h *Host) StopExperiment(ctx context.Context, team string, id int64) error {
	err := h.ownExperiment(ctx, team, id)
	if err == nil {
		err = h.store.StopExperiment(ctx, h.league.Name, id, "Stopped by "+team+".")
	}
	if err == nil {
		h.config.Log(fmt.Sprintf("%s stopped experiment %d", team, id))
		h.rouse()
	}
	return err
}

func (h *Host) ownExperiment(ctx context.Context, team string, id int64) error {
	if err := h.mayExperiment(ctx, team); err != nil {
		return err
	}
	x, err := h.store.Experiment(ctx, h.league.Name, id)
	if err == nil && x.Team != team {
		err = refuse(http.StatusForbidden, "Experiment %d is another team's; ask them, or the organiser.", id)
	}
	return err
}

func (h *Host) experimentDir(x *store.Experiment) string {
	return h.path("experiments", strconv.FormatInt(x.ID, 10))
}

// buildExperiment builds the bots of the most urgent experiment that waits for it, and reports
// whether there was one.
func (h *Host) buildExperiment(ctx context.Context) (bool, error) {
	queue, err := h.store.QueuedExperiments(ctx, h.league.Name)
	i := slices.IndexFunc(queue, func(x store.Experiment) bool { return x.State == store.ExperimentWaits })
	if err != nil || i < 0 {
		return false, err
	}
	x := queue[i]
	x.State = store.ExperimentReady
	for i := range x.Bots {
		if x.Bots[i].SHA256 == "" || x.Bots[i].Spec != "" {
			continue
		}
		log, err := h.buildBot(ctx, &x, i)
		var refused *submission.RefusedError
		switch {
		case errors.As(err, &refused):
			x.Log = cmp.Or(refused.Log, log)
			return true, h.endExperiment(ctx, x, store.ExperimentFails, fmt.Sprintf("%s: %s", x.Bots[i].File, refused.Reason))
		case err != nil:
			return true, fmt.Errorf("experiment %d: %w", x.ID, err)
		}
	}
	if err := h.layBook(&x); err != nil {
		return true, fmt.Errorf("experiment %d: %w", x.ID, err)
	}
	err = h.store.SetExperiment(ctx, x)
	h.rouse()
	return true, err
}

// layBook puts the book of an experiment, if it has one, where its event looks for it.
func (h *Host) layBook(x *store.Experiment) error {
	e, err := h.experimentEvent(x)
	if err != nil || e.Openings.File == "" { // playing it says what is wrong
		return nil //nolint:nilerr // see there
	}
	if err := os.MkdirAll(h.experimentDir(x), 0o700); err != nil {
		return err
	}
	err = os.Link(h.path("files", e.Openings.SHA256), e.Openings.File)
	if errors.Is(err, fs.ErrExist) { // the host was killed since
		err = nil
	}
	return err
}

// buildBot builds a bot of an experiment, in a folder that no other bot sees.
func (h *Host) buildBot(ctx context.Context, x *store.Experiment, i int) (log string, err error) {
	b, dir := &x.Bots[i], h.experimentDir(x)
	files := fmt.Sprintf("%s/%d", dir, i+1)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	if err := submission.Unpack(ctx, h.path("files", b.SHA256), b.File, files, h.league.Unpacked()); err != nil {
		return "", err
	}
	plan, err := h.config.Builder.Plan(files)
	if err != nil {
		return "", err
	}
	b.Spec, log, err = h.build(ctx, files, files+".built", plan, "", b.SHA256)
	return log, err
}

// experiment plays an experiment that is to be played now and is not yet, and reports whether
// there was one.
func (h *Host) experiment(ctx context.Context) (bool, error) {
	x, err := h.takeExperiment(ctx)
	if err != nil || x == nil {
		return false, err
	}
	defer h.leaveExperiment(x)
	e, err := h.experimentEvent(x)
	if err != nil {
		return true, h.endExperiment(ctx, *x, store.ExperimentFails, err.Error())
	}
	x.Event, x.State = e.Name, store.ExperimentPlays
	if err := h.store.SetExperiment(ctx, *x); err != nil {
		return true, err
	}
	err = h.playExperiment(ctx, x, e)
	var full *store.FullError
	var held *store.HeldError
	switch {
	case ctx.Err() != nil:
		return true, ctx.Err()
	case errors.Is(err, event.ErrInterrupted): // stopped, or others are more urgent
		return true, nil
	case errors.As(err, &full), errors.As(err, &held):
		return true, fmt.Errorf("experiment %d: %w", x.ID, err)
	case err != nil && !errors.Is(err, event.ErrFinished):
		return true, h.endExperiment(ctx, *x, store.ExperimentFails, err.Error())
	}
	o, err := standings.NewOutcome(ctx, h.store, h.config.Runner.Catalog, e.Name)
	if err == nil && o.Test != nil {
		x.Verdict = string(o.Test.Verdict)
	}
	return true, errors.Join(err, h.endExperiment(ctx, *x, store.ExperimentEnded, ""))
}

// takeExperiment returns an experiment that is to be played now and is not yet, nil for none.
func (h *Host) takeExperiment(ctx context.Context) (*store.Experiment, error) {
	h.taking.Lock()
	defer h.taking.Unlock()
	due, err := h.due(ctx)
	i := slices.IndexFunc(due, func(x store.Experiment) bool { return !h.taken[x.ID] })
	if err != nil || i < 0 {
		return nil, err
	}
	h.taken[due[i].ID] = true
	return &due[i], nil
}

func (h *Host) leaveExperiment(x *store.Experiment) {
	h.taking.Lock()
	defer h.taking.Unlock()
	delete(h.taken, x.ID)
}

// due returns the experiments that are to be played now: of those whose bots are built, the
// oldest ones of the highest priority.
func (h *Host) due(ctx context.Context) ([]store.Experiment, error) {
	queue, err := h.store.QueuedExperiments(ctx, h.league.Name)
	queue = slices.DeleteFunc(queue, func(x store.Experiment) bool { return x.State == store.ExperimentWaits })
	n := 0
	for n < min(len(queue), mostAtOnce) && queue[n].Priority == queue[0].Priority {
		n++
	}
	return queue[:n], err
}

// playExperiment plays an experiment until its end, until it is stopped, or until others are
// more urgent, once its games in progress have ended. The error is event.ErrInterrupted for
// the last two.
func (h *Host) playExperiment(ctx context.Context, x *store.Experiment, e arena.Event) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	pause := make(chan struct{})
	go func() {
		for paused := false; ctx.Err() == nil; {
			h.mu.Lock()
			wake := h.wake
			h.mu.Unlock()
			now, err := h.store.Experiment(ctx, h.league.Name, x.ID)
			due, dueErr := h.due(ctx)
			switch {
			case errors.Join(err, dueErr) != nil: // asked again
			case now.Over():
				cancel()
			case !paused && !slices.ContainsFunc(due, func(o store.Experiment) bool { return o.ID == x.ID }):
				paused = true
				close(pause)
			}
			select {
			case <-wake:
			case <-time.After(lookEvery):
			case <-ctx.Done():
			}
		}
	}()
	r := *h.config.Runner
	p := new(party)
	r.Observe, r.Workers = h.archiving(ctx, e.Name), h.workers(p)
	defer h.slots.open(p)()
	_, err := r.Run(ctx, e, event.Options{Soft: ctx.Done(), Break: pause})
	return err
}

func (h *Host) endExperiment(ctx context.Context, x store.Experiment, state, reason string) error {
	x.State, x.Reason = state, reason
	if err := h.store.SetExperiment(context.WithoutCancel(ctx), x); err != nil {
		return err
	}
	h.rouse() // another one may be due
	h.config.Log(fmt.Sprintf("experiment %d of %s has %s", x.ID, x.Team, strings.TrimSpace(state+" "+cmp.Or(x.Verdict, firstLine(reason)))))
	return os.RemoveAll(h.experimentDir(&x))
}

// tidyExperiments deletes the bots of experiments that were stopped.
func (h *Host) tidyExperiments(ctx context.Context) error {
	entries, err := os.ReadDir(h.path("experiments"))
	for _, entry := range entries {
		id, _ := strconv.ParseInt(entry.Name(), 10, 64)
		x, findErr := h.store.Experiment(ctx, h.league.Name, id)
		var unknown *store.ExperimentError
		if findErr == nil && x.Over() || errors.As(findErr, &unknown) {
			err = errors.Join(err, os.RemoveAll(h.path("experiments", entry.Name())))
		}
	}
	return err
}
