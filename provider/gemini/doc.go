// Package gemini asks Google's Gemini models, by the API that proxies and Vertex
// speak too, generateContent, or by Google's newer one, Interactions. A [Client]
// is an llm.Provider:
//
//	p := &gemini.Client{Key: key, Model: "gemini-3-flash"}
//	for d, err := range p.Stream(ctx, &llm.Request{Messages: msgs}) {
//		…
//	}
//
// How generations of models differ is data: a [Family], chosen by [FamilyFor].
// Signatures go back on the parts that they came on, ids of calls where the
// server gave them. A reply that the server cut to be continued is continued,
// and a model whose call the server could not read is asked once more; other
// failures are for llm.Retry.
//
// Parts and steps that are not for us to read, such as searches that the server
// ran, are carried along. The package does not run tools, upload files or use
// the server's store of conversations.
//
// Its rules come from Google's API reference and its Go client (genai 1.77), and
// from recorded streams; testdata holds one file for each way in which a stream
// can surprise.
package gemini
