//go:build external

package fleet_test

import (
	"fmt"
	"net"
	"sync"
	"testing"
	"time"
)

// The network between workers and the server is slow, and cut again and again.
func TestExternalNetworkCut(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	p := newProxy(t, r.server.Addr)
	for i := range 2 {
		r.worker(fmt.Sprintf("w%d", i), p.addr, 2, 3*time.Millisecond)
	}
	cutter := time.NewTicker(400 * time.Millisecond)
	defer cutter.Stop()
	done := make(chan struct{})
	defer close(done)
	go func() {
		for {
			select {
			case <-cutter.C:
				p.cut(200 * time.Millisecond)
			case <-done:
				return
			}
		}
	}()
	r.same(r.event(t, 40), nil)
	if p.cuts() == 0 {
		t.Error("nothing was cut")
	}
}

// A proxy is a network that is slow, and can be cut.
type proxy struct {
	addr, to string
	mu       sync.Mutex
	conns    map[net.Conn]bool
	down     time.Time // until then
	count    int
}

func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{addr: l.Addr().String(), to: to, conns: map[net.Conn]bool{}}
	t.Cleanup(func() {
		_ = l.Close()
		p.cut(0)
	})
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(c)
		}
	}()
	return p
}

func (p *proxy) serve(c net.Conn) {
	d, err := net.Dial("tcp", p.to)
	p.mu.Lock()
	if err != nil || time.Now().Before(p.down) {
		p.mu.Unlock()
		_ = c.Close()
		return
	}
	p.conns[c], p.conns[d] = true, true
	p.mu.Unlock()
	pipe := func(to, from net.Conn) {
		buf := make([]byte, 4096)
		for {
			n, err := from.Read(buf)
			if err != nil {
				break
			}
			time.Sleep(time.Duration(n%3) * time.Millisecond)
			if _, err := to.Write(buf[:n]); err != nil {
				break
			}
		}
		_ = to.Close()
		_ = from.Close()
	}
	go pipe(c, d)
	pipe(d, c)
}

// cut closes all connections and takes none for a while.
func (p *proxy) cut(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = time.Now().Add(d)
	p.count += len(p.conns)
	for c := range p.conns {
		_ = c.Close()
		delete(p.conns, c)
	}
}

func (p *proxy) cuts() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count
}
