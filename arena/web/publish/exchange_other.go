//go:build !linux

package publish

import (
	"errors"
	"os"
)

// exchangeFolders has two folders change places at one moment, which this system cannot.
// The error is fs.ErrNotExist if the second one is not there, else
// errors.ErrUnsupported.
func exchangeFolders(_, b string) error {
	if _, err := os.Stat(b); err != nil {
		return err
	}
	return errors.ErrUnsupported
}
