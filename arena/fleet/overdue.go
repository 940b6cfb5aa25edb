package fleet

import (
	"fmt"
	"time"

	"botarena/arena/text"
)

// patience limits how long a worker may keep a job, beyond the longest one so far,
// before that is reported; keeping more jobs than it has slots is reported after some
// leases.
const (
	patience     = 10 * time.Minute
	times        = 4 // what the longest one took
	leasesHidden = 3
)

// overdue reports, once each, workers that keep jobs without playing them; given is the
// number of jobs that the server has delivered.
func (f *fleet) overdue(now time.Time, given int) {
	f.mu.Lock()
	jobs, oldest := map[string]int{}, map[string]time.Time{}
	for _, u := range f.units {
		if u.begun == "" {
			continue
		}
		given--
		jobs[u.begun]++
		if at, known := oldest[u.begun]; !known || u.since.Before(at) {
			oldest[u.begun] = u.since
		}
	}
	var lines []string
	for worker, n := range jobs {
		m := f.workers[worker]
		switch kept := now.Sub(oldest[worker]); {
		case worker == LocalName:
		case m != nil && n > m.entry.Slots && f.lasts(worker, now):
			lines = append(lines, fmt.Sprintf("warning: worker %s keeps %s and has %s", worker, text.Plural(n, "job"), text.Plural(m.entry.Slots, "slot")))
		case kept > patience+times*f.longest && f.lasts("late "+worker, now.Add(leasesHidden*f.lease)):
			lines = append(lines, fmt.Sprintf("warning: worker %s has kept a job for %v; arena fleet revoke shuts it out", worker, kept.Round(time.Minute)))
		}
	}
	if given > 0 {
		if f.lasts("", now) {
			lines = append(lines, fmt.Sprintf("warning: %s kept by workers that do not say that they play them", text.Plural(given, "job")))
		}
	} else {
		delete(f.hoarding, "")
	}
	f.mu.Unlock()
	for _, line := range lines {
		f.tell(line)
	}
}

// lasts returns true once something has lasted for some leases, and only once; mu is
// held.
func (f *fleet) lasts(what string, now time.Time) bool {
	since, known := f.hoarding[what]
	switch {
	case !known:
		f.hoarding[what] = now
	case !since.IsZero() && now.Sub(since) > leasesHidden*f.lease:
		f.hoarding[what] = time.Time{}
		return true
	}
	return false
}
