// The rules of Hex, for arena: red joins top and bottom, blue left and right. The
// argument is the size of the board, 11 without one. A move is a cell such as c4.
//
// Run from the project's folder:
//
//	go build -o hex ./bots/examples/own_game/hex
//	arena check --rules "./hex 7"
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"botarena/bots/kit"
	"botarena/engine"
)

// A board is a sign a cell, row by row from below: "." for an empty one, X for red,
// which moves first, o for blue.
type board string

// hex is the game on boards of a size.
type hex struct {
	size  int
	cells []string       // their names, in the order of a board
	index map[string]int // of a name
}

func newHex(size int) *hex {
	h := &hex{size: size, index: map[string]int{}}
	for i := range size * size {
		name := string(rune('a'+i%size)) + strconv.Itoa(i/size+1)
		h.cells = append(h.cells, name)
		h.index[name] = i
	}
	return h
}

func (h *hex) rules() kit.Rules[board] {
	return kit.Rules[board]{
		Name: "hex", Sides: [2]string{"red", "blue"}, MaxPlies: h.size * h.size,
		Start: board(strings.Repeat(".", h.size*h.size)),
		Moves: h.moves, Play: h.play, Outcome: h.outcome, Why: h.why, Board: h.picture,
	}
}

// mover returns the sign of the side to move.
func mover(b board) byte {
	return "Xo"[(len(b)-strings.Count(string(b), "."))%2]
}

func (h *hex) moves(b board, dst []string) []string {
	for i, name := range h.cells {
		if b[i] == '.' {
			dst = append(dst, name)
		}
	}
	return dst
}

func (h *hex) play(b board, move string) board {
	i := h.index[move]
	return b[:i] + board(mover(b)) + b[i+1:]
}

// outcome walks from one edge over the stones of whoever has moved last.
func (h *hex) outcome(b board) engine.Outcome {
	last, sign := engine.Second, byte('o')
	step, along := h.size, 1 // blue's left edge: from row to row, towards the right
	if mover(b) == 'o' {
		last, sign, step, along = engine.First, 'X', 1, h.size
	}
	seen := make([]bool, len(b))
	var todo []int
	visit := func(i int) {
		if b[i] == sign && !seen[i] {
			seen[i] = true
			todo = append(todo, i)
		}
	}
	for i := range h.size {
		visit(i * step)
	}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if i/along%h.size == h.size-1 {
			return engine.Outcome{Over: true, Winner: last, Reason: "edges joined"}
		}
		for _, d := range [][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}} {
			if x, y := i%h.size+d[0], i/h.size+d[1]; x >= 0 && x < h.size && y >= 0 && y < h.size {
				visit(y*h.size + x)
			}
		}
	}
	return engine.Outcome{}
}

func (h *hex) why(_ board, move string) string {
	if _, ok := h.index[move]; ok {
		return "the cell is taken"
	}
	return "no cell of this board"
}

// picture has each row half a cell further left than the one below.
func (h *hex) picture(b board) (lines []string) {
	for y := h.size - 1; y >= 0; y-- {
		row := strings.Split(string(b[y*h.size:(y+1)*h.size]), "")
		lines = append(lines, strings.Repeat(" ", h.size-1-y)+strings.Join(row, " "))
	}
	return lines
}

// choose returns the first bot: it plays each move some times to the end at random, and
// takes the one that wins most.
func choose(t *kit.Turn) engine.Move {
	pos, me := t.Position, t.Position.Turn()
	list := pos.Legal(nil)
	wins := make([]int, len(list))
	best := 0
	for range 20 {
		for i, m := range list {
			before := pos.Ply()
			for pos.Play(m); !pos.Outcome().Over; {
				next := pos.Legal(nil)
				pos.Play(next[t.Rand.IntN(len(next))])
			}
			if pos.Outcome().Winner == me {
				wins[i]++
			}
			for pos.Ply() > before {
				pos.Undo()
			}
			if wins[i] > wins[best] {
				best = i
			}
			if t.Stop() {
				return list[best]
			}
		}
	}
	return list[best]
}

func main() {
	size := 11
	var err error
	if len(os.Args) > 1 {
		if size, err = strconv.Atoi(os.Args[1]); err != nil || size < 1 || size > 26 {
			fmt.Fprintln(os.Stderr, "a size is a number from 1 to 26")
			os.Exit(2)
		}
	}
	game, err := kit.NewGame(newHex(size).rules())
	if err == nil {
		err = kit.Run(kit.Bot{Name: "Hex", Author: "botarena", Own: game, Choose: choose}, os.Stdin, os.Stdout, time.Now)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
