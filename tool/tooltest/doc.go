// Package tooltest is the suite that every tool, and everything that calls
// tools, passes.
//
// [Run] holds one tool to its promises: a complete spec with closed schemas, and
// a handler that keeps to it. [Set] holds what stands between a caller and a tool
// (a registry with its middleware, a server and its client, a bus) to the laws
// of a call: exactly one answer, whatever the tool does.
//
//	func TestReadFile(t *testing.T) {
//		tooltest.Run(t, builtin.ReadFile(root), `{"path":"a.txt"}`)
//	}
//
//	func TestMiddleware(t *testing.T) {
//		tooltest.Set(t, func(t *testing.T, tools ...tool.Tool) tool.Set {
//			var r tool.Registry
//			r.Use(guard.Middleware)
//			r.Add(tools...)
//			return &r
//		})
//	}
//
// Names of subtests begin with the rule that they test: C1 to C8 are those of
// the contract of calls, laws 1 to 8 those of package tool.
//
// The suite does not know what a tool is for: that is for the tool's own tests.
package tooltest
