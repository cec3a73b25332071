package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/toolpost/toolpost/tool"
)

// An Artifact is something that a run keeps whole because it is too large to
// show. It is read at any place, by several at once, and is to be closed.
type Artifact struct {
	tool.Artifact
	io.ReaderAt
	close func() error
}

// Close lets go of the artifact.
func (a *Artifact) Close() error {
	if a.close == nil {
		return nil
	}
	return a.close()
}

// Reader reads the whole artifact from its beginning.
func (a *Artifact) Reader() *io.SectionReader { return io.NewSectionReader(a, 0, a.Bytes) }

// Put keeps data with a run and names it by its content: equal data of a run are
// kept once. It is on disk when Put returns, before a result can name it.
func (s *Store) Put(run string, data []byte, mime string) (tool.Artifact, error) {
	dir, err := s.runDir(run)
	if err != nil {
		return tool.Artifact{}, err
	}
	a := describe(data, mime)
	s.put.Lock()
	defer s.put.Unlock()
	dir = filepath.Join(dir, artifactsName)
	err = os.Mkdir(dir, 0o700)
	if err == nil {
		err = syncParent(dir)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return tool.Artifact{}, unwritable(err)
	}
	path := filepath.Join(dir, a.ID)
	if _, err := os.Stat(path + ".json"); err == nil {
		return a, nil
	}
	about, err := json.Marshal(a)
	if err != nil {
		return tool.Artifact{}, fmt.Errorf("describe artifact: %w", err)
	}
	if err := replaceFile(path, data); err != nil {
		return tool.Artifact{}, unwritable(err)
	}
	if err := replaceFile(path+".json", append(about, '\n')); err != nil {
		return tool.Artifact{}, unwritable(err)
	}
	return a, nil
}

// describe names data by its content.
func describe(data []byte, mime string) tool.Artifact {
	sum := sha256.Sum256(data)
	h := hex.EncodeToString(sum[:])
	return tool.Artifact{ID: h[:32], Bytes: int64(len(data)), SHA256: h, MIME: mime}
}

// OpenArtifact opens an artifact of a run to read it.
func (s *Store) OpenArtifact(run, id string) (*Artifact, error) {
	dir, err := s.runDir(run)
	if err != nil {
		return nil, err
	}
	if checkID(id) != nil {
		return nil, noArtifact(run, id)
	}
	path := filepath.Join(dir, artifactsName, id)
	a := new(Artifact)
	about, err := os.ReadFile(path + ".json")
	if err == nil {
		err = json.Unmarshal(about, &a.Artifact)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noArtifact(run, id)
	}
	if err != nil {
		return nil, fmt.Errorf("open artifact %s: %w", id, plainError(err))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open artifact %s: %w", id, plainError(err))
	}
	a.ReaderAt, a.close = f, f.Close
	return a, nil
}

func noArtifact(run, id string) error {
	return tool.Errorf(tool.CodeNotFound, "no artifact %.80q in run %s", id, run)
}
