package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// paceBot is a program that plays the first legal move at a time of its own:
//
//	pace take 100ms   after 100 ms of sleep
//	pace left -100ms  busy until 100 ms before its time is over
//	pace gate PATH 2  at once, but in the second game of its process, where it
//	                  makes PATH.PID and waits for PATH.open before its first move
func paceBot() {
	if err := pace(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "pace:", err)
		os.Exit(2)
	}
}

func pace(args []string) error {
	if len(args) < 2 {
		return errors.New("want take DURATION, left DURATION or gate PATH GAME")
	}
	var d time.Duration
	var gated int // the game in which it waits, 0 for none
	var err error
	switch {
	case args[0] != "gate":
		d, err = time.ParseDuration(args[1])
	case len(args) == 3:
		gated, err = strconv.Atoi(args[2])
	default:
		err = errors.New("gate wants a path and a game")
	}
	if err != nil {
		return err
	}
	var move string
	game, side := 0, 0
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
		case "uginewgame":
			game++
		case "position": // from the start of the game
			side = max(0, len(words)-3) % 2
		case "legal":
			move = words[1]
		case "go":
			switch args[0] {
			case "take":
				time.Sleep(d)
			case "left":
				left, err := timeLeft(words, side)
				if err != nil {
					return err
				}
				for time.Since(begin) < left+d {
					continue // busy
				}
			case "gate":
				if game == gated {
					if err := waitAt(args[1]); err != nil {
						return err
					}
				}
			}
			fmt.Println("bestmove " + move)
		case "quit":
			return nil
		}
	}
	return nil
}

// waitAt makes a file to say that it waits, and waits for the gate.
func waitAt(gate string) error {
	if err := os.WriteFile(fmt.Sprintf("%s.%d", gate, os.Getpid()), nil, 0o600); err != nil {
		return err
	}
	for {
		if _, err := os.Stat(gate + ".open"); err == nil {
			return nil
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// timeLeft is what a go line gives a side for its move.
func timeLeft(words []string, side int) (time.Duration, error) {
	for i := 1; i+1 < len(words); i += 2 {
		if words[i] == "movetime" || words[i] == []string{"p1time", "p2time"}[side] {
			ms, err := strconv.Atoi(words[i+1])
			return time.Duration(ms) * time.Millisecond, err
		}
	}
	return 0, fmt.Errorf("no time in %q", words)
}
