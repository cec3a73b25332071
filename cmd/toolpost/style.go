package main

// style colours text, or leaves it alone if false.
type style bool

func (s style) wrap(code, text string) string {
	if !s || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s style) red(text string) string    { return s.wrap("31", text) }
func (s style) green(text string) string  { return s.wrap("32", text) }
func (s style) yellow(text string) string { return s.wrap("33", text) }
func (s style) cyan(text string) string   { return s.wrap("36", text) }
func (s style) bold(text string) string   { return s.wrap("1", text) }
func (s style) faint(text string) string  { return s.wrap("2", text) }
