//go:build external

package builtin_test

import (
	"testing"

	"botarena/engine/games"
)

func TestExternalHostedByQueries(t *testing.T) { hostedByQueries(t, games.All().Names()) }
