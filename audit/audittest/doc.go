// Package audittest holds kinds of audit.Journal to what that interface promises.
//
// A store that keeps journals in a place of its own, such as a database, is
// finished when the suite is green:
//
//	func TestJournal(t *testing.T) {
//		audittest.Journal(t, func(t *testing.T, name string) audit.Journal {
//			return open(t, dir, name)
//		})
//	}
//
// It does not measure, and does not cut the power: that a commit is lasting is
// for the tests of the store itself to show.
package audittest
