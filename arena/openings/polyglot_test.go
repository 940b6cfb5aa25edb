package openings

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"botarena/arena"
	"botarena/engine"
)

// walked returns the position after moves in chess, and the last of them.
func walked(t *testing.T, line string) (pos engine.Position, last string) {
	t.Helper()
	moves := strings.Fields(line)
	if len(moves) > 0 {
		last = moves[len(moves)-1]
	}
	return at(t, lookup(t, "chess"), arena.Opening{Moves: moves}), last
}

// polyglotBytes is a book of positions, each given by the moves to it, "" for the
// start; of each, moves as "e2e4=weight".
func polyglotBytes(t *testing.T, lines map[string]string) []byte {
	t.Helper()
	start := binary.BigEndian.AppendUint64(nil, 0x463b96181691fc9c)
	b, err := ReadPolyglot(append(start, make([]byte, 8)...), "x.bin", lookup(t, "chess"))
	if err != nil {
		t.Fatal(err)
	}
	var entries []polyglotEntry
	for line, moves := range lines {
		pos, last := walked(t, line)
		for text := range strings.FieldsSeq(moves) {
			var weight uint16
			move, w, _ := strings.Cut(text, "=")
			if _, err := fmt.Sscan(w, &weight); err != nil {
				t.Fatal(err)
			}
			square := func(s string) uint16 { return uint16(s[0]-'a') | uint16(s[1]-'1')<<3 }
			bits := square(move[:2])<<6 | square(move[2:4])
			if len(move) > 4 {
				bits |= uint16(strings.IndexByte(" nbrq", move[4])) << 12
			}
			entries = append(entries, polyglotEntry{b.key(pos.String(), last), bits, weight})
		}
	}
	slices.SortFunc(entries, func(a, b polyglotEntry) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.move, b.move)) })
	var data []byte
	for _, e := range entries {
		data = binary.BigEndian.AppendUint64(data, e.key)
		data = binary.BigEndian.AppendUint16(data, e.move)
		data = binary.BigEndian.AppendUint16(data, e.weight)
		data = append(data, 0, 0, 0, 0)
	}
	return data
}

