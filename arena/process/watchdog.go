package process

import (
	"bufio"
	"io"
)

// watchdogDone is the message to a watchdog that arena ends normally.
const watchdogDone = 'q'

// ended reads to the end of arena: orderly is false where arena died.
func ended(r io.Reader) (orderly bool) {
	in := bufio.NewReaderSize(r, 16)
	for {
		b, err := in.ReadByte()
		if err != nil {
			return false
		}
		if b == watchdogDone {
			return true
		}
	}
}
