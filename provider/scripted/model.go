package scripted

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"sync"
	"time"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

// A Model says its turns one after the other. Its fields are not changed once it
// is in use; many goroutines may use it then.
type Model struct {
	Name  string        // the model it claims to be; "scripted" if empty
	Turns []Turn        //
	Chunk int           // characters in a delta of text or arguments; 0 sends each block in one
	Pace  time.Duration // between two deltas
	Loop  bool          // after the last turn comes the first

	file string
	once sync.Once
	flat []Turn // repeats unrolled, in answering order
	end  []Turn // failing turns after the last answer

	mu    sync.Mutex
	given map[string]int // failures given: by session and turn
	all   [][]Turn       // failing turns before each of flat
}

// A Turn is one reply.
type Turn struct {
	Expect   []string      // each must occur in the results and user messages since the last reply
	Thinking string        //
	Text     string        //
	Calls    []Call        //
	Stop     llm.Stop      // tool_calls or stop if empty
	Usage    *llm.Usage    //
	Delay    time.Duration // before the first delta
	Fail     *llm.Error    // the request fails so, and nothing is said
	Cut      bool          // the stream breaks after what is said
	Repeat   int           // how many equal turns it stands for; 1 if less

	line, column int
}

// A Call is a call that the script makes.
type Call struct {
	Tool string
	ID   string          // the provider's id; made of turn and place if empty
	Args json.RawMessage // an object; {} if empty. Strings in it may be $result references
	Raw  string          // sent as it is in place of Args, if not empty

	refs bool
}

// New is a model with these turns.
func New(turns ...Turn) *Model { return &Model{Turns: turns} }

// maxTurns bounds what repeats may unroll to.
const maxTurns = 100_000

func (m *Model) prepare() {
	var failing []Turn
	for _, t := range m.Turns {
		for i := range t.Calls {
			t.Calls[i].refs = hasRef(t.Calls[i].Args)
		}
		for range min(max(t.Repeat, 1), maxTurns-len(m.flat)) {
			if t.failing() {
				failing = append(failing, t)
				continue
			}
			m.flat, m.all, failing = append(m.flat, t), append(m.all, failing), nil
		}
	}
	m.end = failing
}

// failing reports whether no message stays behind.
func (t *Turn) failing() bool {
	return t.Fail != nil || t.Cut || t.Stop == llm.StopBroken || t.Stop == llm.StopAborted
}

// Stream implements llm.Provider.
func (m *Model) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		m.once.Do(m.prepare)
		t, n, err := m.turn(req)
		if err == nil {
			err = m.expect(t, n, req)
		}
		if err == nil {
			s := &speech{m: m, ctx: ctx, req: req, yield: yield}
			err = s.say(t, n)
			if s.gone {
				return
			}
		}
		if err != nil {
			yield(llm.Delta{}, err)
		}
	}
}

// turn is what answers req and how many replies were before it.
func (m *Model) turn(req *llm.Request) (*Turn, int, error) {
	n := 0
	for i := range req.Messages {
		if msg := &req.Messages[i]; msg.Role == llm.RoleAssistant && !msg.Broken() {
			n++
		}
	}
	at := n
	if m.Loop && len(m.flat) > 0 {
		at %= len(m.flat)
	}
	failing := m.end
	if at < len(m.flat) {
		failing = m.all[at]
	}
	if len(failing) > 0 {
		if k := m.give(req.Session, n, len(failing)); k >= 0 {
			return &failing[k], n, nil
		}
	}
	if at < len(m.flat) {
		return &m.flat[at], n, nil
	}
	line := 0
	if len(m.Turns) > 0 {
		line = m.Turns[len(m.Turns)-1].line
	}
	return nil, n, m.fail(line, 1, "the script answers %d times and was asked once more: add a turn to it", len(m.flat))
}

// give is the next failing turn before reply n that session has not had, or -1.
func (m *Model) give(session string, n, of int) int {
	key := session + "\x00" + strconv.Itoa(n)
	m.mu.Lock()
	defer m.mu.Unlock()
	k := m.given[key]
	if k >= of {
		return -1
	}
	if m.given == nil {
		m.given = make(map[string]int)
	}
	m.given[key] = k + 1
	return k
}

func (m *Model) fail(line, column int, format string, args ...any) error {
	where := "scripted model"
	if m.file != "" && line > 0 {
		where = fmt.Sprintf("%s:%d:%d", m.file, line, column)
	}
	return tool.Errorf(tool.CodePrecondition, "%s: %w", where, fmt.Errorf(format, args...))
}
