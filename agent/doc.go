// Package agent is the loop: ask the model, run the calls it makes, tell it what
// came of them, until it answers without a call.
//
// A [Loop] is configured by its fields, most of which may stay zero; [Loop.Run]
// is the events of one run, which moves while they are ranged over:
//
//	loop := agent.Loop{Provider: model, Tools: &tools}
//	chat := session.NewMemory(llm.User("What is in this folder?"))
//	for e, err := range loop.Run(ctx, chat) {
//		if err != nil {
//			return err
//		}
//		fmt.Print(e.Text)
//	}
//
// What the loop sees to: the assistant's message is appended before its calls
// run; calls of one message run side by side and their results stand in the
// order of the calls; every call has a result, also when the run is cancelled;
// a call that was cut off is never run; limits end a run before more is done;
// what people say meanwhile is put in between two requests, never into one.
//
// It keeps messages only through its [Session], makes calls only through its
// tool.Set, and knows no policy, no hook, no record: those stand around the
// tools and around the stream. The rules are those of seed 000 and seed 001
// where they agree, and of design/calls.md where they do not.
package agent
