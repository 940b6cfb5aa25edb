//go:build external

package chess_test

import (
	"testing"

	"botarena/engine/enginetest"
)

// The long forms of tests that every run of the tests does in short.

func TestExternalConformance(t *testing.T) {
	enginetest.Run(t, open(t), enginetest.OtherSpellings(), enginetest.Games(12))
}

func TestExternalConformance960(t *testing.T) {
	enginetest.Run(t, open960(t), enginetest.OtherSpellings(), enginetest.Games(12))
}

func TestExternalPerft960(t *testing.T) { perft960(t, 5) }

func TestExternalAgainstLibrary(t *testing.T) { againstLibrary(t, 60) }
