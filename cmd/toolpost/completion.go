package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// Run is never reached: parse makes a completionScript of the command, which
// needs the whole grammar.
func (*completionCommand) Run(*program) error { return nil }

// completionScript is the script that a shell reads to complete our commands.
// It is made of the grammar, so that it cannot fall behind.
type completionScript struct {
	model *kong.Application
	shell string
}

// Run prints the script.
func (c *completionScript) Run(p *program) error {
	p.out.styled(c.script())
	return nil
}

func (c *completionScript) script() string {
	switch c.shell {
	case "zsh":
		return "#compdef toolpost\nautoload -U +X bashcompinit && bashcompinit\n" + c.bash()
	case "fish":
		return c.fish()
	case "powershell":
		return c.powershell()
	}
	return c.bash()
}

// words is what may follow each command: its commands and flags.
func (c *completionScript) words() (paths []string, after map[string][]string) {
	after = map[string][]string{}
	var walk func(n *kong.Node, path string)
	walk = func(n *kong.Node, path string) {
		paths = append(paths, path)
		after[path] = append(after[path], childNames(n)...)
		for _, group := range n.AllFlags(true) {
			for _, f := range group {
				after[path] = append(after[path], "--"+f.Name)
			}
		}
		for _, ch := range n.Children {
			walk(ch, strings.TrimSpace(path+" "+ch.Name))
		}
	}
	walk(c.model.Node, "")
	return paths, after
}

func (c *completionScript) bash() string {
	paths, after := c.words()
	var b strings.Builder
	b.WriteString(`# toolpost completion: source <(toolpost completion bash)
_toolpost() {
  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" path="" w
  for w in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$w" in -*) ;; *) path="${path:+$path }$w" ;; esac
  done
  case "$path" in
    "tools call"|"tools show"|"tools schema")
      COMPREPLY=($(compgen -W "$(toolpost tools ls --names 2>/dev/null)" -- "$cur")); [ "${cur#-}" = "$cur" ] && return ;;
  esac
  case "$prev" in -C|-f|--file|--store|--directory) COMPREPLY=($(compgen -f -- "$cur")); return ;; esac
  while :; do
    case "$path" in
`)
	for _, path := range paths {
		fmt.Fprintf(&b, "      %q) COMPREPLY=($(compgen -W %q -- \"$cur\")); return ;;\n", path, strings.Join(after[path], " "))
	}
	b.WriteString(`    esac
    case "$path" in *" "*) path="${path% *}" ;; *) path="" ;; esac
  done
}
complete -o default -F _toolpost toolpost
`)
	return b.String()
}

func (c *completionScript) fish() string {
	var b strings.Builder
	b.WriteString("# toolpost completion: toolpost completion fish | source\ncomplete -c toolpost -f\n")
	var walk func(n *kong.Node, seen []string)
	walk = func(n *kong.Node, seen []string) {
		cond := "__fish_use_subcommand"
		if len(seen) > 0 {
			cond = ""
			for _, s := range seen {
				cond += "__fish_seen_subcommand_from " + s + "; and "
			}
			cond = strings.TrimSuffix(cond, "; and ")
			if names := childNames(n); len(names) > 0 {
				cond += "; and not __fish_seen_subcommand_from " + strings.Join(names, " ")
			}
		}
		for _, ch := range n.Children {
			fmt.Fprintf(&b, "complete -c toolpost -n '%s' -a %s -d '%s'\n", cond, ch.Name, single(ch.Help))
		}
		for _, f := range n.Flags {
			fmt.Fprintf(&b, "complete -c toolpost -n '%s' -l %s -d '%s'\n", strings.Replace(cond, "__fish_use_subcommand", "true", 1), f.Name, single(f.Help))
		}
		for _, ch := range n.Children {
			walk(ch, append(append([]string{}, seen...), ch.Name))
		}
	}
	walk(c.model.Node, nil)
	b.WriteString("complete -c toolpost -n '__fish_seen_subcommand_from tools; and __fish_seen_subcommand_from call show schema' -a '(toolpost tools ls --names 2>/dev/null)'\n")
	return b.String()
}

// single is s for single quotes of a shell.
func single(s string) string { return strings.ReplaceAll(s, "'", `\'`) }

func (c *completionScript) powershell() string {
	paths, after := c.words()
	var b strings.Builder
	b.WriteString(`# toolpost completion: toolpost completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName toolpost -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $table = @{
`)
	for _, path := range paths {
		fmt.Fprintf(&b, "    '%s' = '%s'\n", path, strings.Join(after[path], " "))
	}
	b.WriteString(`  }
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() } | Where-Object { $_ -notlike '-*' -and $_ -ne $wordToComplete })
  while ($words.Count -gt 0 -and -not $table.ContainsKey($words -join ' ')) { $words = @($words | Select-Object -SkipLast 1) }
  $table[$words -join ' '] -split ' ' | Where-Object { $_ -like "$wordToComplete*" } |
    ForEach-Object { [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_) }
}
`)
	return b.String()
}
