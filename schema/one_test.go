package schema_test

import (
	"os"
	"testing"

	"github.com/toolpost/toolpost/schema"
)

func TestOne(t *testing.T) {
	if os.Getenv("ONE") == "" {
		return
	}
	b, _ := os.ReadFile(os.Getenv("ONE"))
	s := schema.MustParse(string(b))
	for _, d := range schema.Dialects() {
		v, err := schema.Normalize(s, d)
		t.Logf("%s %v\n%s\nNOTE %s\n%v %s %v", d.Name, err, v.Schema, v.Note, v.Losses, v.NotStrict, v.Names)
	}
}
