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

// provision makes missing streams and buckets. It does not change existing ones, which
// others may use, and looks before it makes one, since an administrator may have made
// them and allow no more.
func provision(ctx context.Context, js jetstream.JetStream, conn *nats.Conn) error {
	replicas := 1
	if len(conn.Servers()) >= 3 && conn.ConnectedClusterName() != "" {
		replicas = 3
	}
	jobs := jetstream.StreamConfig{
		Name: wire.Jobs, Subjects: []string{wire.JobSubject(wire.Any, wire.Any, wire.Any)}, Replicas: replicas,
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
		Name: wire.Results, Subjects: []string{wire.ResultSubject(wire.Any, wire.Any, wire.Any)}, Replicas: replicas,
		MaxAge: keepJobs, Duplicates: window,
	}
	for _, want := range []jetstream.StreamConfig{jobs, results} {
		_, err := js.Stream(ctx, want.Name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			_, err = js.CreateStream(ctx, want)
		}
		if err != nil && !errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			return fmt.Errorf("stream %s: %w", want.Name, err)
		}
	}
	_, err := js.KeyValue(ctx, wire.Workers)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		_, err = js.CreateKeyValue(ctx, jetstream.KeyValueConfig{
			Bucket: wire.Workers, TTL: wire.Entry, MaxValueSize: wire.MaxEntry, Storage: jetstream.MemoryStorage, Replicas: replicas,
		})
	}
	if err != nil && !errors.Is(err, jetstream.ErrBucketExists) {
		return fmt.Errorf("bucket %s: %w", wire.Workers, err)
	}
	_, err = js.ObjectStore(ctx, wire.Files)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		_, err = js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: wire.Files, Replicas: replicas})
	}
	if err != nil && !errors.Is(err, jetstream.ErrBucketExists) {
		return fmt.Errorf("bucket %s: %w", wire.Files, err)
	}
	return nil
}

// putFile stores an object under a name derived from its contents, unless it exists.
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

// putBundle stores the archive of a bundle, unless it exists.
func (f *fleet) putBundle(ctx context.Context, id bundle.ID) error {
	files, err := f.js.ObjectStore(ctx, wire.Files)
	if err != nil {
		return err
	}
	name := wire.BundleName(string(id))
	if _, err := files.GetInfo(ctx, name); err == nil {
		return nil // it is whole: its entry is written last, and its name is its hash
	}
	archive, err := f.Packer.Open(id)
	if err != nil {
		return &finalError{err}
	}
	defer func() { _ = archive.Close() }()
	// A large one takes longer than an answer.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), transfer)
	defer cancel()
	// Parts of it that are lost with the connection are waited for in vain.
	again := f.Conn.StatusChanged(nats.CONNECTED)
	defer f.Conn.RemoveStatusListener(again)
	go func() {
		select {
		case <-again:
			cancel()
		case <-ctx.Done():
		}
	}()
	_, err = files.Put(ctx, jetstream.ObjectMeta{Name: name}, archive)
	return err
}

// tidy removes files that no run of this coordinator needs. It is for a server that
// serves nobody else.
func (f *fleet) tidy(ctx context.Context) {
	files, err := f.js.ObjectStore(ctx, wire.Files)
	if err != nil {
		return // it is only tidying
	}
	list, err := files.List(ctx)
	if err != nil {
		return
	}
	needed := f.runs.needed() // by now: what another run has put meanwhile is among it
	for _, o := range list {
		if !needed[o.Name] {
			_ = files.Delete(ctx, o.Name)
		}
	}
}

// provision makes the streams, buckets, consumers and files that the event needs, if
// they are missing.
func (f *fleet) provision(ctx context.Context) error {
	if err := provision(ctx, f.js, f.Conn); err != nil {
		return err
	}
	if err := putFile(ctx, f.js, wire.SpecName(f.event.Spec), f.spec); err != nil {
		return fmt.Errorf("the event for workers: %w", err)
	}
	for _, id := range f.bundles {
		if err := f.putBundle(ctx, id); err != nil {
			return fmt.Errorf("bundle %s for workers: %w", id.Short(), err)
		}
	}
	return f.consumers(ctx)
}

// consumers makes the event's consumers, if they are missing.
func (f *fleet) consumers(ctx context.Context) error {
	for _, want := range []struct {
		stream, filter string
		wait           time.Duration
	}{
		{wire.Jobs, wire.JobSubject(wire.Any, f.event.Token, wire.Any), f.lease},
		{wire.Results, wire.ResultSubject(wire.Any, f.event.Token, wire.Any), f.redelivery()},
	} {
		_, err := f.js.CreateOrUpdateConsumer(ctx, want.stream, jetstream.ConsumerConfig{
			Durable: f.event.Token, FilterSubject: want.filter,
			AckPolicy: jetstream.AckExplicitPolicy, AckWait: want.wait,
			MaxDeliver: -1, MaxAckPending: -1, MaxWaiting: 1 << 16,
		})
		if err != nil {
			return fmt.Errorf("consumer of %s: %w", want.stream, err)
		}
	}
	return nil
}

// startOver makes the server redeliver at once the results that an earlier run received
// and did not record: else it would wait for their leases.
func (f *fleet) startOver(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, answer)
	defer cancel()
	_ = f.js.DeleteConsumer(ctx, wire.Results, f.event.Token) // there may be none
}
