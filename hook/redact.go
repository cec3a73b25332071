package hook

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/toolpost/toolpost/internal/jsonx"
	"github.com/toolpost/toolpost/tool"
)

// MinSecret is the length of the shortest exact value that is looked for: a
// shorter one stands in too many places where it is no secret.
const MinSecret = 5

// A Redact takes secrets out of texts. It knows the exact Values, also in
// base64, hexadecimal, URL and JSON form, and the shapes of well-known keys
// ([Shapes]). A secret becomes ***(len 40, sha 9c1f): its length in bytes and the
// first four digits of its SHA-256, so that one can tell secrets apart without
// knowing them; a value is told alike in all its forms. Redacting again changes
// nothing.
//
// The zero Redact knows the shapes. The fields are not changed once it was used;
// its methods may be called from many goroutines.
type Redact struct {
	Values []string // those shorter than MinSecret are ignored

	once  sync.Once
	exact []known // every form of every value, the longest first
}

// known is a form of a value, and what stands for it.
type known struct{ form, mask string }

// Text is s without secrets; s itself if there are none.
func (x *Redact) Text(s string) string {
	if len(s) < MinSecret {
		return s
	}
	x.once.Do(x.compile)
	for _, e := range x.exact {
		if strings.Contains(s, e.form) {
			s = strings.ReplaceAll(s, e.form, e.mask)
		}
	}
	return maskShapes(s)
}

// JSON is doc with every string in it redacted on its own, names of members
// too, so that it stays JSON; a number that is an exact value becomes a string.
// What is not JSON is redacted as a text. Doc is not changed.
func (x *Redact) JSON(doc []byte) []byte {
	if len(doc) == 0 {
		return doc
	}
	if jsonx.Check(doc) != nil {
		if s := x.Text(string(doc)); s != string(doc) {
			return []byte(s)
		}
		return doc
	}
	x.once.Do(x.compile)
	var dst []byte
	last := 0
	put := func(i, end int, s string) {
		dst = jsonx.AppendString(append(dst, doc[last:i]...), s)
		last = end
	}
	for i := 0; i < len(doc); {
		switch b := doc[i]; {
		case b == '"':
			end, plain, _ := jsonx.String(doc, i)
			s := string(doc[i+1 : end-1])
			if !plain {
				s = string(jsonx.AppendText(nil, doc[i:end]))
			}
			if clean := x.Text(s); clean != s {
				put(i, end, clean)
			}
			i = end
		case b == '-' || b >= '0' && b <= '9':
			end, _ := jsonx.Number(doc, i)
			if clean := x.value(string(doc[i:end])); clean != "" {
				put(i, end, clean)
			}
			i = end
		default:
			i++
		}
	}
	if last == 0 {
		return doc
	}
	return append(dst, doc[last:]...)
}

// Result is a copy of r without secrets in its texts, messages, data, details
// and commands. Images are not looked at.
func (x *Redact) Result(r *tool.Result) *tool.Result {
	out, _ := mapTexts(r, nil, x.Text, x.JSON)
	return out
}

// Middleware redacts what passes back.
func (x *Redact) Middleware(next tool.Handler) tool.Handler {
	return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		res, err := next(ctx, c)
		return mapTexts(res, err, x.Text, x.JSON)
	}
}

// Attr is for [slog.HandlerOptions].ReplaceAttr: it redacts strings and errors.
func (x *Redact) Attr(_ []string, a slog.Attr) slog.Attr {
	switch v := a.Value.Resolve(); v.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(x.Text(v.String()))
	case slog.KindAny:
		if err, ok := v.Any().(error); ok {
			a.Value = slog.StringValue(x.Text(err.Error()))
		}
	}
	return a
}

// mask is what stands for a secret.
func mask(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return fmt.Sprintf("***(len %d, sha %s)", len(secret), hex.EncodeToString(sum[:2]))
}

// value is what stands for s if the whole of it is a value, else "".
func (x *Redact) value(s string) string {
	for i := range x.exact {
		if x.exact[i].form == s {
			return x.exact[i].mask
		}
	}
	return ""
}

// compile lists the forms of all values.
func (x *Redact) compile() {
	for _, v := range x.Values {
		if len(v) < MinSecret {
			continue
		}
		quoted := string(jsonx.AppendString(nil, v))
		forms := []string{
			v, quoted[1 : len(quoted)-1],
			url.QueryEscape(v), url.PathEscape(v), lowerEscapes(url.QueryEscape(v)), lowerEscapes(url.PathEscape(v)),
			hex.EncodeToString([]byte(v)), strings.ToUpper(hex.EncodeToString([]byte(v))),
		}
		for _, f := range append(forms, base64Forms(v)...) {
			x.exact = append(x.exact, known{f, mask(v)})
		}
	}
	slices.SortStableFunc(x.exact, func(a, b known) int {
		return cmp.Or(cmp.Compare(len(b.form), len(a.form)), strings.Compare(a.form, b.form))
	})
	x.exact = slices.CompactFunc(x.exact, func(a, b known) bool { return a.form == b.form })
}

// lowerEscapes is s with its percent escapes in lower case, as some write them.
func lowerEscapes(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], strings.ToLower(string(b[i+1:i+3])))
		}
	}
	return string(b)
}

// base64Forms is v as it stands in base64, alone and inside a longer text, in
// both alphabets. Inside, it can begin at any of three places of a group, and
// what it shares with its neighbours' characters is left out.
func base64Forms(v string) []string {
	forms := []string{
		base64.StdEncoding.EncodeToString([]byte(v)), base64.URLEncoding.EncodeToString([]byte(v)),
		base64.RawStdEncoding.EncodeToString([]byte(v)), base64.RawURLEncoding.EncodeToString([]byte(v)),
	}
	for shift, skip := range [3]int{0, 2, 3} {
		padded := append(make([]byte, shift), v...)
		whole := len(padded) * 8 / 6
		if whole-skip < 8 { // too short to be nothing else
			continue
		}
		forms = append(forms, base64.RawStdEncoding.EncodeToString(padded)[skip:whole], base64.RawURLEncoding.EncodeToString(padded)[skip:whole])
	}
	return forms
}
