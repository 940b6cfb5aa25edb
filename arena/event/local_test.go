package event

import (
	"fmt"
	"strings"
	"testing"

	"botarena/arena/process"
)

// Games are pinned by default where the platform can do it, and played without
// where it cannot.
func TestPinningByDefault(t *testing.T) {
	t.Parallel()
	f := setup(t)
	cpus, err := process.CPUs()
	if err != nil {
		t.Fatal(err)
	}
	f.CPUs = cpus
	const text = `
event: %s
pin: %s
concurrency: 1
`
	f.mustRun(f.event(fmt.Sprintf(text, "auto", "auto")), Options{})
	_, err = f.Run(t.Context(), f.event(fmt.Sprintf(text, "on", "on")), Options{})
	if process.CanPin() {
		if err != nil {
			t.Error(err)
		}
	} else if err == nil || !strings.Contains(err.Error(), "pin: on: this platform cannot pin") {
		t.Errorf("pinned where that is not possible: %v", err)
	}
}
