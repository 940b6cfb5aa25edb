package host

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"botarena/arena/config"
	"botarena/arena/store"
	"botarena/arena/submission"
)

// Trial games are short by any clock of a league.
func TestTrialClock(t *testing.T) {
	for clock, want := range map[string]string{"10s+100ms": "5s+50ms", "5s+5s": "100ms+100ms", "3s+50ms": "3s+50ms", "1s": "100ms", "20ms": "20ms"} {
		h := &Host{config: Config{}, league: &League{}}
		var err error
		if h.league.Clock, err = config.ParseClock(clock); err != nil {
			t.Fatal(err)
		}
		e := h.trialEvent(config.DefaultBot())
		if e.Clock.Margin = h.league.Clock.Margin; config.FormatClock(e.Clock) != want {
			t.Errorf("%s: %s, want %s", clock, config.FormatClock(e.Clock), want)
		}
	}
}

// A bot whose trial games do not end is refused, since it would be tried for ever.
func TestEndlessTrial(t *testing.T) {
	t.Parallel()
	f := setup(t, "host: {}\n")
	h, err := New(f.config)
	f.must(err)
	defer func() { f.must(h.Close()) }()
	h.longTrial = time.Second // a move without a time limit may take a minute
	bot := config.DefaultBot()
	bot.Name, bot.Dir, bot.Command = "owls 1", f.config.Dir, []string{os.Args[0], "bad", "hang"}
	_, err = h.try(t.Context(), &store.Submission{ID: 1}, bot)
	var refused *submission.RefusedError
	if !errors.As(err, &refused) || !strings.HasPrefix(refused.Reason, "None of its trial games ended within 1s") {
		t.Errorf("%v", err)
	}
}
