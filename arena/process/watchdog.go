package process

import (
	"bufio"
	"io"
)

// watchdogDone is what a watchdog is told where arena ends by itself.
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
