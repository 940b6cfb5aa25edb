package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"botarena/arena"
	"botarena/arena/fleet/wire"
)

const (
	mostPublishing = 2       // messages of results that wait for the server at once
	mostTogether   = 1 << 19 // bytes of moves in a message, about: games are compressed to a part of it
	// stored limits how long the server may take to store a message before it is sent
	// again, which does no harm: a leader that dies does not answer.
	stored = 2 * time.Second
)

// ended is a played job whose result is to be sent.
type ended struct {
	msg    jetstream.Msg
	result wire.Result
	dead   context.CancelFunc // ends the signs of life
	part   bool               // the rest of the job is given back
}

// size returns the approximate length of the result in a message.
func (e *ended) size() int {
	const each = 24 // of times, depth, nodes, score
	n := 0
	for i := range e.result.Games {
		g := &e.result.Games[i]
		n += len(g.Moves) + len(g.Detail) + each*len(g.Times)
	}
	return n
}

// send sends the results of ended jobs until there are no more. Those that are ready go
// in one message, since the server syncs each message.
func (p *player) send(keep context.Context) {
	for first := range p.ended {
		list, size := []ended{first}, first.size()
		for more := true; more && len(list) < wire.MaxResults && size < mostTogether; {
			select {
			case e, ok := <-p.ended:
				if more = ok; ok {
					list, size = append(list, e), size+e.size()
				}
			default:
				more = false
			}
		}
		p.sendAll(keep, list)
	}
}

// sendAll publishes results until the stream has them, and only then acknowledges their
// jobs.
func (p *player) sendAll(keep context.Context, list []ended) {
	results := make([]wire.Result, len(list))
	for i := range list {
		results[i] = list[i].result
	}
	told := func(err error) { p.tell(fmt.Sprintf("a result waits for the server: %v", err)) }
	err := p.publish(keep, results, p.id(&list[0], len(list)), told)
	var large *wire.TooLargeError
	switch half := len(list) / 2; {
	case errors.As(err, &large) && half > 0:
		p.sendAll(keep, list[:half])
		p.sendAll(keep, list[half:])
		return
	case errors.As(err, &large):
		p.sendParts(keep, &list[0])
		err = nil
	}
	for i := range list {
		e := &list[i]
		e.dead()
		if err == nil && !e.part {
			_ = e.msg.Ack()
			continue
		}
		_ = e.msg.Nak()
		if e.part {
			_ = p.conn.Publish(wire.BegunSubject(p.name, e.result.Event, e.result.Unit), []byte(wire.GivenBack))
		}
	}
}

// id returns the message ID by which the stream drops what is sent again. A job that is
// given back after its first game may come here again, as another message.
func (p *player) id(first *ended, n int) string {
	r := &first.result
	return fmt.Sprintf("%s.%s.%s.%d.%d", r.Event, r.Unit, p.name, n, r.Games[0].Start)
}

// publish publishes results until the stream has them. The error is a
// *wire.TooLargeError, or keep's.
func (p *player) publish(keep context.Context, results []wire.Result, id string, told func(error)) error {
	subject := wire.ResultSubject(p.name, results[0].Event, results[0].Unit)
	return retry(keep, told, func(ctx context.Context) error {
		now := p.now().UnixMicro()
		for i := range results {
			results[i].Sent = now
		}
		data, err := wire.Encode(&wire.Batch{Results: results})
		if err != nil {
			return &finalError{err}
		}
		ctx, cancel := context.WithTimeout(ctx, stored)
		defer cancel()
		_, err = p.js.Publish(ctx, subject, data, jetstream.WithMsgID(id))
		return err
	})
}

// sendParts publishes the games of a unit whose result is too large one by one; a game
// that is too large by itself is void.
func (p *player) sendParts(keep context.Context, e *ended) {
	for i := range e.result.Games {
		one := e.result
		one.Games = e.result.Games[i : i+1]
		id := fmt.Sprintf("%s.part%d", p.id(e, 1), i)
		err := p.publish(keep, []wire.Result{one}, id, nil)
		var large *wire.TooLargeError
		if errors.As(err, &large) {
			g := &one.Games[0]
			*g = wire.Ended{Number: g.Number, Reason: string(arena.Void), Start: g.Start, Detail: "its record is too large for the fleet: " + err.Error()}
			_ = p.publish(keep, []wire.Result{one}, id, nil)
		}
	}
}
