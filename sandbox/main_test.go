package sandbox_test

import (
	"os"
	"testing"

	"github.com/toolpost/toolpost/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Init()
	os.Exit(m.Run())
}
