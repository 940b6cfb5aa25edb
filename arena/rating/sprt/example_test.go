package sprt_test

import (
	"fmt"

	"botarena/arena/rating/sprt"
)

func ExampleTest_Report() {
	test := sprt.Test{Elo0: 0, Elo1: 10, Alpha: 0.05, Beta: 0.05, Model: sprt.Logistic}
	pairs := sprt.Pentanomial{12, 208, 541, 262, 21} // pairs of 0, 1/2, 1, 3/2 and 2 points
	report, err := test.Report(pairs)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("LLR %.2f in [%.2f, %.2f]: %s\n", report.LLR, report.Lower, report.Upper, report.Verdict)
	fmt.Printf("Elo %+.1f, 95 %% interval [%.1f, %.1f]\n", report.Unbiased.Elo, report.Unbiased.Low, report.Unbiased.High)
	// Output:
	// LLR 4.21 in [-2.94, 2.94]: accept H1
	// Elo +10.9, 95 % interval [1.8, 19.3]
}
