package openai_test

import (
	"testing"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/llm/llmtest"
	"github.com/toolpost/toolpost/provider/openai"
)

func TestKit(t *testing.T) {
	for _, name := range []string{"openai", "mistral", "gemini-compat", "openrouter", "generic"} {
		t.Run(name, func(t *testing.T) {
			d, _ := openai.DialectFor(name, "", "")
			llmtest.Run(t, llmtest.Wire{
				New:    func(url string) llm.Provider { return &openai.Chat{BaseURL: url + "/v1", Dialect: &d} },
				Reply:  llmtest.Chat,
				Refuse: llmtest.Refuse,
			})
		})
	}
}

func FuzzStream(f *testing.F) {
	f.Add(`{"choices":[{"index":0,"delta":{"content":"hi \ud83c"},"finish_reason":null}]}`, `{"choices":[{"delta":{"content":"\udf89","tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"stop"}]}`)
	f.Add(`{"choices":[{"delta":{"content":[{"type":"text","text":"x"}]}}],"usage":{"prompt_tokens":1e3}}`, `{"error":{"message":"x"}}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		fuzzStream(t, "data: "+a+"\n\ndata: "+b+"\n\ndata: [DONE]\n\n")
	})
}
