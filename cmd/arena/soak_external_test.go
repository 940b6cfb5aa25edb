//go:build external && linux

package main

import "testing"

// The long form of TestSoak, of ten thousand games.
func TestExternalSoak(t *testing.T) { soak(t, "5000") }
