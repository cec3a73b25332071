package schema

import (
	"slices"
	"sync"
)

// Names as providers take them.
var (
	toolNames   = NameRule{Rest: "a-zA-Z0-9_-", Max: 64}
	anthropicPN = NameRule{Rest: "a-zA-Z0-9_.-", Max: 64}
	geminiPN    = NameRule{First: "A-Za-z_", Rest: "A-Za-z0-9_", Max: 64}
	geminiTools = NameRule{First: "A-Za-z_", Rest: "A-Za-z0-9_.:-", Max: 128}
)

// Keywords that stand together in the tables.
const (
	numberBounds = "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf "
	lengths      = "minLength maxLength "
	notes        = "description title default examples deprecated readOnly writeOnly contentEncoding contentMediaType "
)

// Dialects returns all known dialects. Their tables are facts about services at
// a date; whoever knows better changes the value that is returned.
func Dialects() []Dialect { return slices.Clone(dialects()) }

var dialects = sync.OnceValue(func() []Dialect {
	return slices.Concat(openaiDialects(), anthropicDialects(), geminiDialects(), otherDialects())
})

// lenient takes any keyword as advice, but wants an object without alternatives at
// the root and items in every array.
func lenient(name string) Dialect {
	return Dialect{
		Name: name, Keywords: all(Accepted), Formats: "*", Refs: RefsFree, Recursion: RecursionFree,
		Tools: toolNames, MaxTools: 128,
	}
}

func openaiDialects() []Dialect {
	strict := Dialect{
		Name: "openai-strict", Strict: StrictAll, Loose: "openai",
		Keywords: treating("required additionalProperties enum const anyOf pattern format minItems maxItems description "+numberBounds,
			"title", ""),
		Formats: "date-time time date duration email hostname ipv4 ipv6 uuid",
		Refs:    RefsAlone, Recursion: RecursionFree, Unions: UnionsWhole, Enums: EnumsScalar, Patterns: PatternsRegular,
		MaxProperties: 5000, MaxDepth: 10, MaxEnum: 1000, MaxText: 120_000, MaxTools: 128, Tools: toolNames,
	}
	responses := lenient("responses")
	responses.Prefer = strict.Name
	vllm := strict
	vllm.Name, vllm.Loose, vllm.MaxTools = "vllm-strict", "vllm", 0
	return []Dialect{lenient("openai"), strict, responses, vllm, func() Dialect {
		d := lenient("vllm")
		d.MaxTools = 0
		return d
	}()}
}

func anthropicDialects() []Dialect {
	d := lenient("anthropic")
	d.MaxTools = 0
	d.Tools.Max = 128
	d.Properties = anthropicPN
	strict := d
	strict.Name, strict.Loose, strict.Strict = "anthropic-strict", "anthropic", StrictOptional
	strict.Keywords = treating("required additionalProperties enum const anyOf pattern format minItems description title", "", "")
	strict.Formats = "date-time time date duration email hostname uri ipv4 ipv6 uuid"
	strict.Refs, strict.Recursion, strict.Unions = RefsAlone, "", UnionsWhole
	strict.Enums, strict.Patterns = EnumsScalar, PatternsRegular
	strict.MaxMinItems = 1
	strict.MaxStrictTools, strict.MaxOptional, strict.MaxUnions = 20, 24, 16
	return []Dialect{d, strict}
}

func geminiDialects() []Dialect {
	d := Dialect{
		Name: "gemini",
		Keywords: treating("required additionalProperties enum anyOf prefixItems minimum maximum minItems maxItems format title description",
			"", lengths+"uniqueItems contains minProperties maxProperties"),
		Formats: "*", Refs: RefsAlone, Recursion: RecursionOptional, Unions: UnionsWhole, Enums: EnumsSimple,
		Properties: geminiPN, Tools: geminiTools, MaxTools: 512,
	}
	old := Dialect{
		Name: "gemini-parameters",
		Keywords: treating("required enum anyOf format minimum maximum pattern minItems maxItems minProperties maxProperties title description default "+lengths,
			"", ""),
		Formats: "date-time enum int32 int64 float double",
		Unions:  UnionsAlone, Types: TypesSingle, Enums: EnumsStrings, Patterns: PatternsRegular,
		Properties: geminiPN, Tools: geminiTools, MaxTools: 512,
	}
	inter := d
	inter.Name = "gemini-interactions"
	return []Dialect{d, old, inter}
}

func otherDialects() []Dialect {
	bedrock := lenient("bedrock")
	bedrock.Refs, bedrock.Recursion, bedrock.Root, bedrock.MaxTools = "", "", RootBare, 0
	bedrock.Properties = anthropicPN

	groq := lenient("groq")
	groq.Keywords = treating("required enum const anyOf oneOf allOf", "not if dependentRequired dependentSchemas prefixItems "+notes,
		"additionalProperties pattern format minItems maxItems uniqueItems contains patternProperties propertyNames minProperties maxProperties unevaluatedProperties unevaluatedItems "+numberBounds+lengths)

	ollama := Dialect{
		Name: "ollama", Keywords: treating("enum anyOf description", "", "required additionalProperties const oneOf allOf not if dependentRequired dependentSchemas pattern format minItems maxItems uniqueItems contains prefixItems patternProperties propertyNames minProperties maxProperties unevaluatedProperties unevaluatedItems title default examples deprecated readOnly writeOnly contentEncoding contentMediaType "+numberBounds+lengths),
		Unions: UnionsWhole, Enums: EnumsScalar, Root: RootBare, Tools: toolNames,
	}

	deepseek := Dialect{
		Name: "deepseek-strict", Strict: StrictAll, Loose: "deepseek",
		Keywords: treating("required additionalProperties enum const anyOf pattern format description "+numberBounds, "title", ""),
		Formats:  "email hostname ipv4 ipv6 uuid",
		Unions:   UnionsWhole, Types: TypesSplit, Enums: EnumsScalar, Patterns: PatternsRegular,
		MaxTools: 128, Tools: toolNames,
	}

	llama := Dialect{
		Name: "llamacpp", Keywords: treating("required additionalProperties enum const anyOf oneOf pattern format minItems maxItems minimum maximum exclusiveMinimum exclusiveMaximum description "+lengths,
			"title", "multipleOf not if dependentRequired dependentSchemas uniqueItems contains prefixItems patternProperties propertyNames minProperties maxProperties unevaluatedProperties unevaluatedItems default examples deprecated readOnly writeOnly contentEncoding contentMediaType"),
		Formats: "date time date-time uuid",
		Unions:  UnionsWhole, Patterns: PatternsAnchored, Maps: MapsTold, Tools: toolNames,
	}
	xai := lenient("xai")
	xai.Keywords = xai.Keywords.With(Dropped, "minLength", "maxLength", "minItems", "maxItems").With(Refused, "allOf", "contains")
	return []Dialect{lenient("mistral"), ollama, bedrock, groq, lenient("deepseek"), deepseek, xai, llama, lenient("openrouter")}
}
