package openai

import (
	"strings"

	"github.com/toolpost/toolpost/llm"
)

// A Dialect is how a server differs from others that speak Chat Completions. It
// is data: [DialectFor] chooses one, and a configuration may override any field
// by its JSON name. The zero Dialect is the most careful one.
type Dialect struct {
	Name           string     `json:"name"`
	KeyEnv         string     `json:"keyEnv,omitzero"`         // where people keep its API key
	MaxTokens      string     `json:"maxTokens,omitzero"`      // the field for the limit of a reply; max_tokens if empty
	Developer      bool       `json:"developer,omitzero"`      // the system prompt has the role developer
	Strict         bool       `json:"strict,omitzero"`         // tools may hold "strict"
	Usage          bool       `json:"usage,omitzero"`          // stream_options.include_usage is understood
	Obfuscation    bool       `json:"obfuscation,omitzero"`    // padding is sent unless told not to
	Required       string     `json:"required,omitzero"`       // tool_choice that forces some call; not supported if empty
	Named          bool       `json:"named,omitzero"`          // tool_choice may name a tool
	ThinkingFree   bool       `json:"thinkingFree,omitzero"`   // while it thinks, no choice may be forced
	Parallel       bool       `json:"parallel,omitzero"`       // parallel_tool_calls is understood
	ParallelOff    bool       `json:"parallelOff,omitzero"`    // and must be sent as true to have any
	ThinkingIn     []string   `json:"thinkingIn,omitempty"`    // fields that reasoning comes in; the first that has any counts
	Echo           Echo       `json:"echo,omitzero"`           // how reasoning goes back
	Effort         Effort     `json:"effort,omitzero"`         // how reasoning is asked for
	IDs            llm.IDRule `json:"ids,omitzero"`            // what call ids it takes; any if zero
	ResultName     bool       `json:"resultName,omitzero"`     // results name their tool
	BetweenResults bool       `json:"betweenResults,omitzero"` // no user message directly behind results
	Trust          Trust      `json:"trust,omitzero"`          // what its call indices are worth
	MaxTools       int        `json:"maxTools,omitzero"`       // no limit is known if zero
	CacheKey       bool       `json:"cacheKey,omitzero"`       // prompt_cache_key is understood
}

// An Echo says how a reply's reasoning is sent back.
type Echo string

// Ways to send reasoning back. The zero Echo sends none.
const (
	EchoCalls   Echo = "calls"   // reasoning_content on replies that called tools, even if empty
	EchoSame    Echo = "same"    // in the field where it came
	EchoDetails Echo = "details" // the reasoning_details as they came
)

// An Effort is the field by which reasoning is asked for. The zero Effort leaves
// it out.
type Effort string

// Fields for reasoning.
const (
	EffortPlain    Effort = "reasoning_effort"
	EffortObject   Effort = "reasoning"            // {"effort":…}
	EffortEnable   Effort = "enable_thinking"      // a boolean
	EffortThinking Effort = "thinking"             // {"type":"enabled"}
	EffortTemplate Effort = "chat_template_kwargs" // {"enable_thinking":…}
)

// Trust says what a server's call indices are worth.
type Trust string

// Kinds of trust. The zero Trust goes by indices and checks them.
const (
	TrustIDs  Trust = "ids-first" // an id, where there is one, says more than the index
	TrustNone Trust = "none"      // indices are not looked at
)

var plainThinking = []string{"reasoning_content", "reasoning", "reasoning_text"}

