//go:build !portable

package event

import (
	"fmt"
	"strings"
	"testing"

	"botarena/arena/process"
)

// Two runs on one machine do not pin games to the same cores.
func TestCoresAreHeld(t *testing.T) {
	t.Parallel()
	own, err := process.CPUs()
	if err != nil {
		t.Fatal(err)
	}
	const text = `
event: %s
%s
`
	for _, test := range []struct {
		name     string
		settings string
		taken    bool
		games    int
		pinned   bool
		warning  string
		err      string
	}{
		{"free", "", false, 1, true, "", ""},
		{"auto", "", true, 1, false, "other runs of arena hold 1 of the 1 cores of this machine: one game is played at once, not pinned", ""},
		{"wanted", "concurrency: 1", true, 1, false, "not pinned, and time losses mean less; lower concurrency, or wait for them", ""},
		{"on", "concurrency: 1\npin: on", true, 0, false, "", "other runs of arena hold 1 more"},
		{"off", "pin: off", true, 1, false, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := setup(t)
			f.CPUs, f.Runtime = own[:1], t.TempDir()
			if test.taken {
				other, err := process.ClaimCPUs(f.Runtime, own[:1])
				if err != nil {
					t.Fatal(err)
				}
				defer other.Keep(nil)
			}
			summary, err := f.Run(t.Context(), f.event(fmt.Sprintf(text, test.name, test.settings)), Options{})
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("%v, want %q", err, test.err)
				}
				return
			}
			if err != nil || summary.Concurrency != test.games || summary.Pinned != test.pinned {
				t.Errorf("%+v, %v", summary, err)
			}
			if got := f.warnings(); test.warning == "" && strings.Contains(got, "other runs") || !strings.Contains(got, test.warning) {
				t.Errorf("it warned %q, want %q", got, test.warning)
			}
			if !test.taken { // given back
				c, err := process.ClaimCPUs(f.Runtime, own[:1])
				if err != nil || len(c.Free) != 1 {
					t.Errorf("%+v, %v", c, err)
				}
				c.Keep(nil)
			}
		})
	}
}
