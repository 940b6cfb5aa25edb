package store

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

func token(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}

// teams opens a database with teams, whose tokens are their names.
func teams(t *testing.T, names ...string) *Store {
	t.Helper()
	s := openTest(t)
	for _, name := range names {
		must(t, s.AddTeam(t.Context(), name, token(name)))
	}
	return s
}

func handIn(t *testing.T, s *Store, team string) Submission {
	t.Helper()
	sub, err := s.AddSubmission(t.Context(), Submission{League: "cup", Team: team, File: "bot.py", Size: 12, SHA256: "ab"}, 0, time.Time{})
	must(t, err)
	return sub
}

// advance brings a submission as far as the given step.
func advance(t *testing.T, s *Store, sub Submission, to Step) Submission {
	t.Helper()
	for sub.Pending() && sub.State != string(to) {
		step := sub.Next()
		must(t, s.BeginStep(t.Context(), sub.ID, step))
		sub.State = string(step)
		if step == Entered {
			sub.Bot = fmt.Sprintf("%s %d", sub.Team, sub.Number)
		}
		must(t, s.EndStep(t.Context(), sub, step, "log of "+string(step)))
	}
	sub, err := s.Submission(t.Context(), sub.League, sub.Team, sub.Number)
	must(t, err)
	return sub
}

// A team has one token, which is revoked once; a new one takes its place.
func TestTeams(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), teams(t, "owls", "foxes")
	if err := s.AddTeam(ctx, "Owls", token("x")); !errors.Is(err, ErrTeamExists) {
		t.Errorf("added twice: %v", err)
	}
	if team, err := s.TeamOf(ctx, token("owls")); err != nil || team != "owls" {
		t.Errorf("%q, %v", team, err)
	}
	must(t, s.RevokeTeam(ctx, "owls"))
	if _, err := s.TeamOf(ctx, token("owls")); !errors.Is(err, ErrToken) {
		t.Errorf("a revoked token: %v", err)
	}
	var unknown *UnknownTeamError
	if err := s.RevokeTeam(ctx, "owls"); !errors.As(err, &unknown) || !unknown.Revoked {
		t.Error(err)
	}
	if err := s.RevokeTeam(ctx, "fxes"); !errors.As(err, &unknown) || unknown.Revoked || unknown.Nearest != "foxes" {
		t.Error(err)
	}
	must(t, s.AddTeam(ctx, "owls", token("again")))
	if team, err := s.TeamOf(ctx, token("again")); err != nil || team != "owls" {
		t.Errorf("%q, %v", team, err)
	}
	if _, err := s.TeamOf(ctx, token("owls")); !errors.Is(err, ErrToken) {
		t.Errorf("the old token: %v", err)
	}
	list, err := s.Teams(ctx)
	if err != nil || len(list) != 2 || list[0].Name != "foxes" || !list[1].Revoked.IsZero() || list[1].Created.IsZero() {
		t.Errorf("%+v, %v", list, err)
	}
}

