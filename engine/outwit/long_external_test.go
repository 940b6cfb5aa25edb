//go:build external

package outwit

import (
	"testing"

	"botarena/engine/enginetest"
)

// The long forms of tests that every run of the tests does in short.

func TestExternalConformance(t *testing.T) { conformance(t, enginetest.Games(12)) }

func TestExternalNaiveComposed(t *testing.T) { naiveComposed(t, 3000) }

func TestExternalNaivePlayed(t *testing.T) { naivePlayed(t, 60) }

func TestExternalNoHash(t *testing.T) { noHash(t, 60) }

func TestExternalWhyNot(t *testing.T) { whyNot(t, 150) }
