// Package sandbox is the only way by which tools touch the machine: files
// through a [Root], commands through a [Cell], the network through a [Dialer].
// It knows nothing of calls, models or policy.
//
// A [Profile] says what may be reached. [Open] makes a Root of it, whose paths
// cannot lead out of the workspace by "..", links or races, and which reports
// every effect as a [Change]. [NewCell] makes the Cell, whose [Cell.Start] runs
// a [Cmd] as a [Process] and hands its output to a [Sink]. [Parse] shows what a
// shell line would run, and [Denied] knows the lines that are never run.
//
//	root, err := sandbox.Open(sandbox.Profile{Workspace: "."})
//	…
//	change, err := root.Write("notes/today.md", text, sandbox.WriteOptions{IfNotExists: true})
//	cell, err := sandbox.NewCell(root, sandbox.Profile{Limits: sandbox.Limits{Wall: time.Minute}})
//	p, err := cell.Start(ctx, sandbox.Cmd{Line: "go test ./..."}, sink)
//	exit, err := p.Wait(ctx)
//
// # What files may rely on
//
// Paths are cleaned by [Root.Clean] and then resolved by descriptor, component
// by component, as [os.Root] does. Only regular files are read and written, so
// that no FIFO or device is waited for. A write is a temporary file, synced and
// renamed. Paths that would change what runs later ([Protected]) are read-only
// by canonical path and by inode, also before they exist. Mounts inside the
// workspace are part of it. A replaced file gets new extended attributes and
// access lists; its permission bits and, for root, its owner stay.
//
// # What commands may rely on
//
// A command runs in a session of its own without a terminal of ours, with a
// built environment, and with its input closed unless asked otherwise. When it
// is cancelled, runs out of time or passes a limit, it and everything it forked
// is ended, also what has left its process group, session and parent; on Linux
// processes are found again by a mark that is inherited and survives all of
// these. What a command leaves running when it ends by itself runs on until
// [Cell.Close].
//
// # Walls around commands
//
// [Profile.Confine] asks for walls of the kernel, and [Cell.Level] says which
// stand. At [LevelFull] all commands of a session are in one standing cell:
// namespaces and a root of their own, with the system read-only, the workspace
// at its own path and a temporary home; a user other than root, without
// capabilities; Landlock and seccomp; no network but a loopback of the cell's
// own. The cell ends when this process does, however it ends. Its first process
// is this program again, which therefore calls [Init] first in main:
//
//	func main() {
//		sandbox.Init()
//		…
//
// Protected paths at the top of the workspace that are there when the cell
// starts are read-only for commands too. With an overlay nothing that commands
// do reaches the workspace before [Cell.Commit], which keeps all rules of files.
//
// Not promised at level full: faults of the kernel; harm inside what was
// granted; that a command does not make a protected path that is not there
// yet, or change one below a folder (use an overlay, or [Profile].Protected).
// At [LevelLandlock], besides: see there; protected paths are not protected
// from commands; and commands may outlive a killed runtime. At [LevelNone] a
// command can do all that this process can.
//
// At levels below full a program which sets out to hide its processes may not
// be found (a root process can change its mark, and work can be handed to a
// service such as cron or systemd), and on systems other than Linux one that
// has left both its parent and its process group. Limits on memory and
// processes are sampled.
//
// # The network
//
// [Dialer] connects to public addresses alone, judged after the name is
// resolved, and [Dialer.Client] is an HTTP client on it that judges each
// redirect and keeps credentials to their origin.
//
// [Denied] is a courtesy, not a wall: a line can hide what it runs in more ways
// than any list knows.
//
// The path rules and refusals answer published faults of comparable tools; the
// denied patterns are those that clawft ships, judged on the parsed line.
package sandbox
