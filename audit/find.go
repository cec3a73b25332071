package audit

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/tool"
)

// rawPayload is the payload of an event that was read.
func rawPayload(e *event.Event) []byte {
	raw, _ := e.Payload.(json.RawMessage)
	return raw
}

// findCall finds a call by its number, from 1, or by its id or the beginning of
// it; a provider's id serves as well.
func findCall(calls []*Call, name string) (*Call, error) {
	if n, err := strconv.Atoi(name); err == nil && n >= 1 && n <= len(calls) {
		return calls[n-1], nil
	}
	var found []*Call
	for _, c := range calls {
		if c.ID() == name || c.Asked.ProviderID == name {
			return c, nil
		}
		if name != "" && strings.HasPrefix(c.ID(), name) {
			found = append(found, c)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, tool.Errorf(tool.CodeNotFound, "no call %q in the run: it has %d, which are named by number or id", name, len(calls))
	}
	ids := make([]string, len(found))
	for i, c := range found {
		ids[i] = c.ID()
	}
	return nil, tool.Errorf(tool.CodeInvalid, "%q is the beginning of %d calls: %s", name, len(found), strings.Join(ids, ", "))
}
