package outwit

import (
	"fmt"
	"strings"
)

// A naive is Outwit once more, written from the written rules alone and slowly: a
// board of letters, moves as texts, no table. The tests compare it with the
// package. Its x is 1 to 9 for files a to i, its y is the rank.
type naive struct {
	at      [Files + 1][Ranks + 1]byte // a letter, '.' where empty
	turn    byte                       // 'l' or 'd'
	variant string
}

func newNaive(variant, text string) *naive {
	n := &naive{variant: variant}
	for x := range n.at {
		for y := range n.at[x] {
			n.at[x][y] = '.'
		}
	}
	board, turn, _ := strings.Cut(text, " ")
	n.turn = turn[0]
	for i, row := range strings.Split(board, "/") {
		x := 1
		for _, c := range []byte(row) {
			if c >= '1' && c <= '9' {
				x += int(c - '0')
				continue
			}
			n.at[x][10-i] = c
			x++
		}
	}
	return n
}

func (n *naive) text() string {
	var b strings.Builder
	for y := 10; y >= 1; y-- {
		for x := 1; x <= 9; x++ {
			b.WriteByte(n.at[x][y])
		}
		if y > 1 {
			b.WriteByte('/')
		}
	}
	s := b.String()
	for k := 9; k >= 1; k-- {
		s = strings.ReplaceAll(s, strings.Repeat(".", k), fmt.Sprint(k))
	}
	return s + " " + string(n.turn)
}

func onBoard(x, y int) bool { return x >= 1 && x <= 9 && y >= 1 && y <= 10 }

// owner is 'l', 'd' or 0.
func owner(chip byte) byte {
	switch chip {
	case 'S', 'K':
		return 'l'
	case 's', 'k':
		return 'd'
	}
	return 0
}

func opponent(side byte) byte { return 'l' + 'd' - side }

// inCorner reports whether the square is in that side's corner.
func inCorner(side byte, x, y int) bool {
	if side == 'l' {
		return x >= 7 && y >= 8
	}
	return x <= 3 && y <= 3
}

// mayGo reports whether the corners let a chip of that side go from square to square.
func mayGo(side byte, x, y, toX, toY int) bool {
	if inCorner(opponent(side), toX, toY) {
		return false
	}
	return !inCorner(side, x, y) || inCorner(side, toX, toY)
}

func square(x, y int) string { return fmt.Sprintf("%c%d", 'a'+x-1, y) }

func unsquare(s string) (x, y int) {
	x = int(s[0]-'a') + 1
	_, _ = fmt.Sscanf(s[1:], "%d", &y)
	return x, y
}

// moves lists the moves of the side to move, whatever ended the game.
func (n *naive) moves() []string {
	var list []string
	for x := 1; x <= 9; x++ {
		for y := 1; y <= 10; y++ {
			if owner(n.at[x][y]) != n.turn {
				continue
			}
			for dx := -1; dx <= 1; dx++ {
				for dy := -1; dy <= 1; dy++ {
					if dx == 0 && dy == 0 {
						continue
					}
					list = append(list, n.slides(x, y, dx, dy)...)
					if n.variant == "jump" {
						list = append(list, n.jumps(x, y, dx, dy)...)
					}
					if n.variant == "push" && dx*dy == 0 {
						list = append(list, n.pushes(x, y, dx, dy)...)
					}
				}
			}
		}
	}
	return list
}

func (n *naive) isKing(x, y int) bool { return n.at[x][y] == 'K' || n.at[x][y] == 'k' }

func (n *naive) slides(x, y, dx, dy int) []string {
	if dx*dy != 0 && !n.isKing(x, y) {
		return nil
	}
	var stops []string
	for toX, toY := x, y; ; {
		nextX, nextY := toX+dx, toY+dy
		if !onBoard(nextX, nextY) || n.at[nextX][nextY] != '.' || !mayGo(n.turn, toX, toY, nextX, nextY) {
			break
		}
		toX, toY = nextX, nextY
		stops = append(stops, square(x, y)+square(toX, toY))
	}
	if len(stops) > 0 && !n.isKing(x, y) {
		stops = stops[len(stops)-1:]
	}
	return stops
}

