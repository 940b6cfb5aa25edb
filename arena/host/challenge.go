package host

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"botarena/arena"
	"botarena/arena/event"
	"botarena/arena/schedule"
	"botarena/arena/store"
	"botarena/engine/nearest"
)

// mostChallenges is the maximum number of waiting challenges of a team.
const mostChallenges = 2

// Challenge has the team's bot play unrated games against a bot of the league, which is
// named by itself or by its team. The error is a *web.RefusedError.
func (h *Host) Challenge(ctx context.Context, team, opponent string, games int) (store.Challenge, error) {
	if h.league.Challenges == 0 {
		return store.Challenge{}, refuse(http.StatusForbidden, "This league has no challenges.")
	}
	if games < 2 || games > h.league.Challenges || games%2 == 1 {
		return store.Challenge{}, refuse(http.StatusBadRequest, "Ask for 2 to %d games, an even number: both bots move first in half of them.", h.league.Challenges)
	}
	own, err := h.playing(ctx, team)
	if err != nil {
		return store.Challenge{}, challengeRefused(err, "Your team has no bot in the league yet; hand one in first.")
	}
	b, err := h.playing(ctx, opponent)
	if err != nil {
		bots, listErr := h.bots(ctx)
		if listErr != nil {
			return store.Challenge{}, listErr
		}
		names := arena.Names((&arena.Event{Bots: bots}).Playing())
		return store.Challenge{}, challengeRefused(err, fmt.Sprintf("There is no bot %q in the league; %s", opponent, nearest.Hint(opponent, names, "there are "+strings.Join(names, ", ")+".")))
	}
	if own.Name == b.Name {
		return store.Challenge{}, refuse(http.StatusUnprocessableEntity, "A bot cannot challenge itself; name another one.")
	}
	c, err := h.store.AddChallenge(ctx, store.Challenge{League: h.league.Name, Team: team, Opponent: b.Name, Games: games}, mostChallenges)
	var quota *store.QuotaError
	if errors.As(err, &quota) {
		return c, refuse(http.StatusTooManyRequests, "%d challenges of your team are not over yet; wait for one to end.", mostChallenges)
	}
	h.rouse()
	return c, err
}

// challengeRefused converts the error of an unknown bot to a refusal, and returns
// others unchanged.
func challengeRefused(err error, why string) error {
	var unknown *store.UnknownBotError
	if errors.As(err, &unknown) {
		return refuse(http.StatusUnprocessableEntity, "%s", why)
	}
	return err
}

// challenge plays the oldest challenge that is not over, and reports whether there was one.
func (h *Host) challenge(ctx context.Context) (bool, error) {
	list, err := h.store.Challenges(ctx, h.league.Name, "")
	if err != nil {
		return false, err
	}
	slices.Reverse(list)
	i := slices.IndexFunc(list, func(c store.Challenge) bool { return c.Ended.IsZero() })
	if i < 0 {
		return false, nil
	}
	c := list[i]
	err = h.playChallenge(ctx, &c)
	var unknown *store.UnknownBotError
	switch {
	case ctx.Err() != nil:
		return true, ctx.Err()
	case err == nil || errors.Is(err, event.ErrFinished):
		c.State = store.ChallengeEnded
	case errors.As(err, &unknown):
		c.State, c.Reason = store.ChallengeFails, fmt.Sprintf("%s plays no more.", unknown.Name)
	case fatal(err): // by a version that came meanwhile, or a bot that does not start
		c.State, c.Reason = store.ChallengeFails, firstLine(err.Error())
	default:
		return true, fmt.Errorf("challenge %d: %w", c.ID, err)
	}
	return true, h.store.SetChallenge(context.WithoutCancel(ctx), c)
}

// playChallenge plays a challenge in an event of its own, which no rating counts.
func (h *Host) playChallenge(ctx context.Context, c *store.Challenge) error {
	own, err := h.playing(ctx, c.Team)
	if err != nil {
		return err
	}
	other, err := h.playing(ctx, c.Opponent)
	if err != nil {
		return err
	}
	c.Event, c.State = fmt.Sprintf("%s challenge %d", h.league.Name, c.ID), store.ChallengePlays
	if err := h.store.SetChallenge(ctx, *c); err != nil {
		return err
	}
	e := h.sideEvent(c.Event, schedule.FormatMatch, own, other)
	e.Rounds, e.Concurrency, e.Pin, e.MaxFaults = c.Games/2, 1, h.sidePin(), 0
	r := h.sideRunner()
	r.Workers, r.Recall = nil, nil
	r.Observe = h.archiving(ctx, e.Name)
	_, err = r.Run(ctx, e, event.Options{Soft: ctx.Done()})
	return err
}

// archiving returns an observer that leaves an event out of tables over several events once
// it is there.
func (h *Host) archiving(ctx context.Context, name string) func(event.Update) {
	archived := false
	return func(event.Update) { // the first one comes when the event is there
		archived = archived || h.store.Archive(ctx, name, true) == nil
	}
}

// sideEvent returns an event with the league's game and clock, other bots, and without
// its limits.
func (h *Host) sideEvent(name string, format arena.Format, bots ...arena.Bot) arena.Event {
	e := h.league.Event
	e.Name, e.Format, e.League, e.Bots = name, format, "", nil
	e.Ladder, e.Rounds, e.Cycles = arena.Ladder{Choose: "information"}, 1, 1
	for _, b := range bots {
		b.Replaces, b.Withdrawn = nil, false
		e.Bots = append(e.Bots, b)
	}
	return e
}
