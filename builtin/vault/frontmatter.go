package vault

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/toolpost/toolpost/tool"
)

// withFrontmatter is content with the properties of a note in front of it, as
// YAML between two lines of three dashes, in the order of the object.
func withFrontmatter(properties json.RawMessage, content string) (string, error) {
	if len(properties) == 0 || string(properties) == "null" {
		return content, nil
	}
	if _, _, has := cutFrontmatter(content); has {
		return "", tool.Errorf(tool.CodeInvalid, "content begins with front matter of its own, and frontmatter is given, too; give the properties in one place")
	}
	var b strings.Builder
	b.WriteString("---\n")
	dec := json.NewDecoder(bytes.NewReader(properties))
	dec.UseNumber()
	if err := writeYAML(&b, dec, 0, atTop); err != nil {
		return "", tool.Errorf(tool.CodeInvalid, "frontmatter has no YAML form: %w", err)
	}
	b.WriteString("---\n")
	return b.String() + content, nil
}

// cutFrontmatter is the YAML that a note begins with, and what follows it.
func cutFrontmatter(text string) (yaml, body string, has bool) {
	first, rest, ok := strings.Cut(text, "\n")
	if !ok || strings.TrimRight(first, " \t\r") != "---" {
		return "", text, false
	}
	for at := 0; at < len(rest); {
		line, _, _ := strings.Cut(rest[at:], "\n")
		if end := strings.TrimRight(line, " \t\r"); end == "---" || end == "..." {
			return rest[:at], rest[min(at+len(line)+1, len(rest)):], true
		}
		at += len(line) + 1
	}
	return "", text, false
}

// place is where a value stands in a YAML document.
type place int

const (
	atTop    place = iota // the document itself: an object
	inObject              // behind "key:"
	inList                // behind "-"
)

// mostDeep bounds the nesting of properties.
const mostDeep = 50

// writeYAML writes the next value of dec in block style: scalars that YAML could
// take for something else are in double quotes, which hold a JSON string as it is.
func writeYAML(b *strings.Builder, dec *json.Decoder, indent int, at place) error {
	t, err := dec.Token()
	if err != nil {
		return err
	}
	if indent > mostDeep {
		return fmt.Errorf("it is nested more than %d deep", mostDeep)
	}
	d, ok := t.(json.Delim)
	switch {
	case !ok && at == atTop:
		return fmt.Errorf("%v is no object", t)
	case !ok:
		fmt.Fprintf(b, " %s\n", scalar(t))
		return nil
	case !dec.More():
		_, err = dec.Token()
		if at != atTop {
			fmt.Fprintf(b, " %s\n", map[json.Delim]string{'{': "{}", '[': "[]"}[d])
		}
		return err
	case at == inList || at == inObject:
		b.WriteString("\n")
	}
	for dec.More() {
		b.WriteString(strings.Repeat("  ", indent))
		if d == '[' {
			b.WriteString("-")
			err = writeYAML(b, dec, indent+1, inList)
		} else {
			err = writeMember(b, dec, indent)
		}
		if err != nil {
			return err
		}
	}
	_, err = dec.Token()
	return err
}

func writeMember(b *strings.Builder, dec *json.Decoder, indent int) error {
	key, err := dec.Token()
	if err != nil {
		return err
	}
	b.WriteString(scalar(key) + ":")
	return writeYAML(b, dec, indent+1, inObject)
}

// plain is text that is a string in any YAML: words that begin with a letter, and
// hold nothing that means something.
var plain = regexp.MustCompile(`^[\p{L}][\p{L}\p{N}_./@+-]*( [\p{L}\p{N}_./@+(-][\p{L}\p{N}_./@+()-]*)*$`)

// words that are no strings in one version of YAML or another.
var words = regexp.MustCompile(`(?i)^(y|n|yes|no|on|off|true|false|null|nan|inf|infinity)$`)

// scalar is a value of one line.
func scalar(t json.Token) string {
	switch t := t.(type) {
	case nil:
		return "null"
	case string:
		if plain.MatchString(t) && !words.MatchString(t) {
			return t
		}
		return quoted(t)
	}
	return fmt.Sprint(t)
}

// quoted is a string in double quotes. JSON's escapes are YAML's, but for the
// characters that end a line in YAML alone.
func quoted(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return `""` // of no string
	}
	return strings.NewReplacer("\u0085", `\u0085`, "\ufeff", `\ufeff`, "\x7f", `\u007f`).Replace(strings.TrimSuffix(b.String(), "\n"))
}
