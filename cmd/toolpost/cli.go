package main

import (
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// A command does its work with the program it is part of.
type command interface{ Run(p *program) error }

// grammar is the command line: one field a command, in the order of the help.
type grammar struct {
	globals

	Demo       demoCommand       `cmd:"" group:"Start" help:"A scripted agent runs real tools in a throw-away folder: no key, no network, no configuration."`
	Run        runCommand        `cmd:"" group:"Run" help:"One agent run: text to stdout, progress to stderr."`
	Plan       planCommands      `cmd:"" group:"Run" help:"Plans: steps written down as data, checked, previewed, confirmed and run."`
	Tools      toolsCommands     `cmd:"" group:"Tools" help:"What the agent can call, and calling it yourself."`
	Models     modelsCommands    `cmd:"" group:"Operate" help:"How models answer."`
	Runs       runsCommands      `cmd:"" group:"Look back" help:"Runs on record: every call, with its arguments, times and effects."`
	Audit      auditCommands     `cmd:"" group:"Look back" help:"Prove records, search them, and show them as a page."`
	Session    sessionCommands   `cmd:"" group:"Look back" help:"Conversations that can be continued."`
	Config     configCommands    `cmd:"" group:"Operate" help:"The settings, where each comes from, and what is wrong with them."`
	Explain    explainCommand    `cmd:"" group:"Operate" help:"What an error code or an exit code means, offline."`
	Completion completionCommand `cmd:"" group:"Operate" help:"Completion for a shell."`
	Version    versionCommand    `cmd:"" group:"Operate" help:"The version of this binary."`
	Help       helpCommand       `cmd:"" group:"Operate" help:"Help for a command, or a topic."`
}

// globals are the flags that every command takes, before or after its name.
type globals struct {
	Dir      string    `name:"directory" short:"C" default:"." placeholder:"DIR" group:"Global flags" help:"Work in DIR, as if started there."`
	Set      []string  `name:"set" short:"c" sep:"none" placeholder:"KEY=VALUE" group:"Global flags" help:"Set a configuration key; repeatable."`
	Profile  string    `placeholder:"NAME" group:"Global flags" help:"Add the settings of profiles/NAME.toml."`
	Store    string    `placeholder:"PATH" group:"Global flags" help:"Where runs and sessions are kept."`
	Output   string    `name:"format" short:"o" default:"text" enum:"text,json,jsonl" group:"Global flags" help:"text, json (one document) or jsonl (one event a line)."`
	Color    string    `default:"auto" enum:"auto,always,never" group:"Global flags" help:"auto, always or never."`
	Quiet    bool      `short:"q" group:"Global flags" help:"Errors and results only."`
	Verbose  int       `short:"v" type:"counter" group:"Global flags" help:"More detail; twice for a debug log."`
	NoInput  bool      `name:"no-input" group:"Global flags" help:"Never ask anything."`
	Log      string    `placeholder:"LEVEL" group:"Global flags" help:"Write a log to stderr: debug, info, warn or error."`
	HelpFlag helpWants `name:"help" short:"h" group:"Global flags" help:"Help for the command."`
}

// helpWants is the flag --help. It stops the parsing, so that a command that
// lacks its arguments can be asked for help all the same.
type helpWants bool

// BeforeReset is called by kong as soon as the flag is seen.
func (helpWants) BeforeReset() error { return errHelp }

type toolsCommands struct {
	Ls     toolsLsCommand     `cmd:"" help:"All tools: name, risk, what each is for."`
	Show   toolsShowCommand   `cmd:"" help:"One tool: its parameters, limits and an example."`
	Call   toolsCallCommand   `cmd:"" help:"Call one tool yourself. The call is checked, limited and recorded as a model's would be."`
	Schema toolsSchemaCommand `cmd:"" help:"The JSON Schema of a tool's parameters, as its author wrote it or as a provider is sent it."`
	Lint   toolsLintCommand   `cmd:"" help:"What a provider would refuse, or not be told, of the tools here or of a file of schemas."`
}

type toolsLsCommand struct {
	Names bool `help:"Only the names, one a line."`
}

type toolsShowCommand struct {
	Name string `arg:"" help:"Name or alias of the tool."`
}

type toolsCallCommand struct {
	Name    string        `arg:"" help:"Name or alias of the tool."`
	Args    []string      `arg:"" optional:"" help:"key=value, key:=json, key=@file, @file.json for all arguments, or - for JSON on stdin."`
	DryRun  bool          `name:"dry-run" help:"Say what would be done, and do nothing (tools that change something)."`
	Timeout time.Duration `placeholder:"DURATION" help:"Give the call no longer than this."`
}

type toolsSchemaCommand struct {
	Name   string `arg:"" help:"Name or alias of the tool."`
	Result bool   `help:"The schema of its data instead of that of its parameters."`
	For    string `placeholder:"DIALECT" help:"As this provider is sent it, with what it is not told: openai, anthropic, gemini … (tools lint names all)."`
}

type runCommand struct {
	Prompt      []string `arg:"" optional:"" help:"The task; - reads it from stdin."`
	File        string   `short:"f" placeholder:"FILE" help:"Read the task from FILE."`
	Model       string   `short:"m" placeholder:"MODEL" help:"openai/NAME, PROVIDER/NAME of a configured endpoint, script:FILE.yaml, or a pipeline's name."`
	Session     name     `placeholder:"ID" help:"Continue this session, or begin one with this id; -1 is the last."`
	Label       string   `placeholder:"NAME" help:"A name for the run, to find it again as @NAME."`
	MaxTurns    int      `name:"max-turns" placeholder:"N" help:"Ask the model at most N times."`
	AllowDenied bool     `name:"allow-denied" help:"Exit 0 even if a call was refused."`
}

type runsCommands struct {
	Ls     runsLsCommand     `cmd:"" help:"The runs, newest first."`
	Show   runsShowCommand   `cmd:"" help:"One run as a waterfall, or one of its calls whole."`
	Tail   runsTailCommand   `cmd:"" help:"Follow the events of a run."`
	Resume runsResumeCommand `cmd:"" help:"Go on with a run that was interrupted; what is done is not done again."`
	Replay runsReplayCommand `cmd:"" help:"Run it once more over its own record: identical, or the first difference."`
	Diff   runsDiffCommand   `cmd:"" help:"Two runs side by side, call by call."`
	Fork   runsForkCommand   `cmd:"" help:"A new run that goes on from a call of another."`
	Undo   runsUndoCommand   `cmd:"" help:"Take back what a run did to files, if they are still as it left them."`
	Export runsExportCommand `cmd:"" help:"A run as a bundle, as an OpenTelemetry trace, or its events."`
	GC     runsGCCommand     `cmd:"" name:"gc" help:"Remove old runs."`
}

type runsLsCommand struct {
	Limit int `short:"n" default:"20" placeholder:"N" help:"At most N runs; 0 for all."`
}

type runsShowCommand struct {
	Name    name   `arg:"" name:"run" help:"Full id, unique prefix, -1 for the last, or @label."`
	Call    string `arg:"" optional:"" help:"Number or id of a call in it."`
	Result  bool   `name:"output" help:"Only the call's full output, from its artifact if it was cut."`
	Effects bool   `help:"What the call changed in the world."`
}

type runsTailCommand struct {
	Name     name `arg:"" name:"run" optional:"" default:"-1" help:"Full id, unique prefix, -1 for the last, or @label."`
	NoFollow bool `name:"no-follow" help:"End at the last event there is."`
}

type sessionCommands struct {
	Ls   sessionLsCommand   `cmd:"" help:"The sessions, last used first."`
	Show sessionShowCommand `cmd:"" help:"What was said in a session."`
}

type sessionLsCommand struct {
	Limit int `short:"n" default:"20" placeholder:"N" help:"At most N sessions; 0 for all."`
}

type sessionShowCommand struct {
	Name name `arg:"" name:"session" help:"Full id, unique prefix, or -1 for the last."`
}

type configCommands struct {
	Show   configShowCommand   `cmd:"" help:"Every setting with its value and where it comes from."`
	Lint   configLintCommand   `cmd:"" help:"Check all layers and report every problem."`
	Path   configPathCommand   `cmd:"" help:"The files that are looked for, in order."`
	Schema configSchemaCommand `cmd:"" help:"The JSON Schema of toolpost.toml and toolpost.json, for editors."`
}

type configShowCommand struct {
	Keys     []string `arg:"" optional:"" help:"Only these keys, or those below them."`
	Defaults bool     `help:"The built-in defaults only."`
}

type configLintCommand struct{}

type configPathCommand struct{}

type configSchemaCommand struct{}

type demoCommand struct {
	Name  string `arg:"" optional:"" default:"tour" help:"Which demo."`
	List  bool   `help:"List the demos."`
	Check bool   `help:"Assert that every act did what it says; for CI."`
	Keep  string `placeholder:"DIR" help:"Keep the workspace and the record in DIR, which must not exist."`
}

type explainCommand struct {
	Code string `arg:"" optional:"" help:"An error code such as TIMEOUT, or an exit code. Without one: all of them."`
}

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish,powershell" help:"bash, zsh, fish or powershell."`
}

type versionCommand struct{}

type helpCommand struct {
	Topic []string `arg:"" optional:"" help:"A command, or a topic."`
}

// A name is how a run or a session is called on the command line. The parser
// takes what begins with '-' for a flag, so parse hands it -1 in another form.
type name string

// Decode reads the name.
func (n *name) Decode(ctx *kong.DecodeContext) error {
	t, err := ctx.Scan.PopValue("name")
	if err != nil {
		return err
	}
	*n = name(strings.TrimPrefix(t.String(), minusMark))
	return nil
}
