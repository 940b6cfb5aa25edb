//go:build race

package main

// memoryFactor is how much more memory arena may take here: the race detector
// keeps a shadow of it all.
const memoryFactor = 6
