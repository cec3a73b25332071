package audit

import (
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/toolpost/toolpost/internal/filelock"
	"github.com/toolpost/toolpost/tool"
)

// A commitLog makes what many journals were given lasting with one sync: a batch
// is written to it, and the journals' own files are synced when it is full. It
// is filled with zeros once and then written over from its beginning, so that a
// sync of it moves no more than the batch. If the machine stops, what its frames
// hold is put into the journals before they are read: see recoverLogs.
//
// A frame is magic, round, length of the body and CRC-32C of round and body, all
// little endian; the body is entries of one journal each: length and text of the
// run's id, offset in its journal, length and text of the lines. Frames of an
// older round are what is left of the time before the last checkpoint.
type commitLog struct {
	f     file
	path  string
	lock  *filelock.Lock
	round uint64
	at    int64
	buf   []byte
	dirty map[*fileJournal]bool // in the log, and not yet synced in their own files
}

const (
	commitFolder = ".commit"
	logSize      = 8 << 20
	logMagic     = 0x31474c43 // "CLG1"
	frameHead    = 4 + 8 + 4 + 4
)

// newCommitLog makes a log in the store dir, held by this process.
func newCommitLog(open opener, dir string) (_ *commitLog, err error) {
	folder := filepath.Join(dir, commitFolder)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	l := &commitLog{path: filepath.Join(folder, tool.NewID()+".log"), round: 1, dirty: map[*fileJournal]bool{}}
	if l.lock, err = filelock.Acquire(l.path + ".lock"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			l.remove()
		}
	}()
	if l.f, err = open(l.path); err != nil {
		return nil, err
	}
	zeros := make([]byte, 1<<20)
	for at := int64(0); at < logSize; at += int64(len(zeros)) {
		if _, err = l.f.WriteAt(zeros, at); err != nil {
			return nil, err
		}
	}
	if err = l.f.Sync(); err != nil {
		return nil, err
	}
	if err = syncDir(folder); err != nil {
		return nil, err
	}
	return l, syncDir(dir)
}

// begin starts a frame.
func (l *commitLog) begin() { l.buf = append(l.buf[:0], make([]byte, frameHead)...) }

// add puts the lines of a journal that are not lasting yet into the frame. It
// reports whether they are at hand and fit.
func (l *commitLog) add(j *fileJournal) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	base := j.end - int64(len(j.recent))
	if base > j.synced || len(l.buf)+len(j.id)+len(j.recent)+16 > logSize {
		return false
	}
	l.buf = binary.LittleEndian.AppendUint16(l.buf, uint16(len(j.id)))
	l.buf = append(l.buf, j.id...)
	l.buf = binary.LittleEndian.AppendUint64(l.buf, uint64(base))
	l.buf = binary.LittleEndian.AppendUint32(l.buf, uint32(len(j.recent)))
	l.buf = append(l.buf, j.recent...)
	return true
}

// write puts the frame on stable storage. A log that is full is emptied first.
func (l *commitLog) write() error {
	if l.at+int64(len(l.buf)) > logSize {
		if err := l.checkpoint(); err != nil {
			return err
		}
	}
	head := l.buf[:frameHead]
	binary.LittleEndian.PutUint32(head, logMagic)
	binary.LittleEndian.PutUint64(head[4:], l.round)
	binary.LittleEndian.PutUint32(head[12:], uint32(len(l.buf)-frameHead))
	binary.LittleEndian.PutUint32(head[16:], frameSum(head[4:12], l.buf[frameHead:]))
	if _, err := l.f.WriteAt(l.buf, l.at); err != nil {
		return err
	}
	if err := l.f.Sync(); err != nil {
		return err
	}
	l.at += int64(len(l.buf))
	return nil
}

func frameSum(round, body []byte) uint32 {
	return crc32.Update(crc32.Checksum(round, castagnoli), castagnoli, body)
}

// syncers is how many journals are synced at once: the file system joins what
// comes together.
const syncers = 32

// checkpoint syncs the journals themselves and begins a new round. When one of
// them cannot be synced the log is kept as it is.
func (l *commitLog) checkpoint() error {
	var mu sync.Mutex
	var first error
	var wg sync.WaitGroup
	turn := make(chan struct{}, syncers)
	for j := range l.dirty {
		turn <- struct{}{}
		wg.Go(func() {
			defer func() { <-turn }()
			if err := j.syncFile(); err != nil {
				mu.Lock()
				defer mu.Unlock()
				if first == nil {
					first = err
				}
			}
		})
	}
	wg.Wait()
	if first != nil {
		return first
	}
	clear(l.dirty)
	l.round, l.at = l.round+1, 0
	return nil
}

// remove ends a log that nothing is owed to.
func (l *commitLog) remove() {
	if l.f != nil {
		_ = l.f.Close() // what it held is elsewhere
	}
	_ = os.Remove(l.path)
	_ = l.lock.Release()
	_ = os.Remove(l.path + ".lock")
}

// leave lets go of a log whose frames are still needed: who opens the store next
// reads them.
func (l *commitLog) leave() {
	_ = l.f.Close() // it has been synced, or its frame was not acknowledged
	_ = l.lock.Release()
}

// recoverLogs puts into the journals of the store in dir what a machine that
// stopped had only in commit logs, and removes these. Logs of processes that go
// on are left alone.
func recoverLogs(open opener, dir string) error {
	names, err := os.ReadDir(filepath.Join(dir, commitFolder))
	if err != nil {
		return nil //nolint:nilerr // without the folder, or leave to read it, there is nothing to recover
	}
	for _, e := range names {
		if !strings.HasSuffix(e.Name(), ".log") {
			continue
		}
		path := filepath.Join(dir, commitFolder, e.Name())
		lock, err := filelock.Acquire(path + ".lock")
		if err != nil {
			continue // its process goes on
		}
		l := &commitLog{path: path, lock: lock}
		if err := replayLog(open, dir, path); err != nil {
			_ = lock.Release()
			return unwritable(err)
		}
		l.remove()
	}
	return nil
}

func replayLog(open opener, dir, path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	files := map[string]file{}
	defer func() {
		for _, f := range files {
			_ = f.Close() // synced below, or the error is known
		}
	}()
	for id, lines := range logEntries(b) {
		f := files[id]
		if f == nil {
			journal := filepath.Join(dir, id, journalName)
			if _, err := os.Stat(journal); err != nil || checkID(id) != nil {
				continue // the run has been removed since
			}
			if f, err = open(journal); err != nil {
				return err
			}
			files[id] = f
		}
		if err := lines.into(f); err != nil {
			return err
		}
	}
	for _, f := range files {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	return nil
}