// dialects are the known servers. hosts are ends of host names; a dialect
// without any is chosen by its name.
var dialects = []struct {
	hosts []string
	d     Dialect
}{
	{[]string{"api.openai.com"}, Dialect{Name: "openai", KeyEnv: "OPENAI_API_KEY", MaxTokens: "max_completion_tokens", Developer: true, Strict: true, Usage: true, Obfuscation: true, Required: "required", Named: true, Parallel: true, Effort: EffortPlain, IDs: llm.IDsOpenAI, MaxTools: 128, CacheKey: true}},
	{[]string{"openai.azure.com", "services.ai.azure.com", "cognitiveservices.azure.com"}, Dialect{Name: "azure", KeyEnv: "AZURE_OPENAI_API_KEY", MaxTokens: "max_completion_tokens", Developer: true, Strict: true, Usage: true, Required: "required", Named: true, Parallel: true, Effort: EffortPlain, IDs: llm.IDsOpenAI, MaxTools: 128}},
	{[]string{"generativelanguage.googleapis.com", "aiplatform.googleapis.com"}, Dialect{Name: "gemini-compat", KeyEnv: "GEMINI_API_KEY", Usage: true, Required: "required", Named: true, Effort: EffortPlain, IDs: llm.IDsStrict, ResultName: true, Trust: TrustIDs, MaxTools: 512, Echo: EchoSame, ThinkingIn: plainThinking}},
	{[]string{"api.mistral.ai"}, Dialect{Name: "mistral", KeyEnv: "MISTRAL_API_KEY", Required: "any", Named: true, Parallel: true, Effort: EffortPlain, IDs: llm.IDsMistral, ResultName: true, BetweenResults: true, Strict: true, CacheKey: true, ThinkingIn: plainThinking}},
	{[]string{"api.deepseek.com"}, Dialect{Name: "deepseek", KeyEnv: "DEEPSEEK_API_KEY", Usage: true, Required: "required", Named: true, ThinkingFree: true, Echo: EchoCalls, Effort: EffortThinking, IDs: llm.IDsOpenAI, MaxTools: 128, ThinkingIn: plainThinking}},
	{[]string{"api.groq.com"}, Dialect{Name: "groq", KeyEnv: "GROQ_API_KEY", MaxTokens: "max_completion_tokens", Usage: true, Required: "required", Named: true, Parallel: true, Effort: EffortPlain, IDs: llm.IDsOpenAI, MaxTools: 128, ThinkingIn: []string{"reasoning", "reasoning_content"}}},
	{[]string{"openrouter.ai"}, Dialect{Name: "openrouter", KeyEnv: "OPENROUTER_API_KEY", Usage: true, Required: "required", Named: true, Parallel: true, Echo: EchoDetails, Effort: EffortObject, IDs: llm.IDsOpenAI, ThinkingIn: []string{"reasoning", "reasoning_content", "reasoning_text"}}},
	{[]string{"api.x.ai"}, Dialect{Name: "xai", KeyEnv: "XAI_API_KEY", MaxTokens: "max_completion_tokens", Usage: true, Required: "required", Named: true, Parallel: true, Effort: EffortPlain, IDs: llm.IDsOpenAI, MaxTools: 128, ThinkingIn: plainThinking}},
	{[]string{"api.together.xyz", "api.together.ai"}, Dialect{Name: "together", KeyEnv: "TOGETHER_API_KEY", Usage: true, Required: "required", Named: true, IDs: llm.IDsOpenAI, ThinkingIn: []string{"reasoning", "reasoning_content"}}},
	{[]string{"api.fireworks.ai"}, Dialect{Name: "fireworks", KeyEnv: "FIREWORKS_API_KEY", Usage: true, Required: "any", Named: true, Effort: EffortPlain, IDs: llm.IDsOpenAI, MaxTools: 128, ThinkingIn: plainThinking}},
	{[]string{"api.cerebras.ai"}, Dialect{Name: "cerebras", KeyEnv: "CEREBRAS_API_KEY", MaxTokens: "max_completion_tokens", Usage: true, Required: "required", Named: true, Parallel: true, Effort: EffortPlain, IDs: llm.IDsOpenAI, ThinkingIn: []string{"reasoning", "reasoning_content"}}},
	{[]string{"api.moonshot.ai", "api.moonshot.cn"}, Dialect{Name: "moonshot", KeyEnv: "MOONSHOT_API_KEY", Usage: true, Echo: EchoCalls, IDs: llm.IDsAny, MaxTools: 128, ThinkingIn: plainThinking}},
	{[]string{"api.z.ai", "open.bigmodel.cn"}, Dialect{Name: "z.ai", KeyEnv: "ZAI_API_KEY", Usage: true, Echo: EchoSame, Effort: EffortThinking, IDs: llm.IDsOpenAI, MaxTools: 128, ThinkingIn: plainThinking}},
	{[]string{"dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com", "dashscope-us.aliyuncs.com"}, Dialect{Name: "qwen", KeyEnv: "DASHSCOPE_API_KEY", Usage: true, Named: true, ThinkingFree: true, Parallel: true, ParallelOff: true, Effort: EffortEnable, IDs: llm.IDsOpenAI, MaxTools: 128, ThinkingIn: plainThinking}},
	{nil, Dialect{Name: "vllm", KeyEnv: "VLLM_API_KEY", Usage: true, Required: "required", Named: true, Parallel: true, Echo: EchoSame, Effort: EffortTemplate, IDs: llm.IDsAny, ThinkingIn: plainThinking}},
	{nil, Dialect{Name: "llamacpp", KeyEnv: "LLAMA_API_KEY", Usage: true, Required: "required", Named: true, Parallel: true, ParallelOff: true, Echo: EchoSame, Effort: EffortTemplate, IDs: llm.IDsAny, ThinkingIn: plainThinking}},
	{nil, Dialect{Name: "lmstudio", KeyEnv: "LMSTUDIO_API_KEY", Usage: true, Required: "required", IDs: llm.IDsOpenAI, ThinkingIn: plainThinking}},
	{nil, Dialect{Name: "ollama", KeyEnv: "OLLAMA_API_KEY", Usage: true, Effort: EffortPlain, IDs: llm.IDsOpenAI, ThinkingIn: []string{"reasoning", "reasoning_content"}}},
	{nil, Dialect{Name: "generic", KeyEnv: "OPENAI_API_KEY", Usage: true, Required: "required", Named: true, IDs: llm.IDsStrict, ThinkingIn: plainThinking, Echo: EchoSame}},
}

