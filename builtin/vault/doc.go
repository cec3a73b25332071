// Package vault is tools over a folder of Markdown notes, in the vocabulary of
// Obsidian: what the steps of an ActionPlan call.
//
// A [Vault] has vault.ensureFolder, listFiles, readFile, createFile, writeFile,
// patchFile, rename, delete and searchText. [Utilities] are the two that need no
// vault, util.parseMarkdownBullets and util.slugifyTitle.
//
//	root, err := sandbox.Open(sandbox.Profile{Workspace: "notes", Protected: []string{".obsidian"}})
//	…
//	v := vault.Vault{Root: root}
//	var tools tool.Registry
//	err = tools.Add(append(v.Tools(), vault.Utilities()...)...)
//
// Paths are relative to the vault and have forward slashes; a leading slash, ".."
// and URLs are refused, and so is every change of .obsidian, whose plug-ins are
// programs. Folders whose name begins with a dot are left out of lists and
// searches unless they are asked for by name, as Obsidian leaves them out.
//
// Positions in a text (start, end, at) are counted in characters, that is Unicode
// code points, from 0, and end is the first character behind. They mean the same
// in readFile, patchFile and searchText, so that a match can be read or replaced
// where it was found. For readFile as base64 they are bytes.
//
// A tool that changes something honours [tool.Call.DryRun], tells by an etag what
// it left behind, and takes expectedEtag where a file is there before. What is
// deleted goes to the folder .trash of the vault, under a name of its own, unless
// trash is false.
//
// Tools of an editor or a workspace (editor.getSelection, commands.run, …) belong
// to the program that has the editor: it adds them to the same registry. Links
// between notes are not followed and not mended by rename. The time at which a
// file was made (ctimeMs) is not told, since not every system knows it.
//
// Names and shapes are those of the "Tool Input/Output Schema Conventions" that
// belong to seed 003; the times are in mtimeMs, where the sample of the seed has
// mtime, which a recorded result may still bear.
package vault