// The positions and keys that the format's description gives as tests.
func TestPolyglotKeys(t *testing.T) {
	tests := []struct {
		moves, fen string
		key        uint64
	}{
		{"", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0x463b96181691fc9c},
		{"e2e4", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", 0x823c9b50fd114196},
		{"e2e4 d7d5", "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 2", 0x0756b94461c50fb0},
		{"e2e4 d7d5 e4e5", "rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2", 0x662fafb965db29d4},
		{"e2e4 d7d5 e4e5 f7f5", "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", 0x22a48b5a8e47ff78},
		{"e2e4 d7d5 e4e5 f7f5 e1e2", "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR b kq - 0 3", 0x652a607ca3f242c1},
		{"e2e4 d7d5 e4e5 f7f5 e1e2 e8f7", "rnbq1bnr/ppp1pkpp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR w - - 0 4", 0x00fdd303c946bdd9},
		{"a2a4 b7b5 h2h4 b5b4 c2c4", "rnbqkbnr/p1pppppp/8/8/PpP4P/8/1P1PPPP1/RNBQKBNR b KQkq c3 0 3", 0x3c8123ea7b067637},
		{"a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3", "rnbqkbnr/p1pppppp/8/8/P6P/R1p5/1P1PPPP1/1NBQKBNR b Kkq - 0 4", 0x5c3f9b829b279560},
	}
	b, err := ReadPolyglot(polyglotBytes(t, map[string]string{"": "e2e4=1"}), "x.bin", lookup(t, "chess"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		pos, last := walked(t, test.moves)
		if got := b.key(pos.String(), last); got != test.key {
			t.Errorf("%s: key %016x, want %016x (%s)", test.moves, got, test.key, test.fen)
		}
	}
}

func TestPolyglotSource(t *testing.T) {
	data := polyglotBytes(t, map[string]string{
		"": "e2e4=3 d2d4=1 a2a3=0", "e2e4": "e7e5=1", "e2e4 e7e5": "g1f3=5", "e2e4 e7e5 g1f3": "b8c6=1",
		"e2e4 e7e5 g1f3 b8c6": "f1b5=1", "e2e4 e7e5 g1f3 b8c6 f1b5": "g8f6=1", "e2e4 e7e5 g1f3 b8c6 f1b5 g8f6": "e1h1=2",
		"d2d4": "d7d5=1 g8f6=1",
	})
	b, err := ReadPolyglot(data, "x.bin", lookup(t, "chess"))
	if err != nil {
		t.Fatal(err)
	}
	all := func(plies, start int, seed uint64) []string {
		t.Helper()
		s, err := b.Source(plies, start, seed)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for i := range 20 {
			o, err := s.Opening(i)
			if err != nil {
				t.Fatal(err)
			}
			if n := s.Len(); n > 0 && i >= n-start+1 {
				break
			}
			list = append(list, strings.Join(o.Moves, " "))
		}
		return list
	}
	got := all(0, 1, 7)
	if again := all(0, 1, 7); !slices.Equal(got, again) {
		t.Errorf("one seed gives %q, then %q", got, again)
	}
	if later := all(0, 2, 7); !slices.Equal(later, got[1:]) {
		t.Errorf("from the second on it is %q, after %q", later, got)
	}
	slices.Sort(got)
	// The book's last move castles, as king takes rook; moves of no weight are not played.
	if want := []string{"d2d4 d7d5", "d2d4 g8f6", "e2e4 e7e5 g1f3 b8c6 f1b5 g8f6 e1g1"}; !slices.Equal(got, want) {
		t.Errorf("openings %q, want %q", got, want)
	}
	short := all(1, 1, 7)
	slices.Sort(short)
	if want := []string{"d2d4", "e2e4"}; !slices.Equal(short, want) {
		t.Errorf("openings of a ply %q, want %q", short, want)
	}
	// By weight, e4 comes first three times out of four.
	first := 0
	for seed := range uint64(400) {
		s, err := b.Source(1, 1, seed)
		if err != nil {
			t.Fatal(err)
		}
		if o, err := s.Opening(0); err == nil && reflect.DeepEqual(o, arena.Opening{Moves: []string{"e2e4"}}) {
			first++
		}
	}
	if first < 260 || first > 340 {
		t.Errorf("e2e4, of three quarters of the weight, comes first %d times of 400", first)
	}
}

func TestPolyglotErrors(t *testing.T) {
	good := polyglotBytes(t, map[string]string{"": "e2e4=1", "e2e4": "e7e5=1"})
	swapped := append(slices.Clone(good[16:]), good[:16]...)
	tests := map[string]struct {
		data []byte
		want string
	}{
		"empty":     {nil, "the book is empty"},
		"cut":       {good[:20], "20 bytes are no whole number of entries of 16 bytes"},
		"unordered": {swapped, "entry 2 (byte 16) is not in the order of the keys"},
		"no start":  {polyglotBytes(t, map[string]string{"e2e4": "e7e5=1"}), "no move for the start"},
	}
	for name, test := range tests {
		if _, err := ReadPolyglot(test.data, "x.bin", lookup(t, "chess")); err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "x.bin: ") {
			t.Errorf("%s: error %v, want %s", name, err, test.want)
		}
	}
	b, err := ReadPolyglot(polyglotBytes(t, map[string]string{"": "e2e5=1"}), "x.bin", lookup(t, "chess"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Source(0, 1, 1); err == nil || !strings.Contains(err.Error(), "not legal") {
		t.Errorf("an illegal move: %v", err)
	}
	if _, err := ReadPolyglot(good, "x.bin", lookup(t, "chess:960")); err == nil || !strings.Contains(err.Error(), "is for chess, not chess:960") {
		t.Errorf("Chess960: %v", err)
	}
	b, err = ReadPolyglot(good, "x.bin", lookup(t, "chess"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Source(0, 5, 1); err == nil || !strings.Contains(err.Error(), "openings start at 5, but only 1 were found") {
		t.Errorf("a start beyond the end: %v", err)
	}
}
