package exchange_test

import (
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"

	"botarena/arena/exchange"
)

type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

// A small compressed file of one endless record is refused soon.
func TestRecordWithoutEnd(t *testing.T) {
	for _, start := range []string{"", "a,\""} {
		packed, in := io.Pipe()
		go func() {
			z := gzip.NewWriter(in)
			_, err := io.Copy(z, io.MultiReader(strings.NewReader(start), io.LimitReader(letters{}, 64<<20)))
			_ = in.CloseWithError(errors.Join(err, z.Close()))
		}()
		var r exchange.ResultsReader
		err := r.Read("games.csv.gz", packed)
		_ = packed.Close()
		if err == nil || !strings.Contains(err.Error(), "a record is longer than 1 MiB") {
			t.Errorf("%q: %.300v", start, err)
		}
	}
}

func TestProblemsAreShort(t *testing.T) {
	err := &exchange.ParseError{File: "x", Line: 1, Err: errors.New(strings.Repeat("y", 5<<20))}
	if got := len(err.Error()); got > 1000 {
		t.Errorf("%d bytes", got)
	}
}
