//go:build !linux

package process

// GiveWay has the system prefer other programs, such as bots, to this process and
// to what it starts. It is for programs that watch. Where the platform has nothing of
// the kind, nothing happens.
func GiveWay() error { return nil }

// GiveAllWay has the system run the calling thread only while nothing else wants a core,
// as good as. The caller has locked its goroutine to the thread, and lets both end
// together: there is no way back. Where the platform has nothing of the kind, nothing
// happens.
func GiveAllWay() error { return nil }
