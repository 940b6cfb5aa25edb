package sprt

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCompareWorkedExample(t *testing.T) {
	// Mean (10*0.25 + 60*0.5 + 25*0.75 + 5)/100 = 0.5625,
	// variance 0.1*0.0977 + 0.6*0.0039 + 0.25*0.0352 + 0.05*0.1914 = 0.03046875.
	c := Compare(Pentanomial{0, 10, 60, 25, 5})
	se := math.Sqrt(0.03046875 / 100)
	for _, x := range []struct {
		name      string
		got, want float64
	}{
		{"score", c.Score, 0.5625},
		{"elo", *c.Elo, -400 * math.Log10(1/0.5625-1)},
		{"low", *c.Low, -400 * math.Log10(1/(0.5625-1.96*se)-1)},
		{"high", *c.High, -400 * math.Log10(1/(0.5625+1.96*se)-1)},
		{"elo error", *c.EloError, (*c.High - *c.Low) / 2},
		{"nelo", *c.NElo, 0.0625 / math.Sqrt(2*0.03046875) * 800 / math.Ln10},
		{"nelo error", *c.NEloError, 1.96 / math.Sqrt(200) * 800 / math.Ln10},
		{"los", *c.LOS, 0.5 * math.Erfc(-0.0625/se/math.Sqrt2)},
		{"draw ratio", c.DrawRatio, 0.6},
		{"pairs ratio", *c.PairsRatio, 3},
	} {
		if !near(x.got, x.want, 1e-9) {
			t.Errorf("%s: %.10f, want %.10f", x.name, x.got, x.want)
		}
	}
	g := Compare(Trinomial{20, 50, 30})
	if sd := math.Sqrt(0.2*0.55*0.55 + 0.5*0.05*0.05 + 0.3*0.45*0.45); !near(*g.NElo, 0.05/sd*800/math.Ln10, 1e-9) || g.PairsRatio != nil {
		t.Errorf("single games: %+v", g)
	}
}

func TestComparePerfectScores(t *testing.T) {
	c := Compare(Pentanomial{0, 0, 0, 0, 20})
	if c.Elo != nil || c.High != nil || c.EloError != nil || c.NElo != nil {
		t.Fatalf("perfect score: %+v", c)
	}
	// Twenty pairs won with probability 5 % in all.
	if p := Expected(*c.Low); !near(math.Pow(p, 20), 0.05, 1e-9) {
		t.Errorf("bound %g", *c.Low)
	}
	if c := Compare(Trinomial{7, 0, 0}); c.Low != nil || *c.High > -100 || *c.LOS > 0.01 {
		t.Errorf("lost all: %+v", c)
	}
	if c := Compare(Pentanomial{0, 0, 9, 0, 0}); *c.Elo != 0 || !near(*c.LOS, 0.5, 1e-9) || c.EloError != nil {
		t.Errorf("level pairs only: %+v", c)
	}
}

func TestCompareAndReportAreFinite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.OneOf(rapid.Just(0), rapid.IntRange(0, 5), rapid.IntRange(0, 5000))
		var p Pentanomial
		var g Trinomial
		for i := range p {
			p[i] = count.Draw(t, "pairs")
		}
		for i := range g {
			g[i] = count.Draw(t, "games")
		}
		model := rapid.SampledFrom([]Model{Normalized, Logistic}).Draw(t, "model")
		var c Counts = p
		if rapid.Bool().Draw(t, "no pairs") {
			c = g
		}
		report, err := test(0, rapid.Float64Range(0.5, 100).Draw(t, "elo1"), model).Report(c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := json.Marshal(report); err != nil {
			t.Fatalf("%v: %v in %+v", c, err, report)
		}
	})
}

func TestReport(t *testing.T) {
	report, err := test(0.5, 2.5, Normalized).Report(Pentanomial{39, 8843, 26675, 9240, 44})
	if err != nil || report.Verdict != Continue || report.Unbiased != nil || !near(report.Upper, math.Log(19), 1e-12) || !near(report.Lower, -math.Log(19), 1e-12) {
		t.Errorf("%+v, %v", report, err)
	}
	report, err = test(0, 50, Normalized).Report(Pentanomial{0, 5, 30, 40, 10})
	if err != nil || report.Verdict != AcceptH1 || report.Unbiased == nil || !(report.Unbiased.Low < report.Unbiased.Elo && report.Unbiased.Elo < report.Unbiased.High) {
		t.Errorf("%+v, %v", report, err)
	}
	text, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"llr", "lower", "upper", "elo", "elo_error", "nelo", "nelo_error", "los", "verdict"} {
		if !strings.Contains(string(text), `"`+key+`":`) {
			t.Errorf("no %q in %s", key, text)
		}
	}
	if _, err := test(5, 0, Normalized).Report(Pentanomial{1}); err == nil {
		t.Error("elo0 above elo1 was accepted")
	}
}
