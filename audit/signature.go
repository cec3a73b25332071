package audit

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/toolpost/toolpost/tool"
)

// A Signature says that the first Size records of a run are those whose Merkle
// tree (RFC 6962, leaves are the SHA-256 of the lines) has this Root. It is made
// with the key of the store (Ed25519) over the lines
//
//	toolpost.run.v1
//	the run's id
//	the size, in decimal
//	the root, in hex
//	the SHA-256 of run.json without its signature, in hex; "-" in heads.jsonl
type Signature struct {
	Size int64  `json:"size"`
	Root string `json:"root"`      // hex
	Key  string `json:"key"`       // the first 16 digits of the public key's SHA-256
	Sig  []byte `json:"signature"` // base64 in JSON
}

// noSum stands in a signature that is not one of run.json.
const noSum = "-"

// text is what is signed.
func (g *Signature) text(run, sum string) []byte {
	return fmt.Appendf(nil, "toolpost.run.v1\n%s\n%d\n%s\n%s\n", run, g.Size, g.Root, sum)
}

// verify says what is wrong with the signature, "" if nothing.
func (g *Signature) verify(key ed25519.PublicKey, run, sum string) string {
	switch {
	case len(key) == 0:
		return "nobody can check the signature: the store has no public key (.proof/key.pub)"
	case g.Key != keyName(key):
		return fmt.Sprintf("signed with the key %.16q, and the store has %s", g.Key, keyName(key))
	case !ed25519.Verify(key, g.text(run, sum), g.Sig):
		return "the signature does not fit what it stands for"
	}
	return ""
}

// keyName is the name of a public key.
func keyName(key ed25519.PublicKey) string {
	sum := sha256.Sum256(key)
	return hex.EncodeToString(sum[:8])
}

// sign binds the tree, and with sum the run.json, of a run.
func sign(key ed25519.PrivateKey, run string, t *merkle, sum string) *Signature {
	g := &Signature{Size: t.size, Root: hexHash(t.root()), Key: keyName(key.Public().(ed25519.PublicKey))}
	g.Sig = ed25519.Sign(key, g.text(run, sum))
	return g
}

func hexHash(h tlog.Hash) string { return hex.EncodeToString(h[:]) }

// proofMember stands before the signature at the end of a run.json.
const proofMember = ",\n  \"proof\": "

// appendProof puts the signature into doc, the text of a run.json with its line
// end, as its last member.
func appendProof(doc []byte, g *Signature) ([]byte, error) {
	b, err := json.Marshal(g)
	if err != nil {
		return nil, err
	}
	out := append(bytes.TrimSuffix(doc, []byte("\n}\n")), proofMember...)
	return append(append(out, b...), "\n}\n"...), nil
}

// cutProof takes apart what appendProof has made. It is strict: what is not byte
// for byte of that form is not ok.
func cutProof(file []byte) (doc []byte, g *Signature, ok bool) {
	i := bytes.LastIndex(file, []byte(proofMember))
	if i < 0 {
		return file, nil, false
	}
	g = new(Signature)
	rest, whole := bytes.CutSuffix(file[i+len(proofMember):], []byte("\n}\n"))
	if !whole || json.Unmarshal(rest, g) != nil {
		return file, nil, false
	}
	doc = append(bytes.Clone(file[:i]), "\n}\n"...)
	again, err := appendProof(bytes.Clone(doc), g)
	return doc, g, err == nil && bytes.Equal(again, file)
}

// sumOf is the SHA-256 of b, in hex.
func sumOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// signEvery is how many records there are at most, at a commit, that no signature
// in heads.jsonl stands for.
const signEvery = 128

// signHead puts a signature of what is committed into heads.jsonl, if it is time
// for one. R.mu is held.
func (r *Run) signHead() error {
	d := r.folder
	if d == nil || r.tree.size-r.signed < signEvery {
		return nil
	}
	b, err := json.Marshal(sign(d.key, r.facts.ID, &r.tree, noSum))
	if err != nil {
		return tool.Errorf(tool.CodeInternal, "sign the record of run %s: %w", r.facts.ID, err)
	}
	r.signed = r.tree.size
	d.heads.buf = append(append(d.heads.buf, b...), '\n')
	return d.heads.flush(d.open, d.path(headsName))
}
