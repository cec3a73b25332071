package tool_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/tool"
)

func TestCodesRoundTrip(t *testing.T) {
	// Where a system has one word for several of our codes, the way back is the
	// most general of them.
	for name, c := range map[string]struct {
		there func(tool.Code) string
		back  func(string) tool.Code
		want  map[string]tool.Code
	}{
		"clawft": {tool.Code.Clawft, tool.CodeOfClawft, map[string]tool.Code{
			"InvalidArgs": tool.CodeInvalid, "PermissionDenied": tool.CodeDenied, "FileNotFound": tool.CodeNotFound,
			"ExecutionFailed": tool.CodeFailed, "InvalidPath": tool.CodePath, "Timeout": tool.CodeTimeout,
		}},
		"UTP": {tool.Code.UTP, tool.CodeOfUTP, map[string]tool.Code{
			"bad_request": tool.CodeInvalid, "auth_failed": tool.CodeDenied, "not_found": tool.CodeNotFound, "conflict": tool.CodeConflict,
			"tool_timeout": tool.CodeTimeout, "upstream_unavailable": tool.CodeUnavailable, "internal_error": tool.CodeInternal,
		}},
		"HTTP": {func(c tool.Code) string { return fmt.Sprint(c.HTTP()) }, func(s string) tool.Code { return tool.CodeOfHTTP(atoi(t, s)) }, map[string]tool.Code{
			"400": tool.CodeInvalid, "401": tool.CodeUnauthenticated, "403": tool.CodeDenied, "404": tool.CodeNotFound, "409": tool.CodeConflict,
			"412": tool.CodePrecondition, "422": tool.CodeFailed, "429": tool.CodeLimit, "499": tool.CodeCancelled, "500": tool.CodeInternal,
			"503": tool.CodeUnavailable, "504": tool.CodeTimeout, "508": tool.CodeLoop,
		}},
		"JSON-RPC": {func(c tool.Code) string { return fmt.Sprint(c.RPC()) }, func(s string) tool.Code { return tool.CodeOfRPC(atoi(t, s)) }, map[string]tool.Code{
			"0": tool.CodeFailed, "-32602": tool.CodeInvalid, "-32002": tool.CodeNotFound, "-32001": tool.CodeTimeout, "-32800": tool.CodeCancelled,
			"-32000": tool.CodeUnavailable, "-32603": tool.CodeInternal,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			got := map[string]tool.Code{}
			for _, code := range tool.Codes() {
				word := c.there(code)
				got[word] = c.back(word)
			}
			if d := cmp.Diff(got, c.want); d != "" {
				t.Errorf("(-got +want):\n%s", d)
			}
			for word, code := range c.want {
				if code != tool.CodeFailed && c.there(code) != word {
					t.Errorf("%s is %s, and that is %s", word, code, c.there(code))
				}
			}
		})
	}
}

