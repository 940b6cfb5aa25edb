package breakthrough_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"botarena/engine/breakthrough"
	"botarena/engine/enginetest"

	"pgregory.net/rapid"
)

// naive is the rules once more, the slow and obvious way: rows of letters from
// the top.
type naive struct {
	rows  [][]byte
	white bool
}

func naiveOf(text string) naive {
	placement, side, _ := strings.Cut(text, " ")
	n := naive{white: side == "w"}
	for row := range strings.SplitSeq(placement, "/") {
		var cells []byte
		run := 0
		for _, c := range []byte(row + "$") {
			if c >= '0' && c <= '9' {
				run = run*10 + int(c-'0')
				continue
			}
			cells = append(cells, strings.Repeat(".", run)...)
			run = 0
			if c != '$' {
				cells = append(cells, c)
			}
		}
		n.rows = append(n.rows, cells)
	}
	return n
}

func (n naive) over() bool {
	all := ""
	for _, row := range n.rows {
		all += string(row)
	}
	return strings.Contains(string(n.rows[0]), "P") || strings.Contains(string(n.rows[len(n.rows)-1]), "p") ||
		!strings.Contains(all, "P") || !strings.Contains(all, "p")
}

func (n naive) legal() map[string]bool {
	moves := make(map[string]bool)
	if n.over() {
		return moves
	}
	own, enemy, step := byte('p'), byte('P'), 1
	if n.white {
		own, enemy, step = 'P', 'p', -1
	}
	for r, row := range n.rows {
		for f, piece := range row {
			if piece != own {
				continue
			}
			for df := -1; df <= 1; df++ {
				if f+df < 0 || f+df >= len(row) {
					continue
				}
				target := n.rows[r+step][f+df]
				if target == '.' || df != 0 && target == enemy {
					moves[fmt.Sprintf("%c%d%c%d", 'a'+f, len(n.rows)-r, 'a'+f+df, len(n.rows)-r-step)] = true
				}
			}
		}
	}
	return moves
}

func (n naive) play(move string) {
	var f1, f2 rune
	var r1, r2 int
	if _, err := fmt.Sscanf(move, "%c%d%c%d", &f1, &r1, &f2, &r2); err != nil {
		panic(err)
	}
	h := len(n.rows)
	n.rows[h-r2][f2-'a'], n.rows[h-r1][f1-'a'] = n.rows[h-r1][f1-'a'], '.'
}

func TestAgainstNaive(t *testing.T) {
	enginetest.Check(t, 12, func(rt *rapid.T) {
		cols := rapid.IntRange(breakthrough.MinCols, breakthrough.MaxCols).Draw(rt, "cols")
		rows := rapid.IntRange(breakthrough.MinRows, breakthrough.MaxRows).Draw(rt, "rows")
		if rapid.Bool().Draw(rt, "small") {
			cols, rows = min(cols, 12), min(rows, 12)
		}
		game, err := breakthrough.New(cols, rows)
		if err != nil {
			rt.Fatal(err)
		}
		pos := game.Start()
		if rapid.Bool().Draw(rt, "composed") {
			pos, err = game.Parse(composed(rt, cols, rows))
			if err != nil {
				rt.Fatal(err)
			}
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		for {
			slow := naiveOf(pos.String())
			want, got := slow.legal(), pos.Legal(nil)
			if len(want) != len(got) || pos.Outcome().Over != slow.over() {
				rt.Fatalf("%s: %d legal moves, over %v; want %d, %v", pos, len(got), pos.Outcome().Over, len(want), slow.over())
			}
			for _, m := range got {
				if text := string(pos.AppendMove(nil, m)); !want[text] {
					rt.Fatalf("%s: %s is not legal", pos, text)
				}
			}
			if len(got) == 0 {
				return
			}
			m := got[rng.IntN(len(got))]
			slow.play(string(pos.AppendMove(nil, m)))
			slow.white = !slow.white
			pos.Play(m)
			if again := naiveOf(pos.String()); fmt.Sprint(again) != fmt.Sprint(slow) {
				rt.Fatalf("%s: the naive board is %s", pos, slow.rows)
			}
		}
	})
}

// composed draws a position that no game need lead to, without pieces on the
// other's home row.
func composed(rt *rapid.T, cols, rows int) string {
	density := rapid.IntRange(1, 9).Draw(rt, "density")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "placement"), 0))
	var text []string
	for r := range rows {
		row := ""
		for range cols {
			letters := []string{"P", "p"}
			switch r {
			case 0:
				letters = []string{"p", "p"}
			case rows - 1:
				letters = []string{"P", "P"}
			}
			if rng.IntN(10) < density {
				row += letters[rng.IntN(2)]
			} else {
				row += "."
			}
		}
		text = append(text, row)
	}
	if !strings.ContainsAny(strings.Join(text, ""), "Pp") {
		text[rows-1] = "P" + text[rows-1][1:]
	}
	return withRuns(strings.Join(text, "/")) + " " + rapid.SampledFrom([]string{"w", "b"}).Draw(rt, "turn")
}

// withRuns writes runs of dots as their numbers.
func withRuns(text string) string {
	for run := breakthrough.MaxCols; run > 0; run-- {
		text = strings.ReplaceAll(text, strings.Repeat(".", run), strconv.Itoa(run))
	}
	return text
}
