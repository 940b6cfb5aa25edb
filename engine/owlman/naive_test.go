package owlman_test

import (
	"fmt"
	"slices"
	"strings"
)

// naive is a second reading of the rules, written to be plain and slow: a
// map from square names to letters, and a history that is never cut short.
type naive struct {
	on       map[string]byte
	turn     byte
	daybreak bool
	nights   int
	made     map[string][]string // Owlman's moves, by position text
}

func newNaive(text string, daybreak bool) *naive {
	n := &naive{on: map[string]byte{}, daybreak: daybreak, made: map[string][]string{}}
	board, side, _ := strings.Cut(text, " ")
	n.turn = side[0]
	for i, row := range strings.Split(board, "/") {
		file := 'a'
		for _, c := range row {
			if c >= '1' && c <= '8' {
				file += c - '0'
				continue
			}
			n.on[fmt.Sprintf("%c%d", file, 8-i)] = byte(c)
			file++
		}
	}
	return n
}

func (n *naive) text() string {
	var b strings.Builder
	for rank := 8; rank >= 1; rank-- {
		gap := 0
		for file := 'a'; file <= 'h'; file++ {
			piece, ok := n.on[fmt.Sprintf("%c%d", file, rank)]
			if !ok {
				gap++
				continue
			}
			if gap > 0 {
				fmt.Fprint(&b, gap)
			}
			gap = 0
			b.WriteByte(piece)
		}
		if gap > 0 {
			fmt.Fprint(&b, gap)
		}
		if rank > 1 {
			b.WriteByte('/')
		}
	}
	return b.String() + " " + string(n.turn)
}

// shift returns the square so many files and ranks away.
func shift(square string, files, ranks int) (string, bool) {
	f, r := int(square[0])+files, int(square[1])+ranks
	return string([]byte{byte(f), byte(r)}), f >= 'a' && f <= 'h' && r >= '1' && r <= '8'
}

func (n *naive) find(piece byte) string {
	for square, p := range n.on {
		if p == piece {
			return square
		}
	}
	return ""
}

func (n *naive) count(piece byte) (c int) {
	for _, p := range n.on {
		if p == piece {
			c++
		}
	}
	return c
}

// moves lists what the mover could play if the game were not over.
func (n *naive) moves() []string {
	var list []string
	for from, piece := range n.on {
		if (piece == 'O') != (n.turn == 'b') {
			continue
		}
		for df := -3; df <= 3; df++ {
			for dr := -3; dr <= 3; dr++ {
				step := df*df == 1 && dr*dr == 1
				swoop := piece == 'O' && df*df+dr*dr == 10
				to, ok := shift(from, df, dr)
				if !ok || !step && !swoop || piece == 'O' && from == "h1" {
					continue
				}
				target, taken := n.on[to]
				catchesDoc := piece == 'O' && target == 'D' && to == "h1"
				if taken && !catchesDoc || piece != 'O' && to == "h1" {
					continue
				}
				list = append(list, from+to)
			}
		}
		if piece == 'O' && from == "h1" {
			for to, target := range n.on {
				if target == 'H' {
					list = append(list, from+to)
				}
			}
		}
	}
	if n.turn == 'b' && !n.daybreak {
		made := n.made[n.text()]
		list = slices.DeleteFunc(list, func(m string) bool { return slices.Contains(made, m) })
	}
	slices.Sort(list)
	return list
}

func (n *naive) outcome() (winner, reason string) {
	doc := n.find('D')
	switch {
	case doc == "":
		return "owlman", "doc captured"
	case n.count('H') == 0:
		return "owlman", "last helper captured"
	case doc == "a8" && n.on["b7"] == 'H':
		return "doc", "lair reached"
	case len(n.moves()) == 0 && n.turn == 'b':
		return "doc", "owlman trapped"
	case len(n.moves()) == 0:
		return "owlman", "no legal move"
	case n.daybreak && n.nights >= 49:
		return "owlman", "daybreak"
	}
	return "", ""
}

func (n *naive) play(move string) {
	from, to := move[:2], move[2:]
	if n.turn == 'w' {
		n.on[to] = n.on[from]
		delete(n.on, from)
		n.nights++
		n.turn = 'b'
		return
	}
	n.made[n.text()] = append(n.made[n.text()], move)
	delete(n.on, from)
	n.on[to] = 'O' // whoever stood there is gone
	df, dr := int(to[0])-int(from[0]), int(to[1])-int(from[1])
	if df*df == 1 && dr*dr == 1 && from != "h1" {
		for at, ok := shift(to, df, dr); ok; at, ok = shift(at, df, dr) {
			if piece, met := n.on[at]; met {
				if piece == 'H' {
					delete(n.on, at)
				}
				break
			}
		}
	}
	n.turn = 'w'
}
