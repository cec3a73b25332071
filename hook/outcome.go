package hook

import (
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/toolpost/toolpost/internal/jsonx"
	"github.com/toolpost/toolpost/tool"
)

// volatile is names of members that differ from call to call without meaning,
// lower case and without underscores. They are found at any depth.
var volatile = []string{
	"createdat", "duration", "durationms", "durationseconds", "elapsed", "elapsedms", "elapsedseconds",
	"endedat", "finishedat", "pid", "ppid", "processid", "requestid", "runtimems", "startedat",
	"timestamp", "took", "tookms", "traceid", "uptime", "uptimems",
}

// outcomeKey is the SHA-256 of what a call came to, without what is volatile:
// status, error, and the data or else the content.
func outcomeKey(spec *tool.Spec, r *tool.Result) [sha256.Size]byte {
	var own []string
	if spec != nil {
		own = spec.Volatile
	}
	b := append(make([]byte, 0, 256), r.Status...)
	if r.Err != nil {
		b = append(append(append(append(b, 0), r.Err.Code...), 0), r.Err.Message...)
	}
	if len(r.Data) > 0 {
		b = appendStanding(append(b, 0), r.Data, own)
		return sha256.Sum256(b)
	}
	for _, c := range r.Content {
		b = append(append(b, 0), c.Type...)
		if c.Type == tool.ContentText {
			b = appendStanding(b, []byte(c.Text), own)
			continue
		}
		sum := sha256.Sum256(c.Data)
		b = append(b, sum[:]...)
	}
	return sha256.Sum256(b)
}

// appendStanding appends doc to dst: as it is, but for the volatile members if
// it is an object or an array in JSON.
func appendStanding(dst, doc []byte, own []string) []byte {
	i := jsonx.Space(doc, 0)
	if i == len(doc) || doc[i] != '{' && doc[i] != '[' || jsonx.Check(doc) != nil {
		return append(dst, doc...)
	}
	dst, _ = appendValue(dst, doc, i, own)
	return dst
}

// appendValue appends the value at doc[i] without white space and volatile
// members, and returns the index after it. Doc is known to be valid.
func appendValue(dst, doc []byte, i int, own []string) ([]byte, int) {
	switch doc[i] {
	case '{':
		dst = append(dst, '{')
		for i = jsonx.Space(doc, i+1); doc[i] != '}'; {
			start := i
			end, _, _ := jsonx.String(doc, i)
			i, _ = jsonx.Colon(doc, end)
			i = jsonx.Space(doc, i)
			mark := len(dst)
			dst = append(append(dst, doc[start:end]...), ':')
			dst, i = appendValue(dst, doc, i, own)
			if isVolatile(doc[start+1:end-1], own) {
				dst = dst[:mark]
			}
			if i = jsonx.Space(doc, i); doc[i] == ',' {
				i = jsonx.Space(doc, i+1)
			}
		}
		return append(dst, '}'), i + 1
	case '[':
		dst = append(dst, '[')
		for i = jsonx.Space(doc, i+1); doc[i] != ']'; {
			dst, i = appendValue(dst, doc, i, own)
			if i = jsonx.Space(doc, i); doc[i] == ',' {
				dst = append(dst, ',')
				i = jsonx.Space(doc, i+1)
			}
		}
		return append(dst, ']'), i + 1
	case '"':
		end, _, _ := jsonx.String(doc, i)
		return append(dst, doc[i:end]...), end
	case 't', 'n':
		return append(dst, doc[i:i+4]...), i + 4
	case 'f':
		return append(dst, doc[i:i+5]...), i + 5
	}
	end, _ := jsonx.Number(doc, i)
	return append(dst, doc[i:end]...), end
}

// isVolatile reports whether a member of this name is left out of an outcome.
func isVolatile(name []byte, own []string) bool {
	if slices.Contains(own, string(name)) {
		return true
	}
	if len(name) > 24 {
		return false
	}
	var buf [24]byte
	plain := buf[:0]
	for _, b := range name {
		switch {
		case b == '_' || b == '-':
		case b >= 'A' && b <= 'Z':
			plain = append(plain, b+'a'-'A')
		default:
			plain = append(plain, b)
		}
	}
	for _, v := range volatile {
		if v == string(plain) {
			return true
		}
	}
	return false
}

// textual reports whether text is what the model would read of data.
func textual(text string, data []byte) bool {
	return len(data) > 0 && strings.TrimSpace(text) == strings.TrimSpace(string(data))
}
