// Package memory is what an agent remembers from one run to the next: the tools
// memory_read and memory_write, and the store behind them.
//
// A [Store] is one SQLite file with a full-text index. An [Item] is a text with
// tags and, if it is to be found or replaced by name, a key. A search ranks by
// how well the words of the query fit (BM25); without a query the newest items
// come first.
//
//	store, err := memory.Open(ctx, ".toolpost/memory.db")
//	…
//	defer store.Close()
//	err = tools.Add(store.Tools()...)
//
// [Store.Markdown] writes all of it as the text of a MEMORY.md file.
//
// There are no embeddings and no model here: a word is found by its stem, and
// a piece of a word only when no word matches. Nothing is forgotten by itself.
//
// The tools are those of seed 001, whose append with a blank line between is
// kept for items with a key.
package memory
