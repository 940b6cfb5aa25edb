package speed_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"botarena/arena/fleet/speed"
)

// By hand: the median of 1 to 5 is 3, the quartiles are 2 and 4.
func TestOf(t *testing.T) {
	for _, test := range []struct {
		speeds []float64
		want   speed.Measured
	}{
		{nil, speed.Measured{}},
		{[]float64{7}, speed.Measured{Speed: 7}},
		{[]float64{5, 1, 3, 2, 4}, speed.Measured{Speed: 3, Spread: 1.0 / 3}},
		{[]float64{0, 0, 0}, speed.Measured{}},
		{[]float64{100, 100, 100, 100, 1}, speed.Measured{Speed: 100}}, // one hiccup is no noise
	} {
		if got := speed.Of(test.speeds); math.Abs(got.Speed-test.want.Speed) > 1e-9 || math.Abs(got.Spread-test.want.Spread) > 1e-9 {
			t.Errorf("%v: %+v; want %+v", test.speeds, got, test.want)
		}
	}
}

func TestFactor(t *testing.T) {
	for _, test := range []struct {
		event, own, want float64
		says             string
	}{
		{2e6, 2e6, 1, ""},
		{2e6, 3e6, 0.667, ""},
		{2e6, 1e6, 2, ""},
		{2e6, 4e6, 0.5, ""},
		{3e6, 1e6, 3, "3.0 times slower than the machine that runs the event (1.00 to 3.00 million positions a second), and scale: measured multiplies clocks by 0.5 to 2 only"},
		{1e6, 5e6, 0.2, "5.0 times faster"},
		{0, 1e6, 0, "not measured"},
		{1e6, 0, 0, "not measured"},
		{math.NaN(), 1, 0, "not measured"},
	} {
		got, err := speed.Factor(test.event, test.own)
		if got != test.want || (err == nil) != (test.says == "") || err != nil && !strings.Contains(err.Error(), test.says) {
			t.Errorf("%v, %v: %v, %v", test.event, test.own, got, err)
		}
	}
}

// All slots work at the same time, and what they do is counted by the clock given.
func TestMeasure(t *testing.T) {
	const slots = 3
	var clock, working, most atomic.Int64
	now := func() time.Time { return time.Unix(0, clock.Load()) }
	begun := make(chan struct{}, slots)
	got, err := speed.Measure(context.Background(), slots, now, func() func() int64 {
		begun <- struct{}{}
		return func() int64 {
			if n := working.Add(1); n > most.Load() {
				most.Store(n)
			}
			clock.Add(int64(time.Millisecond))
			working.Add(-1)
			return 3000
		}
	})
	// Three slots share the clock: 3,000 units in each third millisecond of a slot.
	if err != nil || len(begun) != slots || got.Speed < 0.5e6 || got.Speed > 4e6 {
		t.Errorf("%+v, %v, %d slots", got, err, len(begun))
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := speed.Measure(ctx, 1, time.Now, func() func() int64 { return func() int64 { return 1 } }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
