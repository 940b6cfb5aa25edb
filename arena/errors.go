package arena

import "errors"

// The errors that a Link reports; test with errors.Is.
var (
	ErrTimeout     = errors.New("deadline passed")
	ErrClosed      = errors.New("the bot closed its output")
	ErrLineTooLong = errors.New("line longer than 64 KiB")
	ErrFlood       = errors.New("too much output for one request")
)
