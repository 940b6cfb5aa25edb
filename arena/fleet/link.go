package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"botarena/arena/fleet/bundle"
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

// Dial connects to a fleet's server, and again whenever the connection is lost. What
// options name comes last. tell is told of losses and returns; nil tells nobody. The
// error is of package nats.
func Dial(url string, tell func(string), options ...nats.Option) (*nats.Conn, error) {
	if tell == nil {
		tell = func(string) {}
	}
	all := append(Reconnecting(tell), options...)
	return nats.Connect(url, all...)
}

// Reconnecting are the options of a connection that outlives its server.
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
			if err != nil && !c.IsClosed() {
				tell(fmt.Sprintf("the server is out of reach (%v); waiting for it to come back", err))
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { tell("connected again") }),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // each call has its own
	}
}

// retry calls try until it succeeds or ctx ends, with growing pauses. told hears of
// the first failure that lasts.
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

// A finalError is not worth another try.
type finalError struct{ error }

// provision makes the streams and buckets that are not there. It changes none that
// is: others may use it.
func provision(ctx context.Context, js jetstream.JetStream, conn *nats.Conn) error {
	replicas := 1
	if len(conn.Servers()) >= 3 && conn.ConnectedClusterName() != "" {
		replicas = 3
	}
	jobs := jetstream.StreamConfig{
		Name: wire.Jobs, Subjects: []string{wire.AllJobs()}, Replicas: replicas,
		Retention: jetstream.WorkQueuePolicy, Discard: jetstream.DiscardNew,
		MaxMsgsPerSubject: 1, DiscardNewPerSubject: true,
		MaxAge: keepJobs, Duplicates: window,
	}
	if replicas == 1 {
		// Jobs are in the database: what a power cut takes is queued again, and need
		// not wait for the disk.
		jobs.PersistMode = jetstream.AsyncPersistMode
	}
	results := jetstream.StreamConfig{
		Name: wire.Results, Subjects: []string{wire.AllResults()}, Replicas: replicas,
		MaxAge: keepJobs, Duplicates: window,
	}
	for _, want := range []jetstream.StreamConfig{jobs, results} {
		if _, err := js.Stream(ctx, want.Name); err == nil {
			continue
		} else if !errors.Is(err, jetstream.ErrStreamNotFound) {
			return fmt.Errorf("stream %s: %w", want.Name, err)
		}
		if _, err := js.CreateStream(ctx, want); err != nil && !errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			return fmt.Errorf("stream %s: %w", want.Name, err)
		}
	}
	if _, err := js.KeyValue(ctx, wire.Workers); errors.Is(err, jetstream.ErrBucketNotFound) {
		_, err = js.CreateKeyValue(ctx, jetstream.KeyValueConfig{
			Bucket: wire.Workers, TTL: wire.Entry, Storage: jetstream.MemoryStorage, Replicas: replicas,
		})
		if err != nil && !errors.Is(err, jetstream.ErrBucketExists) {
			return fmt.Errorf("bucket %s: %w", wire.Workers, err)
		}
	} else if err != nil {
		return fmt.Errorf("bucket %s: %w", wire.Workers, err)
	}
	if _, err := js.ObjectStore(ctx, wire.Files); errors.Is(err, jetstream.ErrBucketNotFound) {
		_, err = js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: wire.Files, Replicas: replicas})
		if err != nil && !errors.Is(err, jetstream.ErrBucketExists) {
			return fmt.Errorf("bucket %s: %w", wire.Files, err)
		}
	} else if err != nil {
		return fmt.Errorf("bucket %s: %w", wire.Files, err)
	}
	return nil
}

// putFile stores an object under a name that says what is in it, unless it is there.
func putFile(ctx context.Context, js jetstream.JetStream, name string, data []byte) error {
	files, err := js.ObjectStore(ctx, wire.Files)
	if err != nil {
		return err
	}
	if info, err := files.GetInfo(ctx, name); err == nil && info.Size == uint64(len(data)) {
		return nil
	}
	_, err = files.PutBytes(ctx, name, data)
	return err
}

// putBundle stores the archive of a bundle, unless it is there.
func (f *fleet) putBundle(ctx context.Context, id bundle.ID) error {
	files, err := f.js.ObjectStore(ctx, wire.Files)
	if err != nil {
		return err
	}
	name := wire.BundleName(string(id))
	if _, err := files.GetInfo(ctx, name); err == nil {
		return nil // it is whole: its entry is written last, and its name is its hash
	}
	archive, err := f.Open(id)
	if err != nil {
		return &finalError{err}
	}
	defer func() { _ = archive.Close() }()
	// A large one takes longer than an answer.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), transfer)
	defer cancel()
	_, err = files.Put(ctx, jetstream.ObjectMeta{Name: name}, archive)
	return err
}
