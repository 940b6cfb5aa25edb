//go:build external

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"botarena/arena/standings"
)

// On the real minimax, with the lines that it searches and its reductions put wrong, a
// tuning brings back at least 80 % of the Elo that this costs, by matches against the
// usual values.
func TestExternalTuningOfMinimax(t *testing.T) {
	if testing.Short() {
		t.Skip("it plays for minutes, always the same games: leave -short out")
	}
	const game, clock = "breakthrough:6x6", "nodes=1000"
	dir := t.TempDir()
	arena := func(args ...string) string {
		cmd := exec.Command("arena", args...)
		cmd.Dir, cmd.Stderr = dir, os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("arena %s: %v", strings.Join(args, " "), err)
		}
		return string(out)
	}
	out := arena("tune", "minimax", "--param", "MultiPV=16,1,24,100", "--param", "Reduce=800,10,1000,40",
		"-g", game, "-c", clock, "--games", "3000", "--event", "t", "-q")
	t.Logf("\n%s", out)
	var o standings.TuningOutcome
	text := arena("tune", "--event", "t", "--json")
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatal(err)
	}
	against := func(name string, values []string) (elo, bound float64) {
		args := []string{"match", name + "=minimax", "minimax", "-g", game, "-c", clock, "-n", "400", "--seed", "77", "--event", name, "-q", "--json"}
		for i, v := range values {
			args = append(args, "-o", fmt.Sprintf("%s:%s=%s", name, o.Params[i].Name, v))
		}
		var m standings.Outcome
		text := arena(args...)
		if err := json.Unmarshal([]byte(text), &m); err != nil || m.HeadToHead.ByPairs.Elo == nil {
			t.Fatal(err, text)
		}
		return *m.HeadToHead.ByPairs.Elo, *m.HeadToHead.ByPairs.EloError
	}
	lost, by := against("wrong", []string{"16", "800"})
	left, about := against("tuned", []string{o.Params[0].Value, o.Params[1].Value})
	t.Logf("against the usual values: wrong %+.0f ± %.0f Elo, tuned %+.0f ± %.0f: %.0f %% is brought back", lost, by, left, about, 100*(1-left/lost))
	if lost > -50 || left/lost > 0.2 {
		t.Errorf("of %.0f Elo lost, %.0f are lost still", -lost, -left)
	}
}
