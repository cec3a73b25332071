package llm

import (
	"crypto/sha256"
	"encoding/base32"
	"strings"

	"github.com/toolpost/toolpost/tool"
)

// maxWireName is the longest name that all APIs take.
const maxWireName = 64

// WireName is the name under which a tool is offered to a provider: the name
// itself if it fits ^[A-Za-z_][A-Za-z0-9_-]{0,63}$, which all APIs take. Of any
// other, such as vault.createFile, the characters that do not fit become _, and
// _ with six characters of its hash is added, so that no two names meet.
func WireName(name string) string {
	if fitsWire(name) {
		return name
	}
	b := make([]byte, 0, maxWireName)
	for _, r := range name {
		c := byte('_')
		if r < 0x80 && wireByte(byte(r), len(b) == 0) {
			c = byte(r)
		}
		if b = append(b, c); len(b) == maxWireName-7 {
			break
		}
	}
	sum := sha256.Sum256([]byte(name))
	return string(b) + "_" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:4])[:6])
}

func fitsWire(name string) bool {
	if name == "" || len(name) > maxWireName {
		return false
	}
	for i := range len(name) {
		if !wireByte(name[i], i == 0) {
			return false
		}
	}
	return true
}

func wireByte(c byte, first bool) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || !first && (c >= '0' && c <= '9' || c == '-')
}

// Names finds the tools of one request by the names that a model calls them by.
// The zero Names knows none and leaves every name as it is.
type Names struct {
	specs []tool.Spec
	wires []string // of specs; nil if every name is its own
}

// NewNames is the names of the tools of a request. It keeps specs.
func NewNames(specs []tool.Spec) Names {
	n := Names{specs: specs}
	for i := range specs {
		if !fitsWire(specs[i].Name) {
			n.wires = make([]string, len(specs))
			for j := range specs {
				n.wires[j] = WireName(specs[j].Name)
			}
			break
		}
	}
	return n
}

func (n *Names) wire(i int) string {
	if n.wires == nil {
		return n.specs[i].Name
	}
	return n.wires[i]
}

// prefixes are what models put before the name of a tool: the name space of the
// format they were trained on.
var prefixes = []string{"functions.", "default_api.", "default_api:", "functions::", "functions/", "tools.", "tool."}

// Canonical is the tool that a model means by name: the one of this name, else
// of this name behind a known prefix such as functions., else the only one whose
// name differs in case. Any other name is left as it is.
func (n *Names) Canonical(name string) string {
	if s, ok := n.exact(name); ok {
		return s
	}
	name = strings.TrimSpace(name)
	for _, p := range prefixes {
		if short, cut := strings.CutPrefix(name, p); cut {
			if s, ok := n.exact(short); ok {
				return s
			}
			name = short
			break
		}
	}
	found := -1
	for i := range n.specs {
		if strings.EqualFold(n.wire(i), name) || strings.EqualFold(n.specs[i].Name, name) {
			if found >= 0 {
				return name
			}
			found = i
		}
	}
	if found >= 0 {
		return n.specs[found].Name
	}
	return name
}

func (n *Names) exact(name string) (string, bool) {
	for i := range n.specs {
		if n.wire(i) == name || n.specs[i].Name == name {
			return n.specs[i].Name, true
		}
	}
	return "", false
}
