//go:build !linux

package process

// FreeMemory is the share of the machine's memory that programs could have without
// swapping; known is false where the platform does not tell.
func FreeMemory() (share float64, known bool) { return 0, false }
