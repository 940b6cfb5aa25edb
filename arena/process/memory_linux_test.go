package process_test

import (
	"testing"

	"botarena/arena/process"
)

func TestMachine(t *testing.T) {
	if share, known := process.FreeMemory(); !known || share <= 0 || share > 1 {
		t.Errorf("free memory %v, %v", share, known)
	}
	if load, known := process.Load(); !known || load < 0 {
		t.Errorf("load %v, %v", load, known)
	}
}
