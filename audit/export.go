package audit

import (
	"archive/tar"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/toolpost/toolpost/tool"
)

// Format is a form in which a run is exported.
type Format string

// Formats.
const (
	FormatBundle Format = "bundle" // a tar of the run's folder and the store's public key: unpacked it is a store of one run
	FormatJSONL  Format = "jsonl"  // the events, as they are on record
	FormatOTel   Format = "otel"   // one trace in the JSON of OTLP, with the names of the GenAI conventions
)

// Export writes a run to w.
func (s *Store) Export(w io.Writer, id string, f Format) error {
	dir, err := s.runDir(id)
	if err != nil {
		return err
	}
	switch f {
	case FormatBundle:
		err = s.bundle(w, id, dir)
	case FormatJSONL:
		err = copyFile(w, filepath.Join(dir, journalName))
	case FormatOTel:
		var v *View
		if v, err = s.Load(id); err == nil {
			err = writeTrace(w, v)
		}
	default:
		return tool.Errorf(tool.CodeInvalid, "no format %q: bundle, jsonl or otel", f)
	}
	if err != nil {
		return fmt.Errorf("export run %s: %w", id, plainError(err))
	}
	return nil
}

func copyFile(w io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

// bundle writes a tar that is the same whenever it is made: names sorted, no
// owners, times of the files left out.
func (s *Store) bundle(w io.Writer, id, dir string) error {
	t := tar.NewWriter(w)
	public := filepath.Join(s.Dir, proofFolder, publicFile)
	if _, err := os.Stat(public); err == nil {
		if err := addFile(t, public, path.Join(proofFolder, publicFile)); err != nil {
			return err
		}
	}
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == lockName {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		return addFile(t, file, path.Join(id, filepath.ToSlash(rel)))
	})
	if err != nil {
		return err
	}
	return t.Close()
}

func addFile(t *tar.Writer, file, name string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(b)), Mode: 0o600}); err != nil {
		return err
	}
	_, err = t.Write(b)
	return err
}
