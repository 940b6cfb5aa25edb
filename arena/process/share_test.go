//go:build unix

package process_test

import (
	"testing"

	"botarena/arena/process"
)

// What two share goes on until the last of them closes it; then nobody gets it.
func TestShare(t *testing.T) {
	s := newStarter(t)
	if !s.Share() {
		t.Fatal("an open starter cannot be shared")
	}
	p := sh(t, s, `echo there; read line; echo "$line"`, func(*process.Spec) {})
	wantLine(t, p, "there")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, p, "still\n")
	wantLine(t, p, "still")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s.Share() {
		t.Error("a closed starter is shared")
	}
}
