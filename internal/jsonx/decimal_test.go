package jsonx_test

import (
	"math/big"
	"testing"

	"github.com/toolpost/toolpost/internal/jsonx"
)

func FuzzDecimal(f *testing.F) {
	numbers := []string{"0", "-0", "1", "1.0", "10e-1", "0.1e1", "-5", "123.456", "1e999", "1e-999", "0.00001", "99999999999999999999", "1e1001"}
	for _, a := range numbers {
		for _, b := range numbers {
			f.Add(a, b)
		}
	}
	parse := func(s string) (jsonx.Decimal, *big.Rat, bool) {
		end, msg := jsonx.Number([]byte(s), 0)
		if msg != "" || end != len(s) {
			return jsonx.Decimal{}, nil, false
		}
		d, ok := jsonx.ParseDecimal([]byte(s))
		r, okRat := new(big.Rat).SetString(s)
		return d, r, ok && okRat
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, rx, ok := parse(a)
		y, ry, okY := parse(b)
		if !ok || !okY {
			return
		}
		if got, want := x.Cmp(&y), rx.Cmp(ry); got != want {
			t.Errorf("%s against %s is %d, want %d", a, b, got, want)
		}
		if got, want := x.IsInt(), rx.IsInt(); got != want {
			t.Errorf("IsInt(%s) = %v", a, got)
		}
		if got, want := string(x.AppendKey(nil)) == string(y.AppendKey(nil)), rx.Cmp(ry) == 0; got != want {
			t.Errorf("keys of %s and %s are equal: %v", a, b, got)
		}
		if x.IsInt() && string(x.AppendInt(nil)) != rx.Num().String() {
			t.Errorf("AppendInt(%s) = %s, want %s", a, x.AppendInt(nil), rx.Num())
		}
	})
}

func FuzzAppendText(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		quoted := jsonx.AppendString(nil, s)
		if err := jsonx.Check(quoted); err != nil {
			t.Fatalf("AppendString(%q) = %s: %v", s, quoted, err)
		}
		var want string
		if err := jsonx.Unmarshal(quoted, &want); err != nil {
			t.Fatal(err)
		}
		if got := string(jsonx.AppendText(nil, quoted)); got != want {
			t.Errorf("AppendText(%s) = %q, want %q", quoted, got, want)
		}
	})
}