// ports are where local servers listen if they are not told otherwise.
var ports = map[string]string{"11434": "ollama", "1234": "lmstudio"}

// families are models with demands of their own, whoever serves them.
var families = []struct {
	words []string // one of them is in the model's name
	but   string   // not for this dialect
	tune  func(*Dialect)
}{
	{[]string{"mistral", "ministral", "mixtral", "codestral", "devstral", "magistral", "pixtral"}, "", func(d *Dialect) { d.IDs = llm.IDsMistral }},
	{[]string{"gemini"}, "", func(d *Dialect) { d.Trust = TrustIDs }},
	{[]string{"deepseek-r", "deepseek-reasoner", "deepseek-v3.2", "deepseek-v4"}, "openrouter", func(d *Dialect) { d.Echo = EchoCalls }},
	{[]string{"kimi-k2-thinking", "kimi-k3", "kimi-k2.5"}, "openrouter", func(d *Dialect) { d.Echo = EchoCalls }},
}

// DialectFor is the dialect for a server and a model: the one of the given name,
// else the one that the base URL's host or port tells, else generic; adjusted to
// the family of the model. ok is false if there is no dialect of that name.
func DialectFor(name, baseURL, model string) (d Dialect, ok bool) {
	d, ok = base(name, baseURL)
	model = strings.ToLower(model)
	for _, f := range families {
		for _, w := range f.words {
			if strings.Contains(model, w) && d.Name != f.but {
				f.tune(&d)
				break
			}
		}
	}
	return d, ok
}

func base(name, baseURL string) (Dialect, bool) {
	host, port := hostPort(baseURL)
	generic := dialects[len(dialects)-1].d
	for _, row := range dialects {
		if name != "" {
			if row.d.Name == name {
				return row.d, true
			}
			continue
		}
		for _, h := range row.hosts {
			if host == h || strings.HasSuffix(host, "."+h) || strings.HasSuffix(host, "-"+h) {
				return row.d, true
			}
		}
	}
	if name != "" {
		return generic, false
	}
	if n := ports[port]; n != "" {
		return base(n, "")
	}
	return generic, true
}

// Dialects are the names of all dialects.
func Dialects() []string {
	names := make([]string, len(dialects))
	for i := range dialects {
		names[i] = dialects[i].d.Name
	}
	return names
}
