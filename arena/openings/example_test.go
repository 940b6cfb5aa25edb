package openings_test

import (
	"fmt"

	"botarena/arena/openings"
	"botarena/engine/games"
)

func ExampleReadBook() {
	game, err := games.All().Lookup("chess")
	if err != nil {
		fmt.Println(err)
		return
	}
	book, err := openings.ReadBook([]byte("1. e4 e5 2. Nf3 ; open\ne2e4 e7e5 e1e3\n"), "book.txt", game)
	fmt.Println(book, err)

	book, err = openings.ReadBook([]byte("1. e4 e5 2. Nf3 ; open\n"), "book.txt", game)
	fmt.Println(book[0].Name, book[0].Moves, err)
	// Output:
	// [] book.txt:2: move 3: e1e3: the king on e1 does not reach e3
	// open [e2e4 e7e5 g1f3] <nil>
}

func ExampleRandom() {
	game, err := games.All().Lookup("breakthrough:4x4")
	if err != nil {
		fmt.Println(err)
		return
	}
	source := openings.Random(game, 2, 7)
	for i := range 3 {
		opening, err := source.Opening(i) // the same one whenever it is asked for
		fmt.Println(opening.Moves, err)
	}
	// Output:
	// [d2c3 d4c3] <nil>
	// [a2b3 a4b3] <nil>
	// [a2b3 c4b3] <nil>
}
