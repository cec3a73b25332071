package builtin

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/toolpost/toolpost/builtin/internal/filetool"
	"github.com/toolpost/toolpost/sandbox"
)

// A page is some lines of a text.
type page struct {
	content string
	lines   int  // in content
	seen    int  // lines that went by, those before and behind the page included
	more    bool // lines follow
	ended   bool // the text was read to its end, so that seen is all
	cut     int  // bytes of the last line, if it was too long to show whole
}

// extent says how far a page is read.
type extent int

const (
	toPage extent = iota // to the first line behind the page
	toEnd                // to the end, to count the lines
)

// readPage reads the lines from offset on, at most limit and at most pageBytes
// of them. A byte order mark is left out. Its memory does not depend on the
// length of the text or of a line.
func readPage(r io.Reader, offset, limit int, how extent) (page, error) {
	br := bufio.NewReaderSize(r, 64<<10)
	if b, _ := br.Peek(3); string(b) == "\ufeff" {
		_, _ = br.Discard(3)
	}
	var p page
	var content strings.Builder
	var line []byte
	full := false
	for {
		var size int
		var err error
		inside := p.seen+1 >= offset && p.lines < limit && !full
		line, size, err = readLine(br, line[:0], inside)
		if size == 0 && errors.Is(err, io.EOF) {
			p.ended = true
			break
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return page{}, err
		}
		p.seen++
		switch {
		case !inside:
			p.more = p.more || p.seen >= offset
		case content.Len()+size <= pageBytes:
			content.Write(line)
			p.lines++
		case p.lines == 0:
			content.Write(filetool.WholeRunes(line, pageBytes))
			p.lines, p.cut, full = 1, size, true
		default:
			p.more, full = true, true
		}
		if p.more && how == toPage {
			break
		}
	}
	p.content = content.String()
	return p, nil
}

// readLine reads one line with its end and returns its size. Of a line that is
// kept, no more than a page is.
func readLine(br *bufio.Reader, buf []byte, keep bool) ([]byte, int, error) {
	size := 0
	for {
		part, err := br.ReadSlice('\n')
		size += len(part)
		if keep && len(buf) <= pageBytes {
			buf = append(buf, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return buf, size, err
		}
	}
}

// cleanPage makes a page of a file that was not judged whole valid UTF-8.
func cleanPage(s, encoding string) string {
	if encoding == filetool.Latin1 {
		return filetool.FromLatin1([]byte(s))
	}
	if sandbox.IsText([]byte(s)) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// contextReader ends with its context, so that a long read can be given up.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
