// Package weights reads and writes tables of learnt weights. A file has a line that names
// its kind, what it is for, as its kind writes that, and two bytes a weight, the lower one
// first.
package weights

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// Unit is the number of units of a weight in a centipawn, in every table.
const Unit = 16

// Encode returns weights behind the head of their file.
func Encode(head string, list []int16) []byte {
	data := []byte(head)
	for _, w := range list {
		data = binary.LittleEndian.AppendUint16(data, uint16(w))
	}
	return data
}

// Decode reads so many weights behind that head. The error says what is wrong with the
// data.
func Decode(data []byte, head string, size int) ([]int16, error) {
	rest, ok := strings.CutPrefix(string(data), head)
	kind, _, _ := strings.Cut(head, "\n")
	switch {
	case !ok && strings.HasPrefix(string(data), kind+"\n"):
		return nil, fmt.Errorf("the table of %s is for another game", strings.TrimPrefix(kind, "arena "))
	case !ok:
		return nil, errors.New("no table for this game: it begins otherwise")
	case len(rest) != 2*size:
		return nil, fmt.Errorf("a table for this game has %d weights, this has %d bytes", size, len(rest))
	}
	list := make([]int16, size)
	for i := range list {
		list[i] = int16(binary.LittleEndian.Uint16(data[len(head)+2*i:]))
	}
	return list, nil
}
