// Package speed measures how fast and how evenly a machine works with all its slots
// busy, and derives by how much clocks are multiplied there and whether it may play by
// time at all.
package speed

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"
)

// A Measured holds the result of a measurement; zero if there was none.
type Measured struct {
	// Speed is in units (positions) a second of one slot while all are busy: the
	// median over all slots and spans.
	Speed float64
	// Spread measures how far slots and spans differ: half the distance between the
	// quartiles as a share of Speed. Half of all spans lie within it.
	Spread float64
}

const (
	warm  = 100 * time.Millisecond // for caches and the processor's own clock
	span  = 50 * time.Millisecond
	spans = 7
)

// Measure keeps all slots busy for about half a second and returns their speed. Each
// slot calls start once and then repeatedly the function that it returned, which works
// for a few milliseconds at most and returns the units done. The error is ctx's.
func Measure(ctx context.Context, slots int, now func() time.Time, start func() func() int64) (Measured, error) {
	all := make([][]float64, slots)
	var ready, done sync.WaitGroup
	ready.Add(slots)
	for i := range slots {
		done.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			work := start()
			ready.Done()
			ready.Wait()
			for began := now(); now().Sub(began) < warm && ctx.Err() == nil; {
				work()
			}
			for range spans {
				began, units := now(), int64(0)
				for now().Sub(began) < span && ctx.Err() == nil {
					units += work()
				}
				all[i] = append(all[i], float64(units)/now().Sub(began).Seconds())
			}
		})
	}
	done.Wait()
	if err := ctx.Err(); err != nil {
		return Measured{}, err
	}
	return Of(slices.Concat(all...)), nil
}

// Of sums up the speeds of spans.
func Of(speeds []float64) Measured {
	if len(speeds) == 0 {
		return Measured{}
	}
	slices.Sort(speeds)
	m := Measured{Speed: quantile(speeds, 1.0/2)}
	if m.Speed > 0 {
		m.Spread = (quantile(speeds, 3.0/4) - quantile(speeds, 1.0/4)) / 2 / m.Speed
	}
	return m
}

// quantile returns the quantile of a sorted list, by linear interpolation.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	low := int(math.Floor(at))
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}

// The limits within which clocks are multiplied.
const (
	LeastFactor = 0.5
	MostFactor  = 2
)

// ErrNotMeasured reports that a machine's speed is not known.
var ErrNotMeasured = errors.New("its speed was not measured, and the event's clocks go by it (scale: measured); start it with the same version of arena")

// Factor returns how much slower a machine is than the one that runs the event, rounded
// to three places, so that both ends have the same number. The error says why its
// clocks cannot be scaled.
func Factor(event, own float64) (float64, error) {
	if !(event > 0 && own > 0) {
		return 0, ErrNotMeasured
	}
	const places = 1000
	f := math.Round(event/own*places) / places
	if f < LeastFactor || f > MostFactor {
		how, by := "slower", f
		if by < 1 {
			how, by = "faster", 1/by
		}
		return f, fmt.Errorf("it is %.1f times %s than the machine that runs the event (%.2f to %.2f million positions a second), and scale: measured multiplies clocks by %g to %g only",
			by, how, own/1e6, event/1e6, LeastFactor, float64(MostFactor))
	}
	return f, nil
}
