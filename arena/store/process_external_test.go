//go:build linux && external

package store

import (
	"strings"
	"testing"
)

func TestExternalFullDisk(t *testing.T) {
	cmd, out := child(t, "full", t.TempDir(), "e")
	lines := wait(t, cmd, out)
	if len(lines) != 2 || !strings.Contains(lines[0], "make room") || lines[1] != "kept: 0" {
		t.Errorf("%q", lines)
	}
}

func TestExternalReadOnlyFolder(t *testing.T) {
	cmd, out := child(t, "readonly", t.TempDir(), "e")
	lines := wait(t, cmd, out)
	if len(lines) != 4 || lines[3] != "events: 1 <nil>" {
		t.Fatalf("%q", lines)
	}
	for _, l := range lines[:3] {
		if !strings.Contains(l, "*store.ReadOnlyError") || !strings.Contains(l, "write permission") {
			t.Errorf("%s", l)
		}
	}
}
