//go:build unix

package builtin_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

type editData struct {
	Path, Etag, Diff string
	Replacements     int
}

func TestEditFile(t *testing.T) {
	edit := func(old, new string) object { return object{"old_text": old, "new_text": new} }
	all := func(old, new string) object {
		return object{"old_text": old, "new_text": new, "replace_all": true}
	}
	for _, c := range []struct {
		name   string
		before string
		edits  []object
		after  string
		count  int
	}{
		{"one passage", "a b c", []object{edit("b", "B")}, "a B c", 1},
		{"a passage is deleted", "a b c", []object{edit(" b", "")}, "a c", 1},
		{"several edits in order", "a b c", []object{edit("a", "x"), edit("x b", "y")}, "y c", 2},
		{"all matches", "a b a b a", []object{all("a", "x")}, "x b x b x", 3},
		{"all matches, those that overlap once", "aaaa", []object{all("aa", "b")}, "bb", 2},
		{"a text over lines", "1\n2\n3\n4\n", []object{edit("2\n3", "x\ny\nz")}, "1\nx\ny\nz\n4\n", 1},
		{"CRLF found by LF and kept", "1\r\n2\r\n3\r\n", []object{edit("1\n2", "one\ntwo\nmore")}, "one\r\ntwo\r\nmore\r\n3\r\n", 1},
		{"CRLF found by CRLF", "1\r\n2\r\n3\r\n", []object{edit("1\r\n2", "one\r\ntwo")}, "one\r\ntwo\r\n3\r\n", 1},
		{"CRLF kept where only the new text has lines", "1\r\n2\r\n", []object{edit("1", "a\nb")}, "a\r\nb\r\n2\r\n", 1},
		{"LF found by CRLF and kept", "1\n2\n3\n", []object{edit("1\r\n2", "a\r\nb")}, "a\nb\n3\n", 1},
		{"a passage that ends with a line end of two bytes", "1\r\n2\r\n3\r\n", []object{edit("1\n", "")}, "2\r\n3\r\n", 1},
		{"mixed line ends stay where nothing is edited", "1\r\n2\n3\r\n4\r\n", []object{edit("3", "x")}, "1\r\n2\nx\r\n4\r\n", 1},
		{"mixed line ends are found", "1\r\n2\n3\r\n", []object{edit("1\n2\n3", "x\ny")}, "x\ny\r\n", 1},
		{"text beyond ASCII", "grüße 世界 🙂\n", []object{edit("世界 🙂", "welt")}, "grüße welt\n", 1},
		{"a byte order mark stays", "\ufeffa\n", []object{edit("a", "b")}, "\ufeffb\n", 1},
		{"UTF-16 stays", string(sandbox.Encode("aß\r\nb", sandbox.UTF16LE)), []object{edit("aß\nb", "x\ny")}, string(sandbox.Encode("x\r\ny", sandbox.UTF16LE)), 1},
		{"Latin-1 stays", "stra\xdfe nach hause\n", []object{edit("straße", "weg über")}, "weg \xfcber nach hause\n", 1},
		{"dollar signs and backslashes are plain", "a.b $1 \\n", []object{edit("a.b $1", `$0 \1`)}, `$0 \1 ` + "\\n", 1},
	} {
		k := newKit(t, "f", c.before)
		args := object{"path": "f", "edits": c.edits}
		if len(c.edits) == 1 {
			args = c.edits[0]
			args["path"] = "f"
		}
		r := k.do("edit_file", args)
		if !r.OK() {
			t.Errorf("%s: %v", c.name, r.Err)
			continue
		}
		if got := k.get("f"); got != c.after {
			t.Errorf("%s: got %q, want %q", c.name, got, c.after)
		}
		d := data[editData](t, r)
		if d.Replacements != c.count || d.Etag != sandbox.Etag([]byte(c.after)) || !strings.HasPrefix(d.Diff, "--- a/f\n+++ b/f\n@@ ") {
			t.Errorf("%s: %+v", c.name, d)
		}
		if r.Effects == nil || len(r.Effects.Modified) != 1 || r.Effects.Modified[0].After != d.Etag {
			t.Errorf("%s: effects %+v", c.name, r.Effects)
		}
	}
}

