//go:build !linux

package process

// GiveWay has the system prefer other programs, such as bots, to this process and
// to what it starts. It is for programs that watch. Where the platform has nothing of
// the kind, nothing happens.
func GiveWay() error { return nil }
