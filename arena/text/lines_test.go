package text_test

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"botarena/arena/text"
)

// A line that is too long is reported once, and the lines behind it are read.
func TestLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100)
	for in, want := range map[string][]string{
		"":                                     {""},
		"a\n\nb":                               {"a\n", "\n", "b"},
		long + "\nb\n":                         {"too long", "b\n", ""},
		long:                                   {"too long", ""},
		"a\n" + long[:39] + "\nb":              {"a\n", long[:39] + "\n", "b"},
		long[:41] + "\n" + long[:41] + "\nb\n": {"too long", "too long", "b\n", ""},
	} {
		lines := text.NewLines(bufio.NewReaderSize(strings.NewReader(in), 16), 40)
		var got []string
		for {
			line, err := lines.Next()
			if errors.As(err, new(*text.LongLineError)) {
				line = []byte("too long")
			}
			got = append(got, string(line))
			if errors.Is(err, io.EOF) {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
