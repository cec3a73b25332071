package hook

import (
	"encoding/base64"
	"math/bits"
	"strings"
)

// A shape is how the keys of one issuer look: a prefix that nobody writes by
// chance, and a run of characters behind it.
type shape struct {
	issuer string
	prefix string
	class  string // characters of the run beside letters and digits; "hex" or "upper" narrows those
	min    int    // length of the run
	exact  bool   // the run is min long, neither shorter nor longer
	mixed  bool   // the run holds a digit or a capital, for words could have the prefix
}

// shapes is what keys look like, after what the issuers say of their formats and
// what gitleaks and GitHub's secret scanning look for.
var shapes = [...]shape{
	{issuer: "OpenAI, Anthropic, OpenRouter, DeepSeek", prefix: "sk-", class: "-_", min: 20, mixed: true},
	{issuer: "GitHub personal", prefix: "ghp_", min: 36},
	{issuer: "GitHub OAuth", prefix: "gho_", min: 36},
	{issuer: "GitHub user", prefix: "ghu_", min: 36},
	{issuer: "GitHub server", prefix: "ghs_", min: 36},
	{issuer: "GitHub refresh", prefix: "ghr_", min: 36},
	{issuer: "GitHub fine-grained", prefix: "github_pat_", class: "_", min: 22},
	{issuer: "GitLab personal", prefix: "glpat-", class: "-_.", min: 20},
	{issuer: "GitLab deploy", prefix: "gldt-", class: "-_", min: 20},
	{issuer: "GitLab runner", prefix: "glrt-", class: "-_", min: 20},
	{issuer: "AWS", prefix: "AKIA", class: "upper", min: 16, exact: true},
	{issuer: "AWS temporary", prefix: "ASIA", class: "upper", min: 16, exact: true},
	{issuer: "Google API", prefix: "AIza", class: "-_", min: 35},
	{issuer: "Google OAuth access", prefix: "ya29.", class: "-_", min: 30},
	{issuer: "Google OAuth client", prefix: "GOCSPX-", class: "-_", min: 24},
	{issuer: "Slack bot", prefix: "xoxb-", class: "-", min: 20},
	{issuer: "Slack user", prefix: "xoxp-", class: "-", min: 20},
	{issuer: "Slack app", prefix: "xapp-", class: "-", min: 20},
	{issuer: "Slack webhook", prefix: "hooks.slack.com/services/", class: "/", min: 20},
	{issuer: "Stripe live", prefix: "sk_live_", min: 16},
	{issuer: "Stripe test", prefix: "sk_test_", min: 16},
	{issuer: "Stripe restricted", prefix: "rk_live_", min: 16},
	{issuer: "Stripe webhook", prefix: "whsec_", class: "+/=", min: 24},
	{issuer: "SendGrid", prefix: "SG.", class: "-_.", min: 40},
	{issuer: "npm", prefix: "npm_", min: 36},
	{issuer: "PyPI", prefix: "pypi-AgE", class: "-_", min: 50},
	{issuer: "Hugging Face", prefix: "hf_", min: 30},
	{issuer: "Groq", prefix: "gsk_", min: 40},
	{issuer: "xAI", prefix: "xai-", min: 40},
	{issuer: "Perplexity", prefix: "pplx-", min: 40},
	{issuer: "Replicate", prefix: "r8_", min: 36},
	{issuer: "DigitalOcean", prefix: "dop_v1_", class: "hex", min: 64},
	{issuer: "Databricks", prefix: "dapi", class: "hex", min: 32, exact: true},
	{issuer: "Docker", prefix: "dckr_pat_", class: "-_", min: 20},
	{issuer: "Grafana", prefix: "glsa_", class: "_", min: 32},
	{issuer: "Shopify", prefix: "shpat_", class: "hex", min: 32},
	{issuer: "Linear", prefix: "lin_api_", min: 32},
	{issuer: "Notion", prefix: "ntn_", min: 40},
	{issuer: "Atlassian", prefix: "ATATT3", class: "-_=", min: 60},
	{issuer: "Vault", prefix: "hvs.", class: "-_", min: 24},
	{issuer: "Tavily", prefix: "tvly-", class: "-", min: 20},
	{issuer: "Fly", prefix: "fm2_", class: "+/=", min: 60},
	{issuer: "Telegram", prefix: ":AA", class: "-_", min: 32, exact: true},
	{issuer: "age", prefix: "AGE-SECRET-KEY-1", class: "upper", min: 58},
}