func (n *naive) jumps(x, y, dx, dy int) []string {
	if dx*dy != 0 && !n.isKing(x, y) {
		return nil
	}
	toX, toY := x+2*dx, y+2*dy
	if !onBoard(toX, toY) || owner(n.at[x+dx][y+dy]) != opponent(n.turn) || n.at[toX][toY] != '.' {
		return nil
	}
	if !mayGo(n.turn, x, y, toX, toY) {
		return nil
	}
	return []string{square(x, y) + square(toX, toY)}
}

// pushes lists the pushes whose rearmost chip is on x, y.
func (n *naive) pushes(x, y, dx, dy int) []string {
	var list []string
	for own := 2; own <= 3; own++ {
		for enemies := 1; enemies < own; enemies++ {
			ok, lift := true, false
			for i := 0; i <= own+enemies && ok; i++ {
				thisX, thisY := x+i*dx, y+i*dy
				nextX, nextY := thisX+dx, thisY+dy
				if !onBoard(thisX, thisY) {
					ok = false
					break
				}
				chip := n.at[thisX][thisY]
				switch {
				case i < own:
					ok = owner(chip) == n.turn && mayGo(n.turn, thisX, thisY, nextX, nextY)
				case i == own+enemies:
					ok = chip == '.'
				default:
					ok = owner(chip) == opponent(n.turn)
					if i == own+enemies-1 && inCorner(n.turn, nextX, nextY) {
						lift = true
					} else if ok {
						ok = mayGo(opponent(n.turn), thisX, thisY, nextX, nextY)
					}
				}
			}
			if !ok {
				continue
			}
			text := square(x, y) + square(x+dx, y+dy)
			if !lift {
				list = append(list, text)
				continue
			}
			for toX := 1; toX <= 9; toX++ {
				for toY := 1; toY <= 10; toY++ {
					vacated := toX == x && toY == y
					if (n.at[toX][toY] == '.' || vacated) && !inCorner(n.turn, toX, toY) {
						list = append(list, text+"="+square(toX, toY))
					}
				}
			}
		}
	}
	return list
}

// after plays one of moves.
func (n *naive) after(move string) *naive {
	next := *n
	next.turn = opponent(n.turn)
	move, lift, _ := strings.Cut(move, "=")
	second := 1 + strings.IndexAny(move[1:], "abcdefghi")
	x, y := unsquare(move[:second])
	toX, toY := unsquare(move[second:])
	if n.at[toX][toY] == '.' {
		next.at[toX][toY], next.at[x][y] = n.at[x][y], '.'
		return &next
	}
	dx, dy := toX-x, toY-y
	hand := byte('.')
	for thisX, thisY := x, y; ; thisX, thisY = thisX+dx, thisY+dy {
		if n.at[thisX][thisY] == '.' {
			if lift == "" {
				next.at[thisX][thisY] = hand
			} else {
				liftX, liftY := unsquare(lift)
				next.at[liftX][liftY] = hand
			}
			return &next
		}
		next.at[thisX][thisY], hand = hand, n.at[thisX][thisY]
	}
}

// allHome reports whether that side has all its chips in its corner.
func (n *naive) allHome(side byte) bool {
	for x := 1; x <= 9; x++ {
		for y := 1; y <= 10; y++ {
			if owner(n.at[x][y]) == side && !inCorner(side, x, y) {
				return false
			}
		}
	}
	return true
}

// A naiveGame is a naive with the texts that have occurred.
type naiveGame struct {
	*naive
	seen map[string]int
}

func newNaiveGame(variant, text string) *naiveGame {
	return &naiveGame{naive: newNaive(variant, text), seen: map[string]int{text: 1}}
}

func (g *naiveGame) play(move string) {
	g.naive = g.after(move)
	g.seen[g.text()]++
}

// outcome is "" while the game goes on, else winner (light, dark, draw) and reason.
func (g *naiveGame) outcome() string {
	names := map[byte]string{'l': "light", 'd': "dark"}
	for _, side := range []byte{opponent(g.turn), g.turn} {
		if g.allHome(side) {
			return names[side] + " all chips in corner"
		}
	}
	if g.seen[g.text()] >= 3 {
		return "draw threefold repetition"
	}
	if len(g.moves()) == 0 {
		return "draw no legal move"
	}
	return ""
}

// legal is moves, none if the game is over.
func (g *naiveGame) legal() []string {
	if g.outcome() != "" {
		return nil
	}
	return g.moves()
}
