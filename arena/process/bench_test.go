//go:build linux && !portable

package process_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"botarena/arena/process"
)

// echo builds the C program that sends back what it reads.
func echo(b *testing.B) string {
	b.Helper()
	program := filepath.Join(b.TempDir(), "echo")
	if out, err := exec.Command("gcc", "-O2", "-o", program, "testdata/echo.c").CombinedOutput(); err != nil {
		b.Fatalf("this benchmark needs gcc: %v %s", err, out)
	}
	return program
}

// BenchmarkRoundTrip measures one line there and back: through a Process, over
// the same pipes bare (blocking read and write), and as os/exec and bufio do it.
func BenchmarkRoundTrip(b *testing.B) {
	program := echo(b)
	cpus, err := process.CPUs()
	if err != nil {
		b.Fatal(err)
	}
	last := []int{cpus[len(cpus)-1].ID}
	for _, pin := range []struct {
		name string
		cpus []int
	}{{"one core", last}, {"unpinned", nil}} {
		b.Run("process/"+pin.name, func(b *testing.B) {
			s := newStarter(b)
			p, err := s.Start(context.Background(), process.Spec{Command: []string{program}, Dir: "/", CPUs: pin.cpus})
			if err != nil {
				b.Fatal(err)
			}
			defer pinBench(b, pin.cpus)()
			line := []byte("go movetime 100\n")
			b.ReportAllocs()
			start := cpuTime(b)
			for b.Loop() {
				p.Reset()
				deadline := time.Now().Add(10 * time.Second)
				if err := p.Write(line, deadline); err != nil {
					b.Fatal(err)
				}
				if _, err := p.ReadLine(deadline); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(cpuTime(b)-start)/float64(b.N), "own-cpu-ns/op")
			if err := p.End(time.Second); err != nil {
				b.Error(err)
			}
		})
		b.Run("bare/"+pin.name, func(b *testing.B) {
			defer pinBench(b, pin.cpus)()
			cmd := exec.Command(program) // inherits the pin of this thread
			in, out := bareStart(b, cmd)
			line, buf := []byte("go movetime 100\n"), make([]byte, 4096)
			start := cpuTime(b)
			for b.Loop() {
				if _, err := unix.Write(in, line); err != nil {
					b.Fatal(err)
				}
				if n, err := unix.Read(out, buf); err != nil || n != len(line) {
					b.Fatal(n, err)
				}
			}
			b.ReportMetric(float64(cpuTime(b)-start)/float64(b.N), "own-cpu-ns/op")
			bareEnd(b, cmd, in, out)
		})
		b.Run("bufio/"+pin.name, func(b *testing.B) {
			defer pinBench(b, pin.cpus)()
			cmd := exec.Command(program)
			in, err := cmd.StdinPipe()
			if err != nil {
				b.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				b.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				b.Fatal(err)
			}
			lines := bufio.NewReader(out)
			line := []byte("go movetime 100\n")
			start := cpuTime(b)
			for b.Loop() {
				if _, err := in.Write(line); err != nil {
					b.Fatal(err)
				}
				if _, err := lines.ReadSlice('\n'); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(cpuTime(b)-start)/float64(b.N), "own-cpu-ns/op")
			_ = in.Close()
			if err := cmd.Wait(); err != nil {
				b.Error(err)
			}
		})
	}
}

// pinBench pins the benchmark's thread where there are CPUs to pin it to.
func pinBench(b *testing.B, cpus []int) (unpin func()) {
	b.Helper()
	if cpus == nil {
		return func() {}
	}
	unpin, err := process.PinThread(cpus)
	if err != nil {
		b.Fatal(err)
	}
	return unpin
}

// bareStart starts a program over pipes and returns blocking descriptors.
func bareStart(b *testing.B, cmd *exec.Cmd) (in, out int) {
	b.Helper()
	var stdin, stdout [2]int
	for _, fds := range []*[2]int{&stdin, &stdout} {
		if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
			b.Fatal(err)
		}
	}
	childIn, childOut := os.NewFile(uintptr(stdin[0]), "stdin"), os.NewFile(uintptr(stdout[1]), "stdout")
	cmd.Stdin, cmd.Stdout = childIn, childOut
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	_ = childIn.Close()
	_ = childOut.Close()
	return stdin[1], stdout[0]
}

func bareEnd(b *testing.B, cmd *exec.Cmd, in, out int) {
	b.Helper()
	_ = unix.Close(in)
	if err := cmd.Wait(); err != nil {
		b.Error(err)
	}
	_ = unix.Close(out)
}

// cpuTime is what this program has used.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// BenchmarkStart measures starting a bot and ending it.
func BenchmarkStart(b *testing.B) {
	program := echo(b)
	for _, sandbox := range []struct {
		name string
		spec process.Spec
	}{
		{"none", process.Spec{}},
		{"limits", process.Spec{Sandbox: "limits"}},
		{"strict", process.Spec{Sandbox: "strict"}},
	} {
		b.Run(sandbox.name, func(b *testing.B) {
			s := newStarter(b)
			spec := sandbox.spec
			spec.Command, spec.Dir = []string{program}, filepath.Dir(program)
			if spec.Sandbox != "" {
				spec.Limits.Memory = 1 << 30
			}
			for b.Loop() {
				p, err := s.Start(context.Background(), spec)
				if err != nil {
					b.Fatal(err)
				}
				if err := p.End(time.Second); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
