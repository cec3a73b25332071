// Package scripted is a model that says what a script tells it to: for demos,
// tests and benchmarks. [Parse] reads a script in YAML, [New] makes one of Go
// values; both give a [Model], which is an llm.Provider.
//
//	m := scripted.New(
//		scripted.Turn{Calls: []scripted.Call{{Tool: "add", Args: []byte(`{"a":1,"b":2}`)}}},
//		scripted.Turn{Text: "The sum is 3.", Expect: []string{"3"}},
//	)
//
// # The script
//
//	model: demo              # the name it answers with
//	chunk: 8                 # characters in one delta; all at once if left out
//	pace: 20ms               # time between two deltas
//	loop: true               # begin again after the last turn
//	turns:
//	  - thinking: Where is it?
//	    text: I look.
//	    calls:
//	      - tool: read_file
//	        id: doc          # a name for $result, and the provider's id of the call
//	        args: {path: README.md}
//	      - tool: read_file
//	        raw: '{"path":'  # the arguments as text, for those that are not JSON
//	  - expect: [toolpost]   # each must occur in what came since the last reply
//	    text: Found.
//	    stop: length         # stop, tool_calls, length, context_full, refused, …
//	    usage: {input: 120, output: 8}
//	    delay: 1s            # before the first delta
//	    repeat: 3            # the turn stands for so many equal ones
//	  - error: {status: 429, message: slow down, retryAfter: 1s, type: rate_limit}
//	  - text: half a sen
//	    cut: true            # the stream breaks after what the turn says
//
// Which turn answers a request follows from the request alone: it is the one
// after as many as there are assistant messages in it. So one Model serves many
// sessions at once, and a session that goes on in another process goes on in the
// script. Turns with error or cut leave no message behind; each is given once in
// a session, before the turn that stands after it.
//
// A string in args that is $result.NAME.PATH becomes the value at PATH in the
// result of the newest call whose id is NAME: $result.doc.artifact.id,
// $result.doc.data.lines[0], $result.doc.content[0].text. The result is in the
// form in which tool.Result is written as JSON.
//
// # When the script is wrong
//
// A script that cannot be read is a VALIDATION_ERROR with file, line, column and
// an excerpt. An expect that does not hold, a $result that is not there and a
// request beyond the last turn end the stream with a PRECONDITION_FAILED that
// names the line of the turn.
//
// The package does not choose turns by what the user says, and it does not
// pretend to count tokens.
package scripted
