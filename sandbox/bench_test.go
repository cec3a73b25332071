package sandbox_test

import (
	"os"
	"testing"

	"github.com/toolpost/toolpost/sandbox"
)

// The difference between the two is what the rules cost: at most 30 µs.
func BenchmarkRead(b *testing.B) {
	r, dir := open(b, sandbox.Profile{})
	name := put(b, dir, "a/b/c/file.txt")
	b.Run("os.ReadFile", func(b *testing.B) {
		for b.Loop() {
			if _, err := os.ReadFile(name); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Root.Read", func(b *testing.B) {
		for b.Loop() {
			if _, err := r.Read("a/b/c/file.txt", sandbox.ReadOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkWrite(b *testing.B) {
	r, _ := open(b, sandbox.Profile{})
	content := [][]byte{[]byte("one"), []byte("two")}
	for i := 0; b.Loop(); i++ {
		if _, err := r.Write("a/b/file.txt", content[i%2], sandbox.WriteOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDenied(b *testing.B) {
	for b.Loop() {
		sandbox.Denied(`cd src && timeout 60 sh -c 'go vet ./... && go test ./...' | tee log.txt`)
	}
}
