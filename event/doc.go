// Package event tells what happens in a run, in order, as an iterator.
//
// A [Stream] is the events of one run as it goes on; a driver (the agent loop,
// the plan runner) makes one with [Go] and is handed a [Run] by which it emits
// events and makes calls:
//
//	for e, err := range loop.Run(ctx, session) {
//		if err != nil {
//			return err
//		}
//		fmt.Println(e.Type, e.Message)
//	}
//
// The run moves only while the stream is ranged over: an event is dealt with by
// the body of the loop before what follows it happens. So what a body writes
// about call.started is on disk before the tool runs, back-pressure costs
// nothing, and to break is to cancel and to wait for the end: there is no close
// and no leak. Who breaks does not hear the end; who wants it cancels the
// context and ranges on.
//
// The driver runs on the goroutine that ranges. Calls that run beside each other
// have goroutines of their own, and a [Group] brings their events home; events
// that arrive together are marked [Event.More], but for the last of them, so
// that a journal can commit them with one sync.
//
// An event is one JSON object with the fields of seed 003's ExecutionEvent and a
// sequence number. [Type.OpenClaw] gives OpenClaw's names.
package event
