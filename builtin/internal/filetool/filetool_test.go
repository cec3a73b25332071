package filetool_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/builtin/internal/filetool"
	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

func TestEveryFailureOfTheSandboxHasACode(t *testing.T) {
	for kind, want := range map[sandbox.Kind]tool.Code{
		sandbox.KindInvalidPath: tool.CodePath, sandbox.KindNotFound: tool.CodeNotFound, sandbox.KindExists: tool.CodeConflict,
		sandbox.KindProtected: tool.CodeDenied, sandbox.KindTooLarge: tool.CodeLimit, "of tomorrow": tool.CodeFailed,
	} {
		err := filetool.Fault(fmt.Errorf("around it: %w", &sandbox.Error{Kind: kind, Path: "a", Msg: "is so"}))
		if !errors.Is(err, &tool.Error{Code: want}) {
			t.Errorf("%s: %v, want %s", kind, err, want)
		}
	}
	if other := errors.New("other"); filetool.Fault(other) != other {
		t.Error("an error of another package is not left alone")
	}
}

// Effects are those of what happened: nothing for a dry run or no change.
func TestEffectsAreThoseOfTheChange(t *testing.T) {
	observed := func(c sandbox.Change, observe func(context.Context, sandbox.Change)) *tool.Effects {
		h := func(ctx context.Context, _ *tool.Call) (*tool.Result, error) {
			observe(ctx, c)
			return tool.Text("done"), nil
		}
		return tool.Do(t.Context(), tool.Guard(h), tool.NewCall("t", "{}")).Effects
	}
	for _, c := range []struct {
		change sandbox.Change
		want   *tool.Effects
	}{
		{sandbox.Change{Op: sandbox.OpNone, Path: "a"}, nil},
		{sandbox.Change{Op: sandbox.OpCreated, Path: "a", DryRun: true}, nil},
		{sandbox.Change{Op: sandbox.OpCreated, Path: "f/a", Kind: sandbox.EntryFile, AfterEtag: "1", Folders: []string{"f"}},
			&tool.Effects{Observed: []string{"create-folder", "create-file"}, Created: []tool.FileEffect{{Path: "f", Kind: "folder"}, {Path: "f/a", Kind: "file", After: "1"}}}},
		{sandbox.Change{Op: sandbox.OpCreated, Path: "f", Kind: sandbox.EntryDir},
			&tool.Effects{Observed: []string{"create-folder"}, Created: []tool.FileEffect{{Path: "f", Kind: "folder"}}}},
		{sandbox.Change{Op: sandbox.OpModified, Path: "a", Kind: sandbox.EntryFile, BeforeEtag: "1", AfterEtag: "2"},
			&tool.Effects{Observed: []string{"modify-file"}, Modified: []tool.FileEffect{{Path: "a", Kind: "file", Before: "1", After: "2"}}}},
		{sandbox.Change{Op: sandbox.OpDeleted, Path: "f", Kind: sandbox.EntryDir},
			&tool.Effects{Observed: []string{"delete-folder"}, Deleted: []tool.FileEffect{{Path: "f", Kind: "folder"}}}},
		{sandbox.Change{Op: sandbox.OpRenamed, Path: "b", From: "a", Kind: sandbox.EntryFile},
			&tool.Effects{Observed: []string{"rename-file"}, Renamed: []tool.Rename{{From: "a", To: "b"}}}},
	} {
		if diff := cmp.Diff(c.want, observed(c.change, filetool.Observe)); diff != "" {
			t.Errorf("%+v\n%s", c.change, diff)
		}
	}
	trashed := sandbox.Change{Op: sandbox.OpRenamed, From: "a", Path: ".trash/a", Kind: sandbox.EntryFile, BeforeEtag: "1"}
	want := &tool.Effects{Observed: []string{"trash-file"}, Deleted: []tool.FileEffect{{Path: "a", Kind: "file", Before: "1", Trashed: true}}}
	if diff := cmp.Diff(want, observed(trashed, filetool.ObserveTrashed)); diff != "" {
		t.Error(diff)
	}
}

func TestALongDiffIsCutAtALine(t *testing.T) {
	d := filetool.Unified("a.md", "", strings.Repeat("a line of it\n", 10_000))
	if len(d) > 50<<10 || !strings.HasPrefix(d, "--- a/a.md\n+++ b/a.md\n") || !strings.HasSuffix(d, "more bytes of the diff are left out]\n") {
		t.Errorf("%d bytes, ending %q", len(d), d[len(d)-60:])
	}
}

// What is decoded is encoded again to the same bytes.
func FuzzText(f *testing.F) {
	for _, s := range []string{"plain", "\ufeffé", "caf\xe9", "\xff\xfea\x00", "\xfe\xff\x00a", "\x00\x01"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		text, enc, err := filetool.DecodeText(content)
		if err != nil {
			return
		}
		if !utf8.ValidString(text) {
			t.Fatalf("%q is decoded as %q", content, text)
		}
		back, err := filetool.EncodeText("a", text, enc)
		if err != nil || string(back) != string(content) {
			t.Fatalf("%q (%s) came back as %q: %v", content, enc, back, err)
		}
	})
}
