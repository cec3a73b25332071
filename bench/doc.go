// Command bench measures toolpost beside other runtimes and prints the tables of
// docs/benchmarks.md:
//
//	go run ./bench/...
//	go run ./bench/... -rounds 3 -benchtime 50ms
//
// The peers are modules of their own under bench/peers, so that nothing of
// theirs is in the product's build. The command builds their test programs,
// which takes minutes the first time, has each show that it does the work, and
// then runs all of them in every round, so that a slow drift of the machine
// touches everybody alike. It prints medians over the rounds. Where the peers
// cannot be had, it says so and measures toolpost and the floor alone.
package main
