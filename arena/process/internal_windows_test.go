package process

import (
	"errors"
	"fmt"
	"testing"

	"golang.org/x/sys/windows"
)

func TestBusyErrors(t *testing.T) {
	for err, want := range map[error]bool{
		windows.ERROR_INTERNAL_ERROR: true, windows.ERROR_NO_SYSTEM_RESOURCES: true, windows.ERROR_FILE_NOT_FOUND: false,
	} {
		err = execError(`C:\x.exe`, fmt.Errorf("fork/exec: %w", err))
		var busy *BusyError
		if errors.As(err, &busy) != want {
			t.Errorf("%v is %T", err, err)
		}
	}
}
