// A complete first bot for arena, with nothing but Go's standard library. It
// needs no rules: arena sends the legal moves.
//
// Copy this file, change choose, and run:
//
//	go build -o first_bot main.go && arena check ./first_bot
package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
)

const name = "first-go"

// choose picks one of the legal moves. THIS IS THE FUNCTION TO CHANGE.
// game is its name with its size, such as "breakthrough:6x6"; position is what
// arena sent: "startpos moves a2a3 ..." or "fen ... moves ...".
func choose(game string, legal []string, position string, rng *rand.Rand) string {
	return legal[rng.IntN(len(legal))]
}

func main() {
	rng := rand.New(rand.NewPCG(1, 0))
	var legal []string
	var game, position string
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<17) // no line of the protocol is longer than 64 KiB
	for lines.Scan() {       // ends when arena closes our input
		word, rest, _ := strings.Cut(lines.Text(), " ")
		switch word {
		case "ugi":
			fmt.Println("id name", name)
			fmt.Println("id author me")
			fmt.Println("option name UGI_Variant type string default breakthrough")
			fmt.Println("option name UGI_LegalMoves type check default false")
			fmt.Println("option name Seed type spin default 1 min 0 max 2147483647")
			fmt.Println("ugiok")
		case "setoption": // setoption name Seed value 7
			if value, ok := strings.CutPrefix(rest, "name Seed value "); ok {
				seed, err := strconv.ParseUint(value, 10, 64)
				if err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				rng = rand.New(rand.NewPCG(seed, 0))
			}
			if value, ok := strings.CutPrefix(rest, "name UGI_Variant value "); ok {
				game = value
			}
		case "isready":
			fmt.Println("readyok")
		case "position":
			position = rest
		case "legal":
			legal = strings.Fields(rest)
		case "go":
			fmt.Println("bestmove", choose(game, legal, position, rng))
		case "quit":
			return
		}
	}
}
