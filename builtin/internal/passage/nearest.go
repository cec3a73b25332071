package passage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolpost/toolpost/builtin/internal/filetool"
)

const (
	nearestLines = 20_000 // lines of the file that are compared
	nearestWant  = 12     // lines of old_text that are compared
	nearestShown = 8      // lines of the passage that are shown
	nearestWidth = 160    // bytes of a line that are compared and shown
)

// nearestPassage says where a text is most like old, with its lines, so that a
// model can correct what it believed to stand there. It is "" for an empty text.
func nearestPassage(text, old string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	lines = lines[:min(len(lines), nearestLines)]
	want := strings.Split(strings.Trim(strings.ReplaceAll(old, "\r\n", "\n"), "\n"), "\n")
	want = want[:min(len(want), nearestWant)]
	best, score := bestWindow(lines, want)
	if score < 0.4 {
		return "; nothing in it is like it, read the file again"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "; the nearest passage is at line %d", best+1)
	if score == 1 {
		b.WriteString(" and differs in white space only, which must be the same")
	}
	b.WriteString(":\n")
	for i := best; i < min(best+min(len(want), nearestShown), len(lines)); i++ {
		fmt.Fprintf(&b, "%6d\t%s\n", i+1, filetool.WholeRunes([]byte(lines[i]), nearestWidth))
	}
	b.WriteString("copy the text as it stands there")
	return b.String()
}

// bestWindow is where the lines are most like want, and how much: 1 is equal
// but for white space.
func bestWindow(lines, want []string) (at int, score float64) {
	wanted := make([]shape, len(want))
	for i, w := range want {
		wanted[i] = shapeOf(w)
	}
	known := map[string]shape{}
	shapes := make([]shape, len(lines))
	for i, l := range lines {
		s, ok := known[l]
		if !ok {
			s = shapeOf(l)
			known[l] = s
		}
		shapes[i] = s
	}
	for i := range shapes {
		sum := 0.0
		for j, w := range wanted {
			if i+j < len(shapes) {
				sum += w.like(shapes[i+j])
			}
		}
		if s := sum / float64(len(wanted)); s > score {
			at, score = i, s
		}
	}
	return at, score
}

// shape is a line without its white space: the text, and its pairs of bytes in
// order.
type shape struct {
	text  string
	pairs []uint16
}

func shapeOf(line string) shape {
	text := strings.Join(strings.Fields(line), "")
	text = text[:min(len(text), nearestWidth)]
	s := shape{text: text}
	for i := 1; i < len(text); i++ {
		s.pairs = append(s.pairs, uint16(text[i-1])<<8|uint16(text[i]))
	}
	slices.Sort(s.pairs)
	return s
}

// like is Dice's coefficient of the pairs of two lines, from 0 to 1.
func (s shape) like(t shape) float64 {
	switch {
	case s.text == t.text:
		return 1
	case len(s.pairs) == 0 || len(t.pairs) == 0:
		return 0
	}
	common := 0
	for i, j := 0, 0; i < len(s.pairs) && j < len(t.pairs); {
		switch {
		case s.pairs[i] == t.pairs[j]:
			common++
			i, j = i+1, j+1
		case s.pairs[i] < t.pairs[j]:
			i++
		default:
			j++
		}
	}
	return min(2*float64(common)/float64(len(s.pairs)+len(t.pairs)), 0.99)
}
