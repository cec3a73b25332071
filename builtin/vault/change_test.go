package vault_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/tool"
)

func TestAPatchIsAppliedWholeOrNotAtAll(t *testing.T) {
	for _, c := range []struct{ name, patch, want, code, says string }{
		{"range", `{"range":{"start":2,"end":4,"text":"X"}}`, "# Xtle\n\nöne two two\n", "", ""},
		{"range by its other name", `{"replaceRange":{"start":0,"end":0,"text":"!"}}`, "!# Title\n\nöne two two\n", "", ""},
		{"range behind a wide character", `{"range":{"start":10,"end":12,"text":"X"}}`, "# Title\n\nöX two two\n", "", ""},
		{"range past the end", `{"range":{"start":0,"end":99,"text":"X"}}`, "", "PRECONDITION_FAILED", "21 characters"},
		{"diff", `{"diff":"@@ -1 +1 @@\n-# Title\n+# Head\n"}`, "# Head\n\nöne two two\n", "", ""},
		{"diff that does not fit", `{"diff":"@@ -1 +1 @@\n-# Other\n+# Head\n"}`, "", "PRECONDITION_FAILED", "hunk 1 of 1"},
		{"diff that is none", `{"diff":"replace the title"}`, "", "VALIDATION_ERROR", "no hunk"},
		{"replace", `{"operations":[{"op":"replace","find":"öne","text":"one"}]}`, "# Title\n\none two two\n", "", ""},
		{"replace all", `{"operations":[{"op":"replace","find":"two","text":"2","all":true}]}`, "# Title\n\nöne 2 2\n", "", ""},
		{"insert at the end", `{"operations":[{"op":"insert","at":-1,"text":"end\n"}]}`, "# Title\n\nöne two two\nend\n", "", ""},
		{"insert before and after", `{"operations":[{"op":"insert","before":"öne","text":"zero "},{"op":"insert","after":"# Title\n","text":"by me\n"}]}`, "# Title\nby me\n\nzero öne two two\n", "", ""},
		{"delete", `{"operations":[{"op":"delete","find":" two two"},{"op":"delete","start":0,"end":2}]}`, "Title\n\nöne\n", "", ""},
		{"each in what the ones before left", `{"operations":[{"op":"replace","find":"öne","text":"two"},{"op":"replace","find":"two two two","text":"6"}]}`, "# Title\n\n6\n", "", ""},
		{"ambiguous", `{"operations":[{"op":"delete","find":"öne"},{"op":"delete","find":"two"}]}`, "", "PRECONDITION_FAILED", "operation 2 of 2 (delete): find occurs 2 times"},
		{"not there", `{"operations":[{"op":"delete","find":"# Tit1e"}]}`, "", "PRECONDITION_FAILED", "# Title"},
		{"no place", `{"operations":[{"op":"insert","text":"x"}]}`, "", "VALIDATION_ERROR", "exactly one of at, before and after"},
		{"two places", `{"operations":[{"op":"replace","find":"a","start":1,"end":2,"text":"x"}]}`, "", "VALIDATION_ERROR", "either find, or start and end"},
		{"half a range", `{"operations":[{"op":"delete","start":1}]}`, "", "VALIDATION_ERROR", "belong together"},
		{"nothing", `{}`, "", "VALIDATION_ERROR", "0 are given"},
		{"two ways", `{"range":{"start":0,"end":0,"text":"x"},"diff":"@@\n+x"}`, "", "VALIDATION_ERROR", "2 are given"},
		{"an unknown operation", `{"operations":[{"op":"move"}]}`, "", "VALIDATION_ERROR", "op"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newKit(t, "n.md", "# Title\n\nöne two two\n")
			args := `{"path":"n.md","patch":` + c.patch + `}`
			if c.code != "" {
				k.fails("patchFile", args, tool.Code(c.code), c.says)
				return
			}
			r := k.ok("patchFile", args)
			if diff := cmp.Diff(c.want, k.get("n.md")); diff != "" {
				t.Error(diff)
			}
			if d := data(t, r); d["applied"] != true || !strings.HasPrefix(d["diff"].(string), "--- a/n.md\n+++ b/n.md\n@@ ") {
				t.Errorf("%v", d)
			}
		})
	}
}

