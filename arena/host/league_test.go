package host

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/web"
	"botarena/bots/builtin"
	"botarena/engine/games"
)

func load(t *testing.T, text string) (League, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cup.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Load(path, config.Known{Catalog: games.All(), Builtins: builtin.Names()})
}

// The sample has the defaults that its comments name.
func TestSample(t *testing.T) {
	t.Parallel()
	l, err := Load("../../configs/league.yaml", config.Known{Catalog: games.All(), Builtins: builtin.Names()})
	if err != nil {
		t.Fatal(err)
	}
	usual, err := load(t, leagueText+"host: {}\n")
	if err != nil {
		t.Fatal(err)
	}
	if l.Final.Seed = 0; l.Submissions != usual.Submissions || l.Limits.Memory != 512_000_000 || l.Limits.Processes != usual.Limits.Processes || l.Freeze != usual.Freeze ||
		l.visibility != web.Public || usual.visibility != web.Public || l.Challenges != usual.Challenges || l.Final != usual.Final || l.Trust || l.Ladder.Choose != arena.ChooseLeague {
		t.Errorf("%+v\n%+v", l.Settings, usual.Settings)
	}
}

// Versions are linked in leagues unless the file says otherwise.
func TestLinkVersions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]arena.LinkVersions{"": "on", "link_versions: off\n": "off", "link_versions: 25\n": "25"} {
		if l, err := load(t, text+leagueText+"host: {}\n"); err != nil || l.LinkVersions != want {
			t.Errorf("%q: %q, %v", text, l.LinkVersions, err)
		}
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	l, err := load(t, leagueText+`host:
  opens: 2026-10-01T08:00:00Z
  closes: 2026-12-01T23:59:00+01:00
  freeze: 2h
  visibility: hidden-until 2026-12-02T00:00:00Z
  languages: [python, c]
  limits: {memory: 1GB}
  submissions: {build: {time: 30s}}
`)
	if err != nil || !l.ends().Equal(time.Date(2026, 12, 2, 0, 59, 0, 0, time.UTC)) || l.visibility != web.HiddenUntil || l.hidden.Day() != 2 ||
		len(l.Languages) != 2 || l.Limits.Memory != 1_000_000_000 || l.Limits.Processes != usualProcesses || l.Unpacked().Time != 30*time.Second {
		t.Errorf("%+v, %v", l.Settings, err)
	}
	for text, want := range map[string]string{
		"host: {closed: 2026-10-01T08:00:00Z}\n":                              `:12:8: host.closed: unknown key; did you mean "closes"?`,
		"host: {closes: tomorrow}\n":                                          `:12:16: host.closes: "tomorrow" is no moment`,
		"host: {opens: 2026-10-01T08:00:00Z, closes: 2026-09-01T08:00:00Z}\n": "host.closes: is not after opens",
		"host: {visibility: private}\n":                                       `host.visibility: "private" is not known; one of public, teams`,
		"host: {visibility: public 2026-12-02T00:00:00Z}\n":                   "a time goes with hidden-until only",
		"host: {visibility: hidden-until noon}\n":                             "write hidden-until 2026-",
		"host: {submissions: {per_day: 0}}\n":                                 "host.submissions.per_day: 0 is too small; at least 1",
		"host: {final: {format: ladder}}\n":                                   "host.final.format:",
		"host: {challenges: 1}\n":                                             "host.challenges: 1 is no pair of games",
		"host: {limits: {memory: lots}}\n":                                    "host.limits.memory: must be a size",
		"  - {name: owls 3, builtin: random}\nhost: {}\n":                     "teams' bots are named so",
		"league: other\n\nevent: " + strings.Repeat("x", 41) + "\nhost: {}\n": "given twice",
	} {
		if _, err := load(t, leagueText+text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for from, to := range map[string]string{"format: ladder": "format: swiss", "event: cup": "event: " + strings.Repeat("x", 41)} {
		if _, err := load(t, strings.Replace(leagueText, from, to, 1)+"host: {}\n"); err == nil || !strings.Contains(err.Error(), ": host: ") {
			t.Errorf("%s: %v", to, err)
		}
	}
}
