//go:build !linux

package sandbox

// Init must be the first call in the main function of a program that confines
// commands, and in the TestMain of its tests; see the package documentation.
// On this system it does nothing.
func Init() {}
