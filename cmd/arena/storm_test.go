package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// stormProgram does to a server what strangers may (arguments ADDRESS COUNT SECRET...): it
// holds so many connections open that say half a request, opening those anew that are
// ended, and sends odd requests as fast as they are answered. It says "ready" once as many
// are open as the server takes, and at the end of its input what became of them: answers,
// by their class, and how many of them were the server's error or told one of the secrets.
func stormProgram() {
	count, err := strconv.Atoi(os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	s := &storm{address: os.Args[1], secrets: append([]string{"goroutine ", "runtime error", ".go:"}, os.Args[3:]...), quit: make(chan struct{})}
	s.hold(count)
	for n := range 8 {
		s.done.Go(func() { s.send(rand.New(rand.NewPCG(uint64(n), 7))) })
	}
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
	close(s.quit)
	s.end()
	fmt.Printf("%d connections held; answers: %d of 2xx, %d of 3xx, %d of 4xx, %d of 5xx; %d secrets told\n",
		s.held, s.by[2].Load(), s.by[3].Load(), s.by[4].Load(), s.by[5].Load(), s.told.Load())
}

type storm struct {
	address string
	secrets []string
	quit    chan struct{}
	done    sync.WaitGroup
	by      [10]atomic.Int64
	told    atomic.Int64
	held    int

	mu   sync.Mutex
	open map[net.Conn]bool
}

// hold opens slow connections, and keeps them open.
func (s *storm) hold(count int) {
	s.open = map[net.Conn]bool{}
	for range count {
		if !s.slow() {
			break
		}
	}
	s.mu.Lock()
	s.held = len(s.open)
	s.mu.Unlock()
	s.done.Go(func() {
		for {
			select {
			case <-s.quit:
				return
			case <-time.After(2 * time.Second):
			}
			s.mu.Lock()
			list := make([]net.Conn, 0, len(s.open))
			for c := range s.open {
				list = append(list, c)
			}
			s.mu.Unlock()
			for _, c := range list {
				_ = c.SetWriteDeadline(time.Now().Add(10 * time.Millisecond))
				if _, err := c.Write([]byte("x")); err != nil {
					s.mu.Lock()
					delete(s.open, c)
					s.mu.Unlock()
					_ = c.Close()
					_ = s.slow()
				}
			}
		}
	})
}

func (s *storm) slow() bool {
	c, err := net.DialTimeout("tcp", s.address, 5*time.Second)
	if err != nil {
		return false
	}
	_, _ = fmt.Fprint(c, "GET /live HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
	s.mu.Lock()
	s.open[c] = true
	s.mu.Unlock()
	return true
}

func (s *storm) end() {
	s.mu.Lock()
	for c := range s.open {
		_ = c.Close()
	}
	s.mu.Unlock()
	s.done.Wait()
}

// send sends one odd request after the other.
func (s *storm) send(rng *rand.Rand) {
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	for {
		select {
		case <-s.quit:
			return
		default:
		}
		c, err := net.DialTimeout("tcp", s.address, 5*time.Second)
		if err != nil {
			time.Sleep(50 * time.Millisecond)
			continue
		}
		_ = c.SetDeadline(time.Now().Add(20 * time.Second))
		answers := bufio.NewReader(c)
		for range 1 + rng.IntN(20) {
			path := pick("/", "/events", "/events/storm", "/events/storm.json", "/events/storm/games", "/events/storm/games.csv", "/events/storm/live", "/games/1", "/games/1.json",
				"/games/1/board.svg", "/games/1/game.pgn", "/bots", "/bots/one", "/compare/one/two", "/leaderboard/chess", "/sprt/storm", "/api", "/play", "/assets/..%2f..%2fgo.mod",
				"/../../etc/passwd", "/%00", "/%ff", "//", "/games/99999999999999999999", "/events/~ZZ", "/events/"+strings.Repeat("a", 3000))
			query := pick("", "", "?x="+strconv.Itoa(rng.IntN(1e9)), "?ply=-1", "?ply=1&flip=1", "?after=zzz", "?bot=one&result=lost", "?reason=%00", "?event=%3Cscript%3E", "?limit=-5")
			body := pick("", "", "", "a=b", strings.Repeat("z", 100_000))
			request := fmt.Sprintf("%s %s%s HTTP/1.1\r\nHost: %s\r\n%sContent-Length: %d\r\n\r\n%s",
				pick("GET", "GET", "GET", "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "BREW", "get"), path, query,
				pick("localhost", "localhost", "127.0.0.1:8080", "evil.example", ""),
				pick("", "", "Origin: http://evil.example\r\n", "Range: bytes=5-1\r\n", "Last-Event-ID: 1-99999999999999999999\r\n", "If-None-Match: *\r\n",
					"Accept-Encoding: gzip;q=0, *\r\n", "X: "+strings.Repeat("y", 20_000)+"\r\n", "Transfer-Encoding: chunked\r\n", "Cookie: \x1b[2J\r\n"), len(body), body)
			if _, err := c.Write([]byte(request)); err != nil {
				break
			}
			method, _, _ := strings.Cut(request, " ")
			answer, err := http.ReadResponse(answers, &http.Request{Method: method})
			if err != nil {
				break
			}
			data, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
			_ = answer.Body.Close()
			s.by[min(answer.StatusCode/100, 9)].Add(1)
			for _, secret := range s.secrets {
				if bytes.Contains(data, []byte(secret)) || strings.Contains(fmt.Sprint(answer.Header), secret) {
					s.told.Add(1)
				}
			}
			if err != nil || answer.Close {
				break
			}
		}
		_ = c.Close()
	}
}
