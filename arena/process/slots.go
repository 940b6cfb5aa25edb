package process

import (
	"cmp"
	"fmt"
	"slices"
)

// A CPU is a logical processor that the program may use.
type CPU struct {
	ID   int
	Core int // the same for hyperthreads of one physical core
}

// Cores returns the number of physical cores among the CPUs.
func Cores(cpus []CPU) int {
	cores := map[int]bool{}
	for _, cpu := range cpus {
		cores[cpu.Core] = true
	}
	return len(cores)
}

// Slots assigns CPUs to games: element i lists the CPU ids of slot i, as many as
// threads, and no CPU is in two slots. Physical cores go first, so that two games share
// a core only when cores run out; if there are enough physical cores, each slot gets
// whole ones.
func Slots(cpus, taken []CPU, concurrency, threads int) ([][]int, error) {
	if concurrency < 1 || threads < 1 {
		return nil, fmt.Errorf("%d slots of %d threads; both must be at least 1", concurrency, threads)
	}
	if want := concurrency * threads; len(cpus) < want {
		return nil, fmt.Errorf("the games at once want %d cores and %d are there; lower concurrency or threads, or set pin: off", want, len(cpus))
	}
	type ranked struct {
		CPU
		sibling int // 0 for the first thread of its core
	}
	order := make([]ranked, 0, len(cpus))
	siblings := map[int]int{}
	for _, cpu := range taken {
		siblings[cpu.Core]++
	}
	for _, cpu := range slices.SortedFunc(slices.Values(cpus), func(a, b CPU) int { return cmp.Compare(a.ID, b.ID) }) {
		order = append(order, ranked{cpu, siblings[cpu.Core]})
		siblings[cpu.Core]++
	}
	slices.SortStableFunc(order, func(a, b ranked) int { return cmp.Compare(a.sibling, b.sibling) })
	slots := make([][]int, concurrency)
	for i := range slots {
		for _, cpu := range order[i*threads : (i+1)*threads] {
			slots[i] = append(slots[i], cpu.ID)
		}
	}
	return slots, nil
}

// Spare returns the CPUs that Slots leaves free for other work, those of cores without a
// slot if there are any, and nil if every CPU is in a slot.
func Spare(cpus []CPU, concurrency int) []CPU {
	slots, err := Slots(cpus, nil, concurrency, 1)
	if err != nil {
		return nil
	}
	taken, cores := slices.Concat(slots...), map[int]bool{}
	var spare, whole []CPU
	for _, cpu := range cpus {
		if slices.Contains(taken, cpu.ID) {
			cores[cpu.Core] = true
		} else {
			spare = append(spare, cpu)
		}
	}
	for _, cpu := range spare {
		if !cores[cpu.Core] {
			whole = append(whole, cpu)
		}
	}
	if whole != nil {
		return whole
	}
	return spare
}

// IDs returns the ids of CPUs, as a Spec has them.
func IDs(cpus []CPU) (ids []int) {
	for _, cpu := range cpus {
		ids = append(ids, cpu.ID)
	}
	return ids
}

// mostThreads is the number of threads for bots and workers: the Go runtime ends a
// program that needs more than 10,000 in all.
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

// Fits returns a *CapacityError if that many bots cannot run at once beside that many
// workers, goroutines that hold a thread each.
func (s *Starter) Fits(bots, workers int) error {
	if most := max(0, mostThreads-workers); bots > most { // each is the child of a thread of its own
		return &CapacityError{Bots: bots, Most: most, Of: "threads"}
	}
	if files := OpenFiles(); files > 0 {
		const own, each = 100, 5 // three pipes, two pidfds
		if most := max(0, (files-own)/each); bots > most {
			return &CapacityError{Bots: bots, Most: most, Of: "open files (ulimit -n)"}
		}
	}
	return nil
}