// Shapes is the issuers whose keys a Redact knows by their looks. It also knows
// JSON Web Tokens, private keys in PEM, the credentials of Bearer and Basic
// headers, passwords in URLs, and AWS secret keys that are named so.
func Shapes() []string {
	names := make([]string, len(shapes))
	for i := range shapes {
		names[i] = shapes[i].issuer
	}
	return names
}

// A mark is a word near which a secret may stand, and how to find it.
type mark struct {
	word string
	find func(s string, at int) (begin, end int)
}

// marks is those of the shapes and of what is known by what stands around it.
var marks = append(shapeMarks(), []mark{
	{"eyJ", findJWT},
	{"-----BEGIN ", findPEM},
	{"Bearer ", findBearer}, {"bearer ", findBearer}, {"BEARER ", findBearer},
	{"Basic ", findBasic}, {"basic ", findBasic},
	{"aws_secret_access_key", findAssigned}, {"AWS_SECRET_ACCESS_KEY", findAssigned},
	{"SecretAccessKey", findAssigned}, {"secretAccessKey", findAssigned},
	{"://", findPassword},
}...)

func shapeMarks() []mark {
	ms := make([]mark, len(shapes))
	for i := range shapes {
		ms[i] = mark{shapes[i].prefix, shapes[i].find}
	}
	return ms
}

// starts tells by its first three bytes which marks a text may begin with: bit i
// is set in all three places if it may be marks[i]. So a text is looked through
// once, and not once for every mark.
var starts = func() (t [3][256]uint64) {
	if len(marks) > 64 {
		panic("hook: more than 64 marks")
	}
	for i, m := range marks {
		for k := range t {
			t[k][m.word[k]] |= 1 << i
		}
	}
	return t
}()

// maskShapes is s with everything masked that looks like a secret.
func maskShapes(s string) string {
	var there uint64
	for i := 0; i+2 < len(s); i++ {
		may := starts[0][s[i]] & starts[1][s[i+1]] & starts[2][s[i+2]] &^ there
		for ; may != 0; may &= may - 1 {
			if k := bits.TrailingZeros64(may); strings.HasPrefix(s[i:], marks[k].word) {
				there |= 1 << k
			}
		}
	}
	for ; there != 0; there &= there - 1 {
		m := &marks[bits.TrailingZeros64(there)]
		s = maskAll(s, m.word, m.find)
	}
	return s
}

// maskAll masks what find says is a secret near each place of word in s. Find
// gets the index of word and answers where the secret is, begin == end if there
// is none.
func maskAll(s, word string, find func(s string, at int) (begin, end int)) string {
	at := strings.Index(s, word)
	if at < 0 {
		return s
	}
	var b strings.Builder
	last := 0
	for from := at; at >= 0; {
		from = at + len(word)
		if begin, end := find(s, at); begin < end && begin >= last {
			b.WriteString(s[last:begin])
			b.WriteString(mask(s[begin:end]))
			last, from = end, max(end, from)
		}
		if at = strings.Index(s[from:], word); at >= 0 {
			at += from
		}
	}
	if last == 0 {
		return s
	}
	b.WriteString(s[last:])
	return b.String()
}

