package builtin

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"runtime"
	"sync"

	"github.com/toolpost/toolpost/sandbox"
)

const (
	searchWhole = 4 << 20 // up to here a file is searched in memory
	searchLine  = 1 << 20 // bytes of a line that are searched
	headBytes   = 8 << 10 // a file with NUL in here is binary
)

// searcher searches files side by side and gives their matches in the order of
// the files.
type searcher struct {
	root   *sandbox.Root
	want   query
	around int
	limit  int // per file, one more is looked for to know that there is more
}

// job is a file to search, and where its matches go.
type job struct {
	file  sandbox.Entry
	found chan []searchMatch
}

// run yields the matches of each file that has some. At most a handful of
// files are open at a time. When the caller stops, or ctx ends, so does all of
// it before run returns.
func (s *searcher) run(ctx context.Context, files iter.Seq[sandbox.Entry]) iter.Seq[[]searchMatch] {
	return func(yield func([]searchMatch) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var group sync.WaitGroup
		defer group.Wait()
		defer cancel()
		n := min(max(runtime.GOMAXPROCS(0), 2), 8)
		jobs, order := make(chan job), make(chan job, 4*n)
		group.Go(func() { feed(ctx, files, jobs, order) })
		for range n {
			group.Go(func() {
				for j := range jobs {
					j.found <- s.file(ctx, j.file)
				}
			})
		}
		for j := range order {
			select {
			case m := <-j.found:
				if len(m) > 0 && !yield(m) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

// feed hands each file to whoever is free, having put it in order first.
func feed(ctx context.Context, files iter.Seq[sandbox.Entry], jobs, order chan<- job) {
	defer close(order)
	defer close(jobs)
	for e := range files {
		j := job{e, make(chan []searchMatch, 1)}
		for _, to := range []chan<- job{order, jobs} {
			select {
			case to <- j:
			case <-ctx.Done():
				return
			}
		}
	}
}

// file is the matches in one file. A file that cannot be read has none.
func (s *searcher) file(ctx context.Context, e sandbox.Entry) []searchMatch {
	if len(s.want.literal) == 0 {
		return []searchMatch{{Path: e.Path}}
	}
	if e.Size > searchWhole {
		return s.large(ctx, e)
	}
	f, err := s.root.Read(e.Path, sandbox.ReadOptions{MaxBytes: searchWhole})
	if err != nil {
		return nil
	}
	content := bytes.TrimPrefix(f.Content, []byte("\ufeff"))
	if enc := sandbox.Sniff(content); enc == sandbox.UTF16LE || enc == sandbox.UTF16BE {
		text, _, err := sandbox.Decode(content)
		if err != nil {
			return nil
		}
		content = []byte(text)
	}
	if bytes.IndexByte(content[:min(len(content), headBytes)], 0) >= 0 || !s.want.mayMatch(content) {
		return nil
	}
	found, _ := s.lines(ctx, e.Path, bytes.NewReader(content))
	return found
}

// large searches a file without holding it in memory.
func (s *searcher) large(ctx context.Context, e sandbox.Entry) []searchMatch {
	r, err := s.root.Reader(e.Path)
	if err != nil {
		return nil
	}
	defer r.Close()
	head := make([]byte, headBytes)
	n, _ := r.ReadAt(head, 0)
	if bytes.IndexByte(head[:n], 0) >= 0 {
		return nil
	}
	found, _ := s.lines(ctx, e.Path, contextReader{ctx, r})
	return found
}

// lines searches a text line by line.
func (s *searcher) lines(ctx context.Context, path string, r io.Reader) ([]searchMatch, error) {
	br := bufio.NewReaderSize(r, 64<<10)
	var found []searchMatch
	var before []string
	var buf []byte
	for n := 1; ; n++ {
		line, err := longLine(br, buf[:0])
		if len(line) == 0 && err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return found, err
		}
		buf = line
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		pending := s.followers(found, n, line)
		if len(found) <= s.limit {
			if at := s.want.match(line); at >= 0 {
				found = append(found, searchMatch{Path: path, Line: n, Text: cutLine(line, at), Before: append([]string(nil), before...)})
				pending = true
			}
		}
		if len(found) > s.limit && (!pending || s.around == 0) {
			return found, ctx.Err()
		}
		if s.around > 0 {
			before = append(before, cutLine(line, 0))
			before = before[max(len(before)-s.around, 0):]
		}
	}
}

// followers adds a line behind the matches just before it, and reports whether
// any of them still wanted it.
func (s *searcher) followers(found []searchMatch, n int, line []byte) bool {
	pending := false
	for i := len(found) - 1; i >= 0 && n-found[i].Line <= s.around; i-- {
		found[i].After = append(found[i].After, cutLine(line, 0))
		pending = true
	}
	return pending
}

// longLine reads a line with its end, and no more than searchLine bytes of it
// into memory.
func longLine(br *bufio.Reader, buf []byte) ([]byte, error) {
	for {
		part, err := br.ReadSlice('\n')
		if room := searchLine - len(buf); len(part) <= room {
			buf = append(buf, part...)
		} else if room > 0 {
			buf = append(buf, part[:room]...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return buf, err
		}
	}
}
