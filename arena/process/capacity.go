package process

import "fmt"

// mostThreads is what of the Go runtime's 10,000 threads is left to bots and
// workers; one more and the runtime ends the program.
const mostThreads = 9000

// A CapacityError reports that too many bots would run at once.
type CapacityError struct {
	Bots, Most int
	Of         string // what there is too little of
}

// Error names the numbers and what to try.
func (e *CapacityError) Error() string {
	return fmt.Sprintf("%d bots at once are too many: there are %s for %d; lower concurrency", e.Bots, e.Of, e.Most)
}

// Fits returns a *CapacityError where that many bots cannot run at once, beside
// as many goroutines that hold a thread each as workers says.
func (s *Starter) Fits(bots, workers int) error {
	if s.Shields() { // each bot is the child of a thread of its own
		if most := max(0, mostThreads-workers); bots > most {
			return &CapacityError{Bots: bots, Most: most, Of: "threads"}
		}
	} else if workers > mostThreads {
		return &CapacityError{Bots: bots, Most: mostThreads, Of: "threads"}
	}
	if files := openFiles(); files > 0 {
		const own, each = 100, 5 // three pipes, two pidfds
		if most := max(0, (files-own)/each); bots > most {
			return &CapacityError{Bots: bots, Most: most, Of: "open files (ulimit -n)"}
		}
	}
	return nil
}
