package host

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/schedule"
	"botarena/arena/submission"
	"botarena/arena/web"
)

// A League holds the contents of an organiser's file: the event that its bots play, and
// the settings of its block "host".
type League struct {
	arena.Event // its bots are the house's
	Settings
}

// Settings holds the block "host" of a league's file.
type Settings struct {
	Submissions Submissions   `key:"submissions"`
	Limits      arena.Limits  `key:"limits"` // of the teams' bots
	Opens       time.Time     `key:"opens"`  // zero: open
	Closes      time.Time     `key:"closes"` // zero: never
	Freeze      time.Duration `key:"freeze" range:"0s..8760h" default:"1h"`
	Visibility  string        `key:"visibility" default:"public"`
	Languages   []string      `key:"languages"`
	Trust       bool          `key:"trust"`
	Challenges  int           `key:"challenges" range:"0..1000" default:"20"` // the most games of one
	Final       Final         `key:"final"`

	visibility web.Visibility
	hidden     time.Time
}

// Submissions limits what a team may submit.
type Submissions struct {
	PerDay int   `key:"per_day" range:"1..10000" default:"20"`
	Size   int64 `key:"size,size" range:"1..9007199254740992" default:"20000000"` // bytes of a file
	Build  Build `key:"build"`
}

// Build limits a build.
type Build struct {
	Time   time.Duration `key:"time" range:"1s..24h" default:"2m"`
	Memory int64         `key:"memory,size" range:"1..9007199254740992" default:"2000000000"`
}

// Final holds the settings of the final.
type Final struct {
	Format string `key:"format" default:"knockout"`
	Rounds int    `key:"rounds" range:"1..1000000" default:"2"`
	Seed   uint64 `key:"seed"`
}

// The default limits of a team's bot.
const (
	usualMemory    = 512 << 20
	usualProcesses = 64
	usualFile      = 16 << 20
)

// maxLeague is the maximum length of a league's name: its other events have longer
// ones.
const maxLeague = 40

// Load reads a league's file.
func Load(path string, known config.Known) (League, error) {
	l := League{}
	arena.SetDefaults(&l.Settings)
	l.Limits = arena.Limits{Memory: usualMemory, Processes: usualProcesses, FileSize: usualFile}
	known.Block = &config.Block{Key: "host", Into: &l.Settings, Check: l.check}
	var err error
	if l.Event, err = config.Load(path, known); err != nil {
		return l, err
	}
	if l.Format == schedule.FormatLadder {
		l.Ladder.Choose = arena.ChooseLeague
	}
	if l.LinkVersions == "" {
		l.LinkVersions = arena.LinksOn
	}
	return l, nil
}

// check returns the problems of the settings, given the event.
func (l *League) check(e *arena.Event) (problems []arena.Problem) {
	fail := func(field, format string, args ...any) {
		problems = append(problems, arena.Problem{Field: field, Why: fmt.Sprintf(format, args...)})
	}
	if e.Format != schedule.FormatLadder {
		fail("", "a league is a ladder, since bots come and go: write format: ladder")
	}
	if len(e.Name) > maxLeague {
		fail("", "the event's name has more than %d letters: other events are named after a league; set a shorter event:", maxLeague)
	}
	for _, b := range e.Bots {
		if versioned(b.Name) {
			fail("", "bot %q: teams' bots are named so; leave the number behind the blank out", b.Name)
		}
	}
	if !l.Opens.IsZero() && !l.Closes.IsZero() && !l.Closes.After(l.Opens) {
		fail("closes", "is not after opens")
	}
	if !slices.Contains([]arena.Format{schedule.FormatKnockout, schedule.FormatSwiss, schedule.FormatRoundRobin}, arena.Format(l.Final.Format)) {
		fail("final.format", "%q is no format of a final; one of knockout, swiss, round-robin", l.Final.Format)
	}
	if l.Challenges == 1 {
		fail("challenges", "1 is no pair of games; 0 for none, or at least 2")
	}
	word, until, _ := strings.Cut(l.Visibility, " ")
	switch l.visibility = web.Visibility(word); l.visibility {
	case web.Public, web.TeamsOnly:
		if until != "" {
			fail("visibility", "%q: a time goes with hidden-until only", l.Visibility)
		}
	case web.HiddenUntil:
		var err error
		if l.hidden, err = time.Parse(time.RFC3339, until); err != nil {
			fail("visibility", "%q: write hidden-until 2026-12-01T18:00:00Z", l.Visibility)
		}
	default:
		fail("visibility", "%q is not known; one of public, teams, hidden-until TIME", l.Visibility)
	}
	return problems
}

// Unpacked returns the limits of submissions.
func (l *League) Unpacked() submission.Limits {
	limits := submission.DefaultLimits()
	limits.Time, limits.Memory = l.Submissions.Build.Time, l.Submissions.Build.Memory
	return limits
}

// ends returns when the ladder ends; zero for never.
func (l *League) ends() time.Time {
	if l.Closes.IsZero() {
		return time.Time{}
	}
	return l.Closes.Add(l.Freeze)
}

// versioned reports whether a name ends as those of teams' bots do.
func versioned(name string) bool { return regexp.MustCompile(` \d+$`).MatchString(name) }

// CheckTeam returns what is wrong with a team's name: its bots are named "NAME NUMBER".
func CheckTeam(name string) error {
	const most = 40
	b := config.DefaultBot()
	b.Name, b.Builtin = name, "random"
	switch {
	case len(name) > most:
		return fmt.Errorf("team %q: a name has %d letters at most", name, most)
	case versioned(name):
		return fmt.Errorf("team %q: versions of bots are named so; leave the number behind the blank out", name)
	case strings.ContainsAny(name, "/\\") || name == "." || name == "..":
		return fmt.Errorf("team %q: a name has no slashes, and is neither .. nor a single dot", name)
	}
	if err := b.Validate(arena.Known{}); err != nil {
		return fmt.Errorf("team %q is no name for a bot: %w", name, err)
	}
	return nil
}
