package process

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// drain reads a bot's stderr to its end even if the log fails: a bot must never block
// on a log.
type drain struct {
	mu   sync.Mutex
	sink io.Writer // nil: drop
	left int64     // bytes that the sink still takes
	most int64
	done chan struct{}
}

// startDrain reads from f, until its end or until it is closed, into sink.
func startDrain(f *os.File, sink io.Writer, most int64) *drain {
	d := &drain{sink: sink, left: most, most: most, done: make(chan struct{})}
	go func() {
		defer close(d.done)
		buf := make([]byte, 32<<10)
		for {
			n, err := f.Read(buf)
			d.write(buf[:n])
			if err != nil {
				return
			}
		}
	}()
	return d
}

func (d *drain) write(b []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.sink == nil || len(b) == 0 || d.left < 0 {
		return
	}
	var err error
	if int64(len(b)) <= d.left {
		_, err = d.sink.Write(b)
		d.left -= int64(len(b))
	} else {
		if _, err = d.sink.Write(b[:d.left]); err == nil {
			_, err = fmt.Fprintf(d.sink, "\n[the rest is dropped: more than %d bytes]\n", d.most)
		}
		d.left = -1
	}
	if err != nil {
		d.sink = nil // a full disk must not hurt the game
	}
}

// lastWords limits how long the stderr of an ended bot may stay open: only a descendant
// that escaped the sweep can hold it.
const lastWords = 500 * time.Millisecond

// finish reads the rest of an ended bot's stderr, such as the reason of its crash, and
// closes the pipe.
func (d *drain) finish(f *os.File) {
	timer := time.NewTimer(lastWords)
	defer timer.Stop()
	select {
	case <-d.done:
	case <-timer.C:
	}
	_ = f.Close()
	<-d.done
}

// set directs stderr from now on to another sink, with a new count of bytes.
func (d *drain) set(sink io.Writer) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sink, d.left = sink, d.most
}
