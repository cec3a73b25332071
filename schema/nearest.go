package schema

import (
	"slices"
	"strings"
)

// Nearest returns up to n of the known names that name was most likely meant to
// be, the nearest first: equal but for case and separators, then by edit
// distance (insert, delete, replace, swap of neighbours) of at most a third of
// the longer name, then names that begin alike. It returns nil when none is
// near.
func Nearest(name string, known []string, n int) []string {
	type scored struct {
		name  string
		score int
	}
	var list []scored
	folded := []rune(fold(head64(name)))
	for _, k := range known {
		other := []rune(fold(head64(k)))
		d := editDistance(folded, other)
		longer := max(len(folded), len(other))
		switch {
		case d <= max(1, longer/3) && d < longer:
		case len(folded) >= 3 && (strings.HasPrefix(string(other), string(folded)) || strings.Contains(string(other), string(folded))):
			d += longer
		default:
			continue
		}
		list = append(list, scored{k, d})
	}
	slices.SortStableFunc(list, func(a, b scored) int { return a.score - b.score })
	var names []string
	for _, s := range list[:min(max(n, 0), len(list))] {
		names = append(names, s.name)
	}
	return names
}

// head64 bounds the work that a very long name can ask for.
func head64(s string) string { return cutTo(s, 64) }

// fold makes camelCase, snake_case and kebab-case of one name equal.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '_', '-', ' ', '.':
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// editDistance is the optimal string alignment distance.
func editDistance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
