package builtin

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// transcript keeps what a command has written, up to a number of characters:
// the first head of them, and the newest of the rest. Its memory is bounded
// whatever is written. The zero transcript keeps nothing.
type transcript struct {
	keep, head int // characters; head is part of keep

	first      []byte
	last       []byte
	firstRunes int
	lastRunes  int
	dropped    int // characters that were between first and last
}

// write adds output. A character may come in two parts.
func (t *transcript) write(p []byte) {
	if len(t.last) == 0 && t.firstRunes < t.head {
		n := t.upTo(p, t.head-t.firstRunes)
		t.first = append(t.first, p[:n]...)
		t.firstRunes += runeStarts(p[:n])
		p = p[n:]
	} else if len(t.last) == 0 && len(p) > 0 && !utf8.RuneStart(p[0]) && len(t.first) > 0 {
		n := 0
		for n < len(p) && n < utf8.UTFMax-1 && !utf8.RuneStart(p[n]) {
			n++
		}
		t.first = append(t.first, p[:n]...)
		p = p[n:]
	}
	if len(p) == 0 {
		return
	}
	t.last = append(t.last, p...)
	t.lastRunes += runeStarts(p)
	if room := t.keep - t.head; t.lastRunes > room+room/4 || len(t.last) > 5*room {
		t.trim()
	}
}

// upTo is how many bytes of p hold n characters. Bytes that belong to no
// character count as one each when there are many of them.
func (t *transcript) upTo(p []byte, n int) int {
	for i, b := range p {
		if utf8.RuneStart(b) {
			if n == 0 {
				return i
			}
			n--
		} else if len(t.first)+i >= utf8.UTFMax*t.head {
			return i
		}
	}
	return len(p)
}

// trim drops the oldest characters that are too many.
func (t *transcript) trim() {
	room := t.keep - t.head
	from := 0
	if most := utf8.UTFMax * room; len(t.last) > most {
		from = len(t.last) - most
		for from < len(t.last) && !utf8.RuneStart(t.last[from]) {
			from++
		}
	}
	left := t.lastRunes - runeStarts(t.last[:from])
	for left > room {
		from++
		for from < len(t.last) && !utf8.RuneStart(t.last[from]) {
			from++
		}
		left--
	}
	t.dropped += t.lastRunes - left
	t.lastRunes = left
	t.last = append(t.last[:0], t.last[from:]...)
}

// text is what is kept, with a line that tells of what is not.
func (t *transcript) text() string {
	t.trim()
	first, last := string(t.first), string(t.last)
	if t.dropped == 0 {
		return strings.ToValidUTF8(first+last, "\uFFFD")
	}
	mark := fmt.Sprintf("\n[… %d characters left out …]\n", t.dropped)
	if first == "" {
		mark = mark[1:]
	}
	return strings.ToValidUTF8(first, "\uFFFD") + mark + strings.ToValidUTF8(last, "\uFFFD")
}

// tail is the newest n characters.
func (t *transcript) tail(n int) string {
	all := append(append([]byte(nil), t.first...), t.last...)
	for i := len(all); i > 0; {
		i--
		if utf8.RuneStart(all[i]) {
			if n--; n == 0 {
				all = all[i:]
				break
			}
		}
	}
	return strings.ToValidUTF8(string(all), "\uFFFD")
}

// take is the text, which is then forgotten.
func (t *transcript) take() string {
	s := t.text()
	*t = transcript{keep: t.keep, head: t.head}
	return s
}

func (t *transcript) empty() bool { return len(t.first)+len(t.last) == 0 && t.dropped == 0 }

func runeStarts(p []byte) int {
	n := 0
	for _, b := range p {
		if utf8.RuneStart(b) {
			n++
		}
	}
	return n
}
