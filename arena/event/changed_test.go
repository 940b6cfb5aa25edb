package event

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestChangedAndExtended(t *testing.T) {
	t.Parallel()
	f := setup(t)
	const text = `
rounds: %d
seed: %d
openings: {random: 2}
bots:
  - {name: a, builtin: random}
  - {name: b, builtin: greedy}%s
`
	f.mustRun(f.event(fmt.Sprintf(text, 1, 1, "")), Options{})
	before := f.games("e")
	for name, c := range map[string]struct {
		text   string
		extend bool
		want   string
	}{
		"rounds":         {fmt.Sprintf(text, 2, 1, ""), false, "rounds: 1 -> 2"},
		"seed":           {fmt.Sprintf(text, 1, 2, ""), false, "seed: 1 -> 2"},
		"bots":           {fmt.Sprintf(text, 1, 1, "\n  - {name: c, builtin: random}"), false, "c was added"},
		"seed, extended": {fmt.Sprintf(text, 2, 2, ""), true, "seed: 1 -> 2"},
		"options":        {strings.Replace(fmt.Sprintf(text, 1, 1, ""), "builtin: random", "builtin: random, options: {Seed: 4}", 1), false, "a"},
	} {
		_, err := f.Run(t.Context(), f.event(c.text), Options{Extend: c.extend})
		var changed *ChangedError
		if !errors.As(err, &changed) || !strings.Contains(err.Error(), c.want) || (changed.Why != nil) != c.extend {
			t.Errorf("%s: %v", name, err)
		}
	}
	f.BuiltinVersion = func(name string) string { return map[string]string{"random": "2", "greedy": "1"}[name] }
	var changed *ChangedError
	if _, err := f.Run(t.Context(), f.event(fmt.Sprintf(text, 1, 1, "")), Options{}); !errors.As(err, &changed) || !strings.Contains(err.Error(), "bots: a:") {
		t.Errorf("another version: %v", err)
	}
	f.BuiltinVersion = func(string) string { return "1" }
	summary := f.mustRun(f.event(fmt.Sprintf(text, 2, 1, "\n  - {name: c, builtin: random}")), Options{Extend: true})
	after := f.games("e")
	if summary.Now != 10 || len(after) != 12 || !reflect.DeepEqual(after[:2], before) {
		t.Errorf("extended: %+v, %d games", summary, len(after))
	}
	if _, err := f.Run(t.Context(), f.event(fmt.Sprintf(text, 2, 1, "\n  - {name: c, builtin: random}")), Options{Extend: true}); !errors.Is(err, ErrFinished) {
		t.Errorf("extended by nothing: %v", err)
	}
}

// Everything that keeps bots out is reported at once, and nothing is recorded.
func TestPreflight(t *testing.T) {
	t.Parallel()
	f := setup(t)
	script := filepath.Join(f.folder, "script")
	if err := os.WriteFile(script, []byte("#!/no/such/interpreter\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	e := f.event(`
bots:
  - {name: good, builtin: random}
  - {name: missing, command: [./nowhere]}
  - {name: plain, command: [./arena.db]}
  - {name: script, command: [./script]}
`)
	_, err := f.Run(t.Context(), e, Options{})
	var bots *BotsError
	if !errors.As(err, &bots) || len(bots.Problems) != 3 {
		t.Fatalf("%T: %v", err, err)
	}
	for _, want := range []string{`bot "missing"`, `bot "plain"`, `bot "script"`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %s", err, want)
		}
	}
	e = f.event(`
bots:
  - {name: good, builtin: random}
  - {name: odd, builtin: random, options: {Sed: 1}}
  - {name: wild, builtin: random, options: {Seed: many}}
  - {name: chess, builtin: random, options: {UGI_Variant: chess960}}
`)
	_, err = f.Run(t.Context(), e, Options{})
	if !errors.As(err, &bots) || len(bots.Problems) != 2 && len(bots.Problems) != 3 || !strings.Contains(err.Error(), "Sed") || !strings.Contains(err.Error(), "many") {
		t.Errorf("%T: %v", err, err)
	}
	if list, err := f.Store.Events(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("recorded %+v, %v", list, err)
	}
}
