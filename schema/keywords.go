package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolpost/toolpost/internal/jsonx"
)

// A Treatment is what a provider does with a keyword.
type Treatment uint8

// Treatments. What is refused or dropped is taken out of the schema and said in
// words; the rest stays in it.
const (
	Refused  Treatment = iota // the request fails
	Dropped                   // it is taken, but neither enforced nor shown to the model
	Accepted                  // it is taken and shown to the model, but not enforced
	Used                      // it is enforced, at least in part
)

var treatments = []string{"refused", "dropped", "accepted", "used"}

// String is the treatment as one word.
func (t Treatment) String() string { return treatments[min(int(t), len(treatments)-1)] }

// keywordNames are the keywords that a dialect may treat in its own way, in the
// order of the table in the documents. Keywords that are not here, but for
// type, properties, items and $ref, are notes to tools and never sent.
var keywordNames = [...]string{
	"required", "additionalProperties", "enum", "const", "anyOf", "oneOf", "allOf", "not", "if",
	"dependentRequired", "dependentSchemas", "minLength", "maxLength", "pattern", "format",
	"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
	"minItems", "maxItems", "uniqueItems", "contains", "prefixItems",
	"patternProperties", "propertyNames", "minProperties", "maxProperties",
	"unevaluatedProperties", "unevaluatedItems",
	"description", "title", "default", "examples", "deprecated", "readOnly", "writeOnly",
	"contentEncoding", "contentMediaType",
}

// Keywords says how a provider treats each keyword; the zero Keywords refuses
// all but type, properties and items. It is a value and can be compared.
type Keywords [len(keywordNames)]Treatment

// Of returns the treatment of a keyword; Refused for one that is not known.
// then and else go with if, minContains and maxContains with contains.
func (k Keywords) Of(keyword string) Treatment {
	switch keyword {
	case "type", "properties", "items":
		return Used
	case "then", "else":
		keyword = "if"
	case "minContains", "maxContains":
		keyword = "contains"
	}
	if i := slices.Index(keywordNames[:], keyword); i >= 0 {
		return k[i]
	}
	return Refused
}

// With is k with another treatment of some keywords. It panics when one of them
// is not known.
func (k Keywords) With(t Treatment, keywords ...string) Keywords {
	for _, name := range keywords {
		i := slices.Index(keywordNames[:], name)
		if i < 0 {
			panic("schema: unknown keyword " + name)
		}
		k[i] = t
	}
	return k
}

// MarshalJSON writes an object from keyword to the word for its treatment.
func (k Keywords) MarshalJSON() ([]byte, error) {
	words := map[string]string{}
	for i, name := range keywordNames {
		words[name] = k[i].String()
	}
	return jsonx.Marshal(words)
}

// UnmarshalJSON reads what MarshalJSON writes; keywords that are left out keep
// the treatment that they have.
func (k *Keywords) UnmarshalJSON(b []byte) error {
	var words map[string]string
	if err := jsonx.Unmarshal(b, &words); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(words)) {
		i, t := slices.Index(keywordNames[:], name), slices.Index(treatments, words[name])
		if i < 0 {
			return fmt.Errorf("keyword %q is not one that providers treat differently", name)
		}
		if t < 0 {
			return fmt.Errorf("treatment %q of %s: use one of %s", words[name], name, strings.Join(treatments, ", "))
		}
		k[i] = Treatment(t)
	}
	return nil
}

// treating makes Keywords of lists of names, separated by spaces; what is in
// none of them is refused.
func treating(used, accepted, dropped string) Keywords {
	return Keywords{}.With(Used, strings.Fields(used)...).
		With(Accepted, strings.Fields(accepted)...).
		With(Dropped, strings.Fields(dropped)...)
}

// all lets every keyword through.
func all(t Treatment) Keywords { return Keywords{}.With(t, keywordNames[:]...) }
