// Package bedrock asks models by the Converse API of Amazon Bedrock. A
// [Converse] is an llm.Provider:
//
//	p := &bedrock.Converse{Region: "eu-central-1", Key: func() string { return os.Getenv("AWS_BEARER_TOKEN_BEDROCK") }}
//	for d, err := range p.Stream(ctx, &llm.Request{Model: "anthropic.claude-sonnet-5-v1:0", Messages: msgs}) {
//		…
//	}
//
// It is a module of its own, so that no other program links what it needs of the
// AWS SDK: the signer (Signature Version 4) and the decoder of event streams. An
// API key needs no signature. Credentials are the caller's to find: the package
// reads no environment and no file.
//
// Reasoning goes back to the model that reasoned as it came. The package does
// not retry (llm.Retry does) and runs no tools. How a model is asked to reason is
// the model's own matter: set additionalModelRequestFields in llm.Request.Extra.
// [Decode] reads a recorded answer. The rules come from the API reference and
// from the AWS SDK for Go.
package bedrock
