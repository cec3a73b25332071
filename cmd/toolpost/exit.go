package main

import "strconv"

// The exit codes of the program. They are part of its interface: a script may
// rely on each, and `toolpost explain N` tells what it means.
const (
	exitOK          = 0
	exitInternal    = 1
	exitUsage       = 2
	exitAuth        = 3
	exitUnreachable = 4
	exitTool        = 5
	exitRefused     = 6
	exitParked      = 7
	exitLimit       = 8
	exitInvalid     = 9
	exitDiffers     = 10
	exitInterrupted = 130
)

// exitName is what an exit code is called; "" for one that is not ours.
func exitName(code int) string {
	switch code {
	case exitOK:
		return "ok"
	case exitInternal:
		return "internal"
	case exitUsage:
		return "usage"
	case exitAuth:
		return "auth"
	case exitUnreachable:
		return "unreachable"
	case exitTool:
		return "tool error"
	case exitRefused:
		return "refused"
	case exitParked:
		return "parked"
	case exitLimit:
		return "limit"
	case exitInvalid:
		return "invalid"
	case exitDiffers:
		return "differs"
	case exitInterrupted:
		return "interrupted"
	}
	return ""
}

// exitCodes is every code that this version can end with, in order.
func exitCodes() []int {
	return []int{exitOK, exitInternal, exitUsage, exitAuth, exitUnreachable, exitTool, exitRefused, exitParked, exitLimit, exitInvalid, exitDiffers, exitInterrupted}
}

// exitCode is an error that says no more than how to end: all has been told.
type exitCode int

func (e exitCode) Error() string { return "exit " + strconv.Itoa(int(e)) }
