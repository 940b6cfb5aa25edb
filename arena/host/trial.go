package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/event"
	"botarena/arena/live"
	"botarena/arena/schedule"
	"botarena/arena/store"
	"botarena/arena/submission"
)

const (
	trialTwin = "its twin"
	trialMove = 100 * time.Millisecond // the longest a move, or increment
	trialBase = 5 * time.Second        // the longest a game
	longTrial = 10 * time.Minute
)

var errLongTrial = errors.New("the trial has taken its time")

// trialEvent returns the event in which a bot plays a pair of games against itself, and one
// against a bot of the house, by a clock of the league's kind that is not long.
func (h *Host) trialEvent(bot arena.Bot) arena.Event {
	e := config.Default()
	e.Name, e.Format = "trial", schedule.FormatGauntlet
	e.Game, e.Rules, e.Openings, e.MaxPlies, e.Seed = h.league.Game, h.league.Rules, h.league.Openings, h.league.MaxPlies, h.league.Seed
	e.Handshake, e.Concurrency, e.Pin, e.MaxFaults = h.league.Handshake, 1, h.sidePin(), 0
	e.Clock = h.league.Clock
	if c := &e.Clock; c.Move > trialMove {
		*c = c.Scaled(float64(trialMove) / float64(c.Move))
	} else if long := max(float64(c.Base)/float64(trialBase), float64(c.Increment)/float64(trialMove)); long > 1 {
		*c = c.Scaled(1 / long)
	}
	twin := bot
	twin.Name = trialTwin
	e.Bots = []arena.Bot{bot, twin}
	if len(h.league.Bots) > 0 {
		e.Bots = append(e.Bots, h.league.Bots[0])
	}
	return e
}

// sidePin and sideRunner have games beside the ladder played on the spare CPUs alone.
func (h *Host) sidePin() arena.Pin {
	if h.config.Spare == nil {
		return arena.PinOff
	}
	return arena.PinAuto
}

func (h *Host) sideRunner() event.Runner {
	r := *h.config.Runner
	if h.config.Spare != nil {
		r.CPUs = h.config.Spare
	}
	return r
}

// try plays the trial games of a bot and returns their outcome. A fault in one of them
// is a refusal; losses on time are one where most games end so, since the machine is
// busy with other games. Of games that take too long, those that have ended count.
func (h *Host) try(ctx context.Context, sub *store.Submission, bot arena.Bot) (log string, err error) {
	dir := h.path("work", "trial-"+strconv.FormatInt(sub.ID, 10))
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	st, err := store.Open(ctx, filepath.Join(dir, "trial.db"), h.config.Runner.Now)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	var said strings.Builder
	r := h.sideRunner()
	r.Store, r.LogDir, r.Runtime, r.Workers, r.Recall, r.Live = st, "", "", nil, nil, (*live.Hub)(nil)
	var faults, late, games int
	var worst string
	r.Observe = func(u event.Update) {
		// Warnings are about the trial and the machine: the team can do nothing about them.
		if u.Kind == event.GameFinished {
			games++
			what := fmt.Sprintf("%s - %s: %s, %s", u.Game.First, u.Game.Second, u.Game.Result, u.Game.Reason)
			if u.Game.Detail != "" {
				what += ": " + u.Game.Detail
			}
			fmt.Fprintf(&said, "game %d: %s (%d plies)\n", u.Game.Number, what, u.Game.Plies)
			switch own := u.Game.Blame == bot.Name || u.Game.Blame == trialTwin; {
			case !own:
			case u.Game.Reason == arena.TimeForfeit:
				late++
			default:
				faults++
				worst = what
			}
			if worst == "" && late > 0 {
				worst = what
			}
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, h.longTrial, errLongTrial)
	defer cancel()
	_, err = r.Run(ctx, h.trialEvent(bot), event.Options{})
	var bots *event.BotsError
	switch {
	case errors.As(err, &bots):
		for _, p := range bots.Problems {
			if p.Bot == bot.Name || p.Bot == trialTwin {
				return said.String(), &submission.RefusedError{Reason: fmt.Sprintf("It cannot be started for a game: %v.", p.Err)}
			}
		}
		return said.String(), err
	case err != nil && !errors.Is(context.Cause(ctx), errLongTrial):
		return said.String(), err
	case games == 0:
		return said.String(), &submission.RefusedError{Reason: fmt.Sprintf("None of its trial games ended within %v; have it think for a shorter time. Play it against itself with `arena match` to see it.", h.longTrial)}
	case faults > 0, 2*late > games:
		return said.String(), &submission.RefusedError{Reason: fmt.Sprintf("In its trial games it was at fault in %d of %d; %s. Play it against itself with `arena match` to see it.", faults+late, games, worst)}
	}
	return said.String(), nil
}
