package schema_test

import (
	"os"
	"strconv"
	"testing"
	"time"
)

func TestZZ(t *testing.T) {
	start := time.Now()
	n, _ := strconv.ParseUint(os.Getenv("SEED"), 10, 64)
	for ; time.Since(start) < 60*time.Second; n++ {
		law(t, n)
	}
	t.Log(n)
}
