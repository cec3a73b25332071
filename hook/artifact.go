package hook

import (
	"bytes"
	"cmp"
	"context"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/toolpost/toolpost/internal/jsonx"
	"github.com/toolpost/toolpost/tool"
)

// ArtifactPrefix begins an argument that stands for the text of an artifact.
const ArtifactPrefix = "$artifact:"

// Artifacts lets a model hand on what it has not read: a string argument, at any
// depth, that is "$artifact:<id>" and nothing else is replaced by the text of
// that artifact before hooks, policy and tool see it. The fields are not changed
// once a call was made; the method may be called from many goroutines.
type Artifacts struct {
	// Load is the whole of an artifact. It answers for who may read which.
	Load func(ctx context.Context, id string) ([]byte, error)
	// MaxBytes bounds what the artifacts of one call hold together; 10 MiB if zero.
	MaxBytes int
}

// Middleware replaces the arguments of the calls that pass. An artifact that is
// not there is NOT_FOUND, one that is too large LIMIT_EXCEEDED, one that is not
// text VALIDATION_ERROR; each names the place in the arguments.
func (a *Artifacts) Middleware(next tool.Handler) tool.Handler {
	if a.Load == nil {
		return next
	}
	return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		if bytes.Contains(c.Args, []byte("artifact:")) && jsonx.Check(c.Args) == nil {
			w := loading{Artifacts: a, ctx: ctx, src: c.Args, left: cmp.Or(max(a.MaxBytes, 0), 10<<20)}
			if _, err := w.value(jsonx.Space(c.Args, 0), ""); err != nil {
				return nil, err
			}
			if w.last > 0 {
				c.Args = append(w.dst, c.Args[w.last:]...)
			}
		}
		return next(ctx, c)
	}
}

// loading is one document whose artifacts are put in their place.
type loading struct {
	*Artifacts
	ctx  context.Context
	src  []byte
	dst  []byte
	last int // src is copied up to here
	left int // bytes that may still be loaded
}

// value goes through the value at src[i], which is at pointer, and returns the
// index after it.
func (w *loading) value(i int, pointer string) (int, error) {
	switch w.src[i] {
	case '{':
		for i = jsonx.Space(w.src, i+1); w.src[i] != '}'; {
			end, _, _ := jsonx.String(w.src, i)
			name := string(jsonx.AppendText(nil, w.src[i:end]))
			i, _ = jsonx.Colon(w.src, end)
			var err error
			if i, err = w.value(jsonx.Space(w.src, i), pointer+"/"+escapePointer.Replace(name)); err != nil {
				return 0, err
			}
			i = w.next(i)
		}
		return i + 1, nil
	case '[':
		i = jsonx.Space(w.src, i+1)
		for n := 0; w.src[i] != ']'; n++ {
			var err error
			if i, err = w.value(i, pointer+"/"+strconv.Itoa(n)); err != nil {
				return 0, err
			}
			i = w.next(i)
		}
		return i + 1, nil
	case '"':
		end, _, _ := jsonx.String(w.src, i)
		return end, w.replace(i, end, pointer)
	case 't', 'n':
		return i + 4, nil
	case 'f':
		return i + 5, nil
	}
	end, _ := jsonx.Number(w.src, i)
	return end, nil
}

var escapePointer = strings.NewReplacer("~", "~0", "/", "~1")

// next is the index of what follows a value: the next one, or the end.
func (w *loading) next(i int) int {
	if i = jsonx.Space(w.src, i); w.src[i] == ',' {
		i = jsonx.Space(w.src, i+1)
	}
	return i
}

// replace puts an artifact in the place of the string src[i:end] if it names one.
func (w *loading) replace(i, end int, pointer string) error {
	if end-i > 256 {
		return nil
	}
	id, ok := strings.CutPrefix(string(jsonx.AppendText(nil, w.src[i:end])), ArtifactPrefix)
	if !ok || !artifactID(id) {
		return nil
	}
	data, err := w.Load(w.ctx, id)
	switch {
	case err != nil:
		e := tool.AsError(err)
		return tool.Errorf(e.Code, "artifact %s at %s: %s", id, pointer, e.Message)
	case len(data) > w.left:
		return tool.Errorf(tool.CodeLimit, "artifact %s at %s has %d bytes, and %d may be put into arguments; read the part you need with read_artifact", id, pointer, len(data), w.left)
	case !utf8.Valid(data):
		return tool.Errorf(tool.CodeInvalid, "artifact %s at %s is not text, so it cannot be an argument", id, pointer)
	}
	w.left -= len(data)
	w.dst = append(w.dst, w.src[w.last:i]...)
	w.dst = jsonx.AppendString(w.dst, string(data))
	w.last = end
	return nil
}

// artifactID reports whether s can be the id of an artifact.
func artifactID(s string) bool {
	if s == "" || len(s) > 128 {
		return false
	}
	for _, b := range []byte(s) {
		switch {
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b >= '0' && b <= '9', b == '_', b == '-', b == '.':
		default:
			return false
		}
	}
	return strings.Trim(s, ".") != ""
}
