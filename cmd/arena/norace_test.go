//go:build !race

package main

// memoryFactor is how much more memory arena may take here.
const memoryFactor = 1
