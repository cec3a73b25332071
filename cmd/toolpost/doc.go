// Toolpost is the command line: it runs an agent in a folder, calls tools by
// hand, and looks back at what was done.
//
//	toolpost demo                                   no key, no network, no configuration
//	toolpost run --model openai/NAME "run the tests"
//	toolpost tools call read_file path=README.md
//	toolpost runs show -1
//
// A program is one run of the binary; its commands are the fields of a grammar,
// and each has a Run. A command that needs tools opens a shop, which is the one
// place where the packages of toolpost are put together (wire.go); one that runs
// an agent is an errand. A config is the settings of all layers, each with its
// origin. A problem is an error as a person is told of it, and has an exit code.
//
// stdout is the result, stderr is progress and advice. What is shown is cleaned
// of control characters, whoever wrote it. Nothing is done that cannot be
// recorded. A suggestion never names something that would do harm or loosen a
// rule.
//
// The program keeps no state but its store, never asks for a key, and does not
// send anything anywhere but to the model that was named. What tools may do is
// decided in the packages below; here their settings are read.
//
// Pages for `toolpost explain` and `toolpost help` are under explain and help,
// the demo's script and files under demo, and the commands as a person types
// them, with their exit codes, under testdata/script.
package main
