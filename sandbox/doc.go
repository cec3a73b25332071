// Package sandbox is the only way by which tools touch the machine: files
// through a [Root], commands through a [Cell]. It knows nothing of calls,
// models or policy.
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
// Today the level is [LevelNone], and so these are not promised: that a command
// touches nothing outside the workspace or does not use the network; that a
// program which sets out to hide its processes is found (a root process can
// change its mark, and work can be handed to a service such as cron or
// systemd); that commands end when this process is killed rather than closed;
// that on systems other than Linux a process is found that has left both its
// parent and its process group. Limits on memory and processes are sampled.
//
// [Denied] is a courtesy, not a wall: a line can hide what it runs in more ways
// than any list knows.
//
// The path rules and refusals answer published faults of comparable tools; the
// denied patterns are those that clawft ships, judged on the parsed line.
package sandbox
