// Package peers measures other runtimes in the scenarios of package scenario, in
// one process with ours and with the floor. It is a module of its own, so that
// nothing of theirs is in the product's build. To leave a peer out, delete its
// file and its lines in peers_test.go.
//
// The command in the folder above runs it: go run ./bench/...
package peers
