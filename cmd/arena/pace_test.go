package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// paceBot is a program that plays the first legal move after a time of its own:
//
//	pace take 100ms   after 100 ms of sleep
//	pace left -100ms  busy until 100 ms before its time is over
func paceBot() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "pace: take DURATION, or left DURATION")
		os.Exit(2)
	}
	d, err := time.ParseDuration(os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	var move string
	side := 0
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		begin := time.Now()
		words := strings.Fields(lines.Text())
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "ugi":
			fmt.Print("id name pace\noption name UGI_LegalMoves type check default false\nugiok\n")
		case "isready":
			fmt.Println("readyok")
		case "position": // from the start of the game
			side = max(0, len(words)-3) % 2
		case "legal":
			move = words[1]
		case "go":
			if os.Args[1] == "take" {
				time.Sleep(d)
			} else {
				for until := timeLeft(words, side) + d; time.Since(begin) < until; {
					continue // busy
				}
			}
			fmt.Println("bestmove " + move)
		case "quit":
			return
		}
	}
}

// timeLeft is what a go line gives a side for its move.
func timeLeft(words []string, side int) time.Duration {
	for i := 1; i+1 < len(words); i += 2 {
		if words[i] == "movetime" || words[i] == []string{"p1time", "p2time"}[side] {
			ms, err := strconv.Atoi(words[i+1])
			if err == nil {
				return time.Duration(ms) * time.Millisecond
			}
		}
	}
	fmt.Fprintln(os.Stderr, "pace: no time in", words)
	os.Exit(2)
	return 0
}
