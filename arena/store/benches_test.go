package store

import "testing"

// Benches of a bot are listed in their order; one that replaces forgets those of its own
// version and task alone, by its program or its label.
func TestBenches(t *testing.T) {
	t.Parallel()
	s := openTest(t)
	ctx := t.Context()
	add := func(b Bench, replace bool) {
		t.Helper()
		b.Bot, b.Game = "mine", "chess"
		if err := s.AddBench(ctx, b, replace); err != nil {
			t.Fatal(err)
		}
	}
	add(Bench{Fingerprint: "f1", Label: "1.0", Task: "a", Nodes: 1}, false)
	add(Bench{Fingerprint: "f2", Label: "1.0", Task: "a", Nodes: 2}, false)
	add(Bench{Fingerprint: "f1", Label: "1.0", Task: "b", Nodes: 3}, false)
	add(Bench{Fingerprint: "f3", Task: "a", Nodes: 4}, false)
	add(Bench{Fingerprint: "f4", Task: "a", Nodes: 5}, false)
	add(Bench{Fingerprint: "f2", Label: "1.0", Task: "a", Nodes: 6}, true)
	add(Bench{Fingerprint: "f4", Task: "a", Nodes: 7}, true)
	list, err := s.Benches(ctx, "mine")
	if err != nil {
		t.Fatal(err)
	}
	var nodes []int64
	for _, b := range list {
		nodes = append(nodes, b.Nodes)
	}
	if len(nodes) != 4 || nodes[0] != 3 || nodes[1] != 4 || nodes[2] != 6 || nodes[3] != 7 || list[2].Created.IsZero() {
		t.Errorf("benches of %v nodes: %+v", nodes, list)
	}
	if none, err := s.Benches(ctx, "other"); err != nil || len(none) != 0 {
		t.Errorf("of another bot: %v, %v", none, err)
	}
	a, b := Bench{Bot: "x", Fingerprint: "1"}, Bench{Bot: "x", Fingerprint: "2"}
	if a.Of(&b) {
		t.Error("two programs without a label are taken for one version")
	}
}
