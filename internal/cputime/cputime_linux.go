package cputime

import (
	"runtime"
	"syscall"
	"time"
	"unsafe"
)

// Of returns the processor time that a function takes on its goroutine.
func Of(f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := ofThread()
	f()
	return ofThread() - before
}

// ofThread returns the processor time that the thread has taken so far. The kernel brings the time
// that getrusage returns up to date only every few milliseconds.
func ofThread() time.Duration {
	const clockThreadCPUTime = 3 // CLOCK_THREAD_CPUTIME_ID
	var now syscall.Timespec
	_, _, errno := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockThreadCPUTime, uintptr(unsafe.Pointer(&now)), 0)
	if errno != 0 {
		panic(errno)
	}
	return time.Duration(now.Nano())
}
