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

// Cores is how many physical cores there are among the CPUs.
func Cores(cpus []CPU) int {
	cores := map[int]bool{}
	for _, cpu := range cpus {
		cores[cpu.Core] = true
	}
	return len(cores)
}

// A TooFewCPUsError says that slots of their own cores need more cores.
type TooFewCPUsError struct{ Want, Have int }

// Error names both numbers and what to try.
func (e *TooFewCPUsError) Error() string {
	return fmt.Sprintf("the games at once want %d cores and %d are there; lower concurrency or threads, or set pin: off", e.Want, e.Have)
}

// Slots deals cores to games: answer i is the list of CPU ids for slot i, with
// threads of them each, no CPU in two slots. Physical cores go first, so that
// two games share a core only where cores run out; where there are as many
// physical cores as are wanted, each slot gets whole ones. The error is a
// *TooFewCPUsError. A core of which a CPU is taken by others counts as one that
// has been dealt from.
func Slots(cpus, taken []CPU, concurrency, threads int) ([][]int, error) {
	if concurrency < 1 || threads < 1 {
		return nil, fmt.Errorf("%d slots of %d threads; both must be at least 1", concurrency, threads)
	}
	if want := concurrency * threads; len(cpus) < want {
		return nil, &TooFewCPUsError{Want: want, Have: len(cpus)}
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
