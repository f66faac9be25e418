//go:build !linux && !darwin

package file_test

import "errors"

// limitSize is for TestFullDisk, which only systems with such limits have.
func limitSize(uint64) error { return errors.ErrUnsupported }
