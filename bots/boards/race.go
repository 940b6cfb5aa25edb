package boards

import (
	"botarena/bots/minimax"
	"botarena/engine"
)

// lead returns how many steps the foremost pieces are from home, those of the side to
// move and the enemy's; the number of rows if there are none.
func (b *breakthroughBoard) lead() (mine, his int) {
	me, he := &b.row[b.side&1], &b.row[1-b.side&1]
	for mine = 1; mine < b.rows && me[(b.rows-1-mine)&31] == 0; mine++ {
	}
	for his = 1; his < b.rows && he[(b.rows-1-his)&31] == 0; his++ {
	}
	return mine, his
}

// race settles who runs home first. A side that runs does not look at what the other
// does, which has to be slower. There may be a quicker way to win.
func (b *breakthroughBoard) race() (score int, ok bool) {
	mine, his := b.lead()
	if steps := b.run(b.side, mine, his, 0); steps > 0 {
		return minimax.Win - 2*steps + 1, true
	}
	if steps := b.run(1-b.side, his, mine-1, 1); steps > 0 {
		return 2*steps - minimax.Win, true
	}
	return 0, false
}

// run returns in how many steps, of so many to so many, a piece of the side runs home; 0
// where none does.
func (b *breakthroughBoard) run(side engine.Side, from, to, ahead int) (steps int) {
	for steps = from; steps <= to; steps++ {
		if b.runs(side, steps, ahead) {
			return steps
		}
	}
	return 0
}

// runs reports whether one of the side's pieces that are so many steps from home gets
// there, whatever the enemy does, who is ahead by so many moves. It follows the files that
// such a piece can be on, row by row, leaving out where an enemy piece can stop it in the
// moves until then. Each of the enemy's pieces is taken to have all these moves, with
// nothing in its way, so that what is said to get home does, and not the other way round.
// A piece of its own side in its way gets home itself, and sooner.
func (b *breakthroughBoard) runs(side engine.Side, steps, ahead int) bool {
	enemy := &b.row[1-side&1]
	files := b.row[side&1][(b.rows-1-steps)&31]
	if ahead > 0 {
		files &^= spread(enemy[(steps-1)&31])
	}
	// left are the steps that are left after one: also the number of the row that it leads
	// to, seen from the enemy's home.
	for left := steps - 1; left > 0 && files != 0; left-- {
		near := enemy[(left-1)&31]
		there, taken := enemy[left&31], spread(near)
		if moves := steps - left + ahead; moves > 1 {
			there |= near
			wide := uint32(0) // where pieces two rows away and more get to
			for far := min(moves, left); far > 1; far-- {
				wide |= enemy[(left-far)&31]
				wide |= spread(wide)
			}
			taken |= wide | spread(wide)
		}
		files = (files&^there | spread(files)&b.files) &^ taken
	}
	return files != 0
}
