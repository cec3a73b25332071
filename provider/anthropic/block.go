package anthropic

import "github.com/toolpost/toolpost/llm"

// open begins the block that content_block tells.
func (in *intake) open(index int, raw []byte) error {
	var h head
	h.read(raw)
	switch string(h.kind) {
	case "text":
		i, err := in.blocks.Open(index, llm.DeltaText)
		if err == nil {
			in.blocks.Say(i, h.text)
		}
		return err
	case "thinking":
		i, err := in.blocks.Open(index, llm.DeltaThinking)
		if err == nil {
			in.blocks.Sign(i, h.signature)
			in.blocks.Say(i, h.thinking)
		}
		return err
	case "tool_use":
		return in.blocks.Call(index, string(h.id), string(h.name), h.proof(), h.input)
	}
	_, err := in.blocks.Carry(index, &opaque{raw: append([]byte(nil), raw...)})
	return err
}

// grow takes a delta of a block. One of text or thinking for a block that never
// began begins it; one for a block that has ended belongs nowhere.
func (in *intake) grow(data []byte) error {
	r := &in.r
	i, ended := in.blocks.Find(r.index)
	if i < 0 && !ended && (r.text != nil || r.thinking != nil) {
		kind := llm.DeltaText
		if r.text == nil {
			kind = llm.DeltaThinking
		}
		var err error
		if i, err = in.blocks.Open(r.index, kind); err != nil {
			return err
		}
	}
	if i < 0 {
		return nil
	}
	switch in.blocks.Kind(i) {
	case llm.DeltaText:
		in.blocks.Say(i, r.text)
	case llm.DeltaThinking:
		in.blocks.Sign(i, r.signature)
		in.blocks.Say(i, r.thinking)
	case llm.DeltaCall:
		in.blocks.Arg(i, r.args)
	case llm.DeltaOpaque:
		if o, ok := in.blocks.Opaque(i).(*opaque); ok {
			o.grow(data)
		}
	}
	return nil
}
