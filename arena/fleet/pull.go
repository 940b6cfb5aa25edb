package fleet

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"botarena/arena/fleet/wire"
)

const (
	pullWait   = 2 * time.Second  // one request stays so long
	pullGrace  = time.Second      // until one whose end is not heard of counts as over
	mostAsking = 8                // requests at once
	pullAgain  = time.Millisecond // between requests: what becomes free together shares one
)

// A puller asks for the jobs or the results of an event, for as many as are wanted now.
// Unlike a fetch, it listens all the time: what comes late, after a request was given up,
// comes all the same. Else it would be nobody's until its lease is over.
type puller struct {
	conn     *nats.Conn
	sub      *nats.Subscription
	subject  string
	inbox    string
	came     chan *nats.Msg
	ended    chan struct{}
	status   chan nats.Status
	count    int
	requests []request // the oldest one first: the server answers them so
	asked    int       // messages that may come by them
	last     time.Time // of the last request
	failing  int       // requests in a row that were refused
}

type request struct {
	token string // the last one of where its end is told
	left  int
	over  time.Time
}

// newPuller begins to listen to what an event's consumer of a stream gives.
func newPuller(conn *nats.Conn, stream, event string) (*puller, error) {
	q := &puller{
		conn: conn, subject: "$JS.API.CONSUMER.MSG.NEXT." + stream + "." + event, inbox: conn.NewInbox(),
		came: make(chan *nats.Msg), ended: make(chan struct{}),
		status: conn.StatusChanged(nats.CONNECTED),
	}
	var err error
	q.sub, err = conn.Subscribe(q.inbox+".*", func(msg *nats.Msg) {
		select {
		case q.came <- msg:
		case <-q.ended:
			if msg.Header.Get("Status") == "" {
				_ = msg.Nak()
			}
		}
	})
	return q, err
}

// want asks for as many messages as are missing to n. It returns after what time it is
// to be called again, 0 for not before something happens.
func (q *puller) want(n int, now time.Time) time.Duration {
	missing := n - q.asked
	if missing <= 0 || len(q.requests) >= mostAsking {
		return 0
	}
	pause := pullAgain
	if q.failing > 0 {
		pause = min(retryFirst<<min(q.failing, 10), retryMost)
	}
	if wait := pause - now.Sub(q.last); wait > 0 {
		return wait
	}
	q.last = now
	q.count++
	token := strconv.Itoa(q.count)
	data, err := json.Marshal(map[string]int64{"batch": int64(missing), "expires": pullWait.Nanoseconds()})
	if err == nil {
		err = q.conn.PublishRequest(q.subject, q.inbox+"."+token, data)
	}
	if err != nil {
		q.failing++
		return retryFirst
	}
	q.requests = append(q.requests, request{token, missing, now.Add(pullWait + pullGrace)})
	q.asked += missing
	return 0
}

// take sorts what came, and reports whether it is of the stream; nothing says that a
// request has ended without bringing all that it was for.
func (q *puller) take(msg *nats.Msg) (of, nothing bool) {
	switch status := msg.Header.Get("Status"); status {
	case "":
		q.failing = 0
		if len(q.requests) > 0 {
			q.asked--
			if q.requests[0].left--; q.requests[0].left == 0 {
				q.requests = q.requests[1:]
			}
		}
		return true, false
	case "100": // a sign of life
		return false, false
	case "404", "408": // there was no more
		q.failing = 0
	default: // there is no such consumer, or it has moved
		q.failing++
	}
	token := wire.Last(msg.Subject)
	q.drop(func(r request) bool { return r.token == token })
	return false, true
}

// drop forgets requests, and reports whether there were any.
func (q *puller) drop(which func(request) bool) bool {
	before := len(q.requests)
	q.requests = slices.DeleteFunc(q.requests, which)
	q.asked = 0
	for _, r := range q.requests {
		q.asked += r.left
	}
	return len(q.requests) < before
}

// expire drops requests whose end was not heard of: the server has gone meanwhile. It
// reports whether there were any.
func (q *puller) expire(now time.Time) bool {
	return q.drop(func(r request) bool { return now.After(r.over) })
}

// reset drops all requests: a server that was connected to anew knows nothing of them.
func (q *puller) reset() { q.drop(func(request) bool { return true }) }

// close gives back what still comes, and returns when nothing does any more.
func (q *puller) close() error {
	close(q.ended)
	q.conn.RemoveStatusListener(q.status)
	over := make(chan struct{})
	q.sub.SetClosedHandler(func(string) { close(over) })
	if err := q.sub.Drain(); err != nil {
		return fmt.Errorf("leave the jobs' subject: %w", err)
	}
	select {
	case <-over:
	case <-time.After(pullGrace):
	}
	return nil
}
