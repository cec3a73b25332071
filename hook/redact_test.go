package hook_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"github.com/toolpost/toolpost/hook"
	"github.com/toolpost/toolpost/internal/jsonx"
	"github.com/toolpost/toolpost/tool"
)

const secret = `p@ss "w/ord" äö\9`

func TestRedactExactValues(t *testing.T) {
	quoted, err := json.Marshal(secret)
	if err != nil {
		t.Fatal(err)
	}
	x := &hook.Redact{Values: []string{secret, "abc"}}
	for name, form := range map[string]string{
		"as it is":                 secret,
		"in JSON":                  string(quoted[1 : len(quoted)-1]),
		"in base64":                base64.StdEncoding.EncodeToString([]byte(secret)),
		"in base64 for URLs":       base64.URLEncoding.EncodeToString([]byte(secret)),
		"in base64 behind a name":  base64.StdEncoding.EncodeToString([]byte("ann:" + secret)),
		"in base64 behind another": base64.StdEncoding.EncodeToString([]byte("bob77:" + secret)),
		"in base64 behind a third": base64.StdEncoding.EncodeToString([]byte("carla:" + secret + "..")),
		"in hexadecimal":           hex.EncodeToString([]byte(secret)),
		"in capital hexadecimal":   strings.ToUpper(hex.EncodeToString([]byte(secret))),
		"in a query":               url.QueryEscape(secret),
		"in a path":                url.PathEscape(secret),
		"in a query in lower case": strings.NewReplacer("%2F", "%2f", "%C3", "%c3", "%A4", "%a4", "%B6", "%b6", "%5C", "%5c").Replace(url.QueryEscape(secret)),
	} {
		t.Run(name, func(t *testing.T) {
			got := x.Text("before " + form + " after")
			if !strings.Contains(got, "***(len 19, sha ") || !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after") {
				t.Errorf("%s became %s", form, got)
			}
			if strings.Contains(got, form) {
				t.Errorf("the secret is still there: %s", got)
			}
			if again := x.Text(got); again != got {
				t.Errorf("redacted twice: %s", again)
			}
		})
	}
	if got := x.Text("abc abc"); got != "abc abc" {
		t.Errorf("a value shorter than MinSecret is looked for: %s", got)
	}
}

// run is n characters that no issuer gave to anybody.
func run(n int, alphabet string) string {
	return strings.Repeat(alphabet, n/len(alphabet)+1)[:n]
}

func TestRedactShapes(t *testing.T) {
	const mixed, lower, upper, digits = "aB3dE6gH9", "0a1b2c3d4e5f", "A2B4C6D8", "0123456789"
	x := new(hook.Redact)
	for name, key := range map[string]string{
		"OpenAI":           "sk-" + run(48, mixed),
		"OpenAI project":   "sk-proj-" + run(60, mixed),
		"Anthropic":        "sk-ant-api03-" + run(80, mixed),
		"OpenRouter":       "sk-or-v1-" + run(64, lower),
		"GitHub":           "ghp_" + run(36, mixed),
		"GitHub server":    "ghs_" + run(36, mixed),
		"GitHub fine":      "github_pat_" + run(22, mixed) + "_" + run(59, mixed),
		"GitLab":           "glpat-" + run(20, mixed),
		"AWS":              "AKIA" + run(16, upper),
		"Google":           "AIza" + run(35, mixed),
		"Slack":            "xoxb-" + run(12, digits) + "-" + run(24, mixed),
		"Slack webhook":    "hooks.slack.com/services/T" + run(8, upper) + "/B" + run(8, upper) + "/" + run(24, mixed),
		"Stripe":           "sk_live_" + run(24, mixed),
		"SendGrid":         "SG." + run(22, mixed) + "." + run(43, mixed),
		"npm":              "npm_" + run(36, mixed),
		"PyPI":             "pypi-AgEIcHlwaS5vcmc" + run(60, mixed),
		"Hugging Face":     "hf_" + run(34, mixed),
		"Groq":             "gsk_" + run(52, mixed),
		"xAI":              "xai-" + run(80, mixed),
		"Databricks":       "dapi" + run(32, lower),
		"Telegram":         run(10, digits) + ":AA" + run(32, mixed),
		"Vault":            "hvs." + run(24, mixed),
		"a JSON Web Token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0." + run(43, mixed),
		"a private key":    "-----BEGIN RSA PRIVATE KEY-----\n" + run(60, mixed) + "\n" + run(60, mixed) + "\n-----END RSA PRIVATE KEY-----",
		"a cut off key":    "-----BEGIN OPENSSH PRIVATE KEY-----\n" + run(60, mixed),
	} {
		t.Run(name, func(t *testing.T) {
			before, after := "key=", "\nnext"
			if name == "a cut off key" {
				after = ""
			}
			got := x.Text(before + key + after)
			if !strings.HasPrefix(got, before+"***(len ") || !strings.HasSuffix(got, ")"+after) {
				t.Errorf("%s became %q", key, got)
			}
			if again := x.Text(got); again != got {
				t.Errorf("redacted twice: %q", again)
			}
		})
	}
	if n := len(hook.Shapes()); n < 30 {
		t.Errorf("%d shapes are known, want 30 or more", n)
	}
}

