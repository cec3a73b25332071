// Package ollama asks models that an Ollama server runs, by its own API,
// /api/chat. A [Client] is an llm.Provider:
//
//	p := &ollama.Client{Model: "qwen3", Context: 32768}
//	for d, err := range p.Stream(ctx, &llm.Request{Messages: msgs}) {
//		…
//	}
//
// Replies stream as JSON, one object a line. Calls come whole; older servers
// give them no ids, so results go back in the order of the calls and under the
// names of their tools. A server cuts what does not fit its context without a
// word: set [Client.Context].
//
// No call can be forced by this API. The package does not pull models, and does
// not retry (llm.Retry does). Its rules come from Ollama's API reference and
// types (v0.17) and from recorded streams in testdata.
package ollama
