package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nats-io/nats.go"

	"botarena/arena/fleet/wire"
)

// Times of the connection.
const (
	retryFirst = 50 * time.Millisecond // provisioning and publishing are tried again
	retryMost  = time.Second
	answer     = 5 * time.Second  // for one request to JetStream
	transfer   = 5 * time.Minute  // of a bundle
	bringing   = 20 * time.Minute // of all bots of an event, those that are built there included

	window     = 30 * time.Second   // in which a message id is known to be the same
	keepJobs   = 7 * 24 * time.Hour // what nobody fetched, on a cluster that several use
	maxPending = 1024               // publishes that wait for JetStream at once
)

// Dial connects to a fleet's server, and reconnects whenever the connection is lost.
// options are applied last. tell, which may be nil, is called when the connection is
// lost and when it is back. The error is of package nats.
func Dial(url string, tell func(string), options ...nats.Option) (*nats.Conn, error) {
	if tell == nil {
		tell = func(string) {}
	}
	all := append(Reconnecting(tell), options...)
	return nats.Connect(url, all...)
}

// Reconnecting returns the options of a connection that survives losing its server.
func Reconnecting(tell func(string)) []nats.Option {
	return []nats.Option{
		nats.Name("arena"),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(100 * time.Millisecond),
		nats.ReconnectJitter(200*time.Millisecond, 500*time.Millisecond),
		nats.PingInterval(5 * time.Second), nats.MaxPingsOutstanding(2),
		nats.Timeout(answer),
		nats.IgnoreAuthErrorAbort(),
		nats.DisconnectErrHandler(func(c *nats.Conn, err error) {
			why := ""
			switch {
			case err == nil || c.IsClosed():
				return
			case !errors.Is(err, io.EOF): // that it has gone says nothing more
				why = fmt.Sprintf(" (%v)", err)
			}
			tell("the server is out of reach" + why + "; waiting for it to come back")
		}),
		nats.ReconnectHandler(func(*nats.Conn) { tell("connected again") }),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // each call has its own
	}
}

// retry calls try until it succeeds or ctx ends, with growing pauses. told is called
// with the first failure that lasts.
func retry(ctx context.Context, told func(error), try func(context.Context) error) error {
	pause := retryFirst
	for n := 0; ; n++ {
		one, cancel := context.WithTimeout(ctx, answer)
		err := try(one)
		cancel()
		var final *finalError
		switch {
		case err == nil:
			return nil
		case errors.As(err, &final):
			return final.error
		case errors.Is(err, nats.ErrConnectionClosed): // for good
			return err
		case ctx.Err() != nil:
			return errors.Join(context.Cause(ctx), err)
		case n == 3 && told != nil:
			told(err)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
		pause = min(2*pause, retryMost)
	}
}

// publish sends a message that nobody waits for: another one follows, or it is not missed.
func publish(conn *nats.Conn, subject string, m wire.Message) {
	if data, err := wire.Encode(m); err == nil {
		_ = conn.Publish(subject, data)
	}
}

// signal puts a token into a channel that holds one, unless it has it.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// finalError marks an error after which another try is useless.
type finalError struct{ error }
