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
// about step.started is on disk before the tool runs, back-pressure costs
// nothing, and to break is to cancel and to wait for the end: there is no close
// and no leak. Who breaks does not hear the end; who wants it cancels the
// context and ranges on.
//
// The driver runs on the goroutine that ranges. Calls that run beside each other
// (a [Group]) have goroutines of their own and come to the listener one at a
// time. Those that wait for it at the same time come in together: their events
// but the last are marked [Event.More], so that a journal can commit them with
// one sync.
//
// An event is one JSON object with the fields of seed 003's ExecutionEvent and a
// sequence number. [Type.OpenClaw] gives OpenClaw's names.
package event
