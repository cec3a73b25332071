package sandbox

import (
	"regexp"
	"strings"
)

// textRules judge text that cannot be parsed, after quotes and backslashes are
// taken out, blanks are made one and letters small.
var textRules = []struct {
	pattern string
	re      *regexp.Regexp
}{
	{DeniedRemoveRoot, regexp.MustCompile(`\brm[ ,]+(?:-\S+[ ,]+)*-\S*r\S*[ ,]+(?:-\S+[ ,]+)*(?:/|~|\$home)(?:[*./\s);|&,\]]|$)`)},
	{DeniedRemoveRoot, regexp.MustCompile(`\brm[ ,]+(?:-\S+[ ,]+)*-\S*r\S*[ ,]+(?:-\S+[ ,]+)*/(?:bin|boot|dev|etc|home|lib|lib64|opt|proc|root|sbin|srv|sys|usr|var)(?:[*/\s);|&,\]]|$)`)},
	{DeniedRemoveRoot, regexp.MustCompile(`--no-preserve-root`)},
	{DeniedSudo, regexp.MustCompile(`(?:^|[\s;|&({=,\[])(?:\S*/)?(?:sudo|doas|pkexec)(?:[\s,)]|$)`)},
	{DeniedMkfs, regexp.MustCompile(`(?:^|[\s;|&({=,/\[])mkfs(?:\.\w+)?(?:[\s,)]|$)`)},
	{DeniedDD, regexp.MustCompile(`\bdd[ ,]+(?:\S+[ ,]+)*if=`)},
	{DeniedForkBomb, regexp.MustCompile(`:\s*\(\s*\)\s*\{?\s*:\s*[|&]`)},
	{DeniedForkBomb, regexp.MustCompile(`:\s*\|\s*:\s*&`)},
	{DeniedChmodRoot, regexp.MustCompile(`\bchmod[ ,]+(?:-\S+[ ,]+)*0*777[ ,]+(?:-\S+[ ,]+)*/(?:[*\s);|&,\]]|$)`)},
	{DeniedDevice, regexp.MustCompile(`(?:>|\bof=|\btee )\s*/dev/(?:sd|hd|vd|xvd|nvme|mmcblk|mem)`)},
	{DeniedShutdown, regexp.MustCompile(`(?:^|[\s;|&({=,/\[])(?:shutdown|halt)(?:[\s;|&),\]]|$)`)},
	{DeniedReboot, regexp.MustCompile(`(?:^|[\s;|&({=,/\[])reboot(?:[\s;|&),\]]|$)`)},
	{DeniedPoweroff, regexp.MustCompile(`(?:^|[\s;|&({=,/\[])poweroff(?:[\s;|&),\]]|$)`)},
	{DeniedFormat, regexp.MustCompile(`(?:^|[\s;|&({=,\[])format(?:\.com)? [a-z]:`)},
}

var noQuotes = strings.NewReplacer(`'`, "", `"`, "", "`", "", `\`, "", "$'", "")

// deniedText is the judgement of last resort.
func deniedText(text string) (string, bool) {
	text = strings.ToLower(strings.Join(strings.Fields(noQuotes.Replace(text)), " "))
	for _, rule := range textRules {
		if rule.re.MatchString(text) {
			return rule.pattern, true
		}
	}
	return "", false
}

var starter = regexp.MustCompile("system|popen|exec|spawn|subprocess|check_call|check_output|shell|qx|`|rmtree|rmsync|:!")

// startsPrograms reports code that has a call in it by which an interpreter
// starts a program.
func startsPrograms(code string) bool { return starter.MatchString(strings.ToLower(code)) }
