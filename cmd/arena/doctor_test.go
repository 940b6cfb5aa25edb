package main

import (
	"fmt"
	"strings"
	"testing"

	"botarena/arena/check"
	"botarena/arena/process"
)

// What is missing is named with what to do about it.
func TestDoctorSaysWhatToDo(t *testing.T) {
	t.Parallel()
	a := &app{getenv: func(string) string { return "/nowhere" }}
	status, detail, hint := a.examineLanguages()
	if status != check.Warn || !strings.Contains(detail, "no interpreter") || !strings.Contains(hint, "install one of Python (python3), ") {
		t.Errorf("%s: %s; %s", status, detail, hint)
	}
	lacks := &process.UnsupportedError{What: "sandbox strict", Why: "the program bwrap is not installed", Hint: "install it"}
	status, detail, hint = failure(check.Warn, "bots cannot be shut in", fmt.Errorf("start: %w", lacks))
	if status != check.Warn || detail != "bots cannot be shut in: the program bwrap is not installed" || hint != "install it" {
		t.Errorf("%s: %s; %s", status, detail, hint)
	}
}
