package sandbox

import (
	"runtime"
	"strings"
	"sync"
)

// lockTable is a set of mutexes by key that forgets the ones nobody holds.
type lockTable struct {
	mu    sync.Mutex
	locks map[string]*countedLock
}

type countedLock struct {
	mu    sync.Mutex
	users int
}

func (t *lockTable) lock(key string) (unlock func()) {
	t.mu.Lock()
	if t.locks == nil {
		t.locks = map[string]*countedLock{}
	}
	l := t.locks[key]
	if l == nil {
		l = &countedLock{}
		t.locks[key] = l
	}
	l.users++
	t.mu.Unlock()
	l.mu.Lock()
	return sync.OnceFunc(func() {
		l.mu.Unlock()
		t.mu.Lock()
		defer t.mu.Unlock()
		if l.users--; l.users == 0 {
			delete(t.locks, key)
		}
	})
}

// Lock waits until no one else holds the lock of this path and takes it; call
// unlock to release it. Two names of one file (through links, or hard links)
// have one lock. It is for read-modify-write: [Root.Write] and the others do
// not take this lock, so they can be called while holding it, and they are
// atomic by themselves.
func (r *Root) Lock(name string) (unlock func()) {
	return r.userLocks.lock(r.lockKey(name))
}

// lockKey names the file behind a path: the canonical path, which stays the
// same when a write replaces the file, or the inode of a file with several names.
func (r *Root) lockKey(name string) string {
	clean, err := r.Clean(name)
	if err != nil {
		return name
	}
	p, err := r.resolve(clean, followLast)
	if err != nil {
		return foldKey(clean)
	}
	defer p.close()
	if p.info != nil && p.info.Mode().IsRegular() && p.links() > 1 {
		return "inode " + identity(p.info)
	}
	return foldKey(p.path())
}

func foldKey(path string) string {
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return strings.ToLower(path)
	}
	return path
}
