package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// A leaf is one value of a file, or an empty table, with its place. A library
// that merges layers, such as koanf, loses the place of a value, and a message
// without one is of little use: so the files are read by hand.
type leaf struct {
	key   []string
	value any
	table bool // a table's header: it has no value of its own
	at    []span
}

// span is where a part of a key stands in its file.
type span struct{ line, col, width int }

// A document is a configuration file that has been read.
type document struct {
	file   string
	lines  []string
	leaves []leaf
}

// readDocument reads a file by its name's ending.
func readDocument(file string, data []byte) (*document, *problem) {
	d := &document{file: file, lines: strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")}
	if strings.HasSuffix(file, ".json") {
		return d, d.readJSON(data)
	}
	return d, d.readTOML(data)
}

// readTOML has the library judge the file as a whole, and its parser tell where
// each key stands.
func (d *document) readTOML(data []byte) *problem {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var all map[string]any
	if err := toml.Unmarshal(data, &all); err != nil {
		var de *toml.DecodeError
		if errors.As(err, &de) {
			line, col := de.Position()
			return d.problem(codeConfigSyntax, span{line, col, 1}, strings.TrimPrefix(de.Error(), "toml: "), "")
		}
		return &problem{code: codeConfigSyntax, exit: exitInvalid, message: d.file + ": " + err.Error()}
	}
	var parser unstable.Parser
	parser.Reset(data)
	var table []string
	var tableAt []span
	for parser.NextExpression() {
		e := parser.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table, tableAt = d.header(&parser, e)
			d.leaves = append(d.leaves, leaf{key: table, table: true, at: tableAt})
		case unstable.KeyValue:
			d.keyValue(&parser, e, table, tableAt, all)
		default:
		}
	}
	return nil
}

// header is the key of a table, each part placed at the header as a whole.
func (d *document) header(p *unstable.Parser, e *unstable.Node) ([]string, []span) {
	var key []string
	var at []span
	for it := e.Key(); it.Next(); {
		n := it.Node()
		pos := p.Shape(n.Raw).Start
		line := d.line(pos.Line)
		start := len(line) - len(strings.TrimLeft(line, " \t"))
		end := strings.LastIndexByte(line, ']') + 1
		key = append(key, string(n.Data))
		at = append(at, span{pos.Line, start + 1, max(end-start, 1)})
	}
	return key, at
}

func (d *document) keyValue(p *unstable.Parser, e *unstable.Node, table []string, tableAt []span, all map[string]any) {
	key, at := slices.Clone(table), slices.Clone(tableAt)
	for it := e.Key(); it.Next(); {
		n := it.Node()
		pos := p.Shape(n.Raw).Start
		key = append(key, string(n.Data))
		at = append(at, span{pos.Line, pos.Column, int(n.Raw.Length)})
	}
	v := e.Value()
	if v.Kind == unstable.InlineTable {
		d.leaves = append(d.leaves, leaf{key: key, table: true, at: at})
		for it := v.Children(); it.Next(); {
			d.keyValue(p, it.Node(), key, at, all)
		}
		return
	}
	d.leaves = append(d.leaves, leaf{key: key, value: lookup(all, key), at: at})
}

// lookup is the value at key in nested tables, nil where there is none.
func lookup(all map[string]any, key []string) any {
	var v any = all
	for _, k := range key {
		m, ok := v.(map[string]any)
		if !ok {
			return v // an array of tables, which no setting is
		}
		v = m[k]
	}
	return v
}

func (d *document) line(n int) string {
	if n < 1 || n > len(d.lines) {
		return ""
	}
	return d.lines[n-1]
}

// readJSON walks the tokens of a JSON file.
func (d *document) readJSON(data []byte) *problem {
	r := &jsonReader{doc: d, data: data, dec: json.NewDecoder(bytes.NewReader(data))}
	r.dec.UseNumber()
	err := r.file()
	if err == nil {
		return nil
	}
	if p, ok := errors.AsType[*problem](err); ok {
		return p
	}
	return d.problem(codeConfigSyntax, r.place(r.skip(), 1), jsonMessage(err), "")
}

func jsonMessage(err error) string {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "the file ends too early"
	}
	return err.Error()
}

type jsonReader struct {
	doc  *document
	data []byte
	dec  *json.Decoder
}

func (r *jsonReader) file() error {
	t, err := r.dec.Token()
	if err != nil {
		return err
	}
	if t != json.Delim('{') {
		return errors.New("a configuration is one JSON object")
	}
	if err := r.object(nil, nil); err != nil {
		return err
	}
	if _, err := r.dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the configuration's object")
	}
	return nil
}

// object reads members until the object ends.
func (r *jsonReader) object(key []string, at []span) error {
	seen := map[string]bool{}
	for {
		start := r.skip()
		t, err := r.dec.Token()
		if err != nil {
			return err
		}
		name, ok := t.(string)
		if !ok {
			return nil // the object's end
		}
		here := r.place(start, int(r.dec.InputOffset())-start)
		if seen[name] {
			return r.doc.problem(codeConfigSyntax, here, fmt.Sprintf("%q stands twice in one object", name), "")
		}
		seen[name] = true
		if err := r.member(append(slices.Clone(key), name), append(slices.Clone(at), here)); err != nil {
			return err
		}
	}
}

func (r *jsonReader) member(key []string, at []span) error {
	start := r.skip()
	if start < len(r.data) && r.data[start] == '{' {
		if _, err := r.dec.Token(); err != nil {
			return err
		}
		r.doc.leaves = append(r.doc.leaves, leaf{key: key, table: true, at: at})
		return r.object(key, at)
	}
	var v any
	if err := r.dec.Decode(&v); err != nil {
		return err
	}
	r.doc.leaves = append(r.doc.leaves, leaf{key: key, value: v, at: at})
	return nil
}

// skip is the offset of the next token.
func (r *jsonReader) skip() int {
	i := int(r.dec.InputOffset())
	for i < len(r.data) && strings.IndexByte(" \t\r\n,:", r.data[i]) >= 0 {
		i++
	}
	return i
}

// place is a range of bytes as line and column.
func (r *jsonReader) place(offset, width int) span {
	offset = min(offset, len(r.data))
	before := r.data[:offset]
	line := bytes.Count(before, []byte("\n")) + 1
	return span{line, offset - bytes.LastIndexByte(before, '\n'), max(width, 1)}
}

// problem is a problem at a place of the file, with the line and a mark below.
func (d *document) problem(code string, at span, message, near string) *problem {
	p := &problem{code: code, exit: exitInvalid, near: near, message: fmt.Sprintf("%s:%d:%d: %s", d.file, at.line, at.col, message)}
	text := d.line(at.line)
	if text == "" {
		return p
	}
	number := fmt.Sprintf("%5d", at.line)
	mark := strings.Repeat(" ", max(at.col-1, 0)) + strings.Repeat("^", max(min(at.width, len(text)-at.col+1), 1))
	if near != "" {
		mark += "  " + near
	}
	p.facts = append(p.facts, number+" | "+strings.ReplaceAll(text, "\t", " "), strings.Repeat(" ", len(number))+" | "+mark)
	return p
}
