//go:build !linux

package process

// FreeMemory returns the share of the machine's memory that is available without
// swapping; known is false if the platform does not tell.
func FreeMemory() (share float64, known bool) { return 0, false }

// Load returns how many threads ran or wanted to run over the last minute; known is
// false if the platform does not tell.
func Load() (threads float64, known bool) { return 0, false }
