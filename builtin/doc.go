// Package builtin is the tools that come with toolpost: files, search,
// commands, images and artifacts.
//
// Three values make them. [Files] has read_file, write_file, edit_file,
// list_directory, search_files and image over one workspace; [Exec] has
// exec_shell and process, which share a table of background sessions; and
// [Artifacts] has read_artifact. Each gives its tools to a registry:
//
//	root, err := sandbox.Open(sandbox.Profile{Workspace: "."})
//	…
//	files := builtin.Files{Root: root}
//	var tools tool.Registry
//	err = tools.Add(files.Tools()...)
//
// A tool answers a model with text that is made to be read and a program with
// data that fits the tool's output schema. What it changed is reported by
// [tool.Observe] as the sandbox saw it. A tool that changes something honours
// [tool.Call.DryRun]: it makes every check, says what it would do, and does
// nothing.
//
// Nothing here opens a file, a socket or a process by itself: all goes through
// package sandbox, which decides what may be reached. The package has no
// policy; who may call what is decided in front of it. The one exception is
// the list of commands that seed 001 forbids always, which exec_shell refuses
// itself.
//
// Names, arguments and results are those of the built-in tools of seed 001 and
// seed 002; the memory tools are in package memory below this one.
package builtin