func TestAPatchThatChangesNothingSaysSo(t *testing.T) {
	k := newKit(t, "n.md", "a\n", "b.bin", "\x00")
	r := k.ok("patchFile", `{"path":"n.md","patch":{"range":{"start":0,"end":1,"text":"a"}}}`)
	if d := data(t, r); d["applied"] != false || r.Effects != nil {
		t.Errorf("%v %+v", d, r.Effects)
	}
	k.fails("patchFile", `{"path":"b.bin","patch":{"range":{"start":0,"end":1,"text":"a"}}}`, tool.CodePrecondition, "binary")
	k.fails("patchFile", `{"path":"m.md","patch":{"range":{"start":0,"end":1,"text":"a"}}}`, tool.CodeNotFound, "n.md")
}

func TestRenames(t *testing.T) {
	for _, c := range []struct{ name, args, to, code string }{
		{"to a new folder", `{"fromPath":"a.md","toPath":"X/Y/b.md"}`, "X/Y/b.md", ""},
		{"a folder", `{"fromPath":"F","toPath":"G"}`, "G", ""},
		{"to a taken path", `{"fromPath":"a.md","toPath":"F/c.md"}`, "", "CONFLICT"},
		{"to a taken path, with another name", `{"fromPath":"a.md","toPath":"F/c.md","collisionStrategy":"create-unique"}`, "F/c 1.md", ""},
		{"over a file", `{"fromPath":"a.md","toPath":"F/c.md","collisionStrategy":"overwrite"}`, "F/c.md", ""},
		{"over a folder", `{"fromPath":"a.md","toPath":"F","collisionStrategy":"overwrite"}`, "", "CONFLICT"},
		{"into itself", `{"fromPath":"F","toPath":"F/G"}`, "", "VALIDATION_ERROR"},
		{"to the same", `{"fromPath":"a.md","toPath":"./a.md"}`, "", "VALIDATION_ERROR"},
		{"of the vault", `{"fromPath":".","toPath":"x"}`, "", "INVALID_PATH"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newKit(t, "a.md", "a", "F/c.md", "c")
			if c.code != "" {
				k.fails("rename", c.args, tool.Code(c.code))
				return
			}
			r := k.ok("rename", c.args)
			d := data(t, r)
			if d["toPath"] != c.to || k.is(d["fromPath"].(string)) || !k.is(c.to) {
				t.Errorf("%v", d)
			}
			want := []tool.Rename{{From: d["fromPath"].(string), To: c.to}}
			if diff := cmp.Diff(want, r.Effects.Renamed); diff != "" {
				t.Error(diff)
			}
			if over := strings.Contains(c.args, "overwrite"); over != (len(r.Effects.Deleted) == 1) {
				t.Errorf("deleted %+v", r.Effects.Deleted)
			}
		})
	}
}

func TestWhatIsDeletedComesBackFromTheTrash(t *testing.T) {
	k := newKit(t, "F/a.md", "first", "a.md", "second", "G/x/y.md", "deep")
	r := k.ok("delete", `{"path":"F/a.md"}`)
	if d := data(t, r); d["deleted"] != true || d["trashed"] != true || d["trashPath"] != ".trash/a.md" {
		t.Errorf("%v", d)
	}
	if e := r.Effects.Deleted; len(e) != 1 || e[0].Path != "F/a.md" || !e[0].Trashed || e[0].Kind != "file" {
		t.Errorf("deleted %+v", e)
	}
	if d := data(t, k.ok("delete", `{"path":"a.md"}`)); d["trashPath"] != ".trash/a 1.md" {
		t.Errorf("%v", d)
	}
	if d := data(t, k.ok("delete", `{"path":"G"}`)); d["trashPath"] != ".trash/G" || k.is("G") {
		t.Errorf("%v", d)
	}
	k.ok("rename", `{"fromPath":".trash/a.md","toPath":"F/a.md"}`)
	k.ok("rename", `{"fromPath":".trash/G","toPath":"G"}`)
	if k.get("F/a.md") != "first" || k.get(".trash/a 1.md") != "second" || k.get("G/x/y.md") != "deep" {
		t.Error("what came back is not what went")
	}
	k.fails("delete", `{"path":".trash/a 1.md"}`, tool.CodePrecondition, "trash to false")
	k.fails("delete", `{"path":"G","trash":false}`, tool.CodePrecondition, "not empty", "trash")
	r = k.ok("delete", `{"path":".trash/a 1.md","trash":false}`)
	if d := data(t, r); d["trashed"] != false || k.is(".trash/a 1.md") || r.Effects.Deleted[0].Trashed {
		t.Errorf("%v", d)
	}
	if d := data(t, k.ok("delete", `{"path":"nothing.md","requireExists":false}`)); d["deleted"] != false {
		t.Errorf("%v", d)
	}
	k.fails("delete", `{"path":"nothing.md"}`, tool.CodeNotFound)
}