func atoi(t *testing.T, s string) (n int) {
	t.Helper()
	if _, err := fmt.Sscan(s, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestCodesOfOthers(t *testing.T) {
	for got, want := range map[tool.Code]tool.Code{
		tool.CodeOfHTTP(418): tool.CodeFailed, tool.CodeOfHTTP(502): tool.CodeUnavailable, tool.CodeOfHTTP(408): tool.CodeTimeout,
		tool.CodeOfRPC(-32700): tool.CodeInvalid, tool.CodeOfClawft("NotFound"): tool.CodeNotFound,
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if tool.CodeOfHTTP(599) != tool.CodeUnavailable || tool.CodeOfRPC(-1) != tool.CodeFailed || tool.CodeOfUTP("rate_limited") != tool.CodeFailed {
		t.Error("an unknown word has a code of its own")
	}
	if tool.Code("NEW").Known() || !tool.CodeLoop.Known() || tool.Code("NEW").HTTP() != tool.CodeFailed.HTTP() {
		t.Error("a code from elsewhere is not judged as a failed tool")
	}
}

func TestExitCodes(t *testing.T) {
	type exits struct{ Call, Run int }
	got := map[tool.Code]exits{}
	for _, c := range tool.Codes() {
		got[c] = exits{c.CallExit(), c.RunExit()}
	}
	want := map[tool.Code]exits{
		tool.CodeInvalid: {9, 9}, tool.CodeTruncated: {9, 9},
		tool.CodeDenied: {6, 6}, tool.CodeApprovalDenied: {6, 6}, tool.CodeApprovalExpired: {6, 6},
		tool.CodeNotFound: {5, 5}, tool.CodeConflict: {5, 5}, tool.CodePrecondition: {5, 5}, tool.CodePath: {5, 5}, tool.CodeTimeout: {5, 5}, tool.CodeFailed: {5, 5},
		tool.CodeLoop: {6, 8}, tool.CodeLimit: {5, 8}, tool.CodeUnauthenticated: {5, 3}, tool.CodeUnavailable: {5, 4},
		tool.CodeCancelled: {130, 130}, tool.CodeInternal: {5, 1},
	}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("(-got +want):\n%s", d)
	}
	var tools tool.Registry
	unknown := tool.Do(t.Context(), tools.Call, tool.NewCall("nix", `{}`))
	for name, c := range map[string]struct {
		res  *tool.Result
		want int
	}{
		"ok": {tool.Text(""), 0}, "pending": {tool.Delegate("x"), 0}, "an unknown tool": {unknown, 2},
		"a missing file": {tool.Fail(tool.Errorf(tool.CodeNotFound, "no such file")), 5}, "no error": {&tool.Result{Status: tool.StatusError}, 5},
	} {
		if got := c.res.Exit(); got != c.want {
			t.Errorf("%s: exit %d, want %d", name, got, c.want)
		}
	}
	if !errors.Is(unknown.Err, tool.ErrUnknownTool) {
		t.Error("the error of an unknown tool is not ErrUnknownTool")
	}
}

func TestClawftTexts(t *testing.T) {
	var tools tool.Registry
	unknown := tool.Do(t.Context(), tools.Call, tool.NewCall("nix", `{}`)).Err
	for _, c := range []struct {
		err        *tool.Error
		kind, text string
	}{
		{unknown, "NotFound", `tool not found: no tool "nix": there are no tools`},
		{&tool.Error{Code: tool.CodeNotFound, Message: "a.txt"}, "FileNotFound", "not found: a.txt"},
		{&tool.Error{Code: tool.CodeInvalid, Message: "path"}, "InvalidArgs", "invalid arguments: path"},
		{&tool.Error{Code: tool.CodePath, Message: "../x"}, "InvalidPath", "invalid path: ../x"},
		{&tool.Error{Code: tool.CodeDenied, Message: "no"}, "PermissionDenied", "permission denied: no"},
		{&tool.Error{Code: tool.CodeTimeout, Message: "late"}, "Timeout", "timeout after 30s"},
		{&tool.Error{Code: tool.CodeConflict, Message: "etag"}, "ExecutionFailed", "execution failed: etag"},
	} {
		if kind, text := c.err.Clawft(30 * time.Second); kind != c.kind || text != c.text {
			t.Errorf("got %s %q, want %s %q", kind, text, c.kind, c.text)
		}
	}
}

func TestStatuses(t *testing.T) {
	for s, want := range map[tool.Status][2]string{
		tool.StatusOK: {"success", "ok"}, tool.StatusError: {"failed", "error"}, tool.StatusBlocked: {"failed", "error"}, tool.StatusPending: {"", "ok"},
		tool.StatusTimeout: {"timeout", "timeout"}, tool.StatusCancelled: {"canceled", "cancelled"}, tool.StatusSkipped: {"canceled", "skipped"},
		tool.StatusPartial: {"partial", "ok"}, "odd": {"failed", "error"},
	} {
		if got := [2]string{s.UTP(), s.Seed()}; got != want {
			t.Errorf("%s is %v, want %v", s, got, want)
		}
	}
	for word, want := range map[string]tool.Status{
		"success": tool.StatusOK, "failed": tool.StatusError, "timeout": tool.StatusTimeout, "canceled": tool.StatusCancelled,
		"cancelled": tool.StatusCancelled, "partial": tool.StatusPartial, "": tool.StatusError, "odd": tool.StatusError,
	} {
		if got := tool.StatusOfUTP(word); got != want {
			t.Errorf("%q is %s, want %s", word, got, want)
		}
	}
}
