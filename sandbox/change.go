package sandbox

// Op is what happened to a path.
type Op string

// The operations a [Change] can report.
const (
	OpNone     Op = "unchanged" // the file already had the content
	OpCreated  Op = "created"
	OpModified Op = "modified"
	OpDeleted  Op = "deleted"
	OpRenamed  Op = "renamed"
)

// Change is one effect on the workspace, as it was observed. For a dry run it
// is what would have been.
type Change struct {
	Op         Op        `json:"op"`
	Path       string    `json:"path"`                 // relative to the workspace, links resolved
	From       string    `json:"from,omitempty"`       // the former path of a renamed one
	Kind       EntryKind `json:"kind"`                 // file, dir, link …
	BeforeEtag string    `json:"beforeEtag,omitempty"` // of a file that was there before; empty when it could not be read or has more than 1 GiB
	AfterEtag  string    `json:"afterEtag,omitempty"`  // of a file that is there now
	Bytes      int64     `json:"bytes"`                // size of the file now, or of the deleted one
	Folders    []string  `json:"folders,omitempty"`    // folders that were made on the way, outermost first
	DryRun     bool      `json:"dryRun,omitempty"`     // nothing was changed
}
