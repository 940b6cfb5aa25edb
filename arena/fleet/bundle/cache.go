package bundle

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// A Cache is a folder of unpacked bundles that several programs may share. Each is
// verified whenever it is used; the least recently used ones are removed when there are
// too many.
type Cache struct {
	Dir    string // absolute; made if it is missing
	Bound  int64  // bytes that it may hold, those in use apart; 0: DefaultBound
	Limits Limits // of one bundle; zero: DefaultLimits
	Now    func() time.Time
}

// DefaultBound is the default size limit of a cache in bytes.
const DefaultBound = 4 << 30

// A Held bundle stays in the cache until it is released.
type Held struct {
	ID       ID
	Root     string // where it is unpacked
	Manifest Manifest
	lock     *flock.Flock
}

// Release allows the bundle to be removed. It may be called more than once.
func (h *Held) Release() error { return h.lock.Unlock() }

// Command returns the program and its arguments, in the folder Dir.
func (h *Held) Command() []string { return in(h.Root, h.Manifest.Command) }

// Dir returns the folder in which the program runs.
func (h *Held) Dir() string { return filepath.Join(h.Root, inDir) }

// Hold returns a bundle of the cache, verified. If it is missing or damaged, fetch
// provides its archive. The error is fetch's, a *DamagedError of a fetched archive, or
// the disk's.
func (c *Cache) Hold(ctx context.Context, id ID, fetch func(ctx context.Context) (io.ReadCloser, error)) (*Held, error) {
	if !id.Valid() {
		return nil, fmt.Errorf("%q is no bundle's id; it has 64 hexadecimal digits", id)
	}
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("cache of bundles: %w", err)
	}
	for {
		held, err := c.share(ctx, id)
		if held != nil || err != nil {
			return held, err
		}
		if err := c.fill(ctx, id, fetch); err != nil {
			return nil, err
		}
	}
}

const pollEvery = 20 * time.Millisecond

func (c *Cache) lock(id ID) *flock.Flock { return flock.New(filepath.Join(c.Dir, string(id)+".lock")) }

// share returns an intact bundle of the cache, else nil.
func (c *Cache) share(ctx context.Context, id ID) (*Held, error) {
	h := &Held{ID: id, Root: filepath.Join(c.Dir, string(id)), lock: c.lock(id)}
	if _, err := h.lock.TryRLockContext(ctx, pollEvery); err != nil {
		return nil, fmt.Errorf("cache of bundles: %w", err)
	}
	var err error
	if h.Manifest, err = Verify(ctx, h.Root, id); err == nil {
		// When it was used last; the time is the folder's.
		now := c.Now()
		err = os.Chtimes(h.Root, now, now)
	}
	if err == nil {
		err = os.MkdirAll(h.Dir(), 0o755) // a program may have no file there
	}
	if err == nil {
		return h, nil
	}
	err = errors.Join(err, h.lock.Unlock())
	var damaged *DamagedError
	if errors.As(err, &damaged) {
		return nil, nil
	}
	return nil, err
}

// fill fetches and unpacks a bundle, unless somebody else did meanwhile.
func (c *Cache) fill(ctx context.Context, id ID, fetch func(ctx context.Context) (io.ReadCloser, error)) (err error) {
	lock := c.lock(id)
	if _, err := lock.TryLockContext(ctx, pollEvery); err != nil {
		return fmt.Errorf("cache of bundles: bundle %s was changed while others use it: %w", id.Short(), err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	root := filepath.Join(c.Dir, string(id))
	if _, err := Verify(ctx, root, id); err == nil {
		return nil
	}
	if err := os.RemoveAll(root); err != nil {
		return fmt.Errorf("cache of bundles: %w", err)
	}
	err = c.unpack(ctx, id, root, fetch)
	if full(err) {
		c.evict(0)
		err = c.unpack(ctx, id, root, fetch)
	}
	if full(err) {
		return fmt.Errorf("bundle %s does not fit into %s: %w; make room there, or name another folder", id.Short(), c.Dir, reason(err))
	}
	if err == nil {
		c.evict(cmp.Or(c.Bound, DefaultBound))
	}
	return err
}

// unpack puts a bundle in its place atomically.
func (c *Cache) unpack(ctx context.Context, id ID, root string, fetch func(ctx context.Context) (io.ReadCloser, error)) error {
	from, err := fetch(ctx)
	if err != nil {
		return fmt.Errorf("fetch bundle %s: %w", id.Short(), err)
	}
	defer func() { _ = from.Close() }()
	limits := cmp.Or(c.Limits, DefaultLimits())
	fresh, err := os.MkdirTemp(c.Dir, "new-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(fresh) }()
	if err := os.Chmod(fresh, 0o755); err != nil { //nolint:gosec // a strict sandbox's user reads it
		return err
	}
	if _, err := Unpack(ctx, from, id, fresh, limits); err != nil {
		return err
	}
	return os.Rename(fresh, root)
}

// full reports whether a disk has no room.
func full(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// reason returns the reason of a file error, without the file's name and the operation.
func reason(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// evict removes the least recently used bundles until no more than bound bytes are
// left, except those in use, and unpacking that was begun long ago and never finished.
func (c *Cache) evict(bound int64) {
	const abandoned = time.Hour
	entries, err := os.ReadDir(c.Dir)
	if err != nil {
		return // it is only tidying
	}
	type old struct {
		id   ID
		used time.Time
		size int64
	}
	var list []old
	var total int64
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !e.IsDir() {
			continue
		}
		if strings.HasPrefix(e.Name(), "new-") && c.Now().Sub(info.ModTime()) > abandoned {
			_ = os.RemoveAll(filepath.Join(c.Dir, e.Name()))
		}
		if id := ID(e.Name()); id.Valid() {
			size := sizeOf(filepath.Join(c.Dir, e.Name()))
			list = append(list, old{id, info.ModTime(), size})
			total += size
		}
	}
	slices.SortFunc(list, func(a, b old) int { return a.used.Compare(b.used) })
	for _, o := range list {
		if total <= bound {
			return
		}
		lock := c.lock(o.id)
		if ok, err := lock.TryLock(); err != nil || !ok {
			continue
		}
		if os.RemoveAll(filepath.Join(c.Dir, string(o.id))) == nil {
			total -= o.size
		}
		_ = lock.Unlock()
	}
}

func sizeOf(dir string) (size int64) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what is gone meanwhile has no size
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		return nil
	})
	return size
}
