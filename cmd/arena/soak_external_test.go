//go:build external && linux

package main

import "testing"

// The long form of TestSoak, of ten thousand games; with -short of two thousand.
func TestExternalSoak(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		soak(t, "1000")
		return
	}
	soak(t, "5000")
}
