//go:build !linux

package process

// FreeMemory is the share of the machine's memory that programs could have without
// swapping; known is false where the platform does not tell.
func FreeMemory() (share float64, known bool) { return 0, false }

// Load is how many threads ran or wanted to run over the last minute; known is
// false where the platform does not tell.
func Load() (threads float64, known bool) { return 0, false }
