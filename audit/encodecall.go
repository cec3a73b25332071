package audit

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/toolpost/toolpost/tool"
)

// appendCall writes c as its MarshalJSON does.
func (e *encoder) appendCall(c *tool.Call) {
	e.call.start = len(e.buf)
	e.buf = append(e.buf, '{')
	e.ref(&c.Ref)
	e.text("providerCallId", c.ProviderID)
	e.json("args", c.Args)
	e.text("afterExecution", string(c.After))
	e.text("preview", c.Preview)
	if it := c.Item; it != nil {
		e.name("iteration")
		e.buf = append(e.buf, '{')
		e.name("index")
		e.buf = strconv.AppendInt(e.buf, int64(it.Index), 10)
		e.name("itemName")
		e.string(it.Name)
		if it.Value == nil {
			e.name("itemValue")
			e.buf = append(e.buf, "null"...)
		} else {
			e.json("itemValue", it.Value)
		}
		e.buf = append(e.buf, '}')
	}
	e.text("loopId", c.Loop)
	e.flag("dryRun", c.DryRun)
	e.text("rule", c.Rule)
	e.text("approvalId", c.Approval)
	e.text("confirmationId", c.Confirmation)
	e.text("digest", c.Digest)
	if c.Policy != nil {
		e.snapshot(c.Policy)
	}
	if len(c.Changes) > 0 {
		e.value("normalized", c.Changes)
	}
	e.time("createdAt", c.Created)
	e.time("deadlineAt", c.Deadline)
	e.int("timeoutMs", c.Timeout.Milliseconds())
	if c.Spec != nil {
		e.text("riskLevel", string(c.Spec.Risk))
		e.text("category", c.Spec.Category)
	}
	for _, k := range sorted(c.Extra) {
		if c.Spec == nil || k != "riskLevel" && k != "category" {
			e.extra(k, c.Extra[k])
		}
	}
	e.buf = append(e.buf, '}')
	e.call.end = len(e.buf)
}

func (e *encoder) ref(r *tool.Ref) {
	e.name("callId")
	e.string(r.ID)
	e.name("tool")
	e.string(r.Tool)
	e.text("runId", r.Run)
	e.text("stepId", r.Step)
	e.text("agentId", r.Agent)
	e.text("turnId", r.Turn)
	e.int("turnEpoch", int64(r.Epoch))
	e.int("attempt", int64(r.Attempt))
}

func sorted(m map[string]json.RawMessage) []string {
	if len(m) == 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(m))
}

// extra is a member whose name came from outside.
func (e *encoder) extra(name string, raw json.RawMessage) {
	e.buf = append(e.buf, ',')
	n := len(e.lossy)
	e.string(name)
	e.lossy = e.lossy[:n] // a name is no value: there is no pointer to it
	e.buf = append(e.buf, ':')
	if !json.Valid(raw) {
		e.string(string(raw))
		return
	}
	e.buf = appendCompact(e.buf, raw)
}

// snapshot writes the policy; calls share it, so its form is kept.
func (e *encoder) snapshot(p *tool.Snapshot) {
	e.name("policy")
	if e.policy != any(p) {
		at := len(e.buf)
		b, err := json.Marshal(p)
		if err != nil {
			e.err = err
			return
		}
		e.buf = appendCompact(e.buf, b)
		e.policy, e.policyJSON = p, append(e.policyJSON[:0], e.buf[at:]...)
		return
	}
	e.buf = append(e.buf, e.policyJSON...)
}