func TestEditFileRefuses(t *testing.T) {
	const before = "package main\n\nfunc main() {\n\tprintln(\"hello\")\n\tprintln(\"hello\")\n}\n"
	k := newKit(t, "main.go", before, "image.bin", "\x00\x01", "latin", "stra\xdfe nach hause\n")
	edit := func(more object) object {
		more["path"] = "main.go"
		return more
	}
	k.fails("edit_file", edit(object{"old_text": "println(\"hello\")", "new_text": "x"}), tool.CodePrecondition, "occurs 2 times", "lines 4, 5", "replace_all")
	k.fails("edit_file", edit(object{"old_text": "func mian() {", "new_text": "x"}), tool.CodePrecondition, "does not occur", "line 3", "func main() {")
	k.fails("edit_file", edit(object{"old_text": "    println(\"hello\")\n    println(\"hello\")", "new_text": "x"}), tool.CodePrecondition, "line 4", "white space")
	k.fails("edit_file", edit(object{"old_text": "zzz qqq", "new_text": "x"}), tool.CodePrecondition, "nothing in it is like it")
	k.fails("edit_file", edit(object{"old_text": "", "new_text": "x"}), tool.CodeInvalid, "old_text is empty")
	k.fails("edit_file", edit(object{"old_text": "main", "new_text": "main"}), tool.CodeInvalid, "same")
	k.fails("edit_file", edit(object{"old_text": "package"}), tool.CodeInvalid, `"new_text" required`)
	k.fails("edit_file", edit(object{"new_text": "package"}), tool.CodeInvalid, `"old_text" required`)
	k.fails("edit_file", edit(object{}), tool.CodeInvalid, "required")
	k.fails("edit_file", edit(object{"edits": []object{}}), tool.CodeInvalid, "required")
	k.fails("edit_file", edit(object{"old_text": "a", "new_text": "b", "edits": []object{{"old_text": "a", "new_text": "b"}}}), tool.CodeInvalid, "not both")
	k.fails("edit_file", edit(object{"old_text": "package main", "new_text": "x", "expectedEtag": "beef"}), tool.CodeConflict, "beef", "read it again")
	k.fails("edit_file", edit(object{"edits": []object{{"old_text": "package main", "new_text": "package x"}, {"old_text": "nowhere", "new_text": "y"}}}),
		tool.CodePrecondition, "edit 2 of 2", "no edit was made")
	k.fails("edit_file", object{"path": "image.bin", "old_text": "a", "new_text": "b"}, tool.CodePrecondition, "binary")
	k.fails("edit_file", object{"path": "latin", "old_text": "nach", "new_text": "→"}, tool.CodePrecondition, "iso-8859-1", "→")
	k.fails("edit_file", object{"path": "mian.go", "old_text": "a", "new_text": "b"}, tool.CodeNotFound, "main.go")
	k.fails("edit_file", object{"path": "../x", "old_text": "a", "new_text": "b"}, tool.CodePath)
	k.fails("edit_file", object{"path": ".vscode/settings.json", "old_text": "a", "new_text": "b"}, tool.CodeNotFound)
	if k.get("main.go") != before {
		t.Error("a refused edit changed the file")
	}
}

func TestPlacesThatOverlapAreAmbiguous(t *testing.T) {
	k := newKit(t, "f", "aaa")
	k.fails("edit_file", object{"path": "f", "old_text": "aa", "new_text": "b"}, tool.CodePrecondition, "occurs 2 times")
}

func TestEditsOfOneFileAtOnceAllCount(t *testing.T) {
	k := newKit(t, "f", numbered(20))
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			name := []string{"f", "./f", k.dir + "/f"}[i%3]
			r := k.do("edit_file", object{"path": name, "old_text": fmt.Sprintf("line %d\n", i+1), "new_text": fmt.Sprintf("done %d\n", i+1)})
			if !r.OK() {
				t.Error(r.Err)
			}
		})
	}
	group.Wait()
	if want := strings.ReplaceAll(numbered(20), "line", "done"); k.get("f") != want {
		t.Errorf("got %q", k.get("f"))
	}
}

// FuzzEdit checks that an edit does what strings.Replace does when the text is
// there once, and nothing otherwise.
func FuzzEdit(f *testing.F) {
	f.Add("a b c", "b", "x")
	f.Add("1\r\n2\n", "1\n2", "\n")
	f.Add("aaa", "aa", "")
	f.Add("\ufeffx", "x", "y")
	f.Fuzz(func(t *testing.T, before, old, new string) {
		k := newKit(t, "f", before)
		r := k.do("edit_file", object{"path": "f", "old_text": old, "new_text": new})
		if !r.OK() && k.get("f") != before {
			t.Fatalf("a refused edit (%v) changed %q to %q", r.Err, before, k.get("f"))
		}
		if r.OK() && !strings.Contains(before, "\r") && !strings.Contains(old+new, "\r") && strings.Count(before, old) == 1 {
			if want := strings.Replace(before, old, new, 1); k.get("f") != want {
				t.Fatalf("edit of %q: %q to %q gave %q, want %q", before, old, new, k.get("f"), want)
			}
		}
	})
}
