package sprt

import (
	"math"
	"testing"
)

func TestCorrectedBounds(t *testing.T) { correctedBounds(t, 150, 120) }

// Corrected bounds hold the rates of error to a point of the 5 % that were asked for, and
// shorten the test, the more the farther the hypotheses lie apart.
func correctedBounds(t *testing.T, runs int, widths ...float64) {
	t.Log("  elo1  draws  truth   wald: error  pairs   corrected: error  pairs")
	for _, elo1 := range widths {
		for _, draws := range []float64{0, 0.5, 0.8} {
			s := test(0, elo1, Normalized)
			nearer := s
			nearer.Corrected = true
			for truth, name := range []string{"H0", "H1"} {
				p := pairsOf(t, elo1*float64(truth), draws)
				var wrong, length [2]float64
				for which, s := range []Test{s, nearer} {
					g := rng(uint64(elo1) + uint64(10*draws))
					for range runs {
						counts, v := run(g, s, p)
						if (v == AcceptH1) != (truth == 1) {
							wrong[which]++
						}
						n, _, _ := moments(counts.bins())
						length[which] += n
					}
					wrong[which] /= float64(runs)
					length[which] /= float64(runs)
				}
				t.Logf("%6.0f %5.0f %%     %s      %6.2f %% %6.1f           %6.2f %% %6.1f", elo1, 100*draws, name, 100*wrong[0], length[0], 100*wrong[1], length[1])
				if most := 0.06 + 3*math.Sqrt(0.05*0.95/float64(runs)); wrong[1] > most {
					t.Errorf("elo1 %g, draws %g, %s: errs in %.4f", elo1, draws, name, wrong[1])
				}
				if length[1] > length[0] {
					t.Errorf("elo1 %g, draws %g, %s: %.1f pairs instead of %.1f", elo1, draws, name, length[1], length[0])
				}
			}
		}
	}
}

// pairsOf returns the probabilities of pairs of that normalized Elo.
func pairsOf(t *testing.T, nelo, draws float64) []float64 {
	low, high := -400.0, 400.0
	for range 60 {
		mid := (low + high) / 2
		p, err := PairModel(mid, draws)
		if err != nil && mid < 0 {
			low = mid
			continue
		} else if err != nil {
			high = mid
			continue
		}
		if test(0, 1, Normalized).Plan(p).NElo < nelo {
			low = mid
		} else {
			high = mid
		}
	}
	p, err := PairModel((low+high)/2, draws)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
