package main

import (
	"runtime"
	"runtime/debug"
)

// version is set when a release is built (-ldflags "-X main.version=1.2.3").
var version string

// build is what is known of this binary.
type build struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Dirty   bool   `json:"modified,omitempty"` // built from a tree with changes
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

// thisBuild reads what the Go tool wrote into the binary.
func thisBuild() build {
	b := build{Version: version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b.named("")
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value[:min(12, len(s.Value))]
		case "vcs.modified":
			b.Dirty = s.Value == "true"
		}
	}
	return b.named(info.Main.Version)
}

// named fills in a version that no release set.
func (b build) named(module string) build {
	switch {
	case b.Version != "":
	case module != "" && module != "(devel)":
		b.Version = module
	default:
		b.Version = "devel"
	}
	return b
}

// Run prints the version.
func (*versionCommand) Run(p *program) error {
	b := thisBuild()
	if p.out.json() {
		return p.out.document(struct {
			V int `json:"v"`
			build
		}{1, b})
	}
	commit := ""
	if b.Commit != "" {
		commit = " " + b.Commit
		if b.Dirty {
			commit += "+changes"
		}
	}
	p.out.printf("toolpost %s%s %s/%s %s\n", b.Version, commit, b.OS, b.Arch, b.Go)
	return nil
}
