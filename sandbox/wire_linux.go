package sandbox

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// frame is a message between the runtime and the first process of a cell.
// What may hold any bytes is []byte, since JSON strings are UTF-8.
type frame struct {
	Op string `json:"op"`
	ID uint64 `json:"id,omitempty"`

	Plan *plan `json:"plan,omitempty"` // build

	Path []byte   `json:"path,omitempty"` // start
	Dir  []byte   `json:"dir,omitempty"`
	Argv [][]byte `json:"argv,omitempty"`
	Env  [][]byte `json:"env,omitempty"`
	Mark uint64   `json:"mark,omitempty"`
	TTY  bool     `json:"tty,omitempty"`

	Step   string `json:"step,omitempty"`  // failed: what was being done
	Errno  int    `json:"errno,omitempty"` // failed
	Status uint32 `json:"status,omitempty"`
}

// The operations. The runtime sends build, start, seen and terminal; the rest
// are answers.
const (
	opBuild    = "build"
	opReady    = "ready"
	opLayer    = "layer" // before ready, with the folder of the overlay
	opStart    = "start"
	opStarted  = "started" // with a pidfd
	opSeen     = "seen"    // the runtime knows the process; it may be reaped
	opEnded    = "ended"
	opTerminal = "terminal" // answered with both ends
	opFailed   = "failed"
)

const (
	maxFrame = 32 << 20 // above what execve takes, in base64
	maxFiles = 64
)

// wire sends and receives frames with descriptors over a stream socket. Send
// may be called from any goroutine, receive from one.
type wire struct {
	conn *net.UnixConn
	mu   sync.Mutex
}

// newWire takes over the descriptor.
func newWire(f *os.File) (*wire, error) {
	defer f.Close()
	c, err := net.FileConn(f)
	if err != nil {
		return nil, err
	}
	u, ok := c.(*net.UnixConn)
	if !ok {
		c.Close()
		return nil, errors.New("the control descriptor is no unix socket")
	}
	return &wire{conn: u}, nil
}

func (w *wire) send(f frame, fds ...int) error {
	body, err := json.Marshal(f)
	if err != nil {
		return err
	}
	msg := append(binary.LittleEndian.AppendUint32(nil, uint32(len(body))), body...)
	var rights []byte
	if len(fds) > 0 {
		rights = unix.UnixRights(fds...)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	n, _, err := w.conn.WriteMsgUnix(msg, rights, nil)
	if err == nil && n < len(msg) {
		_, err = w.conn.Write(msg[n:])
	}
	return err
}

// receive returns the next frame and the descriptors that came with it.
func (w *wire) receive() (frame, []*os.File, error) {
	var head [4]byte
	oob := make([]byte, unix.CmsgSpace(maxFiles*4))
	n, oobn, _, _, err := w.conn.ReadMsgUnix(head[:], oob)
	if err == nil && n == 0 {
		err = io.EOF
	}
	if err != nil {
		return frame{}, nil, err
	}
	files, err := openRights(oob[:oobn])
	if err == nil {
		_, err = io.ReadFull(w.conn, head[n:])
	}
	var f frame
	if size := binary.LittleEndian.Uint32(head[:]); err == nil && size <= maxFrame {
		body := make([]byte, size)
		if _, err = io.ReadFull(w.conn, body); err == nil {
			err = json.Unmarshal(body, &f)
		}
	} else if err == nil {
		err = errors.New("a frame is larger than any can be")
	}
	if err != nil {
		closeAll(files)
		return frame{}, nil, err
	}
	return f, files, nil
}

func openRights(oob []byte) ([]*os.File, error) {
	if len(oob) == 0 {
		return nil, nil
	}
	msgs, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil, err
	}
	var files []*os.File
	for _, m := range msgs {
		fds, err := unix.ParseUnixRights(&m)
		if err != nil {
			continue // another kind of message
		}
		for _, fd := range fds {
			unix.CloseOnExec(fd)
			files = append(files, os.NewFile(uintptr(fd), "received"))
		}
	}
	return files, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}
