//go:build external

package store

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The long form of TestCountsEqualRecount.
func TestExternalCountsEqualRecount(t *testing.T) { countsEqualRecount(t, 60) }

// Waiting ends, whatever the other process does. It takes as long as the patience.
func TestExternalBusyHasAnEnd(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "arena.db")
	s := openAt(t, path)
	defer locked(t, path)()
	start := time.Now()
	_, err := s.Create(t.Context(), testEvent("e", "a", "b"), []byte("config"), me(t))
	if err == nil || !strings.Contains(err.Error(), "more than 20s") || !strings.Contains(err.Error(), "try again") {
		t.Errorf("busy: %v", err)
	}
	if waited := time.Since(start); waited < patience || waited > 3*patience {
		t.Errorf("gave up after %v", waited)
	}
}
