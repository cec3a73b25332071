package schema_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/toolpost/toolpost/schema"
)

var update = flag.Bool("update", false, "write what the tests compare with")

// TestViews compares views with testdata/views: each archive has a schema and,
// for the dialects whose sections it has, what becomes of it.
func TestViews(t *testing.T) {
	files, err := filepath.Glob("testdata/views/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			s, err := schema.Parse(ar.Files[0].Data)
			if err != nil {
				t.Fatal(err)
			}
			for i, f := range ar.Files[1:] {
				d, err := schema.DialectNamed(f.Name)
				if err != nil {
					t.Fatal(err)
				}
				got := shown(s, d)
				if *update {
					ar.Files[i+1].Data = []byte(got)
				} else if diff := cmp.Diff(string(f.Data), got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", f.Name, diff)
				}
			}
			if *update {
				if err := os.WriteFile(name, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// shown is a view as the archives have it.
func shown(s *schema.Schema, d schema.Dialect) string {
	v, err := schema.Normalize(s, d)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	var b bytes.Buffer
	if err := json.Indent(&b, v.Schema, "", "  "); err != nil {
		return err.Error()
	}
	fmt.Fprintf(&b, "\nstrict: %v\n", v.Strict)
	if v.NotStrict != "" {
		fmt.Fprintf(&b, "not strict: %s\n", v.NotStrict)
	}
	if v.Note != "" {
		fmt.Fprintf(&b, "note: %s\n", v.Note)
	}
	for _, l := range v.Losses {
		fmt.Fprintf(&b, "loss: %s\n", l)
	}
	return b.String()
}