// find is where the key is whose prefix is at s[at].
func (k *shape) find(s string, at int) (begin, end int) {
	begin = at
	if s[at] == ':' { // Telegram: the number of the bot stands before
		for begin > 0 && s[begin-1] >= '0' && s[begin-1] <= '9' {
			begin--
		}
		if at-begin < 8 {
			return 0, 0
		}
	}
	if begin > 0 && (isAlnum(s[begin-1]) || s[begin-1] == '_') {
		return 0, 0
	}
	from := at + len(k.prefix)
	end = from
	mixed := false
	for end < len(s) && k.holds(s[end]) {
		mixed = mixed || s[end] <= 'Z' && isAlnum(s[end])
		end++
	}
	n := end - from
	if n < k.min || k.exact && n != k.min || k.mixed && !mixed {
		return 0, 0
	}
	return begin, end
}

// holds reports whether the run of a key may hold b.
func (k *shape) holds(b byte) bool {
	switch k.class {
	case "hex":
		return b >= '0' && b <= '9' || b >= 'a' && b <= 'f'
	case "upper":
		return b >= '0' && b <= '9' || b >= 'A' && b <= 'Z'
	}
	return isAlnum(b) || strings.IndexByte(k.class, b) >= 0
}

func isAlnum(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z'
}

// run is the index after the run of letters, digits and more from i on.
func run(s string, i int, more string) int {
	for i < len(s) && (isAlnum(s[i]) || strings.IndexByte(more, s[i]) >= 0) {
		i++
	}
	return i
}

// findJWT finds three runs of base64 with dots between (RFC 7519): the header
// and the payload are objects, so they begin with "eyJ".
func findJWT(s string, at int) (begin, end int) {
	if at > 0 && (isAlnum(s[at-1]) || s[at-1] == '.') {
		return 0, 0
	}
	one := run(s, at, "-_")
	if one-at < 10 || !strings.HasPrefix(s[one:], ".eyJ") {
		return 0, 0
	}
	two := run(s, one+1, "-_")
	if two >= len(s) || s[two] != '.' {
		return 0, 0
	}
	return at, run(s, two+1, "-_")
}

// findPEM finds a private key, to the end of the text if its last line is cut off.
func findPEM(s string, at int) (begin, end int) {
	line, _, _ := strings.Cut(s[at:min(len(s), at+80)], "\n")
	if !strings.Contains(line, "PRIVATE KEY") {
		return 0, 0
	}
	i := strings.Index(s[at:], "-----END ")
	if i < 0 {
		return at, len(s)
	}
	end = at + i + len("-----END ")
	if i = strings.Index(s[end:], "-----"); i >= 0 && i < 64 {
		end += i + len("-----")
	}
	return at, end
}

// findBearer finds a token of RFC 6750 behind the word.
func findBearer(s string, at int) (begin, end int) {
	begin = at + len("Bearer ")
	end = run(s, begin, "-._~+/=")
	if end-begin < 16 {
		return 0, 0
	}
	return begin, end
}

// findBasic finds credentials of RFC 7617 behind the word: base64 of a text with
// a colon.
func findBasic(s string, at int) (begin, end int) {
	begin = at + len("Basic ")
	end = run(s, begin, "+/=")
	b, err := base64.StdEncoding.DecodeString(s[begin:end])
	if err != nil || !strings.Contains(string(b), ":") {
		return 0, 0
	}
	return begin, end
}

// findAssigned finds the forty characters of an AWS secret key behind its name.
func findAssigned(s string, at int) (begin, end int) {
	begin = run(s, at, "_")
	for begin < len(s) && strings.IndexByte(` "'=:\`, s[begin]) >= 0 {
		begin++
	}
	end = run(s, begin, "+/")
	if end-begin != 40 {
		return 0, 0
	}
	return begin, end
}

// findPassword finds the password in the authority of a URL (RFC 3986, 3.2.1).
func findPassword(s string, at int) (begin, end int) {
	from := at + len("://")
	stop := strings.IndexAny(s[from:], "/?# \t\r\n\"'<>`\\")
	if stop < 0 {
		stop = len(s) - from
	}
	authority := s[from : from+stop]
	host := strings.LastIndexByte(authority, '@')
	colon := strings.IndexByte(authority, ':')
	if colon < 0 || colon+1 >= host {
		return 0, 0
	}
	return from + colon + 1, from + host
}
