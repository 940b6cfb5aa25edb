//go:build external

package breakthrough_test

import "testing"

// The long form of a test that every run of the tests does in short.
func TestExternalConformance(t *testing.T) { conformance(t, 12) }
