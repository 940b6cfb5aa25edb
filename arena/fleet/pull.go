package fleet

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	pullExpiry = 4 * time.Second // of one request; the next one follows at once
	pullSign   = time.Second     // a server that gives no sign for twice as long is asked anew
)

// pull calls take with each message of the consumer of an event's stream, until ctx
// ends. Up to most messages are fetched ahead: with 1, none is fetched while take runs,
// since its lease would run as well. It keeps its subscription open: a message that
// came after an abandoned request would be lost for a lease.
func pull(ctx context.Context, js jetstream.JetStream, stream, event string, most int, take func(jetstream.Msg)) {
	for pause := retryFirst; ctx.Err() == nil; pause = min(2*pause, retryMost) {
		one, cancel := context.WithTimeout(ctx, answer)
		c, err := js.Consumer(one, stream, event)
		cancel()
		if err == nil {
			if each(ctx, c, most, take) {
				pause = retryFirst
			}
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

// each is pull while the consumer exists, and reports whether it delivered anything.
func each(ctx context.Context, c jetstream.Consumer, most int, take func(jetstream.Msg)) (any bool) {
	messages, err := c.Messages(jetstream.PullMaxMessages(most), jetstream.PullExpiry(pullExpiry), jetstream.PullHeartbeat(pullSign))
	if err != nil {
		return false
	}
	defer messages.Stop()
	defer context.AfterFunc(ctx, messages.Drain)()
	for {
		msg, err := messages.Next()
		if err != nil {
			return any
		}
		any = true
		if ctx.Err() != nil {
			_ = msg.Nak()
			continue
		}
		take(msg)
	}
}
