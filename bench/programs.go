package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const modulePath = "github.com/toolpost/toolpost"

// A program is a test binary that holds some of the runtimes.
type program struct {
	name string
	path string
}

// moduleRoot is the folder of this module, from wherever in it the command runs.
func moduleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", modulePath).Output()
	if err != nil {
		return "", fmt.Errorf("find the module %s (run this inside of it): %w", modulePath, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// build makes the programs and has each show that its runtimes do the work. The
// error tells of those that are left out.
func build(ctx context.Context, root, dir string, progress io.Writer) ([]program, error) {
	var programs []program
	var missing []error
	peers := filepath.Join(root, "bench", "peers")
	if p, err := buildOne(ctx, "peers", peers, dir, progress); err == nil {
		programs = append(programs, p)
	} else {
		missing = append(missing, err)
		if p, err := buildOne(ctx, "ours", filepath.Join(root, "bench", "ours"), dir, progress); err == nil {
			programs = append(programs, p)
		} else {
			missing = append(missing, err)
		}
	}
	if p, err := buildOne(ctx, "picoclaw", filepath.Join(peers, "picoclaw"), dir, progress); err == nil {
		programs = append(programs, p)
	} else {
		missing = append(missing, err)
	}
	return programs, errors.Join(missing...)
}

func buildOne(ctx context.Context, name, src, dir string, progress io.Writer) (program, error) {
	p := program{name, filepath.Join(dir, name+".test")}
	fmt.Fprintf(progress, "building %s …\n", name)
	args := []string{"test", "-c", "-o", p.path}
	if mod, err := moduleCopy(src, dir, name); err != nil {
		return p, fmt.Errorf("build %s: %w", name, err)
	} else if mod != "" {
		args = append(args, "-mod=mod", "-modfile="+mod)
	}
	if err := command(ctx, src, "go", append(args, ".")...); err != nil {
		return p, fmt.Errorf("build %s: %w", name, err)
	}
	if err := command(ctx, src, p.path, "-test.run", "Turns|Orders|Work", "-test.timeout", "2m"); err != nil {
		return p, fmt.Errorf("check that the runtimes of %s do the work: %w", name, err)
	}
	return p, nil
}

// moduleCopy is a copy of the go.mod and go.sum of a nested module, into which the
// build may write what this module has come to need since they were tidied. It
// is "" for a folder that is no module of its own.
func moduleCopy(src, dir, name string) (string, error) {
	mod := filepath.Join(dir, name+".mod")
	for from, to := range map[string]string{"go.mod": mod, "go.sum": filepath.Join(dir, name+".sum")} {
		text, err := os.ReadFile(filepath.Join(src, from))
		if errors.Is(err, fs.ErrNotExist) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(to, text, 0o600); err != nil {
			return "", err
		}
	}
	return mod, nil
}

// command runs a program in a folder. What it printed is told only when it
// fails, the last lines of it.
func command(ctx context.Context, dir, name string, args ...string) error {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w\n%s", err, lastLines(out.String(), 12))
	}
	return nil
}

func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
