package sandbox

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strconv"
)

// Kind sorts the failures of this package, so that a caller can treat them
// apart without reading text.
type Kind string

// The kinds of failure. No kind is used for two things that a caller would
// want to answer in different ways.
const (
	KindInvalidPath Kind = "invalid_path"  // the path breaks a rule or leaves the workspace
	KindNotFound    Kind = "not_found"     // nothing of that name; or the program to start does not exist
	KindExists      Kind = "exists"        // something of that name is there already
	KindConflict    Kind = "conflict"      // the content is not the one the caller expected
	KindNotRegular  Kind = "not_regular"   // a folder, FIFO, socket or device where a regular file is needed
	KindNotDir      Kind = "not_directory" // a file where a folder is needed
	KindHardLink    Kind = "hard_link"     // the file has a second name, perhaps outside
	KindProtected   Kind = "protected"     // a path that tools may read and never change
	KindTooLarge    Kind = "too_large"     // more bytes or entries than the limit
	KindNoSpace     Kind = "no_space"      // disk or quota full
	KindReadOnly    Kind = "read_only"     // the file system is mounted read-only
	KindPermission  Kind = "permission"    // the operating system says no
	KindNotEmpty    Kind = "not_empty"     // a folder that still holds something
	KindInvalid     Kind = "invalid"       // a command, environment or limit that cannot be carried out
	KindUnconfined  Kind = "unconfined"    // the required sandbox level cannot be reached here
	KindRefused     Kind = "refused"       // the network rules do not allow it
	KindClosed      Kind = "closed"        // the Root, Cell or Process has been closed
	KindIO          Kind = "io"            // anything else the operating system reports
)

// Error is what every function of this package returns when it fails.
//
// Path is relative to the workspace, or the path as the caller gave it when it
// was refused; Msg says the rule and what to do next. Neither holds the host
// path of the workspace.
type Error struct {
	Kind Kind
	Path string
	Msg  string
	Err  error // the cause, for errors.Is; may be nil
}

// Error returns `path "x": message`, with the path quoted and cut at 200 bytes.
func (e *Error) Error() string {
	if e.Path == "" {
		return e.Msg
	}
	return "path " + quote(e.Path) + ": " + e.Msg
}

// Unwrap returns the cause, so that errors.Is(err, fs.ErrNotExist) and the
// like work.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of the first [Error] in the chain of err, or "".
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return ""
}

// quote makes a name safe to show: control characters, invalid UTF-8 and
// direction overrides are escaped, and a long name is cut.
func quote(s string) string {
	const most = 200
	if len(s) > most {
		return strconv.QuoteToGraphic(s[:most]) + "…"
	}
	return strconv.QuoteToGraphic(s)
}

// fail makes an Error without a cause.
func fail(k Kind, path, msg string) *Error {
	return &Error{Kind: k, Path: path, Msg: msg}
}

// wrap turns an error of package os into an Error. doing is a short verb
// phrase such as "reading the file".
func wrap(doing, path string, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	cause := bare(err)
	kind, msg := classify(cause)
	return &Error{Kind: kind, Path: path, Msg: doing + ": " + msg, Err: cause}
}

// bare strips the wrappers that carry file names, which may be host paths.
func bare(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.SyscallError](err); ok {
		return e.Err
	}
	return err
}

// classify sorts a bare error. os.Root reports an escape as an error that is
// no system error; every other cause it can return is one.
func classify(err error) (Kind, string) {
	if k, msg, ok := classifySystem(err); ok {
		return k, msg
	}
	switch {
	case errors.Is(err, os.ErrClosed):
		return KindClosed, "the workspace has been closed"
	case errors.Is(err, fs.ErrNotExist):
		return KindNotFound, "does not exist"
	case errors.Is(err, fs.ErrExist):
		return KindExists, "exists already"
	case errors.Is(err, fs.ErrPermission):
		return KindPermission, "permission denied by the operating system"
	case isSystem(err):
		return KindIO, err.Error()
	}
	return KindInvalidPath, msgLeaves
}

const msgLeaves = "leads out of the workspace; give a path inside it"
