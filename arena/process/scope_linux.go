//go:build linux && !portable

package process

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Bots outside a strict sandbox run as arena's user, who may signal them all. If the
// kernel has Landlock's scope of signals (Linux 6.12), each such bot gets a domain of
// its own, out of which it can neither signal nor trace another process. A domain is a
// permanent property of a thread that its children inherit, so such a bot is forked by
// a thread of its own.

// fixedThreads is the bit of Landlock's second erratum: without that fix a thread in a
// domain cannot signal arena's other threads, as Go's scheduler does.
const fixedThreads = 1 << (2 - 1)

// canScope reports whether threads can be put into domains, by trying it: a container
// may forbid what the kernel offers.
func canScope() bool {
	errata, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_ERRATA)
	if errno != 0 || errata&fixedThreads == 0 {
		return false
	}
	ok := make(chan bool)
	onOwnThread(func() { ok <- enterScope() == nil })
	return <-ok
}

// onOwnThread runs a function on a thread that ends with it.
func onOwnThread(f func()) {
	go func() {
		runtime.LockOSThread()
		if unix.Gettid() != os.Getpid() {
			f() // never unlocked: the thread goes with the goroutine
			return
		}
		// This is the thread that the process is known by, and it must stay as it
		// is. While it is taken, another goroutine is on another thread.
		begun := make(chan struct{})
		onOwnThread(func() {
			close(begun)
			f()
		})
		<-begun
		runtime.UnlockOSThread()
	}()
}

// enterScope puts the calling thread into a domain of its own, for good.
func enterScope() error {
	attr := unix.LandlockRulesetAttr{Scoped: unix.LANDLOCK_SCOPE_SIGNAL}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return scopeError(errno)
	}
	defer func() { _ = unix.Close(int(fd)) }()
	_, _, errno = unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0)
	if errno == unix.EPERM { // an ordinary user also has to renounce set-user-id programs
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return scopeError(err)
		}
		_, _, errno = unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0)
	}
	if errno != 0 {
		return scopeError(errno)
	}
	return nil
}

func scopeError(err error) error {
	return fmt.Errorf("keep the bot from signalling others: %w", err)
}

// Shields reports whether bots of this Starter, in whatever sandbox, cannot signal
// each other or arena. It depends on the kernel.
func (s *Starter) Shields() bool { return s.shields }
