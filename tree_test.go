package toolpost_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const modulePath = "github.com/toolpost/toolpost"

// A sourceFile is one Go file of this module, whatever system it is built for.
type sourceFile struct {
	path    string // from the module's root, with slashes
	syntax  *ast.File
	imports []string
	lines   int
}

// isTest reports whether only tests are built from the file.
func (f *sourceFile) isTest() bool { return strings.HasSuffix(f.path, "_test.go") }

// A sourcePackage is the Go files of one folder.
type sourcePackage struct {
	dir   string // "." is the root
	files []*sourceFile
}

// isKit reports whether the package is a test kit: public, but for tests alone.
func (p *sourcePackage) isKit() bool { return isKit(p.dir) }

func isKit(dir string) bool { return strings.HasSuffix(path.Base(dir), "test") && dir != "." }

// code is the files of the package that are not tests.
func (p *sourcePackage) code() []*sourceFile {
	return slices.DeleteFunc(slices.Clone(p.files), (*sourceFile).isTest)
}

type sourceTree struct {
	fset     *token.FileSet
	packages []*sourcePackage
	texts    map[string][]byte // every file of the module that is text
}

// readTree reads the module once for all tests of this package.
var readTree = sync.OnceValues(func() (*sourceTree, error) {
	t := &sourceTree{fset: token.NewFileSet(), texts: map[string][]byte{}}
	byDir := map[string]*sourcePackage{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if d.IsDir() {
			if name == ".git" || name == "dist" || d.Name() == ".toolpost" || d.Name() == ".cache" {
				return filepath.SkipDir
			}
			return nil
		}
		return t.add(name, byDir)
	})
	for _, p := range byDir {
		t.packages = append(t.packages, p)
	}
	slices.SortFunc(t.packages, func(a, b *sourcePackage) int { return strings.Compare(a.dir, b.dir) })
	return t, err
})

func (t *sourceTree) add(name string, byDir map[string]*sourcePackage) error {
	src, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if bytes.IndexByte(src, 0) >= 0 || strings.HasSuffix(name, ".test") {
		return nil // not text
	}
	t.texts[name] = src
	dir := path.Dir(name)
	if path.Ext(name) != ".go" || strings.Contains(name, "testdata/") || inNestedModule(dir) {
		return nil
	}
	f, err := parser.ParseFile(t.fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	sf := &sourceFile{path: name, syntax: f, lines: bytes.Count(src, []byte("\n"))}
	for _, spec := range f.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		sf.imports = append(sf.imports, p)
	}
	if byDir[dir] == nil {
		byDir[dir] = &sourcePackage{dir: dir}
	}
	byDir[dir].files = append(byDir[dir].files, sf)
	return nil
}

// inNestedModule reports whether dir belongs to another module than the root's.
func inNestedModule(dir string) bool {
	for ; dir != "."; dir = path.Dir(dir) {
		if _, err := os.Stat(path.Join(dir, "go.mod")); err == nil {
			return true
		}
	}
	return false
}

// tree is the module's source, or the end of the test.
func tree(t *testing.T) *sourceTree {
	t.Helper()
	src, err := readTree()
	if err != nil {
		t.Fatalf("read the module's source: %v", err)
	}
	if len(src.packages) < 5 {
		t.Fatalf("found %d packages: the tests of the root run in the module's root", len(src.packages))
	}
	return src
}
