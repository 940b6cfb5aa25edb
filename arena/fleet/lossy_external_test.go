//go:build external

package fleet_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Messages between workers and the server are lost or overtake each other, both ways:
// jobs, results, acknowledgements, signs of life. Each game is there once, and is that of
// an undisturbed event.
func TestExternalMessagesLost(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	p := &lossy{rng: rand.New(rand.NewPCG(5, 6))}
	addr := p.listen(t, r.server.Addr)
	for i := range 4 {
		r.worker(fmt.Sprintf("w%d", i), addr, 1, 3*time.Millisecond)
	}
	r.same(r.event(t, 40), nil)
	p.mu.Lock()
	defer p.mu.Unlock()
	t.Logf("of %d messages %d were lost and %d overtaken", p.messages, p.lost, p.late)
	if p.lost < 5 || p.late < 5 {
		t.Errorf("%d messages were lost and %d overtaken", p.lost, p.late)
	}
}

// A server whose streams are gone has its folder still: their loss takes longer to be noticed.
func TestExternalStreamsLostBeforeTheStart(t *testing.T) {
	t.Parallel()
	lostBeforeTheStart(t, filepath.Join("jetstream", "$G"))
}

// A lossy proxy knows where messages begin and end, and leaves some out or lets others
// overtake them, from the first result on.
type lossy struct {
	mu                   sync.Mutex
	rng                  *rand.Rand
	begun                bool
	messages, lost, late int
}

func (p *lossy) listen(t *testing.T, to string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			d, err := net.Dial("tcp", to)
			if err != nil {
				_ = c.Close()
				continue
			}
			go p.pipe(d, c)
			go p.pipe(c, d)
		}
	}()
	return l.Addr().String()
}

// pipe passes on what comes, until one of the two ends.
func (p *lossy) pipe(to, from net.Conn) {
	defer func() {
		_ = to.Close()
		_ = from.Close()
	}()
	in := bufio.NewReader(from)
	var held []byte
	for {
		one, isMessage, err := readMessage(in)
		if err != nil {
			return
		}
		if isMessage {
			switch p.fate(one) {
			case lose:
				continue
			case hold:
				if held == nil {
					held = one
					continue
				}
			case pass:
			}
		}
		if _, err := to.Write(append(one, held...)); err != nil {
			return
		}
		held = nil
	}
}

type fate int

const (
	pass fate = iota
	lose
	hold
)

func (p *lossy) fate(message []byte) fate {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begun = p.begun || bytes.Contains(message, []byte(".result."))
	if !p.begun {
		return pass
	}
	p.messages++
	switch n := p.rng.IntN(100); {
	case n < 2:
		p.lost++
		return lose
	case n < 10:
		p.late++
		return hold
	}
	return pass
}

// readMessage reads a line of the protocol of NATS, with the payload if there is one.
func readMessage(in *bufio.Reader) (data []byte, isMessage bool, err error) {
	line, err := in.ReadBytes('\n')
	if err != nil {
		return nil, false, err
	}
	words := strings.Fields(string(line))
	if len(words) == 0 {
		return line, false, nil
	}
	switch strings.ToUpper(words[0]) {
	case "PUB", "HPUB", "MSG", "HMSG":
	default:
		return line, false, nil
	}
	size, err := strconv.Atoi(words[len(words)-1])
	if err != nil {
		return nil, false, err
	}
	payload := make([]byte, size+len("\r\n"))
	if _, err := io.ReadFull(in, payload); err != nil {
		return nil, false, err
	}
	return append(line, payload...), true, nil
}
