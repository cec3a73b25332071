package audit

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/toolpost/toolpost/tool"
)

// A Store keeps runs in the folder Dir, one folder each. It is made when the
// first run is. A Store is safe for concurrent use; several processes may use
// one folder, but a run is written by one at a time. Close it when no run is
// recorded any more.
type Store struct {
	Dir string

	com     committer
	open    opener     // openFile if nil
	put     sync.Mutex // held while an artifact is written
	once    sync.Once
	onceErr error

	idMu sync.Mutex
	last string // id that was given

	keyOnce sync.Once
	private ed25519.PrivateKey
	keyErr  error
}

func (s *Store) opener() opener {
	if s.open != nil {
		return s.open
	}
	return openFile
}

// Create makes a run with the given facts. It is on disk when Create returns.
// An id that is there already is a CONFLICT; a folder that cannot be written is
// UNAVAILABLE.
func (s *Store) Create(f Facts) (*Run, error) {
	if f.ID == "" {
		f.ID = s.freshID()
	}
	if err := f.complete(); err != nil {
		return nil, err
	}
	if err := s.recover(); err != nil {
		return nil, err
	}
	dir := filepath.Join(s.Dir, f.ID)
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return nil, unwritable(err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil, tool.Errorf(tool.CodeConflict, "there is a run %s already", f.ID)
		}
		return nil, unwritable(err)
	}
	r, err := s.begin(dir, f)
	if err != nil {
		return nil, err
	}
	if err := r.folder.writeSummary(&r.summary, &r.tree); err != nil {
		_ = r.folder.close()
		return nil, err
	}
	if err := syncDir(s.Dir); err != nil {
		_ = r.folder.close()
		return nil, unwritable(err)
	}
	return r, nil
}

// freshID is an id that sorts behind those that this store has given.
func (s *Store) freshID() string {
	s.idMu.Lock()
	defer s.idMu.Unlock()
	for tries := 0; ; tries++ {
		if id := tool.NewID(); id > s.last || tries == 100_000 { // a clock that was set back is not waited for
			s.last = id
			return id
		}
	}
}

// begin opens the files of a run that has none.
func (s *Store) begin(dir string, f Facts) (*Run, error) {
	lock, err := hold(dir, f.ID)
	if err != nil {
		return nil, err
	}
	d := &folder{dir: dir, lock: lock, open: s.opener()}
	if d.key, err = s.key(); err != nil {
		_ = d.close()
		return nil, err
	}
	j, err := openJournal(s, f.ID, 0)
	if err != nil {
		_ = d.close()
		return nil, unwritable(err)
	}
	r := newRun(f, j)
	r.folder = d
	return r, nil
}

// Resume opens a run to record more of it. A torn last record is cut off, the
// projections are made good, and the number of the next event goes on where the
// record ends. A run that another process writes is a CONFLICT, one whose
// journal is damaged a PRECONDITION_FAILED error that wraps a *Damage; a copy of
// the journal is then kept beside it.
func (s *Store) Resume(id string) (*Run, error) {
	dir, err := s.runDir(id)
	if err != nil {
		return nil, err
	}
	lock, err := hold(dir, id)
	if err != nil {
		return nil, err
	}
	d := &folder{dir: dir, lock: lock, open: s.opener()}
	r, err := s.resume(d, id)
	if err != nil {
		_ = d.close()
		return nil, err
	}
	return r, nil
}

func (s *Store) resume(d *folder, id string) (*Run, error) {
	key, err := s.key()
	if err != nil {
		return nil, err
	}
	m, err := s.mend(d.dir, id)
	if err != nil {
		return nil, err
	}
	d.key, d.heads.end = key, m.heads
	j, err := openJournal(s, id, m.place.offset)
	if err != nil {
		return nil, unwritable(err)
	}
	for i := range m.lines {
		d.files[i].end = int64(m.lines[i].Len())
	}
	r := newRun(m.summary.Facts, j)
	r.folder = d
	r.facts.Process = thisProcess()
	r.resumed(m)
	opened := r.summary.clone()
	opened.Status, opened.Sealed, opened.Head = StatusRunning, false, ""
	if err := d.writeSummary(&opened, &r.tree); err != nil {
		return nil, err
	}
	return r, nil
}

// runDir is the folder of the run with exactly this id.
func (s *Store) runDir(id string) (string, error) {
	if err := checkID(id); err != nil {
		return "", err
	}
	if err := s.recover(); err != nil {
		return "", err
	}
	dir := filepath.Join(s.Dir, id)
	if _, err := os.Stat(filepath.Join(dir, runName)); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "", tool.Errorf(tool.CodeNotFound, "no run %q in the store; list them with: toolpost runs ls", id)
		}
		return "", fmt.Errorf("open run %s: %w", id, plainError(err))
	}
	return dir, nil
}

// recover looks after what a machine that stopped left behind. It does so when
// the store is first used.
func (s *Store) recover() error {
	s.once.Do(func() { s.onceErr = recoverLogs(s.opener(), s.Dir) })
	return s.onceErr
}

// Close ends what the store does for its runs together. The runs are to be
// closed before; a store that is not closed leaves nothing undone, but a file
// for the next to clear away.
func (s *Store) Close() error { return s.com.close() }
