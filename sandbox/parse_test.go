package sandbox_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/sandbox"
)

func ExampleParse() {
	script, err := sandbox.Parse(`cd src && timeout 60 sh -c 'go vet ./... "$1"' x "a b" > log.txt`)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range script.Commands {
		var words []string
		for _, w := range c.Argv {
			words = append(words, w.Text)
		}
		fmt.Printf("%q by %q\n", words, c.Wrappers)
	}
	for _, r := range script.Redirects {
		fmt.Println(r.Op, r.Target.Text)
	}
	fmt.Println("single:", script.Single())
	// Output:
	// ["cd" "src"] by []
	// ["go" "vet" "./..." "a b"] by ["timeout" "sh -c"]
	// > log.txt
	// single: false
}

func ExampleDenied() {
	for _, line := range []string{`r\m -r "-f" /`, `git commit -m "rm -rf /"`} {
		pattern, denied := sandbox.Denied(line)
		fmt.Printf("%v %q\n", denied, pattern)
	}
	// Output:
	// true "rm -rf /"
	// false ""
}

func TestParseTellsTheCommandsOfALine(t *testing.T) {
	for _, tt := range []struct {
		name, line string
		want       []string // wrappers: words, with ? after a word that is not literal
	}{
		{"plain words", `git commit -m 'a b'`, []string{`git|commit|-m|a b`}},
		{"a list and a pipe", `a; b | c && d`, []string{"a", "b", "c", "d"}},
		{"wrappers are taken off", `env X=1 nice -n 5 make -j2`, []string{"env nice: make|-j2"}},
		{"unknown values stay as written", `ls "$DIR/x" *.go`, []string{`ls|$DIR/x?|*.go?`}},
		{"known values are put in", `d=build; ls "$d"`, []string{"ls|build"}},
		{"a heredoc for a shell is read", "sh <<EOF\nls -l\nEOF", []string{"sh: ls|-l"}},
		{"find shows both commands", `find . -exec rm {} +`, []string{"find -exec: rm|{}?", "find|.|-exec|rm|{}|+"}},
		{"an empty line has none", ``, nil},
		{"a comment has none", `# rm -rf /`, nil},
		{"command -v runs nothing else", `command -v rm`, []string{"command|-v|rm"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			script, err := sandbox.Parse(tt.line)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range script.Commands {
				var words []string
				for _, w := range c.Argv {
					if !w.Literal {
						w.Text += "?"
					}
					words = append(words, w.Text)
				}
				text := strings.Join(words, "|")
				if len(c.Wrappers) > 0 {
					text = strings.Join(c.Wrappers, " ") + ": " + text
				}
				got = append(got, text)
			}
			if diff := cmp.Diff(got, tt.want); diff != "" {
				t.Errorf("commands of %q (-got +want):\n%s", tt.line, diff)
			}
		})
	}
}

func TestSingleIsOneLiteralCommandOnly(t *testing.T) {
	for line, want := range map[string]bool{
		"git status":        true,
		`git log -n "5"`:    true,
		"git status; ls":    false,
		"git status > x":    false,
		"git status &":      false,
		"env git status":    false,
		"sh -c 'ls'":        false,
		"git log $N":        false,
		"git log $(date)":   false,
		"ls *.go":           false,
		"X=1 git status":    false,
		"sh script.sh":      true,
		"cat x | sh":        false,
		"":                  false,
		"python -c 'x = 1'": false,
	} {
		script, err := sandbox.Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		if got := script.Single(); got != want {
			t.Errorf("Single(%q) = %v, want %v", line, got, want)
		}
	}
}

func TestParseNamesThePlaceOfAMistake(t *testing.T) {
	_, err := sandbox.Parse("echo ok\nif true; then")
	if err == nil || !strings.Contains(err.Error(), "2:") {
		t.Errorf("error %v does not name line 2", err)
	}
}

func TestEndlessNestingIsDeniedNotFollowed(t *testing.T) {
	line := "ls"
	for range 40 {
		line = "eval " + line
	}
	if pattern, denied := sandbox.Denied(line); !denied || pattern != sandbox.DeniedTooComplex {
		t.Errorf("Denied = %q, %v", pattern, denied)
	}
	loops := strings.Repeat("for i in 1 2 3 4 5 6 7 8 9; do ", 12) + "ls" + strings.Repeat("; done", 12)
	if _, denied := sandbox.Denied(loops); !denied {
		t.Error("nested loops pass")
	}
	if _, denied := sandbox.Denied(strings.Repeat("ls;", 60_000)); !denied {
		t.Error("an endless line passes")
	}
}

func TestDeniedArgvJudgesAProgramWithoutShell(t *testing.T) {
	if _, denied := sandbox.DeniedArgv([]string{"rm", "-rf", "/"}); !denied {
		t.Error("rm -rf / passes")
	}
	if _, denied := sandbox.DeniedArgv([]string{"echo", "$(rm -rf /)", "; rm -rf /"}); denied {
		t.Error("words for echo are taken for commands")
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"rm -rf /", "a=(1 2); ${a[@]}", "x=$(echo $(echo y))", "f(){ f|f& };f", "sh <<E\n$x\nE", `eval "eval \"$x\""`, "{a,b{1..9}}", "${x:1:2}${y#z}", "printf '%s%d' a", "cd ~ && ls `pwd`", "echo a | tr a-z b | sh", "xargs -I", "env -S", "find -exec"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		script, err := sandbox.Parse(line)
		pattern, denied := sandbox.Denied(line)
		if denied != (pattern != "") {
			t.Errorf("Denied(%q) = %q, %v", line, pattern, denied)
		}
		if err == nil && script.Single() && len(script.Commands[0].Argv) == 0 {
			t.Errorf("%q is single and has no words", line)
		}
	})
}
