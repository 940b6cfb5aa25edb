package fleet

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"botarena/arena/fleet/wire"
)

// mostUnread is the maximum number of bytes of unread results from one key's workers on
// the embedded server.
const mostUnread = 256 << 20

// onResult counts the bytes that workers send, before they are read. On the embedded
// server, which serves this coordinator alone, results of events that it does not play
// now are dropped, and a worker that sends more than can be read is excluded.
func (f *fleet) onResult(msg *nats.Msg) {
	parts := strings.Split(msg.Subject, ".")
	worker, token := wire.WorkerOf(msg.Subject), parts[len(parts)-2]
	key := keyOf(worker)
	if token != f.event.Token && f.runs.has(msg.Subject) {
		return // that run counts it
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.unread[key] += len(msg.Data)
	const most = 1000 // the rest is met again
	if token != f.event.Token && len(f.strange) < most {
		f.strange[wire.ResultSubject(wire.Any, token, wire.Any)] = true
	}
	if f.unread[key] < cmp.Or(f.Unread, mostUnread) || f.flooding[key] || worker == LocalName {
		return
	}
	f.flooding[key] = true
	f.strange[wire.ResultSubject(worker, wire.Any, wire.Any)] = true
	f.running.Go(func() {
		f.tell(fmt.Sprintf("warning: workers with the key %s are shut out while this runs: they send more results than can be read", key))
		f.Shut(worker)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(f.playing), answer)
		defer cancel()
		if results, err := f.js.Stream(ctx, wire.Results); err == nil {
			f.dropUnread(ctx, results)
		}
	})
}

// read counts a message that was read.
func (f *fleet) read(worker string, size int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if key := keyOf(worker); f.unread != nil {
		f.unread[key] = max(0, f.unread[key]-size)
	}
}

// dropUnread removes results of other events, and those of excluded workers.
func (f *fleet) dropUnread(ctx context.Context, results jetstream.Stream) {
	f.mu.Lock()
	subjects := slices.Collect(maps.Keys(f.strange))
	for _, subject := range subjects {
		if wire.WorkerOf(subject) == wire.Any { // more of a worker that was shut out may be on its way
			delete(f.strange, subject)
		}
	}
	f.mu.Unlock()
	for _, subject := range subjects {
		if f.runs.has(subject) { // it is played again since
			f.mu.Lock()
			delete(f.strange, subject)
			f.mu.Unlock()
			continue
		}
		_ = results.Purge(ctx, jetstream.WithPurgeSubject(subject)) // the next time
	}
}
