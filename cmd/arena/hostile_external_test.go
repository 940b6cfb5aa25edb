//go:build external && linux

package main

import (
	"slices"
	"strings"
	"testing"

	"botarena/arena/standings"
	"botarena/bots/misbehaving"
)

// longEvent has a third honest bot, and plays four games at once.
func longEvent(fault, more string) string {
	event := strings.Replace(hostileEvent(fault, more), "concurrency: 2", "concurrency: 4", 1)
	return strings.Replace(event, "bots:\n", "bots:\n  - {name: random, builtin: random}\n", 1)
}

// The long form of TestHostileBots; it needs no program that others wrote.
func TestExternalHostileBots(t *testing.T) { hostileBots(t, longEvent) }

// strictEvent shuts all bots of a hostile event in, under limits.
func strictEvent(fault string) string {
	event := longEvent(fault, "")
	event = strings.Replace(event, "bots:", "sandbox: strict\nlimits: {memory: 256MB, processes: 40, cpu_time: 30s, file_size: 1MB}\nbots:", 1)
	event = strings.Replace(event, `--children, "15"`, `--children, "64"`, 1)
	for _, name := range []string{"greedy", "minimax", "random"} { // so that what is left of them is found, too
		event = strings.Replace(event, "builtin: "+name+"}", "builtin: "+name+`, env: ["MARK"]}`, 1)
	}
	return event
}

// Every fault in a strict sandbox under limits: what holds without holds, and no
// fault reaches beyond the bot.
func TestExternalHostileBotsStrict(t *testing.T) {
	t.Parallel()
	need(t, "bwrap", "bubblewrap")
	m := runCalm(t, strictEvent("none"))
	wants := hostileWants()
	// bwrap holds the bot's pipes open, too: a bot that closes its own runs out of time.
	wants["close-stdout"] = []string{"time forfeit"}
	wants["close-stdin"] = []string{"time forfeit", "stall"}
	traces := map[string]string{
		"stderr-flood":  "the same complaint again",
		"fork-many":     "could not start child",
		"write-files":   "could not write: open misbehaving-was-here: ",
		"kill-parent":   "the parent", // the kernel ignores a signal to the sandbox's first process, or refuses it
		"stop-opponent": "stopped 0 processes",
	}
	for _, f := range misbehaving.Faults() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			h := hostile{fault: f.Name, event: strictEvent(f.Name), reasons: wants[f.Name], trace: traces[f.Name]}
			h.play(t, m)
		})
	}
	if !slices.ContainsFunc(m.games, func(g standings.GameLine) bool { return g.First == "hostile" && g.Reason == "win by rule" }) {
		t.Error("the behaving bot did not play in its sandbox")
	}
}

// Limits hold in an event without a sandbox, for all of its bots or for one.
func TestExternalLimits(t *testing.T) {
	t.Parallel()
	for _, limits := range []string{
		"sandbox: limits\nlimits: {cpu_time: 1s}\n",
		"sandbox: strict\nlimits: {cpu_time: 1s}\n",
	} {
		p := newPlace(t, limits+`
event: e
game: breakthrough:5x5
rounds: 1
clock: {move: 30s}
concurrency: 2
bots:
  - {name: busy, command: [pace, left, 0s]}
  - {name: greedy, builtin: greedy, clock: {depth: 1}}
`)
		p.run(exitDone, "run", "event.yaml", "--quiet")
		games := p.games()
		for i := range games {
			g := &games[i]
			if g.Reason != "crash" || g.Blame != "busy" || !strings.Contains(g.Detail, "killed by signal") || g.Seconds > 25 {
				t.Errorf("%s: %s, blame %q, after %.1f s: %s", limits, g.Reason, g.Blame, g.Seconds, g.Detail)
			}
		}
		if len(games) != 2 {
			t.Errorf("%d games", len(games))
		}
	}
}
