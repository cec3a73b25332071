package hook_test

import (
	"context"
	"regexp"

	"github.com/toolpost/toolpost/hook"
	"github.com/toolpost/toolpost/tool"
)

// maskOut finds what stands for a secret.
var maskOut = regexp.MustCompile(`\*\*\*\(len \d+, sha [0-9a-f]{4}\)`)

// failing fails with the secret in its message.
func failing(context.Context, *tool.Call) (*tool.Result, error) {
	return nil, tool.Errorf(tool.CodeConflict, "login with %s", secret)
}

var nobody = hook.Observer{Name: "nobody", Fn: func(context.Context, *tool.Call, *tool.Result) {}}
