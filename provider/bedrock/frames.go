package bedrock

import (
	"errors"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

	"github.com/toolpost/toolpost/internal/sse"
	"github.com/toolpost/toolpost/internal/wire"
	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

// framed is the content type of streams.
const framed = "application/vnd.amazon.eventstream"

// failed stands before the name of an event that is an error.
const failed = '!'

// A frameReader reads the frames of an event stream, each with two checksums, as
// events.
type frameReader struct {
	r   io.Reader
	d   *eventstream.Decoder
	max int
	buf []byte
}

func frames(r io.Reader, max int) wire.Source {
	return &frameReader{r: r, d: eventstream.NewDecoder(), max: max}
}

// Next implements wire.Source.
func (f *frameReader) Next() (sse.Event, error) {
	m, err := f.d.Decode(f.r, f.buf[:0])
	switch {
	case err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF):
		return sse.Event{}, io.EOF
	case err != nil && damaged(err):
		return sse.Event{}, &llm.Error{Code: tool.CodeUnavailable, Retryable: true, Message: "the stream holds a frame that is damaged: " + err.Error(), Advice: "try again, or check that nothing between changes the stream"}
	case err != nil:
		return sse.Event{}, err
	case len(m.Payload) > f.max:
		return sse.Event{}, wire.TooLong(f.max)
	}
	f.buf = m.Payload
	data := m.Payload
	if len(data) == 0 {
		data = []byte("{}")
	}
	switch header(m, ":message-type") {
	case "exception":
		return sse.Event{Name: append([]byte{failed}, header(m, ":exception-type")...), Data: data}, nil
	case "error":
		e := wire.Object{B: []byte("{")}
		e.Str("message", header(m, ":error-message"))
		return sse.Event{Name: append([]byte{failed}, header(m, ":error-code")...), Data: append(e.B, '}')}, nil
	}
	return sse.Event{Name: []byte(header(m, ":event-type")), Data: data}, nil
}

// damaged reports whether err is about what a frame holds, not about the
// connection.
func damaged(err error) bool {
	var sum eventstream.ChecksumError
	var long eventstream.LengthError
	return errors.As(err, &sum) || errors.As(err, &long)
}

func header(m eventstream.Message, name string) string {
	if v, ok := m.Headers.Get(name).(eventstream.StringValue); ok {
		return string(v)
	}
	return ""
}