func TestRedactParts(t *testing.T) {
	x := new(hook.Redact)
	token := run(40, "aB3dE6gH9")
	for in, want := range map[string]string{
		"Authorization: Bearer " + token + "\n":            "Authorization: Bearer ***\n",
		`{"authorization":"bearer ` + token + `"}`:         `{"authorization":"bearer ***"}`,
		"Authorization: Basic YW5uOnMzY3JldA==":            "Authorization: Basic ***",
		"git clone https://ann:tok123@example.org/x.git a": "git clone https://ann:***@example.org/x.git a",
		"redis://:pw@h:6379/0 mysql://u:p%40w@h/db":        "redis://:***@h:6379/0 mysql://u:***@h/db",
		"aws_secret_access_key = " + token:                 "aws_secret_access_key = ***",
		`"SecretAccessKey": "` + token + `"`:               `"SecretAccessKey": "***"`,
	} {
		got := maskOut.ReplaceAllString(x.Text(in), "***")
		if got != want {
			t.Errorf("%s\ngot  %s\nwant %s", in, got, want)
		}
	}
}

func TestRedactLeavesWhatIsNoSecret(t *testing.T) {
	x := new(hook.Redact)
	for _, s := range []string{
		"sk-folding-cube-of-the-spinner-kit", "task-force-one-two-three-4-five-six", "the bearer of internationalization",
		"Basic understanding", "https://example.org:8080/a@b", "AKIA in the middle", "ghp_short", "eyJhbGciOiJIUzI1NiJ9.not",
		"-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----", "sha256:0123456789abcdef0123456789abcdef", "12:AA:BB:CC",
		"a git commit 9fceb02d0ae598e95dc970b74767f19372d61af8", "user@host:path", "", "x",
	} {
		if got := x.Text(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
}

func TestRedactJSONStaysJSON(t *testing.T) {
	x := &hook.Redact{Values: []string{`quo"te\d`, "1234567", "true,"}}
	in := `{ "quo\"te\\d" : [ "a quo\"te\\d b", 1234567, 12345678, true, false, "true," ], "url":"x://u:p@h" }`
	out := x.JSON([]byte(in))
	if err := jsonx.Check(out); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	got := maskOut.ReplaceAllString(string(out), "***")
	if want := `{ "***" : [ "a *** b", "***", 12345678, true, false, "***" ], "url":"x://u:***@h" }`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestRedactResult(t *testing.T) {
	x := &hook.Redact{Values: []string{secret}}
	in := &tool.Result{
		Status: tool.StatusOK, Content: []tool.Content{{Type: tool.ContentText, Text: secret}}, User: secret, Debug: secret,
		Effects: &tool.Effects{Commands: []tool.CommandRun{{Argv: []string{"login", secret}}}},
	}
	in.Data, _ = json.Marshal(map[string]string{"out": secret})
	b, err := json.Marshal(x.Result(in))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(b), "w/ord") {
		t.Errorf("the secret is still there: %s", b)
	}
	if in.Content[0].Text != secret || in.Effects.Commands[0].Argv[1] != secret {
		t.Error("the result that was handed in was changed")
	}
}

// A failure reaches the model as an envelope made of its message: neither may
// hold the secret.
func TestRedactFailure(t *testing.T) {
	x := &hook.Redact{Values: []string{secret}}
	for name, mw := range map[string]tool.Middleware{
		"an error": func(tool.Handler) tool.Handler { return failing },
		"an answer": func(tool.Handler) tool.Handler {
			return (&hook.After{Observers: []hook.Observer{nobody}}).Middleware(failing)
		},
	} {
		res := tool.Do(t.Context(), echo(x.Middleware, mw).Call, tool.NewCall("echo", `{}`))
		b, err := json.Marshal(res)
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Content) != 1 || strings.Contains(string(b), "w/ord") || res.Err.Code != tool.CodeConflict {
			t.Errorf("%s: %s", name, b)
		}
	}
}

func TestRedactAttr(t *testing.T) {
	x := &hook.Redact{Values: []string{secret}}
	var b strings.Builder
	l := slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{ReplaceAttr: x.Attr}))
	l.Info("a message", "s", "x "+secret, "err", errors.New(secret), "n", 1)
	if strings.Contains(b.String(), "w/ord") || !strings.Contains(b.String(), "n=1") {
		t.Error(b.String())
	}
}

func FuzzRedact(f *testing.F) {
	f.Add(`{"a":"ghp_0123456789012345678901234567890123456789","b":[1,"x://u:p@h"]}`)
	f.Add("Bearer abcdefghijklmnopqrstuvwxyz eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.x")
	f.Add(`"hunter2 hunter2"`)
	f.Fuzz(func(t *testing.T, s string) {
		x := &hook.Redact{Values: []string{"hunter2", `a"b\c/d`}}
		text := x.Text(s)
		if strings.Contains(text, "hunter2") {
			t.Fatalf("%q became %q", s, text)
		}
		if again := x.Text(text); again != text {
			t.Fatalf("%q became %q and then %q", s, text, again)
		}
		out := x.JSON([]byte(s))
		if jsonx.Check([]byte(s)) == nil && jsonx.Check(out) != nil && !strings.Contains(string(out), "***(len") {
			t.Fatalf("%s became %s", s, out)
		}
	})
}

func BenchmarkRedact(b *testing.B) {
	x := &hook.Redact{Values: []string{secret, "another secret value"}}
	for name, s := range map[string]string{"100B": strings.Repeat("some text ", 10), "64KiB": strings.Repeat("some text of a log file\n", 2730)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				x.Text(s)
			}
		})
	}
}
