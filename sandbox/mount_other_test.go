//go:build unix && !linux

package sandbox_test

import (
	"errors"
	"syscall"
)

func mountAttr() *syscall.SysProcAttr { return nil }

func mountSmall(string) error { return errors.ErrUnsupported }

func unmount(string) {}

func remountReadOnly(string) error { return errors.ErrUnsupported }
