package audittest

import (
	"strings"
	"testing"

	"github.com/toolpost/toolpost/audit"
)

// Journal runs the suite. Open opens the journal of the given name with what was
// appended to it before, and makes it if there is none; names are small letters.
func Journal(t *testing.T, open func(t *testing.T, name string) audit.Journal) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, suite)
	}{
		{"what is appended comes back in order, byte for byte", order},
		{"a record is seen before it is committed", seen},
		{"a closed journal takes nothing more", closed},
		{"a journal that is opened again goes on", again},
		{"journals do not mix", apart},
		{"journals commit at the same time", together},
		{"records are read while others are appended", beside},
		{"a run is recorded, resumed and read back", runs},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.run(t, func(name string) audit.Journal {
				t.Helper()
				return open(t, strings.Map(letter, t.Name())+name)
			})
		})
	}
}

// letter keeps what every store can have in a name.
func letter(r rune) rune {
	if r >= 'a' && r <= 'z' {
		return r
	}
	return -1
}
