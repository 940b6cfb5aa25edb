package chess

import "botarena/engine"

// shuffledGame is Chess960: chess with more than one start.
type shuffledGame struct{ *game }

// starts is the number of starts of Chess960.
const starts = 960

// Starts returns 960.
func (g shuffledGame) Starts() int { return starts }

// StartAt returns start n, from 0, as Scharnagl numbers them; 518 is that of chess.
func (g shuffledGame) StartAt(n int) engine.Position {
	row := startRow(n)
	black, rights := make([]byte, 8), ""
	for file, l := range row {
		black[file] = l + ('a' - 'A')
		if l == 'R' {
			rights = string(rune('A'+file)) + rights
		}
	}
	lower := string([]byte{rights[0] + ('a' - 'A'), rights[1] + ('a' - 'A')})
	return engine.MustParse(g, string(black)+"/pppppppp/8/8/8/8/PPPPPPPP/"+string(row[:])+" w "+rights+lower+" - 0 1")
}

// startRow returns White's first rank at a start: n tells, from its lowest digit on,
// the light bishop's place, the dark bishop's, the queen's among the squares left, and
// the two knights' among those left then.
func startRow(n int) (row [8]byte) {
	if n < 0 || n >= starts {
		panic("chess: a start of Chess960 is 0 to 959")
	}
	// free returns the k-th square that is still empty.
	free := func(k int) int {
		for file, l := range row {
			if l != 0 {
				continue
			}
			if k == 0 {
				return file
			}
			k--
		}
		panic("chess: no square is left")
	}
	row[2*(n%4)+1] = 'B'
	n /= 4
	row[2*(n%4)] = 'B'
	n /= 4
	row[free(n%6)] = 'Q'
	n /= 6
	knights := [10][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 3}, {1, 4}, {2, 3}, {2, 4}, {3, 4}}[n]
	second := free(knights[1])
	row[free(knights[0])], row[second] = 'N', 'N'
	for _, l := range []byte("RKR") {
		row[free(0)] = l
	}
	return row
}
