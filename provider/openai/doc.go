// Package openai asks models by OpenAI's Chat Completions API, which most
// servers speak, each in its way. A [Chat] is an llm.Provider:
//
//	p := &openai.Chat{BaseURL: "http://127.0.0.1:8080/v1"}
//	for d, err := range p.Stream(ctx, &llm.Request{Model: "qwen", Messages: msgs}) {
//		…
//	}
//
// How servers differ is data: a [Dialect], chosen by [DialectFor] from the
// address and the model, or set. Tool names, call ids and the history are fitted
// to it on the way out, and names are led back on the way in.
//
// A stream is read as it comes: errors inside a successful answer, HTML, plain
// JSON where a stream was asked for, streams that end without a reason or never
// end are told apart and become an llm.Error. Unknown fields are skipped.
//
// The package does not retry (llm.Retry does), does not run tools, and does not
// check arguments against schemas. Its rules come from OpenAI's API reference,
// the documentation of the other servers and recorded streams; testdata holds
// one file for each way in which a stream can surprise.
package openai
