package main

import (
	"maps"
	"slices"

	"github.com/toolpost/toolpost/schema"
)

// nearest is the known word that may have been meant, or "".
func nearest(word string, known []string) string {
	if near := schema.Nearest(word, known, 1); len(near) > 0 {
		return near[0]
	}
	return ""
}

// sortedKeys is the keys of m in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
