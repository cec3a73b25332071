package llm

import "strings"

// overflowWords are how providers say that a context does not fit; they have no
// common code. Lower case; every word of a row must occur.
var overflowWords = [][]string{
	{"context_length_exceeded"},                   // OpenAI and most that speak its API
	{"exceeds the context window"},                // OpenAI
	{"maximum context length"},                    // OpenAI, OpenRouter, vLLM
	{"prompt is too long"},                        // Anthropic
	{"model_context_window_exceeded"},             // Anthropic, z.ai
	{"input token count", "exceeds"},              // Gemini
	{"exceed_context_size_error"},                 // llama.cpp
	{"exceeds the available context size"},        // llama.cpp
	{"reduce the length"},                         // Groq
	{"too large for model"},                       // Mistral
	{"input is too long"},                         // Bedrock
	{"prompt too long", "context"},                // Ollama
	{"maximum prompt length"},                     // xAI
	{"exceeded model token limit"},                // Moonshot
	{"range of input length should be"},           // Qwen
	{"longer than the model's context length"},    // LM Studio, SGLang
	{"tokens to keep from the initial prompt"},    // LM Studio
	{"greater than the context length"},           // LM Studio
	{"exceeds the maximum number of tokens"},      // Together, Fireworks
	{"input length", "exceeds", "context"},        // vLLM, others
	{"request exceeds", "context"},                //
	{"too many tokens", "context"},                //
	{"max_prompt_tokens_exceeded"},                //
	{"inputs tokens + max_new_tokens", "must be"}, // TGI
	{"prompt contains", "tokens", "limit"},        //
	{"token limit exceeded", "context"},           //
	{"string_above_max_length", "content"},        // OpenAI, one message too long
	{"messages resulted in", "tokens", "context"}, // OpenAI, older
}

// overflows reports whether an error with this status says that the context is
// full. A rate limit may speak of tokens too, and is none.
func overflows(status int, words string) bool {
	if status == 429 || status == 401 || status == 403 {
		return false
	}
	for _, row := range overflowWords {
		all := true
		for _, w := range row {
			all = all && strings.Contains(words, w)
		}
		if all {
			return true
		}
	}
	return false
}
