package rating_test

import (
	"fmt"

	"botarena/arena/rating"
)

func ExampleRate() {
	var results rating.Results
	for _, games := range []struct {
		first, second string
		score         rating.Score
		count         int
	}{
		{"new", "old", rating.Win, 60},
		{"new", "old", rating.Loss, 40},
		{"old", "weak", rating.Win, 70},
		{"old", "weak", rating.Loss, 30},
	} {
		for range games.count {
			if err := results.Add(rating.Game{First: games.first, Second: games.second, Score: games.score}); err != nil {
				fmt.Println(err)
			}
		}
	}
	table, err := rating.Rate(&results, rating.Options{NoAdvantage: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range table.Players {
		fmt.Printf("%-4s %+4.0f ± %.0f\n", p.Name, *p.Elo, *p.Error)
	}
	// Output:
	// new   +96 ± 53
	// old   +26 ± 34
	// weak -122 ± 55
}
