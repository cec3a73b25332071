package schema

import "math/big"

// divides reports whether the number lit is a multiple of b, exactly.
func divides(b *bound, lit []byte) bool {
	x, ok := new(big.Rat).SetString(string(lit))
	if !ok {
		return false
	}
	key := b.dec.AppendKey(nil) // DIGITSePOINT with the point before the digits
	y, ok := new(big.Rat).SetString("0." + string(key))
	return ok && x.Quo(x, y).IsInt()
}
