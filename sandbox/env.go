package sandbox

import (
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// DefaultEnv returns the names of the variables that commands inherit from
// this process when they are set: what programs need to find their files and
// speak the user's language, and none that usually holds a secret. One whose
// value is a URL with a password in it is left out all the same.
func DefaultEnv() []string {
	names := []string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ", "TERM", "COLORTERM",
		"TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
		"GOPATH", "GOCACHE", "GOMODCACHE", "GOROOT", "GOFLAGS", "GOPROXY", "GOPRIVATE", "GONOPROXY", "GONOSUMDB", "GOSUMDB", "GOTOOLCHAIN",
		"CARGO_HOME", "RUSTUP_HOME", "JAVA_HOME", "NVM_DIR", "VIRTUAL_ENV", "CI", "NO_COLOR",
	}
	if runtime.GOOS == "windows" {
		names = append(names, "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE",
			"USERNAME", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)",
			"NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE", "OS")
	}
	return names
}

// refusedEnv are variables by which a program is made to load code, run
// another program, or read its input differently. A name may end in "*".
var refusedEnv = []string{
	// where programs are found, and how words are split
	"PATH", "IFS", "SHELL", "PATHEXT", "COMSPEC", "CDPATH", "GLOBIGNORE", "SHELLOPTS", "BASHOPTS", "PS4", "PROMPT_COMMAND",
	// loaders
	"LD_*", "DYLD_*", "_RLD*", "LIBPATH", "SHLIB_PATH", "GCONV_PATH", "GETCONF_DIR", "LOCPATH", "NLSPATH", "MALLOC_*", "GLIBC_TUNABLES", "HOSTALIASES", "RES_OPTIONS", "LOCALDOMAIN",
	// shells
	"ENV", "BASH_ENV", "BASH_FUNC_*", "BASH_LOADABLES_PATH", "ZDOTDIR", "FPATH", "KSH_ENV",
	// interpreters and virtual machines
	"PYTHON*", "NODE_OPTIONS", "NODE_PATH", "NODE_EXTRA_CA_CERTS", "NODE_REPL_EXTERNAL_MODULE", "NPM_CONFIG_*", "YARN_*", "PERL*", "RUBYOPT", "RUBYLIB", "RUBYSHELL", "BUNDLE_GEMFILE", "GEM_PATH", "GEM_HOME",
	"PHPRC", "PHP_INI_SCAN_DIR", "LUA_PATH*", "LUA_CPATH*", "LUA_INIT*", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH", "MAVEN_OPTS", "GRADLE_OPTS", "SBT_OPTS", "JULIA_LOAD_PATH", "R_PROFILE*", "R_ENVIRON*", "ERL_*", "ELIXIR_ERL_OPTIONS", "DOTNET_STARTUP_HOOKS", "DOTNET_ADDITIONAL_DEPS", "CORECLR_*", "COR_*", "COMPLUS_*", "BUN_*", "DENO_*", "TCLLIBPATH", "GUILE_LOAD_*", "EMACSLOADPATH", "OPENSSL_CONF", "OPENSSL_ENGINES", "OPENSSL_MODULES",
	// build tools
	"MAKEFLAGS", "MAKEFILES", "GNUMAKEFLAGS", "MFLAGS", "CC", "CXX", "LDFLAGS", "CMAKE_*_COMPILER_LAUNCHER", "RUSTC", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "RUSTFLAGS", "RUSTDOC", "CARGO_BUILD_*", "CARGO_TARGET_*", "GOFLAGS", "GOTOOLDIR", "GOENV", "GOAUTH", "GOVCS", "GOPROXY", "GOSUMDB", "GONOSUMDB", "GOTOOLCHAIN", "PIP_*", "UV_*", "TOX_*",
	// git and what it starts
	"GIT_*", "SSH_ASKPASS", "SSH_ASKPASS_REQUIRE", "SVN_SSH", "HGRCPATH", "CVS_RSH", "RSYNC_RSH", "SUDO_ASKPASS", "SUDO_EDITOR",
	// programs that others start
	"EDITOR", "VISUAL", "FCEDIT", "PAGER", "MANPAGER", "LESSOPEN", "LESSCLOSE", "LESSEDIT", "LESSKEY*", "BROWSER", "SYSTEMD_PAGER", "SYSTEMD_EDITOR", "DOCKER_HOST", "DOCKER_CONFIG", "KUBECONFIG", "VIMINIT", "EXINIT", "VIM", "VIMRUNTIME", "NVIM_*", "RIPGREP_CONFIG_PATH", "CURL_HOME", "WGETRC", "INPUTRC", "TERMINFO", "TERMINFO_DIRS", "TERMCAP", "PGSERVICEFILE", "PGSYSCONFDIR", "PSQLRC", "MYSQL_HOME", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "XDG_CONFIG_DIRS", "XDG_DATA_DIRS", "GTK_MODULES", "QT_PLUGIN_PATH", "GDK_PIXBUF_MODULE_FILE", "GIO_MODULE_DIR", "PROMPT", "TOOLPOST_*",
}

