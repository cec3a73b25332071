package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolpost/toolpost/agent"
	"github.com/toolpost/toolpost/plan"
)

// settings is every key of the configuration, in the order in which they are
// shown. A key that nothing reads has no place here.
func settings() []setting {
	return []setting{
		{key: "version", kind: kindInt, def: "1", doc: "Version of the configuration's form.", check: oneOfInts(1)},
		{key: "model", kind: kindText, doc: "The model of a run that names none: openai/NAME, PROVIDER/NAME, script:FILE.yaml, or a pipeline's name."},
		{key: "log", kind: kindText, def: "off", doc: "Log to stderr: off, debug, info, warn or error.", check: oneOf("off", "debug", "info", "warn", "error")},
		{key: "store", kind: kindText, doc: "Folder of runs and sessions.", own: true},

		{key: "workspace.root", kind: kindText, def: ".", doc: "The folder that tools work in, relative to the project's folder. A project's file may only name one inside the project."},
		{key: "workspace.ignore", kind: kindList, def: "", doc: "What list_directory, when recursive, and search_files pass over besides what .gitignore says, in its form."},

		{key: "agents.defaults.max_tool_iterations", kind: kindInt, def: fmt.Sprint(agent.DefaultMaxTurns), doc: "How often the model is asked in one run; at least 1."},
		{key: "agents.defaults.workspace", kind: kindText, doc: "Seed 001's name of workspace.root, which wins when both are set."},
		{key: "agents.defaults.system_prompt", kind: kindText, doc: "What the model is told before the task, instead of the built-in text."},
		{key: "agents.defaults.parallel", kind: kindInt, def: "16", doc: "Calls of one message that run at once.", check: atLeast(1)},

		{key: "tools.allow", kind: kindList, def: "", doc: "Tools on offer, by name or with * as a wildcard; empty means all."},
		{key: "tools.deny", kind: kindList, def: "", doc: "Tools not on offer, whatever tools.allow says."},
		{key: "tools.exec.timeout", kind: kindDuration, def: "2m", doc: "How long a command may run when its call names no timeout."},
		{key: "tools.memory.path", kind: kindText, doc: "File of the memory tools; by default one for each workspace, in the store.", own: true},

		{key: "limits.calls", kind: kindInt, def: "200", doc: "Tool calls in one run; 0 is no limit.", check: atLeast(0)},
		{key: "limits.tokens", kind: kindInt, def: "0", doc: "Tokens in one run, as the provider counts them; 0 is no limit.", check: atLeast(0)},
		{key: "limits.money", kind: kindMoney, def: "0", doc: "US dollars in one run, by the prices of the model's entry; 0 is no limit."},
		{key: "limits.wall", kind: kindDuration, def: "15m", doc: "How long one run may take."},
		{key: "limits.call_timeout", kind: kindDuration, doc: "How long one call may take, where its tool names no shorter time."},
		{key: "limits.output_to_model", kind: kindSize, def: "64KiB", doc: "Bytes of one result that the model reads; the rest goes to an artifact.", check: atLeast(1024)},
		{key: "vault.root", kind: kindText, doc: "A folder of Markdown notes, relative to the project's folder; with it the tools vault.* and util.* are on offer."},
		{key: "plans.concurrency", kind: kindInt, def: fmt.Sprint(plan.DefaultConcurrency), doc: "Calls of a plan that run at once.", check: atLeast(1)},

		{key: "limits.repeat", kind: kindInt, def: "3", doc: "Equal calls with equal outcome before the model is told; refused two later, ended three after that.", check: atLeast(2)},

		{key: "models.*.base_url", kind: kindText, doc: "Address of the API; makes models PROVIDER/… work.", check: isURL},
		{key: "models.*.api", kind: kindText, doc: "How it is spoken with; that of the provider's own name, else openai-chat.", check: isAPI},
		{key: "models.*.api_key_env", kind: kindText, doc: "Name of the environment variable that holds the API key."},
		{key: "models.*.dialect", kind: kindText, doc: "What the endpoint takes and refuses; found by its name and address if not set.", check: isDialect},
		{key: "models.*.context_window", kind: kindInt, doc: "Tokens that its models take; 0 is unknown and turns the budget off.", check: atLeast(0)},
		{key: "models.*.max_tokens", kind: kindInt, doc: "Tokens of one reply, at most.", check: atLeast(1)},
		{key: "models.*.price_input", kind: kindMoney, doc: "US dollars for a million tokens read."},
		{key: "models.*.price_output", kind: kindMoney, doc: "US dollars for a million tokens written."},

		{key: "pipelines.*.model", kind: kindText, doc: "The model that is asked first."},
		{key: "pipelines.*.fallbacks", kind: kindList, doc: "Models that are asked when the one before is unavailable, overloaded or too small."},
		{key: "pipelines.*.retries", kind: kindInt, doc: "How often a request is repeated before the next model is asked; 5 at most.", check: atLeast(0)},
	}
}

func oneOf(words ...string) func(any) error {
	return func(v any) error {
		if s, _ := v.(string); slices.Contains(words, s) {
			return nil
		}
		return fmt.Errorf("is one of %s; got %s", strings.Join(words, ", "), describe(v))
	}
}

func oneOfInts(n int64) func(any) error {
	return func(v any) error {
		if v == n {
			return nil
		}
		return fmt.Errorf("is %d; got %s", n, describe(v))
	}
}

func atLeast(n int64) func(any) error {
	return func(v any) error {
		if i, _ := v.(int64); i >= n {
			return nil
		}
		return fmt.Errorf("is at least %d; got %s", n, describe(v))
	}
}

func isURL(v any) error {
	s, _ := v.(string)
	if !strings.HasPrefix(s, "http://") && !strings.HasPrefix(s, "https://") {
		return errors.New(`begins with http:// or https://, such as "http://127.0.0.1:11434/v1"; got ` + describe(v))
	}
	return nil
}
