package scripted

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/toolpost/toolpost/tool"
)

// Open reads the script in a file.
func Open(path string) (*Model, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read script: %w", err)
	}
	return Parse(path, src)
}

// Parse reads a script; name stands for the file in messages. An error has the
// code VALIDATION_ERROR, the place, and an excerpt.
func Parse(name string, src []byte) (*Model, error) {
	p := &script{name: name, src: src}
	if !utf8.Valid(src) {
		return nil, p.errorf(1, 1, "the script is not UTF-8")
	}
	y, err := p.read()
	if err != nil {
		return nil, p.wrap(err)
	}
	return p.model(y)
}

// read decodes the source and notes the places of its turns. The YAML package
// panics on some malformed tags, which is caught here: a script is input.
func (p *script) read() (y *scriptYAML, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = errors.New("this is not YAML that can be read: look for a tag, an anchor or an alias that stands alone")
		}
	}()
	file, err := parser.ParseBytes(p.src, 0)
	if err != nil {
		return nil, err
	}
	p.places(file)
	y = new(scriptYAML)
	return y, yaml.UnmarshalWithOptions(p.src, y, yaml.Strict(), yaml.UseOrderedMap())
}

// A script is the source while it is read.
type script struct {
	name  string
	src   []byte
	turns []place
}

type place struct{ line, column int }

// places notes where each turn stands.
func (p *script) places(file *ast.File) {
	if len(file.Docs) == 0 {
		return
	}
	m, ok := file.Docs[0].Body.(*ast.MappingNode)
	if !ok {
		return
	}
	for _, kv := range m.Values {
		seq, ok := kv.Value.(*ast.SequenceNode)
		if kv.Key.String() != "turns" || !ok {
			continue
		}
		for _, v := range seq.Values {
			tk := v.GetToken()
			if mv, ok := v.(*ast.MappingNode); ok && len(mv.Values) > 0 {
				tk = mv.Values[0].Key.GetToken()
			}
			p.turns = append(p.turns, place{tk.Position.Line, tk.Position.Column})
		}
	}
}

func (p *script) model(y *scriptYAML) (*Model, error) {
	if len(y.Turns) == 0 {
		return nil, p.errorf(1, 1, "the script has no turns: begin with\nturns:\n  - text: Hello.")
	}
	if y.Chunk < 0 {
		return nil, p.errorf(1, 1, "chunk is %d; it must be 0 or more", y.Chunk)
	}
	m := &Model{Name: y.Model, Chunk: y.Chunk, Pace: time.Duration(y.Pace), Loop: y.Loop, file: p.name}
	total := 0
	for i := range y.Turns {
		at := place{1, 1}
		if i < len(p.turns) {
			at = p.turns[i]
		}
		t, msg := y.Turns[i].turn()
		if total += max(t.Repeat, 1); msg == "" && total > maxTurns {
			msg = fmt.Sprintf("the turns up to here repeat to more than %d", maxTurns)
		}
		if msg != "" {
			return nil, p.errorf(at.line, at.column, "turn %d: %s", i+1, msg)
		}
		t.line, t.column = at.line, at.column
		m.Turns = append(m.Turns, t)
	}
	return m, nil
}

func (p *script) wrap(err error) error {
	var ye yaml.Error
	if !errors.As(err, &ye) || ye.GetToken() == nil || ye.GetToken().Position == nil {
		return p.errorf(1, 1, "%s", err)
	}
	pos, msg := ye.GetToken().Position, ye.GetMessage()
	var te *yaml.TypeError
	if errors.As(err, &te) {
		msg = fmt.Sprintf("expected %s", kindName(te.DstType))
	}
	var ue *yaml.UnexpectedNodeTypeError
	if errors.As(err, &ue) {
		msg = fmt.Sprintf("expected a %s, found a %s", ue.Expected.YAMLName(), ue.Actual.YAMLName())
	}
	return p.errorf(pos.Line, pos.Column, "%s", msg)
}

func kindName(t reflect.Type) string {
	if t == nil {
		return "another kind of value"
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a text"
	case reflect.Slice:
		return "a list"
	}
	return "a mapping"
}

// errorf is an error at a place, with the line and a caret under it.
func (p *script) errorf(line, column int, format string, args ...any) error {
	msg := fmt.Sprintf("%s:%d:%d: %s", p.name, line, column, fmt.Sprintf(format, args...))
	lines := strings.Split(string(p.src), "\n")
	if line >= 1 && line <= len(lines) && strings.TrimSpace(lines[line-1]) != "" {
		text := strings.TrimRight(lines[line-1], "\r")
		pad := strings.Map(func(r rune) rune {
			if r == '\t' {
				return r
			}
			return ' '
		}, string([]rune(text)[:min(max(column-1, 0), utf8.RuneCountInString(text))]))
		msg += fmt.Sprintf("\n%5d | %s\n      | %s^", line, text, pad)
	}
	return tool.Errorf(tool.CodeInvalid, "%s", msg)
}
