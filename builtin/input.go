package builtin

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/toolpost/toolpost/builtin/internal/filetool"
	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

// input types into a session, or sets the size of its terminal.
func (s *session) input(ctx context.Context, in processIn) (*tool.Result, error) {
	if !s.running() {
		return nil, tool.Errorf(tool.CodePrecondition, "session %s takes no input any more: %s", s.id, s.note())
	}
	if in.Action == "resize" {
		return s.resize(in)
	}
	data, err := s.keystrokes(in)
	if err != nil {
		return nil, err
	}
	out := s.data(in.Action)
	if len(data) > 0 {
		if out.Written, err = s.proc.Write(ctx, data); err != nil {
			return nil, s.inputFault(err)
		}
		tool.Observe(ctx, tool.Effects{Observed: []string{"input-to-command"}})
	}
	text := fmt.Sprintf("%d bytes went to session %s", out.Written, s.id)
	if in.Action == "write" && in.EOF {
		if err := s.proc.CloseStdin(); err != nil {
			return nil, s.inputFault(err)
		}
		text += "; its input is closed"
	}
	return filetool.Answer(text, out), nil
}

func (s *session) inputFault(err error) error {
	if sandbox.KindOf(err) == sandbox.KindClosed {
		return tool.Errorf(tool.CodePrecondition, "session %s takes no input: %w", s.id, err)
	}
	return filetool.Fault(err)
}

func (s *session) resize(in processIn) (*tool.Result, error) {
	if in.Rows == 0 || in.Cols == 0 {
		return nil, tool.Errorf(tool.CodeInvalid, `"rows" and "cols" required for action resize`)
	}
	if !s.tty {
		return nil, tool.Errorf(tool.CodePrecondition, "session %s has no terminal; start the command with pty to give it one", s.id)
	}
	if err := s.proc.Resize(sandbox.Size{Rows: uint16(in.Rows), Cols: uint16(in.Cols)}); err != nil {
		return nil, filetool.Fault(err)
	}
	return filetool.Answer(fmt.Sprintf("the terminal of session %s has %d rows and %d columns", s.id, in.Rows, in.Cols), s.data("resize")), nil
}

// keystrokes is the bytes that an action of input stands for.
func (s *session) keystrokes(in processIn) ([]byte, error) {
	switch in.Action {
	case "write":
		if in.Data == "" && !in.EOF {
			return nil, tool.Errorf(tool.CodeInvalid, `"data" required for action write, unless eof is set`)
		}
		return []byte(in.Data), nil
	case "submit":
		if s.tty {
			return []byte(in.Data + "\r"), nil
		}
		return []byte(in.Data + "\n"), nil
	case "paste":
		if in.Data == "" {
			return nil, tool.Errorf(tool.CodeInvalid, `"data" required for action paste`)
		}
		if s.tty && (in.Bracketed == nil || *in.Bracketed) {
			// A text that ends the paste itself would have its rest typed.
			return []byte("\x1b[200~" + strings.ReplaceAll(in.Data, "\x1b[201~", "") + "\x1b[201~"), nil
		}
		return []byte(in.Data), nil
	}
	return typed(in)
}

// typed is the bytes of send_keys.
func typed(in processIn) ([]byte, error) {
	var out []byte
	for _, name := range in.Keys {
		seq, err := keySequence(name)
		if err != nil {
			return nil, err
		}
		out = append(out, seq...)
	}
	for _, h := range in.Hex {
		b, err := hex.DecodeString(strings.Join(strings.Fields(strings.TrimPrefix(h, "0x")), ""))
		if err != nil {
			return nil, tool.Errorf(tool.CodeInvalid, "hex %q is no sequence of bytes such as 1b5b41", filetool.Clip(h, 80))
		}
		out = append(out, b...)
	}
	out = append(out, in.Literal...)
	if len(out) == 0 {
		return nil, tool.Errorf(tool.CodeInvalid, `"keys", "hex" or "literal" required for action send_keys`)
	}
	return out, nil
}
