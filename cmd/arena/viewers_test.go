package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// viewersProgram reads so many streams of a server as browsers do (arguments URL
// COUNT). It says "ready" once each has had a message, and what they had at the end
// of its input.
func viewersProgram() {
	if err := viewers(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func viewers(url, count string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	var messages, failed atomic.Int64
	var ready, done sync.WaitGroup
	ready.Add(n)
	var bodies []io.Closer
	var mu sync.Mutex
	over := false
	for range n {
		done.Go(func() {
			first := sync.OnceFunc(ready.Done)
			defer first()
			answer, err := client.Get(url)
			if err != nil || answer.StatusCode != http.StatusOK {
				failed.Add(1)
				return
			}
			mu.Lock()
			bodies = append(bodies, answer.Body)
			mu.Unlock()
			lines := bufio.NewReaderSize(answer.Body, 64<<10)
			for {
				line, err := lines.ReadSlice('\n')
				if strings.HasPrefix(string(line[:min(len(line), 4)]), "id: ") {
					messages.Add(1)
					first()
				}
				if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
					break
				}
			}
			mu.Lock()
			defer mu.Unlock()
			if !over {
				failed.Add(1) // the server ended it
			}
		})
		time.Sleep(time.Millisecond / 2)
	}
	ready.Wait()
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
	mu.Lock()
	over = true
	for _, b := range bodies {
		_ = b.Close()
	}
	mu.Unlock()
	done.Wait()
	fmt.Printf("%d messages, %d failed\n", messages.Load(), failed.Load())
	return nil
}
