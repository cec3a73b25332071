// Package anthropic asks models by Anthropic's Messages API, which Anthropic
// itself and, in its shape, DeepSeek, OpenRouter, Ollama and vLLM speak. A
// [Messages] is an llm.Provider:
//
//	p := &anthropic.Messages{Key: func() string { return os.Getenv("ANTHROPIC_API_KEY") }}
//	for d, err := range p.Stream(ctx, &llm.Request{Model: "claude-sonnet-5", Messages: msgs}) {
//		…
//	}
//
// Thinking goes back to the model that thought it byte for byte, with its
// signature, and so do blocks of kinds that are not known here: they are carried
// as opaque blocks in their place. Blocks whose pieces come mixed are put in
// order. Breakpoints for the prompt cache are set behind the tools, the system
// prompt and the last two messages of the user. A schema is sent in the dialect
// "anthropic" of package schema; arguments are led back to what its author wrote.
//
// The package does not retry (llm.Retry does), does not run tools, and does not
// check arguments. [Decode] reads a recorded answer. Its rules come from
// Anthropic's API reference, its SDKs and recorded streams; testdata holds one
// file for each way in which a stream can surprise.
package anthropic
