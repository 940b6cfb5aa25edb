package proof

import "slices"

// Edited is a copy with one answer taken out, and another put there: one that is no
// legal move, or of a position that does not come up.
func (p *Proof) Edited(without, illegal, strange int) *Proof {
	c := *p
	c.positions, c.answers = slices.Clone(p.positions), slices.Clone(p.answers)
	if illegal >= 0 {
		c.answers[illegal] = 255
	}
	if strange >= 0 {
		c.positions, c.answers = slices.Insert(c.positions, strange, c.positions[strange]-1), slices.Insert(c.answers, strange, 4)
	}
	if without >= 0 {
		c.positions, c.answers = slices.Delete(c.positions, without, without+1), slices.Delete(c.answers, without, without+1)
	}
	return &c
}
