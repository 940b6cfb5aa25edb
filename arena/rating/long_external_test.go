//go:build external

package rating

import "testing"

// The long form of a test that every run of the tests does in short.

func TestExternalCoverage(t *testing.T) { coverage(t, 700) }