// A submission goes step by step; each keeps its log, and one that was begun twice, as
// after a crash, is one step.
func TestSubmissionSteps(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), teams(t, "owls", "foxes")
	sub := handIn(t, s, "owls")
	if sub.Number != 1 || sub.State != string(Received) || sub.Next() != Unpacked || len(sub.Steps) != 1 || !sub.Steps[0].OK {
		t.Fatalf("%+v", sub)
	}
	must(t, s.BeginStep(ctx, sub.ID, Unpacked))
	must(t, s.BeginStep(ctx, sub.ID, Unpacked))
	sub.State, sub.Language, sub.Spec = string(Unpacked), "python", "{}"
	must(t, s.EndStep(ctx, sub, Unpacked, strings.Repeat("x", maxLog)+"\xffend"))
	sub, err := s.Submission(ctx, "cup", "owls", 1)
	must(t, err)
	if sub.Language != "python" || sub.Spec != "{}" || len(sub.Steps) != 2 || !strings.HasSuffix(sub.Steps[1].Log, "\uFFFDend") || len(sub.Steps[1].Log) > maxLog+2 {
		t.Fatalf("%+v", sub)
	}
	// What ended once is not ended again: by a second worker, say.
	other := sub
	other.State, other.Reason = Refused, "late"
	must(t, s.EndStep(ctx, other, Unpacked, "late"))
	if sub = advance(t, s, sub, Entered); sub.State != string(Entered) || sub.Bot != "owls 1" || len(sub.Steps) != 6 || sub.Pending() {
		t.Fatalf("%+v", sub)
	}
	if pending, err := s.PendingSubmissions(ctx, "cup"); err != nil || len(pending) != 0 {
		t.Errorf("%+v, %v", pending, err)
	}

	second := handIn(t, s, "owls")
	must(t, s.BeginStep(ctx, second.ID, Unpacked))
	second.State, second.Refused, second.Reason = Refused, Unpacked, "it is empty; hand in a program"
	must(t, s.EndStep(ctx, second, Unpacked, ""))
	if sub, err = s.Submission(ctx, "cup", "owls", 1); err != nil || sub.State != string(Entered) {
		t.Errorf("the last good one: %+v, %v", sub, err)
	}
	advance(t, s, handIn(t, s, "foxes"), Entered)
	if third := advance(t, s, handIn(t, s, "owls"), Entered); third.Number != 3 {
		t.Errorf("%+v", third)
	}
	list, err := s.Submissions(ctx, "cup", "owls")
	if err != nil || len(list) != 3 || list[0].Number != 3 || list[1].State != Refused || list[1].Refused != Unpacked || list[2].State != Replaced {
		t.Errorf("%+v, %v", list, err)
	}
	for bot, plays := range map[string]bool{"owls 3": true, "owls 1": false} {
		if benched, err := s.Bench(ctx, "cup", bot, "it crashed ten times"); err != nil || benched != plays {
			t.Errorf("%s: %v, %v", bot, benched, err)
		}
	}
	all, err := s.Submissions(ctx, "cup", "")
	if err != nil || len(all) != 4 || all[0].State != Benched || all[0].Reason != "it crashed ten times" || all[1].State != string(Entered) || all[3].State != Replaced {
		t.Errorf("%+v, %v", all, err)
	}
	var unknown *UnknownSubmissionError
	if _, err := s.Submission(ctx, "cup", "owls", 9); !errors.As(err, &unknown) {
		t.Error(err)
	}
	if other, err := s.Submissions(ctx, "spring", ""); err != nil || len(other) != 0 {
		t.Errorf("of another league: %+v, %v", other, err)
	}
}

// Two submissions at once get numbers of their own, and no more than the limit.
func TestSubmissionQuota(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), teams(t, "owls")
	since := time.Now().Add(-time.Hour)
	var done sync.WaitGroup
	var mu sync.Mutex
	numbers, refused := map[int]bool{}, 0
	for range 8 {
		done.Go(func() {
			sub, err := s.AddSubmission(ctx, Submission{League: "cup", Team: "owls", File: "a"}, 5, since)
			mu.Lock()
			defer mu.Unlock()
			var quota *QuotaError
			if errors.As(err, &quota) && quota.Most == 5 {
				refused++
			} else if err == nil {
				numbers[sub.Number] = true
			}
		})
	}
	done.Wait()
	if len(numbers) != 5 || refused != 3 {
		t.Errorf("%v, %d refused", numbers, refused)
	}
	if _, err := s.AddSubmission(ctx, Submission{League: "cup", Team: "owls", File: "a"}, 5, time.Now().Add(time.Hour)); err != nil {
		t.Errorf("the next day: %v", err)
	}
	var unknown *UnknownTeamError
	if _, err := s.AddSubmission(ctx, Submission{League: "cup", Team: "owl"}, 5, since); !errors.As(err, &unknown) || unknown.Nearest != "owls" {
		t.Error(err)
	}
}

func TestChallenges(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), teams(t, "owls", "foxes")
	c, err := s.AddChallenge(ctx, Challenge{League: "cup", Team: "owls", Opponent: "greedy", Games: 4}, 1)
	if err != nil || c.ID == 0 || c.State != ChallengeWaits {
		t.Fatalf("%+v, %v", c, err)
	}
	var quota *QuotaError
	if _, err := s.AddChallenge(ctx, c, 1); !errors.As(err, &quota) {
		t.Error(err)
	}
	c.Event, c.State = "cup challenge 1", ChallengePlays
	must(t, s.SetChallenge(ctx, c))
	if list, err := s.Challenges(ctx, "cup", "owls"); err != nil || len(list) != 1 || list[0] != c {
		t.Errorf("%+v, %v", list, err)
	}
	c.State = ChallengeEnded
	must(t, s.SetChallenge(ctx, c))
	if list, err := s.Challenges(ctx, "cup", ""); err != nil || len(list) != 1 || list[0].Ended.IsZero() {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := s.AddChallenge(ctx, c, 1); err != nil {
		t.Error(err)
	}
	if list, err := s.Challenges(ctx, "cup", "foxes"); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}