// appendResult writes r as its MarshalJSON does.
func (e *encoder) appendResult(r *tool.Result) {
	e.res.start = len(e.buf)
	e.buf = append(e.buf, '{')
	e.ref(&r.Ref)
	e.text("providerCallId", r.ProviderID)
	e.name("status")
	e.string(string(r.Status))
	if len(r.Content) > 0 {
		e.name("content")
		e.content(r.Content)
	}
	e.json("data", r.Data)
	if r.Err != nil {
		e.failure(r.Err)
	}
	if r.Effects != nil {
		e.effects(r.Effects)
	}
	e.text("afterExecution", string(r.After))
	e.text("userMessage", r.User)
	e.text("debugMessage", r.Debug)
	if a := r.Artifact; a != nil {
		e.name("artifact")
		e.buf = append(e.buf, '{')
		e.name("id")
		e.string(a.ID)
		e.name("bytes")
		e.buf = strconv.AppendInt(e.buf, a.Bytes, 10)
		e.name("sha256")
		e.string(a.SHA256)
		e.name("mimeType")
		e.string(a.MIME)
		e.buf = append(e.buf, '}')
	}
	e.name("ok")
	e.buf = strconv.AppendBool(e.buf, r.OK())
	e.time("startedAt", r.Started)
	e.time("endedAt", r.Ended)
	e.name("durationMs")
	e.buf = strconv.AppendInt(e.buf, r.Duration().Milliseconds(), 10)
	for _, k := range sorted(r.Extra) {
		e.extra(k, r.Extra[k])
	}
	e.buf = append(e.buf, '}')
	e.res.end = len(e.buf)
}

func (e *encoder) content(blocks []tool.Content) {
	e.buf = append(e.buf, '[')
	for i := range blocks {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		e.buf = append(e.buf, '{')
		e.name("type")
		e.string(string(blocks[i].Type))
		e.text("text", blocks[i].Text)
		e.bytes("data", blocks[i].Data)
		e.text("mimeType", blocks[i].MIME)
		e.buf = append(e.buf, '}')
	}
	e.buf = append(e.buf, ']')
}

func (e *encoder) failure(f *tool.Error) {
	e.name("error")
	e.buf = append(e.buf, '{')
	e.name("code")
	e.string(string(f.Code))
	e.name("message")
	e.string(f.Message)
	e.json("details", f.Details)
	e.flag("retryable", f.Retryable)
	e.text("ends", string(f.Ends))
	e.buf = append(e.buf, '}')
}

func (e *encoder) effects(x *tool.Effects) {
	e.name("effects")
	e.buf = append(e.buf, '{')
	e.strings("sideEffectsObserved", x.Observed)
	e.files("created", x.Created)
	e.files("modified", x.Modified)
	e.files("deleted", x.Deleted)
	e.list("renamed", len(x.Renamed), func(i int) {
		e.name("from")
		e.string(x.Renamed[i].From)
		e.name("to")
		e.string(x.Renamed[i].To)
	})
	e.list("commands", len(x.Commands), func(i int) {
		e.name("argv")
		e.array(x.Commands[i].Argv)
		e.name("exitCode")
		e.buf = strconv.AppendInt(e.buf, int64(x.Commands[i].ExitCode), 10)
	})
	e.list("network", len(x.Network), func(i int) {
		e.name("host")
		e.string(x.Network[i].Host)
		e.name("port")
		e.buf = strconv.AppendInt(e.buf, int64(x.Network[i].Port), 10)
	})
	e.buf = append(e.buf, '}')
}

func (e *encoder) files(name string, list []tool.FileEffect) {
	e.list(name, len(list), func(i int) {
		e.name("path")
		e.string(list[i].Path)
		e.name("kind")
		e.string(list[i].Kind)
		e.text("beforeEtag", list[i].Before)
		e.text("afterEtag", list[i].After)
		e.flag("trashed", list[i].Trashed)
	})
}

// list is a member with n objects, whose members are written by fn. It is left
// out when empty.
func (e *encoder) list(name string, n int, fn func(i int)) {
	if n == 0 {
		return
	}
	e.name(name)
	e.buf = append(e.buf, '[')
	for i := range n {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		e.buf = append(e.buf, '{')
		fn(i)
		e.buf = append(e.buf, '}')
	}
	e.buf = append(e.buf, ']')
}
