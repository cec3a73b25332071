package audit

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/toolpost/toolpost/tool"
)

// Names of the store's key.
const (
	proofFolder = ".proof"
	keyFile     = "key"     // private, for its owner alone
	publicFile  = "key.pub" // to be kept elsewhere as well by who does not trust this disk
)

// key is the store's private key. It is made when the first run is.
func (s *Store) key() (ed25519.PrivateKey, error) {
	s.keyOnce.Do(func() { s.private, s.keyErr = loadKey(filepath.Join(s.Dir, proofFolder)) })
	return s.private, s.keyErr
}

// loadKey reads the key in dir, and makes it if there is none. Of several
// processes that make it at the same time one does, and all have that.
func loadKey(dir string) (ed25519.PrivateKey, error) {
	path := filepath.Join(dir, keyFile)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeKey(dir); err != nil {
			return nil, unwritable(err)
		}
		b, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, fmt.Errorf("read the store's key: %w", plainError(err))
	}
	block, _ := pem.Decode(b)
	if block == nil {
		return nil, badKey(keyFile)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	key, ok := parsed.(ed25519.PrivateKey)
	if err != nil || !ok {
		return nil, badKey(keyFile)
	}
	return key, keepPublic(dir, key)
}

func badKey(name string) error {
	return tool.Errorf(tool.CodePrecondition, "the store's key %s/%s is no Ed25519 key in PEM: put back the one that was there, or move it away and what is recorded from then on is signed with a new one", proofFolder, name)
}

func makeKey(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	own := filepath.Join(dir, keyFile+"-"+tool.NewID())
	if err := replaceFile(own, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})); err != nil {
		return err
	}
	path := filepath.Join(dir, keyFile)
	err = os.Link(own, path) // fails if another process was first
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return os.Rename(own, path) // a file system without links
	}
	if err := os.Remove(own); err != nil {
		return err
	}
	return syncParent(path)
}

// keepPublic writes the public key beside the private one, unless it is there.
func keepPublic(dir string, key ed25519.PrivateKey) error {
	path := filepath.Join(dir, publicFile)
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return fmt.Errorf("encode the store's public key: %w", err)
	}
	if err := replaceFile(path, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})); err != nil {
		return unwritable(err)
	}
	return nil
}

// ParsePublicKey reads a public key such as .proof/key.pub of a store holds:
// Ed25519 in PEM.
func ParsePublicKey(text []byte) (ed25519.PublicKey, error) {
	if block, _ := pem.Decode(text); block != nil {
		if key, err := x509.ParsePKIXPublicKey(block.Bytes); err == nil {
			if pub, ok := key.(ed25519.PublicKey); ok {
				return pub, nil
			}
		}
	}
	return nil, tool.Errorf(tool.CodeInvalid, "not an Ed25519 public key in PEM, such as %s/%s of a store", proofFolder, publicFile)
}

// PublicKey is the key by which the signatures of the store are checked; nil if
// nothing was recorded yet.
func (s *Store) PublicKey() (ed25519.PublicKey, error) {
	b, err := os.ReadFile(filepath.Join(s.Dir, proofFolder, publicFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the store's public key: %w", plainError(err))
	}
	return ParsePublicKey(b)
}
