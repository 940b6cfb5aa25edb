package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// viewersProgram reads so many streams of a server as browsers do (arguments URL COUNT
// [PAGE]); with a page each viewer also reads that again whenever feed.js does. It says
// "ready" once each has had a message, and what they had at the end of its input.
func viewersProgram() {
	if err := viewers(os.Args[1], os.Args[2], os.Args[3:]...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// viewing counts what viewers got.
type viewing struct {
	stream, page string

	messages, pages, unchanged, failed atomic.Int64
	why                                sync.Map // of failures, each once
	over                               chan struct{}
}

func viewers(url, count string, page ...string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	v := &viewing{stream: url, over: make(chan struct{})}
	if len(page) > 0 {
		v.page = page[0]
	}
	var ready, done sync.WaitGroup
	ready.Add(n)
	for range n {
		done.Go(func() { v.view(sync.OnceFunc(ready.Done)) })
		time.Sleep(time.Millisecond / 2)
	}
	ready.Wait()
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
	close(v.over)
	done.Wait()
	fmt.Printf("%d messages, %d pages (%d unchanged), %d failed\n", v.messages.Load(), v.pages.Load(), v.unchanged.Load(), v.failed.Load())
	v.why.Range(func(why, _ any) bool {
		fmt.Println(why)
		return true
	})
	return nil
}

func (v *viewing) fail(format string, args ...any) {
	select {
	case <-v.over:
		return
	default:
	}
	v.failed.Add(1)
	v.why.Store(fmt.Sprintf(format, args...), true)
}

// pauseField matches how long a stream tells pages to wait between two times that they are
// read, in milliseconds.
var pauseField = regexp.MustCompile(`"pause":(\d+)`)

// view is one viewer, with connections of its own.
func (v *viewing) view(ready func()) {
	defer ready()
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	answer, err := client.Get(v.stream)
	if err != nil {
		v.fail("the stream: %v", err)
		return
	}
	gone := make(chan struct{})
	defer close(gone)
	go func() {
		select {
		case <-v.over:
		case <-gone:
		}
		_ = answer.Body.Close()
	}()
	if answer.StatusCode != http.StatusOK {
		v.fail("the stream: %s", answer.Status)
		return
	}
	news := make(chan int, 1) // that the page has changed, and the pause between two readings
	if v.page != "" {
		go v.read(client, news, gone)
	}
	lines, pause := bufio.NewReaderSize(answer.Body, 16<<10), 0
	for {
		line, err := lines.ReadSlice('\n')
		if bytes.HasPrefix(line, []byte("id: ")) {
			v.messages.Add(1)
			ready()
		} else if bytes.Contains(line, []byte(`"over":true`)) || bytes.Contains(line, []byte(`"new":true`)) || bytes.Contains(line, []byte(`"events":`)) {
			if m := pauseField.FindSubmatch(line); m != nil {
				pause, _ = strconv.Atoi(string(m[1])) // digits
			}
			select {
			case news <- pause:
			default:
			}
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			v.fail("the stream ended: %v", err)
			return
		}
	}
}

// read reads the page as feed.js does.
func (v *viewing) read(client *http.Client, news <-chan int, gone <-chan struct{}) {
	var tag string
	var next time.Time
	for {
		var pause int // milliseconds
		select {
		case pause = <-news:
		case <-gone:
			return
		}
		wait := max(time.Until(next), 200*time.Millisecond)
		if next.IsZero() {
			wait += time.Duration(rand.Float64() * float64(pause) * float64(time.Millisecond))
		}
		select {
		case <-time.After(wait):
		case <-gone:
			return
		}
		begun := time.Now()
		tag = v.get(client, tag)
		next = time.Now().Add(max(2*time.Second, 10*time.Since(begun), time.Duration((0.5+rand.Float64())*float64(pause)*float64(time.Millisecond))))
	}
}

// get reads the page and returns its tag, given the last one's.
func (v *viewing) get(client *http.Client, tag string) string {
	request, err := http.NewRequest(http.MethodGet, v.page, http.NoBody)
	if err != nil {
		v.fail("%v", err)
		return ""
	}
	request.Header.Set("Accept-Encoding", "gzip")
	if tag != "" {
		request.Header.Set("If-None-Match", tag)
	}
	answer, err := client.Do(request)
	if err != nil {
		v.fail("the page: %v", err)
		return ""
	}
	defer func() { _ = answer.Body.Close() }()
	_, err = io.Copy(io.Discard, answer.Body)
	v.pages.Add(1)
	switch {
	case err != nil:
		v.fail("the page: %v", err)
	case answer.StatusCode == http.StatusNotModified:
		v.unchanged.Add(1)
		return tag
	case answer.StatusCode != http.StatusOK:
		v.fail("the page: %s", answer.Status)
	}
	return answer.Header.Get("ETag")
}
