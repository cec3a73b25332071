package jsonx

import "math/big"

// A Decimal is a JSON number, exactly. It borrows the bytes it was parsed from.
type Decimal struct {
	neg       bool
	int, frac []byte // digits before and after the point
	first     int    // index of the first digit that is not 0; count of digits for zero
	last      int    // index after the last digit that is not 0
	point     int    // the value is 0.DIGITS × 10^point, DIGITS counted from first
}

// ParseDecimal reads the number b, which must be a valid JSON number. It
// reports false when b is longer than 1,000 bytes or its exponent is beyond
// ±1,000: such numbers are out of range everywhere in this project.
func ParseDecimal(b []byte) (Decimal, bool) {
	if len(b) > maxNumber {
		return Decimal{}, false
	}
	var d Decimal
	i := 0
	if b[0] == '-' {
		d.neg = true
		i++
	}
	j := digits(b, i)
	d.int = b[i:j]
	if j < len(b) && b[j] == '.' {
		i = j + 1
		j = digits(b, i)
		d.frac = b[i:j]
	}
	exp := 0
	if j < len(b) {
		j++
		minus := b[j] == '-'
		if minus || b[j] == '+' {
			j++
		}
		for ; j < len(b); j++ {
			if exp = exp*10 + int(b[j]-'0'); exp > maxNumber {
				return Decimal{}, false
			}
		}
		if minus {
			exp = -exp
		}
	}
	n := len(d.int) + len(d.frac)
	for d.first < n && d.digit(d.first) == '0' {
		d.first++
	}
	for d.last = n; d.last > d.first && d.digit(d.last-1) == '0'; {
		d.last--
	}
	d.point = len(d.int) - d.first + exp
	return d, true
}

func (d *Decimal) digit(i int) byte {
	if i < len(d.int) {
		return d.int[i]
	}
	return d.frac[i-len(d.int)]
}

// IsInt reports whether d is a whole number, however it is written.
func (d *Decimal) IsInt() bool { return d.last-d.first <= max(d.point, 0) }

// Sign is -1, 0 or 1.
func (d *Decimal) Sign() int {
	switch {
	case d.first == d.last:
		return 0
	case d.neg:
		return -1
	}
	return 1
}

// Cmp compares two numbers exactly: -1 when d is less than o, 0 when they are
// equal, 1 when it is greater.
func (d *Decimal) Cmp(o *Decimal) int {
	s, t := d.Sign(), o.Sign()
	switch {
	case s < t:
		return -1
	case s > t:
		return 1
	case s == 0:
		return 0
	}
	return s * d.cmpAbs(o)
}

func (d *Decimal) cmpAbs(o *Decimal) int {
	if d.point != o.point {
		if d.point < o.point {
			return -1
		}
		return 1
	}
	n, m := d.last-d.first, o.last-o.first
	for i := range min(n, m) {
		if a, b := d.digit(d.first+i), o.digit(o.first+i); a != b {
			if a < b {
				return -1
			}
			return 1
		}
	}
	switch {
	case n < m:
		return -1
	case n > m:
		return 1
	}
	return 0
}

// AppendKey appends a text that is equal for equal numbers and differs for
// others: "0", or sign, digits and place of the point.
func (d *Decimal) AppendKey(dst []byte) []byte {
	if d.Sign() == 0 {
		return append(dst, '0')
	}
	if d.neg {
		dst = append(dst, '-')
	}
	for i := d.first; i < d.last; i++ {
		dst = append(dst, d.digit(i))
	}
	dst = append(dst, 'e')
	return big.NewInt(int64(d.point)).Append(dst, 10)
}

// AppendInt appends d, which must be a whole number, as plain digits.
func (d *Decimal) AppendInt(dst []byte) []byte {
	if d.Sign() == 0 {
		return append(dst, '0')
	}
	if d.neg {
		dst = append(dst, '-')
	}
	for i := d.first; i < d.first+d.point; i++ {
		if i < d.last {
			dst = append(dst, d.digit(i))
		} else {
			dst = append(dst, '0')
		}
	}
	return dst
}
