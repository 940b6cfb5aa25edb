package web

import (
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

// A pageCache keeps the last answer of each address, with its version of the record, up
// to a number of bytes; the oldest ones are dropped first.
//
// An answer of another version is made again, unless that takes long: then the old one
// is given for a while, and a new one is made in the background. So visitors of an
// event in progress use a bounded share of the machine, however many they are.
type pageCache struct {
	most  int           // bytes
	heavy time.Duration // an answer that takes longer to make is given for a moment

	making singleflight.Group
	mu     sync.Mutex
	of     map[string]*cachedPage
	order  []string
	size   int
}

type cachedPage struct {
	*answer
	version string
	made    time.Time
	cost    time.Duration // of making it
}

const (
	usuallyHeavy = time.Second / 2
	// costShare is the share of the time that may go into making one page again and
	// again, as its inverse.
	costShare = 10
	// oldestPage is the maximum age of an answer of an older version.
	oldestPage = time.Minute
)

// get returns the answer of an address, cached or new. fresh is false for one of an
// older version.
func (c *pageCache) get(key, version string, now time.Time, build func() (*answer, error)) (a *answer, fresh bool, err error) {
	c.mu.Lock()
	p, kept := c.of[key]
	c.mu.Unlock()
	if kept && p.version == version {
		return p.answer, true, nil
	}
	if kept && p.cost >= c.heavy && now.Sub(p.made) < oldestPage {
		if now.Sub(p.made) >= costShare*p.cost {
			go func() { _, _ = c.make(key, version, now, build) }() // an error is told to who asks next
		}
		return p.answer, false, nil
	}
	a, err = c.make(key, version, now, build)
	return a, true, err
}

// make makes an answer once for all concurrent requests.
func (c *pageCache) make(key, version string, now time.Time, build func() (*answer, error)) (*answer, error) {
	made, err, _ := c.making.Do(key+"\x00"+version, func() (any, error) {
		begun := time.Now()
		a, err := build()
		if err == nil && !a.live && a.status == http.StatusOK {
			c.put(key, &cachedPage{a, version, now, time.Since(begun)})
		}
		return a, err
	})
	a, _ := made.(*answer)
	return a, err
}

func (c *pageCache) put(key string, p *cachedPage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[string]*cachedPage{}
	}
	if old, known := c.of[key]; known {
		c.size -= old.size()
	} else {
		c.order = append(c.order, key)
	}
	c.of[key] = p
	for c.size += p.size(); c.size > c.most; c.order = c.order[1:] {
		c.size -= c.of[c.order[0]].size()
		delete(c.of, c.order[0])
	}
}
