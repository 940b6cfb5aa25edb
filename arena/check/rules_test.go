package check_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"botarena/arena"
	"botarena/arena/check"
	"botarena/arena/rules"
	"botarena/arena/session"
	"botarena/arena/session/sessiontest"
	"botarena/engine"
	"botarena/engine/games"
)

// replaying is a rules program that plays all moves of a position line again, each of
// which takes it a while.
func replaying(game engine.Game, each time.Duration) func(*sessiontest.Bot, string) {
	pos, bad, plies := game.Start(), false, 0
	return func(b *sessiontest.Bot, line string) {
		first, rest, _ := strings.Cut(line, " ")
		delay := time.Duration(plies) * each
		switch first {
		case "ugi":
			b.Say(0, "id name slow")
			b.Say(0, "ugiok")
		case "isready":
			b.Say(delay, "readyok")
		case "position":
			_, moves, _ := strings.Cut(rest, " moves ")
			pos, bad, plies = game.Start(), false, len(strings.Fields(moves))
			for text := range strings.FieldsSeq(moves) {
				m, err := pos.ParseMove(text)
				if bad = err != nil; bad {
					return
				}
				pos.Play(m)
			}
		case "query":
			out, answer := pos.Outcome(), "unknown"
			fact, _, _ := strings.Cut(rest, " ")
			switch {
			case bad:
				answer = "invalid"
			case fact == "gameover":
				answer = fmt.Sprint(out.Over)
			case fact == "p1turn":
				answer = fmt.Sprint(pos.Turn() == engine.First)
			case fact == "result" && out.Over:
				answer = fmt.Sprintf("p%dwin", out.Winner+1)
			case fact == "result":
				answer = "none"
			case fact == "moves":
				answer = ""
				for _, m := range pos.Legal(nil) {
					answer += " " + string(pos.AppendMove(nil, m))
				}
			}
			b.Say(delay, "response %s", answer)
		}
	}
}

// However slow a program is, its check ends within the limit, says how far it is, and
// names the cause.
func TestSlowRules(t *testing.T) {
	game, err := games.All().Lookup("breakthrough")
	if err != nil {
		t.Fatal(err)
	}
	for _, each := range []time.Duration{2 * time.Millisecond, 30 * time.Millisecond, 100 * time.Millisecond} {
		clock := sessiontest.NewClock()
		began, told := clock.Now(), 0
		report, err := check.Rules(t.Context(), check.RulesConfig{
			Now: clock.Now, Seed: 1, Progress: func(string) { told++ },
			Open: func(ctx context.Context) (*rules.Game, error) {
				b := &sessiontest.Bot{Clock: clock, Answer: replaying(game, each)}
				return rules.Open(ctx, rules.Config{Name: "slow", Command: "slow", Now: clock.Now, Start: func(context.Context, *session.Tail) (session.Process, error) { return b, nil }})
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if took := clock.Now().Sub(began); took > check.Limit {
			t.Errorf("%v a move: it takes %v, over %v", each, took, check.Limit)
		}
		if told == 0 {
			t.Errorf("%v a move: it is silent", each)
		}
		hints := ""
		for _, r := range report.Results {
			if r.Status == check.Fail {
				t.Errorf("%v a move: %s: %s", each, r.Check, r.Detail)
			}
			hints += r.Hint
		}
		if !strings.Contains(hints, "keep the last position with its moves") {
			t.Errorf("%v a move: the hints are %q", each, hints)
		}
	}
}

// A sleepy program takes its time before each line, until it is killed.
type sleepy struct {
	*sessiontest.Bot
	ctx  context.Context
	each time.Duration
}

func (s *sleepy) ReadLine(deadline time.Time) ([]byte, error) {
	select {
	case <-time.After(s.each):
		s.Clock.Time = time.Now()
		return s.Bot.ReadLine(deadline)
	case <-s.ctx.Done():
		return nil, arena.ErrClosed
	}
}

// A program that has each of its answers in time, but only just, is killed at the limit.
func TestRulesEndAtTheLimit(t *testing.T) {
	game, err := games.All().Lookup("breakthrough:4x5")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		report, err := check.Rules(t.Context(), check.RulesConfig{
			Now: time.Now, Seed: 1,
			Open: func(ctx context.Context) (*rules.Game, error) {
				clock := sessiontest.NewClock()
				clock.Time = time.Now()
				b := &sleepy{Bot: &sessiontest.Bot{Clock: clock, Answer: replaying(game, 0)}, ctx: ctx, each: 1500 * time.Millisecond}
				return rules.Open(ctx, rules.Config{Name: "slow", Command: "slow", Now: time.Now, Start: func(context.Context, *session.Tail) (session.Process, error) { return b, nil }})
			},
		})
		if took := time.Since(began); err != nil || took > check.Limit+rules.Grace {
			t.Errorf("it takes %v, over %v: %v", took, check.Limit, err)
		}
		last := report.Results[len(report.Results)-1]
		if len(report.Results) < 3 || last.Status != check.Skip || !strings.Contains(last.Detail, "ends after 1m30s") {
			t.Errorf("%+v", report.Results)
		}
	})
}
