//go:build external

package main

import "testing"

// Scripts that need programs of others, such as Python.
func TestExternalScripts(t *testing.T) {
	t.Parallel()
	runScripts(t, "testdata/external")
}
