//go:build !unix

package scenario

import "time"

// cpuTime is zero: this system does not tell it in a way that is used here.
func cpuTime() time.Duration { return 0 }
