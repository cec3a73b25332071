// Package picoclaw measures picoclaw in the scenarios of package scenario. Its
// dependencies clash with those of the other peers, so it is a module and a
// process of its own, with the floor beside it.
package picoclaw
