package audit

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/toolpost/toolpost/internal/jsonx"
	"github.com/toolpost/toolpost/tool"
)

// Kind says what a run is a run of.
type Kind string

// Kinds of run.
const (
	KindRun  Kind = "run"  // of an agent, from a prompt
	KindPlan Kind = "plan" // of an ActionPlan
	KindCall Kind = "call" // of one call through a door
)

// Facts are what is known of a run when it begins. They stand in run.json and
// in the first record of the journal.
type Facts struct {
	ID              string            `json:"runId"`                   // a fresh id if empty; letters, digits, '.', '_', '-'
	Kind            Kind              `json:"kind,omitzero"`           //
	Label           string            `json:"label,omitzero"`          // a name that people gave it
	Parent          string            `json:"parent,omitzero"`         // the run it goes on from or belongs to
	Session         string            `json:"session,omitzero"`        // of the conversation
	Prompt          string            `json:"prompt,omitzero"`         // what was asked
	Plan            json.RawMessage   `json:"plan,omitempty"`          // the plan that is run
	Model           string            `json:"model,omitzero"`          //
	Door            string            `json:"door,omitzero"`           // cli, http, mcp, nats: who made it
	Started         time.Time         `json:"startedAt,omitzero"`      // now if zero
	Policy          *tool.Snapshot    `json:"policy,omitempty"`        // what held at the start
	Toolpost        string            `json:"version,omitzero"`        // of this program
	PlannerVersion  string            `json:"plannerVersion,omitzero"` //
	ExecutorVersion string            `json:"executorVersion,omitzero"`
	Registry        string            `json:"toolRegistryVersion,omitzero"` // see RegistryVersion
	Specs           map[string]string `json:"tools,omitempty"`              // hash of each spec on offer; not in run.json
	Process         *Process          `json:"process,omitempty"`            // who writes the record; filled in
	Extra           json.RawMessage   `json:"extra,omitempty"`              // anything more, as one JSON object
}

// A Process is who holds a run open for writing.
type Process struct {
	PID  int    `json:"pid"`
	Host string `json:"host,omitzero"`
}

// String names the process for people; nil is another process.
func (p *Process) String() string {
	if p == nil {
		return "another process"
	}
	if p.Host == "" {
		return fmt.Sprintf("process %d", p.PID)
	}
	return fmt.Sprintf("process %d on %s", p.PID, p.Host)
}

// thisProcess is the process that runs this code.
func thisProcess() *Process {
	host, _ := os.Hostname()
	return &Process{PID: os.Getpid(), Host: host}
}

// RegistryVersion names what is on offer: version is a hash over all specs, and
// specs has one for each tool by name. Equal specs have equal hashes on every
// machine, in whatever order they are listed.
func RegistryVersion(offer []tool.Spec) (version string, specs map[string]string, err error) {
	specs = make(map[string]string, len(offer))
	for i := range offer {
		b, err := json.Marshal(offer[i])
		if err != nil {
			return "", nil, fmt.Errorf("hash spec of %s: %w", offer[i].Name, err)
		}
		h, err := jsonx.Hash(b)
		if err != nil {
			return "", nil, fmt.Errorf("hash spec of %s: %w", offer[i].Name, err)
		}
		specs[offer[i].Name] = h
	}
	b, err := json.Marshal(specs) // members sorted by name
	if err != nil {
		return "", nil, fmt.Errorf("hash registry: %w", err)
	}
	version, err = jsonx.Hash(b)
	return version, specs, err
}

// complete fills in what a caller may leave out, and checks the rest.
func (f *Facts) complete() error {
	if f.ID == "" {
		f.ID = tool.NewID()
	}
	if err := checkID(f.ID); err != nil {
		return err
	}
	if f.Kind == "" {
		f.Kind = KindRun
	}
	if f.Started.IsZero() {
		f.Started = time.Now()
	}
	f.Started = f.Started.UTC().Truncate(time.Millisecond)
	f.Process = thisProcess()
	for name, raw := range map[string]json.RawMessage{"plan": f.Plan, "extra": f.Extra} {
		if len(raw) == 0 {
			continue
		}
		if err := jsonx.Check(raw); err != nil {
			return tool.Errorf(tool.CodeInvalid, "facts of run %s: %s: %w", f.ID, name, err)
		}
	}
	return nil
}

// checkID refuses ids that are no plain name of a folder.
func checkID(id string) error {
	ok := id != "" && len(id) <= 128 && id[0] != '.' && id[0] != '-'
	for _, b := range []byte(id) {
		switch {
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b >= '0' && b <= '9', b == '_', b == '-', b == '.':
		default:
			ok = false
		}
	}
	if !ok {
		return tool.Errorf(tool.CodeInvalid, "run id %.80q: 1 to 128 of letters, digits, '_', '-' and '.', beginning with a letter, a digit or '_'", id)
	}
	return nil
}
