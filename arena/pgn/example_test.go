package pgn_test

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"botarena/arena/pgn"
)

func ExampleScanner() {
	scanner := pgn.NewScanner(strings.NewReader(`
[White "Ada"]
[Black "Grace"]

1. e4 {the king's pawn} e5 (1... c5) 2. Nf3 $1 Nc6 1/2-1/2
`))
	for {
		token, err := scanner.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		switch token.Kind {
		case pgn.Tag:
			fmt.Printf("%s: %s\n", token.Name, pgn.Text(token.Value))
		case pgn.Move, pgn.Result:
			fmt.Printf("%s\n", token.Value)
		case pgn.Bad:
			fmt.Println(token.Line, token.Err)
		}
	}
	// Output:
	// White: Ada
	// Black: Grace
	// e4
	// e5
	// Nf3
	// Nc6
	// 1/2-1/2
}
