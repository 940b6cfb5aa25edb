//go:build external

package owlman_test

import (
	"testing"

	"botarena/engine/enginetest"
)

// The long forms of tests that every run of the tests does in short.

func TestExternalConformance(t *testing.T) { conformance(t, enginetest.Games(12)) }

func TestExternalGames(t *testing.T) { compareGames(t, 90) }
