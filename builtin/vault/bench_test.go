package vault_test

import (
	"fmt"
	"strings"
	"testing"
)

// A vault of 2,000 notes of 4 KB, listed with etags and searched.
func BenchmarkVault(b *testing.B) {
	k := newKit(b)
	for i := range 2000 {
		k.put(fmt.Sprintf("F%d/note %d.md", i%40, i), "---\ntags: [a]\n---\n"+strings.Repeat("Some words in a line of a note.\n", 128)+fmt.Sprintf("needle %d\n", i))
	}
	for name, args := range map[string]string{
		"listFiles":  `{"recursive":true,"limit":2000,"extensions":["md"]}`,
		"searchText": `{"query":"Needle 19","limit":1000}`,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				k.ok(name, args)
			}
		})
	}
}
