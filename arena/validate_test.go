package arena_test

import (
	"errors"
	"testing"

	"botarena/arena"
)

func TestTestValidate(t *testing.T) {
	for _, c := range []struct {
		test   arena.SPRT
		fields []string
	}{
		{arena.SPRT{Elo1: 5, Alpha: 0.05, Beta: 0.05, Model: "normalized"}, nil},
		{arena.SPRT{Elo0: 5, Elo1: 5, Alpha: 0.5, Beta: 0, Model: "x"}, []string{"", "alpha", "beta", "model"}},
		{arena.SPRT{Elo0: -1001, Elo1: 1001, Alpha: 0.05, Beta: 0.05, Model: "logistic"}, []string{"elo0", "elo1"}},
	} {
		var invalid *arena.InvalidError
		if !errors.As(c.test.Validate(), &invalid) {
			invalid = &arena.InvalidError{}
		}
		if len(invalid.Problems) != len(c.fields) {
			t.Errorf("%+v: %v", c.test, invalid)
			continue
		}
		for i, p := range invalid.Problems {
			if p.Field != c.fields[i] {
				t.Errorf("%+v: %+v, want field %q", c.test, p, c.fields[i])
			}
		}
	}
}