// CheckEnv judges variables that a caller wants to set for a command. It fails
// with [KindInvalid] for a name that is none, a value with NUL in it, and the
// names by which a program is made to load or run other code (LD_PRELOAD,
// BASH_ENV, NODE_OPTIONS, GIT_SSH_COMMAND and their kin) or to be found
// elsewhere (PATH). Such a variable may still be inherited, if the operator
// names it in the Profile.
func CheckEnv(env map[string]string) error {
	names := make([]string, 0, len(env))
	for name := range env {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		switch {
		case !isEnvName(name):
			return fail(KindInvalid, "", "environment variable "+quote(name)+" is not a name; use letters, digits and _")
		case strings.IndexByte(env[name], 0) >= 0:
			return fail(KindInvalid, "", "environment variable "+quote(name)+" has a NUL byte in its value")
		case len(name)+len(env[name]) > maxLine-1:
			return fail(KindInvalid, "", "environment variable "+quote(name)+" is longer than 131071 bytes")
		case matchName(refusedEnv, strings.ToUpper(name)):
			return fail(KindInvalid, "", "environment variable "+quote(name)+" may not be set here, because it changes which code programs run; leave it out")
		}
	}
	return nil
}

func isEnvName(name string) bool {
	for i, c := range name {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// matchName matches names with at most one "*" in them.
func matchName(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		before, after, star := strings.Cut(p, "*")
		if !star {
			return p == name
		}
		return len(name) >= len(p)-1 && strings.HasPrefix(name, before) && strings.HasSuffix(name, after)
	})
}

var urlPassword = regexp.MustCompile(`://[^/\s@]+@`)

// environ builds the environment of a command: what may be inherited, then
// what the caller sets, then what the place says.
func (c *Cell) environ(w walls, cmd Cmd, pwd string) []string {
	vars := map[string]string{}
	for _, kv := range os.Environ() {
		name, value, ok := strings.Cut(kv, "=")
		if !ok || name == "" {
			continue
		}
		if matchName(c.named, envKey(name)) || matchName(DefaultEnv(), envKey(name)) && !urlPassword.MatchString(value) {
			vars[name] = value
		}
	}
	w.furnish(vars)
	if cmd.TTY == nil {
		vars["TERM"] = "dumb"
	} else if t := vars["TERM"]; t == "" || t == "dumb" {
		vars["TERM"] = "xterm-256color"
	}
	for name, value := range cmd.Env {
		vars[name] = value
	}
	vars["PWD"] = pwd
	if vars["PATH"] == "" && runtime.GOOS != "windows" {
		vars["PATH"] = "/usr/local/bin:/usr/bin:/bin"
	}
	env := make([]string, 0, len(vars))
	for name, value := range vars {
		env = append(env, name+"="+value)
	}
	slices.Sort(env)
	return env
}

// envKey is a name as it is compared: Windows does not tell case apart.
func envKey(name string) string {
	if runtime.GOOS == "windows" {
		return strings.ToUpper(name)
	}
	return name
}
