package exact

import (
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	"botarena/engine/owlman/board"
)

// The numbers of states, from the size of the space worked out on paper.
func TestSizes(t *testing.T) {
	s := newSpace()
	if len(s.blocks) != 524 {
		t.Errorf("%d blocks, want 524", len(s.blocks))
	}
	for n, want := range map[int]uint64{4: 12_584_376, 6: 253_423_170, 8: 2_308_393_620, 10: 10_876_295_430, 12: 28_508_166_960} {
		if got := s.states(n); got != want {
			t.Errorf("%d helpers: %d states, want %d", n, got, want)
		}
	}
	if last := s.blocks[len(s.blocks)-1].group; last != groups-1 {
		t.Errorf("last group %d, want %d", last, groups-1)
	}
}

// Every set has a rank of its own, below the size, and comes back from it.
func TestIndexRoundTrip(t *testing.T) {
	s := newSpace()
	for _, b := range []int{0, 18, 200, 523} {
		b := &s.blocks[b]
		for n := range 4 {
			last := uint32(0)
			for i := range s.size(b, n) {
				set := s.helpers(b, n, i)
				if bits.OnesCount32(set) != n || set&(board.Bit(b.doc)|board.Bit(b.owl)|board.Bit(board.H1)) != 0 || i > 0 && set == last {
					t.Fatalf("block %d %d: set %d of %d helpers is %08x", b.doc, b.owl, i, n, set)
				}
				if got := s.index(b, n, set); got != i {
					t.Fatalf("block %d %d: %08x has rank %d, want %d", b.doc, b.owl, set, got, i)
				}
				last = set
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		b := &s.blocks[rapid.IntRange(0, len(s.blocks)-1).Draw(t, "block")]
		n := rapid.IntRange(0, Most).Draw(t, "helpers")
		i := rapid.Uint32Range(0, s.size(b, n)-1).Draw(t, "index")
		if got := s.index(b, n, s.helpers(b, n, i)); got != i {
			t.Errorf("rank %d became %d", i, got)
		}
	})
}

// A state and its reflection are one.
func TestReflection(t *testing.T) {
	s := newSpace()
	rapid.Check(t, func(t *rapid.T) {
		b := &s.blocks[rapid.IntRange(0, len(s.blocks)-1).Draw(t, "block")]
		n := rapid.IntRange(0, Most).Draw(t, "helpers")
		set := s.helpers(b, n, rapid.Uint32Range(0, s.size(b, n)-1).Draw(t, "index"))
		if got := s.reflected(s.reflected(set)); got != set {
			t.Errorf("%08x reflected twice is %08x", set, got)
		}
		at, image := s.locate(reflect(b.doc), reflect(b.owl), s.reflected(set))
		here, same := s.locate(b.doc, b.owl, set)
		if at != here || image != same && reflect(b.doc) != b.doc {
			t.Errorf("%d %d %08x is in block %d as %08x, its image in %d as %08x", b.doc, b.owl, set, here, same, at, image)
		}
	})
}
