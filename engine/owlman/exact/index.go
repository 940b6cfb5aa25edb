package exact

import (
	"math/bits"

	"botarena/engine/owlman/board"
)

// Most is the maximum number of helpers.
const Most = 12

const (
	half     = 15 // bits in a half of a set of squares
	halfMask = 1<<half - 1
	groups   = 20 // Doc's squares up to the board's reflection
)

// A block is the states with Doc and Owlman on two squares. Boards that are each
// other's reflection along the diagonal from a8 to h1 share one: Doc stands on
// the diagonal or below it, and where he stands on it, so does Owlman.
type block struct {
	doc, owl  uint8
	low, high uint32 // the squares below the lower of the two, and below the higher one
	first     uint8  // the lower of the two
	second    uint8  // the higher of the two, less one
	tower     uint8  // 1 where one of them stands on h1, which leaves helpers a square more
	both      bool   // both stand on the diagonal: a state and its reflection are two
	group     int
}

// A space numbers the states of the game. A state with n helpers is its block and
// the rank of the helpers' set among the sets of n of the squares that are free to
// them: 30 where Doc or Owlman stands on the tower, else 29, as no helper does.
//
// Sets are in order of how many of them are in the lower half of the squares, then
// by the upper half, then by the lower, each half in the order of numbers.
type space struct {
	geo    board.Geometry
	blocks []block
	at     [board.Squares][board.Squares]place // by Doc's and Owlman's squares
	rank   [1 << half]uint16                   // of a half among those with as many bits
	halves [half + 1][]uint16                  // the halves with so many bits, by rank
	count  [half + 1]uint32                    // how many they are
	base   [2][Most + 1][half + 2]uint32       // of the first set with so many in the lower half
	mirror [4][256]uint32
}

type place struct {
	block    int16
	mirrored bool
}

func newSpace() *space {
	s := &space{geo: board.New()}
	for set := range 1 << half {
		n := bits.OnesCount(uint(set))
		s.rank[set] = uint16(len(s.halves[n]))
		s.halves[n] = append(s.halves[n], uint16(set))
		s.count[n]++
	}
	for tower := range 2 {
		upper := half - 1 + tower
		for n := range Most + 1 {
			at := uint32(0)
			for low := range half + 1 {
				s.base[tower][n][low] = at
				if low <= n {
					at += binomial(half, low) * binomial(upper, n-low)
				}
			}
			s.base[tower][n][half+1] = at
		}
	}
	for sq := range uint8(board.Squares) {
		image := board.Bit(reflect(sq))
		for set := range 256 {
			if set>>(sq%8)&1 != 0 {
				s.mirror[sq/8][set] |= image
			}
		}
	}
	group := -1
	for doc := range uint8(board.Squares) {
		if reflect(doc) < doc {
			continue
		}
		group++
		for owl := range uint8(board.Squares) {
			if owl == doc || reflect(doc) == doc && reflect(owl) < owl {
				continue
			}
			first, second := min(doc, owl), max(doc, owl)-1
			b := block{
				doc: doc, owl: owl, first: first, second: second,
				low: 1<<first - 1, high: 1<<second - 1,
				group: group,
				both:  reflect(doc) == doc && reflect(owl) == owl,
			}
			if doc == board.H1 || owl == board.H1 {
				b.tower = 1
			}
			number := int16(len(s.blocks))
			s.at[doc][owl] = place{number, false}
			if !b.both {
				s.at[reflect(doc)][reflect(owl)] = place{number, true}
			}
			s.blocks = append(s.blocks, b)
		}
	}
	return s
}

// reflect returns a square's image along the diagonal from a8 to h1.
func reflect(sq uint8) uint8 {
	col, row := board.Place(sq)
	image, _ := board.SquareAt(row, col)
	return image
}

func binomial(n, k int) uint32 {
	if k < 0 || k > n {
		return 0
	}
	c := 1
	for i := range k {
		c = c * (n - i) / (i + 1)
	}
	return uint32(c)
}

// reflected returns a set's image.
func (s *space) reflected(set uint32) uint32 {
	return s.mirror[0][set&255] | s.mirror[1][set>>8&255] | s.mirror[2][set>>16&255] | s.mirror[3][set>>24]
}

// size returns how many states with n helpers a block has.
func (s *space) size(b *block, n int) uint32 { return s.base[b.tower][n][half+1] }

// index returns the rank of a set of n helpers in a block.
func (s *space) index(b *block, n int, helpers uint32) uint32 {
	return s.rankIn(b, &s.base[b.tower][n], helpers)
}

// rankIn is index, with the row of base for the block and the number of helpers.
func (s *space) rankIn(b *block, base *[half + 2]uint32, helpers uint32) uint32 {
	x := helpers&b.low | helpers>>1&^b.low // without the lower square
	x = x&b.high | x>>1&^b.high            // nor the higher one
	low, high := x&halfMask, x>>half&halfMask
	k := bits.OnesCount32(low) & half
	return base[k] + uint32(s.rank[high])*s.count[k] + uint32(s.rank[low])
}

// helpers returns the inverse of index.
func (s *space) helpers(b *block, n int, index uint32) uint32 {
	base := &s.base[b.tower][n]
	k := 0
	for base[k+1] <= index {
		k++
	}
	index -= base[k]
	count := s.count[k]
	x := uint32(s.halves[k][index%count]) | uint32(s.halves[n-k][index/count])<<half
	x = x&b.high | x&^b.high<<1
	return x&b.low | x&^b.low<<1
}

// locate returns the block of a state and its helpers as that block has them.
func (s *space) locate(doc, owl uint8, helpers uint32) (int, uint32) {
	p := s.at[doc][owl]
	if p.mirrored {
		helpers = s.reflected(helpers)
	}
	return int(p.block), helpers
}
