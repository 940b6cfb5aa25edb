package process

import (
	"errors"
	"fmt"
	"strings"
)

// A NotFoundError names a program that does not exist.
type NotFoundError struct {
	Program string
	Looked  []string // the files that were tried
	Nearest string   // the nearest name among the files beside it, "" for none
}

// Error names the program, where it was looked up and a similar file.
func (e *NotFoundError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "program %q not found; looked for %s", e.Program, strings.Join(e.Looked, ", "))
	if e.Nearest != "" {
		fmt.Fprintf(&b, "; did you mean %q?", e.Nearest)
	}
	return b.String()
}

// A NotExecutableError names an existing file that cannot be started.
type NotExecutableError struct {
	Path string
	Why  string
	Err  error // the system's own reason, nil if Why says it all
	Hint string
}

// Error names the file, the reason and what to try.
func (e *NotExecutableError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v; %s", e.Path, e.Why, e.Err, e.Hint)
	}
	return fmt.Sprintf("%s: %s; %s", e.Path, e.Why, e.Hint)
}

// Unwrap returns the system's own reason.
func (e *NotExecutableError) Unwrap() error { return e.Err }

// A DirError reports that the working directory cannot be used.
type DirError struct {
	Dir string
	Err error
}

// Error names the directory and the reason.
func (e *DirError) Error() string {
	return fmt.Sprintf("working directory %s: %v; correct the bot's dir", e.Dir, e.Err)
}

// Unwrap returns the reason.
func (e *DirError) Unwrap() error { return e.Err }

// An UnsupportedError reports that the platform, or what is installed on it, lacks a
// requested feature.
type UnsupportedError struct {
	What string // "pinning", "sandbox strict", ...
	Why  string
	Hint string // what to try
}

// Error names what is missing and what to try.
func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("%s: %s; %s", e.What, e.Why, e.Hint)
}

// A BusyError reports that the machine had no room for another process at the moment.
// It is not the bot's fault; a later start may succeed.
type BusyError struct {
	What string // what was tried
	Err  error
}

// Error names what was tried, the system's reason and what to try.
func (e *BusyError) Error() string {
	return fmt.Sprintf("%s: %v; the machine is short of processes, memory or open files: lower concurrency, or end other programs", e.What, e.Err)
}

// Unwrap returns the system's reason.
func (e *BusyError) Unwrap() error { return e.Err }

// busy wraps an error of the system in a *BusyError if it may be temporary.
func busy(what string, err error) error {
	for _, short := range shortages() {
		if errors.Is(err, short) {
			return &BusyError{What: what, Err: err}
		}
	}
	return fmt.Errorf("%s: %w", what, err)
}

// A LeftError names processes of a bot that could not be ended.
type LeftError struct{ PIDs []int }

// Error names the processes.
func (e *LeftError) Error() string {
	return fmt.Sprintf("processes %s could not be ended within 5 seconds; look at them with ps", strings.Trim(fmt.Sprint(e.PIDs), "[]"))
}
