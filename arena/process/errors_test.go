package process_test

import (
	"testing"

	"botarena/arena/process"
)

// Processes are named as one types them behind ps -p.
func TestLeftErrorNamesProcesses(t *testing.T) {
	const want = "processes 12 13 could not be ended within 5 seconds; look at them with ps"
	if got := (&process.LeftError{PIDs: []int{12, 13}}).Error(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
