package store

import (
	"errors"
	"slices"
	"testing"
)

func queued(t *testing.T, s *Store, team string, priority int) Experiment {
	t.Helper()
	x, err := s.AddExperiment(t.Context(), Experiment{
		League: "cup", Team: team, Priority: priority, Config: []byte("event: x\n"), Bots: []ExperimentBot{{House: "minimax"}, {File: "a.py", SHA256: "ab"}},
	}, 3)
	must(t, err)
	return x
}

// ids returns the numbers of experiments.
func ids(t *testing.T, list []Experiment, err error) (found []int64) {
	t.Helper()
	must(t, err)
	for i := range list {
		found = append(found, list[i].ID)
	}
	return found
}

// A team may queue experiments once it is allowed to, and no more once its token is revoked.
func TestAllowExperiments(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), teams(t, "owls", "foxes")
	may := func(team string, want bool) {
		t.Helper()
		if got, err := s.MayExperiment(ctx, team); err != nil || got != want {
			t.Errorf("%s: %v, %v", team, got, err)
		}
	}
	may("owls", false)
	must(t, s.AllowExperiments(ctx, "owls"))
	may("owls", true)
	may("foxes", false)
	list, err := s.Teams(ctx)
	if must(t, err); !list[1].Experiments || list[0].Experiments {
		t.Errorf("%+v", list)
	}
	must(t, s.RevokeTeam(ctx, "owls"))
	may("owls", false)
	must(t, s.AddTeam(ctx, "owls", token("new")))
	may("owls", false)
	var unknown *UnknownTeamError
	if err := s.AllowExperiments(ctx, "fxes"); !errors.As(err, &unknown) || unknown.Nearest != "foxes" {
		t.Error(err)
	}
}

// Experiments are played by priority, then by age; those that are over change no more.
func TestExperiments(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), teams(t, "owls", "foxes")
	first, second, urgent := queued(t, s, "owls", 0), queued(t, s, "foxes", 0), queued(t, s, "owls", 5)
	if first.State != ExperimentWaits || first.Over() || first.Team != "owls" || string(first.Config) != "event: x\n" || first.Bots[1].SHA256 != "ab" || first.Asked.IsZero() {
		t.Errorf("%+v", first)
	}
	order := func(want ...int64) {
		t.Helper()
		list, err := s.QueuedExperiments(ctx, "cup")
		if got := ids(t, list, err); !slices.Equal(got, want) {
			t.Errorf("the queue is %v, want %v", got, want)
		}
	}
	order(urgent.ID, first.ID, second.ID)
	must(t, s.PrioritizeExperiment(ctx, "cup", second.ID, 9))
	order(second.ID, urgent.ID, first.ID)

	first.State, first.Event, first.Bots[1].Spec = ExperimentPlays, "cup experiment 1", "{}"
	must(t, s.SetExperiment(ctx, first))
	began, err := s.Experiment(ctx, "", first.ID)
	if must(t, err); began.Began.IsZero() || began.Bots[1].Spec != "{}" || began.Event != first.Event {
		t.Errorf("%+v", began)
	}
	first.State, first.Verdict = ExperimentEnded, "accept H1"
	must(t, s.SetExperiment(ctx, first))
	must(t, s.StopExperiment(ctx, "", second.ID, "Stopped by foxes."))
	order(urgent.ID)
	second.State = ExperimentPlays // by a host that has not looked
	must(t, s.SetExperiment(ctx, second))
	stopped, err := s.Experiment(ctx, "cup", second.ID)
	if must(t, err); stopped.State != ExperimentStops || stopped.Reason != "Stopped by foxes." || !stopped.Over() {
		t.Errorf("%+v", stopped)
	}
	list, err := s.EndedExperiments(ctx, "cup", 10)
	if got := ids(t, list, err); !slices.Equal(got, []int64{second.ID, first.ID}) || list[1].Verdict != "accept H1" {
		t.Errorf("%v: %+v", got, list)
	}

	var gone *ExperimentError
	for _, err := range []error{s.StopExperiment(ctx, "cup", first.ID, "x"), s.PrioritizeExperiment(ctx, "cup", first.ID, 1)} {
		if !errors.As(err, &gone) || gone.State != ExperimentEnded {
			t.Errorf("one that is over: %v", err)
		}
	}
	if err := s.StopExperiment(ctx, "other", urgent.ID, "x"); !errors.As(err, &gone) || gone.State != "" {
		t.Errorf("another league's: %v", err)
	}
	queued(t, s, "owls", 0)
	queued(t, s, "owls", 0)
	var quota *QuotaError
	if _, err := s.AddExperiment(ctx, Experiment{League: "cup", Team: "owls"}, 3); !errors.As(err, &quota) {
		t.Errorf("a fourth one: %v", err)
	}
}
