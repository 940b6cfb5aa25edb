package listing_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"botarena/arena/listing"
)

// A stream prints what the table of all its rows would, where no later row is
// wider than the first ones.
func TestStreamIsTheTable(t *testing.T) {
	for _, f := range []listing.Format{listing.Text, listing.Markdown, listing.CSV} {
		for _, rows := range []int{0, 1, 99, 100, 101, 350} {
			want := listing.Table{Columns: []listing.Column{{Name: "No"}, {Name: "Name", Left: true}, {Name: "Plies"}}}
			if f != listing.CSV {
				want.Notes = []string{"The end."}
			}
			var got, all bytes.Buffer
			s := listing.NewStream(&got, f, want.Columns)
			for i := range rows {
				row := []any{fmt.Sprint(100 + i), []string{"é|*", "小", "=long name", "\x1b[2J"}[i%4], fmt.Sprint(i % 7)}
				want.Rows = append(want.Rows, row)
				if err := s.Add(row); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Close(want.Notes...); err != nil {
				t.Fatal(err)
			}
			if err := want.Write(&all, f); err != nil {
				t.Fatal(err)
			}
			if got.String() != all.String() {
				t.Errorf("%s of %d rows:\n%s\nwant\n%s", f, rows, got.String(), all.String())
			}
		}
	}
}

// The first lines are out long before the last one is in.
func TestStreamStartsAtOnce(t *testing.T) {
	var out bytes.Buffer
	s := listing.NewStream(&out, listing.Text, []listing.Column{{Name: "No"}})
	for i := range 200 {
		if err := s.Add([]any{fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(out.String(), "\n"); n < 200 {
		t.Errorf("%d lines are out before the end", n)
	}
}

// Rows look alike whether the library lays them out or not, and the widest cell decides
// wherever it is: a table from its end has the same lines.
func TestLongTable(t *testing.T) {
	for _, f := range []listing.Format{listing.Text, listing.Markdown} {
		table := listing.Table{Columns: []listing.Column{{Name: "No"}, {Name: "Name", Left: true}, {Name: "Plies"}}}
		for i := range 250 {
			table.Rows = append(table.Rows, []any{i * i, strings.Repeat("小é|", i%9), i % 7})
		}
		lines := func() []string {
			var b bytes.Buffer
			if err := table.Write(&b, f); err != nil {
				t.Fatal(err)
			}
			return slices.Sorted(strings.Lines(b.String()))
		}
		forth := lines()
		slices.Reverse(table.Rows)
		if back := lines(); !slices.Equal(forth, back) {
			t.Errorf("%s: the first lines are\n%s%s", f, forth[0], back[0])
		}
	}
}
